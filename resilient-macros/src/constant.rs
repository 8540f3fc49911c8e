//! A [`Policy`] as a person would write it: what differs from the defaults, and nothing else.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use resilient_policy::{
    Adaptive, Allowed, Blocking, Breaker, Bulkhead, Earn, Fallback, FallbackKind, Hedge, HedgeDelay, Jitter, Limit,
    Order, Policy, RateLimit, Retry, RetryBudget, Safety, Scope, Shape, Timeout, Window,
};
use std::collections::HashMap;
use std::time::Duration;

/// The tokens that stand for a path's value where the policy itself has a placeholder: constants, and names.
pub type Written = HashMap<&'static str, TokenStream>;

/// Writes policies.
pub struct Writer<'a> {
    /// The runtime's hidden module.
    pub root: &'a TokenStream,
    /// What replaces placeholders.
    pub written: &'a Written,
}

/// A value that can stand in a `const`.
trait Value: PartialEq {
    fn tokens(&self, writer: &Writer<'_>) -> TokenStream;

    /// The same round a value that is already written.
    fn around(_: &Writer<'_>, inner: &TokenStream) -> TokenStream {
        inner.clone()
    }
}

impl Value for u32 {
    fn tokens(&self, _: &Writer<'_>) -> TokenStream {
        let number = Literal::u32_unsuffixed(*self);
        quote!(#number)
    }
}

impl Value for f64 {
    fn tokens(&self, _: &Writer<'_>) -> TokenStream {
        let number = Literal::f64_unsuffixed(self.abs());
        if *self < 0.0 { quote!(-#number) } else { quote!(#number) }
    }
}

impl Value for bool {
    fn tokens(&self, _: &Writer<'_>) -> TokenStream {
        quote!(#self)
    }
}

impl Value for &str {
    fn tokens(&self, _: &Writer<'_>) -> TokenStream {
        quote!(#self)
    }
}

impl Value for Duration {
    fn tokens(&self, writer: &Writer<'_>) -> TokenStream {
        let root = writer.root;
        let nanos = self.as_nanos();
        let (new, count) = match () {
            () if nanos % 1_000_000 == 0 => (format_ident!("from_millis"), nanos / 1_000_000),
            () => (format_ident!("from_nanos"), nanos),
        };
        if let Ok(count) = u64::try_from(count) {
            let count = Literal::u64_unsuffixed(count);
            return quote!(#root::core::time::Duration::#new(#count));
        }
        let (secs, nanos) = (Literal::u64_unsuffixed(self.as_secs()), Literal::u32_unsuffixed(self.subsec_nanos()));
        quote!(#root::core::time::Duration::new(#secs, #nanos))
    }
}

impl<T: Value> Value for Option<T> {
    fn tokens(&self, writer: &Writer<'_>) -> TokenStream {
        let root = writer.root;
        match self {
            Some(value) => Self::around(writer, &value.tokens(writer)),
            None => quote!(#root::core::option::Option::None),
        }
    }

    fn around(writer: &Writer<'_>, inner: &TokenStream) -> TokenStream {
        let root = writer.root;
        quote!(#root::core::option::Option::Some(#inner))
    }
}

/// Enumerations of words alone: their names are their tokens.
macro_rules! words {
    ($($name:ident)*) => {$(
        impl Value for $name {
            fn tokens(&self, writer: &Writer<'_>) -> TokenStream {
                let (root, word) = (writer.root, format_ident!("{self:?}"));
                quote!(#root::policy::$name::#word)
            }
        }
    )*};
}

words!(Adaptive Blocking Earn Jitter Order Safety Scope Shape);

/// `.key(value)`, if there is a value.
fn set(key: &str, value: Option<TokenStream>) -> Option<TokenStream> {
    let key = Ident::new(key, Span::call_site());
    value.map(|value| quote!(.#key(#value)))
}

/// The fields of one struct that differ from its defaults.
struct Fields<'a> {
    writer: &'a Writer<'a>,
    list: Vec<TokenStream>,
    all: usize,
}

impl Fields<'_> {
    /// A field at `at`, if it is not what it is anyway.
    fn put<T: Value>(&mut self, field: &str, at: &str, value: &T, unset: &T) {
        self.all += 1;
        let tokens = match self.writer.written.get(at) {
            Some(written) => T::around(self.writer, written),
            None if value == unset => return,
            None => value.tokens(self.writer),
        };
        let field = Ident::new(field, Span::call_site());
        self.list.push(quote!(#field: #tokens));
    }

    /// A field whose value is written in some other way.
    fn set(&mut self, field: &str, tokens: Option<TokenStream>) {
        self.all += 1;
        if let Some(tokens) = tokens {
            let field = Ident::new(field, Span::call_site());
            self.list.push(quote!(#field: #tokens));
        }
    }

    /// `Name { fields, ..Name::NEW }`
    fn finish(self, name: &str) -> TokenStream {
        let (root, list, name) = (self.writer.root, self.list, Ident::new(name, Span::call_site()));
        if list.is_empty() {
            return quote!(#root::policy::#name::NEW);
        }
        let rest = (list.len() < self.all).then(|| quote!(..#root::policy::#name::NEW));
        quote!(#root::policy::#name { #(#list,)* #rest })
    }
}

impl<'a> Writer<'a> {
    fn fields(&'a self) -> Fields<'a> {
        Fields { writer: self, list: Vec::new(), all: 0 }
    }

    /// Whether a constant or a name stands for an option of this guard.
    fn wrote(&self, guard: &str) -> bool {
        self.written.keys().any(|at| at.starts_with(guard))
    }

    /// The value at `at`: what is written for it, else `value`.
    fn value<T: Value>(&self, at: &str, value: &T) -> TokenStream {
        match self.written.get(at) {
            Some(written) => T::around(self, written),
            None => value.tokens(self),
        }
    }

    /// The whole policy: `Policy::NEW.timeout_ms(60)`, one setter per key.
    pub fn policy(&self, policy: &Policy) -> TokenStream {
        let (root, unset) = (self.root, Policy::NEW);
        let shape = (policy.shape != unset.shape).then(|| policy.shape.tokens(self));
        let blocking = policy.blocking.map(|blocking| blocking.tokens(self));
        let retries = (policy.retries != unset.retries || self.written.contains_key("retries"))
            .then(|| self.value("retries", &policy.retries));
        let setters = [
            set("shape", shape),
            set("name", self.option("name", policy.name)),
            set("dependency", self.option("dependency", policy.dependency)),
            match policy.safety {
                Safety::Undeclared => None,
                Safety::Read => Some(quote!(.read())),
                Safety::Write => Some(quote!(.write())),
            },
            policy.keyed.then(|| quote!(.keyed())),
            match policy.timeout {
                Timeout::Unset => None,
                Timeout::None => Some(quote!(.no_timeout())),
                Timeout::After(limit) => Some(self.time("timeout", limit)),
            },
            policy.deadline.map(|limit| self.time("deadline", limit)),
            set("retries", retries),
            set("retry", self.retry(&policy.retry)),
            set("retry_budget", policy.retry_budget.map(|budget| self.budget(budget))),
            set("breaker", policy.breaker.map(|breaker| self.breaker(&breaker))),
            set("bulkhead", policy.bulkhead.map(|gate| self.bulkhead(&gate))),
            set("rate_limit", policy.rate_limit.map(|rate| self.rate_limit(&rate))),
            set("hedge", policy.hedge.map(|hedge| self.hedge(&hedge))),
            set("fallback", policy.fallback.map(|plan| self.fallback(plan))),
            set("blocking", blocking),
            policy.coalesce.then(|| quote!(.coalesce())),
            set("allow", self.allowed(policy.allow)),
        ];
        let setters = setters.iter().flatten();
        quote!(#root::policy::Policy::NEW #(#setters)*)
    }

    /// What is written for an option, or its value.
    fn option<T: Value>(&self, at: &str, value: Option<T>) -> Option<TokenStream> {
        self.written.get(at).cloned().or_else(|| value.map(|value| value.tokens(self)))
    }

    /// `.timeout_ms(60)`, or `.timeout(…)` where it is no whole number of milliseconds.
    fn time(&self, key: &str, limit: Duration) -> TokenStream {
        let millis = u64::try_from(limit.as_millis()).ok().filter(|millis| Duration::from_millis(*millis) == limit);
        match (self.written.get(key), millis) {
            (None, Some(millis)) => {
                let (setter, millis) = (format_ident!("{key}_ms"), Literal::u64_unsuffixed(millis));
                quote!(.#setter(#millis))
            }
            _ => {
                let (setter, limit) = (format_ident!("{key}"), self.value(key, &limit));
                quote!(.#setter(#limit))
            }
        }
    }

    fn retry(&self, retry: &Retry) -> Option<TokenStream> {
        let unset = Retry::NEW;
        let mut fields = self.fields();
        fields.put("base", "retry.base", &retry.base, &unset.base);
        fields.put("cap", "retry.cap", &retry.cap, &unset.cap);
        fields.put("factor", "retry.factor", &retry.factor, &unset.factor);
        fields.put("jitter", "", &retry.jitter, &unset.jitter);
        fields.put("retry_after_cap", "retry.retry_after_cap", &retry.retry_after_cap, &unset.retry_after_cap);
        fields.put("only_unsent", "", &retry.only_unsent, &unset.only_unsent);
        fields.put("overloaded", "", &retry.overloaded, &unset.overloaded);
        (!fields.list.is_empty()).then(|| fields.finish("Retry"))
    }

    fn budget(&self, budget: RetryBudget) -> TokenStream {
        let root = self.root;
        let RetryBudget::Ratio { ratio, burst, floor_per_sec, earn, name } = budget else {
            let word = format_ident!("{budget:?}");
            return quote!(#root::policy::RetryBudget::#word);
        };
        let ratio = self.value("retry_budget", &ratio);
        let burst = self.value("retry_budget.burst", &burst);
        let floor = self.value("retry_budget.floor_per_sec", &floor_per_sec);
        let earn = earn.tokens(self);
        let name = self.value("retry_budget.name", &name);
        quote!(#root::policy::RetryBudget::Ratio {
            ratio: #ratio, burst: #burst, floor_per_sec: #floor, earn: #earn, name: #name,
        })
    }

    fn breaker(&self, breaker: &Breaker) -> TokenStream {
        if *breaker == Breaker::named(breaker.name) && !self.wrote("breaker.") {
            let (root, name) = (self.root, self.value("breaker", &breaker.name));
            return quote!(#root::policy::Breaker::named(#name));
        }
        let unset = Breaker::NEW;
        let mut fields = self.fields();
        fields.put("name", "breaker", &breaker.name, &unset.name);
        let window = breaker.window != unset.window || self.written.contains_key("breaker.window");
        fields.set("window", window.then(|| self.window(breaker.window)));
        fields.put("min_calls", "breaker.min_calls", &breaker.min_calls, &unset.min_calls);
        fields.put("failure_rate", "breaker.failure_rate", &breaker.failure_rate, &unset.failure_rate);
        fields.put("slow", "breaker.slow", &breaker.slow, &unset.slow);
        fields.put("slow_rate", "breaker.slow_rate", &breaker.slow_rate, &unset.slow_rate);
        fields.put("consecutive", "breaker.consecutive", &breaker.consecutive, &unset.consecutive);
        fields.put("open", "breaker.open", &breaker.open, &unset.open);
        fields.put("open_jitter", "breaker.open_jitter", &breaker.open_jitter, &unset.open_jitter);
        fields.put("open_factor", "breaker.open_factor", &breaker.open_factor, &unset.open_factor);
        fields.put("open_cap", "breaker.open_cap", &breaker.open_cap, &unset.open_cap);
        fields.put("probes", "breaker.probes", &breaker.probes, &unset.probes);
        fields.put("passes", "breaker.passes", &breaker.passes, &unset.passes);
        fields.put("probe_timeout", "breaker.probe_timeout", &breaker.probe_timeout, &unset.probe_timeout);
        fields.put("scope", "", &breaker.scope, &unset.scope);
        fields.finish("Breaker")
    }

    fn window(&self, window: Window) -> TokenStream {
        let root = self.root;
        match window {
            Window::Count { size, max_age } => {
                let size = self.value("breaker.window", &size);
                let max_age = self.value("breaker.window_age", &max_age);
                quote!(#root::policy::Window::Count { size: #size, max_age: #max_age })
            }
            Window::Time { span } => {
                let span = self.value("breaker.window", &span);
                quote!(#root::policy::Window::Time { span: #span })
            }
        }
    }

    fn bulkhead(&self, gate: &Bulkhead) -> TokenStream {
        let root = self.root;
        match gate.limit {
            Limit::Fixed(size) if *gate == Bulkhead::of(size) && !self.wrote("bulkhead.") => {
                let size = self.value("bulkhead", &size);
                return quote!(#root::policy::Bulkhead::of(#size));
            }
            _ => {}
        }
        let limit = match gate.limit {
            Limit::Fixed(size) => {
                let size = self.value("bulkhead", &size);
                quote!(#root::policy::Limit::Fixed(#size))
            }
            Limit::Adaptive { min, max, kind } => {
                let min = self.value("bulkhead.min", &min);
                let max = self.value("bulkhead.max", &max);
                let kind = kind.tokens(self);
                quote!(#root::policy::Limit::Adaptive { min: #min, max: #max, kind: #kind })
            }
        };
        let name = self.value("bulkhead.name", &gate.name);
        let max_wait = self.value("bulkhead.max_wait", &gate.max_wait);
        let max_queue = self.value("bulkhead.max_queue", &gate.max_queue);
        let order = gate.order.tokens(self);
        let max_age = self.value("bulkhead.max_age", &gate.max_age);
        quote!(#root::policy::Bulkhead {
            limit: #limit, name: #name, max_wait: #max_wait, max_queue: #max_queue, order: #order, max_age: #max_age,
        })
    }

    fn rate_limit(&self, rate: &RateLimit) -> TokenStream {
        let root = self.root;
        let permits = rate.permits.tokens(self);
        let per = rate.per.tokens(self);
        let burst = self.value("rate_limit.burst", &rate.burst);
        let max_wait = self.value("rate_limit.max_wait", &rate.max_wait);
        let name = self.value("rate_limit.name", &rate.name);
        let strict = rate.strict;
        quote!(#root::policy::RateLimit {
            permits: #permits, per: #per, burst: #burst, max_wait: #max_wait, name: #name, strict: #strict,
        })
    }

    fn hedge(&self, hedge: &Hedge) -> TokenStream {
        let root = self.root;
        let delay = match hedge.delay {
            HedgeDelay::After(delay) => {
                let delay = self.value("hedge", &delay);
                quote!(After(#delay))
            }
            HedgeDelay::Percentile(share) => {
                let share = share.tokens(self);
                quote!(Percentile(#share))
            }
        };
        let min_samples = self.value("hedge.min_samples", &hedge.min_samples);
        quote!(#root::policy::Hedge { delay: #root::policy::HedgeDelay::#delay, min_samples: #min_samples })
    }

    fn fallback(&self, plan: Fallback) -> TokenStream {
        let root = self.root;
        let kind = match plan.kind {
            FallbackKind::Cached { max_stale, max_entries } => {
                let max_stale = self.value("fallback.max_stale", &max_stale);
                let max_entries = self.value("fallback.max_entries", &max_entries);
                quote!(Cached { max_stale: #max_stale, max_entries: #max_entries })
            }
            FallbackKind::Default => quote!(Default),
            FallbackKind::Value => quote!(Value),
            FallbackKind::Path { timeout, .. } => {
                let timeout = self.value("fallback.timeout", &timeout);
                let function = &self.written["fallback.function"];
                quote!(Path { function: #function, timeout: #timeout })
            }
        };
        if !plan.on_any {
            return quote!(#root::policy::Fallback::of(#root::policy::FallbackKind::#kind));
        }
        let on_any = plan.on_any;
        quote!(#root::policy::Fallback { kind: #root::policy::FallbackKind::#kind, on_any: #on_any })
    }

    fn allowed(&self, allowed: Allowed) -> Option<TokenStream> {
        if allowed == Allowed::NONE {
            return None;
        }
        let root = self.root;
        let rules = allowed.iter().map(|rule| {
            let rule = format_ident!("{}", rule.id());
            quote!(#root::policy::Rule::#rule)
        });
        Some(quote!(#root::policy::Allowed::of(&[#(#rules),*])))
    }
}
