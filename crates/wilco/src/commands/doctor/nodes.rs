//! Does one of several nodes write, do the others reach it, and does anything wait for one that is gone?

use wilco_client::Client;
use wilco_wire::Node;

use super::Exam;
use super::finding::Finding;
use crate::output::age::ago;

/// Milliseconds; a clock that is further off is told of.
const CLOCK_MAY_BE_OFF: u64 = 1000;

/// Says nothing of a server that is alone, and to who may not see the nodes.
pub(super) fn examine(exam: &mut Exam<'_>) -> anyhow::Result<()> {
    let nodes = match exam.client.nodes() {
        Err(error) if matches!(error.status(), Some(401 | 403 | 404)) => return Ok(()),
        answer => exam.caller.checked(answer)?.value.items,
    };
    let writes = nodes.iter().any(|node| node.role == "writer");
    if !nodes.is_empty() && !writes {
        let text = "none of them writes; another takes over when the lease has run out";
        exam.found.push(Finding::wrong("nodes", text).next("wilco nodes"));
    }
    for node in &nodes {
        let about = format!("node {}", node.name);
        let finding = match node.role.as_str() {
            "gone" => gone(exam, &about, node),
            _ => there(&about, node),
        };
        exam.found.push(finding);
        if node.role != "gone" && node.clock.unsigned_abs() > CLOCK_MAY_BE_OFF {
            let text =
                format!("its clock is {:+} ms off the database's, which is the one that counts", node.clock);
            exam.found.push(Finding::note(&about, text).next("timedatectl status, on its machine"));
        }
    }
    Ok(())
}

fn gone(exam: &Exam<'_>, about: &str, node: &Node) -> Finding {
    let text = format!("is gone, last seen {}", ago(exam.now, &node.last_seen));
    match node.waiting {
        0 => Finding::note(about, text),
        waiting => Finding::wrong(about, format!("{text}; orders that wait for it: {waiting}")).next(format!(
            "wilco serve --node {}, on its machine; or wilco agent register AGENT --host ANOTHER, for each of its agents",
            node.name
        )),
    }
}

/// Whether it answers where the other nodes call it, as far as this machine can tell.
fn there(about: &str, node: &Node) -> Finding {
    let its = &node.address;
    match Client::new(its).ready() {
        Ok(ready) if ready.value.node.as_ref() == Some(&node.name) => {
            Finding::fine(about, format!("{}, answers at {its}", node.role))
        }
        Ok(ready) => {
            let other = ready.value.node.unwrap_or_else(|| "a server that is no node".to_owned());
            Finding::wrong(about, format!("{}; at {its}, where others call it, answers {other}", node.role))
                .next("wilco serve --advertise http://HOST:PORT, with an address that the other nodes reach")
        }
        Err(error) => {
            let text =
                format!("{}; not reached from here at {its}, where others call it: {error}", node.role);
            Finding::note(about, text).next(format!("curl {its}/readyz, on the machines of the other nodes"))
        }
    }
}
