//! The list of rules: what each refuses, and why.

use crate::Text;
use core::fmt;

/// Who can see that a rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The policy alone shows it: the macro at literals, a `const` at paths to constants, the overrides at start-up.
    Policy,
    /// The attribute's text or the function's signature shows it: the macro.
    Signature,
    /// A type shows it: rustc, through one bounded path.
    Type,
}

macro_rules! rules {
    ($($id:ident $kind:ident $allow:literal $what:literal, $why:literal;)*) => {
        /// A rule of the list, by its stable id. Each has a page, `docs/rules/<id>.md`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = concat!($what, ": ", $why, ".")] $id,)*
        }

        impl Rule {
            /// Every rule, in order.
            pub const ALL: &'static [Self] = &[$(Self::$id),*];

            /// The stable id: `R07`.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Self::$id => stringify!($id),)* }
            }

            /// Who can see that it is broken.
            #[must_use]
            pub const fn kind(self) -> Kind {
                match self { $(Self::$id => Kind::$kind,)* }
            }

            /// Whether `allow(…)` may name it.
            #[must_use]
            pub const fn allowable(self) -> bool {
                match self { $(Self::$id => $allow,)* }
            }

            /// What it refuses, in a few words.
            #[must_use]
            pub const fn what(self) -> &'static str {
                match self { $(Self::$id => $what,)* }
            }

            /// Why, in one line.
            #[must_use]
            pub const fn why(self) -> &'static str {
                match self { $(Self::$id => $why,)* }
            }
        }
    };
}

rules! {
    R01 Signature false "an unknown key", "a typo must not switch a guard off in silence";
    R02 Signature false "a key or the attribute written twice", "a reader would have to know which one wins";
    R03 Policy    false "a wrong literal, unit or sign, or an async timeout under 1 ms", "timers are late by up to 1 ms, so a shorter timeout is noise";
    R04 Policy    false "no `timeout` and, without retries, no `deadline`", "a call that may wait for ever holds its caller for ever [storm, part 2]";
    R05 Policy    false "zero where zero is meaningless", "a guard of size zero fails or admits every call";
    R06 Policy    false "an attempt timeout beyond the deadline", "inverted timeouts work for callers who have left [storm, part 2]";
    R07 Policy    true  "attempts that do not fit into the deadline", "the last ones are never made, or made for nobody [storm, part 2]";
    R08 Policy    false "retries without `read` or `write`", "repeating is declared, never assumed [careful, what is safe to retry]";
    R09 Policy    false "a retried write without a key", "a timed-out write may have happened: repeating it does it twice [storm, part 3]";
    R10 Policy    false "a hedged write", "a hedge runs twice on purpose [storm, part 5]";
    R11 Policy    false "an invented answer for a write", "never pretend that something was done [stack, §9.1]";
    R12 Policy    false "a hedge that starts after the timeout", "it would never start";
    R13 Policy    true  "a budget with nothing to spend it on", "the author expects retries that do not happen";
    R14 Policy    false "a budget ratio outside (0, 1]", "above 1 a budget bounds nothing [storm, part 5]";
    R15 Policy    true  "backoff without jitter", "callers that failed together return together [storm, part 4]";
    R16 Policy    true  "a backoff that starts at zero or shrinks", "retries in a hot loop, or a cap below the first wait [storm, part 4]";
    R17 Policy    true  "a failure rate outside (0, 1] or below 5 %", "it would trip in normal operation, or on no failure at all";
    R18 Policy    false "`min_calls` beyond the window", "the window never holds enough calls, so the breaker never trips";
    R19 Policy    false "a probe timeout shorter than the attempt timeout or longer than the deadline", "probes would fail a dependency that serves, or never use their time";
    R20 Policy    true  "`slow` at or beyond the timeout", "no attempt that returned could be slow";
    R21 Policy    true  "a time window under two timeouts", "it forgets a failure before the next one can arrive";
    R22 Policy    false "a queue wait at or beyond the deadline", "the call would be expired when it starts";
    R23 Signature false "a setting that needs the other kind of function", "a blocked thread cannot be stopped, and a future needs no thread";
    R24 Signature false "a function without a `Result` and without a fallback", "a rejection needs a way out";
    R25 Signature false "`cached` without a sound key", "an answer for one tenant must never reach another";
    R26 Signature false "an argument that a second attempt cannot have", "every attempt starts from the caller's arguments";
    R27 Type      false "an error type that cannot say what happened", "what may be repeated depends on what went wrong";
    R28 Type      false "a fallback function with another signature", "plan B answers the same question";
    R29 Type      false "an idempotency key that is none", "the key must be the caller's, and the same in every attempt";
    R30 Signature false "a function that cannot be guarded", "it has no outcome to guard, or nowhere to keep state";
    R31 Signature false "an ill-formed name or placeholder", "names are identities in state, metrics and overrides";
    R32 Signature false "a breaker that nothing could trip", "it would only look like protection";
    R33 Policy    true  "more than 10 retries", "what fails twelve times is an outage, not a blip";
    R34 Policy    true  "more than 2 retries without a deadline", "nothing bounds the whole call";
    R35 Type      false "`cached` for an answer that cannot be kept", "a stale answer must be a copy of a real one";
    R36 Policy    true  "retries without a budget", "in an outage every call would repeat [storm, part 5]";
    R37 Signature false "`blocking = thread` that cannot move or is not bounded", "a thread outlives its caller";
    R38 Policy    false "a rate-limit wait at or beyond the deadline", "the attempt would be expired when it starts";
    R39 Policy    false "a number beyond the one that bounds it", "the breaker could never close, or a bound would bound nothing";
    R40 Signature false "a setting that mentions `Self` or a generic", "settings are fixed when the crate is compiled";
}

