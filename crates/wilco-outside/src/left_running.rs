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

use rustix::process::{Pid, Signal, getpid, getsid, kill_process};
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
        let session = getsid(None).map_or(0, |session| session.as_raw_nonzero().get());
        format!("{session}:{}", self.tag(exchange, agent, run))
    }

    /// Ends what an interrupted run left running; says how many processes that were.
    pub fn end_left_running(&self, exchange: ExchangeId, agent: &Name, run: u32) -> usize {
        let tag = self.tag(exchange, agent, run);
        let mut ended = 0;
        // One that was just started may be seen too late, and one that is killed lives a moment longer.
        for _ in 0..LOOKS {
            let tagged = tagged(&tag);
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
        tracing::error!(tag, "what an interrupted command left running could not be ended");
        ended
    }
}

/// Under which name the command of a phase runs.
pub fn phase(place: usize) -> Name {
    Name::new(format!("phase-{place}"))
}

/// The processes with this tag that are still in the session of the server that started them.
fn tagged(tag: &str) -> Vec<Pid> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let id = |name: &OsStr| Pid::from_raw(std::str::from_utf8(name.as_bytes()).ok()?.parse().ok()?);
    let ids = processes.flatten().filter_map(|entry| id(&entry.file_name()));
    ids.filter(|process| *process != getpid() && stayed(*process, tag)).collect()
}

fn stayed(process: Pid, tag: &str) -> bool {
    let environment = fs::read(format!("/proc/{}/environ", process.as_raw_nonzero())).unwrap_or_default();
    let session = environment.split(|byte| *byte == 0).find_map(|variable| {
        let value = std::str::from_utf8(variable).ok()?.strip_prefix(VARIABLE)?.strip_prefix('=')?;
        let (session, found) = value.split_once(':')?;
        (found == tag).then(|| session.parse().ok()).flatten().and_then(Pid::from_raw)
    });
    session.is_some_and(|session| getsid(Some(process)) == Ok(session))
}
