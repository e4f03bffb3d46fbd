//! Which tests took longest, from what nextest prints: a slow suite is made fast one test at a time.

use std::time::Duration;

/// As many as somebody reads.
const SHOWN: usize = 10;

/// The tests of a run with how long each took.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Slowest(Vec<(Duration, String)>);

impl Slowest {
    /// `PASS [   0.040s] (1/5) wilco-protocol::tests harness::name`; other lines tell no test's end.
    pub(crate) fn line(&mut self, line: &str) {
        let ended = ["PASS [", "FAIL [", "TIMEOUT ["].iter().find_map(|word| line.trim().strip_prefix(word));
        let Some((seconds, name)) = ended.and_then(|rest| rest.split_once("s]")) else { return };
        let Ok(seconds) = seconds.trim().parse::<f64>() else { return };
        let name = name.trim();
        let name =
            name.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(name, |(_, name)| name);
        self.0.push((Duration::from_secs_f64(seconds), name.trim().to_owned()));
    }

    /// The slowest first. A test that failed is told again at the end of a run, and counts once.
    pub(crate) fn shown(mut self) -> Vec<String> {
        self.0.sort_by(|one, two| two.cmp(one));
        self.0.dedup();
        let line = |(took, name): &(Duration, String)| format!("{:>7.1} s  {name}", took.as_secs_f64());
        self.0.iter().take(SHOWN).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_come_first_and_once() {
        let mut slowest = Slowest::default();
        let output = "        PASS [   0.040s] (1/3) wilco::tests a::quick\n\
            FAIL [  12.300s] (2/3) wilco::tests b::slow\n   Compiling x\n\
            SLOW [> 60.000s] wilco::tests c\n  FAIL [  12.300s] (2/3) wilco::tests b::slow\n";
        output.lines().for_each(|line| slowest.line(line));
        assert_eq!(slowest.shown(), ["   12.3 s  wilco::tests b::slow", "    0.0 s  wilco::tests a::quick"]);
    }
}
