//! What the kernel tells about processes: processor time and memory. Reads /proc, changes nothing.

use std::fs;
use std::time::Duration;

/// The kernel counts processor time in hundredths of a second on every Linux we run on.
const TICK: Duration = Duration::from_millis(10);

/// User and system time of a process, of its children that are alive and of those that have ended: a cluster of workers
/// counts as one, and so does a PostgreSQL with its backends.
pub fn family_cpu(pid: u32) -> Duration {
    if pid == 0 {
        return Duration::ZERO;
    }
    let Ok(entries) = fs::read_dir("/proc") else { return Duration::ZERO };
    let ticks: u32 = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter_map(stat)
        .map(|stat| match stat {
            Stat { pid: own, .. } if own == pid => stat.ticks + stat.ended_children_ticks,
            Stat { parent, .. } if parent == pid => stat.ticks,
            _ => 0,
        })
        .sum();
    TICK * ticks
}

/// User and system time of this process alone. The servers are child processes, and their time is counted separately.
pub fn own_cpu() -> Duration {
    stat(std::process::id()).map_or(Duration::ZERO, |stat| TICK * stat.ticks)
}

/// User and system time of the children of this process that have ended.
pub fn ended_children_cpu() -> Duration {
    stat(std::process::id()).map_or(Duration::ZERO, |stat| TICK * stat.ended_children_ticks)
}

struct Stat {
    pid: u32,
    parent: u32,
    ticks: u32,
    ended_children_ticks: u32,
}

fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command's name may hold blanks and brackets; the fields begin after the last bracket.
    let fields: Vec<&str> = text.get(text.rfind(')')? + 2..)?.split(' ').collect();
    let number = |i: usize| fields.get(i)?.parse::<u32>().ok();
    let (ticks, ended_children_ticks) = (number(11)? + number(12)?, number(13)? + number(14)?);
    Some(Stat { pid, parent: number(1)?, ticks, ended_children_ticks })
}

/// A memory figure of a process in bytes: `VmRSS` now, `VmHWM` at its peak.
pub fn memory(pid: u32, field: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find(|line| line.starts_with(field))?;
    let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_this_process() {
        let me = std::process::id();
        assert!(stat(me).is_some());
        assert!(memory(me, "VmHWM").expect("a figure") >= memory(me, "VmRSS").expect("a figure") / 2);
    }
}
