//! Which faults are found, where they are shown, and which are not shown beside them.

use super::{expansion, faults, ids, on_async};

#[track_caller]
fn only(found: &[(String, String)], id: &str, at: &str) {
    assert_eq!(ids(found), [id], "{found:?}");
    assert_eq!(found[0].1, at, "{found:?}");
}

#[test]
fn a_typo_is_shown_with_the_nearest_word_of_its_place() {
    for (args, at, said) in [
        ("timout = 60ms", "timout", "[R01] unknown setting `timout`; did you mean `timeout`?"),
        ("timout_ms = 60", "timout_ms", "[R01] unknown setting `timout_ms`; did you mean `timeout_ms`?"),
        ("timeout_ms = 60, bas_ms = 5", "bas_ms", "[R01] unknown setting `bas_ms`; the settings are `timeout`, "),
        (
            "timeout_ms = 60, read, retry(bas_ms = 5)",
            "bas_ms",
            "[R01] unknown setting `bas_ms` in `retry(…)`; did you mean `base_ms`?",
        ),
        (
            "timeout_ms = 60, min_calls = 5",
            "min_calls",
            "[R01] `min_calls` is no setting of its own; write it inside `breaker(…)`",
        ),
        (
            "timeout_ms = 60, breaker(\"b\", timeout = 5ms)",
            "timeout",
            "[R01] unknown setting `timeout` in `breaker(…)`; the settings are `window`, ",
        ),
    ] {
        let found = on_async(args);
        only(&found, "R01", at);
        assert!(found[0].0.starts_with(said), "{found:?}");
    }
}

#[test]
fn one_cause_is_one_error() {
    // What a misspelt, misvalued or garbled key was meant to say is not held against its neighbours.
    for args in [
        "timeout_ms = 60, retires = 1, read, retry_budget = 0.1",
        "timeout_ms = 60, retries = \"1\", read, retry_budget = 0.1",
        "timout_ms = 60",
        "timeout = 60, retries = 1, read, deadline_ms = 50",
        "timeout_ms = 60, retries = 3, read, deadline = 50",
        "timeout_ms = 60, retries = 1, raed",
        "timeout_ms = 60 retries = 1, retry_budget = 0.1",
        "timeout_ms = 60, retry_budget = \"x\", write",
        "timeout_ms = 60, fallbck = default, retries = 1",
    ] {
        let found = on_async(args);
        assert_eq!(found.len(), 1, "{args}: {found:?}");
    }
    let found = faults("timeout_ms = 60, fallbak = default", "async fn f() { }");
    only(&found, "R01", "fallbak");
    let found = faults("timeout_ms = 60, retires = 1, read", "async fn f(#[share] x: u64) -> Result<u64, E> { Ok(x) }");
    only(&found, "R01", "retires");
}

#[test]
fn all_faults_are_found_at_once_each_at_its_own_token() {
    let found =
        on_async("timout = 60ms, retry(bse = 3), breaker = \"A\", bulkhead = \"x\", deadline = -1ms, fallbak = cached");
    assert_eq!(ids(&found), ["R01", "R01", "R31", "R03", "R03", "R01"], "{found:?}");
    let at: Vec<_> = found.iter().map(|(_, at)| at.as_str()).collect();
    assert_eq!(at, ["timout", "bse", "\"A\"", "\"x\"", "-1ms", "fallbak"]);
    let found = on_async("timeout_ms = 0, deadline_ms = 0, bulkhead = 0, breaker(\"b\", probes = 0, window = 0)");
    assert_eq!(ids(&found), ["R05"; 5], "{found:?}");
}

#[test]
fn a_setting_said_twice_is_shown_in_both_places() {
    let found = on_async("timeout_ms = 60, breaker = \"a\", breaker = \"b\"");
    assert_eq!(found[0], ("[R02] `breaker` is set twice; keep one".to_owned(), "breaker".to_owned()));
    assert_eq!(found[1], ("[R02] `breaker` was first set here".to_owned(), "breaker".to_owned()));
    let found = on_async("timeout_ms = 60, timeout = 1s");
    assert_eq!(
        found[0],
        ("[R02] `timeout` and `timeout_ms` set the same thing; keep one".to_owned(), "timeout".to_owned())
    );
    assert_eq!(found[1], ("[R02] `timeout_ms` was set here".to_owned(), "timeout_ms".to_owned()));
    let found = on_async("timeout_ms = 60, breaker(\"b\", window = 20, window = 30)");
    assert_eq!(ids(&found), ["R02", "R02"], "{found:?}");
    let found = on_async("timeout_ms = 60, read, write");
    assert_eq!(ids(&found), ["R02", "R02"], "{found:?}");
    let found = faults("timeout_ms = 60", "#[resilient(retries = 1)] async fn f() -> Result<u64, E> { Ok(1) }");
    assert_eq!(ids(&found), ["R02"], "{found:?}");
}

