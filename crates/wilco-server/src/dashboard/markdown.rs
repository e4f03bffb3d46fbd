//! Messages as Markdown, harmless: HTML is shown as text, images are not loaded, links of others open no window of ours.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

use super::text::visible;

/// Longer texts are shown as they are.
const MOST: usize = 64 << 10;

pub(super) fn markdown(text: &str) -> Markup {
    let text = visible(text);
    if text.len() > MOST {
        return html! { pre { (text) } };
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let text = with_rules(&text);
    let mut out = String::new();
    pulldown_cmark::html::push_html(&mut out, Parser::new_ext(&text, options).map(harmless));
    html! { div.text { (PreEscaped(out)) } }
}

/// People and programs write a line of dashes below a text to end it, not to make a heading of it.
fn with_rules(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let dashes = line.trim();
        if dashes.len() >= 3 && dashes.bytes().all(|byte| byte == b'-') {
            lines.push("");
        }
        lines.push(line);
    }
    lines.join("\n")
}

fn harmless(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Image { dest_url, .. }) => {
            Event::Text(CowStr::from(format!("[image {dest_url}] ")))
        }
        Event::End(TagEnd::Image) => Event::Text(CowStr::from("")),
        Event::Start(Tag::Link { dest_url, .. }) => Event::Html(CowStr::from(opening(&dest_url))),
        // A page has one heading of the first kind, its own.
        Event::Start(Tag::Heading { .. }) => Event::Html(CowStr::from("<h4>")),
        Event::End(TagEnd::Heading(_)) => Event::Html(CowStr::from("</h4>\n")),
        // A box that nobody can tick is a word, not a field.
        Event::TaskListMarker(done) => Event::Text(CowStr::from(if done { "☑ " } else { "☐ " })),
        // Who writes to agents ends a line where it ends.
        Event::SoftBreak => Event::HardBreak,
        other => other,
    }
}

/// A link that says who it leads to and takes nothing along; what is no web address leads nowhere.
fn opening(to: &str) -> String {
    let known =
        ["http://", "https://", "mailto:"].iter().any(|scheme| to.to_ascii_lowercase().starts_with(scheme));
    match known {
        true => html! { (PreEscaped("<a rel=\"noopener noreferrer\" href=\"")) (to) (PreEscaped("\">")) }
            .into_string(),
        false => "<a>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn web_4_a_message_is_harmless() {
        let shown = |text: &str| markdown(text).into_string();
        let script = shown("<script>alert(1)</script> and <img src=x onerror=alert(1)>");
        assert!(
            script.contains("&lt;script&gt;") && !script.contains("<script") && !script.contains("<img"),
            "{script}"
        );
        let image = shown("![a picture](http://evil.example/x.png)");
        assert!(!image.contains("<img"), "{image}");
        let link = shown("[here](https://example.com/\"><script>) [x](javascript:alert(1))");
        assert!(link.contains("rel=\"noopener noreferrer\"") && !link.contains("javascript"), "{link}");
        assert!(!link.contains("<script"), "{link}");
        assert!(!shown("# Big").contains("<h1"));
        let boxes = shown("- [x] one\n- [ ] two");
        assert!(boxes.contains("☑ one") && boxes.contains("☐ two") && !boxes.contains("<input"), "{boxes}");
        let lines = shown("one\ntwo\n---\nthree");
        assert!(lines.contains("one<br />") && lines.contains("<hr />") && !lines.contains("<h4"), "{lines}");
        assert!(shown("a\u{202e}b").contains("\\u{202e}"));
    }
}
