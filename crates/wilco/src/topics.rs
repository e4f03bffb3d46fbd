//! Help that is about no verb in particular: `wilco help exit-codes`, `wilco help environment`, `wilco help types`.

use wilco_language::message::{self, MessageType};
use wilco_language::nearest;

pub(crate) struct Topic {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

pub(crate) const TOPICS: &[Topic] =
    &[Topic { name: "exit-codes", text: EXIT_CODES }, Topic { name: "environment", text: ENVIRONMENT }];

const EXIT_CODES: &str = "\
Exit codes:
  0  it worked; with --wait: the exchange ended well
  1  it failed or was refused; audit verify and doctor: something is wrong
  2  the command itself is wrong: an unknown verb or flag, a bad value, no name to act under
  3  with --wait: the exchange failed or was aborted
  4  with --wait: the exchange was cancelled
  5  with --wait: the exchange is escalated and waits for a decision
  6  with --wait: the exchange ended in part only
";

const ENVIRONMENT: &str = "\
Environment:
  WILCO_AGENT          who you are, unless --as says it
  AI_MAESTRO_AGENT_ID  the same, if WILCO_AGENT is not set; then the name of the tmux session
  WILCO_URL            the server, unless --url says it; else http://127.0.0.1:23000
  WILCO_TOKEN          the token that shows who you are
  WILCO_TOKEN_FILE     a private file with the token; else wilco/token in the user's configuration directory
  WILCO_LOG            how much the server logs on stderr: error, warn, info, debug
  WILCO_…              every key of the configuration, such as WILCO_SERVER_LISTEN for server.listen
  NO_COLOR             no colours
";

pub(crate) fn find(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

/// What `wilco help types` and `wilco help type NAME` print, or what is wrong; none when something else is asked.
pub(crate) fn of_types(words: &[&str]) -> Option<Result<String, String>> {
    match words {
        ["help", "types"] => Some(Ok(message::overview())),
        ["help", "type"] => {
            Some(Err("name a type: wilco help type NAME; wilco help types lists them".to_owned()))
        }
        ["help", "type", name] => Some(match MessageType::named(name) {
            Some(known) => Ok(message::details(known)),
            None => {
                let near = nearest(name, MessageType::ALL.iter().map(|known| known.name()));
                let hint = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
                Err(format!("there is no type {name:?}; {hint}wilco help types lists them"))
            }
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cli_8_every_type_has_help_and_a_mistyped_one_hears_of_the_nearest() {
        let help = |name: &str| of_types(&["help", "type", name]).unwrap();
        let list = of_types(&["help", "types"]).unwrap().unwrap();
        for known in MessageType::ALL {
            assert!(list.contains(&format!("\n  {} ", known.name())), "{known}");
            let text = help(known.name()).unwrap();
            assert!(known.entry().fields.iter().all(|field| text.contains(field.name)), "{text}");
        }
        assert!(help("Task_Amend").unwrap().starts_with("task-amend: "));
        assert!(help("task-asignment").unwrap_err().contains("did you mean task-assignment?"));
        assert!(help("\u{1b}[2J").unwrap_err().contains("\\u{1b}"));
        assert!(of_types(&["help", "ack"]).is_none() && of_types(&[]).is_none());
    }

    #[test]
    fn cli_8_exit_codes_and_variables_are_documented() {
        let page = include_str!("../../../docs/cli.md");
        for line in TOPICS.iter().flat_map(|topic| topic.text.lines().skip(1)) {
            let (name, meaning) = line.trim().split_once("  ").unwrap();
            let row = format!("| `{name}` | {} |", meaning.trim());
            assert!(page.contains(&row), "docs/cli.md lacks this row:\n{row}");
        }
    }
}
