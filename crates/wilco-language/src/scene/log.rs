//! The communication log in Markdown.

use super::{Scene, Step, after, short};

pub fn log(scene: &Scene) -> String {
    let people: Vec<_> = scene.people.iter().map(|name| escaped(name.as_str())).collect();
    let mut out = format!(
        "# {}\n\nBegun {}. State: {}. Participants: {}.\n",
        escaped(&scene.title),
        scene.begun,
        scene.state,
        people.join(", ")
    );
    for step in &scene.steps {
        let when = after(scene, step);
        match step {
            Step::Said { from, to, kind, text, .. } => {
                let (from, to) = (escaped(from.as_str()), escaped(to.as_str()));
                out.push_str(&format!("\n## {when} {from} → {to}: {}\n", escaped(kind)));
                for line in text.trim().lines() {
                    out.push_str(&format!("> {}\n", escaped(line)));
                }
            }
            Step::Happened { by, what, detail, .. } => {
                let detail =
                    if detail.is_empty() { String::new() } else { format!(": {}", short(detail, 200)) };
                out.push_str(&format!("\n*{when} {what} ({}){}*\n", escaped(by.as_str()), escaped(&detail)));
            }
        }
    }
    out
}

/// Text that stays text: no tags, nothing invisible.
pub(super) fn escaped(text: &str) -> String {
    let visible = text.chars().filter(|c| !c.is_control() || *c == '\t');
    visible.collect::<String>().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
