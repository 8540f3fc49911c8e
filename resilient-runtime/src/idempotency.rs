//! The key that makes a repeated write the same write.

use std::{fmt, sync::Arc};

/// Names one action of a user, so that the dependency can do it once however often it is asked.
///
/// Made by the caller once per action, where the action starts, and passed as an argument: every attempt then carries
/// the same key. A bare `String` or `u64` is not a key, since nothing says that it names the *action*; wrap it where
/// the action starts.
///
/// ```
/// use resilient_runtime::IdempotencyKey;
///
/// let key = IdempotencyKey::from_parts(["cart-17", "checkout"]);
/// assert_eq!(key, IdempotencyKey::from_parts(["cart-17", "checkout"]));
/// assert_ne!(key, IdempotencyKey::from_parts(["cart-1", "7checkout"]));
/// assert_ne!(IdempotencyKey::random(), IdempotencyKey::random());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdempotencyKey(
    // One word, not two: every running call holds a place for it.
    Arc<String>,
);

impl IdempotencyKey {
    /// A key that no other action has: 128 random bits in hexadecimal.
    #[must_use]
    pub fn random() -> Self {
        Self(Arc::new(format!("{:032x}", rand::random::<u128>())))
    }

    /// The key of the action that these parts name: the same parts in the same order, the same key.
    ///
    /// Parts are joined with `/`; a `/` or `%` inside a part is written `%2F` or `%25`, so that different parts never
    /// give one key.
    #[must_use]
    pub fn from_parts<P: fmt::Display>(parts: impl IntoIterator<Item = P>) -> Self {
        let mut key = String::new();
        for (i, part) in parts.into_iter().enumerate() {
            if i > 0 {
                key.push('/');
            }
            key.push_str(&part.to_string().replace('%', "%25").replace('/', "%2F"));
        }
        Self(Arc::new(key))
    }

    /// What goes into the header `Idempotency-Key`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IdempotencyKey({})", self.0)
    }
}

/// What `idempotency_key = arg` accepts.
#[diagnostic::on_unimplemented(
    message = "[R29] `{Self}` cannot serve as an idempotency key",
    label = "this is not an `IdempotencyKey`",
    note = "take a `resilient::IdempotencyKey`, made once where the user's action starts: `IdempotencyKey::random()` or `from_parts(…)`"
)]
pub trait KeyArgument {
    /// The key.
    fn key(&self) -> IdempotencyKey;
}

#[diagnostic::do_not_recommend]
impl KeyArgument for IdempotencyKey {
    fn key(&self) -> IdempotencyKey {
        self.clone()
    }
}
