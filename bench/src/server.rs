//! Starting and ending the servers that are measured: Embudo on either engine, the draining handler, the receiver of
//! signals; `peers.rs` has the peers. Each is an own process with a log file; each gets a clean environment, so that a
//! setting of the caller's shell cannot change what is measured.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::Target;
use crate::failure::Result;
use crate::peers::Peers;
use crate::receiver::Manners;

/// The key that every server of a run accepts.
const KEY: &str = "clave-de-medida-0123456789abcdef";

/// A server process; ends when dropped.
pub struct Server {
    child: Child,
    addr: SocketAddr,
    /// From starting the process to its first 200 on `/readyz`.
    pub start_time: Duration,
}

impl Server {
    pub fn target(&self) -> Target {
        Target { addr: self.addr, key: KEY.to_owned() }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends the server with SIGTERM, as an operator would, and kills it after 20 seconds.
    pub fn stop(mut self) -> Result<()> {
        self.terminate();
        let give_up = Instant::now() + Duration::from_secs(20);
        while Instant::now() < give_up {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(5));
        }
        Err("a server did not end within 20 s of SIGTERM".into())
    }

    fn terminate(&self) {
        // Without `unsafe` there is no kill(2); the command is as good here.
        let _ = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.terminate();
            thread::sleep(Duration::from_millis(300));
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Which database Embudo runs on.
#[derive(Clone, Debug)]
pub enum Engine {
    Sqlite,
    Postgres { url: String },
}

/// Starts servers; knows where their programs and logs are.
pub struct Starter {
    pub embudo: PathBuf,
    pub peers: Peers,
    pub logs: PathBuf,
}

impl Starter {
    pub fn embudo(&self, engine: &Engine, data_dir: &Path) -> Result<Server> {
        self.embudo_with(engine, data_dir, &[])
    }

    /// Like `embudo`, with further settings.
    pub fn embudo_with(&self, engine: &Engine, data_dir: &Path, settings: &[(&str, &str)]) -> Result<Server> {
        fs::create_dir_all(data_dir)?;
        let mut command = Command::new(fs::canonicalize(&self.embudo).map_err(|e| {
            format!(
                "{} is not there ({e}); build it with `cargo build --release -p embudo`",
                self.embudo.display()
            )
        })?);
        clean(&mut command);
        // The server reads `.env` and `embudo.toml` from the current folder. The data folder has neither.
        command.arg("serve").current_dir(data_dir).env("DATA_DIR", data_dir).envs(settings.iter().copied());
        if let Engine::Postgres { url } = engine {
            command.env("DATABASE_URL", url);
        }
        let name = match engine {
            Engine::Sqlite => "embudo-sqlite",
            Engine::Postgres { .. } => "embudo-postgres",
        };
        self.start(name, command, "/readyz")
    }

    pub fn drain(&self) -> Result<Server> {
        let addr = free_addr()?;
        let mut command = Command::new(std::env::current_exe()?);
        clean(&mut command);
        command.args(["drain", "--bind", &addr.to_string()]);
        self.start_at("drain", addr, command, "/")
    }

    pub fn receiver(&self, manners: Manners) -> Result<Server> {
        let addr = free_addr()?;
        let mut command = Command::new(std::env::current_exe()?);
        clean(&mut command);
        command.args(["receive", "--bind", &addr.to_string()]);
        if manners == Manners::Hangs {
            command.arg("--hang");
        }
        self.start_at("receiver", addr, command, "/cuenta")
    }

    pub fn start(&self, name: &str, mut command: Command, ready_path: &str) -> Result<Server> {
        let addr = free_addr()?;
        command.env("BIND", addr.to_string());
        self.start_at(name, addr, command, ready_path)
    }

    fn start_at(
        &self,
        name: &str,
        addr: SocketAddr,
        mut command: Command,
        ready_path: &str,
    ) -> Result<Server> {
        fs::create_dir_all(&self.logs)?;
        let path = self.logs.join(format!("{name}.log"));
        let log = File::options().create(true).append(true).open(&path)?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let begin = Instant::now();
        let child = command.spawn().map_err(|e| format!("{name} cannot be started: {e}"))?;
        let mut server = Server { child, addr, start_time: Duration::ZERO };
        let give_up = begin + Duration::from_secs(30);
        while !is_ready(addr, ready_path) {
            if let Some(status) = server.child.try_wait()? {
                return Err(format!("{name} ended with {status}:\n{}", tail(&path)).into());
            }
            if Instant::now() > give_up {
                return Err(format!("{name} is not ready after 30 s:\n{}", tail(&path)).into());
            }
            thread::sleep(Duration::from_millis(1));
        }
        server.start_time = begin.elapsed();
        Ok(server)
    }
}

pub fn clean(command: &mut Command) {
    command.env_clear().env("FUNNEL_API_KEY", KEY);
    for name in ["PATH", "HOME", "RUST_LOG", "LOG_FORMAT"] {
        if let Ok(value) = std::env::var(name) {
            command.env(name, value);
        }
    }
}

fn free_addr() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

fn is_ready(addr: SocketAddr, path: &str) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect_timeout(&addr, Duration::from_millis(200))?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n")?;
        let mut status = [0; 12];
        stream.read_exact(&mut status)?;
        Ok(status.ends_with(b" 200"))
    };
    ask().unwrap_or(false)
}

fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(15)..].join("\n")
}
