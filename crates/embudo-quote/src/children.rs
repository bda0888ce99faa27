//! The server's side of the processes that draw. One is started for the first quote, kept for the next quotes, and
//! ended when no quote comes for a while. If a process fails, the server continues: the process is ended, and another
//! one is started.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::pdf_request::{PdfRequest, RenderedPdf, UsedTemplate};
use crate::template::Template;
use crate::wire::{Answer, Limits, Question, read_frame, write_frame};

/// How to start a process that draws: a program that calls [`crate::child()`] with its standard input and output.
#[derive(Debug, Clone)]
pub struct DrawingChild {
    program: PathBuf,
    arguments: Vec<OsString>,
    /// The limits for our own template.
    limits: Limits,
    /// The limits for an operator's template.
    own_limits: Limits,
    idle: Duration,
}

/// The maximum number of quotes that one process draws. Memory that the process does not give back is freed when it
/// ends.
const QUOTES: u32 = 500;
/// The maximum number of threads that decode the pictures of one quote.
const THREADS: usize = 4;

impl DrawingChild {
    /// A program, and the arguments that make it a child process.
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            // Our template is known and its output is limited: more time only helps on a busy machine.
            limits: Limits { time: Duration::from_secs(30), ..Limits::default() },
            own_limits: Limits::default(),
            idle: Duration::from_secs(30),
        }
    }

    /// Sets other limits for quotes with our template.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets other limits for an operator's own template.
    #[must_use]
    pub fn with_own_limits(self, own_limits: Limits) -> Self {
        Self { own_limits, ..self }
    }

    /// Sets how long a process without a quote is kept.
    #[must_use]
    pub fn with_idle(self, idle: Duration) -> Self {
        Self { idle, ..self }
    }

    fn start(&self, threads: usize) -> Result<Running, Lost> {
        let started = Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .env("RAYON_NUM_THREADS", threads.to_string())
            // The allocator would reserve a gibibyte of address space at once, which is the whole limit.
            .env("MIMALLOC_ARENA_RESERVE", "65536")
            .current_dir("/")
            // Signals from the terminal go to the server, which ends its children itself.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut process = started.map_err(|e| Lost::new(format!("no se puede arrancar su proceso: {e}")))?;
        let input = process.stdin.take().expect("the child's input is a pipe");
        let output = process.stdout.take().expect("the child's output is a pipe");
        Ok(Running { process, input: Some(input), output, drawn: 0 })
    }
}

/// The processes that wait for a quote.
#[derive(Debug)]
pub(crate) struct Children {
    how: DrawingChild,
    idle: Arc<Mutex<Vec<(Running, Instant)>>>,
    ending: Mutex<Option<JoinHandle<()>>>,
}

/// The reason why there is no PDF, in Spanish.
pub(crate) struct Lost {
    pub(crate) why: String,
    /// Whether another process may succeed: this one was killed from outside, or had drawn other quotes before.
    again: bool,
}

impl Lost {
    fn new(why: String) -> Self {
        Self { why, again: false }
    }
}

impl Children {
    pub(crate) fn new(how: DrawingChild) -> Self {
        Self { how, idle: Arc::default(), ending: Mutex::default() }
    }

    /// Draws with our template. If the process was killed from outside, or fails after it has drawn other quotes, it is
    /// replaced once.
    pub(crate) fn ours(&self, request: &PdfRequest) -> Result<RenderedPdf, Lost> {
        let (question, parts) = Question::new(request, None, self.how.limits, QUOTES);
        let threads = threads();
        let waiting = lock(&self.idle).pop().map(|(running, _)| running);
        let mut running = match waiting {
            Some(running) => running,
            None => self.how.start(threads)?,
        };
        let mut drawn = running.ask(&question, &parts, self.how.limits);
        if matches!(&drawn, Err(lost) if lost.again) {
            running.end();
            running = self.how.start(threads)?;
            drawn = running.ask(&question, &parts, self.how.limits);
        }
        match drawn? {
            Ok(done) => {
                self.keep(running);
                Ok(RenderedPdf { template: UsedTemplate::Ours, ..done })
            }
            Err(refused) => {
                self.keep(running);
                Err(Lost::new(refused))
            }
        }
    }

    /// Starts a process for a quote that will soon come, unless one is already waiting: it loads its typefaces in the
    /// meantime. If it cannot be started, drawing the quote reports the error.
    pub(crate) fn expect_one(&self) {
        if !lock(&self.idle).is_empty() {
            return;
        }
        if let Ok(running) = self.how.start(threads()) {
            self.keep(running);
        }
    }

    /// Draws with an operator's template, in a process that draws nothing else, because the template may leave any
    /// state behind.
    pub(crate) fn own(&self, request: &PdfRequest, template: &Template) -> Result<RenderedPdf, String> {
        let limits = self.how.own_limits;
        let (question, parts) = Question::new(request, Some(template), limits, 1);
        let mut running = self.how.start(1).map_err(|lost| lost.why)?;
        let drawn = running.ask(&question, &parts, limits).map_err(|lost| lost.why);
        running.end();
        drawn?.map(|done| RenderedPdf { template: UsedTemplate::Own, ..done })
    }

