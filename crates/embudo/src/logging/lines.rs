//! A queue of log lines with a thread that writes them, so that no request waits for a slow terminal or pipe.
//!
//! The queue is bounded in bytes. If it is full, a line is dropped and counted, and the count is written as soon as
//! there is room: lines may be lost, but never silently. A crash of the process (not a panic) can lose the lines of the
//! last moment.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tracing_subscriber::fmt::MakeWriter;

/// How many bytes may wait: some seconds of log at full load, and little compared to the memory for bodies.
const CAPACITY: usize = 4 << 20;
/// How long lines are collected after a write.
const GATHER: Duration = Duration::from_millis(5);
/// How long the program waits at its end until the waiting lines are written.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    dropped: u64,
    writing: bool,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Signals that there is something to write, or that the log ends.
    work: Condvar,
    idle: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held, and the log must not add a panic to another one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The writing end of the queue, for events.
#[derive(Clone)]
pub struct LineQueue {
    shared: Arc<Shared>,
    capacity: usize,
}

impl LineQueue {
    /// Starts the writing thread.
    pub fn start(out: impl Write + Send + 'static) -> (Self, LogGuard) {
        Self::with_capacity(out, CAPACITY)
    }

    fn with_capacity(out: impl Write + Send + 'static, capacity: usize) -> (Self, LogGuard) {
        let shared = Arc::new(Shared::default());
        let thread = Arc::clone(&shared);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_lines(&thread, out))
            .expect("a thread can be started when the program starts");
        (Self { shared: Arc::clone(&shared), capacity }, LogGuard(shared))
    }

    fn push(&self, line: &[u8]) {
        let mut state = self.shared.lock();
        if state.closed || state.waiting.len() + line.len() > self.capacity {
            state.dropped += 1;
            return;
        }
        let thread_sleeps = state.waiting.is_empty() && !state.writing;
        state.waiting.extend_from_slice(line);
        drop(state);
        if thread_sleeps {
            self.shared.work.notify_one();
        }
    }
}

/// The formatter passes each event as one whole line.
impl Write for LineQueue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LineQueue {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Keeps the log running. Dropping it writes the waiting lines.
pub struct LogGuard(Arc<Shared>);

impl Drop for LogGuard {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.closed = true;
        self.0.work.notify_one();
        let busy = |state: &mut State| state.writing || !state.waiting.is_empty();
        let _ = self.0.idle.wait_timeout_while(state, PATIENCE, busy);
    }
}

fn write_lines(shared: &Shared, mut out: impl Write) {
    let mut batch = Vec::new();
    let mut state = shared.lock();
    loop {
        if state.waiting.is_empty() {
            state.writing = false;
            shared.idle.notify_all();
            if state.closed {
                return;
            }
            state = shared.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        state.writing = true;
        std::mem::swap(&mut batch, &mut state.waiting);
        let dropped = std::mem::take(&mut state.dropped);
        drop(state);

        // If the log cannot be written, there is no place to report this.
        let _ = out.write_all(&batch);
        if dropped > 0 {
            let _ = out.write_all(dropped_line(dropped).as_bytes());
        }
        let _ = out.flush();
        batch.clear();
        // Under load the lines of a few milliseconds are written together: nobody has to wake this thread while it
        // collects.
        let gathered = shared.work.wait_timeout_while(shared.lock(), GATHER, |state| !state.closed);
        state = gathered.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// A line that reports lost lines. It is a JSON object, which is also readable in a log of text.
fn dropped_line(dropped: u64) -> String {
    let now = jiff::Timestamp::now();
    format!(
        "{{\"timestamp\":\"{now}\",\"level\":\"WARN\",\"message\":\"log lines dropped: the log is read too slowly\",\"dropped\":{dropped}}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// A reader of the log that accepts a write only when it is allowed to.
    struct Gate {
        entered: Sender<()>,
        let_go: Receiver<()>,
        seen: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Gate {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.entered.send(());
            let _ = self.let_go.recv();
            self.seen.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<u8>>>);

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_line_is_written_before_the_guard_is_gone() {
        let memory = Memory::default();
        let (queue, guard) = LineQueue::start(memory.clone());
        thread::scope(|scope| {
            for writer in 0..4 {
                let mut queue = queue.clone();
                scope.spawn(move || (0..500).for_each(|line| writeln!(queue, "{writer} {line}").unwrap()));
            }
        });
        drop(guard);
        let seen = String::from_utf8(memory.0.lock().unwrap().clone()).unwrap();
        // `writeln!` writes in pieces, which may interleave here; a formatter writes whole lines.
        assert_eq!(seen.matches('\n').count(), 2000);
    }

    #[test]
    fn a_slow_reader_costs_lines_but_they_are_counted() {
        let ((entered, writing), (let_go, gate)) = (channel(), channel());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let out = Gate { entered, let_go: gate, seen: Arc::clone(&seen) };
        let (queue, guard) = LineQueue::with_capacity(out, 20);

        queue.push(b"first\n");
        writing.recv().unwrap();
        // The thread now hangs in its write; twenty bytes may wait in the queue.
        for _ in 0..5 {
            queue.push(b"123456789\n");
        }
        drop(let_go);
        drop(guard);

        let seen = String::from_utf8(seen.lock().unwrap().clone()).unwrap();
        assert!(seen.starts_with("first\n123456789\n123456789\n{"), "{seen}");
        let last: serde_json::Value = serde_json::from_str(seen.lines().last().unwrap()).unwrap();
        assert_eq!(last["dropped"], 3);
    }
}
