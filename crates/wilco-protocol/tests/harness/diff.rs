//! The difference between two texts, line by line.

/// Lines of both, marked `-` when only the first has them and `+` when only the second has.
pub(crate) fn lines(first: &str, second: &str) -> String {
    let (a, b): (Vec<_>, Vec<_>) = (first.lines().collect(), second.lines().collect());
    let common = common(&a, &b);
    let (mut i, mut j, mut out) = (0, 0, String::new());
    while i < a.len() || j < b.len() {
        let (mark, line) = if i < a.len() && j < b.len() && a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
            (' ', a[i - 1])
        } else if i < a.len() && (j == b.len() || common[i + 1][j] >= common[i][j + 1]) {
            i += 1;
            ('-', a[i - 1])
        } else {
            j += 1;
            ('+', b[j - 1])
        };
        out += &format!("{mark} {line}\n");
    }
    out
}

/// How many lines are common to what is left from each pair of places.
fn common(a: &[&str], b: &[&str]) -> Vec<Vec<usize>> {
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            table[i][j] =
                if a[i] == b[j] { table[i + 1][j + 1] + 1 } else { table[i + 1][j].max(table[i][j + 1]) };
        }
    }
    table
}