#[test]
fn a_broken_rule_is_shown_at_the_key_that_it_names_or_at_the_one_that_causes_it() {
    for (args, id, at) in [
        ("timeout_ms = 60, retries = 2, read, deadline_ms = 200", "R07", "deadline_ms"),
        ("timeout_ms = 300, deadline_ms = 200", "R06", "timeout_ms"),
        ("timeout_ms = 60, retries = 1", "R08", "retries"),
        ("timeout_ms = 60, retry_budget = 0.1", "R08", "retry_budget"),
        ("timeout_ms = 60, retry(cap_ms = 500)", "R08", "retry"),
        ("timeout_ms = 60, retries = 1, write", "R09", "write"),
        ("timeout_ms = 60, write, fallback = default", "R11", "fallback"),
        ("timeout_ms = 60, retry_budget = 0.1, retries = 0", "R13", "retry_budget"),
        ("deadline_ms = 500, retries = 1, read", "R04", "deadline_ms"),
        ("timeout_ms = 60, read, retry(base = 2s, cap = 25ms)", "R16", "25ms"),
        ("timeout_ms = 60, breaker(\"b\", min_calls = 30)", "R18", "min_calls"),
        ("timeout_ms = 60, breaker(\"b\", probe_timeout_ms = 30)", "R19", "probe_timeout_ms"),
        ("timeout_ms = 60, breaker(\"b\", slow_ms = 60)", "R20", "slow_ms"),
        ("timeout_ms = 60, breaker(\"b\", passes = 4)", "R39", "passes"),
        ("timeout_ms = 60, breaker(\"b\", open_cap_ms = 4_999)", "R39", "open_cap_ms"),
        ("timeout_ms = 60, breaker(\"b\", open_cap_ms = 0)", "R39", "open_cap_ms"),
        ("timeout_ms = 60, breaker(\"b\", open_factor = 2, open = 61s)", "R39", "open"),
        ("timeout_ms = 60, bulkhead(adaptive, min = 300)", "R39", "min"),
        ("timeout_ms = 60, bulkhead(adaptive, max = 3)", "R39", "max"),
        ("timeout_ms = 60, bulkhead(adaptive, min = 8, max = 7)", "R39", "min"),
        ("timeout_ms = 60, rate_limit(\"100/min\", strict, burst = 101)", "R39", "burst"),
        ("timeout_ms = 60, retries = 3, read", "R34", "retries"),
        ("timeout_ms = 60, retries = 11, read, deadline_ms = 90_000", "R33", "11"),
        ("timeout_ms = 60, retries = 1, read, retry_budget = none", "R36", "retry_budget"),
    ] {
        let found = on_async(args);
        only(&found, id, at);
    }
    // Nothing is written that it could be shown at.
    assert_eq!(ids(&on_async("")), ["R04"]);
}

#[test]
fn a_number_that_meets_its_bound_is_right() {
    for args in [
        "breaker(\"b\", passes = 3)",
        "breaker(\"b\", open_cap_ms = 5_000)",
        "breaker(\"b\", open_factor = 2, open = 60s)",
        // Nothing grows, so nothing is bounded.
        "breaker(\"b\", open = 10min)",
        "bulkhead(adaptive, min = 7, max = 7)",
        "bulkhead(adaptive, min = 200)",
        "bulkhead(adaptive, max = 4)",
        "rate_limit(\"100/min\", strict, burst = 100)",
        // Without `strict` the burst is beside the rate, not within it.
        "rate_limit(\"100/min\", burst = 500)",
    ] {
        let found = on_async(&format!("timeout_ms = 60, {args}"));
        assert!(found.is_empty(), "{args}: {found:?}");
    }
    // Each pair is asked for itself, and a zero is a fault of its own alone.
    let found = on_async(
        "timeout_ms = 60, breaker(\"b\", passes = 4, open_cap_ms = 1), bulkhead(adaptive, min = 300), rate_limit(\"1/s\", strict, burst = 2)",
    );
    assert_eq!(ids(&found), ["R39"; 4], "{found:?}");
    only(&on_async("timeout_ms = 60, bulkhead(adaptive, max = 0)"), "R05", "adaptive");
}

/// A bound that only rustc can evaluate is its to ask, and one of another guard does not keep the macro from asking.
#[test]
fn a_bound_that_is_a_constant_is_left_to_rustc() {
    let item = "async fn f(id: u64) -> Result<u64, E> { Ok(id) }";
    for args in ["bulkhead(adaptive, min = MIN)", "breaker(\"b\", open_cap = CAP)", "breaker(\"b\", probes = MANY)"] {
        let text = expansion(&format!("timeout_ms = 60, {args}"), item);
        assert!(text.contains("policy::Rule::R39"), "{args}: {text}");
    }
    only(&on_async("timeout_ms = 60, breaker(\"b\", probes = MANY), bulkhead(adaptive, min = 300)"), "R39", "min");
}

#[test]
fn an_entry_with_nothing_in_it_is_one_error_at_its_comma() {
    for args in [
        "timeout_ms = 60,, read",
        ", timeout_ms = 60",
        "timeout_ms = 60, read,,",
        "timeout_ms = 60, retry(, cap_ms = 500), read",
    ] {
        only(&on_async(args), "R01", ",");
    }
    only(&on_async("timeout_ms = 60, read, retries = 1, allow(R07,, R13)"), "R01", ",");
    only(&on_async("timeout_ms = 60, bulkhead(, name = \"a\")"), "R03", "bulkhead");
    only(&on_async("timeout_ms = 60, breaker(, window = 30)"), "R31", "breaker");
    for args in ["timeout_ms = 60, read,", "timeout_ms = 60, bulkhead(12,)", "timeout_ms = 60, allow(R07,)"] {
        assert!(on_async(args).is_empty(), "{args}");
    }
    // What else is wrong is still said.
    assert_eq!(ids(&on_async("timeout_ms = 60,, bulkhead = 0")), ["R01", "R05"]);
}

