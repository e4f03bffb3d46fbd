//! Places for connections: so many in all, of which one address far away has a quarter. On this machine whoever rests
//! longest makes room. A few places more are for those who look after the server.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::connection::ConnectionState;

/// Places beyond the limit, for health and for operators.
const SPARE: usize = 16;
/// How many of those one address far away has.
const SPARE_OF_ONE: usize = 4;
/// The part of all places that one address far away has.
const PART_OF_ONE: usize = 4;

#[derive(Debug)]
pub(crate) struct ConnectionSeats {
    most: usize,
    /// Held only to look and to count; never over an await.
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    begun: u64,
    /// In the order they began.
    open: BTreeMap<u64, (IpAddr, Arc<ConnectionState>)>,
    by_address: HashMap<IpAddr, usize>,
    spare: HashMap<IpAddr, usize>,
}

/// A place, until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSeat {
    seats: Arc<ConnectionSeats>,
    address: IpAddr,
    /// None: one beyond the limit.
    number: Option<u64>,
}

impl ConnectionSeats {
    pub(crate) fn new(most: usize) -> ConnectionSeats {
        ConnectionSeats { most, taken: Mutex::default() }
    }

    /// None when there is no place at all.
    pub(crate) fn take(
        self: &Arc<Self>,
        address: IpAddr,
        line: &Arc<ConnectionState>,
    ) -> Option<ConnectionSeat> {
        let address = address.to_canonical();
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.by_address.get(&address).copied().unwrap_or(0);
        let may = address.is_loopback() || own < (self.most / PART_OF_ONE).max(1);
        let full = taken.open.len() >= self.most;
        let number = match (may, full) {
            (true, false) => Some(taken.sit(address, line)),
            (true, true) if address.is_loopback() && taken.make_room() => Some(taken.sit(address, line)),
            (true | false, _) => {
                taken.sit_beyond(address)?;
                None
            }
        };
        Some(ConnectionSeat { seats: self.clone(), address, number })
    }
}

impl ConnectionSeat {
    /// Whether it is one for those who look after the server.
    pub(crate) fn is_spare(&self) -> bool {
        self.number.is_none()
    }
}

impl Drop for ConnectionSeat {
    fn drop(&mut self) {
        let mut taken = self.seats.taken.lock().unwrap_or_else(PoisonError::into_inner);
        match self.number {
            Some(number) => taken.leave(number),
            None => count_down(&mut taken.spare, self.address),
        }
    }
}

impl Taken {
    fn sit(&mut self, address: IpAddr, line: &Arc<ConnectionState>) -> u64 {
        self.begun += 1;
        self.open.insert(self.begun, (address, line.clone()));
        *self.by_address.entry(address).or_default() += 1;
        self.begun
    }

    fn sit_beyond(&mut self, address: IpAddr) -> Option<()> {
        let own = self.spare.get(&address).copied().unwrap_or(0);
        let most = if address.is_loopback() { SPARE } else { SPARE_OF_ONE };
        if own >= most || self.spare.values().sum::<usize>() >= SPARE {
            return None;
        }
        *self.spare.entry(address).or_default() += 1;
        Some(())
    }

    /// Ends the connection of this machine that rests longest; none when all of them do something.
    fn make_room(&mut self) -> bool {
        let resting = self.open.iter().filter(|(_, (address, line))| address.is_loopback() && line.rests());
        let longest = resting.min_by_key(|(_, (_, line))| line.last_used()).map(|(number, _)| *number);
        let Some(number) = longest else { return false };
        if let Some((_, line)) = self.open.get(&number) {
            line.cut();
        }
        self.leave(number);
        true
    }

    /// It may have made room already.
    fn leave(&mut self, number: u64) {
        if let Some((address, _)) = self.open.remove(&number) {
            count_down(&mut self.by_address, address);
        }
    }
}

fn count_down(counts: &mut HashMap<IpAddr, usize>, address: IpAddr) {
    if let Some(count) = counts.get_mut(&address) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Arc<ConnectionState> {
        Arc::default()
    }

    fn far(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn g13_one_address_far_away_has_a_quarter_and_a_few_beyond() {
        let seats = Arc::new(ConnectionSeats::new(8));
        let own: Vec<_> = (0..6).map(|_| seats.take(far(1), &line()).unwrap()).collect();
        let spare: Vec<_> = own.iter().map(ConnectionSeat::is_spare).collect();
        assert_eq!(spare, [false, false, true, true, true, true]);
        assert!(seats.take(far(1), &line()).is_none());
        // Others have theirs.
        let other = seats.take(far(2), &line()).unwrap();
        let here: Vec<_> = (0..5).map(|_| seats.take(HERE, &line()).unwrap()).collect();
        assert!(!other.is_spare() && here.iter().all(|seat| !seat.is_spare()));
        // All are taken: this machine's rest makes room for this machine only.
        assert!(seats.take(far(3), &line()).unwrap().is_spare());
        assert!(!seats.take(HERE, &line()).unwrap().is_spare());
        drop((own, other, here));
        let taken = seats.taken.lock().unwrap();
        assert!(taken.open.is_empty() && taken.by_address.is_empty() && taken.spare.is_empty());
    }

    #[test]
    fn g13_on_this_machine_the_one_that_rests_longest_goes() {
        let seats = Arc::new(ConnectionSeats::new(3));
        let lines = [line(), line(), line()];
        let _taken: Vec<_> = lines.iter().map(|line| seats.take(HERE, line).unwrap()).collect();
        lines[0].used();
        lines[1].complete();
        let open = || seats.taken.lock().unwrap().open.keys().copied().collect::<Vec<_>>();
        let fourth = seats.take(HERE, &line()).unwrap();
        assert_eq!(open(), [1, 2, 4], "the third never did anything");
        drop(fourth);
        lines[0].complete();
        let _fourth = {
            let busy = line();
            busy.complete();
            seats.take(HERE, &busy).unwrap()
        };
        assert!(seats.take(HERE, &line()).unwrap().is_spare(), "nobody rests");
    }
}
