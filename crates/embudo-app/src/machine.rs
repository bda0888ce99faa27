//! What this process may use of the machine's resources.

use std::fs;
use std::thread::available_parallelism;

/// The memory that drawing a large quote takes.
const LARGE_QUOTE: u64 = 256 << 20;
/// The maximum, however large the machine is: this number of quotes keeps one server busy.
const MOST: usize = 8;

/// How many quotes are drawn at once: one for each processor, but only as many large ones as fit into a quarter of the
/// memory. At least two, so that one slow quote does not block all others.
pub(crate) fn quotes_at_once() -> usize {
    at_once(available_parallelism().map_or(1, std::num::NonZero::get), memory())
}

fn at_once(processors: usize, memory: Option<u64>) -> usize {
    let room = memory.map_or(MOST, |bytes| usize::try_from(bytes / 4 / LARGE_QUOTE).unwrap_or(MOST));
    processors.min(room).clamp(2, MOST)
}

/// The memory of the machine, or the part of it that this process may use.
fn memory() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(total);
    let group = fs::read_to_string("/proc/self/cgroup").ok();
    let group = group.as_deref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("0::")));
    let paths = ["/", group.unwrap_or("/")].map(|path| format!("/sys/fs/cgroup{path}/memory.max"));
    let limits = paths.iter().filter_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok());
    limits.chain(machine).min()
}

fn total(meminfo: &str) -> Option<u64> {
    let kib = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    kib.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_use_all_processors_as_far_as_memory_goes() {
        let gib = |n: u64| Some(n << 30);
        assert_eq!(at_once(2, gib(24)), 2);
        assert_eq!(at_once(4, gib(8)), 4);
        assert_eq!(at_once(8, gib(4)), 4);
        assert_eq!(at_once(16, gib(1)), 2);
        assert_eq!(at_once(1, gib(64)), 2);
        assert_eq!(at_once(64, None), 8);
    }

    #[test]
    fn the_memory_of_this_machine_is_found() {
        assert_eq!(total("MemFree: 3 kB\nMemTotal:       24681340 kB\n"), Some(24_681_340 << 10));
        assert!(memory().is_some_and(|bytes| bytes > 64 << 20));
        assert!((2..=MOST).contains(&quotes_at_once()));
    }
}
