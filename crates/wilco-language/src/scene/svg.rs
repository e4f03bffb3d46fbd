//! A sequence diagram as SVG, drawn by hand: no scripts, no fonts to load, light and dark.

use super::{SHORT, Scene, Step, after, short};

const COLUMN: usize = 260;
const MARGIN: usize = 90;
const TOP: usize = 70;
const ROW: usize = 34;

pub fn svg(scene: &Scene) -> String {
    let columns = scene.people.len().max(1);
    let (width, height) = (MARGIN * 2 + (columns - 1) * COLUMN + 120, TOP + scene.steps.len() * ROW + 40);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{}\">\n{STYLE}\n",
        escaped(&scene.title)
    );
    out.push_str(&text(10, 20, "title", &format!("{} ({})", scene.title, scene.state)));
    for (index, name) in scene.people.iter().enumerate() {
        let x = x(index);
        out.push_str(&format!(
            "<line class=\"life\" x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{}\"/>\n",
            height - 20
        ));
        out.push_str(&text(x, TOP - 14, "person", &short(name.as_str(), 28)));
    }
    for (row, step) in scene.steps.iter().enumerate() {
        let y = TOP + (row + 1) * ROW;
        out.push_str(&text(6, y, "time", &after(scene, step)));
        out.push_str(&drawn(scene, step, y));
    }
    out.push_str("</svg>\n");
    out
}

const STYLE: &str = "<style>text{font:12px sans-serif;fill:#1a1a1a}.title{font-weight:bold;font-size:14px}\
.person{font-weight:bold;text-anchor:middle}.time{fill:#555;font-size:10px}.said{text-anchor:middle}\
.life{stroke:#999;stroke-dasharray:3 3}.arrow{stroke:#0b57d0;stroke-width:1.5;fill:none}.head{fill:#0b57d0}\
.note{text-anchor:middle;font-style:italic;fill:#555}\
@media(prefers-color-scheme:dark){text{fill:#eee}.time,.note{fill:#aaa}.arrow{stroke:#8ab4f8}.head{fill:#8ab4f8}}\
</style>";

fn x(index: usize) -> usize {
    MARGIN + 40 + index * COLUMN
}

fn drawn(scene: &Scene, step: &Step, y: usize) -> String {
    let place = |name| scene.people.iter().position(|known| known == name);
    match step {
        Step::Said { from, to, kind, text: said, .. } => {
            let (Some(from), Some(to)) = (place(from), place(to)) else { return String::new() };
            let label = short(&format!("{kind}: {said}"), SHORT.min(38));
            let middle = (x(from) + x(to)) / 2;
            arrow(x(from), x(to), y) + &text(middle, y - 5, "said", &label)
        }
        Step::Happened { by, what, .. } => text(x(place(by).unwrap_or(0)), y, "note", what),
    }
}

/// A line with a head; a message to oneself is a small loop.
fn arrow(from: usize, to: usize, y: usize) -> String {
    if from == to {
        return format!("<path class=\"arrow\" d=\"M{from} {y} h30 v10 h-30\"/>\n");
    }
    let (tip, back) = if to > from { (to, to - 8) } else { (to, to + 8) };
    format!(
        "<line class=\"arrow\" x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\"/>\n\
         <polygon class=\"head\" points=\"{tip},{y} {back},{} {back},{}\"/>\n",
        y - 4,
        y + 4
    )
}

fn text(x: usize, y: usize, class: &str, text: &str) -> String {
    format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>\n", escaped(text))
}

/// Control characters and these two may not stand in XML, escaped or not.
const NO_XML: [char; 2] = ['\u{fffe}', '\u{ffff}'];

fn escaped(text: &str) -> String {
    let visible: String = text.chars().filter(|c| !c.is_control() && !NO_XML.contains(c)).collect();
    visible.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
