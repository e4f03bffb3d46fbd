//! The commands that a message teaches are pasted into a shell, and the exchange moves.

use super::program::{Server, ran};

const WORDS: &str = "Add a login page with a form for name and password";

/// What models write, and what a shell would make of it.
const ODD: &str =
    "Add a login page with a form for name and password, as in `date`, it's \"fine\": $HOME $(id) \\ !";

/// A delegation, and agents that are taught to speak by this.
fn delegated(task: &str, speaks: &str) -> Server {
    let server = Server::of(&["anna", "bob", "carl"]);
    for agent in ["anna", "bob", "carl"] {
        server.run("operator", &["agent", "register", agent, "--speaks", speaks]).ok();
    }
    let line = [
        "delegate",
        "bob",
        "--task",
        task,
        "--title",
        "Add a login page",
        "--criterion",
        "A form for name and password",
    ];
    server.run("anna", &line).ok();
    server
}

/// The newest command in somebody's inbox that begins like this, from the start of its line to the end of what it
/// reads on stdin.
#[track_caller]
fn taught(server: &Server, agent: &str, command: &str) -> String {
    let page = server.get(&format!("/v1/agents/{agent}/inbox?limit=1000"));
    let messages = page["items"].as_array().into_iter().flatten().rev();
    let texts: Vec<_> = messages.filter_map(|message| message["content"]["message"].as_str()).collect();
    let found = texts.iter().find_map(|text| within(text, command));
    found.unwrap_or_else(|| panic!("nothing teaches {command:?} in\n{page:#}"))
}

fn within(text: &str, command: &str) -> Option<String> {
    let lines: Vec<_> = text.lines().collect();
    let first = lines.iter().position(|line| line.starts_with(command))?;
    let mut last = first;
    if lines[first].ends_with("<<'END'") {
        last += lines[first..].iter().position(|line| *line == "END")?;
    }
    Some(lines[first..=last].join("\n"))
}

/// Pastes it into a shell that knows nothing but where `wilco` is.
#[track_caller]
fn pasted(server: &Server, line: &str) {
    let mut shell = server.shell(line);
    shell.env_remove("WILCO_URL");
    let ran = ran(&mut shell);
    assert_eq!(ran.code, 0, "{line}\n{ran:?}");
    assert!(!ran.out.contains("tag:wilco"), "{line}\n{ran:?}");
}

/// The commands of a way of speaking, and that way.
const SPOKEN: [(&str, &str); 3] = [("cli", "wilco "), ("http", "curl "), ("api", "curl ")];

/// TALK-21: also with an id that wants quoting, and on a port that is not the usual one.
#[test]
fn talk_21_the_taught_ack_works_when_it_is_pasted() {
    for task in ["GH-1", "it's-$HOME;x"] {
        for (speaks, command) in SPOKEN {
            let server = delegated(task, speaks);
            let line = taught(&server, "bob", command);
            pasted(&server, &line.replace("WHAT YOU WILL DO", WORDS));
            assert_eq!(server.state(task), "working", "{line}");
        }
    }
}

/// TALK-21: no shell looks into what a model writes.
#[test]
fn talk_21_what_is_written_into_a_taught_command_arrives_as_it_is() {
    let server = delegated("GH-1", "cli");
    let line = taught(&server, "bob", "wilco ack ");
    let odd = format!("{ODD}\n- and a second line");
    pasted(&server, &line.replace("WHAT YOU WILL DO", &odd));
    let page = server.get("/v1/messages?from=bob");
    let said = page["items"].as_array().into_iter().flatten().map(|one| &one["content"]["understanding"]);
    let said: Vec<_> = said.filter_map(|text| text.as_str()).collect();
    assert_eq!(said, [odd.as_str()], "{page:#}");
}

/// TALK-21: the token comes from the environment, and stands in no message.
#[test]
fn talk_21_taught_commands_take_the_token_from_the_environment() {
    for (speaks, command) in SPOKEN {
        let server = Server::with(&["--test-clock", "--config", "strict.toml"]);
        let token = |name: &str, more: &[&str]| {
            let mut line = vec!["token", "create", name, "--data"];
            let data = server.data.path().display().to_string();
            line.push(&data);
            line.extend(more);
            server.run("operator", &line).ok().trim().lines().last().unwrap_or("").to_owned()
        };
        let operator = token("root", &["--role", "operator"]);
        let bob = token("bob", &[]);
        let as_operator =
            |line: &[&str]| ran(server.command("anna", line).env("WILCO_TOKEN", &operator)).ok();
        as_operator(&["agent", "register", "bob", "--speaks", speaks]);
        let criterion = "A form for name and password";
        as_operator(&[
            "delegate",
            "bob",
            "--task",
            "GH-1",
            "--title",
            "Login page",
            "--criterion",
            criterion,
        ]);
        let inbox = ran(server.command("bob", &["inbox", "--json"]).env("WILCO_TOKEN", &bob)).json();
        let text = inbox["items"][0]["content"]["message"].as_str().expect("a text");
        assert!(text.contains("WILCO_TOKEN") && !text.contains(&bob), "{text}");
        let line = within(text, command).expect("a command").replace("WHAT YOU WILL DO", WORDS);
        let mut shell = server.shell(&line);
        shell.env_remove("WILCO_URL").env("WILCO_TOKEN", &bob);
        let ran_it = ran(&mut shell);
        assert_eq!(ran_it.code, 0, "{line}\n{ran_it:?}");
        let shown = as_operator(&["exchanges", "--task", "GH-1", "--json"]);
        assert!(shown.contains("\"working\""), "{line}\n{ran_it:?}\n{shown}");
    }
}