#[test]
fn half_of_a_setting_is_one_error_that_says_the_rest() {
    for (args, at, said) in [
        ("timeout_ms =", "timeout_ms", "[R03] `timeout_ms` needs a value; write `timeout_ms = 60`"),
        ("timeout_ms = 60, read, retry(base_ms =)", "base_ms", "[R03] `base_ms` needs a value; write `base_ms = 25`"),
        ("timeout_ms = 60, bulkhead(=)", "=", "[R03] `=` is not a whole number; write `bulkhead = 12`"),
        ("timeout_ms = 60, bulkhead(= 12)", "= 12", "[R03] `= 12` is not a whole number; write `bulkhead = 12`"),
        ("timeout_ms = 60, bulkhead()", "bulkhead", "[R03] `bulkhead(…)` begins with a value; write `bulkhead(12, …)`"),
        ("timeout_ms = 60, hedge", "hedge", "[R03] `hedge` needs a value; write `hedge = p95`"),
        ("timeout_ms = 60, hedge =", "hedge", "[R03] `hedge` needs a value; write `hedge = p95`"),
        ("timeout_ms = 60, hedge()", "hedge", "[R03] `hedge(…)` begins with a value; write `hedge(p95, …)`"),
        (
            "timeout_ms = 60, rate_limit",
            "rate_limit",
            "[R03] `rate_limit` needs a value; write `rate_limit = \"100/min\"`",
        ),
        (
            "timeout_ms = 60, rate_limit(strict)",
            "strict",
            "[R03] `strict` is not a rate; write `rate_limit = \"100/min\"`",
        ),
        ("timeout_ms = 60, blocking =", "blocking", "[R03] `blocking` needs a value; write `blocking = cooperative`"),
        ("timeout_ms = 60, read, coalesce(key =)", "key", "[R03] `key` needs a value; write `key = (id)`"),
        ("timeout_ms = 60, read, coalesce(key)", "key", "[R03] `key` needs a value; write `key = (id)`"),
        (
            "timeout_ms = 60, read, coalesce = true",
            "coalesce = true",
            "[R03] `coalesce` takes no value; write `coalesce` alone",
        ),
    ] {
        let found = on_async(args);
        assert_eq!(found, [(said.to_owned(), at.to_owned())], "{args}");
    }
}

#[test]
fn a_wrong_value_of_a_newer_key_is_one_error_that_says_a_right_one() {
    for (args, at, said) in [
        ("hedge = p0", "p0", "[R03] `p0` is no percentile; write `p95`"),
        ("hedge = p100", "p100", "[R03] `p100` is no percentile; write `p95`"),
        ("hedge = \"p0\"", "\"p0\"", "[R03] `p0` is no percentile; write `p95`"),
        ("hedge = 95", "95", "[R03] `95` has no unit; write `95ms` or `95s`"),
        ("hedge = 95%", "95%", "[R03] `95 %` is not a duration; write `hedge = p95`"),
        ("hedge = -5ms", "-5ms", "[R03] a duration is positive; write `hedge = p95`"),
        ("hedge = true", "true", "[R03] `true` is not a duration; write `hedge = p95`"),
        ("rate_limit = \"100\"", "\"100\"", "[R03] `\"100\"` is not a rate; write `rate_limit = \"100/min\"`"),
        ("rate_limit = 100", "100", "[R03] `100` is not a rate; write `rate_limit = \"100/min\"`"),
        (
            "rate_limit = \"100/fortnight\"",
            "\"100/fortnight\"",
            "[R03] `\"100/fortnight\"` is not a rate; write `rate_limit = \"100/min\"`",
        ),
        ("rate_limit = \"-1/s\"", "\"-1/s\"", "[R03] `\"-1/s\"` is not a rate; write `rate_limit = \"100/min\"`"),
        ("rate_limit = 100/min", "100/min", "[R03] `100 / min` is not a rate; write `rate_limit = \"100/min\"`"),
        ("rate_limit(\"1/s\", strict = true)", "strict = true", "[R03] `strict` takes no value; write `strict` alone"),
        ("bulkhead(adaptive, kind = vegs)", "vegs", "[R03] `kind` knows no `vegs`; did you mean `vegas`?"),
        ("bulkhead(adaptive, min = 1.5)", "1.5", "[R03] `1.5` is not a whole number; write `min = 4`"),
        ("bulkhead = adaptve", "adaptve", "[R03] `bulkhead` knows no `adaptve`; did you mean `adaptive`?"),
        ("timeout = nonne", "nonne", "[R03] `timeout` knows no `nonne`; did you mean `none`?"),
        ("coalesce(key = ()), read", "()", "[R03] a key has 1 to 8 parts, not 0; write `key = (id)`"),
    ] {
        let timeout = if args.starts_with("timeout") { "" } else { "timeout_ms = 60, " };
        let found = on_async(&format!("{timeout}{args}"));
        assert_eq!(found, [(said.to_owned(), at.to_owned())], "{args}");
    }
    let sync = faults("timeout_ms = 60, blocking = threads", "fn f() -> Result<u64, E> { Ok(1) }");
    assert_eq!(
        sync,
        [("[R03] `blocking` knows no `threads`; did you mean `thread`?".to_owned(), "threads".to_owned())]
    );
}

#[test]
fn a_slip_or_an_option_in_the_wrong_place_is_one_error() {
    for (args, at, said) in [
        ("hegde = p95", "hegde", "unknown setting `hegde`; did you mean `hedge`?"),
        ("rate_limt = \"1/s\"", "rate_limt", "unknown setting `rate_limt`; did you mean `rate_limit`?"),
        ("read, colaesce", "colaesce", "unknown setting `colaesce`; did you mean `coalesce`?"),
        ("blokcing = thread", "blokcing", "unknown setting `blokcing`; did you mean `blocking`?"),
        (
            "hedge(p95, min_sample = 5)",
            "min_sample",
            "unknown setting `min_sample` in `hedge(…)`; did you mean `min_samples`?",
        ),
        (
            "rate_limit(\"1/s\", brust = 5)",
            "brust",
            "unknown setting `brust` in `rate_limit(…)`; did you mean `burst`?",
        ),
        ("bulkhead(adaptive, mn = 5)", "mn", "unknown setting `mn` in `bulkhead(…)`; did you mean `min`?"),
        ("min_samples = 5", "min_samples", "`min_samples` is no setting of its own; write it inside `hedge(…)`"),
        ("strict", "strict", "`strict` is no setting of its own; write it inside `rate_limit(…)`"),
        ("max_wait_ms = 5", "max_wait_ms", "`max_wait_ms` is no setting of its own; write it inside `bulkhead(…)`"),
        ("read, coalesce(keys = (id))", "keys", "unknown setting `keys` in `coalesce(…)`; did you mean `key`?"),
    ] {
        let found = on_async(&format!("timeout_ms = 60, {args}"));
        assert_eq!(found, [(format!("[R01] {said}"), at.to_owned())], "{args}");
    }
}

