//! The ways to write each key of the table, right and wrong, by what the key takes. A new key needs no line here.

use crate::keys::{KEYS, Key, Takes};
use resilient_policy::Rule::{self, R01, R03, R05, R14, R16, R17, R29, R31};

/// One way to write one key.
pub struct Choice {
    pub key: &'static Key,
    /// The key that it is an option of.
    pub parent: Option<&'static Key>,
    /// The key as it is spelled here.
    pub spelled: String,
    pub rest: Rest,
    /// The faults of this text by itself; `None` where only the macro can say.
    pub faults: Option<Vec<Rule>>,
}

/// What follows the key.
pub enum Rest {
    /// A value, which may also stand in parentheses before options.
    Value(String),
    /// Text that stands behind the key as it is.
    Text(&'static str),
}

impl Choice {
    pub fn value(&self) -> &str {
        match &self.rest {
            Rest::Value(value) => value.trim_matches('"'),
            Rest::Text(_) => "",
        }
    }

    /// Whether only rustc can evaluate it.
    pub fn is_constant(&self) -> bool {
        let takes = matches!(
            self.key.takes,
            Takes::Time | Takes::Count | Takes::Share | Takes::Factor | Takes::Window | Takes::Delay
        );
        let is_word = self.key.words.iter().any(|word| *word == self.value());
        takes
            && !is_word
            && self.is_right()
            && self.value().contains(|c: char| "_{+*(:".contains(c) || c.is_uppercase())
    }

    pub fn is_right(&self) -> bool {
        self.faults.as_ref().is_some_and(Vec::is_empty)
    }

    pub fn is_wrong(&self) -> bool {
        self.faults.as_ref().is_some_and(|faults| !faults.is_empty())
    }

    /// Whether the reader refuses it; else it takes a rule to do so.
    pub fn is_refused(&self) -> bool {
        self.faults.iter().flatten().any(|rule| [R01, R03, R31].contains(rule))
    }
}

/// Every way to write every key, key by key.
pub fn catalogue() -> Vec<Vec<Choice>> {
    let places = KEYS.iter().flat_map(|key| {
        let options = key.options.iter().map(move |option| (option, Some(key)));
        std::iter::once((key, None)).chain(options)
    });
    places.map(|(key, parent)| choices(key, parent)).collect()
}

fn choices(key: &'static Key, parent: Option<&'static Key>) -> Vec<Choice> {
    let mut of = Choices { key, parent, list: Vec::new() };
    of.right();
    of.words();
    of.wrong();
    of.misshapen();
    of.list
}

struct Choices {
    key: &'static Key,
    parent: Option<&'static Key>,
    list: Vec<Choice>,
}

impl Choices {
    fn put(&mut self, millis: bool, rest: Rest, faults: Option<Vec<Rule>>) {
        let spelled = format!("{}{}", self.key.word, if millis { "_ms" } else { "" });
        self.list.push(Choice { key: self.key, parent: self.parent, spelled, rest, faults });
    }

    /// These values are right.
    fn yes<S: Into<String>>(&mut self, values: impl IntoIterator<Item = S>) {
        for value in values {
            self.put(false, Rest::Value(value.into()), Some(vec![]));
        }
    }

    /// The same behind `_ms`.
    fn yes_ms<S: Into<String>>(&mut self, values: impl IntoIterator<Item = S>) {
        for value in values {
            self.put(true, Rest::Value(value.into()), Some(vec![]));
        }
    }

    /// These values break one rule.
    fn no(&mut self, rule: Rule, values: &[&str]) {
        self.so(Some(&vec![rule]), values);
    }

    /// These values have such faults.
    fn so(&mut self, faults: Option<&Vec<Rule>>, values: &[&str]) {
        for value in values {
            self.put(false, Rest::Value((*value).to_owned()), faults.cloned());
        }
    }

