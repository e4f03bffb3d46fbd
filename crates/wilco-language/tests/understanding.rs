//! The scorer against tables of tasks and understandings: no wrong acceptance, and a share it
//! decides by itself.

use wilco_language::read::understanding::{
    ContradictionKind, Ruling, Scored, TaskText, contradictions, score, score_amended,
};
use wilco_testkit::table::{Entry, entries};

#[test]
fn del_21_tuned_pairs_have_no_wrong_acceptance() {
    check("tuned", include_str!("tables/understanding_tuned.txt"), 39);
}

#[test]
fn del_21_held_out_pairs_have_no_wrong_acceptance() {
    check("held out", include_str!("tables/understanding_held_out.txt"), 33);
}

/// Written without looking at the scorer, and measured once before anything was changed for it: it decided
/// 11 of 25 and accepted 4 of 43 wrongly. Those four led to the rules on prefixes, lists and company.
#[test]
fn del_21_unseen_pairs_have_no_wrong_acceptance() {
    check("unseen", include_str!("tables/understanding_unseen.txt"), 12);
}

/// Committed before the scorer was first run on it: then it decided 14 of 22 and accepted 1 of 67 wrongly, "one of
/// both". That led to the rule that every small word counts which is not known to be harmless.
#[test]
fn del_21_fresh_pairs_have_no_wrong_acceptance() {
    check("fresh", include_str!("tables/understanding_fresh.txt"), 63);
}

/// Committed before the scorer was first run on it: then it decided 9 of 14 and accepted 2 of 47 wrongly, a negation
/// that had nothing to stand before and an item of a list left out. That led to the rules that no turning word is lost
/// and that what stands beside the criteria is left out by whole sentences only.
#[test]
fn del_21_second_fresh_pairs_have_no_wrong_acceptance() {
    check("second fresh", include_str!("tables/understanding_fresh_2.txt"), 64);
}

/// Committed before the scorer was first run on it, and nothing was tuned on it: then it decided 10 of 13 and accepted
/// none of the 48 wrong ones.
#[test]
fn del_21_third_fresh_pairs_have_no_wrong_acceptance() {
    check("third fresh", include_str!("tables/understanding_fresh_3.txt"), 76);
}

/// Committed before the scorer as it is now was first run on it, and nothing was tuned on it: then it decided 10 of 12
/// and accepted none of the 46 wrong ones.
#[test]
fn del_21_fourth_fresh_pairs_have_no_wrong_acceptance() {
    check("fourth fresh", include_str!("tables/understanding_fresh_4.txt"), 83);
}

/// Prints the shares; `least` is the percentage the scorer must decide of what it could.
fn check(name: &str, text: &str, least: usize) {
    let entries = entries(text);
    let (mut could, mut decided, mut wrong) = (0, 0, Vec::new());
    for entry in &entries {
        let scored = judge(entry);
        let (allowed, hoped) = expected(entry.one("class"));
        if !allowed.contains(&scored.ruling) {
            wrong.push(format!("{}: {scored:?}", entry.name));
        }
        if let Some(hoped) = hoped {
            could += 1;
            decided += usize::from(scored.ruling == hoped);
        }
        println!("{:>10} {:?} {:>4} {}", entry.one("class"), scored.ruling, scored.score, entry.name);
    }
    let share = decided * 100 / could.max(1);
    println!("{name}: {} pairs, decided {decided} of {could} ({share} %)", entries.len());
    assert!(wrong.is_empty(), "{name}: wrong rulings: {wrong:#?}");
    assert!(share >= least, "{name}: decided only {share} %");
}

fn judge(entry: &Entry) -> Scored {
    let criteria = entry.all("criterion");
    let task = TaskText {
        task_id: entry.one("id"),
        title: entry.one("title"),
        titled: true,
        description: entry.one("description"),
        criteria: &criteria,
    };
    score(&task, entry.one("understanding"))
}

/// Which rulings are allowed, and which one would decide the pair.
fn expected(class: &str) -> (&'static [Ruling], Option<Ruling>) {
    match class {
        "right" | "paraphrased" => (&[Ruling::Correct, Ruling::Named, Ruling::Unsure], Some(Ruling::Correct)),
        // What is only named is left to somebody; an objection to it is for its initiator.
        "partial" | "wrong" | "negated" | "other-task" => (&[Ruling::Named, Ruling::Unsure], None),
        "praise" | "empty" => (&[Ruling::Empty, Ruling::Unsure], Some(Ruling::Empty)),
        other => panic!("unknown class {other}"),
    }
}

