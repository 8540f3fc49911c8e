//! What calls cost in locks and in looks at the clock: numbers that are the same on every machine, unlike time.
//!
//! Counted per thread, by [`crate::sync`] and [`crate::time`], and only with feature `testing`.

#[cfg(not(feature = "testing"))]
mod counted {
    pub(crate) fn look_at_the_clock() {}
    pub(crate) fn lock() {}
}

#[cfg(feature = "testing")]
mod counted {
    use std::cell::Cell;

    /// What this library did on a thread.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Cost {
        /// Looks at the clock.
        pub clock: u64,
        /// Locks taken, or tried.
        pub locks: u64,
    }

    thread_local! {
        static SO_FAR: Cell<Cost> = const { Cell::new(Cost { clock: 0, locks: 0 }) };
    }

    /// What `body` costs on this thread.
    pub fn cost(body: impl FnOnce()) -> Cost {
        let before = SO_FAR.get();
        body();
        let after = SO_FAR.get();
        Cost { clock: after.clock - before.clock, locks: after.locks - before.locks }
    }

    fn count(one: Cost) {
        // A destructor of another thread-local may come here when this one is gone.
        let _ = SO_FAR.try_with(|so_far| {
            let Cost { clock, locks } = so_far.get();
            so_far.set(Cost { clock: clock + one.clock, locks: locks + one.locks });
        });
    }

    pub(crate) fn look_at_the_clock() {
        count(Cost { clock: 1, locks: 0 });
    }

    pub(crate) fn lock() {
        count(Cost { clock: 0, locks: 1 });
    }
}

#[cfg(feature = "testing")]
pub use counted::{Cost, cost};
pub(crate) use counted::{lock, look_at_the_clock};
