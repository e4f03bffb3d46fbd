//! A program of the configuration, as operations and validations may run it: who may, and with which arguments. Which
//! program it is, and what it finds in its environment, is the courier's to know.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use wilco_language::message::listed;
use wilco_language::parse::FieldError;
use wilco_protocol::Name;
use wilco_protocol::operation::placeholders;

use crate::authority::TokenHolder;
use crate::command::{Refused, Viewer};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandRule {
    /// Written as a program alone: an operation brings its arguments. For operators and those who are believed.
    Open,
    Fixed(FixedCommand),
}

/// Written as a table: nothing but what is listed there gets into its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FixedCommand {
    /// With places such as `{mode}`.
    pub args: Vec<String>,
    /// What may fill each place.
    pub values: BTreeMap<String, Vec<String>>,
    /// Who may run it besides operators.
    pub may: Vec<Name>,
}

/// Where a request says what it wants of a command.
pub(crate) struct CommandCall<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a [String],
    pub(crate) values: &'a Map<String, Value>,
    /// The pointers of its arguments and its values.
    pub(crate) arguments_at: &'a str,
    pub(crate) values_at: &'a str,
}

impl CommandRule {
    /// Who may run it besides operators.
    pub(crate) fn may(&self) -> &[Name] {
        match self {
            CommandRule::Open => &[],
            CommandRule::Fixed(fixed) => &fixed.may,
        }
    }

    /// Refuses whoever may not run it; a command that is not configured is for nobody but operators to ask about.
    pub(crate) fn check(
        rule: Option<&CommandRule>,
        caller: &TokenHolder<'_>,
        name: &str,
    ) -> Result<(), Refused> {
        let may = rule.map(CommandRule::may).unwrap_or_default();
        let listed = |agent: &Name| may.iter().any(|one| one.as_str().eq_ignore_ascii_case(agent.as_str()));
        match caller.viewer {
            Viewer::Local | Viewer::Operator => Ok(()),
            Viewer::Agent(agent) if listed(agent) => Ok(()),
            Viewer::Agent(_) | Viewer::ReadOnly => {
                let who: Vec<_> = may.iter().map(Name::as_str).chain(["operators"]).collect();
                let detail = format!("only {} may run the command {name:?}", who.join(" and "));
                Err(Refused::Forbidden { detail })
            }
        }
    }

    /// The arguments to run it with, or everything that is wrong with what was asked.
    pub(crate) fn arguments(&self, asked: &CommandCall<'_>) -> Result<Vec<String>, Vec<FieldError>> {
        match self {
            CommandRule::Open if asked.values.is_empty() => Ok(asked.arguments.to_vec()),
            CommandRule::Open => {
                let detail = format!("the command {:?} has no places for values", asked.name);
                Err(vec![FieldError { pointer: asked.values_at.to_owned(), detail }])
            }
            CommandRule::Fixed(fixed) => fixed.arguments(asked),
        }
    }
}

impl FixedCommand {
    fn arguments(&self, asked: &CommandCall<'_>) -> Result<Vec<String>, Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut wrong = |pointer: String, detail: String| errors.push(FieldError { pointer, detail });
        let name = asked.name;
        if !asked.arguments.is_empty() {
            let detail = format!(
                "the arguments of {name:?} are fixed in the configuration; name values for its places instead: {}",
                self.places()
            );
            wrong(asked.arguments_at.to_owned(), detail);
        }
        for given in asked.values.keys().filter(|given| !self.values.contains_key(*given)) {
            let detail = format!("the command {name:?} has no place {given:?}; it has {}", self.places());
            wrong(format!("{}/{}", asked.values_at, escaped(given)), detail);
        }
        let mut filled = Vec::new();
        for (place, allowed) in &self.values {
            let choices: Vec<_> = allowed.iter().map(String::as_str).collect();
            let pointer = format!("{}/{}", asked.values_at, escaped(place));
            match asked.values.get(place) {
                Some(Value::String(value)) if allowed.contains(value) => filled.push((place, value)),
                Some(_) => wrong(pointer, format!("expected {}", listed(&choices))),
                None => wrong(pointer, format!("is required by the command {name:?}: {}", listed(&choices))),
            }
        }
        if errors.is_empty() {
            Ok(self.args.iter().map(|argument| fill(argument, &filled)).collect())
        } else {
            Err(errors)
        }
    }

    fn places(&self) -> String {
        let places: Vec<_> = self.values.keys().map(String::as_str).collect();
        if places.is_empty() { "none".to_owned() } else { places.join(", ") }
    }

    /// What cannot work: a place that nothing may fill, values for a place that is not there. `known` are the places that
    /// Wilco fills by itself.
    pub fn problem(&self, known: &[&str]) -> Option<String> {
        let places: Vec<_> = self.args.iter().flat_map(|argument| placeholders(argument)).collect();
        let unlisted = |place: &&&str| !self.values.contains_key(**place) && !known.contains(*place);
        if let Some(place) = places.iter().find(unlisted) {
            return Some(format!("values: nothing is listed for the place {{{place}}}"));
        }
        if let Some(place) = self.values.keys().find(|place| known.contains(&place.as_str())) {
            return Some(format!("values.{place}: Wilco fills {{{place}}} by itself"));
        }
        if let Some(place) = self.values.keys().find(|place| !places.contains(&place.as_str())) {
            return Some(format!("values.{place}: args have no place {{{place}}}"));
        }
        let (place, _) = self.values.iter().find(|(_, listed)| listed.is_empty())?;
        Some(format!("values.{place}: expected at least one value"))
    }
}

/// One pass, so that nothing in a value is taken for another place.
fn fill(argument: &str, values: &[(&String, &String)]) -> String {
    let (mut out, mut rest) = (String::new(), argument);
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let fits = |place: &str| from[1..].strip_prefix(place).is_some_and(|behind| behind.starts_with('}'));
        match values.iter().find(|(place, _)| fits(place)) {
            Some((place, value)) => {
                out.push_str(value);
                rest = &from[place.len() + 2..];
            }
            None => {
                out.push('{');
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// As a JSON pointer has it.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
