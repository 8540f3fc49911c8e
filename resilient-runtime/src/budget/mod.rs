//! The bound on repeats over all calls to a dependency, in four shapes behind one face.
//!
//! Three of them are a [bucket of tokens](bucket) that differ in their [terms](Terms); the fourth is a
//! [share of the calls in flight](share).

mod bucket;
#[cfg(all(test, resilient_loom))]
mod loom_tests;
mod share;
mod terms;
#[cfg(all(test, not(resilient_loom)))]
mod tests;

use crate::{
    time::{Moment, now},
    verdict::Class,
};
use bucket::{Bucket, TOKEN};
use resilient_policy::RetryBudget;
use share::Share;
use terms::{Tariff, Terms};

/// A budget of one name.
#[derive(Debug)]
pub(crate) struct Budget {
    bucket: Bucket,
    tariff: Tariff,
    share: Share,
    epoch: Moment,
}

impl Budget {
    /// `None` where there is no bound.
    pub(crate) fn new(settings: RetryBudget) -> Option<Self> {
        let terms = Terms::of(settings)?;
        let budget =
            Self { bucket: Bucket::default(), tariff: Tariff::default(), share: Share::default(), epoch: now() };
        budget.tariff.set(&terms);
        budget.bucket.fill(terms.capacity);
        Some(budget)
    }

    /// Written settings replace default ones. Tokens stay, up to the new capacity; another shape starts full.
    pub(crate) fn adopt(&self, settings: RetryBudget) {
        let Some(terms) = Terms::of(settings) else { return };
        let same_shape = self.tariff.shape() == terms.shape;
        self.tariff.set(&terms);
        if same_shape {
            self.bucket.resize(terms.capacity);
        } else {
            self.bucket.fill(terms.capacity);
            self.share.clear();
        }
    }

    /// Tokens left; with a share of the active calls, how many more retries may run.
    pub(crate) fn tokens(&self) -> f64 {
        if self.tariff.is_share() { f64::from(self.share.left()) } else { self.bucket.tokens() }
    }

    /// What the bucket holds when it is full; with a share of the active calls, how many retries may run at once.
    pub(crate) fn capacity(&self) -> u32 {
        if self.tariff.is_share() { self.share.limit() } else { self.bucket.capacity() }
    }

    /// A call makes its first attempt.
    pub(crate) fn called(&self) {
        if self.tariff.is_share() {
            self.share.call_started();
        } else {
            self.bucket.add(self.tariff.per_call());
        }
    }

    /// A call succeeded without a token: a success with one is the [token's](Token::succeeded) to report.
    pub(crate) fn succeeded(&self) {
        self.bucket.add(self.tariff.per_success());
    }

    /// A token for one retry or hedge, if there is one. `class` is what the attempt before it was: a quota has two
    /// prices.
    pub(crate) fn withdraw(&'static self, class: Class) -> Option<Token> {
        let granted = |paid| Token { budget: self, paid, started: false };
        if self.tariff.is_share() {
            return self.share.take().then(|| granted(0));
        }
        self.pay_floor();
        let price = if class == Class::Throttled { self.tariff.throttled() } else { self.tariff.price() };
        self.bucket.take(price, self.tariff.keep()).then(|| granted(price as u32))
    }

    fn pay_floor(&self) {
        let per_second = self.tariff.per_second();
        if per_second > 0 {
            self.bucket.pay(now().since(self.epoch), per_second);
        }
    }
}

impl Budget {
    /// The state of another key from here on: full, with nothing in flight.
    pub(crate) fn recycle(&self, settings: RetryBudget) {
        let Some(terms) = Terms::of(settings) else { return };
        self.tariff.set(&terms);
        self.bucket.fill(terms.capacity);
        self.share.clear();
    }

    /// The call whose first attempt was [reported](Self::called) is over, however it ended.
    pub(crate) fn ended(&self) {
        if self.tariff.is_share() {
            self.share.call_ended();
        }
    }

    /// An attempt failed in a way that may be repeated. Said before a token is asked for.
    pub(crate) fn attempt_failed(&self) {
        self.bucket.lose(self.tariff.per_failure());
    }
}

/// One retry's token. It comes back when it is dropped before the retry has [started](Token::start).
#[derive(Debug)]
#[must_use]
pub(crate) struct Token {
    budget: &'static Budget,
    /// In millionths.
    paid: u32,
    started: bool,
}

impl Token {
    /// The retry starts: what it paid is gone. Its place among the active ones is held until the token is dropped.
    pub(crate) fn start(&mut self) {
        self.started = true;
    }

    /// The retry succeeded, and with it the call.
    pub(crate) fn succeeded(mut self) {
        if self.budget.tariff.refunds() {
            // The drop gives back what the retry had paid.
            self.started = false;
        } else {
            self.budget.succeeded();
        }
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        if self.budget.tariff.is_share() {
            self.budget.share.give_back();
        } else if !self.started {
            self.budget.bucket.add(self.paid.into());
        }
    }
}

const _: () = assert!(size_of::<Option<Token>>() <= 16, "a call holds one");
const _: () = assert!(500 * TOKEN < u32::MAX as u64, "a token knows in 32 bits what it paid");
