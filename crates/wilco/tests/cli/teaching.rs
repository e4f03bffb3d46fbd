//! The commands that a message teaches are pasted into a shell, and the exchange moves.

use super::program::Server;

const WORDS: &str = "Add a login page with a form for name and password";

/// A delegation whose names want quoting.
fn delegated(task: &str) -> Server {
    let server = Server::of(&["anna", "bob", "carl"]);
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

/// The newest line in somebody's inbox that teaches this command.
#[track_caller]
fn taught(server: &Server, agent: &str, command: &str) -> String {
    let page = server.get(&format!("/v1/agents/{agent}/inbox?limit=1000"));
    let messages = page["items"].as_array().into_iter().flatten().rev();
    let texts = messages.filter_map(|message| message["content"]["message"].as_str());
    let mut lines = texts.flat_map(str::lines).filter_map(|line| line.trim().strip_prefix("- "));
    let line = lines.find(|line| line.starts_with(command));
    let line = line.unwrap_or_else(|| panic!("nothing teaches {command:?} in\n{page:#}"));
    // A remark behind the command is not part of it.
    line.split(" (").next().unwrap_or(line).to_owned()
}

#[track_caller]
fn pasted(server: &Server, line: &str) {
    let ran = server.paste(line);
    assert_eq!(ran.code, 0, "{line}\n{ran:?}");
    assert!(!ran.out.contains("tag:wilco"), "{line}\n{ran:?}");
}

#[test]
fn del_4_the_taught_ack_works_when_it_is_pasted() {
    for task in ["GH-1", "it's-$HOME;x"] {
        for command in ["wilco ack ", "curl "] {
            let server = delegated(task);
            let line = taught(&server, "bob", command);
            pasted(&server, &line.replace("WHAT YOU WILL DO", WORDS));
            assert_eq!(server.get("/v1/exchanges/del-5")["state"], "working", "{line}");
        }
    }
}

#[test]
fn del_4_the_taught_ack_works_after_silence() {
    for command in ["wilco ack ", "curl "] {
        let server = delegated("GH-1");
        server.advance("5m");
        let line = taught(&server, "bob", command);
        pasted(&server, &line.replace("WHAT YOU WILL DO", WORDS));
        assert_eq!(server.state("GH-1"), "working", "{line}");
    }
}

#[test]
fn del_4_the_taught_ack_of_a_revision_names_it() {
    for command in ["wilco ack ", "curl "] {
        let server = delegated("GH-1");
        server.run("anna", &["amend", "GH-1", "Also on mobile"]).ok();
        let line = taught(&server, "bob", command);
        pasted(&server, &line.replace("WHAT YOU WILL DO", &format!("{WORDS}, also on mobile")));
        assert_eq!(server.state("GH-1"), "working", "{line}");
    }
}

#[test]
fn del_4_the_taught_verdicts_work_when_they_are_pasted() {
    for (command, state) in [
        ("wilco verdict GH-1 correct", "working"),
        ("wilco verdict GH-1 wrong-summary", "awaiting-ack"),
        ("wilco verdict GH-1 partial", "awaiting-ack"),
        ("curl ", "working"),
    ] {
        let server = delegated("GH-1");
        server
            .run("bob", &["ack", "GH-1", "received", "--understanding", "Delete the sign-up database"])
            .ok();
        pasted(&server, &taught(&server, "anna", command));
        assert_eq!(server.state("GH-1"), state, "{command}");
    }
}

#[test]
fn del_4_the_taught_clarification_works_when_it_is_pasted() {
    for command in ["wilco clarify ", "curl "] {
        let server = delegated("GH-1");
        let line = ["ack", "GH-1", "clarify", "--question", "Which browsers must the login page support?"];
        server.run("bob", &line).ok();
        pasted(&server, &taught(&server, "anna", command));
        assert_eq!(server.state("GH-1"), "awaiting-ack", "{command}");
    }
}

#[test]
fn del_4_the_taught_decisions_work_when_they_are_pasted() {
    for (command, state) in [
        ("wilco decide del-5-e1 retry", "awaiting-ack"),
        ("wilco decide del-5-e1 extend", "awaiting-ack"),
        ("wilco decide del-5-e1 abort", "failed"),
        ("wilco decide del-5-e1 reassign --agent ", "awaiting-ack"),
        ("curl ", "awaiting-ack"),
    ] {
        let server = delegated("GH-1");
        server.advance("7m");
        let line = taught(&server, "anna", command);
        pasted(&server, &line.replace("NAME_OF_AN_AGENT", "carl"));
        assert_eq!(server.state("GH-1"), state, "{command}");
    }
}

#[test]
fn del_4_the_taught_amendment_works_when_it_is_pasted() {
    for command in ["wilco amend ", "curl "] {
        let server = delegated("GH-1");
        server.run("bob", &["error", "GH-1", "INVALID_TASK_FORMAT"]).ok();
        assert_eq!(server.state("GH-1"), "returned");
        pasted(&server, &taught(&server, "anna", command));
        assert_eq!(server.state("GH-1"), "awaiting-ack", "{command}");
    }
}
