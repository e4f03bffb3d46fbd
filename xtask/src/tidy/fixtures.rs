//! Fixtures: small trees in one text file per check, with the expected findings marked in them.
//!
//! `== path` begins a file, a line that ends in `//~` must be found (once for each mark), and `//* N text`
//! stands for N lines of the text. Lines before the first file are for the reader.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::tree::{File, Tree};
use super::{CHECKS, Check};

const MARK: &str = "//~";

#[derive(Default)]
struct Fixture {
    files: Vec<(String, String)>,
    /// How many findings each marked line must have.
    expected: BTreeMap<String, usize>,
}

fn folder() -> PathBuf {
    crate::workspace::root().join("xtask/fixtures")
}

fn fixture(check: &Check) -> Fixture {
    let path = folder().join(format!("{}.txt", check.name));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} needs a fixture", check.name));
    let mut fixture = Fixture::default();
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("== ") {
            fixture.files.push((path.to_owned(), String::new()));
        } else if let Some(repeated) = line.strip_prefix("//* ") {
            let (count, line) = repeated.split_once(' ').expect("a count and a text");
            (0..count.parse().expect("a count")).for_each(|_| fixture.line(line));
        } else {
            fixture.line(line);
        }
    }
    fixture
}

impl Fixture {
    fn line(&mut self, line: &str) {
        let Some((path, text)) = self.files.last_mut() else { return };
        let marks = line.matches(MARK).count();
        text.push_str(line.replace(MARK, "").trim_end());
        text.push('\n');
        if marks > 0 {
            self.expected.insert(format!("{path}:{}", text.lines().count()), marks);
        }
    }
}

#[test]
fn every_check_fires_on_its_marks_and_nowhere_else() {
    for check in CHECKS {
        let fixture = fixture(check);
        let files = fixture.files.iter().map(|(path, text)| File::new(path, text.clone())).collect();
        let found = (check.run)(&Tree { files });
        let mut counted = BTreeMap::new();
        for finding in &found {
            *counted.entry(format!("{}:{}", finding.path, finding.line)).or_insert(0) += 1;
        }
        assert_eq!(counted, fixture.expected, "{}: {found:#?}", check.name);
        assert!(!fixture.expected.is_empty(), "{}: the fixture shows nothing bad", check.name);
    }
}

#[test]
fn every_fixture_belongs_to_a_check_and_has_a_good_file() {
    let fixtures = std::fs::read_dir(folder()).expect("fixtures").count();
    assert_eq!(fixtures, CHECKS.len(), "one fixture for each check");
    for check in CHECKS {
        let fixture = fixture(check);
        let marked = |path: &str| fixture.expected.keys().any(|at| at.starts_with(&format!("{path}:")));
        let single = check.name == "requirements";
        assert!(
            single || fixture.files.iter().any(|(path, _)| !marked(path)),
            "{}: nothing good",
            check.name
        );
    }
}