/// How a sync function keeps its timeout is nothing to the async ones of its group.
#[test]
fn an_async_function_inherits_no_blocking_and_a_sync_one_does() {
    let group = "__defaults(timeout_ms = 60, bulkhead = 4, blocking = thread)";
    let text = expansion(group, "async fn f(a: &str) -> Result<u64, E> { Ok(1) }");
    assert!(!text.contains("blocking"), "{text}");
    let text = expansion(group, "fn f(a: String) -> Result<u64, E> { Ok(1) }");
    assert!(text.contains(".blocking(__resilient::policy::Blocking::Thread)"), "{text}");
    only(&faults(group, "fn f(a: &str) -> Result<u64, E> { Ok(1) }"), "R37", "&str");
    only(
        &faults("blocking = cooperative, __defaults(timeout_ms = 60)", "async fn f() -> Result<u64, E> { Ok(1) }"),
        "R23",
        "blocking",
    );
}

#[test]
fn an_allowed_rule_is_not_asked() {
    assert!(on_async("timeout_ms = 60, retries = 2, read, deadline_ms = 200, allow(R07)").is_empty());
    assert!(on_async("timeout_ms = 60, retries = 1, read, retry_budget = none, allow(R36)").is_empty());
}

#[test]
fn a_rule_about_a_constant_is_left_to_rustc_at_the_constants_key() {
    let item = "async fn f(id: u64) -> Result<u64, E> { Ok(id) }";
    let text = expansion("timeout = LIMIT, retries = 2, read, deadline_ms = 200", item);
    for rule in ["R03", "R05", "R06", "R07"] {
        assert!(text.contains(&format!("policy::Rule::{rule}")), "{rule}: {text}");
    }
    assert!(!text.contains("policy::Rule::R08"), "{text}");
    let text = expansion("timeout_ms = 60, retries = 2, read, deadline_ms = 900", item);
    assert!(!text.contains("require"), "{text}");
}

#[test]
fn an_option_without_what_it_belongs_to_is_refused() {
    for (args, at) in [
        ("breaker(\"b\", window_ms = 10_000, window_age_ms = 5_000)", "window_age_ms"),
        ("bulkhead(12, min = 4)", "min"),
        ("bulkhead(12, max_queue = 5)", "max_queue"),
        ("bulkhead(12, order = newest)", "order"),
        ("bulkhead(12, max_age_ms = 5)", "max_age_ms"),
        ("retry_budget(throttle, burst = 5)", "burst"),
        ("hedge(20ms, min_samples = 50)", "min_samples"),
    ] {
        only(&on_async(&format!("timeout_ms = 60, read, {args}")), "R01", at);
    }
    for args in [
        "breaker(\"b\", window = 100, window_age_ms = 5_000)",
        "bulkhead(adaptive, min = 4, max = 100, kind = vegas)",
        "bulkhead(12, max_wait_ms = 5, max_queue = 5, order = newest, max_age_ms = 5)",
        "retry_budget(0.1, burst = 5), retries = 1",
        "hedge(p95, min_samples = 50)",
    ] {
        let found = on_async(&format!("timeout_ms = 60, read, {args}"));
        assert!(found.is_empty(), "{args}: {found:?}");
    }
}

#[test]
fn a_setting_for_the_other_kind_of_function_is_refused() {
    let sync = "fn f() -> Result<u64, E> { Ok(1) }";
    only(&faults("timeout_ms = 60", sync), "R23", "timeout_ms");
    assert!(faults("timeout_ms = 60, blocking = cooperative", sync).is_empty());
    assert!(faults("timeout = none", sync).is_empty());
    only(&on_async("timeout_ms = 60, blocking = cooperative"), "R23", "blocking");
    let future = "fn f() -> impl Future<Output = Result<u64, E>> { async { Ok(1) } }";
    assert!(faults("timeout_ms = 60", future).is_empty());
}

