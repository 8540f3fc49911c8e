//! What was written: the attributes on a type, a variant or a field.

use crate::{
    entries::{Form, split},
    errors::{Errors, nearest},
};
use proc_macro2::TokenStream;
use quote::ToTokens;
use resilient_policy::Rule;
use syn::{Attribute, Member, Meta, Path, parse::Parser};

/// Where an attribute stands.
#[derive(Clone, Copy, PartialEq)]
pub enum Place {
    Enum,
    Struct,
    Variant,
    Field,
}

/// What one word says.
pub enum Word {
    /// The name of a constant of `Verdict`, and the field that holds the wait.
    Fixed(&'static str, Option<Member>),
    /// A field answers.
    Delegate,
    /// A field answers, and the whole can be made of it.
    Rejected,
}

/// The words of one place.
#[derive(Default)]
pub struct Words {
    /// The word, and the attribute that says it.
    pub word: Option<(Word, Path)>,
    /// The attribute `#[not_sent]`.
    pub not_sent: Option<Path>,
    /// Where `resilient` is, if not at its usual path.
    pub krate: Option<Path>,
    /// Something here was reported already.
    pub garbled: bool,
}

/// The class words: attribute, constant of `Verdict`, whether a wait may go with it.
const CLASSES: [(&str, &str, bool); 5] = [
    ("transient", "TRANSIENT", false),
    ("timeout", "TIMEOUT", false),
    ("throttled", "THROTTLED", true),
    ("overloaded", "OVERLOADED", true),
    ("permanent", "PERMANENT", false),
];

impl Words {
    /// The words among `attrs`; attributes of other macros are passed over.
    pub fn read(attrs: &[Attribute], place: Place, errors: &mut Errors) -> Self {
        let mut words = Self::default();
        for attr in attrs {
            let Some(name) = attr.path().get_ident().map(ToString::to_string) else { continue };
            let class = CLASSES.iter().find(|(class, ..)| *class == name);
            match (name.as_str(), class) {
                ("classify", _) => words.classify(attr, place, errors),
                ("not_sent" | "rejected", _) | (_, Some(_)) if place == Place::Field => {
                    words.garbled = true;
                    let text = format!("`#[{name}]` says nothing on a field; put it on the variant");
                    errors.over(Rule::R27, attr.path(), text);
                }
                ("not_sent", _) => words.not_sent(attr, errors),
                ("rejected", _) => words.rejected(attr, place, errors),
                (_, Some(&(_, constant, waits))) => {
                    let wait = if waits {
                        Self::wait(attr, &name, errors)
                    } else {
                        Self::bare(attr, &name, errors);
                        None
                    };
                    words.put(Word::Fixed(constant, wait), attr.path(), errors);
                }
                (_, None) => {}
            }
        }
        if let (Some((Word::Rejected, _)), Some(not_sent)) = (&words.word, &words.not_sent) {
            errors.over(Rule::R27, not_sent, "a `Rejected` knows whether it was sent; drop `#[not_sent]`");
        }
        words
    }

    /// Whether nothing was said, not even something wrong.
    pub fn is_silent(&self) -> bool {
        self.word.is_none() && self.not_sent.is_none() && !self.garbled
    }

    /// Takes `word`, which `path` says, unless another was there first.
    pub fn put(&mut self, word: Word, path: &Path, errors: &mut Errors) {
        match &self.word {
            None => self.word = Some((word, path.clone())),
            Some((first, first_path)) => {
                let (first_text, text) = (first.as_written(first_path), word.as_written(path));
                let text = if first_text == text {
                    format!("`{text}` is written twice; drop one")
                } else {
                    format!("`{first_text}` stands here already; keep it or `{text}`")
                };
                errors.over(Rule::R02, path, text);
            }
        }
    }

    fn not_sent(&mut self, attr: &Attribute, errors: &mut Errors) {
        Self::bare(attr, "not_sent", errors);
        if self.not_sent.replace(attr.path().clone()).is_some() {
            errors.over(Rule::R02, attr.path(), "`#[not_sent]` is written twice; drop one");
        }
    }

    fn rejected(&mut self, attr: &Attribute, place: Place, errors: &mut Errors) {
        Self::bare(attr, "rejected", errors);
        if place == Place::Enum {
            self.garbled = true;
            let text = "`#[rejected]` is for one variant; put it on the one that holds a `Rejected`";
            errors.over(Rule::R27, attr.path(), text);
        } else {
            self.put(Word::Rejected, attr.path(), errors);
        }
    }

