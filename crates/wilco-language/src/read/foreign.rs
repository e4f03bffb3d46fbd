//! A few plain words of German and Spanish: done, stopped, paused, resumed, passed, ready, wait.
//!
//! No grammar: a claim counts only when every word of its clause is known, and nothing in the text could take it back.
//! What goes beyond that is not read, and its writer is told.

use super::claim::About;
use super::mood::{is_doubtful, is_later, is_number, is_reported};
use super::progress::is_open;
use super::sentence::{Sentence, find, sentences};
use super::text;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    Done,
    Stopped,
    Paused,
    Resumed,
    Passed,
}

const CLAIMS: [(&str, Foreign); 25] = [
    ("fertig", Foreign::Done),
    ("erledigt", Foreign::Done),
    ("abgeschlossen", Foreign::Done),
    ("fertiggestellt", Foreign::Done),
    ("terminada", Foreign::Done),
    ("terminado", Foreign::Done),
    ("completada", Foreign::Done),
    ("completado", Foreign::Done),
    ("gestoppt", Foreign::Stopped),
    ("abgebrochen", Foreign::Stopped),
    ("detenida", Foreign::Stopped),
    ("detenido", Foreign::Stopped),
    ("pausiert", Foreign::Paused),
    ("pausada", Foreign::Paused),
    ("pausado", Foreign::Paused),
    ("fortgesetzt", Foreign::Resumed),
    ("aufgenommen", Foreign::Resumed),
    ("reanudada", Foreign::Resumed),
    ("reanudado", Foreign::Resumed),
    ("retomada", Foreign::Resumed),
    ("retomado", Foreign::Resumed),
    ("bestanden", Foreign::Passed),
    ("pasan", Foreign::Passed),
    ("pasaron", Foreign::Passed),
    ("pasado", Foreign::Passed),
];
/// What stands for the whole of a task.
const WHOLE: [&str; 6] = ["aufgabe", "arbeit", "alles", "tarea", "trabajo", "todo"];
const ALL: [&str; 4] = ["alle", "todas", "todos", "sämtliche"];
/// What else may stand in the clause of a claim.
const AROUND: [&str; 39] = [
    "ist",
    "sind",
    "wurde",
    "wurden",
    "habe",
    "hab",
    "haben",
    "ich",
    "die",
    "der",
    "das",
    "den",
    "an",
    "zu",
    "für",
    "jetzt",
    "nun",
    "komplett",
    "vollständig",
    "wieder",
    "issue",
    "unit",
    "unit-tests",
    "tests",
    "está",
    "la",
    "el",
    "las",
    "los",
    "en",
    "de",
    "del",
    "he",
    "ha",
    "han",
    "sido",
    "ya",
    "pruebas",
    "unitarias",
];
/// Negations, conditions, exceptions, doubts, other times, other people.
const CUES: [&str; 90] = [
    "nicht",
    "nichts",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "noch",
    "nie",
    "ohne",
    "außer",
    "ausser",
    "bis",
    "abgesehen",
    "wenn",
    "falls",
    "sobald",
    "solange",
    "nachdem",
    "fast",
    "beinahe",
    "nahezu",
    "teilweise",
    "teils",
    "sollte",
    "sollten",
    "müsste",
    "könnte",
    "würde",
    "dürfte",
    "vielleicht",
    "wahrscheinlich",
    "vermutlich",
    "wohl",
    "glaube",
    "denke",
    "hoffe",
    "scheint",
    "anscheinend",
    "wird",
    "werde",
    "morgen",
    "bald",
    "gleich",
    "später",
    "aber",
    "jedoch",
    "sagt",
    "sagte",
    "laut",
    "meint",
    "gemeldet",
    "offen",
    "fehlt",
    "fehlen",
    "fehler",
    "fehlgeschlagen",
    "rot",
    "no",
    "ni",
    "sin",
    "salvo",
    "excepto",
    "menos",
    "si",
    "cuando",
    "casi",
    "parcialmente",
    "debería",
    "podría",
    "quizá",
    "quizás",
    "probablemente",
    "creo",
    "espero",
    "parece",
    "será",
    "mañana",
    "pronto",
    "luego",
    "pero",
    "dice",
    "dijo",
    "según",
    "falta",
    "faltan",
    "pendiente",
    "aún",
    "todavía",
    "fallo",
    "fallos",
];
/// A cue in them says nothing of the kind.
const HARMLESS: [&str; 6] =
    ["keine fehler", "ohne fehler", "0 fehler", "sin errores", "sin fallos", "0 fallos"];

