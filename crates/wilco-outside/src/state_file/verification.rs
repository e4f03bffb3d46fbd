//! How far the instruction verification of a moved task got. Pure: a text in, changes out.

use wilco_protocol::handoff::Repetition;

use super::fields::{assignments, key, mapping, set, set_within};
use crate::stamp::seconds;
use crate::yaml::{Change, Step, Value, Wrong, parse};

/// False: the file does not know the task.
pub(super) fn plan(file: &str, order: &Repetition) -> Result<(Vec<Change>, bool), Wrong> {
    let root = mapping(parse(file)?)?;
    let Some((at, item)) = assignments(&root, &order.task)?.next() else { return Ok((Vec::new(), false)) };
    let path = [key("active_assignments"), Step::Item(at)];
    let (mut changes, mut fields) = (Vec::new(), Vec::new());
    if order.verified {
        changes.extend(set(item, &path, vec![("status", Value::text("verified"))]));
        fields.push(("status", Value::text("verified")));
    }
    fields.push(("attempts", Value::Whole(order.attempts.into())));
    fields.push(("last_attempt", Value::text(seconds(order.at))));
    if order.verified {
        fields.push(("verified_at", Value::text(seconds(order.at))));
    }
    changes.extend(set_within(item, &path, "instruction_verification", fields)?);
    Ok((changes, true))
}
