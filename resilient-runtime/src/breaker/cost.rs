//! What the windows cost, for tests that show it to be constant.

#[cfg(test)]
thread_local! {
    static TOUCHED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// One bucket or one remembered call was looked at.
#[inline]
pub(super) fn touch() {
    #[cfg(test)]
    TOUCHED.with(|touched| touched.set(touched.get() + 1));
}

/// How many this thread looked at inside `body`.
#[cfg(all(test, not(resilient_loom)))]
pub(super) fn of(body: impl FnOnce()) -> u64 {
    let before = TOUCHED.with(std::cell::Cell::get);
    body();
    TOUCHED.with(std::cell::Cell::get) - before
}
