//! Memory and SQLite agree: the same batches, the same answers to everything.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;
use wilco_store::conformance::{Author, StoreQuestions, answers};
use wilco_store::{Batch, InboxRow, InboxStatus, Memory, Reach, Reader, Sqlite, Store};

const STATUSES: [InboxStatus; 4] =
    [InboxStatus::Unread, InboxStatus::Read, InboxStatus::Archived, InboxStatus::Deleted];

const REACHES: [Reach; 5] =
    [Reach::Nudged, Reach::NudgeFailed, Reach::Injected, Reach::Answered, Reach::PutAwayUnread];

/// Something that may stand in a batch. Small numbers choose among few things, so that they meet.
#[derive(Debug, Clone)]
enum Part {
    Event {
        exchange: Option<u64>,
    },
    Message {
        exchange: Option<u64>,
        inboxes: Vec<usize>,
        status: usize,
    },
    /// With an id that is taken, or free.
    Named {
        number: u64,
    },
    Mark {
        agent: usize,
        position: u64,
        status: usize,
    },
    Reach {
        agent: usize,
        position: u64,
        reach: usize,
    },
    Exchange {
        number: u64,
        state: usize,
        wake_at: Option<i64>,
    },
    Key {
        key: usize,
        number: u64,
        added: bool,
    },
    Agent {
        name: usize,
        program: u8,
    },
    NoAgent {
        name: usize,
    },
    Effect {
        position: u64,
        index: u32,
        due: i64,
    },
    Settled {
        position: u64,
        index: u32,
    },
    Remember {
        sender: usize,
        key: usize,
        at: i64,
    },
    Forget {
        before: i64,
    },
}

fn part() -> impl Strategy<Value = Part> {
    let number = || 1u64..14;
    prop_oneof![
        3 => proptest::option::of(number()).prop_map(|exchange| Part::Event { exchange }),
        6 => (proptest::option::of(number()), vec(0..4usize, 0..3), 0..4usize)
            .prop_map(|(exchange, inboxes, status)| Part::Message { exchange, inboxes, status }),
        1 => (1u64..400).prop_map(|number| Part::Named { number }),
        3 => (0..4usize, number(), 0..4usize)
            .prop_map(|(agent, position, status)| Part::Mark { agent, position, status }),
        2 => (0..4usize, number(), 0..4usize)
            .prop_map(|(agent, position, reach)| Part::Reach { agent, position, reach }),
        3 => (number(), 0..3usize, proptest::option::of(0..5i64))
            .prop_map(|(number, state, wake_at)| Part::Exchange { number, state, wake_at }),
        4 => (0..4usize, number(), any::<bool>()).prop_map(|(key, number, added)| Part::Key { key, number, added }),
        1 => (0..4usize, 0..3u8).prop_map(|(name, program)| Part::Agent { name, program }),
        1 => (0..4usize).prop_map(|name| Part::NoAgent { name }),
        1 => (number(), 0..2u32, 0..9i64).prop_map(|(position, index, due)| Part::Effect { position, index, due }),
        1 => (number(), 0..2u32).prop_map(|(position, index)| Part::Settled { position, index }),
        2 => (0..4usize, 0..4usize, 0..9i64).prop_map(|(sender, key, at)| Part::Remember { sender, key, at }),
        1 => (0..9i64).prop_map(|before| Part::Forget { before }),
    ]
}

#[derive(Default)]
struct World {
    author: Author,
    seqs: BTreeMap<u64, u64>,
    questions: StoreQuestions,
}

impl World {
    fn batch(&mut self, parts: &[Part], at: i64) -> Batch {
        for part in parts {
            self.add(part);
        }
        self.author.take(at)
    }

