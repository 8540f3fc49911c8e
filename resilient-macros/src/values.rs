//! The value of one key, by what the key takes.

use crate::entries::{parenthesised, peeled, split};
use crate::errors::{Errors, nearest, one_of};
use crate::keys::{Key, Takes};
use crate::numbers::{self, UNITS};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use resilient_policy::Rule;
use std::time::Duration;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Expr, Lit, Path, Token};

/// What a key says.
pub enum Value {
    /// A key without a value.
    Said,
    /// One of the key's words.
    Word(&'static str),
    /// A span of time.
    Time(Duration),
    /// A whole number.
    Count(u32),
    /// A share, factor or percentile.
    Number(f64),
    /// So many in such a time.
    Rate(u32, Duration),
    /// A name.
    Name(String),
    /// An expression that only rustc can evaluate, and the type it is to have.
    Constant(Expr, Constant),
    /// The path of a function.
    Function(Expr),
    /// The expression of `value(expr)`.
    Answer(TokenStream),
    /// The name of an argument.
    Argument(Ident),
    /// Where the runtime crate is.
    Root(Path),
    /// The rules of `allow(…)`.
    Rules(Vec<Rule>),
    /// The expressions of `key = (…)`.
    Parts(Vec<Expr>),
}

/// The type of a constant in a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// `Duration`
    Time,
    /// `u64` milliseconds, after a key in `_ms`.
    Millis,
    /// `u32`
    Count,
    /// `f64`
    Number,
}

/// What stands behind the `=`, before anyone asked what it is for.
enum Operand {
    /// A literal, its sign, and whether a `%` follows.
    Literal { negative: bool, lit: Lit, percent: bool },
    /// A single word.
    Word(Ident),
    /// Any other expression.
    Other(Expr),
}

impl Parse for Operand {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if let Some(literal) = Self::literal(input) {
            return Ok(literal);
        }
        if input.peek(syn::Ident::peek_any) && input.cursor().ident().is_some_and(|(_, rest)| ends(rest)) {
            return input.call(Ident::parse_any).map(Self::Word);
        }
        Ok(match bare(input.parse()?) {
            Expr::Lit(expr) => Self::Literal { negative: false, lit: expr.lit, percent: false },
            other => Self::Other(other),
        })
    }
}

/// Whether nothing follows, or something that can only be the start of another setting.
fn ends(rest: syn::buffer::Cursor<'_>) -> bool {
    rest.eof() || rest.ident().is_some()
}

impl Operand {
    /// A literal that is all there is, with the `-` and the `%` that no expression has.
    fn literal(input: ParseStream) -> Option<Self> {
        let ahead = input.fork();
        let negative = ahead.parse::<Option<Token![-]>>().ok()?.is_some();
        let lit = ahead.parse::<Lit>().ok()?;
        let percent = ahead.parse::<Option<Token![%]>>().ok()?.is_some();
        ends(ahead.cursor()).then(|| {
            syn::parse::discouraged::Speculative::advance_to(input, &ahead);
            Self::Literal { negative, lit, percent }
        })
    }
}

/// An expression without the invisible and the superfluous round it.
fn bare(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) => bare(*group.expr),
        Expr::Paren(paren) => bare(*paren.expr),
        other => other,
    }
}

/// One key and what is written for it.
pub struct Reader<'a> {
    /// The key.
    pub key: &'static Key,
    /// The key as it is spelled here.
    pub spelled: &'a Ident,
    /// What is written for it.
    pub tokens: TokenStream,
    /// Where faults go.
    pub errors: &'a mut Errors,
    /// Whether another setting seems to be hidden in the value.
    pub garbled: bool,
}

