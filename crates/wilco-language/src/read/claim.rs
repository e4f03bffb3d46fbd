//! What a sentence claims of a piece of work: all of it, a part of it, or something else; and how firmly.
//!
//! A claim is a predicate (`done`, `stopped`, `fixed`) with its subject before it or its object behind it. Only known
//! words stand for the whole: ids, the task's title, nouns such as `work`. Everything else is a part or somebody
//! else's, so an unknown word never completes anything. Which predicates there are is the readers' matter.

use super::mood::{self, MEANT, Mood, NEGATIONS, is_doubtful, is_later, is_number, is_reported};
use super::sentence::{Place, Sentence};

/// The piece of work that a text is about.
#[derive(Debug, Clone, Copy, Default)]
pub struct About<'a> {
    /// Every id that names it.
    pub ids: &'a [&'a str],
    /// Its title: its words stand for it.
    pub title: &'a str,
}

/// How much of the work a claim speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    /// A part, or something unknown.
    Part,
    /// A piece of work that is known to be another.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) extent: Extent,
    pub(super) mood: Mood,
}

impl Claim {
    pub(super) fn is_plain_whole(&self) -> bool {
        self.extent == Extent::Whole && self.mood == Mood::Plain
    }
}

/// The words of one kind of claim.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vocabulary {
    /// What is claimed. A predicate of two words is written with a space.
    pub(super) predicates: &'static [&'static str],
    /// What stands for the whole.
    pub(super) nouns: &'static [&'static str],
    /// The same, when all of them are meant: `all criteria`.
    pub(super) countable: &'static [&'static str],
}

impl About<'_> {
    pub(super) fn is_own(&self, word: &str) -> bool {
        self.ids.iter().any(|id| id.eq_ignore_ascii_case(word.trim_start_matches('#')))
    }

    /// An id like its own with another number.
    pub(super) fn is_other(&self, word: &str) -> bool {
        let prefix = |id: &str| id.split(['-', '_', '#']).next().map(str::to_lowercase).unwrap_or_default();
        let digits = word.contains(|c: char| c.is_ascii_digit()) && word.contains(['-', '_', '#']);
        let alike = |id: &str| !prefix(id).is_empty() && prefix(id) == prefix(word);
        digits && !self.is_own(word) && self.ids.iter().any(|id| alike(id))
    }

    /// Whether a piece of work like this one, but another, is named: `issue 24` where issue 42 is asked.
    pub(super) fn names_other(&self, words: &[&str]) -> bool {
        let numbered = |word: &str| word.parse::<u64>().is_ok();
        let by_number =
            words.windows(2).any(|two| LEADS.contains(&two[0]) && numbered(two[1]) && !self.is_own(two[1]));
        // `GH-24` where the issue is called `42`.
        let prefixed = |word: &&str| {
            let number = word.strip_prefix("gh-").or_else(|| word.strip_prefix("issue-"));
            number.is_some_and(|number| numbered(number) && !self.is_own(number) && !self.is_own(word))
        };
        by_number || words.iter().any(prefixed) || words.iter().any(|word| self.is_other(word))
    }

    /// Whether a word of the title is meant; `limiter` and `limiting` are the same.
    fn is_of_title(&self, word: &str) -> bool {
        const STEM: usize = 5;
        const SHORTEST: usize = 4;
        let stem = |word: &str| word.chars().take(STEM).collect::<String>().to_lowercase();
        let words = self.title.split(|c: char| !c.is_alphanumeric());
        let known = words.filter(|known| known.chars().count() >= SHORTEST);
        word.chars().count() >= SHORTEST && known.map(stem).any(|known| known == stem(word))
    }
}

/// What stands before the number of a piece of work.
const LEADS: [&str; 6] = ["issue", "issues", "ticket", "bug", "story", "gh"];
/// Words between a subject and its predicate.
const LINKS: &str = "is do does did are am was were has have had been be being now all fully successfully finally already just \
    totally entirely completely officially both also 100% indeed too get got therefore hereby immediately thus \
    not never yet will shall should would could might may must can almost nearly mostly largely partially partly \
    still probably maybe perhaps hopefully basically essentially technically likely possibly soon properly then \
    seems seem appears looks to like quite really actually truly half";
