//! Looking for messages.

use wilco_protocol::Name;

use crate::error::StoreError;
use crate::search::{SearchFilter, words};
use crate::{Reader, Store};

use super::Author;

/// The positions of everything that fits, page by page.
pub fn walk(reader: &(impl Reader + ?Sized), filter: &SearchFilter) -> Result<Vec<u64>, StoreError> {
    let (mut filter, mut places) = (filter.clone(), Vec::new());
    loop {
        let found = reader.search(&filter)?;
        assert!(found.rows.len() <= filter.limit, "more than was asked for");
        places.extend(found.rows.iter().map(|row| row.position));
        match found.next {
            Some(next) => {
                assert!(filter.before.is_none_or(|before| next < before), "it does not come forward");
                filter.before = Some(next);
            }
            None => return Ok(places),
        }
    }
}

fn said(text: &str) -> SearchFilter {
    SearchFilter { words: words(text), limit: 10, ..SearchFilter::default() }
}

const NONE: [u64; 0] = [];

pub(super) fn api_2_messages_are_found_by_what_they_say(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    let hello = author.letter("ann", "bob", None, "Hello", r#"{"message":"The logout endpoint is DONE"}"#);
    author.event(None, "between");
    let task = author.letter(
        "boss",
        "bob-2",
        Some(7),
        "Logout",
        r#"{"type":"Task_Assignment","task_id":"GH-42","steps":[{"say":"caf\u00e9"}],"port":8080}"#,
    );
    let odd = author.letter("bob", "ann", None, "\"a\" OR (b* NOT c) : ^ -- ; DROP TABLE message", "{}");
    author.message("m99", None, "not JSON");
    store.commit(&author.take(1))?;

    let found = |text: &str| walk(&*store, &said(text));
    assert_eq!(found("logout")?, [task, hello], "newest first, in subject and content");
    assert_eq!(found("LOGOUT endpoint")?, [hello], "all words, in any case");
    assert_eq!(found("log")?, [task, hello], "a word may be begun");
    assert_eq!(found("ogout")?, NONE, "from its beginning");
    assert_eq!(found("gh-42")?, [task]);
    assert_eq!(found("café")?, [task], "deep inside");
    assert_eq!(found("8080")?, [task], "numbers too");
    assert_eq!(found("task_id")?, NONE, "what somebody said, not the names of fields");
    assert_eq!(found("\"a\" OR (b* NOT c)")?, [odd], "operators are words");
    assert_eq!(found("'; DROP TABLE message; --")?, [odd]);
    assert_eq!(found("nobody")?, NONE);

    let name = |text: &str| Some(Name::new(text));
    let any = said("");
    let wanted = |filter: SearchFilter| walk(&*store, &filter);
    assert_eq!(wanted(SearchFilter { from: name("ann"), ..any.clone() })?, [hello]);
    assert_eq!(wanted(SearchFilter { from: name("Ann"), ..any.clone() })?, NONE, "names are exact");
    assert_eq!(wanted(SearchFilter { to: name("bob-2"), ..any.clone() })?, [task]);
    assert_eq!(wanted(SearchFilter { to: name("bob_2"), ..any.clone() })?, NONE);
    assert_eq!(wanted(SearchFilter { agent: name("bob"), ..any.clone() })?, [odd, hello]);
    assert_eq!(wanted(SearchFilter { agent: name("bob"), from: name("ann"), ..any.clone() })?, [hello]);
    let kind = |word: &str| Some(crate::kind_word(word));
    assert_eq!(wanted(SearchFilter { kind: kind("task-assignment"), ..any.clone() })?, [task]);
    assert_eq!(wanted(SearchFilter { kind: kind("conversation"), ..any.clone() })?, [odd, hello]);
    assert_eq!(wanted(SearchFilter { exchange: Some(7), ..any.clone() })?, [task]);
    assert_eq!(wanted(SearchFilter { exchange: Some(7), ..said("endpoint") })?, NONE);
    assert_eq!(wanted(SearchFilter { before: Some(task), ..said("logout") })?, [hello]);
    assert_eq!(wanted(any)?.len(), 4, "everything");
    Ok(())
}

pub(super) fn api_2_what_is_found_comes_in_pages(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    let mut rare = Vec::new();
    for number in 0..3000 {
        let word = if number % 700 == 0 { "rare" } else { "usual" };
        let place = author.letter("ann", "bob", None, word, "{}");
        rare.extend((word == "rare").then_some(place));
    }
    store.commit(&author.take(1))?;
    rare.reverse();
    assert_eq!(walk(&*store, &said("rare"))?, rare, "however far apart they are");
    assert_eq!(walk(&*store, &SearchFilter { limit: 1, ..said("rare") })?, rare);
    assert_eq!(walk(&*store, &SearchFilter { limit: 7, ..said("usual") })?.len(), 3000 - rare.len());
    Ok(())
}
