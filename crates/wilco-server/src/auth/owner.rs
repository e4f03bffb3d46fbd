//! Who is counted as one: by its token, else by the name it gives, else by its address.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use http::request::Parts;

use super::{Peer, bearer};

/// Whom a request counts for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Owner {
    key: String,
    /// The name that it gives, and where it comes from.
    claims: Option<(String, String)>,
}

impl PartialEq for Owner {
    fn eq(&self, other: &Owner) -> bool {
        self.key == other.key
    }
}

impl Eq for Owner {}

impl Hash for Owner {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

/// Secrets are not kept as they are.
static SECRETS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl Owner {
    pub(crate) fn of(parts: &Parts) -> Owner {
        // A request that is made here counts for whoever made it necessary.
        if let Some(owner) = parts.extensions.get::<Owner>() {
            return owner.clone();
        }
        let named = parts.headers.get("wilco-agent").and_then(|name| name.to_str().ok());
        let address =
            parts.extensions.get::<Peer>().map_or(String::new(), |peer| format!("address {}", peer.0));
        match (bearer(&parts.headers), named.filter(|name| !name.is_empty())) {
            (Some(secret), _) => {
                Owner { key: format!("token {:016x}", SECRETS.hash_one(secret)), claims: None }
            }
            (None, Some(name)) => Owner {
                key: format!("agent {}", name.to_ascii_lowercase()),
                claims: Some((name.to_owned(), address)),
            },
            (None, None) => Owner { key: address, claims: None },
        }
    }

    /// Whom it counts for where a name that nobody has yet is none: else everybody had as many owners as names.
    pub(crate) fn if_known(self, is_known: impl FnOnce(&str) -> bool) -> Owner {
        match self.claims {
            Some((name, address)) if !is_known(&name) => Owner { key: address, claims: None },
            claims => Owner { key: self.key, claims },
        }
    }
}

/// Seats of which every owner may have so many.
#[derive(Debug)]
pub(crate) struct OwnerSeats {
    most: usize,
    /// Held only to count one up or down; never over an await.
    taken: Mutex<HashMap<Owner, usize>>,
}

impl OwnerSeats {
    pub(crate) fn new(most: usize) -> OwnerSeats {
        OwnerSeats { most, taken: Mutex::default() }
    }

    /// None when it has as many as it may.
    pub(crate) fn take(self: &Arc<Self>, owner: &Owner) -> Option<OwnerSeat> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(owner.clone()).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(OwnerSeat { seats: self.clone(), owner: owner.clone() })
    }
}

/// A seat, until it is dropped.
#[derive(Debug)]
pub(crate) struct OwnerSeat {
    seats: Arc<OwnerSeats>,
    owner: Owner,
}

impl Drop for OwnerSeat {
    fn drop(&mut self) {
        let mut taken = self.seats.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.owner) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g13_every_owner_has_so_many_seats_and_gets_them_back() {
        let seats = Arc::new(OwnerSeats::new(2));
        let [one, other] = ["one", "other"].map(|name| Owner { key: name.to_owned(), claims: None });
        let first = seats.take(&one);
        let _second = seats.take(&one).unwrap();
        assert!(seats.take(&one).is_none());
        assert!(seats.take(&other).is_some());
        drop(first);
        assert!(seats.take(&one).is_some());
        drop(_second);
        assert!(seats.taken.lock().unwrap().is_empty(), "nobody is remembered for nothing");
    }
}
