//! A hook that stays in the background while a session of Claude Code rests, and wakes it when there is news.

use std::time::{Duration, Instant};

use serde_json::Value;
use wilco_client::InboxParameters;
use wilco_clients::AgentClient;
use wilco_language::message::MessageType;
use wilco_wire::Message;

use super::Args;
use super::news::{kind, unread};
use super::place::SessionPlace;
use super::session::{Session, is_only_waiter};

/// How Claude Code is told to begin a turn with what stands on stderr.
const WAKE: u8 = 2;
/// Less than the client lets it run.
const LONGEST: Duration = Duration::from_secs(86_000);
/// How long the server may hold an answer back.
const HELD_BACK: Duration = Duration::from_secs(20);
/// Between two looks, when there is news that the session may be hearing right now, or no server.
const PAUSE: Duration = Duration::from_secs(1);

/// The exit code that wakes the session; none when it is to be left alone.
pub(super) fn wait(args: &Args, input: &Value) -> Option<u8> {
    // A session that nobody attends ends with its turn, and would wait for this.
    if std::env::var("CLAUDE_CODE_SESSION_ATTENDED").is_ok_and(|attended| attended == "0") {
        return None;
    }
    let place = SessionPlace::of(args, input)?;
    let (client, id, agent) = (place.client.word(), place.id.as_str(), place.agent.as_str());
    let _lock = is_only_waiter(client, id, agent)?;
    // Looking on behalf of nobody: that somebody waits is no sign of life.
    let server = place.server.clone().named(None);
    let (begun, parent) = (Instant::now(), std::os::unix::process::parent_id());
    while begun.elapsed() < LONGEST && std::os::unix::process::parent_id() == parent {
        let Ok(ready) = server.ready() else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let messages = unread(&server, agent).unwrap_or_default();
        // Opened for a moment only: its hooks need the file.
        let session = Session::open(client, id, agent)?;
        let news = messages.iter().any(|message| !session.has_told(&message.id) && disturbs(message));
        // The plugin of opencode ends its waiter when the session works; others are told by their last hook, which may
        // have missed its time.
        let rests = session.rests || place.client == AgentClient::Opencode;
        if news && rests {
            eprintln!("{}", line(&place));
            return Some(WAKE);
        }
        drop(session);
        if news {
            std::thread::sleep(PAUSE);
            continue;
        }
        let query = InboxParameters {
            status: Some("unread".to_owned()),
            after: Some(ready.value.position.to_string()),
            limit: Some(1),
            wait: Some(HELD_BACK),
        };
        if server.inbox(agent, &query).is_err() {
            std::thread::sleep(PAUSE);
        }
    }
    None
}

/// What only keeps somebody up to date wakes nobody, and comes with the next prompt.
fn disturbs(message: &Message) -> bool {
    kind(message) != Some(MessageType::StatusChange)
}

/// Never what somebody wrote.
fn line(place: &SessionPlace) -> String {
    let address = super::telling::address(&place.url);
    format!("Wilco: there is news for you, {0}. See it with: wilco todo --as {0}{address}", place.agent)
}
