//! What is given before anything is said: agents, policy, and what Wilco knows of the world.
//!
//! ```text
//! agents: helper, carol (rust, sql), dave (hibernated)
//! policy: max_corrections = 1
//! preset: critical
//! delivery: injected
//! ```
//! `boss` and `worker` are always there.

use serde_json::Value;
use wilco_protocol::decision::Stage;
use wilco_protocol::delegation::Policy;
use wilco_protocol::directory::{Agent, Directory, Mark, Profile};
use wilco_protocol::policy::Overrides;
use wilco_protocol::{Name, Time};

pub(crate) struct Scene {
    pub(crate) directory: Directory,
    pub(crate) policy: Policy,
    pub(crate) delivery: Stage,
}

pub(crate) fn set(lines: &[(String, String)]) -> Scene {
    let mut scene =
        Scene { directory: Directory::default(), policy: Policy::default(), delivery: Stage::default() };
    scene.directory.restore(agent("boss"));
    scene.directory.restore(agent("worker"));
    for (key, value) in lines {
        match key.as_str() {
            "agents" => agents(value).into_iter().for_each(|agent| scene.directory.restore(agent)),
            "preset" => preset(&mut scene.policy, value),
            "policy" => policy(&mut scene.policy, value),
            "delivery" => {
                scene.delivery = serde_json::from_value(Value::from(value.as_str())).expect("a stage")
            }
            unknown => panic!("a scene has agents, preset, policy and delivery, not {unknown}"),
        }
    }
    scene
}

fn preset(policy: &mut Policy, name: &str) {
    let known = Policy::built_in();
    let (_, overrides) = known.iter().find(|(preset, _)| *preset == name).expect("a known preset");
    policy.preset = name.to_owned();
    policy.set_all(overrides).expect("a good preset");
}

fn policy(policy: &mut Policy, text: &str) {
    let (key, value) = text.split_once('=').unwrap_or_else(|| panic!("`key = value` expected, got {text}"));
    let value = value.trim();
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
    let overrides = Overrides::from([(key.trim().to_owned(), value)]);
    policy.set_all(&overrides).unwrap_or_else(|bad| panic!("{text}: {bad:?}"));
}

fn agent(name: &str) -> Agent {
    let (id, name) = (format!("id-{name}"), Name::new(name));
    Agent { id, name, profile: Profile::default(), mark: None, registered: Time::ZERO }
}

/// `helper, carol (rust, sql), dave (hibernated)`.
fn agents(text: &str) -> Vec<Agent> {
    let mut list = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find([',', '(']).unwrap_or(rest.len());
        let mut next = agent(rest[..end].trim());
        rest = &rest[end..];
        if let Some(inside) = rest.strip_prefix('(') {
            let (words, after) = inside.split_once(')').expect("a closing parenthesis");
            words.split(',').for_each(|word| describe(&mut next, word.trim()));
            rest = after;
        }
        list.push(next);
        rest = rest.trim_start().strip_prefix(',').unwrap_or("").trim_start();
    }
    list
}

fn describe(agent: &mut Agent, word: &str) {
    let marks = [Mark::Unresponsive, Mark::Hibernated, Mark::Inactive];
    match marks.into_iter().find(|mark| mark.word() == word) {
        Some(mark) => agent.mark = Some(mark),
        None => agent.profile.capabilities.push(word.to_owned()),
    }
}
