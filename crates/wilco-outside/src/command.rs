//! Running a configured program: no shell, JSON on its standard input, bounded in time and output.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// A program with its arguments, and how long it may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub argv: Vec<String>,
    pub limit: Duration,
    /// The server's variables that it inherits.
    pub env: Vec<String>,
}

/// Where programs find others, whatever the server was started with.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// All that a program has of the server's environment. Wilco's own variables hold tokens: of those it gets what is set
/// for the call and no other.
pub(crate) fn inherited(names: &[String]) -> Vec<(String, OsString)> {
    let own = |name: &&String| !name.starts_with("WILCO_") && *name != "PATH";
    let found = names.iter().filter(own).filter_map(|name| Some((name.clone(), std::env::var_os(name)?)));
    [("PATH".to_owned(), OsString::from(PATH))].into_iter().chain(found).collect()
}

/// Output beyond this is not kept.
const MAX_OUTPUT: u64 = 64 << 10;

/// What a program printed, if it ended well and in time.
pub(crate) async fn run(program: &Program, input: &str) -> Result<String, String> {
    run_for(program, &[], input).await
}

/// The same with `{name}` in its arguments filled in, and in the environment as `WILCO_NAME`. A value
/// fills part of one argument and is never split.
pub(crate) async fn run_for(program: &Program, fill: &[(&str, &str)], input: &str) -> Result<String, String> {
    let [name, arguments @ ..] = program.argv.as_slice() else {
        return Err("no program is configured".to_owned());
    };
    let mut filled = Vec::with_capacity(arguments.len());
    for argument in arguments {
        filled.push(filled_in(argument, fill)?);
    }
    let mut child = Command::new(name)
        .args(filled)
        .env_clear()
        .envs(inherited(&program.env))
        .envs(fill.iter().map(|(key, value)| (format!("WILCO_{}", key.to_uppercase()), value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("cannot start {name}: {error}"))?;
    let mut group = Group::of(&child);
    let finished = tokio::time::timeout(program.limit, exchange(&mut child, input)).await;
    match finished {
        Ok(result) => {
            group.leave();
            result
        }
        Err(_) => {
            group.end();
            Err(format!("{name} did not end within {:?}", program.limit))
        }
    }
}

/// One pass, so that nothing in a value is taken for a placeholder.
fn filled_in(argument: &str, fill: &[(&str, &str)]) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), argument);
    while let Some(at) = rest.find('{') {
        let found = fill
            .iter()
            .find(|(key, _)| rest[at + 1..].strip_prefix(key).is_some_and(|rest| rest.starts_with('}')));
        let Some((key, value)) = found else {
            out.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        out.push_str(&rest[..at]);
        if out.is_empty() && value.starts_with('-') {
            return Err(format!("the {key} {value:?} begins with a dash and would be taken for an option"));
        }
        out.push_str(value);
        rest = &rest[at + key.len() + 2..];
    }
    out.push_str(rest);
    Ok(out)
}

async fn exchange(child: &mut tokio::process::Child, input: &str) -> Result<String, String> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let feed = async {
        if let Some(mut stdin) = stdin {
            // A program that does not read its input is no error.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let ((), out, err, status) = tokio::join!(feed, printed(stdout), printed(stderr), child.wait());
    let failed = |error: std::io::Error| error.to_string();
    let (out, err, status) = (out.map_err(failed)?, err.map_err(failed)?, status.map_err(failed)?);
    if status.success() {
        return Ok(out);
    }
    Err(format!("it ended with {status}: {}", err.trim().chars().take(200).collect::<String>()))
}

/// The beginning of what is printed. The rest is read too, or the program would wait for a reader.
async fn printed(pipe: Option<impl AsyncRead + Unpin>) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let mut start = pipe.take(MAX_OUTPUT);
        start.read_to_end(&mut bytes).await?;
        tokio::io::copy(&mut start.into_inner(), &mut tokio::io::sink()).await?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A program and everything it started. Whoever forgets about it ends it.
pub(crate) struct Group(Option<rustix::process::Pid>);

impl Group {
    pub(crate) fn of(child: &tokio::process::Child) -> Group {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Group(id.and_then(rustix::process::Pid::from_raw))
    }

    pub(crate) fn end(&mut self) {
        if let Some(pid) = self.0.take() {
            // It may have ended by itself in the meantime.
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
    }

    /// It has ended; what it left running in the background may go on.
    pub(crate) fn leave(&mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cargo sets both variables for a test; only one of them is named.
    #[tokio::test]
    async fn sec_11_a_program_inherits_what_is_named_and_nothing_else() {
        assert!(std::env::var_os("CARGO_PKG_NAME").is_some());
        let env = ["CARGO_MANIFEST_DIR", "WILCO_TOKEN", "PATH"].map(str::to_owned).to_vec();
        let program = Program { argv: vec!["env".to_owned()], limit: Duration::from_secs(30), env };
        let printed = run_for(&program, &[("agent", "bob")], "").await.unwrap();
        let mut names: Vec<_> = printed.lines().filter_map(|line| line.split('=').next()).collect();
        names.sort_unstable();
        assert_eq!(names, ["CARGO_MANIFEST_DIR", "PATH", "WILCO_AGENT"]);
        assert!(printed.contains(&format!("PATH={PATH}\n")), "{printed}");
    }

    #[test]
    fn sec_4_a_value_fills_part_of_one_argument_and_nothing_else() {
        let fill = [("agent", "a b; rm {session}"), ("session", "s1")];
        assert_eq!(filled_in("x={agent}.{session}{other}", &fill).unwrap(), "x=a b; rm {session}.s1{other}");
        assert_eq!(filled_in("{}{", &fill).unwrap(), "{}{");
        assert!(filled_in("{agent}", &[("agent", "--force")]).is_err());
        assert_eq!(filled_in("--to={agent}", &[("agent", "-x")]).unwrap(), "--to=-x");
    }
}
