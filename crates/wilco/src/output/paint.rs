//! Colours, where they are wanted.

/// Paints, or leaves a text as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    pub(crate) on: bool,
}

impl Paint {
    pub(crate) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.with("31", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.with("33", text)
    }

    /// A state by how much it wants somebody's attention.
    pub(crate) fn state(self, state: &str) -> String {
        match state {
            "escalated" | "failed" | "aborted" | "timed-out" | "interrupted" => self.red(state),
            "completed" | "working" | "ready" | "done" | "pass" | "succeeded" => self.green(state),
            "cancelled" | "excluded" | "skipped" => self.dim(state),
            _ => self.yellow(state),
        }
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::Paint;

    #[test]
    fn cli_5_no_colour_where_none_is_wanted() {
        assert_eq!(Paint { on: false }.state("escalated"), "escalated");
        assert_eq!(Paint { on: true }.bold("x"), "\x1b[1mx\x1b[0m");
    }
}
