//! What the server answered: as it came, and typed.

use serde::de::DeserializeOwned;

use crate::error::Error;

/// An answer. The text is what the server sent, so that a program sees fields that this client does not know.
#[derive(Debug, Clone)]
pub struct Answer<T> {
    pub text: String,
    pub value: T,
    /// What time it was for the server, if it said so.
    pub at: Option<String>,
}

/// An answer that is not read yet.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) text: String,
    pub(crate) at: Option<String>,
}

impl Received {
    pub(crate) fn read<T: DeserializeOwned>(self, url: &str) -> Result<Answer<T>, Error> {
        let Received { status, text, at } = self;
        match serde_json::from_str(&text) {
            Ok(value) => Ok(Answer { text, value, at }),
            Err(error) => Err(Error::foreign(url, status, &error.to_string())),
        }
    }
}
