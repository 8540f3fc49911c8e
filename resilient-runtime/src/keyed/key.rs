//! What the placeholders of one call are.

use std::{
    fmt::{self, Display, Write},
    hash::{BuildHasher, DefaultHasher, Hasher, RandomState},
    sync::OnceLock,
};

/// What is kept of a key as it is, in bytes; of the rest, a hash. A customer's number or a host has far less.
const LONGEST: usize = 256;

/// The key of one call: its placeholders' values, in the order in which they stand in the name.
///
/// Values are joined with `/`; a `/` or `%` inside a value is written `%2F` or `%25`, so that different values never
/// give one key. However much a value writes, no more than 275 bytes are held.
#[derive(Debug)]
pub struct StateKey {
    text: String,
    /// Takes in what did not fit.
    rest: Option<DefaultHasher>,
    begun: bool,
}

impl StateKey {
    /// A key without values.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only the expansion makes one")]
    pub fn new() -> Self {
        Self { text: String::new(), rest: None, begun: false }
    }

    /// The same with one more value.
    fn with<T: Display + ?Sized>(mut self, value: &T) -> Self {
        if self.begun {
            self.put('/');
        }
        self.begun = true;
        // A value that says it cannot be written is what it has written so far.
        let _ = write!(Escaped(&mut self), "{value}");
        self
    }

    /// What the state is found by.
    pub(super) fn finish(self) -> String {
        match self.rest {
            None => self.text,
            // Longer than any key that was not cut, so it is none of those.
            Some(rest) => format!("{}…{:016x}", self.text, rest.finish()),
        }
    }

    fn put(&mut self, c: char) {
        if self.rest.is_none() && self.text.len() + c.len_utf8() <= LONGEST {
            self.text.push(c);
            return;
        }
        // By a secret of the process: nobody can choose two keys that are one.
        static SECRET: OnceLock<RandomState> = OnceLock::new();
        let rest = self.rest.get_or_insert_with(|| SECRET.get_or_init(RandomState::new).build_hasher());
        rest.write_u32(c.into());
    }
}

/// Writes values into a key.
struct Escaped<'a>(&'a mut StateKey);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match c {
                '/' => "%2F".chars().for_each(|c| self.0.put(c)),
                '%' => "%25".chars().for_each(|c| self.0.put(c)),
                _ => self.0.put(c),
            }
        }
        Ok(())
    }
}

/// What a placeholder in a name can be.
#[diagnostic::on_unimplemented(
    message = "[R31] `{Self}` is not `Display`, so no placeholder can be one",
    label = "a value of type `{Self}`",
    note = "write a field that is `Display`, such as `{{customer.id}}`, or implement `std::fmt::Display` for the type"
)]
pub trait Placeholder {
    /// The key with this value at its end.
    #[must_use]
    fn add_to(&self, key: StateKey) -> StateKey;
}

#[diagnostic::do_not_recommend]
impl<T: Display + ?Sized> Placeholder for T {
    fn add_to(&self, key: StateKey) -> StateKey {
        key.with(self)
    }
}
