//! Whole delegations and nothing else: what deciding one costs, without a door, a disk or a world around it.

use anyhow::{Context, bail};
use serde_json::{Value, json};
use wilco_engine::{Command, Done, Engine, Post, PutAgent, Settings, Viewer};
use wilco_language::parse;
use wilco_protocol::Time;
use wilco_protocol::directory::Profile;
use wilco_store::{Memory, Store};

use crate::campaign::processor_time;

const BOSS: &str = "boss";
const WORKER: &str = "worker";
/// Messages of as many delegations are committed together, as a server does it under load.
const TOGETHER: usize = 64;
/// After so many, everything is forgotten: what a growing store costs is not asked here.
const REMEMBERED: usize = 10 * TOGETHER;

/// Assigns, acknowledges and completes so many tasks, and says what one took.
pub(crate) fn delegations(number: u64) -> anyhow::Result<()> {
    let numbers: Vec<u64> = (0..number).collect();
    let start = processor_time();
    for some in numbers.chunks(REMEMBERED) {
        play(some)?;
    }
    let each = (processor_time() - start).as_secs_f64() * 1e6 / number.max(1) as f64;
    println!("{number} delegations: {each:.1} µs of processor time each");
    Ok(())
}

fn play(numbers: &[u64]) -> anyhow::Result<()> {
    let (mut store, now) = (Memory::new(), Time::from_millis(1_800_000_000_000));
    let mut engine = Engine::load(Settings::default(), &store)?;
    let known = [BOSS, WORKER].map(|name| {
        let (name, profile) = (name.to_owned(), Profile::default());
        Command::PutAgent(Box::new(PutAgent { name, profile, role: None, mark: None, viewer: Viewer::Local }))
    });
    engine.step(known.into(), now, &mut store)?;
    for together in numbers.chunks(TOGETHER) {
        for (body, state) in [
            (assigned as fn(u64) -> Value, "awaiting-ack"),
            (acknowledged, "working"),
            (completed, "completed"),
        ] {
            let posts = together.iter().map(|number| post(&body(*number)));
            step(&mut engine, posts.collect::<anyhow::Result<_>>()?, now, &mut store, state)?;
        }
    }
    Ok(())
}

fn step(
    engine: &mut Engine,
    commands: Vec<Command>,
    now: Time,
    store: &mut impl Store,
    state: &str,
) -> anyhow::Result<()> {
    for answer in engine.step(commands, now, store)?.answers {
        let is = match &answer {
            Ok(Done::Accepted(accepted)) => {
                accepted.exchange.as_ref().map(|exchange| exchange.state.as_str())
            }
            Ok(Done::Agent(_) | Done::Nothing) | Err(_) => None,
        };
        if is != Some(state) {
            bail!("a delegation is {answer:?} instead of {state}");
        }
    }
    Ok(())
}

fn post(body: &Value) -> anyhow::Result<Command> {
    let incoming = parse::message(body.to_string().as_bytes()).context("a delegation")?;
    Ok(Command::Post(Box::new(Post::local(incoming))))
}

fn assigned(number: u64) -> Value {
    say(
        BOSS,
        WORKER,
        json!({
            "type": "task-assignment", "task_id": task(number), "title": "Add a login page",
            "description": "The page asks for name and password and shows an error when they are wrong.",
            "acceptance_criteria": ["The login page shows an error for a wrong password"],
        }),
    )
}

fn acknowledged(number: u64) -> Value {
    say(
        WORKER,
        BOSS,
        json!({
            "type": "task-acknowledgment", "task_id": task(number), "status": "received",
            "understanding": "Add a login page; the login page shows an error for a wrong password.",
        }),
    )
}

fn completed(number: u64) -> Value {
    let message = "Merged, all tests pass";
    say(WORKER, BOSS, json!({"type": "task-complete", "task_id": task(number), "message": message}))
}

fn task(number: u64) -> String {
    format!("P1-{number:010}")
}

fn say(from: &str, to: &str, content: Value) -> Value {
    json!({"from": from, "to": to, "subject": "Login page", "content": content})
}

#[cfg(test)]
mod tests {
    #[test]
    fn perf_5_plain_delegations_are_completed() {
        super::play(&[1, 2, 3]).unwrap();
    }
}
