//! Every key with values that are right and values that are wrong.

use super::{expansion, faults, ids, on_async};

/// What the policy says for these settings of an async function that reads.
fn policy(args: &str) -> String {
    let text = expansion(args, "async fn view(id: u64) -> Result<Stock, E> { todo!() }");
    let from = text.find("__resilient::policy::Policy::NEW").unwrap_or_else(|| panic!("{args}: {text}"));
    let to = from + text[from..].find("module_path!").unwrap();
    bare(&text[from..to].replace("__resilient::", ""))
}

/// Without what a formatter may choose.
fn bare(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(",)", ")").replace(",}", "}")
}

#[test]
fn every_spelling_of_a_time_means_the_same() {
    for (args, expected) in [
        ("timeout_ms = 60", "timeout_ms(60)"),
        ("timeout = 60ms", "timeout_ms(60)"),
        ("timeout = \"60ms\"", "timeout_ms(60)"),
        ("timeout = \"60 ms\"", "timeout_ms(60)"),
        ("timeout = 0.06s", "timeout_ms(60)"),
        ("timeout = 60_000us", "timeout_ms(60)"),
        ("timeout = 60_000µs", "timeout_ms(60)"),
        ("timeout_ms = 1.5", "from_nanos(1500000)"),
        ("timeout = 2min", "timeout_ms(120000)"),
        ("timeout = 1h", "timeout_ms(3600000)"),
        ("timeout = LIMIT", "timeout(__RESILIENT_TIMEOUT)"),
        ("timeout_ms = LIMIT_MS", "from_millis( __RESILIENT_TIMEOUT, )"),
        ("timeout = none", "no_timeout()"),
        ("timeout = \"none\"", "no_timeout()"),
    ] {
        let policy = policy(args);
        assert!(policy.contains(&bare(expected)), "{args}: {policy}");
    }
}

