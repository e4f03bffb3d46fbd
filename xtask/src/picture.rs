//! `cargo xtask picture`: `docs/demo.svg`, a terminal with what the demo really prints.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::workspace::{cargo, root, succeed};

/// The size of a letter, in the units of the drawing.
const WIDE: f64 = 7.9;
const HIGH: f64 = 18.0;
const EDGE: f64 = 16.0;
const BAR: f64 = 30.0;

pub(crate) fn run() -> anyhow::Result<()> {
    succeed(cargo().args(["build", "--package", "wilco"]))?;
    let program = root().join("target/debug/wilco");
    let output = Command::new(program).arg("demo").output().context("the demo does not start")?;
    ensure!(output.status.success(), "the demo failed: {}", String::from_utf8_lossy(&output.stderr));
    let told = String::from_utf8(output.stdout)?;
    let path = root().join("docs/demo.svg");
    fs::write(&path, drawn(&told)).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{} shows {} lines", path.display(), told.lines().count());
    Ok(())
}

fn drawn(told: &str) -> String {
    let lines: Vec<_> = std::iter::once("$ wilco demo").chain(told.lines()).collect();
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let (width, height) = (columns as f64 * WIDE + 2.0 * EDGE, lines.len() as f64 * HIGH + 2.0 * EDGE + BAR);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         aria-label=\"A terminal in which wilco demo was run\">\n<style>\n\
         text {{ font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d7dae0}}\n\
         .dim {{ fill: #7f8796 }} .head {{ fill: #ffffff; font-weight: bold }} .good {{ fill: #7ecb8f }} .warn {{ fill: #e5c07b }}\n\
         </style>\n<rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"10\" fill=\"#1d2026\"/>\n"
    );
    for (at, colour) in [(20, "#ff5f57"), (40, "#febc2e"), (60, "#28c840")] {
        let _ = writeln!(svg, "<circle cx=\"{at}\" cy=\"18\" r=\"6\" fill=\"{colour}\"/>");
    }
    for (number, line) in lines.iter().enumerate() {
        let y = BAR + EDGE + number as f64 * HIGH + 6.0;
        if !line.trim().is_empty() {
            let _ = writeln!(
                svg,
                "<text xml:space=\"preserve\" x=\"{EDGE}\" y=\"{y:.0}\">{}</text>",
                line_of(line)
            );
        }
    }
    svg + "</svg>\n"
}

/// Headings, times and states are set off, as on a terminal with colours.
fn line_of(line: &str) -> String {
    let is_heading = line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    if is_heading || line.starts_with("$ ") {
        return span("head", line);
    }
    if line.starts_with("EXCHANGE ") {
        return span("dim", line);
    }
    let (time, rest) = line.split_at(line.find("s  ").map_or(0, |end| end + 1));
    if !time.is_empty() && time.trim().trim_end_matches('s').parse::<f64>().is_ok() {
        return span("dim", time) + &states(rest);
    }
    states(line)
}

fn states(text: &str) -> String {
    let mut shown = escaped(text);
    for (word, class) in [
        ("completed", "good"),
        ("working", "good"),
        ("unresponsive", "warn"),
        ("escalation", "warn"),
        ("in-review", "warn"),
        ("clarifying", "warn"),
        ("awaiting-ack", "warn"),
    ] {
        shown = shown.replace(word, &format!("<tspan class=\"{class}\">{word}</tspan>"));
    }
    shown
}

fn span(class: &str, text: &str) -> String {
    format!("<tspan class=\"{class}\">{}</tspan>", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_shows_every_line_and_nothing_of_it_is_markup() {
        let svg = drawn("  0.1s  a <b> & c: working.\n\n1. A heading\n");
        assert!(svg.contains("<tspan class=\"dim\">  0.1s</tspan>  a &lt;b&gt; &amp; c: <tspan class=\"good\">working</tspan>."), "{svg}");
        assert!(svg.contains("<tspan class=\"head\">1. A heading</tspan>"), "{svg}");
        assert_eq!(svg.matches("<text ").count(), 3);
    }
}
