//! Messages that begin a handoff: a request to replace somebody, or work that is handed over by the message.

use crate::policy::NO_JUDGE;
use wilco_language::interpret::Names;
use wilco_language::parse::{self, Replacement};
use wilco_language::render::{self, handoff_title};
use wilco_protocol::exchange::{Start, Texts, key};
use wilco_protocol::handoff::{
    Delegated, Failure, Party, Policy, Progress, Publish, Replace, Requested, StartingFrom, Task,
};
use wilco_protocol::policy::Overrides;
use wilco_protocol::{Exchange, ExchangeId, Meaning, Name, Protocol, delegation};
use wilco_store::Priority;

use super::arrival::{Arrival, Defaults};
use super::is_wilco;
use super::parties::who_is_there;
use super::start::{Resolver, Taken, begin, uuid};
use crate::agents::check_name;
use crate::authority::{Extent, Right, TokenHolder, began_none, not_yours_to_hand_over};
use crate::command::Refused;
use crate::execute::{citing, priority};
use crate::workspace::Workspace;

/// A longer name of a checkpoint is cut.
const MAX_CHECKPOINT: usize = 200;

/// A `replacement-request`. From the controller to somebody else, that one hands over.
pub(crate) fn replace(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    said: &Replacement,
) -> Result<Taken, Refused> {
    let failed = failed(workspace, said)?;
    let named = said.replacement.as_ref().map(|agent| party(workspace, agent));
    let Some(replacement) = named else {
        return Err(Refused::invalid("/content/replacement_agent", "is required"));
    };
    let to = arrival.to.first().filter(|to| !is_wilco(to));
    let is_party = |name: &Name| {
        name.as_str() == replacement.id || failed.as_ref().is_some_and(|failed| failed.id == name.as_str())
    };
    let by_controller = arrival.from == controller(workspace);
    let initiator = match to.filter(|to| by_controller && !is_party(to)) {
        Some(orchestrator) => orchestrator.clone(),
        None => arrival.from.clone(),
    };
    let deliver = to.is_some_and(|to| !is_party(to));
    // Whom the controller asks hands over its own, whatever the controller's token is.
    let extent = match initiator == arrival.from {
        true => extent(workspace, arrival)?,
        false => Extent::Whole
            .max(workspace.settings().authority.extent(&TokenHolder::of(arrival.post), Right::Handoff)),
    };
    let handoff_id = format!("handoff-{}", uuid(workspace, &arrival.id));
    let first =
        requested(workspace, arrival, said, Parties { failed, replacement, initiator, extent }, handoff_id)?;
    let given = arrival.incoming().priority.as_deref().map(priority);
    begin_handoff(
        workspace,
        arrival,
        Replace { first, deliver },
        given.unwrap_or(Priority::Normal),
        Meaning::ReplacementRequest,
    )
}

/// A `replacement_handoff`: nothing is written, it is delivered as it is.
pub(crate) fn hand_over(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    said: &Replacement,
) -> Result<Taken, Refused> {
    let failed = failed(workspace, said)?;
    let name = arrival.to[0].clone();
    let session = workspace.directory().get(&name).map(|agent| agent.session().to_owned());
    let replacement =
        Party { session: session.unwrap_or_else(|| name.to_string()), id: name.to_string(), github: None };
    let handoff_id = said.handed.as_ref().map(|handed| handed.handoff_id.clone()).unwrap_or_default();
    let (initiator, extent) = (arrival.from.clone(), extent(workspace, arrival)?);
    let first =
        requested(workspace, arrival, said, Parties { failed, replacement, initiator, extent }, handoff_id)?;
    // Urgency sets the priority; one that is only assumed does not change what the sender chose.
    let given = arrival.incoming().priority.as_deref().filter(|_| said.urgency.is_none());
    let urgency = priority(given.unwrap_or(first.urgency.priority()));
    begin_handoff(workspace, arrival, Replace { first, deliver: true }, urgency, Meaning::ReplacementHandoff)
}

fn begin_handoff(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    replace: Replace,
    priority: Priority,
    meaning: Meaning,
) -> Result<Taken, Refused> {
    let failed = replace.first.failed.as_ref().map(|failed| failed.id.as_str());
    let subject = if meaning == Meaning::ReplacementHandoff {
        handoff_title(failed)
    } else {
        render::request_title(failed, &replace.first.replacement.id)
    };
    let defaults = Defaults { subject, priority, rule: meaning.word().into(), meaning };
    begin(workspace, arrival, Start::Handoff(replace), defaults).map_err(Refused::from)
}

