//! Commands that a killed server left running.
//!
//! Every command of an operation has a tag in its environment, and so has everything that it starts. A server
//! that is up again looks for the tags of the steps that were under way, and ends what has them: a command that
//! is run again never runs beside its first run. What has left for a session of its own, as a daemon does, goes
//! on, as it does when a server is asked to stop. Where the system shows no environments (`/proc`), or a program
//! changed its user or its environment, nothing is found and nothing ended.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpid, kill_process};
use wilco_protocol::{ExchangeId, Name};

use crate::Outside;

/// The variable with the session of the server, and the tag.
pub(crate) const VARIABLE: &str = "WILCO_STEP";
/// How often it is looked again for what has been ended, and how long in between.
const LOOKS: u32 = 200;
const BETWEEN: Duration = Duration::from_millis(10);

impl Outside {
    /// What tells one run of a command from all others, also from those of other servers.
    fn tag(&self, exchange: ExchangeId, agent: &Name, run: u32) -> String {
        format!("{exchange}/{agent}/{run}/{}", self.home)
    }

    /// The tag as the environment of the command has it.
    pub(crate) fn tagging(&self, exchange: ExchangeId, agent: &Name, run: u32) -> String {
        format!("{}:{}", session(getpid()).unwrap_or_default(), self.tag(exchange, agent, run))
    }

    /// Ends what an interrupted run left running; says how many processes that were.
    pub fn end_left_running(&self, exchange: ExchangeId, agent: &Name, run: u32) -> usize {
        let tag = self.tag(exchange, agent, run);
        end_tagged(&|found| found == tag)
    }

    /// The same of all runs, when this server runs nothing yet.
    pub fn end_all_left_running(&self) -> usize {
        let all = format!("/{}", self.home);
        end_tagged(&|found| found.ends_with(&all))
    }
}

/// Ends what has such a tag.
fn end_tagged(is_meant: &dyn Fn(&str) -> bool) -> usize {
    let mut ended = 0;
    // One that was just started may be seen too late, and one that is killed lives a moment longer.
    for _ in 0..LOOKS {
        let tagged = tagged(is_meant);
        if tagged.is_empty() {
            return ended;
        }
        ended = ended.max(tagged.len());
        for process in tagged {
            // It may have ended by itself.
            let _ = kill_process(process, Signal::KILL);
        }
        std::thread::sleep(BETWEEN);
    }
    tracing::error!("what an interrupted command left running could not be ended");
    ended
}

/// Under which name the command of a phase runs.
pub fn phase(place: usize) -> Name {
    Name::new(format!("phase-{place}"))
}

/// The processes with such a tag that are still in the session of the server that started them.
fn tagged(is_meant: &dyn Fn(&str) -> bool) -> Vec<Pid> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let id = |name: &OsStr| Pid::from_raw(std::str::from_utf8(name.as_bytes()).ok()?.parse().ok()?);
    let ids = processes.flatten().filter_map(|entry| id(&entry.file_name()));
    ids.filter(|process| *process != getpid() && stayed(*process, is_meant)).collect()
}

fn stayed(process: Pid, is_meant: &dyn Fn(&str) -> bool) -> bool {
    let environment = fs::read(format!("/proc/{}/environ", process.as_raw_nonzero())).unwrap_or_default();
    let began_in = environment.split(|byte| *byte == 0).find_map(|variable| {
        let value = std::str::from_utf8(variable).ok()?.strip_prefix(VARIABLE)?.strip_prefix('=')?;
        let (session, found) = value.split_once(':')?;
        is_meant(found).then(|| session.to_owned())
    });
    began_in.is_some() && began_in == session(process)
}

/// The session of a process. It is kept as the system shows it: a session that was begun outside of the container
/// of this server is 0, which is no process id.
fn session(process: Pid) -> Option<String> {
    let line = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    session_in(&line).map(str::to_owned)
}

/// From the line of a process in `/proc`: behind the name of the program in brackets, which may hold anything,
/// stand its state, parent, group and session.
fn session_in(line: &str) -> Option<&str> {
    let (_, behind) = line.rsplit_once(") ")?;
    behind.split(' ').nth(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_read_whatever_the_program_is_called_and_wherever_it_began() {
        assert_eq!(session_in("4312 (sleep) S 4300 4312 977 34816 4312"), Some("977"));
        assert_eq!(session_in("12 (odd ) S 1 2 name) R 1 12 0 0 -1"), Some("0"));
        assert_eq!(session_in("12 (cut"), None);
        assert!(session(getpid()).is_some());
    }
}