    /// Keeps a process for the next quote, unless it has drawn the maximum number of quotes.
    fn keep(&self, running: Running) {
        if running.drawn >= QUOTES {
            running.end();
            return;
        }
        lock(&self.idle).push((running, Instant::now()));
        let mut ending = lock(&self.ending);
        if ending.as_ref().is_none_or(JoinHandle::is_finished) {
            let (idle, time) = (Arc::clone(&self.idle), self.how.idle);
            let started = std::thread::Builder::new().name("ends drawing".to_owned());
            match started.spawn(move || end_idle(&idle, time)) {
                Ok(handle) => *ending = Some(handle),
                // Without a thread that ends idle processes, no process is kept.
                Err(_) => lock(&self.idle).drain(..).for_each(|(running, _)| running.end()),
            }
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        lock(&self.idle).drain(..).for_each(|(running, _)| running.end());
    }
}

/// Ends processes that are idle for too long, until none is idle. The list is sorted: the longest idle are first.
fn end_idle(idle: &Mutex<Vec<(Running, Instant)>>, time: Duration) {
    loop {
        let mut waiting = lock(idle);
        let Some((_, since)) = waiting.first() else { return };
        let left = time.saturating_sub(since.elapsed());
        if left.is_zero() {
            let (running, _) = waiting.remove(0);
            drop(waiting);
            running.end();
        } else {
            drop(waiting);
            std::thread::sleep(left);
        }
    }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(THREADS))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // The locked data is valid in every state, even after a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process that draws.
#[derive(Debug)]
struct Running {
    process: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    drawn: u32,
}

/// An answer, as far as it was read.
enum Heard {
    Drawn(RenderedPdf),
    Refused(String),
    TooLong,
    /// The process ended, or sent something invalid.
    Nothing,
}

impl Running {
    /// Requests a quote and waits for the whole answer. The refusal of a template is an answer too. After an error the
    /// process is ended.
    fn ask(
        &mut self,
        question: &Question,
        parts: &[Bytes],
        limits: Limits,
    ) -> Result<Result<RenderedPdf, String>, Lost> {
        let is_fresh = self.drawn == 0;
        self.drawn += 1;
        let heard = self.converse(question, parts, limits);
        match heard {
            Some(Heard::Drawn(done)) => Ok(Ok(done)),
            Some(Heard::Refused(why)) => Ok(Err(why)),
            Some(Heard::TooLong) => {
                self.kill();
                Err(Lost::new(format!("su PDF pasa de {} MiB", limits.pdf >> 20)))
            }
            Some(Heard::Nothing) => {
                let end = self.kill();
                let outside = end.is_none_or(|end| matches!(end.signal(), Some(1 | 2 | 9 | 15)));
                let why = end.map_or_else(|| "su proceso se ha perdido".to_owned(), |end| death(end, limits));
                Err(Lost { why, again: outside || !is_fresh })
            }
            None => {
                self.kill();
                Err(Lost::new(late(limits)))
            }
        }
    }

    /// `None` if the time limit was reached; then the process has been killed.
    fn converse(&mut self, question: &Question, parts: &[Bytes], limits: Limits) -> Option<Heard> {
        let Self { process, input: Some(input), output, .. } = self else { return Some(Heard::Nothing) };
        let (notify, notice) = mpsc::channel();
        std::thread::scope(|threads| {
            threads.spawn(move || {
                // An error needs no handling here: if the process has died, reading its answer fails too.
                let _ = write_frame(input, question)
                    .and_then(|()| parts.iter().try_for_each(|part| input.write_all(part)))
                    .and_then(|()| input.flush());
            });
            threads.spawn(move || {
                let _ = notify.send(hear(output, limits).unwrap_or(Heard::Nothing));
            });
            let heard = notice.recv_timeout(limits.time).ok();
            if !matches!(heard, Some(Heard::Drawn(_) | Heard::Refused(_))) {
                // The kill closes the pipes, so both threads end, whatever the process was doing.
                let _ = process.kill();
            }
            heard
        })
    }

    fn kill(&mut self) -> Option<ExitStatus> {
        let _ = self.process.kill();
        self.process.wait().ok()
    }

    /// Ends the process. It is not drawing anything, so nothing is lost.
    fn end(mut self) {
        self.input = None;
        self.kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

fn hear(output: &mut ChildStdout, limits: Limits) -> io::Result<Heard> {
    Ok(match read_frame::<Answer>(output)? {
        None => Heard::Nothing,
        Some(Answer::Failure(why)) => Heard::Refused(why),
        Some(Answer::Drawn { bytes, .. }) if bytes > limits.pdf => Heard::TooLong,
        Some(Answer::Drawn { norma, notices, bytes }) => {
            let mut pdf = Vec::with_capacity(usize::try_from(bytes).map_err(io::Error::other)?);
            output.take(bytes).read_to_end(&mut pdf)?;
            let is_whole = pdf.len() as u64 == bytes
                && pdf.starts_with(b"%PDF-")
                && pdf.trim_ascii_end().ends_with(b"%%EOF");
            match is_whole {
                true => Heard::Drawn(RenderedPdf { pdf, norma, template: UsedTemplate::Ours, notices }),
                false => Heard::Nothing,
            }
        }
    })
}

fn late(limits: Limits) -> String {
    let secs = limits.time.as_secs_f32().to_string().replace('.', ",");
    format!("ha tardado más de {secs} s")
}

fn death(end: ExitStatus, limits: Limits) -> String {
    match end.signal() {
        // If an allocation is refused, the process aborts.
        Some(6) => format!("necesita más de {} MiB de memoria", limits.memory >> 20),
        Some(24) => late(limits),
        Some(9) => "el sistema ha detenido su proceso".to_owned(),
        _ => format!("su proceso ha terminado sin dar un PDF ({end})"),
    }
}
