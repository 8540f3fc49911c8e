//! Atomics and locks, from one place: with `--cfg resilient_loom` they are loom's, which tries every order in which
//! threads can meet.
//!
//! The name is our own, since `--cfg loom` would change tokio, too.

#[cfg(not(resilient_loom))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, atomic};

#[cfg(resilient_loom)]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard, atomic};

use crate::testing::cost;

/// A lock that a panic inside cannot take away from the others: what it guards is changed in steps that each hold.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    cost::lock();
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The lock, if nobody holds it now.
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    cost::lock();
    mutex.try_lock().ok()
}
