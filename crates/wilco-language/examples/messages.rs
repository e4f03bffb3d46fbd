//! Prints the page of message types; `cargo xtask openapi` keeps it in `docs/`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(wilco_language::message::reference().as_bytes())
}
