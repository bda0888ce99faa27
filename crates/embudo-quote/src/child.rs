//! An operator's own template is compiled in a process of its own.
//!
//! The typesetter cannot be stopped and has no memory limit, so an endless or huge template is only harmless in a process that the
//! system bounds and that we can end. The child opens no file: template, data and pictures come through its standard input.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use bytes::Bytes;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use typst::syntax::Source;

use crate::fonts::Fonts;
use crate::pdf_request::Norma;
use crate::world::{Compiled, QuoteWorld, id};

/// What a template of an operator may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Until when it must be done.
    #[serde(rename = "tiempo")]
    pub time: Duration,
    /// Bytes of address space, program included.
    #[serde(rename = "memoria")]
    pub memory: u64,
    pub pdf: u64,
}

impl Default for Limits {
    /// 10 seconds, 1 GiB, 32 MiB.
    fn default() -> Self {
        Self { time: Duration::from_secs(10), memory: 1 << 30, pdf: 32 << 20 }
    }
}

/// How to start the child: a program that calls [`child()`] with its standard input and output.
#[derive(Debug, Clone)]
pub struct TemplateChild {
    program: PathBuf,
    arguments: Vec<OsString>,
    limits: Limits,
}

/// What the child is asked, before the bytes of its files.
#[derive(Serialize, Deserialize)]
struct ChildRequest {
    #[serde(rename = "limites")]
    limits: Limits,
    #[serde(rename = "identidad")]
    identity: String,
    #[serde(rename = "dia")]
    day: String,
    principal: String,
    #[serde(rename = "archivos")]
    files: Vec<(String, usize)>,
}

/// What it answers, before the bytes of the PDF.
#[derive(Serialize, Deserialize)]
enum ChildAnswer {
    #[serde(rename = "Hecho")]
    RenderedPdf { norma: Norma, notices: Vec<String> },
    #[serde(rename = "Fallo")]
    Failure(Vec<String>),
}

/// Questions and answers are small: a longer one is nonsense.
const HEADER: u32 = 1 << 20;

impl TemplateChild {
    /// A program and the arguments with which it becomes a child.
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
        limits: Limits,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { program: program.into(), arguments, limits }
    }

    /// Compiles in a child; the error says why not, in Spanish.
    pub(crate) fn compose(
        &self,
        principal: &str,
        files: &[(String, &[u8])],
        identity: &str,
        day: Date,
    ) -> Result<Compiled, String> {
        let question = ChildRequest {
            limits: self.limits,
            identity: identity.to_owned(),
            day: day.to_string(),
            principal: principal.to_owned(),
            files: files.iter().map(|(nombre, data)| (nombre.clone(), data.len())).collect(),
        };
        let mut child = self.start().map_err(|e| format!("no se puede arrancar su proceso: {e}"))?;
        let received = self.converse(&mut child, &question, files);
        // Also ends a child that has answered but goes on.
        let _ = child.kill();
        let end = child.wait().map_err(|e| format!("su proceso se ha perdido: {e}"))?;
        let Some(received) = received else {
            return Err(self.late());
        };
        if received.len() as u64 > self.limits.pdf {
            return Err(format!("su PDF pasa de {} MiB", self.limits.pdf >> 20));
        }
        self.understand(&received).unwrap_or_else(|| Err(self.death(end)))
    }

    fn start(&self) -> io::Result<Child> {
        Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .env("RAYON_NUM_THREADS", "1")
            // The allocator would claim a gibibyte of addresses at once, which is the whole limit.
            .env("MIMALLOC_ARENA_RESERVE", "65536")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    }

    /// Asks and waits for the whole answer; `None` when time is over, and then the child has been ended.
    fn converse(
        &self,
        child: &mut Child,
        question: &ChildRequest,
        files: &[(String, &[u8])],
    ) -> Option<Vec<u8>> {
        let mut input = child.stdin.take().expect("the child's input is a pipe");
        let output = child.stdout.take().expect("the child's output is a pipe");
        let (notify, notice) = mpsc::channel();
        let cap = self.limits.pdf + 1;
        std::thread::scope(|threads| {
            threads.spawn(move || {
                // A child that dies while it is being asked says so by its end.
                let _ = write(&mut input, question)
                    .and_then(|()| files.iter().try_for_each(|(_, data)| input.write_all(data)));
            });
            threads.spawn(move || {
                let mut all = Vec::new();
                let _ = output.take(cap).read_to_end(&mut all);
                let _ = notify.send(all);
            });
            let all = notice.recv_timeout(self.limits.time).ok();
            // Ends both threads, whatever the child is doing.
            let _ = child.kill();
            all
        })
    }

    /// `None` if it is no answer.
    fn understand(&self, mut received: &[u8]) -> Option<Result<Compiled, String>> {
        match read_frame::<ChildAnswer>(&mut received).ok()? {
            ChildAnswer::Failure(errors) => Some(Err(errors.join("; "))),
            ChildAnswer::RenderedPdf { norma, notices } => {
                let integer = received.starts_with(b"%PDF-") && received.trim_ascii_end().ends_with(b"%%EOF");
                integer.then(|| Ok(Compiled { pdf: received.to_vec(), norma, notices }))
            }
        }
    }

    fn late(&self) -> String {
        let secs = self.limits.time.as_secs_f32().to_string().replace('.', ",");
        format!("ha tardado más de {secs} s")
    }

    fn death(&self, end: ExitStatus) -> String {
        let mib = self.limits.memory >> 20;
        match end.signal() {
            // An allocation that is refused aborts.
            Some(6) => format!("necesita más de {mib} MiB de memoria"),
            Some(24) => self.late(),
            Some(9) => "el sistema ha detenido su proceso".to_owned(),
            _ => format!("su proceso ha terminado sin dar un PDF ({end})"),
        }
    }
}