/// An id may be made of the title's words; saying nothing, or the id alone, still says nothing.
#[test]
fn del_20_the_words_of_the_id_are_not_said_by_themselves() {
    let task = TaskText {
        task_id: "add-google-login",
        title: "Add Google login",
        titled: true,
        description: "",
        criteria: &["Google login works".to_owned()],
    };
    for said in ["", "Understood, will do!", "ok", "add-google-login", "Task add-google-login"] {
        assert_eq!(score(&task, said).ruling, Ruling::Empty, "{said:?}");
    }
    assert_eq!(score(&task, "Implement it").ruling, Ruling::Empty);
    assert_eq!(score(&task, "Add a working Google login").ruling, Ruling::Correct);
    let other = "Add login that works, with the name, password and session of the Facebook login";
    assert_ne!(score(&task, other).ruling, Ruling::Correct);
}

/// Everything is missing from an empty understanding, criteria of small words included.
#[test]
fn del_20_small_words_are_criteria_too() {
    let criteria = ["a", "all", "...", "tests pass"].map(str::to_owned);
    let task =
        TaskText { task_id: "T-1", title: "Do it", titled: true, description: "", criteria: &criteria };
    let scored = score(&task, "");
    assert_eq!((scored.ruling, scored.covered, scored.missing), (Ruling::Empty, vec![], vec![0, 1, 3]));
    let scored = score(&task, "tests pass, all");
    assert_eq!((scored.covered, scored.missing), (vec![1, 3], vec![0]));
}

/// Whoever says the whole task back, word for word, is not sent to a review, but for tasks that ask or hedge themselves.
#[test]
fn del_21_the_task_itself_is_accepted() {
    let mut tasks = std::collections::BTreeMap::new();
    for text in TABLES {
        for entry in entries(text) {
            let parts = [entry.one("title").to_owned(), entry.one("description").to_owned()];
            let parts: Vec<String> = parts.into_iter().chain(entry.all("criterion")).collect();
            let told: Vec<&str> = parts.iter().map(|part| part.trim_end_matches('.')).collect();
            let told: Vec<&str> = told.into_iter().filter(|part| !part.is_empty()).collect();
            let said = told.join(". ");
            let criteria = entry.all("criterion");
            let task = TaskText {
                task_id: entry.one("id"),
                title: entry.one("title"),
                titled: true,
                description: entry.one("description"),
                criteria: &criteria,
            };
            let ruling = score(&task, &said).ruling;
            tasks.insert(said, ruling);
        }
    }
    let doubted: Vec<_> = tasks.iter().filter(|(_, ruling)| **ruling != Ruling::Correct).collect();
    let share = (tasks.len() - doubted.len()) * 100 / tasks.len();
    println!("said back: {} tasks, accepted {share} %: {doubted:#?}", tasks.len());
    assert!(share >= 90, "accepted only {share} %");
}

const TABLES: [&str; 7] = [
    include_str!("tables/understanding_tuned.txt"),
    include_str!("tables/understanding_held_out.txt"),
    include_str!("tables/understanding_unseen.txt"),
    include_str!("tables/understanding_fresh.txt"),
    include_str!("tables/understanding_fresh_2.txt"),
    include_str!("tables/understanding_fresh_3.txt"),
    include_str!("tables/understanding_fresh_4.txt"),
];

/// Whoever repeats what it said before has not shown that it read the amendment.
#[test]
fn del_43_an_amendment_in_words_must_be_spoken_of() {
    let criteria = ["login returns a token".to_owned(), "tests pass".to_owned()];
    let before = "Add the login endpoint: login returns a token, tests pass";
    let ruled = |change: &str, said: &str| {
        let task = TaskText {
            task_id: "T-1",
            title: "Add the login endpoint",
            titled: true,
            description: change,
            criteria: &criteria,
        };
        score_amended(&task, &[change.to_owned()], said)
    };
    for change in [
        "Login must set a cookie and drop the token",
        "Remove the token; use sessions",
        "Also log every attempt",
        "Log every attempt. Write the log to /var/log/login",
    ] {
        let scored = ruled(change, before);
        assert_eq!(scored.ruling, Ruling::Unsure, "{change}");
        assert!(scored.score <= 700, "{change}: {}", scored.score);
        assert_eq!(
            (scored.covered.as_slice(), scored.missing.as_slice()),
            (&[0, 1][..], &[][..]),
            "{change}"
        );
    }
    let said = format!("{before}. Also log every attempt");
    assert_eq!(ruled("Also log every attempt", &said).ruling, Ruling::Correct);
    let half =
        ruled("Log every attempt. Write the log to /var/log/login", &format!("{before}. Log every attempt"));
    assert_eq!(half.ruling, Ruling::Unsure, "half of the change");
}