/// What a text claims of this piece of work.
pub(super) fn claimed(body: &str, about: &About<'_>) -> Option<Foreign> {
    // Most texts have none of these words, and are not looked at again.
    let lower = body.to_lowercase();
    if !CLAIMS.iter().any(|(word, _)| lower.contains(word)) {
        return None;
    }
    let read = sentences(body);
    let quotes = text::lines(body).iter().any(|line| line.quoted);
    let takes_back = |one: &Sentence| {
        let words = one.words();
        one.asks || one.cut || has_cue(one) || about.names_other(&words) || {
            is_open(one) || is_doubtful(one) || is_reported(one) || is_later(one)
        }
    };
    if quotes || read.iter().any(takes_back) {
        return None;
    }
    let pieces = read
        .iter()
        .flat_map(|one| &one.clauses)
        .flat_map(|clause| clause.words.split(|word| matches!(word.as_str(), "und" | "y")));
    let pieces: Vec<_> = pieces.filter(|piece| !piece.is_empty()).collect();
    let mut found = pieces.iter().filter_map(|piece| claim(piece, about, pieces.len() == 1));
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

fn claim(piece: &[String], about: &About<'_>, alone: bool) -> Option<Foreign> {
    let meaning = |word: &String| CLAIMS.iter().find(|(known, _)| known == word).map(|(_, meaning)| *meaning);
    let mut said = piece.iter().filter_map(meaning);
    let said = said.next().filter(|_| said.next().is_none())?;
    let known = |word: &String| {
        let word = word.as_str();
        let counted = said == Foreign::Passed && is_number(word);
        about.is_own(word) || counted || [&WHOLE[..], &ALL, &AROUND].iter().any(|words| words.contains(&word))
    };
    let has = |words: &[&str]| piece.iter().any(|word| words.contains(&word.as_str()));
    let whole = match said {
        Foreign::Passed => has(&ALL),
        Foreign::Done | Foreign::Stopped | Foreign::Paused | Foreign::Resumed => {
            piece.iter().any(|word| about.is_own(word)) || has(&WHOLE) || (alone && piece.len() == 1)
        }
    };
    (whole && piece.iter().all(|word| meaning(word).is_some() || known(word))).then_some(said)
}

fn has_cue(sentence: &Sentence) -> bool {
    let words = sentence.words();
    let harmless = |at: usize| {
        HARMLESS.iter().any(|phrase| {
            let from = at.saturating_sub(1);
            find(&words[from..words.len().min(at + 2)], phrase).is_some()
        })
    };
    words.iter().enumerate().any(|(at, word)| CUES.contains(word) && !harmless(at))
}

/// `bitte noch warten`, `espera un momento`.
pub(super) fn asks_to_wait(sentence: &Sentence) -> bool {
    const WAIT: [&str; 12] = [
        "warten",
        "warte bitte",
        "bitte warte",
        "einen moment",
        "moment bitte",
        "noch nicht",
        "nicht jetzt",
        "espera",
        "espere",
        "un momento",
        "todavía no",
        "aún no",
    ];
    sentence.has(&WAIT)
}

/// `kann jetzt neu gestartet werden`, `estoy listo`: every word of the clause is known.
pub(super) fn is_ready(sentence: &Sentence) -> bool {
    const READY: [&str; 5] = ["bereit", "neu gestartet werden", "neu starten", "estoy listo", "estoy lista"];
    const KNOWN: [&str; 20] = [
        "bereit",
        "bin",
        "ich",
        "ja",
        "klar",
        "jetzt",
        "gerne",
        "gern",
        "kann",
        "kannst",
        "darfst",
        "du",
        "mich",
        "neu",
        "gestartet",
        "starten",
        "werden",
        "estoy",
        "listo",
        "lista",
    ];
    let ready = |words: &[String]| {
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        READY.iter().any(|phrase| find(&words, phrase).is_some())
            && words.iter().all(|word| KNOWN.contains(word))
    };
    !sentence.asks && !has_cue(sentence) && sentence.clauses.iter().any(|clause| ready(&clause.words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_11_plain_words_of_other_languages_are_read_and_nothing_beyond() {
        use Foreign::*;
        let about = About { ids: &["GH-210", "42"], title: "unit" };
        let read = [
            ("Aufgabe GH-210 ist fertig. Alle drei Kriterien sind erfüllt.", Done),
            ("GH-210 ist erledigt, PR #7 ist gemergt.", Done),
            ("La tarea GH-210 está terminada.", Done),
            ("Fertig.", Done),
            ("Habe angehalten: GH-210 ist pausiert, Stand ist gepusht.", Paused),
            ("GH-210 está pausada.", Paused),
            ("Die Arbeit an GH-210 ist gestoppt.", Stopped),
            ("Weiter geht's: habe GH-210 wieder aufgenommen und sitze am Config-Teil.", Resumed),
            ("He retomado GH-210.", Resumed),
            ("Alle 44 Unit-Tests zu Issue 42 bestanden, keine Fehler.", Passed),
            ("Todas las pruebas pasan.", Passed),
        ];
        for (body, expected) in read {
            assert_eq!(claimed(body, &about), Some(expected), "{body}");
        }
        let unread = [
            "GH-210 ist noch nicht fertig.",
            "GH-210 ist fertig bis auf die Doku.",
            "GH-210 ist fast fertig.",
            "Ist GH-210 fertig?",
            "Wenn die CI grün ist, ist GH-210 fertig.",
            "impl-2 sagt, GH-210 ist fertig.",
            "GH-211 ist fertig.",
            "Der Limiter ist fertig.",
            "Der Limiter für GH-210 ist fertig.",
            "Fertig mit dem Limiter.",
            "GH-210 ist fertig. Der Test fehlt.",
            "GH-210 wird morgen fertig.",
            "> GH-210 ist fertig.\n\nSo?",
            "La tarea GH-210 no está terminada.",
            "GH-210 está casi terminada.",
            "GH-210 está terminada, falta la prueba.",
            "Alle 44 von 50 Tests bestanden.",
            "Alle Tests bestanden, 3 Fehler.",
            "Tests bestanden.",
            "Alle Tests zu Issue 24 bestanden.",
            "Todas las pruebas pasan salvo una.",
        ];
        for body in unread {
            assert_eq!(claimed(body, &about), None, "{body}");
        }
    }
}