#[test]
fn a_body_on_a_thread_borrows_nothing_and_is_bounded() {
    let on_thread = |args: &str, item: &str| faults(&format!("timeout_ms = 60, blocking = thread, {args}"), item);
    only(&on_thread("read", "fn f() -> Result<u64, E> { Ok(1) }"), "R37", "thread");
    for right in [
        "fn f(a: String, b: &'static str, c: Arc<[u8]>) -> Result<&'static str, E> { Ok(b) }",
        "fn f(self: Arc<Self>, a: fn(&str) -> u64, b: Cow<'static, str>) -> Result<u64, E> { Ok(1) }",
        "fn f<T: Send + 'static>(a: T, b: impl Into<u64> + Send + 'static) -> Result<T, E> { Ok(a) }",
    ] {
        assert_eq!(ids(&on_thread("bulkhead = 12", right)), [""; 0], "{right}");
        assert_eq!(ids(&on_thread("bulkhead = LIMIT", right)), [""; 0], "{right}");
    }
    for (item, at) in [
        ("fn f(a: &str) -> Result<u64, E> { Ok(1) }", "&str"),
        ("fn f(a: &mut u64) -> Result<u64, E> { Ok(1) }", "&mut u64"),
        ("fn f(a: Vec<(u8, &str)>) -> Result<u64, E> { Ok(1) }", "&str"),
        ("fn f<'a>(a: Cow<'a, str>) -> Result<u64, E> { Ok(1) }", "Cow<'a, str>"),
        ("fn f(a: Box<dyn Fn() + '_>) -> Result<u64, E> { Ok(1) }", "dyn Fn() + '_"),
        ("fn f(&self) -> Result<u64, E> { Ok(1) }", "&self"),
        ("fn f(self: &mut Self) -> Result<u64, E> { Ok(1) }", "self: &mut Self"),
        ("fn f() -> Result<Cow<'_, str>, E> { todo!() }", "Cow<'_, str>"),
    ] {
        let found = on_thread("bulkhead = 12", item);
        assert_eq!(ids(&found), ["R37"], "{item}: {found:?}");
        assert!(at.replace(' ', "").starts_with(&found[0].1.replace(' ', "")), "{item}: {found:?}");
    }
    let again = "bulkhead = 12, read, retries = 1";
    assert_eq!(ids(&on_thread(again, "fn f(self: Arc<Self>) -> Result<u64, E> { Ok(1) }")), ["R37"]);
    assert_eq!(ids(&on_thread(again, "fn f(#[share] a: Arc<u64>) -> Result<u64, E> { Ok(1) }")), ["R37"]);
    assert_eq!(
        ids(&faults("timeout_ms = 60, blocking = thread", "async fn f(a: &str) -> Result<u64, E> { Ok(1) }")),
        ["R23"]
    );
}

#[test]
fn one_answer_for_many_is_read_and_has_a_key() {
    let on = |args: &str, item: &str| faults(&format!("timeout_ms = 60, {args}"), item);
    let item = "async fn f(a: u64) -> Result<u64, E> { Ok(1) }";
    for right in ["read, coalesce", "read, coalesce(key = (a))", "coalesce, fallback = cached"] {
        assert_eq!(ids(&on(right, item)), [""; 0], "{right}");
    }
    only(&on("coalesce", item), "R08", "coalesce");
    only(&on("write, coalesce", item), "R11", "coalesce");
    only(&on("read, coalesce", "async fn f(&self) -> Result<u64, E> { Ok(1) }"), "R25", "coalesce");
    only(&on("read, coalesce", "async fn f(a: &mut u64) -> Result<u64, E> { Ok(1) }"), "R25", "&mut u64");
    let item = "async fn f(&self, a: u64) -> Result<u64, E> { Ok(1) }";
    for right in ["read, coalesce(key = (self.id, a))", "coalesce, fallback(cached, key = (self.id))"] {
        assert_eq!(ids(&on(right, item)), [""; 0], "{right}");
    }
    only(&on("coalesce(key = (a)), fallback(cached, key = (a))", item), "R02", "key");
}

#[test]
fn a_rejection_needs_a_way_out() {
    for (item, at) in [
        ("async fn f() -> u64 { 1 }", "u64"),
        ("async fn f() -> Option<u64> { None }", "Option<u64>"),
        ("async fn fetch() { }", "fetch"),
        ("async fn fetch() -> () { }", "fetch"),
        ("async fn f() -> (u64, u64) { (1, 1) }", "(u64, u64)"),
        ("fn f() -> BoxFuture<'static, u64> { todo!() }", "u64"),
    ] {
        let found = faults("timeout_ms = 60", item);
        assert_eq!(ids(&found), ["R24"], "{item}: {found:?}");
        assert!(at.starts_with(&found[0].1), "{item}: {found:?}");
        assert!(faults("timeout_ms = 60, fallback = default", item).is_empty(), "{item}");
        assert_eq!(ids(&faults("timeout_ms = 60, fallback = cached", item)), ["R24"], "{item}");
        assert_eq!(ids(&faults("timeout_ms = 60, fallback = (plan, error)", item)), ["R24"], "{item}");
    }
    // Only rustc can see through an alias.
    assert!(faults("timeout_ms = 60", "async fn f() -> Outcome { todo!() }").is_empty());
}

#[test]
fn a_cached_answer_needs_a_sound_key() {
    for (args, item) in [
        ("cached", "async fn f(&self) -> Result<u64, E> { Ok(1) }"),
        ("cached", "async fn f(x: &mut u64) -> Result<u64, E> { Ok(1) }"),
        ("cached", "async fn f(x: impl Into<String>) -> Result<u64, E> { Ok(1) }"),
    ] {
        assert_eq!(ids(&faults(&format!("timeout_ms = 60, fallback = {args}"), item)), ["R25"], "{item}");
        let keyed = format!("timeout_ms = 60, fallback({args}, key = (tenant))");
        assert!(faults(&keyed, item).is_empty(), "{item}");
    }
    let found = faults("timeout_ms = 60, fallback = cached", "async fn f() -> Result<(), E> { Ok(()) }");
    only(&found, "R35", "cached");
    for args in ["(default, max_stale_ms = 5)", "(plan, key = (a))", "(cached, error)", "(value(1), timeout_ms = 5)"] {
        let found = on_async(&format!("timeout_ms = 60, fallback = {args}"));
        assert_eq!(ids(&found), ["R01"], "{args}: {found:?}");
    }
}

