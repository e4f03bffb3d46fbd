//! What the initiator of a delegation is told and asked.

use serde_json::{Map, Value, json};
use wilco_protocol::delegation::{Owed, State, ToInitiator, Why, planned_name};
use wilco_protocol::exchange::Texts;
use wilco_protocol::{Name, Time};

use super::{Setting, teaching};
use crate::read::text;

/// The reason as a word, the text, and fields for programs.
pub(super) struct Told {
    pub(super) reason: &'static str,
    pub(super) text: String,
    pub(super) fields: Map<String, Value>,
    /// How to answer, if that is asked for.
    pub(super) teaching: Option<String>,
}

pub(super) fn told(state: &State, say: &ToInitiator, setting: &Setting<'_>) -> Told {
    let (task, agent) = (&state.task_id, &state.assignee);
    let tell = |reason, text: String| Told { reason, text, fields: Map::new(), teaching: None };
    match say {
        ToInitiator::Questions { vague } => questions(state, *vague, setting),
        ToInitiator::StillOpen { from, count } => still_open(state, *from, *count, setting),
        ToInitiator::ReviewAck => review(state, setting),
        ToInitiator::MayObject { until } => accepted(state, Some(*until), setting),
        ToInitiator::AcceptedByJudge => accepted(state, None, setting),
        ToInitiator::ReviewEarlyWork => Told {
            reason: "verdict-needed",
            text: format!(
                "{agent} reports work on {task} without having acknowledged it. Does it do the right thing?"
            ),
            fields: Map::new(),
            teaching: Some(teaching::verdict(state, setting)),
        },
        ToInitiator::AmendNeeded => Told {
            reason: "amendment-needed",
            text: format!("{agent} cannot read {task} as it stands."),
            fields: Map::new(),
            teaching: Some(teaching::amend(state, setting)),
        },
        ToInitiator::Reminder { of } => reminder(state, *of, setting),
        ToInitiator::Blocked { tasks } => {
            let mut told = tell(
                "queue-blocked",
                format!("{agent} has queued {task} behind {}, still open.", tasks.join(", ")),
            );
            told.fields.insert("blocked_by".into(), json!(tasks));
            told
        }
        ToInitiator::Reassigned { from, to, because } => {
            let mut told = tell("reassigned", format!("{task} went from {from} to {to}: {}.", why(*because)));
            told.fields.insert("from_agent".into(), json!(from));
            told.fields.insert("to_agent".into(), json!(to));
            told
        }
        ToInitiator::WaitingForAgent => {
            tell("waiting", format!("{agent} cannot take {task} right now. Wilco sends it again by itself."))
        }
        ToInitiator::Completed => completed(state, setting),
        ToInitiator::StopUnconfirmed => tell(
            "stop-unconfirmed",
            format!(
                "{agent} was told to stop working on {task} and has not confirmed it. It may still be at it."
            ),
        ),
        ToInitiator::PauseUnconfirmed { resume } => {
            let word = if *resume { "resume" } else { "pause" };
            tell("unconfirmed", format!("{agent} was asked to {word} {task} and has not confirmed it."))
        }
        ToInitiator::PauseOver => tell(
            "pause-over",
            format!("The time for which {task} was to be paused is over. Resume it, or cancel it."),
        ),
        ToInitiator::SameTaskElsewhere { exchange } => tell(
            "same-task-elsewhere",
            format!(
                "Somebody else has an open delegation of {task} too: {exchange}. Two agents may do the same work."
            ),
        ),
        ToInitiator::EnrolledByWeakSign => tell(
            "enrolled",
            format!(
                "Your message looks like a task, so Wilco tracks it as {task} and asks {agent} for an ACK. \
                 If it is none, undo it: wilco stop {} --as {}",
                super::quoted(task),
                super::quoted(state.initiator.as_str())
            ),
        ),
        ToInitiator::Evidence { agent: failed } => evidence(task, failed),
        ToInitiator::HandedOver { from, to } => handed_over(task, from, to),
        ToInitiator::AmendedMeanwhile => tell(
            "amended",
            format!(
                "{task} is being handed over, so {agent} is not asked. Your change is kept: whoever takes over gets \
                 the task with it, as revision {}.",
                state.revision
            ),
        ),
        ToInitiator::FormerAgentSpoke { agent: former } if state.superseded_by.is_some() => tell(
            "former-assignee",
            format!("{former} answered to {task} although it was assigned anew. It was told again to stop."),
        ),
        ToInitiator::FormerAgentSpoke { agent: former } => tell(
            "former-assignee",
            format!(
                "{former} had {task} before and answered late. It was told again that {agent} has it now."
            ),
        ),
    }
}

