//! Two agents that answer everything they get, in free words: they may talk for ever, and Wilco does not join in.

use serde_json::json;

use super::realm::Realm;

const AGENTS: [&str; 2] = ["boss", "worker"];
const SEEDS: u64 = 24;
/// Messages that the two say. No time passes meanwhile, so all that Wilco says is an answer to them.
const SAID: usize = 240;
/// Wilco's words at the most: what begins, a notice to each in each of a few states, and what is passed on.
const MOST_OF_WILCO: usize = 24;

/// What models say when nobody asked them.
const WORDS: [&str; 16] = [
    "Interesting one!",
    "I see. Let me think about that for a while.",
    "Thanks, noted.",
    "Could you say more about the second point?",
    "That is what I thought as well, more or less.",
    "Understood your message, but I am not sure what it asks of me.",
    "Nothing changed on my side.",
    "I got a notice and do not know what to do with it.",
    "> I could not read an answer in your message\n\nSorry, what do you mean?",
    "```\n[ACK] SOMETHING - {RECEIVED|REJECTED}\n```\nIs that the form?",
    "Hello! How can I help you today?",
    "As an assistant I answer every message that I get.",
    "👍",
    "It depends.",
    "Please ignore my last message.",
    "You said that nothing changed. I agree.",
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Everybody answers all that is new to it; says how many did.
fn round(realm: &Realm, dice: &mut Dice, answered: &mut [usize; 2]) -> usize {
    let mut said = 0;
    for (agent, answered) in AGENTS.into_iter().zip(answered) {
        for message in realm.inbox(agent).into_iter().skip(*answered) {
            *answered += 1;
            let text = WORDS[dice.below(WORDS.len())];
            let content = json!({"type": "text", "message": text});
            let mut body = json!({"from": agent, "to": message["from"], "content": content});
            if dice.below(4) > 0 {
                body["in_reply_to"] = message["id"].clone();
            }
            realm.send(&body);
            said += 1;
        }
    }
    said
}

#[test]
fn talk_1_agents_that_answer_everything_start_no_loop_of_notices() {
    for seed in 1..=SEEDS {
        let (realm, mut dice) = (Realm::start(), Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        realm.register(&AGENTS);
        let content = match seed % 4 {
            0 => json!({"type": "task-assignment", "task_id": "GH-1", "title": "Add a login page"}),
            1 => {
                json!({"type": "task-assignment", "task_id": "GH-1", "title": "Add a page", "requires_ack": false})
            }
            2 => json!({"type": "pre-operation", "operation": "restart", "message": "A restart is due."}),
            _ => json!({
                "type": "replacement_handoff", "handoff_id": "HO-7", "handoff_url": "http://127.0.0.1/HO-7",
                "failed_agent": {"id": "gone", "session": "gone"}, "urgency": "immediate",
            }),
        };
        realm.send(&json!({"from": "boss", "to": "worker", "content": content}));
        let (mut said, mut answered) = (0, [0, 0]);
        while said < SAID {
            match round(&realm, &mut dice, &mut answered) {
                0 => break,
                more => said += more,
            }
        }
        let of_wilco = AGENTS.into_iter().flat_map(|agent| realm.inbox(agent));
        let of_wilco =
            of_wilco.filter(|message| !AGENTS.iter().any(|agent| message["from"] == *agent)).count();
        assert!(
            of_wilco <= MOST_OF_WILCO,
            "seed {seed}: Wilco said {of_wilco} things while {said} were said"
        );
    }
}
