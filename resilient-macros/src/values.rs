//! The value of one key, by what the key takes.

use crate::entries::{parenthesised, peeled, split};
use crate::errors::{Errors, nearest, one_of};
use crate::keys::{Key, Takes};
use crate::names::Name;
use crate::numbers;
use crate::operands::Operand;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use resilient_policy::Rule;
use std::time::Duration;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprUnary, Path, Token, UnOp};

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
    Name(Name),
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
            let said = format!("`{}` needs a value; write `{}`", self.spelled, self.right());
            self.errors.at(Rule::R03, self.spelled.span(), said);
            return None;
        }
        match self.key.takes {
            Takes::Root => return self.root(),
            Takes::Parts => return self.parts(),
            Takes::Rules => return self.rules(self.tokens.clone()),
            Takes::Delay => {
                if let Some(percentile) = self.percentile() {
                    return Some(percentile);
                }
            }
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
    pub fn wrong<T>(&mut self) -> Option<T> {
        let written = self.tokens.to_string();
        let said = match self.key.takes {
            Takes::Time | Takes::Delay => format!("`{written}` is not a duration; write `{}`", self.right()),
            Takes::Count | Takes::Window => format!("`{written}` is not a whole number; write `{}`", self.right()),
            Takes::Share | Takes::Factor => format!("`{written}` is not a number; write `{}`", self.right()),
            Takes::Name => format!("`{written}` is not a name; write `{}`", self.right()),
            Takes::Rate => format!("`{written}` is not a rate; write `{}`", self.right()),
            Takes::Argument => format!("`{written}` is not the name of an argument; write `{}`", self.right()),
            Takes::Word => {
                let words = one_of(self.key.words.iter().copied());
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
    pub fn right(&self) -> String {
        if self.in_millis() {
            let example = numbers::time(self.key.example).map_or(60, |time| time.as_millis());
            return format!("{} = {example}", self.spelled);
        }
        self.key.right()
    }

    /// Whether a bare number counts milliseconds.
    pub fn in_millis(&self) -> bool {
        matches!(self.key.takes, Takes::Time | Takes::Window) && *self.spelled != self.key.word
    }

    /// The value that a word is to this key.
    pub fn word(&mut self, written: &Ident) -> Option<Value> {
        let text = written.to_string();
        if let Some(word) = self.key.words.iter().find(|word| **word == text) {
            return Some(Value::Word(word));
        }
        match self.key.takes {
            Takes::Argument => return Some(Value::Argument(written.clone())),
            // A lower-case word is a slip of the pen, not a constant.
            Takes::Delay if !text.contains(char::is_uppercase) => return self.wrong(),
            Takes::Word => {
                let said = match self.meant(&text) {
                    Some(word) => format!("`{}` knows no `{text}`; did you mean `{word}`?", self.spelled),
                    None => {
                        let words = one_of(self.key.words.iter().copied());
                        format!("`{}` knows no `{text}`; write {words}", self.spelled)
                    }
                };
                self.errors.at(Rule::R03, written.span(), said);
                return None;
            }
            // A function may be called as it likes.
            Takes::Plan => {}
            // A constant is written in capitals.
            _ if !text.contains(char::is_uppercase) => {
                if let Some(word) = self.meant(&text) {
                    let said = format!("`{}` knows no `{text}`; did you mean `{word}`?", self.spelled);
                    self.errors.at(Rule::R03, written.span(), said);
                    return None;
                }
            }
            _ => {}
        }
        match syn::parse2(written.to_token_stream()) {
            Ok(expr) => self.expression(expr),
            Err(_) => self.wrong(),
        }
    }

    /// The word of the key's own that was probably meant.
    fn meant(&self, written: &str) -> Option<&'static str> {
        nearest(written, self.key.words.iter().copied())
    }

    /// `p95` or `p99.9`, if it is one.
    fn percentile(&self) -> Option<Value> {
        let text: String = self.tokens.clone().into_iter().map(|token| token.to_string()).collect();
        let text = text.trim_matches('"');
        let percentile: f64 = text.strip_prefix('p')?.parse().ok()?;
        Some(Value::Number(percentile / 100.0))
    }

    fn expression(&mut self, expr: Expr) -> Option<Value> {
        let function = matches!(expr, Expr::Path(_) | Expr::Closure(_));
        let constant = match self.key.takes {
            Takes::Function if function => return Some(Value::Function(expr)),
            Takes::Plan if matches!(expr, Expr::Path(_)) => return Some(Value::Function(expr)),
            Takes::Time if self.in_millis() => Constant::Millis,
            Takes::Time => Constant::Time,
            Takes::Count => Constant::Count,
            Takes::Window if self.in_millis() => Constant::Millis,
            Takes::Window => Constant::Count,
            Takes::Delay => Constant::Time,
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
            | Expr::Match(_) => Some(Value::Constant(expr, constant)),
            // Nothing here may be negative, and a `!` counts nothing.
            Expr::Unary(ExprUnary { op: UnOp::Deref(_), .. }) => Some(Value::Constant(expr, constant)),
            _ => self.wrong(),
        }
    }

    /// `value(expr)`, if it is one.
    fn answer(&mut self) -> Option<Option<Value>> {
        let mut tokens = self.tokens.clone().into_iter();
        let answer = match (tokens.next(), tokens.next(), tokens.next()) {
            (Some(TokenTree::Ident(word)), None, None) if word == "value" => TokenStream::new(),
            (Some(TokenTree::Ident(word)), Some(TokenTree::Group(group)), None) if word == "value" => group.stream(),
            _ => return None,
        };
        if answer.is_empty() {
            let said = "`value` needs the expression that is to answer; write `value(0)`";
            self.errors.over(Rule::R03, &self.tokens, said);
            return Some(None);
        }
        if let Err(error) = syn::parse2::<Expr>(answer.clone()) {
            let said = format!("`value` takes one expression ({error}); write `value(0)`");
            self.errors.at(Rule::R03, error.span(), said);
            return Some(None);
        }
        Some(Some(Value::Answer(answer)))
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
            if entry.is_empty() {
                self.errors.over(Rule::R01, &entry.tokens, "expected a rule before this `,`; drop it");
                continue;
            }
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
