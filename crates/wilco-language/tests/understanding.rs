//! The scorer against tables of tasks and understandings: no wrong acceptance, and a share it
//! decides by itself.

mod table;

use table::{Entry, entries};
use wilco_language::read::understanding::{Ruling, Scored, TaskText, score};

#[test]
fn del_21_tuned_pairs_have_no_wrong_acceptance() {
    check("tuned", include_str!("tables/understanding_tuned.txt"), 43);
}

#[test]
fn del_21_held_out_pairs_have_no_wrong_acceptance() {
    check("held out", include_str!("tables/understanding_held_out.txt"), 36);
}

/// Written without looking at the scorer, and measured once before anything was changed for it: it decided
/// 11 of 25 and accepted 4 of 43 wrongly. Those four led to the rules on prefixes, lists and company.
#[test]
fn del_21_unseen_pairs_have_no_wrong_acceptance() {
    check("unseen", include_str!("tables/understanding_unseen.txt"), 16);
}

/// Committed before the scorer was first run on it: then it decided 14 of 22 and accepted 1 of 67 wrongly, "one of
/// both". That led to the rule that every small word counts which is not known to be harmless.
#[test]
fn del_21_fresh_pairs_have_no_wrong_acceptance() {
    check("fresh", include_str!("tables/understanding_fresh.txt"), 59);
}

/// Committed before the scorer was first run on it.
#[test]
fn del_21_second_fresh_pairs_have_no_wrong_acceptance() {
    check("second fresh", include_str!("tables/understanding_fresh_2.txt"), 0);
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
        description: entry.one("description"),
        criteria: &criteria,
    };
    score(&task, entry.one("understanding"))
}

/// Which rulings are allowed, and which one would decide the pair.
fn expected(class: &str) -> (&'static [Ruling], Option<Ruling>) {
    match class {
        "right" | "paraphrased" => (&[Ruling::Correct, Ruling::Unsure], Some(Ruling::Correct)),
        "partial" | "wrong" | "negated" | "other-task" => (&[Ruling::Unsure], None),
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
