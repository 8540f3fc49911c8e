//! Every annotated function of the program, known before its first call.
//!
//! Collected at link time (feature `catalog`): the operations of this binary and of every library that it really uses; a
//! dependency that no path mentions is not linked and so not listed. Without the feature an operation is known from its
//! first call on.

use crate::operation::Site;

/// A call site on the list.
pub struct Listed(pub &'static Site);

#[cfg(feature = "catalog")]
inventory::collect!(Listed);

/// Whether call sites are listed before they are called.
pub(crate) const COMPLETE: bool = cfg!(feature = "catalog");

/// Every call site on the list.
#[cfg(feature = "catalog")]
pub(crate) fn sites() -> impl Iterator<Item = &'static Site> {
    inventory::iter::<Listed>().map(|listed| listed.0)
}

/// Every call site on the list: none is.
#[cfg(not(feature = "catalog"))]
pub(crate) fn sites() -> impl Iterator<Item = &'static Site> {
    std::iter::empty()
}

/// Puts a call site on the list.
#[cfg(feature = "catalog")]
#[doc(hidden)]
#[macro_export]
macro_rules! __list {
    ($site:expr) => {
        $crate::__private::inventory::submit! { $crate::__private::Listed($site) }
    };
}

/// Puts a call site on the list, where there is one.
#[cfg(not(feature = "catalog"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __list {
    ($site:expr) => {};
}
