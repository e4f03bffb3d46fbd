//! What the server answered: as it came, and typed.

use serde::de::DeserializeOwned;

use crate::error::Error;

/// An answer. The text is what the server sent, so that a program sees fields that this client does not know.
#[derive(Debug, Clone)]
pub struct Answer<T> {
    pub text: String,
    pub value: T,
}

impl<T: DeserializeOwned> Answer<T> {
    pub(crate) fn read(url: &str, status: u16, text: String) -> Result<Answer<T>, Error> {
        match serde_json::from_str(&text) {
            Ok(value) => Ok(Answer { text, value }),
            Err(error) => Err(Error::foreign(url, status, &error.to_string())),
        }
    }
}