#[test]
fn an_argument_must_be_there_for_a_second_attempt() {
    let repeated = "timeout_ms = 60, retries = 1, read";
    only(&faults(repeated, "async fn f(x: &mut u64) -> Result<u64, E> { Ok(1) }"), "R26", "&mut u64");
    assert!(faults(repeated, "async fn f(#[share] x: &mut u64) -> Result<u64, E> { Ok(1) }").is_empty());
    assert!(faults(repeated, "async fn f(&mut self) -> Result<u64, E> { Ok(1) }").is_empty());
    assert!(faults("timeout_ms = 60", "async fn f(x: &mut u64) -> Result<u64, E> { Ok(1) }").is_empty());
    let found = faults("timeout_ms = 60, fallback = plan", "async fn f(x: &mut u64) -> Result<u64, E> { Ok(1) }");
    only(&found, "R26", "&mut u64");
    only(&faults("timeout_ms = 60", "async fn f(#[share] x: u64) -> Result<u64, E> { Ok(1) }"), "R26", "#[share]");
    only(&faults(repeated, "async fn f(#[share] x: &u64) -> Result<u64, E> { Ok(1) }"), "R26", "#[share]");
    only(&faults(repeated, "async fn f(#[share] mut x: u64) -> Result<u64, E> { Ok(1) }"), "R26", "mut");
    let lends = "async fn f(&mut self) -> Result<&mut u64, E> { Ok(&mut self.0) }";
    only(&faults(repeated, lends), "R26", "&mut u64");
    assert!(faults("timeout_ms = 60", lends).is_empty());
    assert!(faults(repeated, "async fn f() -> Result<Box<dyn Fn(&mut u64)>, E> { todo!() }").is_empty());
}

#[test]
fn an_idempotency_key_is_an_argument_with_a_name() {
    let write = "timeout_ms = 60, write, idempotency_key = key";
    assert!(faults(write, "async fn f(key: IdempotencyKey) -> Result<u64, E> { Ok(1) }").is_empty());
    assert!(faults(write, "async fn f(mut key: &IdempotencyKey) -> Result<u64, E> { Ok(1) }").is_empty());
    let found = faults(write, "async fn f(keys: IdempotencyKey) -> Result<u64, E> { Ok(1) }");
    assert_eq!(found[0].0, "[R29] no argument is called `key`; did you mean `keys`?");
    only(&found, "R29", "key");
    only(&faults(write, "async fn f((key, _): (K, u64)) -> Result<u64, E> { Ok(1) }"), "R29", "(key, _)");
}

#[test]
fn what_cannot_be_guarded_says_what_can() {
    for (item, at) in [
        ("struct S;", "struct"),
        ("pub(crate) enum S { A }", "enum"),
        ("#[derive(Debug)] pub union S { a: u8 }", "union"),
        ("impl S { fn f() {} }", "impl"),
        ("unsafe impl Send for S {}", "impl"),
        ("trait T { fn f() {} }", "trait"),
        ("mod m { fn f() {} }", "mod"),
        ("use a::b;", "use"),
        ("static S: u8 = 1;", "static"),
        ("const C: u8 = 1;", "const"),
        ("type T = u8;", "type"),
        ("extern \"C\" { fn f(); }", "extern"),
        ("async fn f(&self) -> Result<u64, E>;", ";"),
        ("const fn f() -> Result<u64, E> { Ok(1) }", "const"),
        ("fn f() -> ! { loop {} }", "!"),
        ("fn f() -> impl Stream<Item = u64> { todo!() }", "-> impl Stream<Item = u64>"),
        ("fn f() -> BoxStream<'static, u64> { todo!() }", "-> BoxStream<'static, u64>"),
        ("fn f() -> Pin<Box<dyn Stream<Item = u64>>> { todo!() }", "-> Pin<Box<dyn Stream<Item = u64>>>"),
        ("unsafe extern \"C\" fn f(n: u32, ...) -> Result<u64, E> { Ok(1) }", "..."),
    ] {
        let found = faults("timeout = none", item);
        assert_eq!(ids(&found), ["R30"], "{item}: {found:?}");
        assert!(at.starts_with(&found[0].1), "{item}: {found:?}");
    }
}

#[test]
fn a_breaker_needs_something_that_can_fail() {
    let value = "async fn f() -> u64 { 1 }";
    only(&faults("timeout = none, breaker = \"b\", fallback = default", value), "R32", "breaker");
    assert!(faults("timeout_ms = 60, breaker = \"b\", fallback = default", value).is_empty());
    assert!(on_async("timeout = none, breaker = \"b\"").is_empty());
}

#[test]
fn settings_cannot_depend_on_what_is_not_fixed() {
    let generic = "async fn f<T: Limits, const N: u32>(&self) -> Result<u64, E> { Ok(1) }";
    only(&faults("timeout = Self::LIMIT", generic), "R40", "Self");
    only(&faults("timeout = T::LIMIT", generic), "R40", "T");
    only(&faults("timeout_ms = 60, retries = N, read", generic), "R40", "N");
    assert!(faults("timeout_ms = 60, retry(on = Self::judge), fallback = Self::plan, read", generic).is_empty());
}

#[test]
fn a_faulty_attribute_leaves_the_plain_function() {
    let text = expansion("timout = 60ms", "#[resilient(retries = 1)] async fn f(#[share] x: u64) -> u64 { x }");
    assert!(text.starts_with("async fn f(x: u64) -> u64 {\n    x\n}\n"), "{text}");
    assert!(text.contains("::core::compile_error! {") && text.contains("[R01] unknown setting `timout`"), "{text}");
    let text = expansion("timeout = 60ms", "struct S;");
    assert!(text.starts_with("struct S;\n"), "{text}");
}

