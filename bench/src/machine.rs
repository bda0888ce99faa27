//! Facts about the machine, because a figure without them says nothing.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::failure::Result;
use crate::stats::median;

/// What the report says about where it was measured.
pub fn facts(work: &Path, postgres: &str) -> Vec<(&'static str, String)> {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let mem = field("/proc/meminfo", "MemTotal").unwrap_or_default();
    let gib = mem.split(' ').next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0 / 1024.0;
    vec![
        ("date", output("date", &["-u", "+%Y-%m-%d %H:%M UTC"])),
        ("processor", format!("{}, {cores} cores", field("/proc/cpuinfo", "model name").unwrap_or_default())),
        ("memory", format!("{gib:.1} GiB")),
        ("kernel", output("uname", &["-sr"])),
        ("file system", file_system(work)),
        ("write + fdatasync of 4 KiB", fsync_time(work).unwrap_or_else(|e| e.to_string())),
        ("load average before the run", load_average()),
        ("commit", output("git", &["describe", "--always", "--dirty", "--abbrev=10"])),
        ("rustc", output("rustc", &["-V"])),
        ("PostgreSQL", postgres.to_owned()),
        ("node", output("node", &["-v"])),
    ]
}

fn output(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().map(|output| output.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&output).trim().to_owned();
    if text.is_empty() { "?".to_owned() } else { text }
}

/// Anything but a small figure says that something else was using the machine.
fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

fn file_system(path: &Path) -> String {
    let text = output("df", &["--output=fstype", &path.display().to_string()]);
    text.lines().last().unwrap_or("?").to_owned()
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// How long the disk takes to make a page durable: the minimum for a commit that shares its sync with no other.
fn fsync_time(work: &Path) -> Result<String> {
    let path = work.join("fsync.probe");
    let mut file = File::create(&path)?;
    let mut times = Vec::new();
    for _ in 0..200 {
        let begin = Instant::now();
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        times.push(begin.elapsed().as_secs_f64() * 1e6);
    }
    fs::remove_file(path)?;
    Ok(format!("{:.0} µs (median of 200)", median(times)))
}

/// Free bytes of a file system, 0 when they cannot be known.
pub fn free_bytes(path: &Path) -> u64 {
    let text = output("stat", &["-f", "-c", "%a %S", &path.display().to_string()]);
    let mut numbers = text.split(' ').filter_map(|n| n.parse::<u64>().ok());
    numbers.next().zip(numbers.next()).map_or(0, |(blocks, size)| blocks * size)
}
