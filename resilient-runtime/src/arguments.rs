//! What every attempt starts from: the caller's arguments.

use std::{
    any::Any,
    borrow::Borrow,
    hash::{Hash, Hasher},
};

/// An argument taken by value that more than one attempt may need: empty once the last attempt took it.
#[derive(Debug)]
pub struct Slot<T>(Option<T>);

impl<T> Slot<T> {
    /// Keeps `value`.
    pub fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// A copy for this attempt, made by `reuse`; the original for the last one.
    ///
    /// # Panics
    /// After the original was taken, which the expansion never does.
    pub fn take(&mut self, last: bool, reuse: fn(&T) -> T) -> T {
        if last { self.0.take().expect("an argument is taken once") } else { reuse(self.get()) }
    }

    /// The original.
    ///
    /// # Panics
    /// After it was taken.
    #[must_use]
    pub fn get(&self) -> &T {
        self.0.as_ref().expect("an argument is not used after the last attempt took it")
    }
}

/// An argument that a second attempt can have.
#[diagnostic::on_unimplemented(
    message = "[R26] `{Self}` cannot be handed over a second time",
    label = "taken by value where it may be needed again, but not `Clone`",
    note = "every attempt, and a fallback, starts from the caller's arguments: take a reference, put the value into an `Arc`, or mark the argument `#[share]`"
)]
pub trait Reusable {
    /// A copy for one more attempt.
    #[must_use]
    fn reuse(&self) -> Self;
}

impl<T: Clone> Reusable for T {
    fn reuse(&self) -> Self {
        self.clone()
    }
}

/// A type that can be part of a cache key.
#[diagnostic::on_unimplemented(
    message = "[R25] `{Self}` cannot be part of a cache key",
    label = "not `Eq + Hash + Clone + Send + Sync + 'static`",
    note = "name what the answer depends on: `fallback(cached, key = (tenant.id, sku))`"
)]
pub trait KeyPart {
    /// This value as a part; whatever its type is, so that a type which cannot be one is one error.
    fn part<'a>(whole: &'a &Self) -> &'a dyn Part;
}

#[diagnostic::do_not_recommend]
impl<T> KeyPart for T
where
    T: ?Sized + ToOwned<Owned: Borrow<T> + Send + Sync + 'static> + Eq + Hash + Sync,
{
    fn part<'a>(whole: &'a &Self) -> &'a dyn Part {
        whole
    }
}

/// Gives `&str` and `&String` alike a name to be taken by: the method call finds the innermost type.
pub trait Itself {
    /// Itself.
    fn itself(&self) -> &Self {
        self
    }
}

impl<T: ?Sized> Itself for T {}

/// A part of a cache key: compared by equality, kept as its owned form.
pub trait Part: Sync {
    /// Feeds it to `state`.
    fn feed(&self, state: &mut dyn Hasher);
    /// Whether `kept` was made from an equal part.
    fn same(&self, kept: &Kept) -> bool;
    /// The part as it is kept.
    fn keep(&self) -> Box<Kept>;
}

/// A part as it is kept.
pub type Kept = dyn Any + Send + Sync;

/// What a cached answer is an answer to.
pub type Key<'a> = [&'a dyn Part];

impl<T> Part for &T
where
    T: ?Sized + ToOwned<Owned: Borrow<T> + Send + Sync + 'static> + Eq + Hash + Sync,
{
    fn feed(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }

    fn same(&self, kept: &Kept) -> bool {
        kept.downcast_ref::<T::Owned>().is_some_and(|kept| *self == kept.borrow())
    }

    fn keep(&self) -> Box<Kept> {
        Box::new((*self).to_owned())
    }
}
