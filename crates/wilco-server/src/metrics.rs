//! `/metrics`: what is counted, in the text form of Prometheus.
//!
//! Written by hand: a dozen lines of text need no registry, and what is counted lies in plain atomics.

use std::fmt::Write;

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use wilco_engine::Viewer;
use wilco_engine::reads::{self, Standing};
use wilco_runtime::{Measured, Node, Readings};

use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;

const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Numbers about everybody: not for a single agent.
pub(crate) async fn metrics(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    Query::read(query.as_deref(), &[])?;
    if let Viewer::Agent(_) = caller.viewer {
        let detail = "metrics are about everybody; use an operator's or a read-only token";
        return Err(Failure::new(StatusCode::FORBIDDEN, "forbidden", detail));
    }
    let standing = app.handle.read(reads::standing).await?;
    let readings = app.handle.readings();
    let mut text = exposition(&readings, &standing, &app.config.version);
    if let Some(node) = app.handle.node() {
        nodes(&mut text, node, &readings, app.handle.readers_in_use());
    }
    Ok(([(header::CONTENT_TYPE, KIND)], text).into_response())
}

fn exposition(readings: &Readings, standing: &Standing, version: &str) -> String {
    let mut out = String::new();
    let build = format!("{{version={}}}", quoted(version));
    family(&mut out, "wilco_build_info", "gauge", "The version that runs.", &[(build, 1.0)]);
    let one = |value: u64| [(String::new(), value as f64)];
    let mut single = |name, kind, help, value| family(&mut out, name, kind, help, &one(value));
    single("wilco_messages_total", "counter", "Messages accepted since the start.", readings.messages);
    single("wilco_events_total", "counter", "Events in the journal.", standing.events);
    single("wilco_commit_failures_total", "counter", "Commits that failed.", readings.failed_commits);
    let help = "Questions to the store that were not foreseen for a batch and read one by one.";
    single("wilco_single_lookups_total", "counter", help, readings.single_lookups);
    single("wilco_queue_depth", "gauge", "Requests that wait for the writer.", readings.queued);
    single("wilco_timers", "gauge", "Exchanges that wait for a timer.", readings.timers);
    single("wilco_escalations_open", "gauge", "Exchanges that wait for a decision.", standing.escalated);
    let open = standing.open.iter().map(|(protocol, state, count)| {
        let labels = format!("{{protocol={},state={}}}", quoted(protocol.word()), quoted(state));
        (labels, *count as f64)
    });
    let help = "Open exchanges by protocol and state.";
    family(&mut out, "wilco_exchanges_open", "gauge", help, &open.collect::<Vec<_>>());
    let orders = readings.orders.iter().map(|(order, outcome, count)| {
        (format!("{{order={},outcome={}}}", quoted(order), quoted(outcome)), *count as f64)
    });
    let help = "Orders to the outside, nudges among them, by what came of them.";
    family(&mut out, "wilco_orders_total", "counter", help, &orders.collect::<Vec<_>>());
    let judged =
        readings.judged.iter().map(|(by, count)| (format!("{{by={}}}", quoted(by.word())), *count as f64));
    let help = "Verdicts on understandings since the start, by who gave them.";
    family(&mut out, "wilco_judged_total", "counter", help, &judged.collect::<Vec<_>>());
    let tokens = [("input", readings.judge_tokens.input), ("output", readings.judge_tokens.output)];
    let tokens = tokens.map(|(kind, count)| (format!("{{kind={}}}", quoted(kind)), count as f64));
    let help = "What the judge of understandings cost since the start.";
    family(&mut out, "wilco_judge_tokens_total", "counter", help, &tokens);
    histogram(&mut out, "wilco_commit_messages", "Messages in a commit.", &readings.batch);
    histogram(&mut out, "wilco_commit_seconds", "How long a commit took.", &readings.commit);
    histogram(&mut out, "wilco_timer_lateness_seconds", "How late timers went off.", &readings.lateness);
    out
}

/// What there is to know of one of several nodes.
fn nodes(out: &mut String, node: &Node, readings: &Readings, in_use: usize) {
    let mut single = |name, kind, help, value| family(out, name, kind, help, &[(String::new(), value)]);
    single("wilco_epoch", "gauge", "The newest epoch that this node knows.", node.known().epoch as f64);
    let help = "How often this node became the writer since its start.";
    single("wilco_elections_total", "counter", help, node.elections() as f64);
    let help = "Calls that this node took to the writer, and that were answered.";
    single("wilco_forwarded_total", "counter", help, readings.forwarded.count as f64);
    let help = "How long this node may write without another renewal; 0 where it does not write.";
    single("wilco_lease_margin_seconds", "gauge", help, node.lease_margin().as_secs_f64());
    let help = "How late this node heard of the last commit of another node, by the database's clock.";
    single("wilco_listen_lag_seconds", "gauge", help, node.listen_lag().as_secs_f64());
    let help = "By how much this machine's clock is ahead of the database's.";
    single("wilco_clock_offset_seconds", "gauge", help, node.clock_offset());
    single("wilco_pool_in_use", "gauge", "Connections that read for callers just now.", in_use as f64);
    histogram(
        out,
        "wilco_forwarded_seconds",
        "How long calls took that went to the writer.",
        &readings.forwarded,
    );
}

fn family(out: &mut String, name: &str, kind: &str, help: &str, samples: &[(String, f64)]) {
    // Writing to a text does not fail.
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (labels, value) in samples {
        let _ = writeln!(out, "{name}{labels} {value}");
    }
}

fn histogram(out: &mut String, name: &str, help: &str, measured: &Measured) {
    family(out, name, "histogram", help, &[]);
    for (bound, count) in &measured.buckets {
        let _ = writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {count}");
    }
    let Measured { count, sum, .. } = measured;
    let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {sum}\n{name}_count {count}");
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
