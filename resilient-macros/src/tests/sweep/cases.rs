//! The attributes: which keys stand together, and on which functions.

use super::super::tokens;
use super::choices::{Choice, Rest};
use super::oracle::{Expected, has, repeats};
use crate::keys::Takes;
use proc_macro2::{Group, Spacing, TokenStream, TokenTree};
use resilient_policy::{Rule, rules::RULES};
use std::collections::BTreeMap;

/// Functions that every key of the table can stand on. `body_mark` shows where the body went.
pub const ASYNC: &str = "async fn view(key: K) -> Result<S, E> { body_mark(key) }";
pub const SYNC: &str = "fn view(key: K) -> Result<S, E> { body_mark(key) }";

/// Items of which nothing is known but that they must come out whole.
const OTHERS: &[&str] = &[
    "pub async fn view(&self, (a, b): (u64, u64), _: u8) -> Result<u64, E> { body_mark(a) }",
    "fn view(&mut self, #[share] x: &mut u64, key: String) -> Result<u64, E> { body_mark(x) }",
    "fn view(key: K) -> Pin<Box<dyn Future<Output = Result<u64, E>>>> { Box::pin(async move { let key = key; body_mark() }) }",
    "fn view() -> impl Future<Output = u64> { async { body_mark() } }",
    "async fn view<T: Clone, const N: u32>(mut key: T) { body_mark(key) }",
    "async fn view(mut self: Box<Self>, #[share] key: u64) -> Option<&mut u64> where Self: Sized { #![allow(x)] body_mark() }",
    "const unsafe extern \"C\" fn view(id: impl Into<u64>, ...) -> ! { body_mark() }",
    "#[resilient(retries = 1)] #[inline] fn view() -> Result<(), E> { body_mark(); return? }",
    "struct S { body_mark: u8 }",
    "fn view() { body_mark() } trailing",
    "fn body_mark",
    "body_mark",
];

/// Each rule that no single value breaks: numbers that do not go together, or a special function.
const SAMPLES: &[(&[Rule], &str, &str)] = &[
    (&[Rule::R04], "", ASYNC),
    (&[Rule::R04], "deadline_ms = 500, retries = 1, read", ASYNC),
    (&[Rule::R06], "timeout_ms = 600, deadline_ms = 500", ASYNC),
    (&[Rule::R06], "timeout_ms = 500, deadline_ms = 500, retries = 1, read", ASYNC),
    (&[Rule::R07], "timeout_ms = 60, retries = 2, read, deadline_ms = 200", ASYNC),
    (&[Rule::R08], "timeout_ms = 60, retries = 1", ASYNC),
    (&[Rule::R09], "timeout_ms = 60, retries = 1, write", ASYNC),
    (&[Rule::R12], "timeout_ms = 60, hedge = 60ms", ASYNC),
    (&[Rule::R13], "timeout_ms = 60, retry_budget = 0.1, retries = 0", ASYNC),
    (&[Rule::R18], "timeout_ms = 60, breaker(\"b\", min_calls = 30)", ASYNC),
    (&[Rule::R19], "timeout_ms = 60, breaker(\"b\", probe_timeout_ms = 30)", ASYNC),
    (&[Rule::R19], "timeout_ms = 60, deadline_ms = 90, breaker(\"b\", probe_timeout_ms = 100)", ASYNC),
    (&[Rule::R20], "timeout_ms = 60, breaker(\"b\", slow_ms = 60)", ASYNC),
    (&[Rule::R21], "timeout_ms = 60, breaker(\"b\", window_ms = 100)", ASYNC),
    (&[Rule::R22], "timeout_ms = 60, deadline_ms = 90, bulkhead(12, max_wait_ms = 90)", ASYNC),
    (&[Rule::R33], "timeout_ms = 60, retries = 11, read, deadline = 90s", ASYNC),
    (&[Rule::R34], "timeout_ms = 60, retries = 3, read", ASYNC),
    (&[Rule::R38], "timeout_ms = 60, deadline_ms = 90, rate_limit(\"1/s\", max_wait_ms = 90)", ASYNC),
    (&[Rule::R39], "timeout_ms = 60, breaker(\"b\", passes = 4)", ASYNC),
    (&[Rule::R39], "timeout_ms = 60, breaker(\"b\", open_factor = 2, open = 90s)", ASYNC),
    (&[Rule::R39], "timeout_ms = 60, bulkhead(adaptive, min = 300)", ASYNC),
    (&[Rule::R03], "timeout = 500us", ASYNC),
    (&[Rule::R02], "timeout_ms = 60", "#[resilient(read)] async fn view() -> Result<u64, E> { body_mark() }"),
    (&[Rule::R23], "timeout_ms = 60", SYNC),
    (&[Rule::R24], "timeout_ms = 60", "async fn view() -> u64 { body_mark() }"),
    (&[Rule::R25], "timeout_ms = 60, fallback = cached", "async fn view(&self) -> Result<u64, E> { body_mark() }"),
    (
        &[Rule::R26],
        "timeout_ms = 60, retries = 1, read",
        "async fn view(x: &mut u64) -> Result<u64, E> { body_mark() }",
    ),
    (&[Rule::R30], "timeout_ms = 60", "const fn view() -> impl Future<Output = Result<u64, E>> { body_mark() }"),
    (&[Rule::R32], "timeout = none, breaker = \"b\", fallback = default", "async fn view() -> u64 { body_mark() }"),
    (&[Rule::R35], "timeout_ms = 60, fallback = cached", "async fn view() -> Result<(), E> { body_mark() }"),
    (&[Rule::R40], "timeout = Self::LIMIT", ASYNC),
];

