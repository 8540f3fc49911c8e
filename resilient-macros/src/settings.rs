//! What the attribute says.

use crate::defaults::INHERITED;
use crate::entries::{Entry, Form, parenthesised, peeled, split};
use crate::errors::{Errors, listed, nearest};
use crate::keys::{COUNTS, KEYS, Key, Takes};
use crate::values::{Reader, Value};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use resilient_policy::{Allowed, Rule, Shape};
use std::time::Duration;
use syn::Expr;

/// The settings of one attribute, as they were written.
#[derive(Default)]
pub struct Settings {
    list: Vec<Setting>,
    /// The keys that were meant, but could not be read.
    damaged: Vec<&'static str>,
    /// Whether something could not even be attributed to a key.
    garbled: bool,
}

/// One setting.
pub struct Setting {
    /// Its path in the policy.
    pub at: &'static str,
    /// The key, as it was spelled.
    pub key: Ident,
    /// What it says.
    pub value: Value,
    /// The value's text; the key where there is none.
    pub tokens: TokenStream,
    /// Whether `#[resilient::defaults(…)]` brought it.
    pub inherited: bool,
}

impl Settings {
    /// Reads the attribute's text; what cannot be read goes to `errors`.
    pub fn read(args: TokenStream, errors: &mut Errors) -> Self {
        let mut settings = Self::default();
        let mut places = Vec::new();
        let mut inherited = Vec::new();
        for entry in split(args) {
            match (&entry.key, &entry.form) {
                (Some(key), Form::Parens(group, _)) if key == INHERITED => inherited.push(group.stream()),
                _ => settings.entry(&entry, KEYS, None, &mut places, errors),
            }
        }
        // The innermost group stands last, and wins.
        for defaults in inherited.into_iter().rev() {
            settings.inherit(defaults);
        }
        settings
    }

    /// Takes over what is not written here. What is wrong with the defaults is said where they stand.
    fn inherit(&mut self, defaults: TokenStream) {
        let mut said_there = Errors::default();
        let defaults = Self::read(defaults, &mut said_there);
        let is_once = self.get("retries").is_some_and(|setting| matches!(setting.value, Value::Count(0)));
        let written: Vec<_> = self.list.iter().map(|setting| group_of(setting.at)).collect();
        let damaged: Vec<_> = self.damaged.iter().map(|at| group_of(at)).collect();
        for setting in defaults.list {
            let group = group_of(setting.at);
            // A function that is not to be repeated has no use for how and how often.
            let is_pointless = is_once && matches!(group, "retry" | "retry_budget");
            if !written.contains(&group) && !damaged.contains(&group) && !is_pointless {
                self.list.push(Setting { inherited: true, ..setting });
            }
        }
        self.damaged.extend(defaults.damaged.iter().filter(|at| !written.contains(&group_of(at))));
        self.garbled |= defaults.garbled;
    }

    /// Forgets what a group says to its functions of the other kind.
    pub fn fit(&mut self, shape: Shape) {
        self.list.retain(|setting| !(setting.inherited && setting.at == "blocking" && shape == Shape::Async));
    }

