//! A sequence diagram for the terminal.

use super::{Scene, Step, after, short};

/// Room for the time on the left.
const TIME: usize = 9;
/// A column narrower than this cannot hold an arrow and a word.
const NARROWEST: usize = 16;

/// Draws it into so many columns. People who do not fit are left out of the drawing, not of the log.
pub fn terminal(scene: &Scene, width: usize) -> String {
    let room = width.saturating_sub(TIME).max(NARROWEST);
    let shown = scene.people.len().min(room / NARROWEST).max(1);
    let column = (room / shown).min(40);
    let mut lines = vec![heads(scene, shown, column)];
    for step in &scene.steps {
        lines.push(format!(
            "{:<TIME$}{}",
            short(&after(scene, step), TIME - 1),
            drawn(scene, step, shown, column)
        ));
    }
    let fit = |line: String| line.chars().take(width).collect::<String>().trim_end().to_owned();
    lines.into_iter().map(fit).collect::<Vec<_>>().join("\n")
}

fn heads(scene: &Scene, shown: usize, column: usize) -> String {
    let names = scene.people.iter().take(shown).map(|name| {
        let name = short(name.as_str(), column - 1);
        format!("{name:^column$}")
    });
    format!("{:TIME$}{}", "", names.collect::<String>())
}

/// One row: the lifelines, and the arrow or note on top of them.
fn drawn(scene: &Scene, step: &Step, shown: usize, column: usize) -> String {
    let center = |index: usize| index * column + column / 2;
    let mut cells: Vec<char> = vec![' '; shown * column];
    (0..shown).for_each(|index| cells[center(index)] = '│');
    let place = |name| scene.people.iter().position(|known| known == name).filter(|index| *index < shown);
    match step {
        Step::Said { from, to, kind, .. } => match (place(from), place(to)) {
            (Some(from), Some(to)) if from < to => arrow(&mut cells, center(from), center(to), kind, true),
            (Some(from), Some(to)) if from > to => arrow(&mut cells, center(to), center(from), kind, false),
            (Some(at), _) | (None, Some(at)) => write(&mut cells, center(at) + 2, &format!("↻ {kind}")),
            (None, None) => {}
        },
        Step::Happened { by, what, .. } => {
            write(&mut cells, center(place(by).unwrap_or(0)) + 2, &format!("* {what}"));
        }
    }
    cells.into_iter().collect()
}

fn arrow(cells: &mut [char], left: usize, right: usize, kind: &str, to_the_right: bool) {
    (left + 1..right).for_each(|cell| cells[cell] = '─');
    let (tip, head) = if to_the_right { (right - 1, '▶') } else { (left + 1, '◀') };
    cells[tip] = head;
    let room = right - left - 9;
    let word = short(kind, room.max(3));
    write(cells, left + 4 + usize::from(!to_the_right), &format!(" {word} "));
}

fn write(cells: &mut [char], from: usize, text: &str) {
    for (cell, c) in cells.iter_mut().skip(from).zip(text.chars()) {
        *cell = c;
    }
}
