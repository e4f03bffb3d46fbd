//! The screen of `wilco watch`, and the keys that are pressed on it.
//!
//! By hand: it is a few lines of text that are drawn over once a second.

use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, channel};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use wilco_protocol::Time;
use wilco_wire::{Escalation, Exchange};

use crate::output::age::ago;
use crate::output::escape::one_line;
use crate::output::width::cut;
use crate::output::{Screen, exchange};

/// Everything that is shown, as it was at a time.
#[derive(Debug)]
pub(super) struct View {
    pub(super) url: String,
    pub(super) now: Time,
    pub(super) escalations: Vec<Escalation>,
    pub(super) exchanges: Vec<Exchange>,
    /// Why nothing newer is known.
    pub(super) trouble: Option<String>,
}

impl View {
    /// The whole screen: from its upper left corner, each line cut to its width, no more lines than fit.
    pub(super) fn drawn(&self, screen: &Screen, rows: usize) -> String {
        let lines = self.lines(screen);
        let most = rows.saturating_sub(1).max(1);
        let mut text = String::from("\x1b[H");
        for line in lines.iter().take(most) {
            text.push_str(line);
            text.push_str("\x1b[K\r\n");
        }
        if lines.len() > most {
            text.push_str(&cut(&format!("… and {} more lines", lines.len() - most), columns(screen)));
        }
        text + "\x1b[J"
    }

    fn lines(&self, screen: &Screen) -> Vec<String> {
        let most = columns(screen);
        let open = self.exchanges.len();
        let head =
            format!("wilco watch  {}  {open} open, {} escalated  q quits", self.url, self.escalations.len());
        let mut lines = vec![screen.paint.bold(&cut(&head, most))];
        lines.extend(self.trouble.iter().map(|trouble| screen.paint.red(&cut(&one_line(trouble), most))));
        for escalation in &self.escalations {
            let text = format!(
                "! {}  for {}, {}: {}",
                escalation.id,
                one_line(&escalation.addressee),
                ago(self.now, &escalation.opened),
                one_line(&escalation.text)
            );
            lines.push(screen.paint.red(&cut(&text, most)));
            let options = one_line(&escalation.options.join("|"));
            lines.push(cut(&format!("  decide with: wilco decide {} {options}", escalation.id), most));
        }
        lines.push(String::new());
        // What waits for somebody's decision, then what is due next.
        let mut sorted: Vec<_> = self.exchanges.clone();
        sorted.sort_by_key(|exchange| {
            let due = exchange.timers.first().map(|timer| timer.due.clone());
            (exchange.state != "escalated", due.is_none(), due)
        });
        match sorted.is_empty() {
            true => lines.push("Nothing is open.".to_owned()),
            false => lines.extend(exchange::list(&sorted, self.now, screen).lines().map(str::to_owned)),
        }
        lines
    }
}

fn columns(screen: &Screen) -> usize {
    screen.columns.unwrap_or(usize::MAX)
}

/// The terminal while it is watched: another screen, keys without a line end. Afterwards it is as it was.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) pressed: Receiver<u8>,
    before: Termios,
}

impl Keys {
    pub(super) fn take() -> io::Result<Keys> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        let (press, pressed) = channel();
        std::thread::Builder::new().name("wilco-keys".to_owned()).spawn(move || {
            // Ends with the program, or when nobody listens any more.
            for key in io::stdin().lock().bytes().map_while(Result::ok) {
                if press.send(key).is_err() {
                    return;
                }
            }
        })?;
        let keys = Keys { pressed, before };
        write("\x1b[?1049h\x1b[?25l")?;
        Ok(keys)
    }

    /// How many lines the terminal has.
    pub(super) fn rows(&self) -> usize {
        const USUAL: usize = 24;
        let size = tcgetwinsize(io::stdout()).map(|size| usize::from(size.ws_row));
        size.ok().filter(|rows| *rows > 0).unwrap_or(USUAL)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = write("\x1b[?25h\x1b[?1049l");
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

/// As it is: on a terminal without line ends of its own.
pub(super) fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