/// The controller as the directory spells its name: nobody becomes it by an alias.
pub(crate) fn controller(workspace: &Workspace<'_>) -> Name {
    let configured = &workspace.settings().handoff.controller;
    workspace.directory().canonical_name(configured.as_str()).unwrap_or(configured).clone()
}

/// Between whom work moves, and how much of it may.
struct Parties {
    failed: Option<Party>,
    replacement: Party,
    initiator: Name,
    extent: Extent,
}

/// How far the sender's own right to hand over goes.
fn extent(workspace: &Workspace<'_>, arrival: &Arrival<'_>) -> Result<Extent, Refused> {
    let (authority, sender) = (&workspace.settings().authority, TokenHolder::of(arrival.post));
    authority.check(&sender, Right::Handoff)?;
    Ok(authority.extent(&sender, Right::Handoff))
}

fn requested(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    said: &Replacement,
    parties: Parties,
    handoff_id: String,
) -> Result<Requested, Refused> {
    let Parties { failed, replacement, initiator, extent } = parties;
    if extent == Extent::Own && !(said.issues.is_empty() && said.pulls.is_empty()) {
        let detail =
            "only orchestrators and operators may name issues and pull requests: they are changed".to_owned();
        return Err(Refused::Forbidden { detail });
    }
    let mut policy = handoff_policy(workspace, said)?;
    let github = workspace.settings().handoff.github;
    if said.handed.is_none() {
        policy.publish.get_or_insert(match github && !said.issues.is_empty() {
            true => Publish::GithubIssue,
            false => Publish::Local,
        });
    }
    let Handed { tasks, keeps_failed } =
        handed_tasks(workspace, failed.as_ref(), &initiator, said.tasks.as_deref(), extent)?;
    let way = way(workspace, &tasks)?;
    let starting_from = starting_from(said.starting_from.as_deref(), &way.reached);
    let resolver = Resolver(workspace.directory());
    let candidates = said.candidates.iter().map(|name| resolver.resolve(name)).collect();
    Ok(Requested {
        id: ExchangeId { protocol: Protocol::Handoff, number: workspace.next_position() },
        initiator,
        controller: controller(workspace),
        operators: workspace.settings().default_sender.clone(),
        opening: arrival.id.clone(),
        given_url: said.handed.as_ref().map(|handed| handed.handoff_url.clone()),
        own_document: said.document,
        notification_id: said.notification_id.clone().unwrap_or_else(|| arrival.id.to_string()),
        failed,
        urgency: said.urgency.unwrap_or_default(),
        policy,
        tasks,
        issues: said.issues.clone(),
        pulls: said.pulls.clone(),
        candidates,
        starting_from,
        progress: way.progress(),
        // It holds the work of orchestrators, and says who is inactive.
        state_file: workspace.settings().handoff.state_file && extent != Extent::Own,
        github,
        keeps_failed,
        handoff_id,
        replacement,
    })
}

fn handoff_policy(workspace: &Workspace<'_>, said: &Replacement) -> Result<Policy, Refused> {
    let mut policy = Policy::default();
    let over: Overrides = said.policy.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    let set = policy.set_all(&workspace.settings().handoff.policy).and_then(|()| policy.set_all(&over));
    let wrong = |pointer: &str, detail: &str| Refused::invalid(pointer, detail);
    set.map_err(|bad| Refused::Invalid { errors: bad.iter().map(render::bad_key).collect() })?;
    if policy.understanding.names_a_judge() && !workspace.settings().judge.named {
        let detail = NO_JUDGE;
        return Err(wrong("/content/policy/understanding", detail));
    }
    let on_github = matches!(policy.publish, Some(Publish::GithubIssue | Publish::GithubGist));
    if on_github && !workspace.settings().handoff.github {
        let detail = "no repository is configured; set github.repository, or choose local";
        return Err(wrong("/content/policy/publish", detail));
    }
    if policy.publish == Some(Publish::GithubIssue) && said.issues.is_empty() {
        return Err(wrong("/content/issues", "is required: the issue that the document is commented on"));
    }
    Ok(policy)
}

/// The agent that failed; it need not be known.
fn failed(workspace: &mut Workspace<'_>, said: &Replacement) -> Result<Option<Party>, Refused> {
    let Some(agent) = &said.failed else { return Ok(None) };
    let party = party(workspace, agent);
    if workspace.directory().get(&Name::new(&party.id)).is_none() {
        let pointer = "/content/failed_agent";
        check_name(&party.id).map_err(|detail| Refused::invalid(pointer, detail))?;
        let given = agent.session.is_some() || brings_work(said) || workspace.settings().handoff.state_file;
        if !given && workspace.find(&key("party", &party.id))?.is_empty() {
            let there = who_is_there(workspace, &party.id);
            let detail = format!("nobody has ever seen {}; {there}", party.id);
            return Err(Refused::invalid(pointer, detail));
        }
    }
    Ok(Some(party))
}