/// Of the wrong values of a key, one in so many is tried beside each other key.
const EVERY: usize = 4;
/// Parts of 500 mixtures.
const MIXTURES: usize = 20;

/// A small generator, so that a failure can be run again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        // The constants are Knuth's.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// One attribute on one item.
pub struct Case {
    pub args: String,
    /// What `#[resilient::defaults]` round it says.
    pub defaults: String,
    pub item: &'static str,
    /// `None` where only the general properties are known.
    pub expected: Option<Expected>,
}

impl Case {
    fn new(args: String, item: &'static str, expected: Option<Expected>) -> Self {
        Self { args, defaults: String::new(), item, expected }
    }
}

/// Puts cases together.
pub struct Cases<'a> {
    /// Every way to write every key.
    keys: &'a [Vec<Choice>],
    dice: Dice,
    list: Vec<Case>,
}

impl<'a> Cases<'a> {
    /// How many parts there are: one for each key, and some of mixtures.
    pub fn parts(keys: &[Vec<Choice>]) -> usize {
        keys.len() + MIXTURES
    }

    /// One part, whatever the others are.
    pub fn part(keys: &'a [Vec<Choice>], nth: usize) -> Vec<Case> {
        let mut cases = Self { keys, dice: Dice(nth as u64), list: Vec::new() };
        match keys.get(nth) {
            Some(key) => {
                cases.alone(key);
                cases.pairs(key, &keys[nth + 1..]);
            }
            None => cases.mixtures(),
        }
        if nth == keys.len() {
            cases.samples();
        }
        cases.soups();
        cases.list
    }

    /// Every way to write every key, on both kinds of function, written on the function and inherited.
    fn alone(&mut self, key: &'a [Choice]) {
        for choice in key {
            for is_async in [true, false] {
                for _ in 0..2 {
                    self.put(&[choice], is_async, false);
                }
                self.put(&[choice], is_async, true);
            }
        }
    }

    /// Every pair of keys: each right value of either with a right one of the other, and each wrong value likewise.
    fn pairs(&mut self, one: &'a [Choice], others: &'a [Vec<Choice>]) {
        for other in others {
            let rights: [Vec<_>; 2] = [one, other].map(|key| key.iter().filter(|choice| choice.is_right()).collect());
            for turn in 0..rights[0].len().max(rights[1].len()).max(2) {
                let pair = [rights[0].get(turn), rights[1].get(turn)];
                let pair = [0, 1].map(|at| *pair[at].unwrap_or_else(|| self.dice.pick(&rights[at])));
                self.put(&pair, turn % 2 == 0, false);
            }
            for (key, rights) in [(one, &rights[1]), (other.as_slice(), &rights[0])] {
                // Every wrong value is met in some of its key's pairs, and in each of them some wrong values are.
                let from = self.dice.below(EVERY);
                for wrong in key.iter().filter(|choice| choice.is_wrong()).skip(from).step_by(EVERY) {
                    let (right, is_async) = (*self.dice.pick(rights), self.dice.below(2) == 0);
                    self.put(&[wrong, right], is_async, false);
                }
            }
        }
    }