/// TALK-21: there is one stdin.
#[test]
fn talk_21_two_texts_from_stdin_are_one_too_many() {
    let server = delegated("GH-1", "cli");
    let line = "printf x | wilco ack GH-1 reject --reason - --understanding - --as bob";
    let refused = server.paste(line).fails(2);
    assert!(refused.contains("only one can be -"), "{refused}");
    server.paste("printf 'No access' | wilco ack GH-1 reject --reason - --as bob").ok();
}

#[test]
fn del_4_the_taught_ack_works_after_silence() {
    for (speaks, command) in SPOKEN {
        let server = delegated("GH-1", speaks);
        server.advance("5m");
        let line = taught(&server, "bob", command);
        pasted(&server, &line.replace("WHAT YOU WILL DO", WORDS));
        assert_eq!(server.state("GH-1"), "working", "{line}");
    }
}

#[test]
fn del_4_the_taught_ack_of_a_revision_names_it() {
    for (speaks, command) in SPOKEN {
        let server = delegated("GH-1", speaks);
        server.run("anna", &["amend", "GH-1", "Also on mobile"]).ok();
        let line = taught(&server, "bob", command);
        pasted(&server, &line.replace("WHAT YOU WILL DO", &format!("{WORDS}, also on mobile")));
        assert_eq!(server.state("GH-1"), "working", "{line}");
    }
}

#[test]
fn del_4_the_taught_verdicts_work_when_they_are_pasted() {
    for (speaks, command, state) in [
        ("cli", "wilco verdict GH-1 correct", "working"),
        ("cli", "wilco verdict GH-1 wrong-summary", "awaiting-ack"),
        ("cli", "wilco verdict GH-1 partial", "awaiting-ack"),
        ("http", "curl ", "working"),
    ] {
        let server = delegated("GH-1", speaks);
        server
            .run("bob", &["ack", "GH-1", "received", "--understanding", "Delete the sign-up database"])
            .ok();
        pasted(&server, &taught(&server, "anna", command));
        assert_eq!(server.state("GH-1"), state, "{command}");
    }
}

#[test]
fn del_4_the_taught_clarification_works_when_it_is_pasted() {
    for (speaks, command) in SPOKEN {
        let server = delegated("GH-1", speaks);
        let line = ["ack", "GH-1", "clarify", "--question", "Which browsers must the login page support?"];
        server.run("bob", &line).ok();
        pasted(&server, &taught(&server, "anna", command));
        assert_eq!(server.state("GH-1"), "awaiting-ack", "{command}");
    }
}

#[test]
fn del_4_the_taught_decisions_work_when_they_are_pasted() {
    for (speaks, command, state) in [
        ("cli", "wilco decide del-8-e1 retry", "awaiting-ack"),
        ("cli", "wilco decide del-8-e1 extend", "awaiting-ack"),
        ("cli", "wilco decide del-8-e1 abort", "failed"),
        ("cli", "wilco decide del-8-e1 reassign --agent ", "awaiting-ack"),
        ("http", "curl ", "awaiting-ack"),
    ] {
        let server = delegated("GH-1", speaks);
        server.advance("7m");
        let line = taught(&server, "anna", command);
        pasted(&server, &line.replace("NAME_OF_AN_AGENT", "carl"));
        assert_eq!(server.state("GH-1"), state, "{command}");
    }
}

#[test]
fn del_4_the_taught_amendment_works_when_it_is_pasted() {
    for (speaks, command) in SPOKEN {
        let server = delegated("GH-1", speaks);
        server.run("bob", &["error", "GH-1", "INVALID_TASK_FORMAT"]).ok();
        assert_eq!(server.state("GH-1"), "returned");
        pasted(&server, &taught(&server, "anna", command));
        assert_eq!(server.state("GH-1"), "awaiting-ack", "{command}");
    }
}

/// TALK-20: what an agent spoke by last is what it is taught, also after a restart; what was set stays.
#[test]
fn talk_20_an_agent_is_taught_the_way_it_speaks() {
    let server = Server::of(&["anna", "bob"]);
    let full = |agent: &str| {
        server.run("anna", &["delegate", agent, "--title", "Add a login page"]).ok();
        server.newest(agent, "task-assignment")["content"]["message"].as_str().unwrap_or("").to_owned()
    };
    assert!(full("bob").contains("Reply in exactly this format:\n\n[ACK] "), "text while unknown");
    server.run("bob", &["send", "anna", "hello"]).ok();
    assert!(full("bob").contains("\nwilco ack "));
    server.post(
        &serde_json::json!({"from": "bob", "to": "anna", "content": {"type": "text", "message": "hello"}}),
    );
    assert!(full("bob").contains("Reply in exactly this format:"), "plain words are a text");
    let typed = serde_json::json!({"type": "status-request", "message": "hello"});
    server.post(&serde_json::json!({"from": "bob", "to": "anna", "content": typed}));
    server.run("operator", &["agent", "register", "bob", "--speaks", "mcp"]).ok();
    server.run("bob", &["send", "anna", "hello"]).ok();
    assert!(full("bob").contains("Call the MCP tool acknowledge_task with {"), "a set one stays");
    let refused = server.run("operator", &["agent", "register", "bob", "--speaks", "morse"]).fails(1);
    assert!(refused.contains("text, cli, http, api, mcp"), "{refused}");
}