#[test]
fn every_message_says_its_rule_what_is_wrong_and_what_to_write() {
    let args = [
        "timout = 60ms",
        "timeout = 60",
        "timeout = 60xs",
        "timeout = -5ms",
        "timeout",
        "timeout = \"soon\"",
        "retry = 3",
        "timeout_ms = 60, bulkhead = 0",
        "timeout_ms = 60, timeout = 1s",
        "timeout_ms = 60, breaker = \"\"",
        "\"stock\"",
        "timeout_ms = 60, breaker = \"A B\"",
        "timeout_ms = 60, hedge = p95",
        "timeout_ms = 60, allow(R04, R99)",
        "timeout_ms = 60, read = true",
        "timeout_ms = 60, fallback = 5",
        "timeout_ms = 60, retry(jitter = x)",
        "timeout_ms = 60, blocking = cooperative",
        "timeout = 60s60",
        "timeout_ms = 60, idempotency_key = kee",
    ];
    for (text, _) in args.iter().flat_map(|args| on_async(args)) {
        let body = text.strip_prefix("[R").and_then(|rest| rest.get(4..)).unwrap_or_else(|| panic!("{text}"));
        assert!(!body.starts_with(char::is_uppercase) && !body.ends_with('.'), "{text}");
        for word in ["invalid", "unexpected", "must be"] {
            assert!(!body.contains(word), "{text}");
        }
        assert!(body.contains("; ") || body.starts_with("expected") || body.contains(" was "), "{text}");
    }
}

#[test]
fn a_placeholder_names_an_argument_or_a_field_and_nothing_else() {
    let item = "async fn f(&self, id: u64, (page, size): (u64, u64), r#type: Kind, cart: Cart) -> Result<u64, E> { x }";
    let sound =
        ["a.{id}", "{id}", "{id}.{cart.shop.0}", "{self.shop}", "{self.0.1}", "{r#type}", "{id}{id}-{cart.id}_x"];
    for name in sound {
        let found = faults(&format!("timeout_ms = 60, breaker = \"{name}\", bulkhead(2, name = \"{name}\")"), item);
        assert!(found.is_empty(), "{name}: {found:?}");
    }
    for (name, said) in [
        ("a.{}", "`{}` names nothing; "),
        ("a.{id", "`{id` is not closed; write `{id}`"),
        ("a.{id.", "`{id.` is not closed; "),
        ("{id{id}", "`{id` is not closed; write `{id}`"),
        ("a.id}", "this `}` closes nothing; "),
        ("{{id}}", "`{` is not closed; write `{customer}`"),
        ("{id:?}", "a placeholder takes no format, every value is written as `{}` does; write `{id}`"),
        ("{id + 1}", "`id + 1` is more than an argument or a field of one; "),
        ("{cart.shop()}", "`cart.shop()` is more than "),
        ("{cart.}", "`cart.` is more than "),
        ("{0}", "`0` is more than "),
        ("{ id }", "a placeholder has no blanks; write `{id}`"),
        ("{type}", "`type` is more than "),
        ("{cart::shop}", "a placeholder takes no format, "),
        ("{self}", "`{self}` is the whole value; "),
        ("A.{id}", "a name is made of `a-z`, `0-9`, `.`, `_` and `-`; write \"a.{id}\""),
        ("{crt.shop}", "no argument is called `crt`; did you mean `{cart}`?"),
        ("{customer}", "no argument is called `customer`; there is `id`, `r#type` and `cart`"),
        ("{page}", "`page` is part of a pattern; "),
    ] {
        let found = faults(&format!("timeout_ms = 60, breaker = \"{name}\""), item);
        assert_eq!(ids(&found), ["R31"], "{name}: {found:?}");
        assert!(found[0].0.contains(said) && found[0].1 == format!("\"{name}\""), "{name}: {found:?}");
    }
    let found = faults("timeout_ms = 60, breaker = \"{self.shop}\"", "async fn f() -> Result<u64, E> { x }");
    only(&found, "R31", "\"{self.shop}\"");
    for args in ["name = \"a.{id}\"", "dependency = \"{id}\""] {
        let found = faults(&format!("timeout_ms = 60, {args}"), item);
        assert_eq!(ids(&found), ["R31"], "{args}: {found:?}");
        assert!(found[0].0.contains(" has one name for all its calls; "), "{found:?}");
    }
    // Each name has its own fault, and each placeholder.
    let found = faults("timeout_ms = 60, breaker = \"{a}.{b}\", bulkhead(2, name = \"{\")", item);
    assert_eq!(ids(&found), ["R31", "R31", "R31"], "{found:?}");
}

#[test]
fn a_mistake_in_one_setting_hides_none_in_another() {
    for (args, expected) in [
        ("timeout_ms = 60, breaker(\"\", min_calls = 30)", &["R31", "R18"][..]),
        ("timeout_ms = 60, breaker(\"b\", failure_rate = 50, slow_rate = 0)", &["R17", "R17"]),
        ("timeout_ms = 60, breaker(\"b\", failure_rate = \"x\", slow_rate = 0)", &["R03", "R17"]),
        ("timeout_ms = 60, read, retry(base_ms = 0, factor = 0.5)", &["R16", "R16"]),
        ("timeout_ms = 60, read, retry(base_ms = \"x\", factor = 0.5)", &["R03", "R16"]),
        ("timeout_ms = 60, read, retry_budget(1.5, burst = \"x\")", &["R03", "R14"]),
        ("timeout_ms = 60, write, fallback(cached, max_stale_ms = \"x\")", &["R03", "R11"]),
        ("timeout_ms = 60, bulkhead(0, nam = \"stock\")", &["R01", "R05"]),
        // `retry(…)` repeats, whatever is wrong inside.
        ("timeout_ms = 60, retry(bse_ms = 3)", &["R01", "R08"]),
        // What only rustc can evaluate says nothing about its neighbours.
        ("timeout = LIMIT, breaker(\"b\", probes = 0)", &["R05"]),
        (
            "timeout_ms = 60, bulkhead(0, name = \"A\"), breaker(\"b\", window = SIZE, failure_rate = 2)",
            &["R31", "R05", "R17"],
        ),
        // A mistake in the defaults of a group is said there, and the function's own here.
        ("read, retries = 11, __defaults(timeout = 60)", &["R33"]),
        ("tiemout_ms = 60, __defaults(timeout_ms = 60, deadline_ms = 50)", &["R01"]),
    ] {
        let found = on_async(args);
        assert_eq!(ids(&found), expected, "{args}: {found:?}");
    }
}