/// Words before a subject.
const OPENERS: &str = "and so but then yes yep ok okay well now finally great good update hi status done confirmed understood that \
    with which hey boss alright perfect news sure also if once when unless until as soon because since whether \
    almost nearly probably maybe perhaps hopefully mostly apparently not";
/// Whoever thinks says it all the same, but doubts.
const THINKS: &[&str] =
    &["think", "believe", "guess", "suppose", "hope", "assume", "consider", "would", "can", "could", "say"];
const DETERMINERS: [&str; 13] =
    ["the", "a", "an", "this", "that", "my", "our", "your", "its", "entire", "whole", "full", "these"];
const PRONOUNS: [&str; 9] = ["it", "everything", "this", "that", "they", "them", "these", "those", "both"];
const FILLERS: [&str; 10] = ["of", "on", "for", "to", "the", "a", "in", "from", "implementing", "with"];
/// Behind an object: how, when and where, not what.
const CUTS: &str = "in as now today at via per because since ahead successfully already including plus again yesterday right \
    before and too here immediately all this me straight except apart aside other but unless once if when until \
    pending minus besides excluding after provided modulo assuming tomorrow soon later by within depending";

/// Whether a word is one of these.
fn among(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// Every claim of a sentence.
pub(super) fn claims(sentence: &Sentence, about: &About<'_>, known: &Vocabulary) -> Vec<Claim> {
    let mut found = Vec::new();
    for (at, clause) in sentence.clauses.iter().enumerate() {
        let words: Vec<_> = clause.words.iter().map(String::as_str).collect();
        let Some((place, length)) = predicate(&words, known.predicates) else { continue };
        let (before, after) = (&words[..place], &words[place + length..]);
        if before.last().is_some_and(|word| matches!(*word, "well" | "of" | "to")) {
            continue;
        }
        let next = sentence.clauses.get(at + 1).filter(|next| next.keyed && after.is_empty());
        let listed: Vec<&str> =
            next.map(|next| next.words.iter().map(String::as_str).collect()).unwrap_or_default();
        let above = at.checked_sub(1).and_then(|above| sentence.clauses.get(above)).filter(|_| clause.keyed);
        let key: Vec<&str> =
            above.map(|above| above.words.iter().map(String::as_str).collect()).unwrap_or_default();
        let object = if listed.is_empty() { after } else { &listed };
        let extent = match is_titled(sentence, at, about) {
            true => Extent::Whole,
            false => extent(before, object, &key, about, known, sentence.place),
        };
        let mood = match mood(sentence, before) {
            Mood::Plain if extent == Extent::Whole && !is_known_tail(before, after) => Mood::Doubtful,
            mood => mood,
        };
        found.push(Claim { extent, mood });
    }
    found
}

/// What may go on behind a predicate whose subject stands before it: `GH-1 is done in 4f2a1c9`. Anything else may turn
/// it: `GH-1 is done sans docs`.
const TAILS: &str = "whenever now today already in on at as with and for by again too here via per since including successfully \
    plus see this all indeed after because before so which within under fully cleanly well to when ahead twice \
    both from thanks fine without";

const PLACES: &str = "pr mr pull request commit branch main master origin time full all total one two repo repository issue file \
    files first";

fn is_known_tail(before: &[&str], after: &[&str]) -> bool {
    let subject = before.iter().any(|word| !matches!(*word, "i" | "we") && !among(LINKS, word));
    let known = |word: &&str| among(TAILS, word) || is_number(word) || !word.contains(char::is_alphabetic);
    // `in 4f2a1c9`, `on branch x`, `in PR 88`, but not `in my sandbox`.
    let placed = |words: &[&str]| match words {
        ["in" | "on" | "at", rest @ ..] => {
            let place = |word: &&str| among(PLACES, word) || word.contains(|c: char| !c.is_alphabetic());
            !rest.contains(&"my") && rest.iter().take(3).any(place)
        }
        _ => true,
    };
    !subject || (after.first().is_none_or(known) && placed(after))
}

/// What may stand in the sentence of a claim besides its words: courtesy, tests that pass, a pull request, where it is.
const BESIDE: &str = "a an the this that these it its i we my our you your me us and so then now yes yep ok okay hi hey hello \
    boss team all everything both every each whole entire full fully successfully completely entirely finally just \
    already also again too here there with on of for to in at by as from via per is are was were has have had been be \
    am do can may will done finished finish complete completed concluded wrapped up delivered shipped closed close \
    task work job issue ticket assignment implementation implemented implementing feature story change changes code \
    criteria criterion acceptance requirements requirement items points steps deliverables subtasks one two three \
    four five six ten met satisfied fulfilled covered covering test tests tested suite pass passes passed passing green build ci \
    lint clippy checks run running went through pr mr pull request merge requests open opened up ready review reviewed \
    reviewing awaiting waiting please see look merged merge pushed committed commit commits branch main master origin \
    link below summary details attached no zero errors error failures failed problems issues questions follow-ups \
    needed nothing none left side whenever when time thanks thank apologies wait quick note status update state result \
    final confirm confirmed confirming reporting report inform hereby including docs documentation documented verified \
    locally works working expected against added great good news happy glad let know if anything else \
    feat fix repo successful according key config setting configurable file files back over out which where \
    validation phase check specs verdict outcome overall cases assertions scenarios unit integration warnings seconds \
    minutes ran executed clean exit name but failing failed before fail used skipped times complain about without lgtm checked regression regressions found add them those previous earlier last termine terminé get got go well sure understood acknowledged into free next";

/// Whether the sentence of a claim says nothing else that may turn it. What stands behind a colon after the claim is what
/// was done, in any words.
pub(super) fn is_plainly_said(sentence: &Sentence, about: &About<'_>, known: &Vocabulary) -> bool {
    let claimed = |words: &[String]| {
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        predicate(&words, known.predicates).is_some()
    };
    let plain = |word: &str| {
        let written = word.contains(|c: char| !c.is_alphabetic() && c != '-' && c != '\'');
        let short = word.chars().count() == 1 || word.starts_with("test");
        let own = about.is_own(word) || about.is_of_title(word);
        written || short || own || among(BESIDE, word) || predicate(&[word], known.predicates).is_some()
    };
    let list = sentence.clauses.iter().position(|clause| clause.keyed).unwrap_or(sentence.clauses.len());
    let before = sentence.clauses[..list].iter().any(|clause| claimed(&clause.words));
    let said = if before { &sentence.clauses[..list] } else { &sentence.clauses[..] };
    said.iter().all(|clause| clause.words.iter().all(|word| plain(word)))
}

/// A heading of two parts, the work's own id and what is claimed of it: `## GH-1 – complete`.
fn is_titled(sentence: &Sentence, at: usize, about: &About<'_>) -> bool {
    let [id, claimed] = sentence.clauses.as_slice() else { return false };
    let own = matches!(id.words.as_slice(), [id] if about.is_own(id));
    sentence.place == Place::Title && at == 1 && own && claimed.words.len() == 1
}

fn mood(sentence: &Sentence, before: &[&str]) -> Mood {
    match () {
        () if before.iter().any(|word| NEGATIONS.contains(word)) => Mood::Negated,
        () if is_reported(sentence) => Mood::Reported,
        () if sentence.asks => Mood::Doubtful,
        () if mood::is_conditional(sentence) && !mood::has(before, &["i will", "we will"]) => Mood::Doubtful,
        () if (is_later(sentence) || mood::has(before, &MEANT)) && !before.contains(&"should") => Mood::Later,
        () if is_doubtful(sentence) => Mood::Doubtful,
        () => Mood::Plain,
    }
}

/// Where a predicate stands, and how many words it has. Small slips are forgiven in long words.
fn predicate(words: &[&str], predicates: &[&str]) -> Option<(usize, usize)> {
    const LONG: usize = 7;
    let slip = |word: &str, known: &str| {
        known.len() >= LONG
            && word.len().abs_diff(known.len()) <= 1
            && word.as_bytes().first() == known.as_bytes().first()
            && strsim::osa_distance(word, known) <= 1
    };
    let at = |start: usize| {
        predicates.iter().find_map(|known| {
            let parts: Vec<_> = known.split(' ').collect();
            let said = words.get(start..start + parts.len())?;
            let same =
                said.iter().zip(&parts).all(|(word, part)| word == part || *part == "*" || slip(word, part));
            same.then_some((start, parts.len()))
        })
    };
    (0..words.len()).find_map(at)
}

fn extent(
    before: &[&str],
    after: &[&str],
    key: &[&str],
    about: &About<'_>,
    known: &Vocabulary,
    place: Place,
) -> Extent {
    let link = |word: &str| among(LINKS, word) || mood::doubts(word);
    let end = before.iter().rposition(|word| !link(word)).map_or(0, |at| at + 1);
    let all = before[end..].contains(&"all") || before[end..].contains(&"both");
    let subject = &before[..end];
    let thinks = matches!(subject, ["i" | "we", next, ..] if THINKS.contains(next));
    let opens = |word: &&str| {
        among(OPENERS, word) || (thinks && (matches!(*word, "i" | "we") || THINKS.contains(word)))
    };
    let start = subject.iter().position(|word| !opens(word)).unwrap_or(subject.len());
    // `That is done`, and not `that` of `that the limiter is done`.
    let subject =
        if start == subject.len() && subject.last() == Some(&"that") { &[] } else { &subject[start..] };
    let mine = |word: &&str| matches!(*word, "me" | "us" | "now" | "then");
    let by_other = after.first() == Some(&"by") && after.get(1).is_some_and(|word| !mine(word));
    if by_other {
        return Extent::Other;
    }
    if !matches!(subject, [] | ["i"] | ["we"]) {
        return noun_phrase(subject, all, about, known);
    }
    // `Status: done` and `GH-1: done` say it of what the key names, `Tests: done` of the tests.
    if !key.is_empty()
        && subject.is_empty()
        && !matches!(key, ["status" | "state" | "update" | "result" | "overall"])
    {
        return noun_phrase(key, all, about, known);
    }
    let object = cut(after);
    if object.is_empty() && subject.is_empty() && key.is_empty() && place != Place::Prose {
        // A title `Done` above a list, or an item of one.
        return Extent::Part;
    }
    // `done for today`
    if object.is_empty() && after.first() == Some(&"for") {
        return Extent::Part;
    }
    if object.is_empty() { Extent::Whole } else { noun_phrase(object, all, about, known) }
}

/// The object behind a predicate, without how and when.
fn cut<'a>(after: &'a [&'a str]) -> &'a [&'a str] {
    let led =
        after.first().is_some_and(|word| matches!(*word, "with" | "on" | "for" | "working" | "implementing"));
    let after = if led { &after[1..] } else { after };
    // `all of it` is an object.
    let end = after.iter().enumerate().find(|(at, word)| {
        let object = *at == 0 && matches!(**word, "all" | "this");
        among(CUTS, word) && !object
    });
    &after[..end.map_or(after.len(), |(at, _)| at)]
}

fn noun_phrase(words: &[&str], all: bool, about: &About<'_>, known: &Vocabulary) -> Extent {
    if words.iter().any(|word| about.is_other(word)) && !words.iter().any(|word| about.is_own(word)) {
        return Extent::Other;
    }
    let all = all || words.iter().any(|word| matches!(*word, "all" | "every" | "both"));
    let filler = |word: &&str| {
        DETERMINERS.contains(word)
            || FILLERS.contains(word)
            || matches!(*word, "all" | "every" | "both" | "requested" | "assigned" | "required")
    };
    let several = words.windows(2).any(|two| two[0] == "the" && is_number(two[1]) && two[1] != "one");
    let noun = |word: &&str| {
        let counted = (all || several) && known.countable.contains(word);
        known.nouns.contains(word) || PRONOUNS.contains(word) || counted
    };
    // `PR 88` is one thing, `all three criteria` are all of them.
    let next = |at: usize| {
        words.get(at + 1).is_some_and(|word| known.nouns.contains(word) || known.countable.contains(word))
    };
    let counted = |at: usize| {
        at > 0
            && (matches!(words[at - 1], "pr" | "mr" | "request")
                || (words[at - 1] == "the" && words[at] != "one" && next(at)))
    };
    if let Some(own) = words.iter().position(|word| about.is_own(word)) {
        let known = |at: usize, word: &&str| {
            let lead = at + 1 == own && LEADS.contains(word);
            lead || filler(word) || noun(word) || about.is_of_title(word) || (is_number(word) && counted(at))
        };
        // `GH-1 docs` are a part of GH-1.
        let whole = words.iter().enumerate().all(|(at, word)| at == own || known(at, word));
        return if whole { Extent::Whole } else { Extent::Part };
    }
    let kept = words
        .iter()
        .enumerate()
        .filter(|(at, word)| !filler(word) && !(is_number(word) && (all || counted(*at))));
    let rest: Vec<_> = kept.map(|(_, word)| word).collect();
    if rest.is_empty() {
        let pronoun = words.iter().any(|word| PRONOUNS.contains(word) || *word == "all");
        return if pronoun || words.is_empty() { Extent::Whole } else { Extent::Part };
    }
    let titled = rest.iter().filter(|word| about.is_of_title(word)).count();
    let nouns = rest.iter().filter(|word| noun(word)).count();
    let covered = rest.iter().all(|word| noun(word) || about.is_of_title(word));
    if covered && (nouns > 0 || titled > 1) { Extent::Whole } else { Extent::Part }
}

#[cfg(test)]
mod tests {
    use super::super::sentence::sentences;
    use super::*;

    const DONE: Vocabulary = Vocabulary {
        predicates: &["done", "finished", "completed", "complete"],
        nouns: &["task", "work"],
        countable: &["criteria"],
    };

    #[test]
    fn talk_11_whose_and_how_much_is_told_apart() {
        let about = About { ids: &["GH-210"], title: "Add rate limiting to the login endpoint" };
        use {Extent::*, Mood::*};
        let table = [
            ("done", Whole, Plain),
            ("GH-210 is done", Whole, Plain),
            ("The work on GH-210 is now complete", Whole, Plain),
            ("I have completed rate limiting", Whole, Plain),
            ("I've finished the limiter", Part, Plain),
            ("The middleware is done", Part, Plain),
            ("done: limiter", Part, Plain),
            ("Tests: done", Part, Plain),
            ("Status: done", Whole, Plain),
            ("All three criteria are done", Whole, Plain),
            ("3 criteria are done", Part, Plain),
            ("step 1 of 4 is complete", Part, Plain),
            ("GH-211 is done", Other, Plain),
            ("It was completed by impl-2", Other, Plain),
            ("tester-9 finished the review", Part, Plain),
            ("It is not done", Whole, Negated),
            ("It will be done", Whole, Later),
            ("It should be done", Whole, Doubtful),
            ("It is compelte", Whole, Plain),
            ("I'm done with it", Whole, Plain),
            ("I'm done with the tests", Part, Plain),
        ];
        for (text, extent, mood) in table {
            assert_eq!(claims(&sentences(text)[0], &about, &DONE), [Claim { extent, mood }], "{text}");
        }
        assert_eq!(claims(&sentences("Well done")[0], &about, &DONE), []);
    }
}
