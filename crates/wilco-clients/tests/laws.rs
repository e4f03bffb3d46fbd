//! Whatever a file holds: what is put in can be taken out, and what was there is there again.

use proptest::prelude::*;
use wilco_clients::{AgentClient, Setup, install, planned, remove};

fn setup(name: Option<&str>) -> Setup {
    Setup { name: name.map(str::to_owned), url: Some("http://127.0.0.1:4242".to_owned()) }
}

fn blank() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        " ",
        "\n",
        "\r\n",
        "\n  ",
        "\t",
        " // a, comment\n",
        "/* b, } */",
        "\n\n    ",
    ])
    .prop_map(str::to_owned)
}

fn key() -> impl Strategy<Value = String> {
    let known = vec!["hooks", "Stop", "SessionStart", "mcpServers", "mcp", "other", "command", "AfterTool"];
    prop_oneof![prop::sample::select(known).prop_map(str::to_owned), "[a-z]{1,4}"]
}

/// A JSON value with comments, odd blanks and trailing commas.
fn value() -> BoxedStrategy<String> {
    let leaf = prop::sample::select(vec![
        "1", "-2.5e3", "true", "null", "\"x, y\"", "\"//\"", "{}", "[]", "{ }", "[\n]",
    ]);
    leaf.prop_map(str::to_owned)
        .prop_recursive(4, 24, 4, |inner| prop_oneof![object(inner.clone()), list(inner)])
        .boxed()
}

fn object(inner: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = String> {
    let member = (blank(), key(), blank(), inner, blank());
    (prop::collection::vec(member, 0..4), blank(), any::<bool>()).prop_map(|(members, end, trailing)| {
        let mut seen = std::collections::BTreeSet::new();
        let members: Vec<_> = members
            .into_iter()
            .filter(|(_, key, ..)| seen.insert(key.clone()))
            .map(|(before, key, colon, value, after)| format!("{before}\"{key}\"{colon}:{value}{after}"))
            .collect();
        let comma = if trailing && !members.is_empty() { "," } else { "" };
        format!("{{{}{comma}{end}}}", members.join(","))
    })
}

fn list(inner: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = String> {
    let member =
        (blank(), inner, blank()).prop_map(|(before, value, after)| format!("{before}{value}{after}"));
    (prop::collection::vec(member, 0..3), blank())
        .prop_map(|(members, end)| format!("[{}{end}]", members.join(",")))
}

fn json() -> impl Strategy<Value = String> {
    (any::<bool>(), blank(), object(value()), blank()).prop_map(|(bom, before, root, after)| {
        format!("{}{before}{root}{after}", if bom { "\u{feff}" } else { "" })
    })
}

fn toml() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "\n",
        "# a comment\n",
        "[other]\nurl = \"x\"\n",
        "[mcp_servers.more]\ncommand = \"c\" # why\n",
        "[[list]]\na = [1,\n2]\n",
        "[mcp_servers]\n",
        "[projects.\"/a\"]\ntrust_level = \"trusted\"\n",
    ]);
    (any::<bool>(), prop::collection::vec(piece, 0..5), any::<bool>(), any::<bool>()).prop_map(
        |(crlf, pieces, cut, key)| {
            let mut seen = std::collections::BTreeSet::new();
            let kept = pieces
                .into_iter()
                .filter(|piece| !piece.starts_with('[') || piece.starts_with("[[") || seen.insert(*piece));
            let mut text: String =
                std::iter::once(if key { "model = \"m\"\n" } else { "" }).chain(kept).collect();
            if cut {
                text = text.trim_end().to_owned();
            }
            if crlf { text.replace('\n', "\r\n") } else { text }
        },
    )
}

/// Any text of this kind of file.
fn text(path: &str) -> BoxedStrategy<String> {
    match path.rsplit('.').next() {
        Some("json") => json().boxed(),
        Some("toml") => toml().boxed(),
        _ => "(\u{feff})?([a-z#<>!*` -]{0,12}(\n|\r\n|\r)?){0,6}".boxed(),
    }
}

