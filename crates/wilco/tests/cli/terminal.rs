//! What people see in a real terminal: a tmux of the test's own.

use std::process::Command;
use std::time::{Duration, Instant};

use super::program::Server;

/// A terminal with one command in it. It ends with its test.
struct Terminal {
    socket: String,
}

const PATIENCE: Duration = Duration::from_secs(30);

impl Terminal {
    fn run(name: &str, size: (u16, u16), line: &str) -> Terminal {
        let terminal = Terminal { socket: format!("wilco-{name}-{}", std::process::id()) };
        let (columns, rows) = (size.0.to_string(), size.1.to_string());
        // Stays after the command, with its exit code on the screen.
        let line = format!("unset NO_COLOR; {line}; echo \"[exit $?]\"; exec cat");
        let begun = terminal.tmux(&["new-session", "-d", "-x", &columns, "-y", &rows, &line]);
        assert!(begun.0, "{begun:?}");
        terminal
    }

    fn tmux(&self, line: &[&str]) -> (bool, String) {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.socket, "-f", "/dev/null"]).args(line).env("TERM", "xterm-256color");
        let output = tmux.output().expect("tmux");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn press(&self, keys: &str) {
        assert!(self.tmux(&["send-keys", keys]).0);
    }

    /// The screen as text, once it shows this.
    #[track_caller]
    fn shows(&self, part: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let (_, screen) = self.tmux(&["capture-pane", "-p"]);
            if screen.contains(part) {
                return screen;
            }
            assert!(Instant::now() < until, "{part:?} is not on\n{screen}");
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

fn typed(server: &Server, name: &str, line: &str) -> String {
    format!("{} {line} --as {name} --url {}", env!("CARGO_BIN_EXE_wilco"), server.url)
}

#[test]
fn cli_3_waiting_in_a_terminal_is_drawn_in_place_with_countdowns() {
    let server = Server::of(&["anna", "bob"]);
    let line = typed(&server, "anna", "delegate bob --task GH-1 --title 'Add a login page' --wait");
    let terminal = Terminal::run("wait", (70, 20), &line);
    terminal.shows("bob   assignee   to answer, ack in 5m");
    server.advance("90s");
    let screen = terminal.shows("ack in 3m30s");
    assert_eq!(screen.matches("assignee").count(), 1, "drawn over, not below:\n{screen}");
    server.run("bob", &["ack", "GH-1", "received", "--understanding", "Add a login page"]).ok();
    terminal.shows("checkpoint in 2h");
    server.run("bob", &["complete", "GH-1"]).ok();
    let screen = terminal.shows("[exit 0]");
    assert!(screen.contains("GH-1 (del-4)  completed  1m30s"), "{screen}");
    assert_eq!(screen.matches("assignee").count(), 1, "{screen}");
    let coloured = terminal.tmux(&["capture-pane", "-p", "-e"]).1;
    assert!(coloured.contains("\x1b[32mcompleted"), "{coloured:?}");
}

#[test]
fn cli_3_an_operation_in_a_terminal_has_a_track_for_each_agent_that_counts_down() {
    let server = Server::of(&["anna", "bob", "carl"]);
    let line = typed(&server, "anna", "operate restart --agents bob,carl --wait");
    let terminal = Terminal::run("operate", (70, 20), &line);
    let screen = terminal.shows("carl                 waiting  in 2m");
    assert!(screen.contains("bob                  waiting  in 2m"), "{screen}");
    server.advance("45s");
    let screen = terminal.shows("bob                  waiting  in 1m15s, 1 reminders");
    assert_eq!(screen.matches("bob  ").count(), 1, "drawn over, not below:\n{screen}");
    server.run("bob", &["wait", "restart"]).ok();
    terminal.shows("bob                  waiting  in 2m15s, extended, 1 reminders");
    server.run("carl", &["ready", "restart"]).ok();
    terminal.shows("carl                 ready");
    server.run("bob", &["ready", "restart"]).ok();
    terminal.shows("authorized");
    server.run("anna", &["result", "restart", "done"]).ok();
    let screen = terminal.shows("[exit 0]");
    assert_eq!(screen.matches("carl  ").count(), 1, "{screen}");
    let coloured = terminal.tmux(&["capture-pane", "-p", "-e"]).1;
    assert!(coloured.contains("\x1b[32mdone"), "{coloured:?}");
}

#[test]
fn cli_4_watch_shows_escalations_first_counts_down_and_leaves_the_terminal_as_it_was() {
    let server = Server::of(&["anna", "bob", "carl"]);
    server.run("anna", &["delegate", "bob", "--task", "GH-1", "--title", "Add a login page"]).ok();
    server.advance("7m");
    server.run("anna", &["delegate", "carl", "--task", "GH-2", "--title", "Translate the help page"]).ok();
    let terminal = Terminal::run("watch", (100, 16), &typed(&server, "anna", "watch"));
    let screen = terminal.shows("Translate the help page");
    let place = |part: &str| screen.find(part).unwrap_or_else(|| panic!("{part:?} is not on\n{screen}"));
    assert!(screen.contains("2 open, 1 escalated"), "{screen}");
    assert!(place("! del-5-e1  for anna") < place("decide with: wilco decide del-5-e1 "), "{screen}");
    assert!(
        place("decide with") < place("del-5     GH-1") && place("del-5     GH-1") < place("GH-2"),
        "{screen}"
    );
    assert!(screen.contains("ack in 5m"), "{screen}");
    server.advance("30s");
    terminal.shows("ack in 4m30s");
    server.run("carl", &["ack", "GH-2", "queue"]).ok();
    terminal.shows("queued");
    terminal.press("q");
    let screen = terminal.shows("[exit 0]");
    assert!(!screen.contains("GH-2"), "the screen is as it was before:\n{screen}");
}

#[test]
fn cli_5_tables_fit_a_narrow_terminal() {
    let server = Server::of(&["anna", "bob"]);
    let title = "A title that is a good deal longer than any terminal of this width can show";
    server.run("anna", &["delegate", "bob", "--task", "GH-1", "--title", title]).ok();
    let terminal = Terminal::run("narrow", (60, 20), &typed(&server, "anna", "exchanges"));
    let screen = terminal.shows("[exit 0]");
    assert!(screen.contains('…') && !screen.contains("of this width"), "{screen}");
    let lines = screen.lines().filter(|line| !line.trim().is_empty()).count();
    assert_eq!(lines, 3, "nothing is wrapped:\n{screen}");
}

/// The first line that has this in it, before patience ends.
fn told(lines: impl Iterator<Item = std::io::Result<String>> + Send + 'static, part: &'static str) -> String {
    let (tell, hear) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let line = lines.map_while(Result::ok).find(|line| line.contains(part));
        // Whoever waited may have given up.
        let _ = tell.send(line);
    });
    let line = hear.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no line with {part:?} in time"));
    line.unwrap_or_else(|| panic!("it ended without a line with {part:?}"))
}

#[test]
fn cli_4_watch_without_a_terminal_prints_a_line_for_every_event() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let server = Server::of(&["anna", "bob"]);
    let mut child = server.command("anna", &["watch"]).stdout(Stdio::piped()).spawn().expect("a command");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    // It has begun to read once it was seen.
    let until = Instant::now() + PATIENCE;
    while server.get("/v1/agents/anna")["last_seen"].is_null() {
        assert!(Instant::now() < until, "it never called");
    }
    let mut tasks = 0;
    let line = loop {
        // The first may come before it has begun to follow.
        tasks += 1;
        server.run("anna", &["delegate", "bob", "--task", &format!("GH-{tasks}"), "--title", "T"]).ok();
        if tasks == 3 {
            break told(lines, "assigned");
        }
    };
    assert!(line.contains("  del-") && line.ends_with("  assigned  by anna"), "{line}");
    let _ = child.kill();
    let _ = child.wait();
}
