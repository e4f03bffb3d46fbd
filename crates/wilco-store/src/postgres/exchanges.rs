//! Lists of exchanges by what the caller knows of them.

use crate::batch::ExchangeRow;
use crate::error::StoreError;
use crate::reader::ExchangeFilter;

use super::Postgres;
use super::rows::{self, int, limit};
use super::session::Value;

/// The server knows how rare a key is, and begins with the rarest.
pub(super) fn page(store: &Postgres, filter: &ExchangeFilter) -> Result<Vec<ExchangeRow>, StoreError> {
    let (before, most) = (int(filter.before.unwrap_or(u64::MAX)), limit(filter.limit));
    let protocol = filter.protocol.map(|protocol| protocol.word());
    let keys: Vec<&[u8]> = filter.keys.iter().map(String::as_bytes).collect();
    let mut conditions = vec!["exchange.number < $1".to_owned()];
    let mut values: Vec<Value<'_>> = vec![&before, &most];
    let wanted = protocol.iter().map(|protocol| ("protocol = ?", protocol as Value<'_>));
    let wanted = wanted.chain(filter.state.iter().map(|state| ("state = ?", state as Value<'_>)));
    for (condition, value) in wanted.chain(keys.iter().map(|key| (HAS_KEY, key as Value<'_>))) {
        conditions.push(condition.replace('?', &format!("${}", values.len() + 1)));
        values.push(value);
    }
    match filter.open {
        Some(true) => conditions.push("open".to_owned()),
        Some(false) => conditions.push("NOT open".to_owned()),
        None => {}
    }
    let sql = format!(
        "SELECT exchange.number, protocol, state, open, seq, wake_at, body FROM exchange
         WHERE {} ORDER BY exchange.number DESC LIMIT $2",
        conditions.join(" AND ")
    );
    store.list(&sql, &values, rows::exchange)
}

const HAS_KEY: &str = "EXISTS (SELECT 1 FROM exchange_key
                       WHERE sha256(key) = sha256(?::bytea) AND key = ? AND exchange_key.number = exchange.number)";
