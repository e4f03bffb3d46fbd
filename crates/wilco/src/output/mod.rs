//! What people see: tables and lines that fit the terminal, without colour where none is wanted.

pub(crate) mod age;
pub(crate) mod board;
pub(crate) mod escape;
pub(crate) mod exchange;
pub(crate) mod paint;
pub(crate) mod phases;
pub(crate) mod table;
pub(crate) mod tracks;
pub(crate) mod width;

use std::io::{self, IsTerminal, Write};

use paint::Paint;

/// Where words go: how wide it is, and whether it shows colours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    /// None when nobody looks: a pipe or a file takes lines of any length.
    pub(crate) columns: Option<usize>,
    pub(crate) paint: Paint,
}

impl Screen {
    pub(crate) fn of_stdout() -> Screen {
        let stdout = io::stdout();
        if !stdout.is_terminal() {
            return Screen { columns: None, paint: Paint { on: false } };
        }
        let size = rustix::termios::tcgetwinsize(&stdout).ok();
        let columns = size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
        Screen { columns, paint: Paint { on: has_colours(&stdout) } }
    }

    #[cfg(test)]
    pub(crate) fn plain(columns: Option<usize>) -> Screen {
        Screen { columns, paint: Paint { on: false } }
    }
}

/// Whether what goes there is shown in colours.
pub(crate) fn has_colours(stream: &impl IsTerminal) -> bool {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    stream.is_terminal() && !plain && !dumb
}

/// Whether lines on stdout can be drawn over.
pub(crate) fn is_live() -> bool {
    io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Prints the server's JSON as it came; on a terminal nothing hidden in it works.
pub(crate) fn print_json(text: &str) {
    if io::stdout().is_terminal() { print(&escape::json(text)) } else { print(text) }
}

/// Prints a text and a line end. A reader that has gone away, such as `head`, is no error.
pub(crate) fn print(text: &str) {
    print_while_read(text);
}

/// The same; says whether somebody still reads.
pub(crate) fn print_while_read(text: &str) -> bool {
    let text = text.trim_end_matches('\n');
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{text}").and_then(|()| out.flush());
    match written {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => false,
        Err(error) => {
            eprintln!("wilco: cannot write to stdout: {error}");
            std::process::exit(1);
        }
    }
}
