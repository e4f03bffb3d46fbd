//! Lists of exchanges by what the caller knows of them.

use rusqlite::{Connection, ToSql};

use wilco_protocol::Protocol;

use crate::batch::ExchangeRow;
use crate::error::StoreError;
use crate::reader::ExchangeFilter;

use super::query::list;
use super::rows::{self, int, limit};

/// Counting the exchanges of a key stops here: by then it is not rare.
const RARE: usize = 64;

pub(super) fn page(connection: &Connection, filter: &ExchangeFilter) -> Result<Vec<ExchangeRow>, StoreError> {
    let keys = rarest_first(connection, &filter.keys)?;
    let before = int(filter.before.unwrap_or(u64::MAX));
    let protocol = filter.protocol.map(|protocol| protocol.word());
    let most = limit(filter.limit);

    let mut question = Question::default();
    question.and("exchange.number < ?", &before);
    if let Some(protocol) = &protocol {
        question.and("exchange.protocol = ?", protocol);
    }
    if let Some(state) = &filter.state {
        question.and("exchange.state = ?", state);
    }
    match filter.open {
        // Written out, because only then SQLite sees that the index of the open ones will do.
        Some(true) => question.conditions.push("exchange.open = 1".to_owned()),
        Some(false) => question.conditions.push("exchange.open = 0".to_owned()),
        None => {}
    }
    let list_of = match keys.split_first() {
        None if filter.open == Some(true) => "exchange INDEXED BY exchange_open",
        None => "exchange",
        Some((rarest, others)) => {
            question.and("driver.number < ?", &before);
            question.and("driver.key = ?", *rarest);
            for other in others {
                question.and(HAS_KEY, *other);
            }
            // The order of a cross join is kept: the key is looked up first.
            "exchange_key AS driver CROSS JOIN exchange ON exchange.number = driver.number"
        }
    };
    let number = if keys.is_empty() { "exchange.number" } else { "driver.number" };
    let conditions = question.conditions.join(" AND ");
    question.params.push(&most);
    let sql = format!(
        "SELECT exchange.number, protocol, state, open, seq, wake_at, body
         FROM {list_of} WHERE {conditions} ORDER BY {number} DESC LIMIT ?"
    );
    list(connection, &sql, &*question.params, rows::exchange)
}

const HAS_KEY: &str =
    "EXISTS (SELECT 1 FROM exchange_key AS other WHERE other.key = ? AND other.number = driver.number)";

#[derive(Default)]
struct Question<'a> {
    conditions: Vec<String>,
    params: Vec<&'a dyn ToSql>,
}

impl<'a> Question<'a> {
    fn and(&mut self, condition: &str, value: &'a dyn ToSql) {
        self.conditions.push(condition.to_owned());
        self.params.push(value);
    }
}

/// The rarest key leads, so that few exchanges are looked at: a task has one delegation, an agent
/// thousands.
fn rarest_first<'a>(connection: &Connection, keys: &'a [String]) -> Result<Vec<&'a String>, StoreError> {
    let mut counted = Vec::new();
    for key in keys {
        let many = if keys.len() > 1 { numbers(connection, key, RARE)?.len() } else { 0 };
        counted.push((many, key));
    }
    counted.sort();
    Ok(counted.into_iter().map(|(_, key)| key).collect())
}

/// Only the open ones are looked at, however many there were.
pub(super) fn open(connection: &Connection) -> Result<Vec<(Protocol, String, u64)>, StoreError> {
    let sql = "SELECT protocol, state, count(*) FROM exchange INDEXED BY exchange_open
               WHERE open = 1 GROUP BY protocol, state ORDER BY protocol, state";
    list(connection, sql, (), |row| {
        let protocol = rows::protocol(row, 0, 0)?;
        Ok((protocol, rows::column(row, 1, 0)?, rows::number(row, 2, 0)?))
    })
}

/// The index alone is counted.
pub(super) fn open_total(connection: &Connection) -> Result<u64, StoreError> {
    let sql = "SELECT count(*) FROM exchange INDEXED BY exchange_open WHERE open = 1";
    Ok(list(connection, sql, (), |row| rows::number(row, 0, 0))?.into_iter().sum())
}

/// The numbers of exchanges that have this key, newest first.
pub(super) fn numbers(connection: &Connection, key: &str, most: usize) -> Result<Vec<u64>, StoreError> {
    let sql = "SELECT number FROM exchange_key WHERE key = ?1 ORDER BY number DESC LIMIT ?2";
    list(connection, sql, (key, limit(most)), |row| rows::number(row, 0, 0))
}
