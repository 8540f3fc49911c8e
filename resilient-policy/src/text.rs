//! Text that can be put together in a `const`.

use core::{fmt, time::Duration};

/// A short text built at compile time; what does not fit is cut at its capacity of 400 bytes.
#[derive(Clone, Copy)]
pub struct Text {
    bytes: [u8; Self::CAPACITY],
    len: usize,
}

impl Text {
    const CAPACITY: usize = 400;

    /// An empty text.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: [0; Self::CAPACITY], len: 0 }
    }

    /// Appends `part`, or nothing where it does not fit whole, so that the text stays UTF-8.
    #[must_use]
    pub const fn str(mut self, part: &str) -> Self {
        let part = part.as_bytes();
        if part.len() > Self::CAPACITY - self.len {
            return self;
        }
        let mut i = 0;
        while i < part.len() {
            self.bytes[self.len] = part[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// Appends a whole number.
    #[must_use]
    pub const fn num(self, n: u128) -> Self {
        let mut digits = [b'0'; 39];
        let mut at = digits.len();
        let mut left = n;
        loop {
            at -= 1;
            digits[at] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 || at == 0 {
                break;
            }
        }
        let (_, tail) = digits.split_at(at);
        match core::str::from_utf8(tail) {
            Ok(digits) => self.str(digits),
            Err(_) => self,
        }
    }

    /// Appends a share or factor with up to three decimals: `0.5`, `1.25`, `-0.1`.
    #[must_use]
    pub const fn decimal(self, x: f64) -> Self {
        if x.is_nan() {
            return self.str("NaN");
        }
        if x < 0.0 {
            return self.str("-").decimal(-x);
        }
        if x > 1e15 {
            return self.str("infinity");
        }
        let thousandths = (x * 1_000.0 + 0.5) as u128;
        let text = self.num(thousandths / 1_000);
        let mut rest = thousandths % 1_000;
        if rest == 0 {
            return text;
        }
        let mut text = text.str(".");
        let mut unit = 100;
        while rest > 0 {
            text = text.num(rest / unit);
            rest %= unit;
            unit /= 10;
        }
        text
    }

    /// Appends a duration in milliseconds, or in the largest smaller unit that is exact: `60 ms`, `500 us`.
    #[must_use]
    pub const fn duration(self, d: Duration) -> Self {
        let nanos = d.as_nanos();
        if nanos % 1_000_000 == 0 {
            self.num(nanos / 1_000_000).str(" ms")
        } else if nanos % 1_000 == 0 {
            self.num(nanos / 1_000).str(" us")
        } else {
            self.num(nanos).str(" ns")
        }
    }

    /// Appends a duration as the value of an `…_ms` key: `60`, or `0.5` where it is no whole millisecond.
    #[must_use]
    pub const fn millis(self, d: Duration) -> Self {
        let nanos = d.as_nanos();
        if nanos % 1_000_000 == 0 { self.num(nanos / 1_000_000) } else { self.decimal(nanos as f64 / 1e6) }
    }

    /// What was built.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_a_person_writes_them() {
        let text = Text::new()
            .num(0)
            .str(" ")
            .num(u128::MAX)
            .str(" ")
            .decimal(0.05)
            .str(" ")
            .decimal(1.5)
            .str(" ")
            .decimal(-2.0);
        assert_eq!(text.as_str(), format!("0 {} 0.05 1.5 -2", u128::MAX));
        let text = Text::new().duration(Duration::from_millis(60)).str(" ").duration(Duration::from_micros(500));
        assert_eq!(text.as_str(), "60 ms 500 us");
        assert_eq!(Text::new().decimal(f64::NAN).as_str(), "NaN");
        assert_eq!(Text::new().decimal(f64::INFINITY).as_str(), "infinity");
    }

    #[test]
    fn a_part_that_does_not_fit_is_left_out_whole() {
        let long = "é".repeat(199);
        let text = Text::new().str(&long).str("éé");
        assert_eq!(text.as_str(), long);
    }
}