impl Reader<'_> {
    /// The value, or `None` after saying what is wrong with it.
    pub fn value(&mut self) -> Option<Value> {
        self.tokens = peeled(self.tokens.clone());
        if self.tokens.is_empty() {
            let said = format!("`{}` needs a value; write `{}`", self.spelled, self.key.right());
            self.errors.at(Rule::R03, self.spelled.span(), said);
            return None;
        }
        match self.key.takes {
            Takes::Root => return self.root(),
            Takes::Parts => return self.parts(),
            Takes::Rules => return self.rules(self.tokens.clone()),
            Takes::Plan => {
                if let Some(answer) = self.answer() {
                    return answer;
                }
            }
            _ => {}
        }
        let parse = |input: ParseStream| Ok((input.parse::<Operand>()?, input.parse::<TokenStream>()?));
        let Ok((operand, rest)) = parse.parse2(self.tokens.clone()) else { return self.wrong() };
        if let Some(next) = rest.into_iter().next() {
            self.garbled = true;
            self.errors.at(Rule::R03, next.span(), format!("expected `,` before `{next}`"));
            return None;
        }
        match operand {
            Operand::Word(word) => self.word(&word),
            Operand::Literal { negative, lit, percent } => self.literal(negative, &lit, percent),
            Operand::Other(expr) => self.expression(expr),
        }
    }

    /// The fault of a value that the key has no use for.
    fn wrong<T>(&mut self) -> Option<T> {
        let written = self.tokens.to_string();
        let said = match self.key.takes {
            Takes::Time | Takes::Delay => format!("`{written}` is not a duration; write `{}`", self.right()),
            Takes::Count | Takes::Window => format!("`{written}` is not a whole number; write `{}`", self.right()),
            Takes::Share | Takes::Factor => format!("`{written}` is not a number; write `{}`", self.right()),
            Takes::Name => format!("`{written}` is not a name; write `{}`", self.right()),
            Takes::Rate => format!("`{written}` is not a rate; write `{}`", self.right()),
            Takes::Argument => format!("`{written}` is not the name of an argument; write `{}`", self.right()),
            Takes::Word => {
                let words = one_of(self.key.words.iter().map(|word| word.word));
                format!("`{written}` is not a word that `{}` knows; write {words}", self.spelled)
            }
            Takes::Function => format!("`{written}` is not the path of a function; write `{}`", self.right()),
            Takes::Plan => format!(
                "`{written}` is not a plan B; write `cached`, `default`, `value({written})` or the path of a function"
            ),
            Takes::Nothing | Takes::Options | Takes::Root | Takes::Rules | Takes::Parts => {
                format!("`{}` reads otherwise; write `{}`", self.spelled, self.key.right())
            }
        };
        self.errors.over(Rule::R03, &self.tokens, said);
        None
    }

    /// The key with a right value, in the spelling that the user chose.
    fn right(&self) -> String {
        if self.in_millis() {
            let example = numbers::time(self.key.example).map_or(60, |time| time.as_millis());
            return format!("{} = {example}", self.spelled);
        }
        self.key.right()
    }

    fn in_millis(&self) -> bool {
        matches!(self.key.takes, Takes::Time | Takes::Window) && *self.spelled != self.key.word
    }

    fn word(&mut self, written: &Ident) -> Option<Value> {
        let text = written.to_string();
        if let Some(word) = self.key.words.iter().find(|word| word.word == text) {
            if word.later {
                let said = format!("`{text}` is not there yet in this version; {}", self.instead());
                self.errors.at(Rule::R01, written.span(), said);
            }
            return Some(Value::Word(word.word));
        }
        match self.key.takes {
            Takes::Argument => return Some(Value::Argument(written.clone())),
            Takes::Delay => {
                if let Some(percentile) = text.strip_prefix('p').and_then(|digits| digits.parse::<f64>().ok()) {
                    return Some(Value::Number(percentile / 100.0));
                }
            }
            Takes::Word => {
                let words = || self.key.words.iter().map(|word| word.word);
                let said = match nearest(&text, words()) {
                    Some(word) => format!("`{}` knows no `{text}`; did you mean `{word}`?", self.spelled),
                    None => format!("`{}` knows no `{text}`; write {}", self.spelled, one_of(words())),
                };
                self.errors.at(Rule::R03, written.span(), said);
                return None;
            }
            _ => {}
        }
        match syn::parse2(written.to_token_stream()) {
            Ok(expr) => self.expression(expr),
            Err(_) => self.wrong(),
        }
    }

    /// What to write instead of a word of a later version.
    fn instead(&self) -> String {
        match self.key.words.iter().find(|word| !word.later) {
            Some(word) if self.key.takes == Takes::Word => format!("write `{} = {}`", self.spelled, word.word),
            _ => format!("write `{}`", self.key.right()),
        }
    }

    fn literal(&mut self, negative: bool, lit: &Lit, percent: bool) -> Option<Value> {
        if let Lit::Str(text) = lit
            && !negative
            && !percent
        {
            return self.text(&text.value());
        }
        let (digits, suffix, whole) = match lit {
            Lit::Int(int) => (int.base10_digits().to_owned(), int.suffix().to_owned(), true),
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
        let number: f64 = digits.parse().ok().filter(|number: &f64| number.is_finite())?;
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
            Takes::Word | Takes::Time | Takes::Share | Takes::Window | Takes::Delay
                if !text.is_empty() && !text.contains('"') =>
            {
                let Ok(inside) = text.parse::<TokenStream>() else { return self.wrong() };
                let at = self.tokens.span();
                let inside: TokenStream = inside
                    .into_iter()
                    .map(|mut token| {
                        token.set_span(at);
                        token
                    })
                    .collect();
                let parse = |input: ParseStream| input.parse::<Operand>();
                match parse.parse2(inside) {
                    Ok(Operand::Word(word)) => self.word(&word),
                    Ok(Operand::Literal { negative, lit, percent }) if !matches!(lit, Lit::Str(_)) => {
                        self.literal(negative, &lit, percent)
                    }
                    _ => self.wrong(),
                }
            }
            _ => self.wrong(),
        }
    }

    fn name(&mut self, text: &str) -> Option<Value> {
        let said = if text.is_empty() {
            format!("a {} needs a name; write `{}`", self.owner(), self.key.right())
        } else if text.contains(['{', '}']) {
            let said = "one state per value (`{…}`) is not there yet in this version; write one name for all";
            self.errors.over(Rule::R01, &self.tokens, said);
            return None;
        } else if text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-_".contains(c)) {
            return Some(Value::Name(text.to_owned()));
        } else {
            let tame: String = text
                .to_lowercase()
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '_' })
                .collect();
            format!("a name is made of `a-z`, `0-9`, `.`, `_` and `-`; write \"{tame}\"")
        };
        self.errors.over(Rule::R31, &self.tokens, said);
        None
    }

    /// What the key names.
    fn owner(&self) -> &'static str {
        match self.key.at.split('.').next() {
            Some("breaker") => "breaker",
            Some("bulkhead") => "bulkhead",
            Some("retry_budget") => "budget",
            Some("rate_limit") => "rate limit",
            Some("dependency") => "dependency",
            _ => "operation",
        }
    }

    fn expression(&mut self, expr: Expr) -> Option<Value> {
        let function = matches!(expr, Expr::Path(_) | Expr::Closure(_));
        let constant = match self.key.takes {
            Takes::Function if function => return Some(Value::Function(expr)),
            Takes::Plan if matches!(expr, Expr::Path(_)) => return Some(Value::Function(expr)),
            Takes::Time if self.in_millis() => Constant::Millis,
            Takes::Time => Constant::Time,
            Takes::Count => Constant::Count,
            Takes::Window if !self.in_millis() => Constant::Count,
            Takes::Share | Takes::Factor => Constant::Number,
            _ => return self.wrong(),
        };
        match expr {
            Expr::Path(_)
            | Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Binary(_)
            | Expr::Block(_)
            | Expr::Cast(_)
            | Expr::Const(_)
            | Expr::Field(_)
            | Expr::If(_)
            | Expr::Index(_)
            | Expr::Macro(_)
            | Expr::Match(_)
            | Expr::Unary(_) => Some(Value::Constant(expr, constant)),
            _ => self.wrong(),
        }
    }

    /// `value(expr)`, if it is one.
    fn answer(&mut self) -> Option<Option<Value>> {
        let mut tokens = self.tokens.clone().into_iter();
        match (tokens.next(), tokens.next(), tokens.next()) {
            (Some(TokenTree::Ident(word)), Some(TokenTree::Group(group)), None) if word == "value" => {
                let answer = group.stream();
                if answer.is_empty() {
                    self.errors.at(Rule::R03, word.span(), "`value` needs an expression; write `value(0)`");
                    return Some(None);
                }
                Some(Some(Value::Answer(answer)))
            }
            _ => None,
        }
    }

    fn root(&mut self) -> Option<Value> {
        match Path::parse_mod_style.parse2(self.tokens.clone()) {
            Ok(path) => Some(Value::Root(path)),
            Err(_) => self.wrong(),
        }
    }

    fn parts(&mut self) -> Option<Value> {
        let list = parenthesised(&self.tokens).map_or_else(|| self.tokens.clone(), |group| group.stream());
        let parse = syn::punctuated::Punctuated::<Expr, Token![,]>::parse_terminated;
        match parse.parse2(list) {
            Ok(parts) if (1..=8).contains(&parts.len()) => Some(Value::Parts(parts.into_iter().collect())),
            Ok(parts) => {
                let said = format!("a key has 1 to 8 parts, not {}; write `key = (id)`", parts.len());
                self.errors.over(Rule::R03, &self.tokens, said);
                None
            }
            Err(_) => {
                let said = format!("`{}` is not a list of expressions; write `key = (id)`", self.tokens);
                self.errors.over(Rule::R03, &self.tokens, said);
                None
            }
        }
    }

    /// `allow(R07, R13)`
    pub fn rules(&mut self, list: TokenStream) -> Option<Value> {
        let allowable = || Rule::ALL.iter().filter(|rule| rule.allowable()).map(|rule| rule.id());
        let mut rules = Vec::new();
        for entry in split(list) {
            let id = entry.tokens.to_string();
            match Rule::from_id(&id) {
                Some(rule) if rule.allowable() => rules.push(rule),
                Some(rule) => {
                    let said = format!("`{rule}` cannot be allowed: {}; drop it from `allow(…)`", rule.why());
                    self.errors.over(Rule::R01, &entry.tokens, said);
                }
                None => {
                    let said = match nearest(&id.to_uppercase(), allowable()) {
                        Some(near) => format!("unknown rule `{id}` in `allow(…)`; did you mean `{near}`?"),
                        None => format!("unknown rule `{id}` in `allow(…)`; write {}", one_of(allowable())),
                    };
                    self.errors.over(Rule::R01, &entry.tokens, said);
                }
            }
        }
        Some(Value::Rules(rules))
    }
}