/// Whether the request itself says what is handed over.
fn brings_work(said: &Replacement) -> bool {
    let tasks = said.tasks.as_ref().is_some_and(|tasks| !tasks.is_empty());
    tasks || !said.issues.is_empty() || said.document || said.handed.is_some()
}

/// An agent by whatever names it, with the session that is given or known.
fn party(workspace: &Workspace<'_>, agent: &parse::Agent) -> Party {
    let directory = workspace.directory();
    let known = directory.exactly(&agent.id).or_else(|| directory.resolve(&agent.id).ok());
    let name = known.map_or_else(|| agent.id.clone(), |known| known.name.to_string());
    let session = agent.session.clone().or(known.map(|known| known.session().to_owned()));
    Party { session: session.unwrap_or_else(|| name.clone()), id: name, github: None }
}

/// What is handed over, and whether anything else becomes of the failed agent.
struct Handed {
    tasks: Vec<Task>,
    keeps_failed: bool,
}

/// The tasks to hand over. A name is a uuid, else a task id, else an exchange. What somebody else works on does not
/// move; what nobody works on is known to the state file at most. What others began does not exist for who may not hand
/// it over.
fn handed_tasks(
    workspace: &mut Workspace<'_>,
    failed: Option<&Party>,
    initiator: &Name,
    named: Option<&[String]>,
    extent: Extent,
) -> Result<Handed, Refused> {
    let open = match failed {
        Some(failed) => worked_on_by(workspace, &Name::new(&failed.id))?,
        None => Vec::new(),
    };
    let may = |by: &Name| extent == Extent::Everything || by == initiator;
    let began_some = open.iter().any(|state| may(&state.initiator));
    let tasks = match named {
        None => open.iter().filter(|state| may(&state.initiator)).map(known).collect(),
        Some(named) => named_tasks(workspace, failed, initiator, named, extent, &open)?,
    };
    let in_file = workspace.settings().handoff.state_file && extent == Extent::Whole && !tasks.is_empty();
    match failed {
        Some(failed) if extent != Extent::Everything && !began_some && !in_file => {
            Err(began_none(&failed.id))
        }
        Some(_) | None => {
            let keeps_failed = match extent {
                Extent::Everything => false,
                Extent::Whole => !began_some,
                Extent::Own | Extent::Nothing => true,
            };
            Ok(Handed { tasks, keeps_failed })
        }
    }
}

/// The tasks of these names, each once. `open`: what the failed agent works on.
fn named_tasks(
    workspace: &mut Workspace<'_>,
    failed: Option<&Party>,
    initiator: &Name,
    named: &[String],
    extent: Extent,
    open: &[delegation::State],
) -> Result<Vec<Task>, Refused> {
    let mut tasks: Vec<Task> = Vec::new();
    for name in named.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        let by = |test: &dyn Fn(&delegation::State) -> bool| open.iter().find(|state| test(state));
        let same = |text: &str| text.eq_ignore_ascii_case(name);
        let found = by(&|state| state.task_uuid == name)
            .or_else(|| by(&|state| same(&state.task_id) && state.initiator == *initiator))
            .or_else(|| by(&|state| same(&state.task_id)))
            .or_else(|| by(&|state| state.id.to_string() == name));
        let elsewhere = match found {
            None => worked_on_elsewhere(workspace, name, initiator)?,
            Some(_) => None,
        };
        let known_by = found.or(elsewhere.as_ref()).map(|state| &state.initiator);
        let may = match (extent, known_by) {
            (Extent::Everything, _) => true,
            (Extent::Own | Extent::Whole, Some(by)) => by == initiator,
            (Extent::Whole, None) => true,
            (Extent::Own, None) | (Extent::Nothing, _) => false,
        };
        if !may {
            return Err(not_yours_to_hand_over(name));
        }
        let task = match (found, elsewhere.filter(|_| failed.is_some())) {
            (Some(state), _) => known(state),
            (None, Some(state)) => {
                let failure = Some(Failure::Elsewhere { agent: state.assignee.clone() });
                Task { task: state.task_uuid.clone(), delegation: None, failure }
            }
            (None, None) => Task { task: name.to_owned(), delegation: None, failure: None },
        };
        if !tasks.iter().any(|one| one.task == task.task) {
            tasks.push(task);
        }
    }
    Ok(tasks)
}

