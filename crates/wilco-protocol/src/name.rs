//! Names and ids: agents, messages, exchanges, escalations.

use std::borrow::Borrow;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strum::IntoStaticStr;

use crate::text::{Short, from_text};
use crate::time::Time;

/// Messages that Wilco makes are from this name, and nobody else may use it.
pub const WILCO: &str = "wilco";

/// Whom Wilco speaks as in a validation.
pub const ORCHESTRATOR: &str = "validation-orchestrator";

/// Names that no agent may have or send under.
pub const RESERVED: [&str; 2] = [WILCO, ORCHESTRATOR];

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                from_text(input, |text| Ok::<_, Infallible>(Self::new(text)))
            }
        }

        impl $name {
            pub fn new(text: impl AsRef<str>) -> Self {
                Self(Arc::from(text.as_ref()))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }

        /// So that a map is asked by a text that nobody had to copy.
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }
    };
}

text_id! {
    /// The name of an agent; unique in its realm, never changed.
    Name
}
text_id! {
    /// The id of a message: made by the server (`msg-{ms}-{7 base36}`) or chosen by the client.
    MessageId
}

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Digits of a position in an id.
const WIDTH: usize = 7;

impl MessageId {
    /// The id that the server gives the message at this position. Positions never repeat and time never goes
    /// back, so ids increase also when the clock stands still, and nothing has to be remembered over a restart.
    pub fn made(at: Time, position: u64) -> MessageId {
        let mut digits = [0; WIDTH];
        let mut rest = position;
        for digit in digits.iter_mut().rev() {
            *digit = DIGITS[(rest % 36) as usize];
            rest /= 36;
        }
        let digits = std::str::from_utf8(&digits).unwrap_or_default();
        // No instant lies before 1970.
        let id = Short::new().before(digits).before("-").number_before(at.millis().unsigned_abs());
        MessageId::new(id.before("msg-").as_str())
    }

    /// When and for which position the server would have made it, if it has that form.
    pub fn parts(&self) -> Option<(i64, u64)> {
        let (millis, suffix) = self.0.strip_prefix("msg-")?.split_once('-')?;
        let made = suffix.len() == WIDTH && suffix.bytes().all(|byte| DIGITS.contains(&byte));
        let position = u64::from_str_radix(suffix, 36).ok().filter(|_| made)?;
        Some((millis.parse().ok()?, position))
    }
}

impl Name {
    /// The name that Wilco's own messages carry.
    pub fn wilco() -> Name {
        Name::new(WILCO)
    }

    /// The name that they carry in a validation.
    pub fn orchestrator() -> Name {
        Name::new(ORCHESTRATOR)
    }

    /// Whether it means Wilco itself.
    pub fn is_wilco(&self) -> bool {
        RESERVED.contains(&self.as_str())
    }

    /// Whether no agent may have it: Wilco's own, and those of commands.
    pub fn is_reserved(&self) -> bool {
        is_reserved(self.as_str())
    }
}

/// Whether no agent may have this name, in these letters.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || name.starts_with(crate::validation::COMMAND)
}

/// The protocols there are. Each is a folder of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Protocol {
    Delegation,
    Operation,
    Handoff,
    Validation,
}

impl Protocol {
    pub const ALL: [Protocol; 4] =
        [Protocol::Delegation, Protocol::Operation, Protocol::Handoff, Protocol::Validation];

    pub fn word(self) -> &'static str {
        self.into()
    }

    /// What the ids of its exchanges begin with.
    fn prefix(self) -> &'static str {
        match self {
            Protocol::Delegation => "del",
            Protocol::Operation => "op",
            Protocol::Validation => "val",
            Protocol::Handoff => "ho",
        }
    }
}

/// The id of an exchange: `del-42`. The number is the journal position of the message that began it,
/// so ids are short, grow, and are never given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExchangeId {
    pub protocol: Protocol,
    pub number: u64,
}

impl fmt::Display for ExchangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.written().as_str())
    }
}

impl ExchangeId {
    pub(crate) fn written(self) -> Short {
        Short::new().number_before(self.number).before("-").before(self.protocol.prefix())
    }
}

impl FromStr for ExchangeId {
    type Err = String;

    fn from_str(text: &str) -> Result<ExchangeId, String> {
        let unknown = || format!("expected an exchange id such as del-42, got {text:?}");
        let (prefix, number) = text.split_once('-').ok_or_else(unknown)?;
        let protocol = Protocol::ALL.into_iter().find(|p| p.prefix() == prefix).ok_or_else(unknown)?;
        Ok(ExchangeId { protocol, number: counted(number).ok_or_else(unknown)? })
    }
}

/// A number from 1 in its only spelling: no sign, no zeros before it.
fn counted<N: FromStr>(text: &str) -> Option<N> {
    let plain = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

impl Serialize for ExchangeId {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.written().as_str())
    }
}

impl<'de> Deserialize<'de> for ExchangeId {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<ExchangeId, D::Error> {
        from_text(input, str::parse)
    }
}

/// The id of an escalation, `del-42-e1`: the first of exchange `del-42`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EscalationId {
    pub exchange: ExchangeId,
    pub number: u32,
}

impl fmt::Display for EscalationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-e{}", self.exchange, self.number)
    }
}

impl FromStr for EscalationId {
    type Err = String;

    fn from_str(text: &str) -> Result<EscalationId, String> {
        let unknown = || format!("expected an escalation id such as del-42-e1, got {text:?}");
        let (exchange, number) = text.rsplit_once("-e").ok_or_else(unknown)?;
        Ok(EscalationId {
            exchange: exchange.parse().map_err(|_| unknown())?,
            number: counted(number).ok_or_else(unknown)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written() {
        let exchange = ExchangeId { protocol: Protocol::Delegation, number: 42 };
        assert_eq!(exchange.to_string(), "del-42");
        assert_eq!("del-42".parse(), Ok(exchange));
        assert_eq!("del-42-e1".parse(), Ok(EscalationId { exchange, number: 1 }));
        for text in ["", "del", "del-", "del-042", "del-x", "xyz-1", "del-42-e", "del--1"] {
            assert!(text.parse::<ExchangeId>().is_err(), "{text:?}");
        }
        for text in ["del-42-e", "del-42-e0", "del-42-e01", "del-42-e+1", "del-42-e-1", "del-42-e4294967296"]
        {
            assert!(text.parse::<EscalationId>().is_err(), "{text:?}");
        }
    }
}