/// What a judge asks beside its own look: another id, other numbers and names, a negation or a direction that the task
/// does not have.
#[test]
fn del_21_contradictions_are_named_by_kind_and_other_words_are_none() {
    use ContradictionKind::{Direction, Name, Negation, Number, TaskId};
    let criteria = [
        "more than 5 failed logins per minute from one IP get 429",
        "the limit is configurable by `LOGIN_LIMIT`",
        "old sessions are not deleted",
    ]
    .map(str::to_owned);
    let task = TaskText {
        task_id: "GH-210",
        title: "Enable rate limiting on the login endpoint, see GH-100",
        titled: true,
        description: "Block the address after the failure.",
        criteria: &criteria,
    };
    let kinds = |said: &str| {
        let mut kinds: Vec<_> = contradictions(&task, said).into_iter().map(|one| one.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    };
    let table: [(&str, &[ContradictionKind]); 16] = [
        ("Throttle login: an IP that fails more than five times in a minute is answered with 429", &[]),
        (
            "I will cover all three criteria, with a setting for the limit and old sessions kept as they are",
            &[],
        ),
        ("GH-210 follows GH-100; the limit comes from `LOGIN_LIMIT`, old sessions are not deleted", &[]),
        ("Put a limiter in src/auth/limit.rs that reads LOGIN_LIMIT", &[]),
        ("", &[]),
        ("This is about GH-211: rate limiting on login", &[TaskId, Number]),
        ("More than 6 failed logins per minute get 429", &[Number]),
        ("More than 5 failed logins per minute get 403", &[Number]),
        ("More than 5 failed logins per hour from one IP get 429", &[Direction]),
        ("The limit is read from MAX_LOGINS", &[Name]),
        ("The limit is not configurable", &[Negation]),
        ("Old sessions are deleted", &[Negation]),
        ("Rate limiting on login, the limit's setting is out of scope", &[Negation]),
        ("Disable rate limiting on the login endpoint", &[Direction]),
        ("Block the address before the failure", &[Direction]),
        ("Fewer than 5 failed logins per minute get 429", &[Direction]),
    ];
    let wrong: Vec<_> = table
        .iter()
        .filter(|(said, expected)| kinds(said) != *expected)
        .map(|(said, expected)| format!("{said}: {expected:?}, found {:?}", contradictions(&task, said)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// How many pairs of the tables it speaks up against; an accepted one never.
#[test]
fn del_21_no_accepted_understanding_contradicts_its_task() {
    let (mut right, mut of_right, mut wrong, mut of_wrong) = (0, 0, 0, 0);
    for entry in TABLES.iter().flat_map(|text| entries(text)) {
        let criteria = entry.all("criterion");
        let task = TaskText {
            task_id: entry.one("id"),
            title: entry.one("title"),
            titled: true,
            description: entry.one("description"),
            criteria: &criteria,
        };
        let said = entry.one("understanding");
        let found = contradictions(&task, said);
        assert!(
            found.is_empty() || score(&task, said).ruling != Ruling::Correct,
            "{}: {found:?}",
            entry.name
        );
        match entry.one("class") {
            "right" | "paraphrased" => {
                (right, of_right) = (right + usize::from(found.is_empty()), of_right + 1)
            }
            "wrong" | "negated" => (wrong, of_wrong) = (wrong + usize::from(!found.is_empty()), of_wrong + 1),
            _ => {}
        }
    }
    println!("right without contradiction: {right} of {of_right}; wrong with one: {wrong} of {of_wrong}");
    assert!(
        right * 100 >= of_right * 95 && wrong * 100 >= of_wrong * 41,
        "{right}/{of_right} {wrong}/{of_wrong}"
    );
}