#[test]
fn a_wrong_setting_and_a_wrong_function_are_both_shown() {
    for (item, expected) in [
        ("const fn f() -> Result<u64, E> { Ok(1) }", &["R01", "R33", "R30"][..]),
        ("async fn f() -> u64 { 1 }", &["R01", "R33", "R24"]),
        ("async fn f(x: &mut u64) -> Result<u64, E> { Ok(1) }", &["R01", "R33", "R26"]),
        ("#[resilient(read)] async fn f() -> Result<u64, E> { Ok(1) }", &["R01", "R33", "R02"]),
        ("fn f(&self) -> Pin<Box<dyn Future<Output = u64>>> { Box::pin(async move { 1 }) }", &["R01", "R33", "R24"]),
        ("struct S;", &["R01", "R30"]),
    ] {
        let found = faults("timeout = none, read, retries = 11, deadline_ms = 9_000, bulkhed = 3", item);
        assert_eq!(ids(&found), expected, "{item}: {found:?}");
    }
}

/// A mistake: the key it is made in, the text, and what is said of it.
type Mistake = (&'static str, &'static str, &'static [&'static str]);

const MISTAKES: &[Mistake] = &[
    ("timeout", "timout_ms = 60", &["R01"]),
    ("timeout", "timeout = 60", &["R03"]),
    ("timeout", "timeout_ms = 0", &["R05"]),
    ("deadline", "deadline = -1ms", &["R03"]),
    ("deadline", "deadline_ms = 0", &["R05"]),
    ("deadline", "deadline_ms = 50", &["R06"]),
    ("retries", "retires = 1", &["R01"]),
    ("retries", "retries = \"two\"", &["R03"]),
    ("retries", "retries = 11", &["R33"]),
    ("retry", "retry = 3", &["R03"]),
    ("retry", "retry(jitter = none)", &["R15"]),
    ("retry", "retry(base_ms = 0)", &["R16"]),
    ("retry_budget", "retry_budget = \"x\"", &["R03"]),
    ("retry_budget", "retry_budget = 10", &["R14"]),
    ("retry_budget", "retry_budget = none", &["R36"]),
    ("breaker", "breaker = \"A B\"", &["R31"]),
    ("breaker", "breaker = \"b.{nobody}\"", &["R31"]),
    ("breaker", "breaker(\"b\", window = 0)", &["R05"]),
    ("breaker", "breaker(\"b\", failure_rate = 50)", &["R17"]),
    ("breaker", "breaker(\"b\", min_calls = 30)", &["R18"]),
    ("breaker", "breaker(\"b\", probe_timeout_ms = 1)", &["R19"]),
    ("breaker", "breaker(\"b\", slow_ms = 60)", &["R20"]),
    ("breaker", "breaker(\"b\", passes = 4)", &["R39"]),
    ("bulkhead", "bulkhed = 12", &["R01"]),
    ("bulkhead", "bulkhead = 0", &["R05"]),
    ("fallback", "fallback = 5", &["R03"]),
    ("fallback", "fallback(plan, max_stale_ms = 5)", &["R01"]),
    ("read", "read, write", &["R02", "R02"]),
    ("read", "write", &["R09"]),
    ("idempotency_key", "idempotency_key = kee", &["R29"]),
    ("blocking", "blocking = cooperative", &["R23"]),
    ("name", "name = \"Stock\"", &["R31"]),
    ("allow", "allow(R99)", &["R01"]),
];

/// What is written where no mistake is.
const SOUND: &[(&str, &str)] = &[
    ("timeout", "timeout_ms = 60"),
    ("deadline", "deadline_ms = 9_000"),
    ("retries", "retries = 1"),
    ("read", "read"),
];

/// Whether the second mistake cannot be told, since its rule reads the key of the first and nobody knows what that says.
fn may_hide((key, _, said): &Mistake, (_, _, of): &Mistake) -> bool {
    let damages = ["R01", "R03", "R05", "R31"].contains(&said[0]);
    let rules = resilient_policy::rules::RULES.iter().filter(|rule| of.contains(&rule.rule.id()));
    // These are asked of one key at a time.
    let mut rules = rules.filter(|rule| !["R05", "R16", "R17"].contains(&rule.rule.id()));
    let is_the_key = *key == "idempotency_key" && of.contains(&"R09");
    is_the_key || (damages && rules.any(|rule| rule.reads.contains(key)))
}

#[test]
fn no_pair_of_mistakes_hides_one_of_them() {
    for (at, first) in MISTAKES.iter().enumerate() {
        for second in MISTAKES[at..].iter().filter(|second| second.0 != first.0 || second.1 == first.1) {
            let sound = SOUND.iter().filter(|(key, _)| *key != first.0 && *key != second.0).map(|(_, text)| *text);
            let mut args: Vec<_> = sound.chain([first.1, second.1]).collect();
            args.dedup();
            let args = args.join(", ");
            let found = on_async(&args);
            for (mistake, other) in [(first, second), (second, first)] {
                let wanted = mistake.2.iter().all(|id| ids(&found).contains(id));
                assert!(wanted || may_hide(other, mistake), "{args}: {found:?} without {:?}", mistake.2);
            }
        }
    }
}
