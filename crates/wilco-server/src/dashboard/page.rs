//! The frame of every page: head, navigation, who looks, and the headers that keep it safe.

use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use maud::{DOCTYPE, Markup, html};

use super::flash::forget;
use super::form::hidden_token;
use super::look::{Look, LookRole, Theme};
use super::text::visible;
use crate::problem::Failure;

/// Nothing runs or loads but what comes from here.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The pages that the navigation leads to.
const PAGES: [(&str, &str); 10] = [
    ("/", "Overview"),
    ("/exchanges", "Exchanges"),
    ("/operations", "Operations"),
    ("/validations", "Validations"),
    ("/handoffs", "Handoffs"),
    ("/agents", "Agents"),
    ("/messages", "Messages"),
    ("/audit", "Audit"),
    ("/incidents", "Incidents"),
    ("/settings", "Settings"),
];

/// A page on its way out.
pub(super) struct Page {
    pub(super) status: StatusCode,
    /// What stands in the tab, before `Wilco`.
    pub(super) title: String,
    /// Whether it follows what happens. A page of the past does not.
    pub(super) live: bool,
    /// What was done, or why it was not.
    pub(super) told: Option<Told>,
    pub(super) body: Markup,
}

/// What came of an action, at the top of the page.
#[derive(Debug, Clone)]
pub(super) enum Told {
    Done(String),
    Refused(String),
}

impl Page {
    pub(super) fn new(title: impl Into<String>, body: Markup) -> Page {
        Page { status: StatusCode::OK, title: title.into(), live: true, told: None, body }
    }

    pub(super) fn told(mut self, told: Option<Told>) -> Page {
        self.told = told;
        self
    }

    /// The page as it is, and why nothing was done.
    pub(super) fn refused(mut self, failure: &Failure) -> Page {
        self.status = StatusCode::from_u16(failure.0.status).unwrap_or(StatusCode::BAD_REQUEST);
        self.told = Some(Told::Refused(failure.0.detail.clone()));
        self
    }

    pub(super) fn shown(self, look: &Look) -> Response {
        let path = look.address.split('?').next().unwrap_or("/").to_owned();
        let role: &'static str = look.role.into();
        let icon = format!("/icon.svg?n={}", look.escalations);
        let settings = look.role != LookRole::Agent;
        let flashed = matches!(self.told, Some(Told::Done(_)));
        let page = frame(
            look.theme,
            &self.title,
            &icon,
            html! {
                body data-viewer=(look.name) data-role=(role) data-live=(if self.live { "on" } else { "off" })
                    data-now=(look.now.millis()) data-address=(look.address) {
                    (top(&path, settings, who(look, self.live)))
                    main id="main" tabindex="-1" {
                        @match &self.told {
                            Some(Told::Done(words)) => p role="status" { (visible(words)) },
                            Some(Told::Refused(words)) => p role="alert" { (visible(words)) },
                            None => {}
                        }
                        (self.body)
                    }
                }
            },
        );
        let mut response = (self.status, headers(), page.into_string()).into_response();
        if flashed {
            forget(&mut response);
        }
        response
    }
}

/// A page for somebody whom nothing is known of: an error, or the way in.
pub(super) fn bare(status: StatusCode, title: &str, theme: Theme, body: Markup) -> Response {
    let page = frame(
        theme,
        title,
        "/icon.svg",
        html! {
            body data-viewer="" data-role="read-only" data-live="off" data-now="0" {
                (top("", true, html! {}))
                main id="main" tabindex="-1" { (body) }
            }
        },
    );
    (status, headers(), page.into_string()).into_response()
}

fn frame(theme: Theme, title: &str, icon: &str, body: Markup) -> Markup {
    let theme: &'static str = theme.into();
    html! {
        (DOCTYPE)
        html lang="en" data-theme=(theme) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (visible(title)) " · Wilco" }
                link rel="icon" href=(icon) type="image/svg+xml";
                link rel="stylesheet" href="/style.css";
                script type="module" src="/live.js" {}
            }
            (body)
        }
    }
}

/// The navigation, and who looks.
fn top(path: &str, settings: bool, who: Markup) -> Markup {
    html! {
        a.skip href="#main" { "Skip to content" }
        header.top {
            a.brand href="/" { "Wilco" }
            nav aria-label="Pages" { ul {
                @for (to, name) in PAGES.iter().filter(|(to, _)| settings || *to != "/settings") {
                    li { a href=(to) aria-current=[is_current(path, to).then_some("page")] { (name) } }
                }
            } }
            (who)
        }
    }
}

/// Whether a page is the one that the navigation names, or one below it.
fn is_current(path: &str, to: &str) -> bool {
    path == to || (to != "/" && path.strip_prefix(to).is_some_and(|rest| rest.starts_with('/')))
}

/// Who looks, as whom, in which colours, and how to leave.
fn who(look: &Look, live: bool) -> Markup {
    let operates = look.is_operator() || look.looks_as;
    html! {
        div.who {
            span.live { (if live { "live" } else { "not live" }) }
            @if operates {
                form method="post" action="/look-as" data-action="look-as" {
                    (hidden_token(look))
                    input type="hidden" name="back" value=(look.address);
                    label.unseen for="look-as" { "Look as" }
                    input id="look-as" name="agent" placeholder="look as…" size="9"
                        value=(if look.looks_as { look.name.as_str() } else { "" });
                    button.quiet { "Go" }
                }
            } @else {
                span { "as " b { (visible(look.name.as_str())) } }
            }
            form method="post" action="/theme" data-action="theme" {
                (hidden_token(look))
                input type="hidden" name="back" value=(look.address);
                label.unseen for="theme" { "Colours" }
                select id="theme" name="theme" {
                    @for (theme, word) in [(Theme::System, "system"), (Theme::Light, "light"), (Theme::Dark, "dark")] {
                        option value=(word) selected[theme == look.theme] { (word) }
                    }
                }
                button.quiet { "Set" }
            }
            @if look.signed_in {
                form method="post" action="/sign-out" data-action="sign-out" {
                    (hidden_token(look))
                    button.quiet { "Sign out" }
                }
            }
        }
    }
}

/// What every page says to the browser.
pub(super) fn headers() -> [(header::HeaderName, &'static str); 5] {
    [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ]
}
