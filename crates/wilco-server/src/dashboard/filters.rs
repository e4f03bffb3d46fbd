//! The filters of a list: they stand in the address under the names that the API has for them, and stay in the form.

use maud::{Markup, html};

use super::look::target;
use crate::problem::Failure;
use crate::query::Query;

/// What a list is asked for.
pub(super) struct Filters {
    path: &'static str,
    keys: &'static [&'static str],
    query: Query,
}

impl Filters {
    pub(super) fn read(
        path: &'static str,
        keys: &'static [&'static str],
        raw: Option<&str>,
    ) -> Result<Filters, Failure> {
        Ok(Filters { path, keys, query: Query::read(raw, keys)? })
    }

    /// What a key is asked to be; empty when nobody asked.
    pub(super) fn text(&self, key: &str) -> &str {
        self.query.text(key).unwrap_or("")
    }

    /// As the API takes them.
    pub(super) fn values(&self) -> Vec<(&str, &str)> {
        self.keys.iter().map(|key| (*key, self.text(key))).collect()
    }

    /// Where a list is read from, as the API reads it.
    pub(super) fn query(&self) -> &Query {
        &self.query
    }

    /// The same with some of them given: a page that has one protocol, or shows fewer at once.
    pub(super) fn with<'v>(&'v self, given: &[(&'static str, &'v str)]) -> Vec<(&'v str, &'v str)> {
        let mut values = self.values();
        for (key, value) in given {
            values.retain(|(known, _)| known != key);
            values.push((key, value));
        }
        values
    }

    /// The link to the next page, with the same filters.
    pub(super) fn next(&self, next: Option<&str>, words: &str) -> Markup {
        let kept = self.values().into_iter().filter(|(key, _)| *key != "after");
        html! {
            @if let Some(next) = next {
                p { a rel="next" href=(target(self.path, &kept.chain([("after", next)]).collect::<Vec<_>>())) { (words) } }
            }
        }
    }

    /// The form around its fields. How many are shown at once stays as it is.
    pub(super) fn form(&self, fields: &[Markup]) -> Markup {
        html! {
            form.filters method="get" action=(self.path) role="search" {
                @for field in fields { (field) }
                @if !self.text("limit").is_empty() { input type="hidden" name="limit" value=(self.text("limit")); }
                button { "Filter" }
                @if self.values().iter().any(|(key, value)| *key != "limit" && !value.is_empty()) {
                    a href=(self.path) { "Show all" }
                }
            }
        }
    }

    pub(super) fn field(&self, key: &str, label: &str) -> Markup {
        let id = format!("f-{key}");
        html! { div { label for=(id) { (label) } input id=(id) name=(key) value=(self.text(key)); } }
    }

    pub(super) fn choice(&self, key: &str, label: &str, options: &[(&str, &str)]) -> Markup {
        let id = format!("f-{key}");
        html! {
            div {
                label for=(id) { (label) }
                select id=(id) name=(key) {
                    @for (value, word) in options {
                        option value=(value) selected[self.text(key) == *value] { (word) }
                    }
                }
            }
        }
    }

    /// Whether exchanges are to be open.
    pub(super) fn open(&self) -> Markup {
        self.choice("open", "Open", &[("", "any"), ("true", "open"), ("false", "ended")])
    }
}
