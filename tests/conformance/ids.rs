//! `ids.txt` says of each vector of `vectors.md` §1–§6, §13 and §17 what became of it; here it is held to its word.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const STATES: [&str; 4] = ["passes", "ours differs", "later", "no counterpart"];

/// The ids that `fn px_01_cb_02_…` starts with.
fn named(function: &str) -> Vec<String> {
    let words: Vec<_> = function.split('_').collect();
    let pairs = words.chunks_exact(2).map_while(|pair| {
        let is_id = pair[0].len() == 2 && !pair[1].is_empty() && pair[1].bytes().all(|byte| byte.is_ascii_digit());
        is_id.then(|| format!("{}-{}", pair[0].to_uppercase(), pair[1]))
    });
    pairs.collect()
}

/// The ids of every test of this folder. A function is a test if `#[test]` stands right above it.
fn tested() -> BTreeSet<String> {
    let mut paths = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")];
    let mut ids = BTreeSet::new();
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = fs::read_to_string(path).unwrap();
        let lines: Vec<_> = source.lines().map(str::trim).collect();
        for pair in lines.windows(2).filter(|pair| pair[0] == "#[test]") {
            let function = pair[1].strip_prefix("fn ").and_then(|rest| rest.split('(').next()).unwrap_or_default();
            ids.extend(named(function));
        }
    }
    ids
}

/// State by id.
fn listed() -> BTreeMap<String, &'static str> {
    let mut ids = BTreeMap::new();
    for line in include_str!("ids.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (id, rest) = line.split_once(' ').unwrap_or_else(|| panic!("`{line}` has no state"));
        let (state, reason) = rest.trim().split_once(": ").unwrap_or_else(|| panic!("`{line}` has no reason"));
        let state = STATES.into_iter().find(|known| *known == state).unwrap_or_else(|| panic!("`{line}`"));
        assert!(!reason.trim().is_empty(), "`{line}`");
        assert!(ids.insert(id.to_owned(), state).is_none(), "`{id}` is there twice");
    }
    ids
}

#[test]
fn an_id_has_a_test_exactly_if_its_state_says_so() {
    let (tested, listed) = (tested(), listed());
    let wanted: BTreeSet<_> = listed
        .iter()
        .filter(|(_, state)| ["passes", "ours differs"].contains(*state))
        .map(|(id, _)| id.clone())
        .collect();
    let unwritten: Vec<_> = wanted.difference(&tested).collect();
    assert!(unwritten.is_empty(), "said to be tested, but no test starts with their names: {unwritten:?}");
    let unlisted: Vec<_> = tested.difference(&wanted).collect();
    assert!(unlisted.is_empty(), "tested, but `ids.txt` does not say so: {unlisted:?}");
    assert!(wanted.len() > 150, "{}", wanted.len());
}

#[test]
fn a_name_is_read_as_the_ids_that_it_starts_with() {
    assert_eq!(named("px_01_opens_after"), ["PX-01"]);
    assert_eq!(named("cb_60_cb_61_refuses_for_5_s"), ["CB-60", "CB-61"]);
    assert!(named("a_probe_is_one_attempt").is_empty());
}