/// The task of this name that somebody works on. Task ids are those of whoever hands over; others may use the
/// same ones.
fn worked_on_elsewhere(
    workspace: &mut Workspace<'_>,
    name: &str,
    initiator: &Name,
) -> Result<Option<delegation::State>, Refused> {
    let mut numbers = workspace.find(&key("uuid", name))?;
    numbers.extend(workspace.find(&key("task", &name.to_lowercase()))?);
    numbers.extend(name.parse::<ExchangeId>().ok().map(|id| id.number));
    for number in numbers {
        let named = |state: &delegation::State| {
            let own = state.initiator == *initiator && state.task_id.eq_ignore_ascii_case(name);
            own || state.task_uuid == name || state.id.to_string() == name
        };
        if let Some(live) = workspace.live(number)?
            && let Exchange::Delegation(state) = &*live.exchange
            && state.is_open()
            && named(state)
        {
            return Ok(Some(state.clone()));
        }
    }
    Ok(None)
}

/// The open delegations of an agent, oldest first.
fn worked_on_by(workspace: &mut Workspace<'_>, agent: &Name) -> Result<Vec<delegation::State>, Refused> {
    let mut open = Vec::new();
    for number in workspace.find(&key("works", agent.as_str()))? {
        if let Some(live) = workspace.live(number)?
            && let Exchange::Delegation(state) = &*live.exchange
            && state.is_open()
        {
            open.push(state.clone());
        }
    }
    open.sort_by_key(|state| state.id.number);
    Ok(open)
}

/// How far the first task got.
fn way(workspace: &mut Workspace<'_>, tasks: &[Task]) -> Result<Way, Refused> {
    let mut way = Way::default();
    if let Some(delegated) = tasks.iter().find_map(|task| task.delegation.as_ref())
        && let Some(live) = workspace.live(delegated.exchange.number)?
        && let Exchange::Delegation(state) = &*live.exchange
    {
        let cited = citing(workspace, &live.exchange, None)?;
        way.planned = state.checkpoints.iter().filter(|point| is_planned(point)).count();
        let mut points: Vec<_> = state.checkpoints.iter().filter(|point| point.reached.is_some()).collect();
        points.sort_by_key(|point| point.reached);
        for point in points {
            let named =
                cited.checkpoint(&point.message).name.or_else(|| delegation::planned_name(point, &cited));
            let name = named.unwrap_or_else(|| format!("checkpoint-{}", point.number));
            let name: String = name.trim().chars().take(MAX_CHECKPOINT).collect();
            way.reached.push(StartingFrom { name, number: Some(point.number) });
        }
    }
    Ok(way)
}

/// The checkpoints of a task: those that were reached, in their order, and how many an ACK planned.
#[derive(Default)]
struct Way {
    reached: Vec<StartingFrom>,
    planned: usize,
}

impl Way {
    /// The part of what was planned, else the last checkpoint.
    fn progress(&self) -> Option<Progress> {
        let last = self.reached.last()?;
        let planned = u32::try_from(self.planned).ok().filter(|planned| *planned > 0);
        Some(match (planned, last.number) {
            (Some(planned), Some(number)) => {
                Progress::Percent((number.min(planned) * 200 + planned) / (2 * planned))
            }
            _ => Progress::Checkpoint(last.name.clone()),
        })
    }
}

/// Whether the ACK named it before it was reached.
fn is_planned(point: &delegation::Checkpoint) -> bool {
    point.reached.is_none() || point.planned_in.is_some()
}

/// The documented checkpoint: as given, or the last that was reached.
fn starting_from(given: Option<&str>, reached: &[StartingFrom]) -> Option<StartingFrom> {
    let Some(given) = given.map(str::trim) else { return reached.last().cloned() };
    let digits = given.to_lowercase();
    let digits =
        digits.strip_prefix("checkpoint").map_or(digits.as_str(), |rest| rest.trim_start_matches(['-', ' ']));
    let number = digits.parse().ok();
    let same = |point: &&StartingFrom| {
        point.name.eq_ignore_ascii_case(given) || (number.is_some() && point.number == number)
    };
    let found = reached.iter().rev().find(same).cloned();
    Some(found.unwrap_or(StartingFrom { name: given.to_owned(), number }))
}

fn known(state: &delegation::State) -> Task {
    let messages = [&state.assignment].into_iter().chain(&state.amendments).cloned().collect();
    let delegation = Delegated {
        exchange: state.id,
        task_id: state.task_id.clone(),
        initiator: Some(state.initiator.clone()),
        messages,
    };
    Task { task: state.task_uuid.clone(), delegation: Some(delegation), failure: None }
}
