//! `cargo xtask soak`: a server under steady load, and whether its memory reaches a plateau.
//!
//! Every message is read, every task is acknowledged and done, so nothing but history grows. An hour is judged by the slope
//! of its second half; shorter runs print it, and fail only when the server does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

use crate::workspace::{build_tested, cargo, root, succeed};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How long; from an hour on the slope of the second half must be under 1 MiB in ten minutes
    #[arg(long, default_value_t = 2)]
    minutes: u64,
    /// Messages a second, of all senders together
    #[arg(long, default_value_t = 300)]
    rate: u32,
    /// A program that is there already; else the release build is made
    #[arg(long)]
    program: Option<PathBuf>,
}

const SENDERS: u32 = 8;
/// One in so many messages begins a task, which takes two more.
const TASK_EVERY: u64 = 20;
const SAMPLE: Duration = Duration::from_secs(1);
const JUDGED_FROM: Duration = Duration::from_secs(3600);
/// MiB in ten minutes.
const MOST_SLOPE: f64 = 1.0;
const MIB: f64 = (1 << 20) as f64;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if let Some(program) = &options.program {
        return soak(program, options);
    }
    succeed(cargo().args(["build", "--quiet", "--release", "--package", "wilco"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    soak(&target.join("release/wilco"), options)
}

/// Two minutes with the build of the tests.
pub(crate) fn shortly() -> anyhow::Result<()> {
    build_tested()?;
    soak(&root().join("target/debug/wilco"), &Options { minutes: 2, rate: 300, program: None })
}

fn soak(program: &Path, options: &Options) -> anyhow::Result<()> {
    let data = root().join(format!("target/soak-{}", std::process::id()));
    std::fs::create_dir_all(&data)?;
    soak_in(program, options, &data).with_context(|| format!("its data is kept in {}", data.display()))?;
    Ok(std::fs::remove_dir_all(&data)?)
}

fn soak_in(program: &Path, options: &Options, data: &Path) -> anyhow::Result<()> {
    let (mut server, address) = start(program, data)?;
    let length = Duration::from_secs(60 * options.minutes);
    let (over, sent) = (AtomicBool::new(false), AtomicU64::new(0));
    let measured = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..SENDERS)
            .map(|number| {
                let (address, over, sent) = (&address, &over, &sent);
                scope.spawn(move || send(address, number, options.rate, over, sent))
            })
            .collect();
        let samples = measure(server.id(), length, || senders.iter().any(|sender| sender.is_finished()));
        over.store(true, Ordering::Release);
        for sender in senders {
            match sender.join() {
                Ok(ended) => ended?,
                Err(_) => bail!("a sender panicked"),
            }
        }
        samples
    });
    let running = server.try_wait()?.is_none();
    end(&mut server)?;
    let samples = measured?;
    ensure!(running, "the server ended by itself");
    report(&samples, sent.load(Ordering::Acquire), length)
}

fn start(program: &Path, data: &Path) -> anyhow::Result<(Child, String)> {
    let mut server = Command::new(program)
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data.join("data"))
        .env_remove("WILCO_TOKEN")
        .stdout(Stdio::piped())
        .spawn()
        .context("the server could not be started")?;
    let mut line = String::new();
    if let Some(out) = server.stdout.take() {
        BufReader::new(out).read_line(&mut line)?;
    }
    match line.trim().rsplit_once("http://") {
        Some((_, address)) => Ok((server, address.to_owned())),
        None => {
            end(&mut server)?;
            bail!("the server said {line:?}")
        }
    }
}

fn end(server: &mut Child) -> anyhow::Result<()> {
    // One that ended by itself is gone already.
    let _ = server.kill();
    server.wait()?;
    Ok(())
}

/// Resident bytes, second by second.
fn measure(id: u32, length: Duration, stopped: impl Fn() -> bool) -> anyhow::Result<Vec<f64>> {
    let (began, mut samples) = (Instant::now(), Vec::new());
    while began.elapsed() < length && !stopped() {
        std::thread::sleep(SAMPLE);
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
        samples.push(kib * 1024.0);
        if samples.len() % 60 == 0 {
            println!("{:>4} min  {:.1} MiB", samples.len() / 60, kib / 1024.0);
        }
    }
    Ok(samples)
}

