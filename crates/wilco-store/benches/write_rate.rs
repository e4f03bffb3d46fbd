//! How fast a data directory takes messages, and what each kind of row costs.
//!
//! `cargo run --release -p wilco-store --example write_rate [DIRECTORY]`: the directory is where a
//! temporary data directory is made; a RAM disk shows the processor's part alone.

use std::time::{Duration, Instant};

use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Time};
use wilco_store::{
    Batch, EffectChange, EffectRow, ExchangeRow, IdempotencyRow, InboxFilter, InboxMark, InboxRow,
    InboxStatus, JournalRow, KeyChange, MessageRow, Reader, Sqlite, Store, StoreError, Walk, genesis, link,
};

const BATCH: u64 = 64;
const BODY: usize = 500;
const ROUNDS: u64 = 1000;

/// How many inboxes the messages go to.
fn agents() -> u64 {
    std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(64)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let place = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let directory = tempfile::Builder::new().prefix("write-rate-").tempdir_in(place)?;
    let mut bench = Bench {
        store: Sqlite::open(directory.path())?,
        agents: agents(),
        clock: 0,
        position: 0,
        hash: genesis(),
    };

    bench.report("warm up", ROUNDS / 4, BATCH, &[Kind::Journal, Kind::Message, Kind::Inbox])?;
    let messages = [Kind::Journal, Kind::Message, Kind::Inbox];
    bench.report("messages, 64 a commit", ROUNDS, BATCH, &messages)?;
    bench.report("messages, 1 a commit", ROUNDS, 1, &messages)?;
    let delegations =
        [Kind::Event, Kind::Spoken, Kind::Inbox, Kind::Exchange, Kind::Key, Kind::Effect, Kind::Idempotency];
    bench.report("delegation steps, 64", ROUNDS / 2, BATCH, &delegations)?;
    println!("\n{:<24} {:>10}", "row", "µs");
    let empty = bench.run(ROUNDS / 2, 0, &[])?.median();
    println!("{:<24} {:>10.1}", "(a commit of nothing)", micros(empty));
    for (name, kind) in Kind::ALL {
        let with_journal = matches!(kind, Kind::Journal | Kind::Event);
        let base =
            if with_journal { empty } else { bench.run(ROUNDS / 2, BATCH, &[Kind::Journal])?.median() };
        let kinds = if with_journal { vec![kind] } else { vec![Kind::Journal, kind] };
        let median = bench.run(ROUNDS / 2, BATCH, &kinds)?.median();
        println!("{name:<24} {:>10.2}", (micros(median) - micros(base)) / BATCH as f64);
    }
    bench.inbox_pages()?;
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Journal,
    /// Of an exchange.
    Event,
    Message,
    /// A message of an exchange.
    Spoken,
    Inbox,
    Mark,
    Exchange,
    Key,
    Effect,
    Idempotency,
}

impl Kind {
    const ALL: [(&str, Kind); 10] = [
        ("journal", Kind::Journal),
        ("journal, exchange", Kind::Event),
        ("message", Kind::Message),
        ("message, exchange", Kind::Spoken),
        ("inbox", Kind::Inbox),
        ("mark", Kind::Mark),
        ("exchange, replaced", Kind::Exchange),
        ("key", Kind::Key),
        ("effect and settled", Kind::Effect),
        ("idempotency", Kind::Idempotency),
    ];
}

struct Bench {
    store: Sqlite,
    agents: u64,
    clock: i64,
    position: u64,
    hash: wilco_store::Hash,
}

struct Timing(Vec<Duration>);

impl Timing {
    fn median(&self) -> Duration {
        self.0[self.0.len() / 2]
    }

    fn at(&self, share: f64) -> Duration {
        self.0[((self.0.len() - 1) as f64 * share) as usize]
    }
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

impl Bench {
    fn report(&mut self, what: &str, rounds: u64, many: u64, kinds: &[Kind]) -> Result<(), StoreError> {
        let start = Instant::now();
        let timing = self.run(rounds, many, kinds)?;
        let took = start.elapsed().as_secs_f64();
        println!(
            "{what:<24} {:>8.0}/s   commit p50 {:>7.0} µs  p99 {:>7.0} µs  max {:>7.0} µs",
            (rounds * many) as f64 / took,
            micros(timing.median()),
            micros(timing.at(0.99)),
            micros(timing.at(1.0)),
        );
        Ok(())
    }

    /// Durations of the commits, sorted.
    fn run(&mut self, rounds: u64, many: u64, kinds: &[Kind]) -> Result<Timing, StoreError> {
        let mut timing = Vec::new();
        for _ in 0..rounds {
            let batch = self.batch(many, kinds);
            let start = Instant::now();
            self.store.commit(&batch)?;
            timing.push(start.elapsed());
        }
        timing.sort();
        Ok(Timing(timing))
    }