#[test]
fn every_key_reaches_the_policy() {
    for (args, expected) in [
        ("deadline_ms = 500", ".deadline_ms(500)"),
        ("retries = 2, read", ".retries(2)"),
        ("retries = MANY, read", ".retries(__RESILIENT_RETRIES)"),
        ("retry(base_ms = 5), read", ".retries(1)"),
        ("retry(base_ms = 5), read", "base: core::time::Duration::from_millis(5)"),
        ("retry(cap = 2s), read", "cap: core::time::Duration::from_millis(2000)"),
        ("retry(factor = 3), read", "factor: 3.0"),
        ("retry(jitter = equal), read", "jitter: policy::Jitter::Equal"),
        ("retry(jitter = \"decorrelated\"), read", "jitter: policy::Jitter::Decorrelated"),
        (
            "retry(retry_after_cap_ms = 7), read",
            "retry_after_cap: core::option::Option::Some( core::time::Duration::from_millis(7)",
        ),
        ("retry(only_unsent), write", "only_unsent: true"),
        ("retry(overloaded), read", "overloaded: true"),
        ("retry_budget = 0.2, read", ".retries(1)"),
        ("retry_budget = 20%, read", "ratio: 0.2"),
        ("retry_budget = \"20%\", read", "ratio: 0.2"),
        ("retry_budget = SHARE, read", "ratio: __RESILIENT_RETRY_BUDGET"),
        (
            "retry_budget(0.2, burst = 3, floor_per_sec = 4, earn = success, name = \"x\"), read",
            "ratio: 0.2, burst: 3, floor_per_sec: 4, earn: policy::Earn::Success, name: core::option::Option::Some(\"x\")",
        ),
        ("retry_budget = (0.2, burst = 3), read", "burst: 3"),
        ("retry_budget = none, retries = 1, read, allow(R36)", "RetryBudget::Off"),
        ("breaker = \"stock.view\"", "Breaker::named(\"stock.view\")"),
        ("breaker(\"b\", window = 40)", "Window::Count { size: 40,"),
        ("breaker(\"b\", window = SIZE)", "Window::Count { size: __RESILIENT_BREAKER_WINDOW,"),
        ("breaker(\"b\", min_calls = 5)", "min_calls: core::option::Option::Some(5)"),
        ("breaker(\"b\", min_calls = MIN)", "min_calls: core::option::Option::Some( __RESILIENT_BREAKER_MIN_CALLS, )"),
        ("breaker = (\"b\", failure_rate = 25%)", "failure_rate: 0.25"),
        ("breaker(\"b\", slow_ms = 5)", "slow: core::option::Option::Some( core::time::Duration::from_millis(5)"),
        ("breaker(\"b\", slow_rate = 0.25)", "slow_rate: 0.25"),
        ("breaker(\"b\", consecutive = 5)", "consecutive: core::option::Option::Some(5)"),
        ("breaker(\"b\", open_ms = 5)", "open: core::time::Duration::from_millis(5)"),
        ("breaker(\"b\", open_jitter = 0)", "open_jitter: 0.0"),
        ("breaker(\"b\", open_factor = 2)", "open_factor: 2.0"),
        ("breaker(\"b\", open_cap_ms = 9_000)", "open_cap: core::time::Duration::from_millis(9000)"),
        ("breaker(\"b\", probes = 5)", "probes: 5"),
        ("breaker(\"b\", passes = 2)", "passes: core::option::Option::Some(2)"),
        (
            "breaker(\"b\", probe_timeout_ms = 70)",
            "probe_timeout: core::option::Option::Some( core::time::Duration::from_millis(70)",
        ),
        ("breaker(\"b\", scope = call)", "Breaker::named(\"b\")"),
        ("bulkhead = 12", "Bulkhead::of(12)"),
        ("bulkhead = SIZE", "Bulkhead::of( __RESILIENT_BULKHEAD, )"),
        ("bulkhead(12, name = \"gate\")", "name: core::option::Option::Some(\"gate\")"),
        ("fallback = cached", "Cached { max_stale: core::time::Duration::from_millis( 300000, ), max_entries: 1000, }"),
        (
            "fallback(cached, max_stale_ms = 5, max_entries = 6)",
            "Cached { max_stale: core::time::Duration::from_millis(5), max_entries: 6, }",
        ),
        ("fallback = default", "FallbackKind::Default"),
        ("fallback = \"default\"", "FallbackKind::Default"),
        ("fallback = value(0)", "FallbackKind::Value"),
        ("fallback = plan", "Path { function: \"plan\", timeout: core::option::Option::None, }"),
        (
            "fallback = (plan, error, timeout_ms = 5)",
            "Path { function: \"plan\", timeout: core::option::Option::Some( core::time::Duration::from_millis(5)",
        ),
        ("fallback(default, on = any)", "on_any: true"),
        ("name = \"a.b\"", ".name(\"a.b\")"),
        ("dependency = \"a\"", ".dependency(\"a\")"),
        ("read", ".read()"),
        ("write, idempotency_key = id", ".write().keyed()"),
        ("retries = 11, read, deadline_ms = 99_000, allow(R33)", "Allowed::of(&[policy::Rule::R33])"),
    ] {
        let policy = policy(&format!("timeout_ms = 60, {args}"));
        assert!(policy.contains(&bare(expected)), "{args}: {policy}");
    }
    let sync = expansion("timeout_ms = 5, blocking = cooperative", "fn f() -> Result<u64, E> { Ok(1) }");
    assert!(sync.contains("Shape::Sync") && sync.contains("Blocking::Cooperative"), "{sync}");
    let renamed = expansion("timeout_ms = 5, crate = crate::guards", "async fn f() -> Result<u64, E> { Ok(1) }");
    let renamed = bare(&renamed);
    assert!(
        renamed.contains("usecrate::guards::__privateas__resilient;") && !renamed.contains("::resilient::"),
        "{renamed}"
    );
}