    /// Many keys at once, of which at most one is wrong.
    fn mixtures(&mut self) {
        for _ in 0..500 {
            let mut chosen: Vec<&Choice> = Vec::new();
            for _ in 0..self.dice.below(12) {
                let key = self.dice.pick(self.keys);
                let choice = self.dice.pick(key);
                let is_new = !has(&chosen, choice.key.at);
                if is_new && (choice.is_right() || !chosen.iter().any(|choice| choice.is_wrong())) {
                    chosen.push(choice);
                }
            }
            let (is_async, inherits) = (self.dice.below(2) == 0, self.dice.below(3) == 0);
            self.put(&chosen, is_async, inherits);
        }
    }

    /// Each sample, alone and beside every right value of a key that its rule does not read.
    fn samples(&mut self) {
        for (rules, args, item) in SAMPLES {
            let known = Expected { must: rules.to_vec(), ..Expected::default() };
            self.list.push(Case::new((*args).to_owned(), item, Some(known)));
            let Some(rule) = RULES.iter().find(|it| it.rule == rules[0] && *item == ASYNC) else { continue };
            let is_apart = |choice: &&Choice| {
                let top = choice.parent.unwrap_or(choice.key);
                let is_read = rule.reads.iter().any(|at| at.split('.').next() == Some(top.at));
                let is_said = args.contains(top.word) || matches!(top.takes, Takes::Rules | Takes::Nothing);
                choice.is_right() && !is_read && !is_said
            };
            for choice in self.keys.iter().flatten().filter(is_apart) {
                let beside: Vec<_> = self.parents(&[choice]).into_iter().chain([choice]).collect();
                let Some(text) = self.text(&beside) else { continue };
                let comma = if args.is_empty() { "" } else { ", " };
                // What else the new neighbour breaks is not the question here.
                let may = Rule::ALL.to_vec();
                let known = Expected { must: rules.to_vec(), may, ..Expected::default() };
                self.list.push(Case::new(format!("{args}{comma}{text}"), item, Some(known)));
            }
        }
    }

    /// Attributes from above with some tokens lost, doubled, swapped or strange, on any item.
    fn soups(&mut self) {
        let made = self.list.len();
        for _ in 0..made / 12 {
            let [args, other] = [0, 1].map(|_| leaves(tokens(&self.list[self.dice.below(made)].args)));
            let mut args = args;
            for _ in 0..=self.dice.below(4) {
                let (at, to) = (self.dice.below(args.len() + 1), self.dice.below(args.len() + 1));
                match self.dice.below(4) {
                    0 if at < args.len() => drop(args.remove(at)),
                    1 if at.max(to) < args.len() => args.swap(at, to),
                    2 if at < args.len() => args.insert(to, args[at].clone()),
                    _ if !other.is_empty() => args.insert(at, self.dice.pick(&other).clone()),
                    _ => {}
                }
            }
            let args = args.concat();
            // Brackets that do not match never reach a macro.
            if args.parse::<TokenStream>().is_ok() {
                let item = *self.dice.pick(OTHERS);
                self.list.push(Case::new(args, if self.dice.below(2) == 0 { ASYNC } else { item }, None));
            }
        }
    }

