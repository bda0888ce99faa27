//! Where the time goes: starts Embudo, loads it, lets `perf` watch the whole machine, and prints the top symbols by
//! program: Embudo, PostgreSQL, the load generator, and how much time was idle.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::failure::Result;
use crate::load::{self, Plan, create_leads};
use crate::peers::Peers;
use crate::places::Places;
use crate::postgres::Postgres;
use crate::receiver::Manners;
use crate::server::{Engine, Starter};
use crate::workload::{Kind, Work};

#[derive(clap::Args)]
pub struct ProfileArgs {
    #[command(flatten)]
    places: Places,
    /// sqlite or postgres.
    #[arg(long, default_value = "sqlite")]
    engine: EngineName,
    /// What to call.
    #[arg(long, default_value = "conversacion")]
    workload: Kind,
    #[arg(long, default_value_t = 64)]
    conns: usize,
    /// Seconds that perf watches.
    #[arg(long, default_value_t = 5.0)]
    secs: f64,
    /// Functions to print.
    #[arg(long, default_value_t = 40)]
    top: usize,
    /// Data folder on tmpfs, to leave the disk out.
    #[arg(long)]
    shm: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum EngineName {
    Sqlite,
    Postgres,
}

pub fn run(args: ProfileArgs) -> Result<bool> {
    let work = std::path::absolute(&args.places.work)?;
    let data = match args.shm {
        true => format!("/dev/shm/embudo-profile-{}", std::process::id()).into(),
        false => work.join("profile"),
    };
    let starter = Starter { embudo: args.places.embudo, peers: Peers::default(), logs: work.join("logs") };
    let postgres = Postgres { url: args.places.pg, pid: args.places.pg_pid };
    let engine = match args.engine {
        EngineName::Sqlite => Engine::Sqlite,
        EngineName::Postgres => Engine::Postgres { url: postgres.create_database("profile")? },
    };
    // Only some calls make the server send signals to this receiver; while it is idle it costs nothing.
    let receiver = starter.receiver(Manners::Answers)?;
    let url = format!("http://{}/", receiver.target().addr);
    let server = starter.embudo_with(&engine, &data, &[("PERFIL_WEBHOOK_URL", &url)])?;
    let target = server.target();
    let leads = create_leads(&target, 2000)?;
    let recording = work.join("perf.data");
    // The machine's cycle counter is often hidden from virtual machines; the clock is always there.
    let mut perf = Command::new("perf")
        .args(["record", "-q", "-e", "cpu-clock", "-F", "999", "-g", "-o"])
        .arg(&recording)
        .args(["-a", "--", "sleep", &args.secs.to_string()])
        .stdout(Stdio::null())
        .spawn()
        .map_err(|e| format!("perf cannot be started ({e}); on Debian it is in linux-perf"))?;
    let plan = Plan {
        work: Work::new(args.workload, &target, &leads),
        conns: args.conns,
        threads: if args.workload.photo_bytes() > 0 { 2 } else { 1 },
        warmup: Duration::from_millis(200),
        measured: Duration::from_secs_f64(args.secs),
        max_requests: if args.workload.photo_bytes() > 0 { 2000 } else { u64::MAX },
        others: Vec::new(),
    };
    let sample = load::measure(&target, &plan, &[server.pid(), postgres.pid])?;
    if !perf.wait()?.success() {
        return Err("perf could not record the whole machine; it may need root".into());
    }
    server.stop()?;
    receiver.stop()?;
    std::fs::remove_dir_all(&data)?;
    println!("{} at {} connections: {}\n", args.workload.name(), args.conns, sample.line());
    // The kernel names what runs while a core is idle "swapper".
    for (sort, what, lines) in [("comm", "by thread", 12), ("comm,dso,symbol", "by function", args.top)] {
        println!("-- {what}, own time");
        let report = Command::new("perf")
            .args([
                "report",
                "--stdio",
                "--no-children",
                "-g",
                "none",
                "-w",
                "18,24",
                "--percent-limit",
                "0.3",
            ])
            .args(["--sort", sort, "-i"])
            .arg(&recording)
            .output()?;
        let text = String::from_utf8_lossy(&report.stdout);
        let found = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        for line in found.take(lines) {
            println!("{}", line.chars().take(150).collect::<String>().trim_end());
        }
        println!();
    }
    println!("Kept with KEEP=1: {}; `perf report -g -i` on it shows who calls whom.", recording.display());
    Ok(sample.errors == 0)
}