    /// Reads one entry of a list in which `keys` may stand.
    fn entry(
        &mut self,
        entry: &Entry,
        keys: &'static [Key],
        within: Option<&'static Key>,
        places: &mut Vec<(&'static str, Ident)>,
        errors: &mut Errors,
    ) {
        if entry.is_empty() {
            errors.over(Rule::R01, entry, "expected a setting before this `,`; drop it");
            return;
        }
        let Some(spelled) = &entry.key else {
            self.garbled = true;
            let example = keys.first().map_or_else(String::new, Key::right);
            errors.over(Rule::R01, entry, format!("expected a setting, such as `{example}`"));
            return;
        };
        let Some(key) = keys.iter().find(|key| key.is(&spelled.to_string())) else {
            self.unknown(entry, spelled, keys, within, errors);
            return;
        };
        if let Some((_, first)) = places.iter().find(|(at, _)| *at == key.at) {
            let (said, there) = if first == spelled {
                (format!("`{spelled}` is set twice; keep one"), format!("`{spelled}` was first set here"))
            } else {
                let said = format!("`{spelled}` and `{first}` set the same thing; keep one");
                (said, format!("`{first}` was set here"))
            };
            errors.at(Rule::R02, spelled.span(), said);
            errors.also(Rule::R02, first.span(), there);
            return;
        }
        places.push((key.at, spelled.clone()));
        let before = errors.len();
        self.written(key, spelled, &entry.form, places, errors);
        if self.get(key.at).is_none() && errors.len() > before {
            self.damaged.push(key.at);
        }
    }

    /// Reads what follows a known key.
    fn written(
        &mut self,
        key: &'static Key,
        spelled: &Ident,
        form: &Form,
        places: &mut Vec<(&'static str, Ident)>,
        errors: &mut Errors,
    ) {
        let inside = match form {
            Form::Alone => match key.takes {
                Takes::Nothing => return self.put(key, spelled, Value::Said, quote!(#spelled)),
                _ => return self.value(key, spelled, TokenStream::new(), errors),
            },
            Form::Parens(group, rest) => {
                if let Some(next) = rest.clone().into_iter().next() {
                    self.garbled = true;
                    errors.at(Rule::R03, next.span(), format!("expected `,` before `{next}`"));
                }
                group.clone()
            }
            Form::Equals(value) => {
                let value = peeled(value.clone());
                match parenthesised(&value) {
                    Some(group) if !key.options.is_empty() => group,
                    _ => return self.value(key, spelled, value, errors),
                }
            }
            Form::Other(next) => {
                self.garbled = true;
                return match key.takes {
                    Takes::Nothing => errors.at(Rule::R03, next.span(), format!("expected `,` before `{next}`")),
                    _ => errors.at(Rule::R03, spelled.span(), format!("write `{spelled}` as `{}`", key.right())),
                };
            }
        };
        if key.takes == Takes::Rules {
            return self.value(key, spelled, inside.stream(), errors);
        }
        if key.options.is_empty() {
            let said = match key.takes {
                Takes::Nothing => format!("`{spelled}` takes nothing; write `{spelled}` alone"),
                _ => format!("`{spelled}` takes its value after `=`; write `{}`", key.right()),
            };
            return errors.over(Rule::R03, &quote!(#spelled #inside), said);
        }
        self.options(key, spelled, &inside.stream(), places, errors);
    }

    /// Reads `(value, option = …)`.
    fn options(
        &mut self,
        key: &'static Key,
        spelled: &Ident,
        inside: &TokenStream,
        places: &mut Vec<(&'static str, Ident)>,
        errors: &mut Errors,
    ) {
        let mut entries = split(inside.clone()).into_iter().peekable();
        if matches!(key.takes, Takes::Options | Takes::Nothing) {
            self.put(key, spelled, Value::Said, quote!(#spelled));
        } else {
            match entries.next_if(|entry| entry.key.is_none() || !matches!(entry.form, Form::Equals(_))) {
                Some(first) if !first.is_empty() => self.value(key, spelled, first.tokens, errors),
                _ => {
                    let (rule, what) =
                        if key.takes == Takes::Name { (Rule::R31, "name") } else { (Rule::R03, "value") };
                    let said = format!("`{spelled}(…)` begins with a {what}; write `{spelled}({}, …)`", key.example);
                    errors.at(rule, spelled.span(), said);
                }
            }
        }
        for entry in entries {
            self.entry(&entry, key.options, Some(key), places, errors);
        }
    }

    fn value(&mut self, key: &'static Key, spelled: &Ident, tokens: TokenStream, errors: &mut Errors) {
        if key.takes == Takes::Options {
            let right = match tokens.to_string().parse::<u32>() {
                Ok(count) => format!("retries = {count}"),
                Err(_) => key.right(),
            };
            let said = format!("`{spelled}` takes its settings in parentheses; write `{right}`");
            return errors.over(Rule::R03, &quote!(#spelled #tokens), said);
        }
        if key.takes == Takes::Nothing {
            let said = format!("`{spelled}` takes no value; write `{spelled}` alone");
            return errors.over(Rule::R03, &quote!(#spelled #tokens), said);
        }
        let mut reader = Reader { key, spelled, tokens: tokens.clone(), errors, garbled: false };
        let value = reader.value();
        self.garbled |= reader.garbled;
        if let Some(value) = value {
            self.put(key, spelled, value, tokens);
        }
    }

    fn put(&mut self, key: &'static Key, spelled: &Ident, value: Value, tokens: TokenStream) {
        self.list.push(Setting { at: key.at, key: spelled.clone(), value, tokens, inherited: false });
    }

    fn unknown(
        &mut self,
        entry: &Entry,
        spelled: &Ident,
        keys: &'static [Key],
        within: Option<&'static Key>,
        errors: &mut Errors,
    ) {
        let written = spelled.to_string();
        let place = within.map_or_else(String::new, |key| format!(" in `{}(…)`", key.word));
        let spellings: Vec<_> =
            keys.iter().flat_map(|key| key.spellings().into_iter().map(move |s| (s, key))).collect();
        let near = nearest(&written, spellings.iter().map(|(spelling, _)| spelling.as_str()));
        let said = if let Some(near) = near {
            let meant = spellings.iter().filter(|(spelling, _)| spelling == near).map(|(_, key)| key.at);
            self.damaged.extend(meant);
            format!("unknown setting `{written}`{place}; did you mean `{near}`?")
        } else if let Some((_, firsts)) = COUNTS.iter().find(|(word, _)| *word == written) {
            self.damaged.push("retries");
            let count = match &entry.form {
                Form::Equals(count) => count.to_string().parse().unwrap_or(2 + firsts),
                _ => 2 + firsts,
            };
            let retries = count.saturating_sub(*firsts);
            format!(
                "unknown setting `{written}`{place}; write `retries = {retries}`, which counts what follows the first attempt"
            )
        } else if let Some(owner) =
            KEYS.iter().find(|key| within.is_none() && key.options.iter().any(|o| o.is(&written)))
        {
            format!("`{written}` is no setting of its own; write it inside `{}(…)`", owner.word)
        } else {
            let words = listed(keys.iter().map(|key| key.word), "and");
            format!("unknown setting `{written}`{place}; the settings are {words}")
        };
        errors.at(Rule::R01, spelled.span(), said);
    }

    /// The setting at this path.
    pub fn get(&self, at: &str) -> Option<&Setting> {
        self.list.iter().find(|setting| setting.at == at)
    }

    /// Whether this is written, and could be read.
    pub fn has(&self, at: &str) -> bool {
        self.get(at).is_some()
    }

    /// All of them, in source order.
    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.list.iter()
    }

    /// Whether nobody can tell what this path was meant to say.
    pub fn damaged(&self, at: &str) -> bool {
        // An unwritten `retries` hangs on these two, see `lower`.
        let implied = at == "retries" && !self.has(at) && (self.lost("retry") || self.lost("retry_budget"));
        self.garbled || implied || self.lost(at)
    }

    /// Whether the value of just this key could not be read.
    fn lost(&self, at: &str) -> bool {
        self.damaged.contains(&at)
    }

    /// Whether this is written, readable or not.
    pub fn mentions(&self, at: &str) -> bool {
        self.has(at) || self.lost(at)
    }

    /// The word at this path.
    pub fn word(&self, at: &str) -> Option<&'static str> {
        match self.get(at)?.value {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The time at this path; a placeholder where only rustc knows it.
    pub fn time(&self, at: &str) -> Option<Duration> {
        match self.get(at)?.value {
            Value::Time(time) => Some(time),
            Value::Constant(..) => Some(Duration::from_millis(1)),
            _ => None,
        }
    }

    /// The count at this path; a placeholder where only rustc knows it.
    pub fn count(&self, at: &str) -> Option<u32> {
        match self.get(at)?.value {
            Value::Count(count) => Some(count),
            Value::Constant(..) => Some(1),
            _ => None,
        }
    }

    /// The number at this path; a placeholder where only rustc knows it.
    pub fn number(&self, at: &str) -> Option<f64> {
        match self.get(at)?.value {
            Value::Number(number) => Some(number),
            Value::Constant(..) => Some(1.0),
            _ => None,
        }
    }

    /// The function at this path.
    pub fn function(&self, at: &str) -> Option<&Expr> {
        match &self.get(at)?.value {
            Value::Function(path) => Some(path),
            _ => None,
        }
    }

    /// The rules of `allow(…)`.
    pub fn allowed(&self) -> Allowed {
        match self.get("allow").map(|setting| &setting.value) {
            Some(Value::Rules(rules)) => Allowed::of(rules),
            _ => Allowed::NONE,
        }
    }

    /// The settings at any of these paths that only rustc can evaluate.
    pub fn constants<'a>(&'a self, paths: &'a [&'static str]) -> impl Iterator<Item = &'a Setting> {
        let written = paths.iter().filter_map(|path| self.get(path));
        written.filter(|setting| matches!(setting.value, Value::Constant(..)))
    }

    /// Where a fault at this path is to be shown: its key, else the key that it belongs to or hangs on.
    pub fn key_of(&self, at: &str) -> Option<&Setting> {
        let parent = at.split('.').next().unwrap_or(at);
        let causes: &[&str] = if at == "retries" { &["retry_budget", "retry"] } else { &[] };
        [at, parent].into_iter().chain(causes.iter().copied()).find_map(|at| self.get(at))
    }

    /// The key's place, or that of the whole attribute.
    pub fn span_of(&self, at: &str) -> Span {
        self.key_of(at).map_or_else(Span::call_site, |setting| setting.key.span())
    }
}

/// The key at the top level that a path belongs to; `read` and `write` answer one question.
fn group_of(at: &str) -> &str {
    match at.split('.').next().unwrap_or(at) {
        "write" => "read",
        group => group,
    }
}

impl ToTokens for Setting {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.tokens.clone());
    }
}