    fn no_ms(&mut self, values: &[&str]) {
        for value in values {
            self.put(true, Rest::Value((*value).to_owned()), Some(vec![R03]));
        }
    }

    /// The example in every spelling: the examples of the table go together, so any of them go together.
    fn right(&mut self) {
        let example = self.key.example;
        match self.key.takes {
            Takes::Nothing | Takes::Options => self.yes([""]),
            Takes::Time => {
                let millis = millis(example);
                let seconds = format!("{}.{:03}s", millis / 1_000, millis % 1_000);
                self.yes([example, "LIMIT", "limits::<A, B>::LIMIT", "Duration::from_millis(60)"]);
                self.yes([format!("\"{example}\""), format!("({example})"), format!("{millis}_000us"), seconds]);
                self.yes_ms([format!("{millis}"), format!("{millis}.0"), format!("\"{millis}\"")]);
                self.yes_ms(["LIMIT_MS", "{ 60 }", "60 * 1"]);
            }
            Takes::Count => {
                let number: u32 = example.replace('_', "").parse().unwrap();
                self.yes([example, "MANY", "limits::MANY", "{ 2 }", "1 + 1", "f(2)"]);
                self.yes([format!("{number:#x}"), format!("0_{number}")]);
            }
            Takes::Share => {
                let percent = format!("{}%", example.parse::<f64>().unwrap() * 100.0);
                self.yes([example, "SHARE", "shares::SHARE", "5e-1", "1.0"]);
                self.yes([format!("\"{example}\""), format!("\"{percent}\""), percent]);
            }
            Takes::Factor => self.yes([example, "2.0", "1", "FACTOR"]),
            Takes::Word => {}
            Takes::Name => self.yes([example, "r\"a.b-c_1\"", "\"0\""]),
            Takes::Function => self.yes([example, "judges::of", "Self::judge", "judge::<A, B>", "|_| true"]),
            Takes::Argument => self.yes([example]),
            Takes::Root => self.yes([example, "crate::guards", "resilient", "self::a::b"]),
            Takes::Rules => self.yes([example, "R07, R13,", "R15", "R36", "R07, R13, R15, R16, R17, R20, R21, R33"]),
            Takes::Window => {
                self.yes([example, "SIZE", "limits::SIZE", "0x14", "10s", "\"10s\""]);
                self.yes_ms(["10_000", "LIMIT_MS"]);
            }
            Takes::Rate => self.yes([example, "\"1_000 / s\"", "\"5/10s\""]),
            Takes::Delay => self.yes([
                example,
                "\"p95\"",
                "p99.9",
                "\"p99.9\"",
                "20ms",
                "\"20ms\"",
                "DELAY",
                "Duration::from_millis(20)",
            ]),
            Takes::Plan => self.yes(["plan", "Self::plan", "plans::of::<A, B>", "value(1 + 1)", "value((a, b))"]),
            Takes::Parts => self.yes([example, "(id, key.0)", "(id,)", "id", "(1, 2, 3, 4, 5, 6, 7, 8)"]),
        }
    }

    fn words(&mut self) {
        let quotable =
            matches!(self.key.takes, Takes::Word | Takes::Time | Takes::Share | Takes::Window | Takes::Delay);
        for word in self.key.words {
            self.put(false, Rest::Value((*word).to_owned()), Some(vec![]));
            if quotable {
                self.put(false, Rest::Value(format!("\"{}\"", word)), Some(vec![]));
            }
        }
    }

