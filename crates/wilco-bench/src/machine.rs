//! The machine: what it is, what else it was doing, and what a process took. Read from /proc.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Serialize;

/// What does not change while the benchmark runs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory_mib: u64,
    pub(crate) kernel: String,
    pub(crate) file_system: String,
}

/// What else went on while it ran.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Company {
    /// Load averages over a minute, before and after. Afterwards it contains the benchmark's own.
    pub(crate) load_before: f64,
    pub(crate) load_after: f64,
    /// Compilers that ran, before and after.
    pub(crate) compilers_before: usize,
    pub(crate) compilers_after: usize,
    /// Processor time that neither the benchmark nor its servers took, and that the host did not give, in
    /// percent of what the cores have.
    pub(crate) others_percent: f64,
    pub(crate) stolen_percent: f64,
}

/// Names of processes that would disturb.
const COMPILERS: [&str; 6] = ["cargo", "rustc", "cc1", "cc1plus", "clippy-driver", "rust-lld"];

/// Ticks of /proc/stat; the same on every Linux that Rust runs on.
const TICK: Duration = Duration::from_millis(10);

impl Machine {
    pub(crate) fn of(directory: &Path) -> Machine {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let line = |path: &str, key: &str| {
            let found = text(path).lines().find(|line| line.starts_with(key)).map(str::to_owned);
            found
                .and_then(|line| line.split_once(':').map(|(_, value)| value.trim().to_owned()))
                .unwrap_or_default()
        };
        let memory = line("/proc/meminfo", "MemTotal");
        Machine {
            processor: line("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_mib: memory.split(' ').next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024,
            kernel: text("/proc/sys/kernel/osrelease").trim().to_owned(),
            file_system: file_system(&text("/proc/self/mounts"), directory),
        }
    }
}

/// The type of the file system that holds this directory: that of the longest mount point above it.
fn file_system(mounts: &str, directory: &Path) -> String {
    let above = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        let (point, kind) = (words.next()?, words.next()?);
        directory.starts_with(point).then_some((point.len(), kind))
    });
    above.max_by_key(|(length, _)| *length).map(|(_, kind)| kind.to_owned()).unwrap_or_default()
}

/// Watches what else goes on, from its beginning to its end.
#[derive(Debug)]
pub(crate) struct Watch {
    begun: Instant,
    load: f64,
    compilers: usize,
    ticks: Ticks,
    /// What the benchmark itself had taken by then.
    own: Duration,
}

#[derive(Debug, Clone, Copy, Default)]
struct Ticks {
    busy: Duration,
    stolen: Duration,
}

impl Watch {
    pub(crate) fn begin() -> Watch {
        Watch {
            begun: Instant::now(),
            load: load_average(),
            compilers: compilers(),
            ticks: ticks(),
            own: own_time(),
        }
    }

    /// Processes that the benchmark started count as its own when they have ended.
    pub(crate) fn end(&self) -> Company {
        let now = ticks();
        let own = own_time().saturating_sub(self.own);
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        let all = self.begun.elapsed().as_secs_f64() * cores;
        let others = now.busy.saturating_sub(self.ticks.busy).saturating_sub(own);
        let stolen = now.stolen.saturating_sub(self.ticks.stolen);
        Company {
            load_before: self.load,
            load_after: load_average(),
            compilers_before: self.compilers,
            compilers_after: compilers(),
            others_percent: others.as_secs_f64() / all * 100.0,
            stolen_percent: stolen.as_secs_f64() / all * 100.0,
        }
    }
}

fn load_average() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

fn compilers() -> usize {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = processes.filter_map(|entry| fs::read_to_string(entry.path().join("comm")).ok());
    names.filter(|name| COMPILERS.contains(&name.trim())).count()
}

/// user, nice, system, (idle, iowait), irq, softirq, steal.
fn ticks() -> Ticks {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let words = text.lines().next().unwrap_or_default().split_whitespace().skip(1);
    let numbers: Vec<u32> = words.filter_map(|word| word.parse().ok()).collect();
    let of = |places: &[usize]| TICK * places.iter().filter_map(|place| numbers.get(*place)).sum::<u32>();
    Ticks { busy: of(&[0, 1, 2, 5, 6]), stolen: of(&[7]) }
}

/// What this process and the children that it waited for have taken.
fn own_time() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    TICK * times(&text).iter().sum::<u32>()
}

/// The processor time that a process has taken, all threads together.
pub(crate) fn processor_time(id: u32) -> anyhow::Result<Duration> {
    let mut sum = 0;
    for thread in fs::read_dir(format!("/proc/{id}/task")).context("the process is gone")?.flatten() {
        // Nanoseconds on the processor, nanoseconds in the queue, turns.
        let text = fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        sum += text.split(' ').next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(Duration::from_nanos(sum))
}

/// utime, stime, cutime, cstime. The name before them may contain anything, but ends with a bracket.
fn times(stat: &str) -> Vec<u32> {
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    rest.split_whitespace().skip(11).take(4).filter_map(|word| word.parse().ok()).collect()
}

/// The memory that a process has in use, in MiB.
pub(crate) fn resident(id: u32) -> anyhow::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{id}/status")).context("the process is gone")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().split(' ').next()?.parse::<f64>().ok());
    Ok(kib.context("the process does not say what memory it has")? / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_stand_behind_a_name_with_brackets() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194560 100 0 0 0 11 12 13 14 20 0 1 0 99";
        assert_eq!(times(stat), [11, 12, 13, 14]);
    }

    #[test]
    fn the_file_system_is_that_of_the_nearest_mount_point() {
        let mounts = "/dev/a / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n/dev/b /tmp/x xfs rw 0 0\n";
        let of = |path: &str| file_system(mounts, Path::new(path));
        assert_eq!(
            (of("/home").as_str(), of("/tmp/y").as_str(), of("/tmp/x/z").as_str()),
            ("ext4", "tmpfs", "xfs")
        );
    }

    #[test]
    fn this_process_takes_memory_and_time() {
        assert!(resident(std::process::id()).unwrap() > 0.1);
        assert!(processor_time(std::process::id()).is_ok());
    }
}
