//! A call that a follower takes to the writer: when it is sent again, and what its caller hears.

/// What came of one try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tried<A> {
    Answered(A),
    /// It was surely not taken.
    NotTaken,
    /// It may have been.
    Unknown,
}

/// What to do after a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextTry<A> {
    Answer(A),
    Again,
    /// To send it again could do it twice: the caller hears that it is not known.
    NotKnown,
}

/// What the caller hears when its patience is at an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    /// It may have been done.
    NotKnown,
    /// Nothing was done: this node has lost its database.
    CutOff,
    /// Nothing was done: nobody writes.
    NoWriter,
}

#[derive(Debug, Clone)]
pub struct Forwarding {
    /// Whether it may be done twice without harm.
    keyed: bool,
    may_be_taken: bool,
}

impl Forwarding {
    pub fn new(keyed: bool) -> Forwarding {
        Forwarding { keyed, may_be_taken: false }
    }

    pub fn tried<A>(&mut self, tried: Tried<A>) -> NextTry<A> {
        match tried {
            Tried::Answered(answer) => NextTry::Answer(answer),
            Tried::NotTaken => NextTry::Again,
            Tried::Unknown if self.keyed => {
                self.may_be_taken = true;
                NextTry::Again
            }
            Tried::Unknown => NextTry::NotKnown,
        }
    }

    pub fn given_up(&self, may_read: bool) -> GivenUp {
        match self.may_be_taken {
            true => GivenUp::NotKnown,
            false if !may_read => GivenUp::CutOff,
            false => GivenUp::NoWriter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PG-12: what was surely not taken is sent again, what may have been only with its key.
    #[test]
    fn pg_12_what_may_have_been_taken_is_sent_again_with_a_key_only() {
        let mut plain = Forwarding::new(false);
        assert_eq!(plain.tried::<()>(Tried::NotTaken), NextTry::Again);
        assert_eq!(plain.given_up(true), GivenUp::NoWriter);
        assert_eq!(plain.given_up(false), GivenUp::CutOff);
        assert_eq!(plain.tried::<()>(Tried::Unknown), NextTry::NotKnown);
        let mut keyed = Forwarding::new(true);
        assert_eq!(keyed.tried::<()>(Tried::Unknown), NextTry::Again);
        assert_eq!(keyed.tried::<()>(Tried::NotTaken), NextTry::Again);
        assert_eq!(keyed.given_up(true), GivenUp::NotKnown, "one of its tries may have been taken");
        assert_eq!(keyed.tried(Tried::Answered(7)), NextTry::Answer(7));
    }
}