fn evidence(task: &str, failed: &Name) -> Told {
    let text = format!(
        "{failed} sent something about {task}, which is being handed over. It is kept and changes nothing."
    );
    let fields = Map::from_iter([("agent".to_owned(), json!(failed))]);
    Told { reason: "evidence", text, fields, teaching: None }
}

fn handed_over(task: &str, from: &Name, to: &Name) -> Told {
    let text = format!("{task} was handed over from {from} to {to}, who is asked to acknowledge it.");
    let fields = Map::from_iter([("from_agent".to_owned(), json!(from)), ("to_agent".to_owned(), json!(to))]);
    Told { reason: "handed-over", text, fields, teaching: None }
}

fn questions(state: &State, vague: bool, setting: &Setting<'_>) -> Told {
    let asked =
        state.questions.as_ref().map(|asked| setting.cited.questions(&asked.asked_in)).unwrap_or_default();
    let hint = if vague {
        "\n\nThey stay vague after Wilco asked which criterion is unclear. Perhaps the task is too large: split it."
    } else {
        ""
    };
    let text = format!(
        "{} asks before beginning {}:\n{}{hint}",
        state.assignee,
        state.task_id,
        numbered(&asked, 0),
    );
    let fields = Map::from_iter([("questions".to_owned(), json!(asked))]);
    let teaching = Some(teaching::clarify(state, setting));
    Told { reason: "clarification-needed", text, fields, teaching }
}

fn still_open(state: &State, from: u32, count: u32, setting: &Setting<'_>) -> Told {
    let asked =
        state.questions.as_ref().map(|asked| setting.cited.questions(&asked.asked_in)).unwrap_or_default();
    let open: Vec<_> = asked.into_iter().skip(from as usize).collect();
    let left = count - from;
    let text = format!(
        "{left} of {} about {} {} still open:\n{}",
        counted(count as usize, "question"),
        state.task_id,
        if left == 1 { "is" } else { "are" },
        numbered(&open, from as usize),
    );
    let fields = Map::from_iter([("questions".to_owned(), json!(open))]);
    let teaching = Some(teaching::clarify(state, setting));
    Told { reason: "questions-open", text, fields, teaching }
}

fn review(state: &State, setting: &Setting<'_>) -> Told {
    let stated = state.ack.as_ref().map(|ack| setting.cited.understanding(ack)).unwrap_or_default();
    let criteria = setting.cited.criteria(&state.assignment, &state.amendments);
    let pick = |indexes: &[u16]| -> Vec<String> {
        indexes.iter().filter_map(|index| criteria.get(usize::from(*index)).cloned()).collect()
    };
    let judged = state.understanding.as_ref();
    let covered = judged.map(|judged| pick(&judged.covered)).unwrap_or_default();
    let missing = judged.map(|judged| pick(&judged.missing)).unwrap_or_default();
    let text = super::review::review(state, setting.cited);
    let fields = Map::from_iter([
        ("understanding".to_owned(), json!(stated)),
        ("score".to_owned(), json!(judged.map(|judged| f64::from(judged.score) / 1000.0))),
        ("covered".to_owned(), json!(covered)),
        ("missing".to_owned(), json!(missing)),
        ("judge".to_owned(), json!(super::review::left_by_judge(state))),
    ]);
    let teaching = Some(teaching::verdict(state, setting));
    Told { reason: "verdict-needed", text, fields, teaching }
}

