//! Why a server that does not answer may not start.

use super::Exam;
use super::finding::Finding;
use crate::config::Config;
use crate::place::Place;

pub(super) fn examine(exam: &mut Exam<'_>, place: &Place) {
    let wrong = Config::load(place.config.as_deref()).and_then(|config| config.check());
    if let Err(wrong) = wrong {
        let text = format!("a server would not start with it: {wrong:#}");
        exam.found.push(Finding::wrong("configuration", text).next("wilco config show"));
    }
}
