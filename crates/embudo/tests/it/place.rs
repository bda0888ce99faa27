//! A folder for one test in which the binary runs, and a server that ends with its test.

use embudo_backup::Database;
use embudo_testkit::{Engine, PATIENCE, Schema};
use std::io::{BufRead, BufReader, Read};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// The folder in which commands run. Their environment contains only the variables in `env`.
pub struct Place {
    folder: tempfile::TempDir,
    host: Ipv4Addr,
    env: Vec<(String, String)>,
    schema: Option<Schema>,
}

impl From<Engine> for Place {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Self::sqlite(),
            Engine::Postgres => Self::postgres(),
        }
    }
}

impl Place {
    pub fn sqlite() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            host: own_loopback_address(),
            env: Vec::new(),
            schema: None,
        }
    }

    pub fn postgres() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let schema = runtime.block_on(Schema::create());
        let mut place = Self::sqlite().env("DATABASE_URL", &schema.url());
        place.schema = Some(schema);
        place
    }

    /// Runs statements in the place's PostgreSQL.
    pub fn execute(&self, sql: &str) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(self.schema.as_ref().unwrap().execute(sql));
    }

    /// Another folder with the same settings, for a second process on the same database.
    pub fn sibling(&self) -> Self {
        Self { env: self.env.clone(), ..Self::sqlite() }
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The database of this place.
    pub fn database(&self) -> Database {
        match self.env.iter().find(|(name, _)| name == "DATABASE_URL") {
            Some((_, url)) => match url.strip_prefix("sqlite://") {
                Some(path) => Database::Sqlite(self.path(path)),
                None => Database::Postgres(url.clone()),
            },
            None => Database::Sqlite(self.path("data/embudo.db")),
        }
    }

    pub fn database_url(&self) -> String {
        match self.database() {
            Database::Sqlite(path) => format!("sqlite://{}", path.display()),
            Database::Postgres(url) => url,
        }
    }

    pub fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_embudo"));
        command.current_dir(self.folder.path()).env_clear().envs(self.env.iter().cloned());
        command.args(args).stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a command that must succeed; returns what it printed.
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        // On a busy machine a long command prints its progress.
        let told = String::from_utf8_lossy(&output.stderr);
        let told: Vec<&str> = told.lines().filter(|line| !line.contains(" %  ")).collect();
        assert!(told.is_empty(), "{args:?}: {told:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must fail with code 1; returns its error text.
    pub fn fails(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Starts a server that must refuse to start; returns its error text.
    pub fn serve_fails(&self) -> String {
        self.fails(&["serve", "--bind", &self.bind()])
    }

    fn bind(&self) -> String {
        format!("{}:0", self.host)
    }

    /// Starts a server on a free port and waits until it listens.
    pub fn serve(&self) -> Server<'_> {
        self.serve_with(&[])
    }

    /// Starts a server with further arguments.
    pub fn serve_with(&self, args: &[&str]) -> Server<'_> {
        let mut command = self.command(&[&["serve", "--bind", &self.bind()], args].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let log = Log::follow(child.stderr.take().unwrap());
        let mut stdout = child.stdout.take().unwrap();
        let printed = thread::spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).unwrap();
            text
        });
        let mut server = Server {
            _place: self,
            child,
            log,
            printed: Some(printed),
            url: String::new(),
            key: String::new(),
        };
        server.url = server.log.wait_for("listening")["url"].as_str().unwrap().to_owned();
        server.key = std::fs::read_to_string(self.path("data/api-key")).unwrap_or_default().trim().to_owned();
        server
    }
}

/// An address that only servers of one place bind to. The port of a server that was killed is free again: on a common
/// address another test's server may get it, and would answer the clients of the killed one.
fn own_loopback_address() -> Ipv4Addr {
    static NEXT: AtomicU16 = AtomicU16::new(1);
    let [high, low] = NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    Ipv4Addr::new(127, 77, high, low)
}

/// A running server. It borrows its place, so that the place is not removed meanwhile.
pub struct Server<'a> {
    _place: &'a Place,
    child: Child,
    pub log: Log,
    printed: Option<JoinHandle<String>>,
    pub url: String,
    pub key: String,
}

impl Server<'_> {
    pub fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, name: &str) {
        let pid = self.pid().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
    }

    /// Waits until the server ends; returns its exit status and its output.
    pub fn end(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        (status, self.printed.take().unwrap().join().unwrap())
    }

    /// Asks the server to stop and waits.
    pub fn stop(self) -> (ExitStatus, String) {
        self.signal("TERM");
        self.end()
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        // After `end` there is nothing left to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The server's log while it is written.
#[derive(Clone)]
pub struct Log(Arc<(Mutex<Lines>, Condvar)>);

#[derive(Default)]
struct Lines {
    lines: Vec<String>,
    ended: bool,
}

impl Log {
    fn follow(stderr: impl Read + Send + 'static) -> Self {
        let log = Self(Arc::default());
        let writer = log.clone();
        thread::spawn(move || {
            let (lines, more) = &*writer.0;
            for line in BufReader::new(stderr).lines() {
                lines.lock().unwrap().lines.push(line.unwrap_or_default());
                more.notify_all();
            }
            lines.lock().unwrap().ended = true;
            more.notify_all();
        });
        log
    }

    /// Waits for the first event whose message contains this text.
    pub fn wait_for(&self, message: &str) -> serde_json::Value {
        let (lines, more) = &*self.0;
        let start = Instant::now();
        let mut seen = lines.lock().unwrap();
        loop {
            for line in &seen.lines {
                let event: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
                if event["message"].as_str().is_some_and(|text| text.contains(message)) {
                    return event;
                }
            }
            let left = PATIENCE.checked_sub(start.elapsed());
            assert!(!seen.ended && left.is_some(), "«{message}» was not logged: {:#?}", seen.lines);
            seen = more.wait_timeout(seen, left.unwrap()).unwrap().0;
        }
    }

    /// Everything that was logged so far; after the end of the server, all of it.
    pub fn text(&self) -> String {
        self.0.0.lock().unwrap().lines.join("\n")
    }
}
