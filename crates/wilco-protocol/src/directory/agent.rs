//! One agent and what is known of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr};

use crate::name::Name;
use crate::time::{Span, Time};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// Made by the server, never changed.
    pub id: String,
    pub name: Name,
    #[serde(flatten)]
    pub profile: Profile,
    /// What somebody set; without it the agent's presence is its status.
    pub mark: Option<Mark>,
    pub registered: Time,
}

/// What may be said about an agent when it is registered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Profile {
    #[serde(default)]
    pub alias: Option<String>,
    #[serde(default)]
    pub session: Option<String>,
    #[serde(default)]
    pub host: Option<String>,
    #[serde(default)]
    pub program: Option<String>,
    #[serde(default)]
    pub role: Role,
    #[serde(default)]
    pub capabilities: Vec<String>,
    #[serde(default)]
    pub nudge: Option<Value>,
    #[serde(default)]
    pub github: Option<String>,
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// What it is taught to answer by; without it, what it spoke by last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaks: Option<Interface>,
    /// How long copies that inform only are gathered before they are told as one; see `digest_period`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Span>,
}

impl Profile {
    /// None: they are told at once. Zero means the same.
    pub fn digest_period(&self) -> Option<Span> {
        self.digest.filter(|period| !period.is_zero())
    }
}

/// What an agent speaks to Wilco by.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    IntoStaticStr,
    EnumString,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Interface {
    /// Plain words, however they came.
    #[default]
    Text,
    /// The verbs of the command line.
    Cli,
    /// Typed JSON over `/v1`.
    Http,
    /// Typed JSON over `/api`, as scripts of AI Maestro send it.
    Api,
    Mcp,
}

impl Interface {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    #[default]
    Worker,
    Orchestrator,
    ChiefOfStaff,
    Specialist,
    Controller,
    #[serde(alias = "user")]
    Person,
}

/// A status that is set rather than seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Mark {
    Unresponsive,
    Hibernated,
    Inactive,
}

impl Mark {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

impl Agent {
    /// The session it works in; by default its name.
    pub fn session(&self) -> &str {
        self.profile.session.as_deref().unwrap_or(self.name.as_str())
    }
}