fn cases() -> impl Strategy<Value = (AgentClient, bool, usize, String)> {
    let files = AgentClient::ALL.into_iter().flat_map(|client| {
        [true, false].into_iter().flat_map(move |user| {
            planned(client, &setup(None), user)
                .into_iter()
                .enumerate()
                .map(move |(at, file)| (client, user, at, file.path))
        })
    });
    prop::sample::select(files.collect::<Vec<_>>())
        .prop_flat_map(|(client, user, at, path)| (Just(client), Just(user), Just(at), text(path)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn cli_30_what_was_installed_is_removed_byte_for_byte((client, user, at, text) in cases()) {
        let bob = &planned(client, &setup(Some("bob")), user)[at].edit;
        let carl = &planned(client, &setup(Some("carl")), user)[at].edit;
        // What has a shape that nothing can be added to is refused, and then nothing is written.
        if let Ok(once) = install(bob, Some(&text)) {
            prop_assert_eq!(&install(bob, Some(&once)).unwrap(), &once, "twice is once");
            prop_assert_eq!(remove(bob, Some(&once)).unwrap(), Some(text.clone()));
            let other = install(carl, Some(&once)).unwrap();
            prop_assert_eq!(&other, &install(carl, Some(&text)).unwrap(), "another name replaces the first");
            prop_assert_eq!(remove(bob, Some(&other)).unwrap(), Some(text));
        }
    }
}

#[test]
fn cli_30_most_texts_are_no_obstacle() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut taken, all) = (0, 500);
    for _ in 0..all {
        let (client, user, at, text) =
            proptest::strategy::ValueTree::current(&cases().new_tree(&mut runner).unwrap());
        taken += usize::from(install(&planned(client, &setup(None), user)[at].edit, Some(&text)).is_ok());
    }
    assert!(taken * 10 > all * 6, "the law above was tried on {taken} of {all}");
}

#[test]
fn cli_30_files_that_install_made_are_gone_after_removing() {
    for client in AgentClient::ALL {
        for planned in planned(client, &setup(Some("bob")), false) {
            let made = install(&planned.edit, None).unwrap();
            assert_eq!(install(&planned.edit, Some(&made)).unwrap(), made, "{}", planned.path);
            assert_eq!(remove(&planned.edit, Some(&made)).unwrap(), None, "{}:\n{made}", planned.path);
            assert_eq!(remove(&planned.edit, None).unwrap(), None);
        }
    }
}

#[test]
fn cli_30_what_came_in_meanwhile_stays() {
    let edit = &planned(AgentClient::Codex, &setup(Some("bob")), false)[0].edit;
    let made = install(edit, None).unwrap();
    let changed =
        made.replacen("\"hooks\": {", "\"description\": \"mine\",\n  \"hooks\": {\n    // mine too\n", 1);
    let left = remove(edit, Some(&changed)).unwrap().unwrap();
    assert!(left.contains("\"description\": \"mine\"") && left.contains("// mine too"), "{left}");
    assert!(!left.contains("wilco"), "{left}");
    let minified = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"mine\"},{\"command\":\"wilco hook codex Stop\"}]}]}}";
    let left = remove(edit, Some(minified)).unwrap().unwrap();
    assert_eq!(left, "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"mine\"}]}]}}");
}

#[test]
fn cli_30_a_block_without_its_end_takes_no_text_of_others() {
    let edit = &planned(AgentClient::Codex, &setup(Some("bob")), false)[2].edit;
    let made = install(edit, Some("# Mine\n")).unwrap();
    let lost = made.replace("<!-- wilco codex end -->\n", "My own last words\n");
    let left = remove(edit, Some(&lost)).unwrap().unwrap();
    assert!(left.contains("# Mine\n") && left.contains("My own last words\n"), "{left}");
    assert!(!left.contains("codex begin"), "{left}");
}

#[test]
fn cli_30_what_cannot_be_read_is_refused_with_its_line() {
    let of = |client, at: usize, text: &str| {
        let damage = install(&planned(client, &setup(None), false)[at].edit, Some(text)).unwrap_err();
        (damage.line, damage.what)
    };
    let codex = |text| of(AgentClient::Codex, 0, text);
    assert_eq!(codex("{\n  \"a\": 1\n  \"b\": 2\n}").0, 2);
    assert_eq!(codex("{\n  \"hooks\": []\n}"), (2, "`hooks` is not an object: expected { … }".to_owned()));
    assert_eq!(codex("{\"hooks\": {\n\"Stop\": 1}}"), (2, "`Stop` is not a list: expected [ … ]".to_owned()));
    assert_eq!(codex("[]").1, "the whole is not an object: expected { … }");
    assert_eq!(codex("").1, "it is empty: expected an object, { }");
    assert_eq!(codex("{\"a\": 1,\n\"a\": 2}"), (2, "the key `a` stands twice".to_owned()));
    assert_eq!(of(AgentClient::Codex, 1, "a = 1\nb = = 2\n").0, 2);
    let inline = of(AgentClient::Codex, 1, "a = 1\nmcp_servers = {}\n");
    assert!(inline.0 == 2 && inline.1.contains("not a table of its own"), "{inline:?}");
    let foreign = of(AgentClient::ClaudeCode, 1, "{\"mcpServers\": {\n\"wilco\": {\"command\": \"other\"}}}");
    assert!(foreign.0 == 2 && foreign.1.contains("another server"), "{foreign:?}");
}
