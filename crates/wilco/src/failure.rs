//! Errors as the one at the terminal sees them, and their exit codes.

use std::fmt;
use std::process::ExitCode;

use crate::output::escape::{json, visible};

/// Something in the command itself is missing or wrong: exit code 2.
#[derive(Debug)]
pub(crate) struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The server refused, and the caller wants its own words: the document goes out as it came.
#[derive(Debug)]
pub(crate) struct Refused(pub String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// What failed, and each cause that is not told by it already.
fn whole(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Says on stderr what failed. The text may quote others, so nothing in it reaches the terminal raw.
pub(crate) fn show(error: &anyhow::Error) -> ExitCode {
    if let Some(Refused(document)) = error.downcast_ref() {
        eprintln!("{}", json(document));
        return ExitCode::FAILURE;
    }
    eprintln!("wilco: {}", visible(&whole(error)));
    if error.downcast_ref::<Usage>().is_some() { ExitCode::from(2) } else { ExitCode::FAILURE }
}