    /// `#[classify(delegate)]`, and on a type `#[classify(crate = path)]`.
    fn classify(&mut self, attr: &Attribute, place: Place, errors: &mut Errors) {
        let entries = match &attr.meta {
            Meta::List(list) => split(list.tokens.clone()),
            Meta::Path(_) | Meta::NameValue(_) => Vec::new(),
        };
        if entries.is_empty() {
            self.garbled = true;
            errors.over(Rule::R27, &attr.meta, "`classify` needs a word; write `#[classify(delegate)]`");
        }
        for entry in entries {
            let key = entry.key.as_ref().map(ToString::to_string).unwrap_or_default();
            match (key.as_str(), entry.form) {
                ("delegate", Form::Alone) => self.put(Word::Delegate, attr.path(), errors),
                ("crate", form) if matches!(place, Place::Enum | Place::Struct) => {
                    let path = match form {
                        Form::Equals(path) => Path::parse_mod_style.parse2(path).ok(),
                        _ => None,
                    };
                    if path.is_none() {
                        let text = "`crate` takes a path; write `#[classify(crate = path::to::resilient)]`";
                        errors.over(Rule::R27, &entry.tokens, text);
                    } else if std::mem::replace(&mut self.krate, path).is_some() {
                        errors.over(Rule::R02, &entry.tokens, "`crate` is set twice; drop one");
                    }
                }
                (key, _) => {
                    self.garbled = true;
                    errors.over(Rule::R01, &entry.tokens, unknown_in_classify(key, &entry.tokens));
                }
            }
        }
    }

    /// The field of `retry_after = field`.
    fn wait(attr: &Attribute, name: &str, errors: &mut Errors) -> Option<Member> {
        let list = match &attr.meta {
            Meta::Path(_) => return None,
            Meta::List(list) => list.tokens.clone(),
            Meta::NameValue(_) => {
                let text = format!("`{name}` takes no value; write `#[{name}]` or `#[{name}(retry_after = field)]`");
                errors.over(Rule::R27, &attr.meta, text);
                return None;
            }
        };
        let mut wait = None;
        for entry in split(list) {
            let key = entry.key.as_ref().map(ToString::to_string).unwrap_or_default();
            if key != "retry_after" {
                let key = if key.is_empty() { entry.tokens.to_string() } else { key };
                let advice = match nearest(&key, ["retry_after"]) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "it takes `retry_after = field`".to_owned(),
                };
                errors.over(Rule::R01, &entry.tokens, format_args!("unknown setting `{key}` in `{name}(…)`; {advice}"));
                continue;
            }
            let field = match entry.form {
                Form::Equals(field) => syn::parse2::<Member>(field).ok(),
                _ => None,
            };
            if field.is_none() {
                let text =
                    "`retry_after` names a field; write `retry_after = wait`, or `retry_after = 0` for the first";
                errors.over(Rule::R27, &entry.tokens, text);
            } else if wait.is_some() {
                errors.over(Rule::R02, &entry.tokens, "`retry_after` is set twice; drop one");
            } else {
                wait = field;
            }
        }
        wait
    }

    /// A word that takes nothing.
    fn bare(attr: &Attribute, name: &str, errors: &mut Errors) {
        if !matches!(attr.meta, Meta::Path(_)) {
            errors.over(Rule::R27, &attr.meta, format_args!("`{name}` takes no settings; write `#[{name}]`"));
        }
    }
}

impl Word {
    fn as_written(&self, path: &Path) -> String {
        match self {
            Self::Delegate => "#[classify(delegate)]".to_owned(),
            Self::Fixed(..) | Self::Rejected => format!("#[{}]", path.to_token_stream()),
        }
    }
}

fn unknown_in_classify(key: &str, tokens: &TokenStream) -> String {
    let alone = CLASSES.iter().map(|(class, ..)| *class).chain(["not_sent", "rejected"]);
    if key == "crate" {
        return "`crate` belongs on the type; write it above `enum` or `struct`".to_owned();
    }
    if alone.clone().any(|other| other == key) {
        return format!("`{key}` is an attribute of its own; write `#[{key}]`");
    }
    let advice = match (nearest(key, ["delegate"]), nearest(key, alone)) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, Some(near)) => format!("did you mean `#[{near}]`?"),
        (None, None) => "it takes `delegate`".to_owned(),
    };
    format!("unknown word `{tokens}` in `classify(…)`; {advice}")
}