    fn batch(&mut self, many: u64, kinds: &[Kind]) -> Batch {
        self.clock += 1;
        let mut batch = Batch { at: Time::from_millis(self.clock), ..Batch::default() };
        for _ in 0..many {
            self.position += 1;
            for kind in kinds {
                self.add(&mut batch, *kind);
            }
        }
        batch
    }

    fn agent(&self) -> Name {
        Name::new(format!("agent-{:02}", mixed(self.position) % self.agents))
    }

    fn add(&mut self, batch: &mut Batch, kind: Kind) {
        let position = self.position;
        // Each exchange has eight events.
        let (exchange, seq) = (position / 8 * 8, position % 8 + 1);
        let at = Time::from_millis(position as i64);
        match kind {
            Kind::Journal | Kind::Event => {
                let bytes = vec![b'j'; 250];
                self.hash = link(&self.hash, position, &bytes);
                let of = (kind == Kind::Event).then_some((exchange, seq));
                let (exchange, seq) = of.unzip();
                batch.journal.push(JournalRow { position, exchange, seq, bytes, hash: self.hash });
            }
            Kind::Message | Kind::Spoken => {
                let id = MessageId::new(format!(
                    "msg-{}-{:07x}",
                    1_767_150_000_000 + position / 64,
                    mixed(position)
                ));
                let exchange = (kind == Kind::Spoken).then_some(exchange);
                batch.messages.push(MessageRow { position, id, exchange, body: vec![b'm'; BODY] });
            }
            Kind::Inbox => {
                let agent = self.agent();
                batch.inbox.push(InboxRow { agent, position, status: InboxStatus::Unread });
            }
            Kind::Mark => {
                let mark = InboxMark { agent: self.agent(), position, status: InboxStatus::Read };
                batch.inbox.push(InboxRow {
                    agent: mark.agent.clone(),
                    position,
                    status: InboxStatus::Unread,
                });
                batch.marks.push(mark);
            }
            Kind::Exchange => {
                let id = ExchangeId { protocol: Protocol::Delegation, number: exchange };
                let (state, wake_at) = ("working".to_owned(), Some(at));
                batch.exchanges.push(ExchangeRow {
                    id,
                    state,
                    open: true,
                    seq,
                    wake_at,
                    body: vec![b'x'; 700],
                });
            }
            Kind::Key => {
                let key = format!("task:gh-{}", mixed(position));
                batch.keys.push(KeyChange { key, exchange, added: true });
            }
            Kind::Effect => {
                let row =
                    EffectRow { position, index: 0, due: at, attempts: 0, body: vec![b'e'; 150], node: None };
                batch.effects.push(EffectChange::Put(row));
                let settled = position.saturating_sub(1000);
                batch.effects.push(EffectChange::Settled { position: settled, index: 0 });
            }
            Kind::Idempotency => {
                let (sender, key) = (self.agent(), format!("{:032x}", mixed(position)));
                let answer = vec![b'a'; 120];
                batch.idempotency.push(IdempotencyRow { sender, key, request: self.hash, at, answer });
            }
        }
    }

    /// PERF-8: the first page of a long inbox against that of a short one.
    fn inbox_pages(&mut self) -> Result<(), StoreError> {
        println!("\n{:<24} {:>10} {:>10}", "first page of 50, µs", "unread", "all kept");
        for (agent, many) in [("short", 100u64), ("long", 100_000)] {
            let agent = Name::new(agent);
            for start in (0..many).step_by(1000) {
                let mut batch = self.batch(1000.min(many - start), &[Kind::Journal, Kind::Message]);
                for (at, row) in (start..).zip(&batch.journal) {
                    let (position, status) = (row.position, InboxStatus::Unread);
                    batch.inbox.push(InboxRow { agent: agent.clone(), position, status });
                    if at + 60 < many || position % 2 == 0 {
                        let status =
                            if position % 3 == 0 { InboxStatus::Archived } else { InboxStatus::Read };
                        batch.marks.push(InboxMark { agent: agent.clone(), position, status });
                    }
                }
                self.store.commit(&batch)?;
            }
            let reader = self.store.reader()?;
            let page = |statuses: &[InboxStatus]| {
                let filter = InboxFilter {
                    agent: agent.clone(),
                    statuses: statuses.to_vec(),
                    walk: Walk::Behind(0),
                    limit: 50,
                };
                let once = || {
                    let start = Instant::now();
                    reader.inbox(&filter).map(|_| start.elapsed())
                };
                let mut times = (0..200).map(|_| once()).collect::<Result<Vec<_>, _>>()?;
                times.sort();
                Ok::<_, StoreError>(micros(Timing(times).median()))
            };
            let (unread, kept) =
                (page(&[InboxStatus::Unread])?, page(&[InboxStatus::Unread, InboxStatus::Read])?);
            println!("{:<24} {unread:>10.1} {kept:>10.1}", format!("{agent}: {many}"));
        }
        Ok(())
    }
}

/// Numbers without order, the same in every run.
fn mixed(number: u64) -> u64 {
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) & 0xfff_ffff
}
