//! The bulkhead: permits, and a line of those who wait for one.

use super::{MAX_QUEUE, MAX_WAIT, PERMITS};

#[derive(Debug)]
pub struct Gate {
    pub limit: u32,
    /// Also those that were handed over and not come for.
    pub used: u32,
    /// Who waits, and until when, in the order of arrival.
    pub line: Vec<(usize, u64)>,
    /// Who was handed a permit, and who was turned away, and does not know yet.
    handed: Vec<usize>,
    turned_away: Vec<usize>,
}

pub enum Entry {
    Permit,
    Wait,
    Full,
}

pub enum Place {
    Waiting,
    Permit,
    Gone,
}

/// Takes this one out, if it is there.
fn take(numbers: &mut Vec<usize>, number: usize) -> bool {
    let found = numbers.iter().position(|known| *known == number);
    found.map(|at| numbers.remove(at)).is_some()
}

impl Gate {
    pub fn new() -> Self {
        Self { limit: PERMITS, used: 0, line: Vec::new(), handed: Vec::new(), turned_away: Vec::new() }
    }

    /// Without waiting.
    pub fn try_enter(&mut self) -> bool {
        let free = self.line.is_empty() && self.used < self.limit;
        self.used += u32::from(free);
        free
    }

    pub fn enter(&mut self, number: usize, now: u64, deadline: u64) -> Entry {
        if self.try_enter() {
            Entry::Permit
        } else if self.line.len() == MAX_QUEUE {
            Entry::Full
        } else {
            self.line.push((number, deadline.min(now + MAX_WAIT)));
            Entry::Wait
        }
    }

    /// A permit comes back.
    pub fn release(&mut self, now: u64) {
        self.used -= 1;
        self.hand_over(now);
    }

    pub fn resize(&mut self, limit: u32, now: u64) {
        self.limit = limit;
        self.hand_over(now);
    }

    /// In order; who has waited too long is turned away.
    fn hand_over(&mut self, now: u64) {
        while let Some((number, until)) = self.line.first().copied() {
            if until <= now {
                self.turned_away.push(number);
            } else if self.used < self.limit {
                self.used += 1;
                self.handed.push(number);
            } else {
                break;
            }
            self.line.remove(0);
        }
    }

    /// One who waits looks for its permit.
    pub fn come(&mut self, number: usize, now: u64) -> Place {
        if take(&mut self.handed, number) {
            return Place::Permit;
        }
        if take(&mut self.turned_away, number) {
            return Place::Gone;
        }
        let at = self.line.iter().position(|(known, _)| *known == number).unwrap();
        if now < self.line[at].1 {
            return Place::Waiting;
        }
        self.line.remove(at);
        Place::Gone
    }

    /// One who waits goes away; a permit that it did not come for is the next one's.
    pub fn leave(&mut self, number: usize, now: u64) {
        if take(&mut self.handed, number) {
            self.release(now);
        }
        take(&mut self.turned_away, number);
        self.line.retain(|(known, _)| *known != number);
    }
}
