//! `wilco install` with the shipped binary, in a home of its own and without a server.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;

use super::program::{Ran, ran, wilco};

/// Where nobody listens.
const NOBODY: &str = "http://127.0.0.1:9";

fn install(home: &TempDir, words: &[&str]) -> Ran {
    let mut command = wilco();
    command.arg("install").args(words).env("HOME", home.path()).env("WILCO_URL", NOBODY);
    command.env_remove("CODEX_HOME").env_remove("CLAUDE_CONFIG_DIR");
    ran(command.current_dir(home.path()))
}

/// Every file below, with its text.
fn tree(place: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(place).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(tree(&entry.path())),
            false => {
                found.push((entry.path().display().to_string(), fs::read_to_string(entry.path()).unwrap()))
            }
        }
    }
    found.sort();
    found
}

#[test]
fn cli_30_each_client_gets_its_files_and_removing_leaves_nothing() {
    let files = [
        ("claude-code", vec![".claude/settings.json", ".mcp.json", "CLAUDE.md"]),
        ("codex", vec![".codex/config.toml", ".codex/hooks.json", "AGENTS.md"]),
        ("gemini", vec![".gemini/settings.json", "GEMINI.md"]),
        ("qwen", vec![".qwen/settings.json", "QWEN.md"]),
        ("opencode", vec![".opencode/plugin/wilco.js", "AGENTS.md", "opencode.json"]),
    ];
    for (client, expected) in files {
        let home = tempfile::tempdir().unwrap();
        let out = install(&home, &[client, "--as", "bob", "--yes"]).ok();
        assert!(out.contains("No server answers") && out.contains("WILCO_TOKEN"), "{out}");
        let written = tree(home.path());
        let prefix = format!("{}/", home.path().display());
        let paths: Vec<_> = written.iter().map(|(path, _)| path.strip_prefix(&prefix).unwrap()).collect();
        assert_eq!(paths, expected, "{client}");
        for (path, text) in &written {
            assert!(text.contains("bob") && text.contains(NOBODY), "{path}:\n{text}");
        }
        let again = install(&home, &[client, "--as", "bob", "--yes"]).ok();
        assert!(again.contains("installed already"), "{again}");
        install(&home, &[client, "--as", "carl", "--yes"]).ok();
        assert!(tree(home.path()).iter().all(|(_, text)| text.contains("carl") && !text.contains("bob")));
        install(&home, &[client, "--remove", "--yes"]).ok();
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0, "{client}");
        let never = install(&home, &[client, "--remove"]).ok();
        assert!(never.contains("not installed here"), "{never}");
    }
}

#[test]
fn cli_30_nothing_is_written_without_a_word_of_agreement() {
    let home = tempfile::tempdir().unwrap();
    let refused = install(&home, &["codex", "--as", "bob"]);
    assert!(refused.out.contains("+[mcp_servers.wilco]"), "{refused:?}");
    assert!(refused.fails(1).contains("--yes"));
    assert!(install(&home, &["codex", "--dry-run"]).ok().contains("+++ .codex/hooks.json"));
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn cli_30_one_damaged_file_and_none_is_changed() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".codex")).unwrap();
    fs::write(home.path().join(".codex/config.toml"), "a = 1\nb = = 2\n").unwrap();
    let before = tree(home.path());
    let said = install(&home, &["codex", "--yes"]).fails(1);
    assert!(said.contains(".codex/config.toml:2: "), "{said}");
    assert_eq!(tree(home.path()), before);
    fs::write(home.path().join("AGENTS.md"), b"a\nb\xff\n").unwrap();
    fs::remove_file(home.path().join(".codex/config.toml")).unwrap();
    let said = install(&home, &["codex", "--yes"]).fails(1);
    assert!(said.contains("AGENTS.md:2: it is not UTF-8"), "{said}");
}

#[test]
fn cli_30_a_link_stays_one_and_a_mode_stays() {
    let home = tempfile::tempdir().unwrap();
    let (link, target) = (home.path().join("CLAUDE.md"), home.path().join("real.md"));
    fs::write(&target, "# Mine\r\n").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.md", &link).unwrap();
    install(&home, &["claude-code", "--yes"]).ok();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let text = fs::read_to_string(&target).unwrap();
    assert!(
        text.starts_with("# Mine\r\n\r\n<!-- wilco") && !text.replace("\r\n", "").contains('\n'),
        "{text:?}"
    );
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    install(&home, &["claude-code", "--remove", "--yes"]).ok();
    assert_eq!(fs::read_to_string(&target).unwrap(), "# Mine\r\n");
}

#[test]
fn cli_30_for_a_user_the_files_lie_beneath_the_home() {
    let home = tempfile::tempdir().unwrap();
    install(&home, &["claude-code", "--user", "--yes"]).ok();
    for path in [".claude/settings.json", ".claude/CLAUDE.md", ".claude.json"] {
        assert!(home.path().join(path).is_file(), "{path}");
    }
    install(&home, &["claude-code", "--user", "--remove", "--yes"]).ok();
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn cli_31_what_is_left_to_a_person_is_said() {
    let home = tempfile::tempdir().unwrap();
    let said = |client| install(&home, &[client, "--yes"]).ok();
    assert!(said("codex").contains("Hooks need review"));
    assert!(said("gemini").contains("trusted folder"));
}
