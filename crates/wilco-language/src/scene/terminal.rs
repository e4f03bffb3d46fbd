//! A sequence diagram for the terminal.

use std::cmp::Ordering;

use wilco_protocol::Name;

use super::{Scene, Step, after, short};

/// Room for the time on the left.
const TIME: usize = 9;
/// A column narrower than this cannot hold an arrow and a word.
const NARROWEST: usize = 16;

/// Draws it into so many columns. People who do not fit share the last one, and are named where they say something.
pub fn terminal(scene: &Scene, width: usize) -> String {
    let room = width.saturating_sub(TIME).max(NARROWEST);
    let shown = scene.people.len().clamp(1, (room / NARROWEST).max(1));
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
    let names = (0..shown).map(|index| {
        let others = index + 1 == shown && shown < scene.people.len();
        let name = scene.people.get(index).filter(|_| !others).map_or("others", Name::as_str);
        format!("{:^column$}", short(name, column - 1))
    });
    format!("{:TIME$}{}", "", names.collect::<String>())
}

/// Where somebody stands, and the name that has to be told because several stand there.
fn place<'a>(scene: &Scene, shown: usize, name: &'a Name) -> (usize, Option<&'a str>) {
    let own = scene.people.iter().position(|known| known == name).unwrap_or(0);
    let shared = shown < scene.people.len() && own + 1 >= shown;
    (own.min(shown - 1), shared.then_some(name.as_str()))
}

/// One row: the lifelines, and the arrow or note on top of them.
fn drawn(scene: &Scene, step: &Step, shown: usize, column: usize) -> String {
    let center = |index: usize| index * column + column / 2;
    let mut cells: Vec<char> = vec![' '; shown * column];
    (0..shown).for_each(|index| cells[center(index)] = '│');
    let told = |names: [Option<&str>; 2], word: &str| {
        let names: Vec<_> = names.into_iter().flatten().collect();
        if names.is_empty() { word.to_owned() } else { format!("{}: {word}", names.join(" → ")) }
    };
    match step {
        Step::Said { from, to, kind, .. } => {
            let ((left, sender), (right, reader)) = (place(scene, shown, from), place(scene, shown, to));
            let word = told([sender, reader.filter(|_| from != to)], kind);
            match left.cmp(&right) {
                Ordering::Less => arrow(&mut cells, center(left), center(right), &word, true),
                Ordering::Greater => arrow(&mut cells, center(right), center(left), &word, false),
                Ordering::Equal => note(&mut cells, center(left) + 2, &format!("↻ {word}")),
            }
        }
        Step::Happened { by, what, .. } => {
            let (at, name) = place(scene, shown, by);
            note(&mut cells, center(at) + 2, &format!("* {}", told([name, None], what)));
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

/// Beside a line, and farther to the left where there is no room for all of it.
fn note(cells: &mut [char], beside: usize, text: &str) {
    write(cells, beside.min(cells.len().saturating_sub(text.chars().count())), text);
}

fn write(cells: &mut [char], from: usize, text: &str) {
    for (cell, c) in cells.iter_mut().skip(from).zip(text.chars()) {
        *cell = c;
    }
}