impl Rule {
    /// The rule of this id, in upper case.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.id() == id)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The rules that a policy overrides: `allow(R07, R13)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed(u64);

impl Allowed {
    /// No rule.
    pub const NONE: Self = Self(0);

    /// These rules.
    #[must_use]
    pub const fn of(rules: &[Rule]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < rules.len() {
            bits |= 1 << rules[i] as u64;
            i += 1;
        }
        Self(bits)
    }

    /// Whether `rule` is among them.
    #[must_use]
    pub const fn has(self, rule: Rule) -> bool {
        self.0 & (1 << rule as u64) != 0
    }

    /// Those among them, in order.
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Rule::ALL.iter().copied().filter(move |rule| self.has(*rule))
    }
}

/// A broken rule: where, and what to write instead.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Which rule.
    pub rule: Rule,
    /// The key that is wrong, as its path in the attribute: `deadline`, `breaker.min_calls`.
    pub at: &'static str,
    /// The keys whose values decided it: where one of them cannot be told, neither can this.
    pub reads: &'static [&'static str],
    /// What is wrong and what to write instead, without the id.
    pub text: Text,
}

impl Fault {
    /// The canonical form, with the id in front: `[R07] 3 attempts × 60 ms …`.
    #[must_use]
    pub const fn message(&self) -> Text {
        Text::new().str("[").str(self.rule.id()).str("] ").str(self.text.as_str())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message().as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_that_may_be_allowed_are_exactly_the_documented_ones() {
        let allowable: Vec<_> = Rule::ALL.iter().filter(|rule| rule.allowable()).map(|rule| rule.id()).collect();
        assert_eq!(allowable, ["R07", "R13", "R15", "R16", "R17", "R20", "R21", "R33", "R34", "R36"]);
    }

    #[test]
    fn ids_run_from_r01_to_r40_and_lead_back_to_their_rule() {
        for (i, rule) in Rule::ALL.iter().enumerate() {
            assert_eq!(rule.id(), format!("R{:02}", i + 1));
            assert_eq!(Rule::from_id(rule.id()), Some(*rule));
        }
        assert_eq!(Rule::ALL.len(), 40);
        assert_eq!(Rule::from_id("R41"), None);
    }

    #[test]
    fn allowing_one_rule_allows_no_other() {
        let allowed = Allowed::of(&[Rule::R07, Rule::R36]);
        assert_eq!(allowed.iter().collect::<Vec<_>>(), [Rule::R07, Rule::R36]);
        assert!(!Allowed::NONE.has(Rule::R01));
    }
}
