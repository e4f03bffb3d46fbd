//! Help that is about no verb in particular: `wilco help exit-codes`, `wilco help environment`.

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

#[cfg(test)]
mod tests {
    use super::*;

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
