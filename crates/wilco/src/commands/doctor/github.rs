//! Does GitHub know the token, and are the issues of a handoff there?

use std::future::Future;

use wilco_outside::Github;
use wilco_wire::Exchange;

use super::Exam;
use super::finding::Finding;
use crate::config::Config;
use crate::place::Place;

const SHOW: &str = "wilco config show";

/// The login, if a repository is configured on this machine.
pub(super) fn examine(exam: &mut Exam<'_>, place: &Place) {
    exam.found.extend(
        configured(place).map(|github| github.and_then(|github| login(&github)).unwrap_or_else(wrong)),
    );
}

/// The issues and pull requests that an exchange is about.
pub(super) fn examine_issues(exam: &mut Exam<'_>, exchange: &Exchange, place: &Place) {
    let numbers = ["issues", "pulls"].into_iter().filter_map(|key| exchange.data[key].as_array()).flatten();
    let numbers: Vec<_> = numbers.filter_map(serde_json::Value::as_u64).collect();
    if numbers.is_empty() {
        return;
    }
    examine(exam, place);
    let Some(Ok(github)) = configured(place) else { return };
    for number in numbers {
        let about = format!("{}#{number}", github.repository());
        exam.found.push(match asked(github.issue_state(number)) {
            Ok(state) if state == "open" => Finding::fine(&about, "is open"),
            Ok(state) => Finding::note(&about, format!("is {state}")),
            Err(reason) => Finding::wrong(&about, reason).next(SHOW),
        });
    }
}

fn login(github: &Github) -> Result<Finding, String> {
    let login = asked(github.login())?;
    Ok(Finding::fine("GitHub", format!("knows the token as {login}, for {}", github.repository())))
}

fn wrong(reason: String) -> Finding {
    Finding::wrong("GitHub", reason).next(SHOW)
}

/// None when no repository is configured.
fn configured(place: &Place) -> Option<Result<Github, String>> {
    let config = Config::load(place.config.as_deref()).ok()?;
    config.github().map_err(|error| format!("{error:#}")).transpose()
}

fn asked<T>(question: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(question)
}
