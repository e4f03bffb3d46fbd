//! `kill -9` under load: nothing that was acknowledged is lost, nothing unknown is doubled, and what was
//! open goes on. `WILCO_KILL_ROUNDS` makes it as long as one likes; `cargo xtask kill` does so.

mod ledger;
mod server;

use ledger::{chance, check, ledgers, load_and_kill, settle};
use server::{Server, ack, task};

const SHORT: usize = 3;

#[test]
fn g1_g2_g3_kill_9_under_load_loses_and_doubles_nothing() {
    let rounds =
        std::env::var("WILCO_KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(SHORT);
    let mut server = Server::start();
    server.register(&["boss", "worker"]);
    let mut ledgers = ledgers();
    for round in 0..rounds {
        let open = server.begin(&task(&format!("T-{round}")));
        let shown = server.exchange(&open);
        let most = 20 + chance() % 300;
        load_and_kill(&mut server, &mut ledgers, round, most);
        server = server.restart();
        settle(&server, &mut ledgers);
        check(&server, &ledgers);
        assert_eq!(server.exchange(&open), shown, "an open delegation is where it was");
        assert_eq!(server.send(&ack(&format!("T-{round}")))["exchange"]["state"], "working");
    }
    let total: usize = ledgers.iter().map(|ledger| ledger.answered.len()).sum();
    println!("{total} messages survived {rounds} rounds");
}