/// Why an initiator is told of an understanding that was accepted, and that it may object to.
pub const MAY_OBJECT: &str = "may-object";

/// An understanding that was accepted without its initiator. `until`: by when it may object.
fn accepted(state: &State, until: Option<Time>, setting: &Setting<'_>) -> Told {
    let (agent, task) = (&state.assignee, &state.task_id);
    let stated = state.ack.as_ref().map(|ack| setting.cited.understanding(ack)).unwrap_or_default();
    let short = super::review::understood(&stated);
    let begins = format!("{agent} understood {task} and begins. It understood: {short}");
    let fields = Map::from_iter([
        ("understanding".to_owned(), json!(stated)),
        ("objection_until".to_owned(), json!(until)),
    ]);
    match until {
        Some(until) => Told {
            reason: MAY_OBJECT,
            text: format!("{begins}\nIf that is wrong, say so until {until}: it is stopped and corrected."),
            fields,
            teaching: Some(teaching::verdict(state, setting)),
        },
        None => Told { reason: "accepted-by-judge", text: begins, fields, teaching: None },
    }
}

fn reminder(state: &State, of: Owed, setting: &Setting<'_>) -> Told {
    let (what, how) = match of {
        Owed::Answers => ("answers to its questions", teaching::clarify(state, setting)),
        Owed::Verdict => ("your verdict on its acknowledgement", teaching::verdict(state, setting)),
        Owed::Amendment => ("an amended task", teaching::amend(state, setting)),
    };
    let text = format!("Reminder: {} waits for {what} ({}).", state.assignee, state.task_id);
    Told { reason: "reminder", text, fields: Map::new(), teaching: Some(how) }
}

fn completed(state: &State, setting: &Setting<'_>) -> Told {
    let acknowledged = state.acknowledged_at.unwrap_or(state.sent_at);
    let durations = json!({
        "to_acknowledge": state.acknowledged_at.map(|at| at.since(state.sent_at)),
        "to_complete": setting.now.since(acknowledged),
        "total": setting.now.since(state.sent_at),
    });
    let checkpoints: Vec<_> = state
        .checkpoints
        .iter()
        .filter_map(|point| {
            let said = setting.cited.checkpoint(&point.message);
            let at = point.reached?;
            let name = said.name.or_else(|| planned_name(point, setting.cited));
            Some(json!({
                "checkpoint": point.number,
                "name": name,
                "status": said.status,
                "summary": said.summary,
                "at": at,
            }))
        })
        .collect();
    let took = setting.now.since(acknowledged);
    let pace = match state.acknowledged_at {
        Some(at) => format!("Acknowledged after {}, completed {took} later.", at.since(state.sent_at)),
        None => format!("That took {took}."),
    };
    let reached = counted(checkpoints.len(), "checkpoint");
    let text = format!("{} completed {} ({reached}). {pace}", state.assignee, state.task_id);
    let fields =
        Map::from_iter([("durations".to_owned(), durations), ("checkpoints".to_owned(), json!(checkpoints))]);
    Told { reason: "completed", text, fields, teaching: None }
}

fn why(because: Why) -> &'static str {
    match because {
        Why::Unresponsive => "no answer",
        Why::Rejected => "it was rejected",
        Why::Busy => "the agent is busy",
        Why::CapabilityMismatch => "the agent lacks the capability",
        Why::ShuttingDown => "the agent is shutting down",
        Why::NetworkError => "the agent cannot be reached reliably",
        Why::Decision => "by decision",
    }
}

/// `1 question`, `2 questions`.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

fn numbered(list: &[String], from: usize) -> String {
    let line = |(index, text): (usize, &String)| format!("{}. {}", index + 1 + from, entry(text));
    list.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

pub(super) fn bulleted(list: &[String]) -> String {
    list.iter().map(|text| format!("- {}", entry(text))).collect::<Vec<_>>().join("\n")
}

/// On one line and without the box of a checklist, or a list of ours would look like a task of its own.
pub(super) fn entry(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text::checkbox(&format!("- {line}")) {
        Some((_, item)) => item.to_owned(),
        None => line,
    }
}
