//! Literals: numbers with their units, and what stands in quotes.

use crate::keys::Takes;
use crate::numbers::{self, UNITS};
use crate::operands::Operand;
use crate::values::{Reader, Value};
use proc_macro2::{Ident, TokenStream};
use resilient_policy::Rule;
use syn::Lit;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;

impl Reader<'_> {
    /// The value that a literal is to this key.
    pub fn literal(&mut self, negative: bool, lit: &Lit, percent: bool) -> Option<Value> {
        let (digits, suffix, whole) = match lit {
            Lit::Int(int) => (int.base10_digits().to_owned(), int.suffix().to_owned(), true),
            Lit::Str(text) if !negative && !percent => return self.text(&text.value()),
            Lit::Float(float) => (float.base10_digits().to_owned(), float.suffix().to_owned(), false),
            _ => return self.wrong(),
        };
        match self.key.takes {
            Takes::Time | Takes::Delay => self.time(negative, percent, &digits, &suffix),
            Takes::Window if self.in_millis() || !suffix.is_empty() => self.time(negative, percent, &digits, &suffix),
            Takes::Count | Takes::Window => self.count(negative, percent || !whole, &digits, &suffix),
            Takes::Share | Takes::Factor => self.number(negative, percent, &digits, &suffix),
            _ => self.wrong(),
        }
    }

    fn time(&mut self, negative: bool, percent: bool, digits: &str, suffix: &str) -> Option<Value> {
        let written = self.tokens.to_string();
        let said = if percent {
            return self.wrong();
        } else if negative {
            format!("a duration is positive; write `{}`", self.right())
        } else if self.in_millis() && !suffix.is_empty() {
            format!(
                "`{}` counts milliseconds already; write `{} = {written}` or a number alone",
                self.spelled, self.key.word
            )
        } else if !self.in_millis() && suffix.is_empty() {
            format!("`{written}` has no unit; write `{written}ms` or `{written}s`")
        } else {
            let unit = if suffix.is_empty() { "ms" } else { suffix };
            if !UNITS.iter().any(|(known, _)| *known == unit) {
                format!("unknown unit `{unit}`; use `ns`, `us`, `ms`, `s`, `min` or `h`")
            } else if let Some(time) = numbers::time_of(digits, unit) {
                return Some(Value::Time(time));
            } else {
                format!("`{written}` is longer than a duration can be; write `{}`", self.right())
            }
        };
        self.errors.over(Rule::R03, &self.tokens, said);
        None
    }

    fn count(&mut self, negative: bool, broken: bool, digits: &str, suffix: &str) -> Option<Value> {
        let said = if negative {
            format!("`{}` counts from 0 up; write `{}`", self.spelled, self.right())
        } else if broken {
            return self.wrong();
        } else if !suffix.is_empty() {
            format!("`{}` counts, so it has no unit; write `{} = {digits}`", self.spelled, self.spelled)
        } else if let Ok(count) = digits.parse() {
            return Some(Value::Count(count));
        } else {
            format!("`{}` is more than `{}` can count; write `{}`", self.tokens, self.spelled, self.right())
        };
        self.errors.over(Rule::R03, &self.tokens, said);
        None
    }

    fn number(&mut self, negative: bool, percent: bool, digits: &str, suffix: &str) -> Option<Value> {
        let share = self.key.takes == Takes::Share;
        if !suffix.is_empty() || (percent && !share) {
            return self.wrong();
        }
        let Some(number) = digits.parse().ok().filter(|number: &f64| number.is_finite()) else {
            let said = format!("`{}` is larger than a number can be; write `{}`", self.tokens, self.right());
            self.errors.over(Rule::R03, &self.tokens, said);
            return None;
        };
        let number = if percent { number / 100.0 } else { number };
        let number = if negative { -number } else { number };
        if let Some(said) = self.unruled(number) {
            self.errors.over(Rule::R03, &self.tokens, said);
            return None;
        }
        Some(Value::Number(number))
    }

    /// What is wrong with a number that no rule of the policy looks at.
    fn unruled(&self, number: f64) -> Option<String> {
        match self.key.at {
            "breaker.open_jitter" if !(0.0..=1.0).contains(&number) => {
                Some(format!("a share lies between 0 and 1; write `{}`", self.right()))
            }
            "breaker.open_factor" if number < 1.0 => {
                Some(format!("an open time that shrinks probes faster the longer it fails; write `{}`", self.right()))
            }
            _ => None,
        }
    }

    fn text(&mut self, text: &str) -> Option<Value> {
        match self.key.takes {
            Takes::Name => self.name(text),
            Takes::Rate => match numbers::rate(text) {
                Some((permits, per)) => Some(Value::Rate(permits, per)),
                None => self.wrong(),
            },
            // An enumeration, a unit or a per cent sign in quotes, as rustfmt prefers them.
            Takes::Word | Takes::Time | Takes::Share | Takes::Window | Takes::Delay => self.quoted(text),
            _ if self.key.words.contains(&text) => self.quoted(text),
            _ => self.wrong(),
        }
    }

    /// A literal or a word in quotes, read as if they were not there.
    fn quoted(&mut self, text: &str) -> Option<Value> {
        let at = self.tokens.span();
        let compact: String = text.split_whitespace().collect();
        let Ok(inside) = compact.parse::<TokenStream>() else { return self.wrong() };
        let inside = inside.into_iter().map(|mut token| {
            token.set_span(at);
            token
        });
        let parse = |input: ParseStream| input.parse::<Operand>();
        match parse.parse2(inside.collect()) {
            Ok(Operand::Word(word)) if self.knows(&word) => self.word(&word),
            Ok(Operand::Literal { negative, lit, percent }) if !matches!(lit, Lit::Str(_)) => {
                self.literal(negative, &lit, percent)
            }
            _ => self.wrong(),
        }
    }

    /// Whether a word can only mean what the key itself means by it.
    fn knows(&self, word: &Ident) -> bool {
        matches!(self.key.takes, Takes::Word | Takes::Delay) || self.key.words.iter().any(|known| word == known)
    }
}