fn report(samples: &[f64], sent: u64, length: Duration) -> anyhow::Result<()> {
    let second = &samples[samples.len() / 2..];
    let slope = slope(second) * 600.0 / SAMPLE.as_secs_f64() / MIB;
    let most = samples.iter().copied().fold(0.0, f64::max) / MIB;
    let last = samples.last().copied().unwrap_or(0.0) / MIB;
    println!(
        "{sent} messages in {} s: {last:.1} MiB resident at the end, {most:.1} MiB at most, \
         slope of the second half {slope:+.2} MiB in ten minutes",
        length.as_secs()
    );
    ensure!(
        length < JUDGED_FROM || slope < MOST_SLOPE,
        "the memory still grows: {slope:.2} MiB in ten minutes, and {MOST_SLOPE} are the most"
    );
    Ok(())
}

/// Of the straight line nearest to the samples, for one step.
fn slope(samples: &[f64]) -> f64 {
    let count = samples.len() as f64;
    if count < 2.0 {
        return 0.0;
    }
    let (middle, mean) = ((count - 1.0) / 2.0, samples.iter().sum::<f64>() / count);
    let places = || samples.iter().enumerate().map(|(place, sample)| (place as f64 - middle, sample - mean));
    places().map(|(x, y)| x * y).sum::<f64>() / places().map(|(x, _)| x * x).sum::<f64>()
}

/// One sender and its reader: a message every so often, read at once; now and then a task, acknowledged and done.
fn send(address: &str, number: u32, rate: u32, over: &AtomicBool, sent: &AtomicU64) -> anyhow::Result<()> {
    let mut line = Line::open(address)?;
    let (boss, worker) = (format!("boss-{number}"), format!("worker-{number}"));
    for name in [&boss, &worker] {
        line.ask("PUT", &format!("/v1/agents/{name}"), &json!({}))?;
    }
    let (began, every) = (Instant::now(), Duration::from_secs(1) * SENDERS / rate.max(1));
    let mut count = 0;
    while !over.load(Ordering::Acquire) {
        let due = every * count as u32;
        std::thread::sleep(due.saturating_sub(began.elapsed()));
        let (mut of, task) = (Vec::new(), format!("T-{number}-{count}"));
        if count % TASK_EVERY == 0 {
            let content = json!({"type": "task-assignment", "task_id": task, "title": "Add a login page", "message": "Add a login page with tests."});
            of.push((&boss, &worker, content));
            let understanding = "I will add a login page with tests.";
            let content = json!({"type": "task-acknowledgment", "task_id": task, "status": "received", "understanding": understanding});
            of.push((&worker, &boss, content));
            of.push((&worker, &boss, json!({"type": "task-complete", "task_id": task, "message": "Done."})));
        } else {
            let text = format!("Message {count}. {}", "The build is green. ".repeat((count % 50) as usize));
            of.push((&boss, &worker, json!({"type": "text", "message": text})));
        }
        for (from, to, content) in of {
            line.ask("POST", "/v1/messages", &json!({"from": from, "to": to, "content": content}))?;
            count += 1;
            sent.fetch_add(1, Ordering::AcqRel);
        }
        for reader in [&boss, &worker] {
            let inbox = line.ask("GET", &format!("/v1/agents/{reader}/inbox?status=unread"), &Value::Null)?;
            for message in inbox["items"].as_array().into_iter().flatten() {
                let id = message["id"].as_str().unwrap_or_default();
                line.ask("POST", &format!("/v1/messages/{id}/read"), &Value::Null)
                    .with_context(|| format!("in the inbox of {reader} was {message}"))?;
            }
        }
    }
    Ok(())
}

/// A connection that stays.
struct Line {
    address: String,
    stream: BufReader<TcpStream>,
}

impl Line {
    fn open(address: &str) -> anyhow::Result<Line> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.set_nodelay(true)?;
        Ok(Line { address: address.to_owned(), stream: BufReader::new(stream) })
    }

    fn ask(&mut self, method: &str, path: &str, body: &Value) -> anyhow::Result<Value> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length) = (String::new(), 0);
        self.stream.read_line(&mut status)?;
        loop {
            let mut header = String::new();
            ensure!(self.stream.read_line(&mut header)? > 0, "{method} {path}: the connection ended");
            let header = header.trim().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        let code = status.split(' ').nth(1).unwrap_or_default();
        ensure!(
            code.starts_with('2'),
            "{method} {path}: {} {}",
            status.trim(),
            String::from_utf8_lossy(&answer)
        );
        Ok(serde_json::from_slice(&answer).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g16_the_slope_is_that_of_the_nearest_line() {
        assert!((slope(&[1.0, 3.0, 5.0, 7.0]) - 2.0).abs() < 1e-9);
        assert!(slope(&[4.0, 4.0, 4.0]).abs() < 1e-9);
        assert!(slope(&[]).abs() < 1e-9 && slope(&[1.0]).abs() < 1e-9);
    }
}
