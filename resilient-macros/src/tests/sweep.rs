//! The macro's entry, called as a function over more than 10⁵ generated attributes: every way to write every key of the
//! table, every pair of keys, and mixtures. None may make it panic, a wrong one must be refused, a right one must not,
//! and whatever happens the function must still be there.
//!
//! Which is which is known from how an attribute was put together (`oracle`), never from asking the macro.

mod cases;
mod choices;
mod oracle;

use super::tokens;
use crate::keys::KEYS;
use cases::{ASYNC, Case, Cases, SYNC};
use choices::catalogue;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;
use resilient_policy::Rule;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rules that this crate cannot see broken: rustc answers for them.
const ELSEWHERE: &[Rule] = &[Rule::R27, Rule::R28];

impl Case {
    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.args, &self.defaults, self.item).hash(&mut hasher);
        hasher.finish()
    }

    /// What comes out of the macro: behind the defaults' own errors where there are defaults.
    fn run(&self) -> (Seen, TokenStream) {
        let (args, item) = (tokens(&self.args), tokens(self.item));
        if self.defaults.is_empty() {
            return (Seen::default(), crate::run(args, item));
        }
        let group = crate::defaults::expand(&tokens(&self.defaults), &quote!(impl S { #[resilient(#args)] #item }));
        let mut above = Seen::default();
        above.walk(group);
        let told = above.told.take().expect("the attribute inside of the group");
        (above, crate::run(told, item))
    }

    /// What is not as it should be about this case.
    fn fault(&self, counts: &mut Counts) -> Option<String> {
        let Ok((above, out)) = catch_unwind(AssertUnwindSafe(|| self.run())) else { return Some("panics".to_owned()) };
        let mut seen = Seen::default();
        seen.walk(out.clone());
        let texts = || above.errors.iter().chain(&seen.errors);
        let rules: Option<Vec<_>> = texts().map(|text| rule_of(text)).collect();
        let Some(rules) = rules else {
            return Some(format!("an error without a rule: {:?}", texts().collect::<Vec<_>>()));
        };
        rules.iter().for_each(|rule| *counts.by_rule.entry(*rule).or_default() += 1);
        let before = counts.items.entry(self.item).or_insert_with(|| Seen::of(tokens(self.item)).function());
        if seen.function() != *before {
            return Some(format!("the function is emitted {} times, its body {}", seen.names, seen.marks));
        }
        if rules.is_empty() && syn::parse2::<syn::Item>(out.clone()).is_err() {
            return Some(format!("the expansion is no item: {out}"));
        }
        // Texts are slow to compare.
        if self.args.len() % 16 == 0 {
            let text = out.to_string();
            if !seen.errors.is_empty()
                && [ASYNC, SYNC].contains(&self.item)
                && !text.starts_with(&tokens(self.item).to_string())
            {
                return Some(format!("the function is not the plain one: {text}"));
            }
            if self.run().1.to_string() != text {
                return Some("the expansion differs from run to run".to_owned());
            }
        }
        match &self.expected {
            Some(expected) if expected.is_right() => counts.right += 1,
            Some(_) => counts.wrong += 1,
            None if rules.is_empty() && self.defaults.is_empty() => {
                return (!is_plausible(&self.args)).then(|| "accepted".to_owned());
            }
            None => {}
        }
        let expected = self.expected.as_ref().filter(|expected| !expected.is_met_by(&rules, &seen.claims))?;
        let texts: Vec<_> = texts().collect();
        Some(format!("{rules:?} instead of {:?}, and any of {:?}: {texts:#?}", expected.must, expected.may))
    }
}

/// What an emitted text holds.
#[derive(Default)]
struct Seen {
    names: usize,
    marks: usize,
    errors: Vec<String>,
    /// The rules that are left to rustc.
    claims: Vec<Rule>,
    /// The inside of `#[resilient(…)]`.
    told: Option<TokenStream>,
}

impl Seen {
    fn of(stream: TokenStream) -> Self {
        let mut seen = Self::default();
        seen.walk(stream);
        seen
    }

    /// How often the function is there, and how often its body.
    fn function(&self) -> (usize, usize) {
        (self.names, self.marks)
    }

    fn walk(&mut self, stream: TokenStream) {
        let mut last: Option<Ident> = None;
        for token in stream {
            match token {
                TokenTree::Ident(word) => {
                    self.marks += usize::from(word == "body_mark");
                    self.names += usize::from(word == "view" && last.as_ref().is_some_and(|last| last == "fn"));
                    if last.is_some_and(|last| last == "Rule") {
                        self.claims.extend(Rule::from_id(&word.to_string()));
                    }
                    last = Some(word);
                }
                TokenTree::Group(group) if last.as_ref().is_some_and(|last| last == "compile_error") => {
                    let text = syn::parse2::<syn::LitStr>(group.stream());
                    self.errors.push(text.map_or_else(|_| group.to_string(), |text| text.value()));
                }
                TokenTree::Group(group) => {
                    if last.take().is_some_and(|last| last == "resilient") {
                        self.told = Some(group.stream());
                    }
                    self.walk(group.stream());
                }
                _ => {}
            }
        }
    }
}

/// The rule that an error's text begins with.
fn rule_of(text: &str) -> Option<Rule> {
    let (id, _) = text.strip_prefix('[')?.split_once("] ")?;
    Rule::from_id(id)
}

/// Whether an attribute may be right at all: known keys, none twice, and something that bounds the call.
fn is_plausible(args: &str) -> bool {
    let mut seen = HashSet::new();
    let tokens: Vec<_> = tokens(args).into_iter().collect();
    let entries = tokens.split(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ','));
    // A comma between type arguments begins no setting.
    let mut words = entries.filter_map(|entry| entry.first()).filter(|_| !args.contains('<')).map(ToString::to_string);
    let is_known = |word: String| {
        let key = KEYS.iter().find(|key| key.spellings().contains(&word));
        key.is_some_and(|key| seen.insert(key.at))
    };
    (args.contains("timeout") || args.contains("deadline")) && words.all(is_known)
}

#[derive(Default)]
struct Counts {
    /// The items as they went in.
    items: HashMap<&'static str, (usize, usize)>,
    all: usize,
    distinct: HashSet<u64>,
    right: usize,
    wrong: usize,
    by_rule: BTreeMap<Rule, usize>,
    failures: Vec<String>,
}

impl Counts {
    fn add(&mut self, part: Self) {
        self.all += part.all;
        self.right += part.right;
        self.wrong += part.wrong;
        self.distinct.extend(part.distinct);
        part.by_rule.into_iter().for_each(|(rule, n)| *self.by_rule.entry(rule).or_default() += n);
        self.failures.extend(part.failures);
    }
}

#[test]
fn a_wrong_attribute_is_refused_and_a_right_one_is_not() {
    let keys = catalogue();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut counts = Counts::default();
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= Cases::parts(&keys) {
                return counts;
            }
            for case in Cases::part(&keys, part) {
                counts.distinct.insert(case.hash());
                counts.all += 1;
                if let Some(fault) = case.fault(&mut counts) {
                    let Case { args, defaults, item, .. } = case;
                    counts.failures.push(format!("#[resilient({args})] within [{defaults}] on `{item}`: {fault}"));
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let mut sum = Counts::default();
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().for_each(|thread| sum.add(thread.join().unwrap()));
    });
    let Counts { all, right, wrong, by_rule, distinct, mut failures, .. } = sum;
    let open = all - right - wrong;
    println!("{all} attributes, {} distinct: {right} right, {wrong} wrong, {open} open; {by_rule:?}", distinct.len());
    failures.sort_by_key(String::len);
    let shown = failures.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} of {all} attributes, the shortest:\n{shown}", failures.len());
    assert!(distinct.len() >= 100_000, "{}", distinct.len());
    let expected: Vec<_> = Rule::ALL.iter().filter(|rule| !ELSEWHERE.contains(rule)).collect();
    assert_eq!(by_rule.keys().collect::<Vec<_>>(), expected, "the rules that were broken at least once");
}
