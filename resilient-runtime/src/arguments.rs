//! What every attempt starts from: the caller's arguments.

use std::{
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

    /// The original, for plan B.
    ///
    /// # Panics
    /// After it was taken.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0.expect("an argument is taken once")
    }
}

/// An argument that a second attempt can have.
#[diagnostic::on_unimplemented(
    message = "[R26] `{Self}` cannot be handed to a second attempt",
    label = "taken by value in a repeated function, but not `Clone`",
    note = "every attempt starts from the caller's arguments: take a reference, put the value into an `Arc`, or mark the argument `#[share]`"
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

/// An argument that can be part of a cache key: compared by equality, kept as its owned form.
#[diagnostic::on_unimplemented(
    message = "[R25] `{Self}` cannot be part of a cache key",
    label = "not `Eq + Hash + Clone + Send + Sync + 'static`",
    note = "name what the answer depends on: `fallback(cached, key = (tenant.id, sku))`"
)]
pub trait KeyPart: ToOwned<Owned: Borrow<Self> + Send + Sync + 'static> + Eq + Hash {
    /// The part itself: gives `&str` and `&String` alike a name to be taken by.
    fn part(&self) -> &Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T> KeyPart for T where T: ?Sized + ToOwned<Owned: Borrow<T> + Send + Sync + 'static> + Eq + Hash {}

/// What a cached answer is an answer to: a tuple of references to its parts.
pub trait Key {
    /// The key as it is kept.
    type Kept: Send + Sync + 'static;
    /// Feeds the parts to `state`.
    fn digest<H: Hasher>(&self, state: &mut H);
    /// Whether `kept` was made from equal parts.
    fn same(&self, kept: &Self::Kept) -> bool;
    /// The key as it is kept.
    fn keep(&self) -> Self::Kept;
}

macro_rules! keys {
    ($(($($part:ident $at:tt)*))*) => {$(
        impl<$($part: KeyPart + ?Sized),*> Key for ($(&$part,)*) {
            type Kept = ($($part::Owned,)*);

            #[allow(unused_variables, reason = "a key of no parts")]
            fn digest<H: Hasher>(&self, state: &mut H) {
                $(self.$at.hash(state);)*
            }

            #[allow(unused_variables, reason = "a key of no parts")]
            fn same(&self, kept: &Self::Kept) -> bool {
                true $(&& self.$at == kept.$at.borrow())*
            }

            #[allow(clippy::unused_unit, reason = "a key of no parts")]
            fn keep(&self) -> Self::Kept {
                ($(self.$at.to_owned(),)*)
            }
        }
    )*};
}

keys! {
    ()
    (A 0)
    (A 0 B 1)
    (A 0 B 1 C 2)
    (A 0 B 1 C 2 D 3)
    (A 0 B 1 C 2 D 3 E 4)
    (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 I 7)
}