    /// The keys that these are options of, where they are not there.
    fn parents(&self, chosen: &[&'a Choice]) -> Vec<&'a Choice> {
        let mut parents: Vec<&Choice> = Vec::new();
        for choice in chosen {
            let Some(parent) = choice.parent.filter(|it| !has(chosen, it.at) && !has(&parents, it.at)) else {
                continue;
            };
            // Some options of a plan B belong to one plan.
            let value = match choice.key.at {
                "fallback.error" | "fallback.timeout" => "plan",
                _ => parent.example.trim_matches('"'),
            };
            parents.push(self.right(parent.at, value));
        }
        parents
    }

    /// A right value of this key.
    fn right(&self, at: &str, value: &str) -> &'a Choice {
        let key = self.keys.iter().find(|key| key[0].key.at == at).unwrap();
        let mut ways = key.iter().filter(|choice| choice.is_right());
        let first = ways.next().unwrap();
        std::iter::once(first).chain(ways).find(|choice| choice.value() == value).unwrap_or(first)
    }

    /// Adds these settings, with what they need to be right.
    fn put(&mut self, chosen: &[&'a Choice], is_async: bool, inherits: bool) {
        let mut all = chosen.to_vec();
        all.extend(self.parents(chosen));
        if !has(&all, "timeout") {
            all.push(self.right("timeout", "60ms"));
        }
        if !is_async && !has(&all, "blocking") {
            all.push(self.right("blocking", "cooperative"));
        }
        if (repeats(&all) || has(&all, "coalesce")) && !has(&all, "read") && !has(&all, "write") {
            all.push(self.right("read", ""));
        }
        if repeats(&all) && has(&all, "write") && !has(&all, "idempotency_key") {
            all.push(self.right("idempotency_key", "key"));
        }
        for at in (1..all.len()).rev() {
            let other = self.dice.below(at + 1);
            all.swap(at, other);
        }
        let mut expected = Expected::of(&all, is_async);
        let inherited = |top: &str| match top {
            // These belong to one function, and these two answer one question.
            "name" | "idempotency_key" | "read" | "write" => false,
            "blocking" => !is_async,
            _ => true,
        };
        let zero = has(&all, "retries") && !repeats(&all);
        let all_of_it = chosen.len() == 1;
        let (mut above, mut own) = (Vec::new(), Vec::new());
        let mut tops: BTreeMap<&str, bool> = BTreeMap::new();
        for choice in all {
            let top = choice.parent.unwrap_or(choice.key).at;
            let goes = inherits && !zero && inherited(top);
            let goes = *tops.entry(top).or_insert_with(|| goes && (all_of_it || self.dice.below(2) == 0));
            if goes { above.push(choice) } else { own.push(choice) }
        }
        let (Some(mut args), Some(defaults)) = (self.text(&own), self.text(&above)) else { return };
        if chosen.len() > 2 && self.dice.below(8) == 0 {
            if let Some(twice) = own.iter().find(|choice| choice.parent.is_none()) {
                args = format!("{}, {} = twice", args.trim_end_matches(','), twice.spelled);
                expected.iter_mut().for_each(|it| it.must.extend([Rule::R02, Rule::R02]));
            }
        }
        let item = if is_async { ASYNC } else { SYNC };
        self.list.push(Case { defaults, ..Case::new(args, item, expected) });
    }

    /// The settings as text, options inside of their keys; `None` where one of them leaves no room for its options.
    fn text(&mut self, chosen: &[&Choice]) -> Option<String> {
        let mut entries = Vec::new();
        for choice in chosen.iter().filter(|choice| choice.parent.is_none()) {
            let options = chosen.iter().filter(|it| it.parent.is_some_and(|parent| parent.at == choice.key.at));
            let options: Vec<_> = options.map(|option| entry(option, "", 0)).collect();
            if matches!(choice.rest, Rest::Text(_)) && !options.is_empty() {
                return None;
            }
            entries.push(entry(choice, &options.join(", "), self.dice.below(3)));
        }
        let comma = if self.dice.below(4) == 0 && !entries.is_empty() { "," } else { "" };
        Some(entries.join(", ") + comma)
    }
}

/// One setting as text, in one of the forms that mean the same.
fn entry(choice: &Choice, options: &str, form: usize) -> String {
    let (key, spelled) = (choice.key, &choice.spelled);
    let value = match &choice.rest {
        Rest::Text(text) => return format!("{spelled}{text}"),
        Rest::Value(value) => value.as_str(),
    };
    let inside = match key.takes {
        Takes::Nothing if options.is_empty() => return spelled.clone(),
        Takes::Nothing => options.to_owned(),
        Takes::Rules => return format!("{spelled}({value})"),
        Takes::Options if options.is_empty() => key.example.to_owned(),
        Takes::Options => options.to_owned(),
        _ if options.is_empty() && (key.options.is_empty() || form == 0) => return format!("{spelled} = {value}"),
        _ if options.is_empty() => value.to_owned(),
        _ => format!("{value}, {options}"),
    };
    let equals = if form == 1 { " = " } else { "" };
    format!("{spelled}{equals}({inside})")
}

/// The tokens as texts that can be put together again.
fn leaves(stream: TokenStream) -> Vec<String> {
    let mut texts = Vec::new();
    for token in stream {
        match token {
            TokenTree::Group(group) => {
                let whole = Group::new(group.delimiter(), TokenStream::new()).to_string();
                let (open, close) = whole.split_at(whole.len() / 2);
                texts.push(open.to_owned());
                texts.extend(leaves(group.stream()));
                texts.push(close.to_owned());
            }
            TokenTree::Punct(mark) if mark.spacing() == Spacing::Joint => texts.push(mark.to_string()),
            other => texts.push(format!("{other} ")),
        }
    }
    texts
}