/// The child's whole life: reads a question, bounds its own process, compiles, answers.
///
/// For a hidden subcommand that does nothing else: the limits it sets hold for the whole process and cannot be lifted.
pub fn child(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let question: ChildRequest = read_frame(&mut input)?;
    bound(&question.limits)?;
    let mut files = Vec::with_capacity(question.files.len());
    for (nombre, length) in &question.files {
        let mut data = vec![0; *length];
        input.read_exact(&mut data)?;
        files.push((nombre.as_str(), Bytes::from(data)));
    }
    match compose(&question, files) {
        Ok(done) => {
            write(&mut output, &ChildAnswer::RenderedPdf { norma: done.norma, notices: done.notices })?;
            output.write_all(&done.pdf)?;
        }
        Err(errors) => write(&mut output, &ChildAnswer::Failure(errors))?,
    }
    output.flush()
}

fn bound(limits: &Limits) -> io::Result<()> {
    use rlimit::{Resource, setrlimit};
    let secs = limits.time.as_secs() + 1;
    setrlimit(Resource::CPU, secs, secs)?;
    setrlimit(Resource::AS, limits.memory, limits.memory)?;
    setrlimit(Resource::CORE, 0, 0)?;
    // No file can be opened or grow: template and data are already on their way.
    setrlimit(Resource::FSIZE, 0, 0)?;
    setrlimit(Resource::NOFILE, 3, 3)
}

fn compose(question: &ChildRequest, files: Vec<(&str, Bytes)>) -> Result<Compiled, Vec<String>> {
    let wrong = |text: &str| vec![text.to_owned()];
    let day: Date = question.day.parse().map_err(|_| wrong("la fecha no se entiende"))?;
    let principal = files.iter().find(|(nombre, _)| *nombre == question.principal);
    let (path, data) = principal.ok_or_else(|| wrong("falta el archivo principal"))?;
    let text = std::str::from_utf8(data).map_err(|_| wrong("el archivo principal no es UTF-8"))?;
    let id = id(path).ok_or_else(|| wrong("la ruta del archivo principal no vale"))?;
    let source = Source::new(id, text.to_owned());
    let mut fonts = Fonts::load();
    for (nombre, data) in &files {
        if nombre.ends_with(".ttf") || nombre.ends_with(".otf") {
            fonts.add(typst::foundations::Bytes::new(data.clone()));
        }
    }
    let mut world = QuoteWorld::new(&fonts, source, day);
    for (nombre, data) in files {
        world.add(nombre, typst::foundations::Bytes::new(data));
    }
    world.compose(&question.identity)
}

fn write<T: Serialize>(a: &mut impl Write, what: &T) -> io::Result<()> {
    let json = serde_json::to_vec(what)?;
    let length = u32::try_from(json.len()).map_err(io::Error::other)?;
    a.write_all(&length.to_be_bytes())?;
    a.write_all(&json)
}

fn read_frame<T: for<'de> Deserialize<'de>>(of: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    of.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if length > HEADER {
        return Err(io::Error::other("not a message of ours"));
    }
    let mut json = Vec::new();
    of.take(u64::from(length)).read_to_end(&mut json)?;
    Ok(serde_json::from_slice(&json)?)
}
