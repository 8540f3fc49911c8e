//! `ids.txt` says what became of each vector of the suites; here it is held to its word, and `docs/conformance.md` to it.
//!
//! A vector is tested by what really runs, not by what stands in a source: this binary is asked for its tests, less the
//! ignored ones, and a test says its vectors by its name. Vectors that are tests of `resilient-runtime` are compared
//! there, in the same way.

mod list;

use list::{State, Vector, ids_of, is_id, running, vectors};
use std::{collections::BTreeSet, env, fmt::Write, fs};

#[test]
fn a_vector_has_a_test_that_runs_exactly_if_its_state_says_so() {
    let tested: BTreeSet<_> = running().iter().flat_map(|test| ids_of(test)).collect();
    let vectors = vectors();
    let is_tested = |vector: &&Vector| vector.state.is_tested();
    let untested: Vec<_> = vectors
        .iter()
        .filter(is_tested)
        .filter(|vector| vector.place.is_none() && !tested.contains(vector.id))
        .map(|vector| vector.id)
        .collect();
    assert!(untested.is_empty(), "said to be tested, but no test that runs starts with their names: {untested:?}");
    let listed: BTreeSet<_> = vectors.iter().filter(is_tested).map(|vector| vector.id.to_owned()).collect();
    let unlisted: Vec<_> = tested.difference(&listed).collect();
    assert!(unlisted.is_empty(), "tested, but `ids.txt` does not say so: {unlisted:?}");
}

#[test]
fn every_vector_is_there_once_and_where_ours_differs_it_says_from_what_and_why() {
    let vectors = vectors();
    let ids: BTreeSet<_> = vectors.iter().map(|vector| vector.id).collect();
    // As many as §1–§11, §13 and §17 of the collection have.
    assert_eq!((vectors.len(), ids.len()), (400, 400));
    for vector in &vectors {
        let differs = vector.state == State::OursDiffers;
        assert_eq!((vector.others.is_some(), vector.design.is_some()), (differs, differs), "{}", vector.id);
    }
}

/// `BLESS=1 cargo test --test conformance ids` writes it anew.
#[test]
fn the_page_says_what_the_list_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/conformance.md");
    let page = fs::read_to_string(path).unwrap();
    let vectors = vectors();
    let tables = [
        ("counts", counts(&vectors)),
        ("differs", differs(&vectors)),
        ("no counterpart", grouped(&vectors, State::NoCounterpart)),
        ("later", grouped(&vectors, State::Later)),
    ];
    let mut wanted = page.clone();
    for (name, table) in tables {
        let [begin, end] = [format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->")];
        let from = wanted.find(&begin).unwrap_or_else(|| panic!("no `{begin}`")) + begin.len();
        let to = wanted.find(&end).unwrap_or_else(|| panic!("no `{end}`"));
        wanted.replace_range(from..to, &table);
    }
    if env::var_os("BLESS").is_some() {
        fs::write(path, wanted).unwrap();
    } else {
        assert!(
            page == wanted,
            "docs/conformance.md is not what ids.txt says: BLESS=1 cargo test --test conformance ids"
        );
    }
}

fn sections(vectors: &[Vector]) -> impl Iterator<Item = (&'static str, &[Vector])> {
    vectors.chunk_by(|one, next| one.section == next.section).map(|vectors| (vectors[0].section, vectors))
}

fn counts(vectors: &[Vector]) -> String {
    let mut table = String::from(
        "| section | vectors | passes | ours differs | no counterpart | later | tested in a room |\n|---|---|---|---|---|---|---|\n",
    );
    for (section, vectors) in sections(vectors).chain([("all", vectors)]) {
        let of = |state| vectors.iter().filter(|vector| vector.state == state).count();
        let [passes, differs, none, later] = State::ALL.map(of);
        let rooms = vectors.iter().filter(|vector| vector.place.is_some()).count();
        let all = vectors.len();
        writeln!(table, "| {section} | {all} | {passes} | {differs} | {none} | {later} | {rooms} |").unwrap();
    }
    table
}

fn differs(vectors: &[Vector]) -> String {
    let mut table = String::from("| id | the suite | ours | what decides |\n|---|---|---|---|\n");
    for Vector { id, ours, others, design, .. } in vectors.iter().filter(|vector| vector.state == State::OursDiffers) {
        writeln!(table, "| {id} | {} | {ours} | {} |", others.unwrap(), design.unwrap()).unwrap();
    }
    table
}

/// The vectors of a state by the reason that they share.
fn grouped(vectors: &[Vector], state: State) -> String {
    let mut table = String::from("| section | ids | why |\n|---|---|---|\n");
    for (section, vectors) in sections(vectors) {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for vector in vectors.iter().filter(|vector| vector.state == state) {
            match reasons.iter_mut().find(|(reason, _)| *reason == vector.ours) {
                Some((_, ids)) => ids.push(vector.id),
                None => reasons.push((vector.ours, vec![vector.id])),
            }
        }
        for (reason, ids) in reasons {
            writeln!(table, "| {section} | {} | {reason} |", ids.join(", ")).unwrap();
        }
    }
    table
}

#[test]
fn a_name_is_read_as_the_ids_that_it_starts_with() {
    assert_eq!(ids_of("breaker::px_01_opens_after"), ["PX-01"]);
    assert_eq!(ids_of("cb_60_cb_61_refuses_for_5_s"), ["CB-60", "CB-61"]);
    assert!(ids_of("a_probe_is_one_attempt").is_empty());
    assert!(is_id("CB-134") && !is_id("CB-") && !is_id("cb-1") && !is_id("a"));
}