    fn wrong(&mut self) {
        // What is nobody's value. A list of expressions and one of rules have their own.
        const JUNK: &[&str] = &[
            "true",
            "'a'",
            "b\"x\"",
            "c\"x\"",
            "[1]",
            "..",
            "&x",
            "-",
            "#",
            "+ +",
            "5 5",
            "\"a\" \"b\"",
            "1..2",
            "async {}",
            "S { x: 1 }",
            "loop {}",
            "\"\\u{0}\"",
            "x y",
            "$x",
            "@",
        ];
        let at = self.key.at;
        match self.key.takes {
            Takes::Nothing | Takes::Options => return,
            Takes::Rules => return self.no(R01, &["R04", "R99", "r07", "5", "R07 R13", "\"R07\"", "R07 = 1", "(R07)"]),
            Takes::Parts => return self.no(R03, &["()", "(1, 2, 3, 4, 5, 6, 7, 8, 9)", "#", "(1 2)", "(=)"]),
            Takes::Name => {
                let junk: Vec<_> = JUNK.iter().copied().filter(|value| *value != "\"\\u{0}\"").collect();
                self.no(R03, &junk);
            }
            _ => self.no(R03, JUNK),
        }
        match self.key.takes {
            Takes::Time => {
                self.no(
                    R03,
                    &["60", "60xs", "60 ms", "-5ms", "10%", "\"soon\"", "\"\"", "\"60\"", "|x| x", "\"-1ms\""],
                );
                self.no(R03, &["99999999999999999999h", "1e400s", "\"1e99h\"", "5M"]);
                self.no_ms(&["60ms", "-5", "\"60ms\"", "10%", "1e400", "99999999999999999999999999", "60 ms"]);
                self.so(zero(at).as_ref(), &["0ms", "0.0s", "\"0ms\""]);
                self.so(None, &["18446744073709551615s", "1ns", "0.0000001ns"]);
            }
            Takes::Count => {
                self.no(R03, &["-1", "-0", "2.5", "5ms", "10%", "\"5\"", "99999999999", "1e3", "5u64x", "|x| x"]);
                self.so(zero(at).as_ref(), &["0", "0x0"]);
                self.so(None, &["4294967295", "1u32"]);
            }
            Takes::Share | Takes::Factor => {
                self.no(R03, &["5ms", "\"much\"", "\"\"", "1e400", "-1e400", "1f64x", "0.1 %%", "|x| x"]);
                if self.key.takes == Takes::Factor {
                    self.no(R03, &["10%", "\"2\""]);
                }
                self.so(range(at).as_ref(), &["-0.5", "-1"]);
                if self.key.takes == Takes::Share {
                    self.so(range(at).as_ref(), &["1.5", "150%", "1e9"]);
                }
                self.so(zero(at).as_ref(), &["0", "0.0"]);
                self.so(None, &["1e-300", "0.05", "0.04", "-0.0"]);
            }
            Takes::Word => self.no(R03, &["5", "\"\"", "maybe", "\"maybe\"", "fn", "a::b", "5ms", "|x| x"]),
            Takes::Name => {
                self.no(R03, &["5", "stock", "a::b", "5ms", "fn", "|x| x"]);
                self.no(R31, &["\"\"", "\"A\"", "\"a b\"", "\"a/b\"", "\"é\"", "\"İ\"", "\"\\n\"", "\"\\u{0}\""]);
                self.no(
                    R31,
                    &["\"{\"", "\"}\"", "\"a.{}\"", "\"{a:?}\"", "\"{a + b}\"", "\"{self}\"", "\"{{a}}\"", "\"{1}\""],
                );
            }
            Takes::Function => self.no(R03, &["5", "\"judge\"", "f(x)", "fn", "x.y", "1 + 1"]),
            Takes::Argument => {
                self.no(R03, &["5", "\"key\"", "a.b", "a::b", "f(x)"]);
                self.no(R29, &["kee", "nobody", "_", "fn", "self"]);
            }
            Takes::Root => self.no(R03, &["5", "\"resilient\"", "a.b", "f(x)", "fn", "a::", "a::<B>"]),
            Takes::Window => {
                self.no(R03, &["-1", "2.5", "10%", "\"\"", "99999999999", "-1ms", "5xs"]);
                self.no_ms(&["10s", "-1"]);
                self.so(zero(at).as_ref(), &["0"]);
            }
            Takes::Rate => {
                self.no(
                    R03,
                    &["100", "\"fast\"", "\"100\"", "\"100/xs\"", "\"-1/s\"", "\"/\"", "\"9999999999/s\"", "a / b"],
                );
                self.so(zero(at).as_ref(), &["\"0/s\"", "\"1/0s\""]);
            }
            Takes::Delay => {
                self.no(R03, &["95", "p", "p0", "p100", "p950", "-5ms", "5xs", "10%", "\"\""]);
                self.so(zero(at).as_ref(), &["0ms"]);
            }
            Takes::Plan => self.no(
                R03,
                &["5", "value()", "value(a, b)", "value(a =)", "value", "1 + 1", "f(x)", "5ms", "|x| x", "\"\"", "fn"],
            ),
            Takes::Nothing | Takes::Options | Takes::Rules | Takes::Parts => {}
        }
    }

