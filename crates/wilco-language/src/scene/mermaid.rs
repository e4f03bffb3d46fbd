//! A sequence diagram for Mermaid.

use super::{SHORT, Scene, Step, short};

pub fn mermaid(scene: &Scene) -> String {
    let mut out = "sequenceDiagram\n".to_owned();
    for (index, name) in scene.people.iter().enumerate() {
        out.push_str(&format!("    participant p{index} as {}\n", escaped(name.as_str())));
    }
    let place = |name| scene.people.iter().position(|known| known == name);
    for step in &scene.steps {
        match step {
            Step::Said { from, to, kind, text, .. } => {
                let (Some(from), Some(to)) = (place(from), place(to)) else { continue };
                let said = escaped(&format!("{kind} {}", short(text, SHORT)));
                out.push_str(&format!("    p{from}->>p{to}: {said}\n"));
            }
            Step::Happened { by, what, .. } => {
                let by = place(by).unwrap_or(0);
                out.push_str(&format!("    Note over p{by}: {}\n", escaped(what)));
            }
        }
    }
    out
}

/// What would end a statement or be taken for a tag or a code is replaced by what looks alike.
fn escaped(text: &str) -> String {
    let look_alike = |c: char| match c {
        ';' => '\u{ff1b}',
        '#' => '\u{ff03}',
        '<' => '\u{2039}',
        '>' => '\u{203a}',
        '%' => '\u{ff05}',
        other => other,
    };
    text.chars().filter(|c| !c.is_control()).map(look_alike).collect()
}