    fn add(&mut self, part: &Part) {
        let StoreQuestions { agents, keys, states, .. } = &self.questions;
        let author = &mut self.author;
        match part {
            Part::Event { exchange } => {
                let of = exchange.map(|number| {
                    let seq = self.seqs.entry(number).or_default();
                    *seq += 1;
                    (number, *seq)
                });
                author.event(of, "event");
            }
            Part::Message { exchange, inboxes, status } => {
                let id = format!("m{}", author.position + 1);
                let position = author.message(&id, *exchange, "body");
                let mut inboxes = inboxes.clone();
                inboxes.sort_unstable();
                inboxes.dedup();
                author.batch.inbox.extend(inboxes.into_iter().map(|agent| InboxRow {
                    agent: agents[agent].as_str().into(),
                    position,
                    status: STATUSES[*status],
                }));
            }
            Part::Named { number } => {
                author.message(&format!("m{number}"), None, "named");
            }
            Part::Mark { agent, position, status } => {
                author.mark(&agents[*agent], *position, STATUSES[*status])
            }
            Part::Reach { agent, position, reach } => {
                author.reach(&agents[*agent], *position, REACHES[*reach])
            }
            Part::Exchange { number, state, wake_at } => {
                author.exchange(*number, &states[*state], *state < 2, *wake_at)
            }
            Part::Key { key, number, added } => author.key(&keys[*key], *number, *added),
            Part::Agent { name, program } => author.agent(&agents[*name], &format!("program {program}")),
            Part::NoAgent { name } => author.remove_agent(&agents[*name]),
            Part::Effect { position, index, due } => author.effect(*position, *index, *due, *due as u32),
            Part::Settled { position, index } => author.settle(*position, *index),
            Part::Remember { sender, key, at } => {
                author.remember(&agents[*sender], &keys[*key], *at, "answer")
            }
            Part::Forget { before } => author.forget_before(*before),
        }
    }

    /// After a refusal the journal goes on from where it was.
    fn back_to(&mut self, reader: &impl Reader) {
        let head = reader.head().unwrap();
        self.author = Author::at(head.position, head.hash);
        self.seqs = (1..14)
            .map(|number| (number, reader.journal_of(number, 0, usize::MAX).unwrap().len() as u64))
            .collect();
    }
}

/// The same with PostgreSQL; fewer, because every question is a round trip.
#[test]
fn pg_3_memory_and_postgres_agree() {
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(
        ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4) },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let target = crate::postgres::target;
    runner
        .run(&(vec(vec(part(), 0..40), 1..8), any::<bool>()), |(batches, rebuilt)| {
            let (target, mut memory, mut world) = (target(), Memory::new(), World::default());
            let mut postgres = crate::postgres::writer(&target);
            for (at, parts) in (1..).zip(&batches) {
                if rebuilt && at == 3 {
                    memory.begin_rebuild().unwrap();
                    postgres.begin_rebuild().unwrap();
                    memory.finish_rebuild().unwrap();
                    postgres.finish_rebuild().unwrap();
                }
                let batch = world.batch(parts, at);
                let (left, right) = (memory.commit(&batch), postgres.commit(&batch));
                prop_assert_eq!(left.is_ok(), right.is_ok(), "{:?} {:?}", left, right);
                if left.is_err() {
                    world.back_to(&memory);
                }
            }
            let expected = answers(&memory, &world.questions).unwrap();
            prop_assert_eq!(
                &answers(&wilco_store::Postgres::reader(&target), &world.questions).unwrap(),
                &expected
            );
            Ok(())
        })
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn g8_memory_and_sqlite_agree(batches in vec(vec(part(), 0..40), 1..8), rebuilt in any::<bool>()) {
        let directory = TempDir::new().unwrap();
        let mut memory = Memory::new();
        let mut sqlite = Sqlite::open(directory.path()).unwrap();
        let reader = sqlite.reader().unwrap();
        let mut world = World::default();
        for (at, parts) in (1..).zip(&batches) {
            if rebuilt && at == 3 {
                memory.begin_rebuild().unwrap();
                sqlite.begin_rebuild().unwrap();
                memory.finish_rebuild().unwrap();
                sqlite.finish_rebuild().unwrap();
            }
            let batch = world.batch(parts, at);
            let (left, right) = (memory.commit(&batch), sqlite.commit(&batch));
            prop_assert_eq!(left.is_ok(), right.is_ok(), "{:?} {:?}", left, right);
            if left.is_err() {
                world.back_to(&memory);
            }
        }
        let expected = answers(&memory, &world.questions).unwrap();
        prop_assert_eq!(&answers(&reader, &world.questions).unwrap(), &expected);
        drop(sqlite);
        let sqlite = Sqlite::open(directory.path()).unwrap();
        prop_assert_eq!(&answers(&sqlite, &world.questions).unwrap(), &expected);
    }
}