#[test]
fn a_wrong_value_is_one_error_on_the_value() {
    for (args, id, at) in [
        ("timeout = 60", "R03", "60"),
        ("timeout = 60xs", "R03", "60xs"),
        ("timeout = -5ms", "R03", "-5ms"),
        ("timeout_ms = -5", "R03", "-5"),
        ("timeout_ms = 60s", "R03", "60s"),
        ("timeout = \"soon\"", "R03", "\"soon\""),
        ("timeout = \"60\"", "R03", "\"60\""),
        ("timeout = \"\"", "R03", "\"\""),
        ("timeout = true", "R03", "true"),
        ("timeout = (1, 2)", "R03", "(1, 2)"),
        ("timeout = 10%", "R03", "10%"),
        ("timeout = 500us", "R03", "500us"),
        ("timeout = 0ms", "R05", "0ms"),
        ("timeout_ms = 60, deadline_ms = 0", "R05", "0"),
        ("timeout_ms = 60, retries = 2.5, read", "R03", "2.5"),
        ("timeout_ms = 60, retries = -1, read", "R03", "-1"),
        ("timeout_ms = 60, retries = 2ms, read", "R03", "2ms"),
        ("timeout_ms = 60, retries = \"2\", read", "R03", "\"2\""),
        ("timeout_ms = 60, retries = 99999999999, read", "R03", "99999999999"),
        ("timeout_ms = 60, read, retry_budget = 150%", "R14", "150%"),
        ("timeout_ms = 60, read, retry_budget = 10", "R14", "10"),
        ("timeout_ms = 60, read, retry_budget = -0.1", "R14", "-0.1"),
        ("timeout_ms = 60, read, retry_budget = \"much\"", "R03", "\"much\""),
        ("timeout_ms = 60, read, retry(factor = 0.5)", "R16", "0.5"),
        ("timeout_ms = 60, read, retry(factor = 50%)", "R03", "50%"),
        ("timeout_ms = 60, read, retry(jitter = none)", "R15", "none"),
        ("timeout_ms = 60, read, retry(jitter = some)", "R03", "some"),
        ("timeout_ms = 60, read, retry(on = 5)", "R03", "5"),
        ("timeout_ms = 60, bulkhead = 0", "R05", "0"),
        ("timeout_ms = 60, bulkhead = \"12\"", "R03", "\"12\""),
        ("timeout_ms = 60, breaker = Stock", "R03", "Stock"),
        ("timeout_ms = 60, breaker = 5", "R03", "5"),
        ("timeout_ms = 60, breaker = \"\"", "R31", "\"\""),
        ("timeout_ms = 60, breaker = \"Stock View\"", "R31", "\"Stock View\""),
        ("timeout_ms = 60, name = \"a/b\"", "R31", "\"a/b\""),
        ("timeout_ms = 60, breaker(\"b\", failure_rate = 5)", "R17", "5"),
        ("timeout_ms = 60, breaker(\"b\", open_jitter = 2)", "R03", "2"),
        ("timeout_ms = 60, breaker(\"b\", open_factor = 0.5)", "R03", "0.5"),
        ("timeout_ms = 60, breaker(\"b\", probes = 0)", "R05", "0"),
        ("timeout_ms = 60, fallback = 5", "R03", "5"),
        ("timeout_ms = 60, fallback = value()", "R03", "value()"),
        ("timeout_ms = 60, fallback = value", "R03", "value"),
        ("timeout_ms = 60, fallback(default, on = some)", "R03", "some"),
        ("timeout_ms = 60, fallback(cached, key = ())", "R03", "()"),
        ("timeout_ms = 60, idempotency_key = 5, write", "R03", "5"),
        ("timeout_ms = 60, crate = 5", "R03", "5"),
        ("timeout_ms = 60, allow(R04)", "R01", "R04"),
        ("timeout_ms = 60, allow(R99)", "R01", "R99"),
        ("timeout_ms = 60, allow(r07)", "R01", "r07"),
    ] {
        let found = on_async(args);
        assert_eq!(ids(&found), [id], "{args}: {found:?}");
        assert_eq!(found[0].1, at, "{args}: {found:?}");
    }
    let sync = faults("timeout = none, blocking = maybe", "fn f() -> Result<u64, E> { Ok(1) }");
    assert_eq!(ids(&sync), ["R03"], "{sync:?}");
}

#[test]
fn a_key_in_the_wrong_form_is_one_error() {
    for (args, at) in [
        ("timeout", "timeout"),
        ("timeout =", "timeout"),
        ("timeout(60ms)", "timeout(60ms)"),
        ("timeout_ms = 60, retry = 3", "retry = 3"),
        ("timeout_ms = 60, retry_budget, read", "retry_budget"),
        ("timeout_ms = 60, read = true", "read = true"),
        ("timeout_ms = 60, read(all)", "read(all)"),
        ("timeout_ms = 60, breaker(window = 20)", "breaker"),
        ("timeout 60ms", "timeout"),
    ] {
        let found = on_async(args);
        assert_eq!(found.len(), 1, "{args}: {found:?}");
        // Only the first token of a range has a place outside of the compiler.
        assert!(at.starts_with(&found[0].1) && !found[0].1.is_empty(), "{args}: {found:?}");
    }
}
