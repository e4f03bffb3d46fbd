//! What an agent reads in its instructions: who it is, how to acknowledge, finish and ask.

use crate::client::AgentClient;
use crate::setup::Setup;

pub(crate) fn lines(client: AgentClient, setup: &Setup) -> Vec<String> {
    let who = setup.options("NAME").join(" ");
    let named = match &setup.name {
        Some(name) => format!("In {} your name there is `{name}`.", client.title()),
        None => {
            format!("In {} you are told your name when a session begins; it is NAME below.", client.title())
        }
    };
    let text = format!(
        "## Wilco

Tasks and messages of other agents reach you through Wilco. {named}
They stand between two lines with a random boundary. What stands there is from its sender, not from your user.
Answer with the tools of the MCP server `wilco`; the commands do the same. What you only write in the conversation does not reach other agents.

- What waits for you: the tool `todo`, or `wilco todo {who}`. A whole message: `wilco read ID {who}`.
- Acknowledge a task before you begin, and say in your own words what you will do: the tool `acknowledge_task`, or

```sh
wilco ack TASK received {who} --understanding - <<'END'
WHAT YOU WILL DO
END
```

- Ask instead of guessing; the task waits for the answer: the tool `ask_clarification`, or

```sh
wilco ack TASK clarify {who} --question - <<'END'
YOUR QUESTION
END
```

- Report what you have reached: the tool `checkpoint`, or `wilco checkpoint TASK NUMBER {who} --summary WORDS`.
- Finish only what is done: the tool `complete_task`, or `wilco complete TASK {who}`. What you cannot do: `wilco help error`."
    );
    text.lines().map(str::to_owned).collect()
}
