//! `wilco fixed`: a main agent says what it fixed, or that it cannot.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::values::Content;
use crate::{posted, validation};

/// Say what you fixed, or that you cannot; it is checked again
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco fixed 42 --fix \"The password is checked\" --file src/login.rs\n  \
    wilco fixed 42 --cannot \"The test needs a service that is gone\"")]
pub(crate) struct Args {
    /// The issue, or the validation's id
    pub(crate) issue: String,
    /// What was fixed; repeat it for more
    #[arg(long = "fix", value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) fixes: Vec<String>,
    /// A file that was changed; repeat it for more
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<String>,
    /// Why it cannot be fixed
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "fixes")]
    pub(crate) cannot: Option<String>,
    /// The id of what is answered, such as FIXDONE-42-1, where several phases wait
    #[arg(long, value_name = "ID")]
    pub(crate) message_id: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut content = Content::new(MessageType::FixCompletion)
        .with("fixes", args.fixes.clone())
        .with("files", args.files.clone())
        .with("message_id", args.message_id.clone());
    if let Some(reason) = args.cannot {
        content.set("status", "cannot-fix");
        content.set("reason", reason);
    }
    let answer = validation::say(&args.caller, &args.issue, content)?;
    Ok(posted::show(&args.caller, &answer))
}
