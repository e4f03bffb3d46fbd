//! Forms that work without JavaScript: what they carry besides their fields, and how they are read.

use std::collections::BTreeMap;

use axum::body::Body;
use http::StatusCode;
use maud::{Markup, html};
use subtle::ConstantTimeEq;

use super::look::Look;
use crate::app::App;
use crate::problem::Failure;
use crate::query::pairs;
use crate::v1::body::bytes;

/// The field that shows that a form was made here for this viewer.
const TOKEN: &str = "token_of_form";

/// What a form carries so that nobody else can send it in the viewer's name.
pub(super) fn hidden_token(look: &Look) -> Markup {
    html! { input type="hidden" name=(TOKEN) value=(look.form_token); }
}

/// What was filled in.
#[derive(Debug, Default, Clone)]
pub(super) struct Filled(BTreeMap<String, String>);

impl Filled {
    /// Reads a form that anybody may send.
    pub(super) async fn unguarded(app: &App, body: Body) -> Result<Filled, Failure> {
        let body = bytes(body, &app.config.limits).await?;
        let text = String::from_utf8_lossy(&body).into_owned();
        // Browsers send line ends as two characters.
        let filled = pairs(&text).into_iter().map(|(key, value)| (key, value.replace("\r\n", "\n")));
        Ok(Filled(filled.collect()))
    }

    /// Reads a form, and looks whether it was made for this viewer.
    pub(super) async fn read(look: &Look, body: Body) -> Result<Filled, Failure> {
        let Filled(mut filled) = Filled::unguarded(&look.app, body).await?;
        let given = filled.remove(TOKEN).unwrap_or_default();
        if !bool::from(given.as_bytes().ct_eq(look.form_token.as_bytes())) {
            let detail =
                "this form was not made for you, or is too old; load the page again and send it once more";
            return Err(Failure::new(StatusCode::FORBIDDEN, "form", detail));
        }
        Ok(Filled(filled))
    }

    /// What stands in a field; none when it is empty.
    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.0.get(field).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// One item a line.
    pub(super) fn lines(&self, field: &str) -> Vec<String> {
        let text = self.0.get(field).map_or("", String::as_str);
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// Where to go afterwards: a page of this server, never another host.
    pub(super) fn back(&self) -> String {
        local(self.text("back").unwrap_or("/"))
    }
}

/// An address of this server as it is, any other as the first page.
pub(super) fn local(to: &str) -> String {
    let is_local = to.starts_with('/') && !to.starts_with("//") && !to.contains(['\\', '\r', '\n', '\t']);
    if is_local { to.to_owned() } else { "/".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_7_a_form_leads_back_to_this_server_only() {
        let back = |to: &str| Filled(BTreeMap::from([("back".to_owned(), to.to_owned())])).back();
        assert_eq!(back("/exchanges?open=true"), "/exchanges?open=true");
        for foreign in ["//evil.example", "https://evil.example", "/\\evil.example", "", "x"] {
            assert_eq!(back(foreign), "/", "{foreign}");
        }
    }
}
