//! What a test runner printed, as it is pasted between fences: `87 passed in 4.02s`, `test result: ok. 12 passed; 0 failed`.

use super::text;

/// Whether the only thing that is shown is a whole run without a failure.
pub(super) fn shows_pass(body: &str) -> bool {
    let lines = text::lines(body);
    let shown: Vec<_> = lines.iter().filter(|line| line.fence.is_some() && !line.quoted).collect();
    let fences = shown.iter().filter_map(|line| line.fence).max().map_or(0, |last| last + 1);
    let counts: Vec<_> = shown.iter().filter_map(|line| counts(line.text)).collect();
    let part = shown.iter().any(|line| is_of_part(line.text));
    fences == 1
        && !part
        && !counts.is_empty()
        && counts.iter().all(|(passed, failed)| *passed > 0 && *failed == 0)
}

/// How many passed and how many did not, in a line that sums up.
fn counts(line: &str) -> Option<(u32, u32)> {
    const PASSED: [&str; 2] = ["passed", "passing"];
    const FAILED: [&str; 6] = ["failed", "failing", "failures", "errors", "error", "failure"];
    let bare = line.replace(['=', ';', ',', ':', '(', ')'], " ").to_lowercase();
    let words: Vec<_> = bare.split_whitespace().collect();
    let of = |known: &[&str]| {
        let mut counted =
            words.windows(2).filter(|two| known.contains(&two[1])).map(|two| two[0].parse::<u32>());
        counted.find_map(Result::ok)
    };
    let (passed, failed) = (of(&PASSED), of(&FAILED));
    (passed.is_some() || failed.is_some()).then(|| (passed.unwrap_or(0), failed.unwrap_or(0)))
}

/// A command that names what to run runs a part: `$ pytest tests/test_login.py -k limit`.
fn is_of_part(line: &str) -> bool {
    let command = line.trim().strip_prefix(['$', '>']).map(str::trim);
    command.is_some_and(|command| {
        command.split_whitespace().any(|word| word.contains(['.', ':']) || word == "-k")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_13_a_run_that_is_shown_whole_passes() {
        let table = [
            ("```\n87 passed in 4.02s\n```", true),
            ("```\n===== 87 passed, 2 skipped in 4.02s =====\n```", true),
            ("```\ntest result: ok. 12 passed; 0 failed; 0 ignored\n```", true),
            ("Done:\n```\n$ npm test\nTests: 214 passed, 214 total\n```", true),
            ("```\n1 failed, 86 passed in 4.40s\n```", false),
            ("```\n0 passed\n```", false),
            ("```\n5 passed\n2 failed\n```", false),
            ("```\n$ pytest tests/test_a.py\n5 passed in 1s\n```", false),
            ("```\n5 passed\n```\n```\n5 passed\n```", false),
            ("87 passed", false),
            ("```\nnothing\n```", false),
        ];
        for (body, passes) in table {
            assert_eq!(shows_pass(body), passes, "{body}");
        }
    }
}
