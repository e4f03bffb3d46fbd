//! The README is true: its `sh` blocks are run, in their order, as somebody would type them.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// The address that the README uses.
const ADDRESS: &str = "http://127.0.0.1:23000";

/// The blocks between "```sh" and "```".
fn blocks(text: &str) -> Vec<String> {
    let (mut blocks, mut open): (Vec<String>, Option<String>) = (Vec::new(), None);
    for line in text.lines() {
        match (&mut open, line) {
            (None, "```sh") => open = Some(String::new()),
            (Some(_), "```") => blocks.extend(open.take()),
            (Some(block), line) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, _) => {}
        }
    }
    blocks
}

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A shell in a home of its own that finds `wilco`.
fn shell(line: &str, home: &Path) -> Command {
    let folder = Path::new(env!("CARGO_BIN_EXE_wilco")).parent().unwrap().to_owned();
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&old))).unwrap();
    let mut shell = Command::new("sh");
    for (name, _) in
        std::env::vars().filter(|(name, _)| name.starts_with("WILCO_") || name.starts_with("XDG_"))
    {
        shell.env_remove(name);
    }
    shell.args(["-e", "-c", line]).env("PATH", path).env("HOME", home).current_dir(home);
    shell.env_remove("AI_MAESTRO_AGENT_ID").env_remove("TMUX").stdin(Stdio::null());
    shell
}

#[test]
fn cli_1_the_tour_of_the_readme_works_as_it_is_written() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let home = tempfile::tempdir().unwrap();
    let (mut server, mut url, mut ran) = (None, String::new(), 0);
    for block in blocks(&text) {
        if block.trim() == "wilco serve" {
            let mut serve = shell("exec wilco serve", home.path());
            let mut child =
                serve.env("WILCO_SERVER_LISTEN", "127.0.0.1:0").stdout(Stdio::piped()).spawn().unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            server = Some(Server(child));
            url = line.trim().strip_prefix("wilco listening on ").unwrap().to_owned();
            continue;
        }
        assert!(server.is_some(), "the server is started before anything else:\n{block}");
        let output =
            shell(&block.replace(ADDRESS, &url), home.path()).env("WILCO_URL", &url).output().unwrap();
        assert!(output.status.success(), "{block}\n{output:?}");
        ran += 1;
    }
    assert!(ran >= 4, "{ran} blocks");
    let state = |task: &str| {
        let mut answer = ureq::get(format!("{url}/v1/exchanges?task={task}")).call().unwrap();
        answer.body_mut().read_json::<Value>().unwrap()["items"][0]["state"].clone()
    };
    assert_eq!((state("GH-42"), state("GH-43")), ("completed".into(), "working".into()));
}