    /// Text behind the key that is no `= value`.
    fn misshapen(&mut self) {
        let texts: &[&str] = match self.key.takes {
            Takes::Nothing if self.key.options.is_empty() => {
                &[" = true", "(all)", " =", " 5", "!", "::x", " x", "[1]", " == 1", "()"]
            }
            Takes::Nothing => &[" = true", " =", " 5", "!", "::x", " x", "[1]", " == 1"],
            Takes::Rules => &["", " =", " 5", "!", "[R07]", " == R07", "(R07) x", "()"],
            Takes::Options => &["", " =", " = 3", " = x", " 5", "!", "[1]", " == 1", " => 1"],
            _ if self.key.options.is_empty() => {
                &["", " =", " 5", ": 5", " == 5", " => 5", " += 5", "[5]", "{5}", "!", "(5)", "()", "::x", " x = 5"]
            }
            _ => &["", " =", " 5", ": 5", " == 5", " => 5", " += 5", "[5]", "{5}", "!", "::x", " x = 5"],
        };
        for text in texts {
            self.put(false, Rest::Text(text), Some(vec![R03]));
        }
    }
}

/// The milliseconds of an example such as `60ms` or `1s`.
fn millis(example: &str) -> u64 {
    match example.strip_suffix("ms") {
        Some(digits) => digits.parse().unwrap(),
        None => example.strip_suffix('s').unwrap().parse::<u64>().unwrap() * 1_000,
    }
}

/// The rule that a zero breaks, by DESIGN §7 and not by the crate's own list; none where it has a meaning, and `None`
/// where nothing is decided.
fn zero(at: &str) -> Option<Vec<Rule>> {
    let last = at.rsplit('.').next().unwrap_or(at);
    let rule = match at {
        "retries" | "retry.retry_after_cap" | "retry_budget.floor_per_sec" | "breaker.open_jitter" => {
            return Some(vec![]);
        }
        "bulkhead.max_wait" | "rate_limit.max_wait" => return Some(vec![]),
        "deadline" | "bulkhead" | "rate_limit" | "hedge" => R05,
        "retry.base" | "retry.cap" | "retry.factor" => R16,
        "retry_budget" => R14,
        "breaker.failure_rate" | "breaker.slow_rate" => R17,
        "breaker.open_factor" => R03,
        _ => match last {
            "timeout" | "probes" | "window" | "min_calls" | "open" | "slow" | "burst" | "max_queue" | "max_stale"
            | "max_entries" | "consecutive" | "passes" | "probe_timeout" | "window_age" | "max_age" | "min_samples" => {
                R05
            }
            _ => return None,
        },
    };
    Some(vec![rule])
}

/// The rule that a share or a factor out of range breaks.
fn range(at: &str) -> Option<Vec<Rule>> {
    Some(vec![match at {
        "retry_budget" => R14,
        "retry.factor" => R16,
        "breaker.failure_rate" | "breaker.slow_rate" => R17,
        "breaker.open_factor" | "breaker.open_jitter" => R03,
        _ => return None,
    }])
}
