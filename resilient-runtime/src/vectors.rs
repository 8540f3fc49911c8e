//! The conformance vectors that are tests of this crate's rooms. `tests/conformance/ids.txt` says which (`in path`); here
//! it is held to its word, as `tests/conformance/ids.rs` does for the tests there.
//!
//! A test says its vectors by its name, `cb_40_…`. One that is driven by a table says each row when it gets to it, with
//! [`row`], and that is read off what it prints when it is run alone. So a row that nobody reaches does not count, nor
//! does a test that is ignored or not compiled.

#[path = "../../tests/conformance/ids/list.rs"]
#[allow(dead_code, reason = "half of it is for the page about them")]
mod list;

use list::{Vector, ids_of, is_id, running, this_binary, vectors};
use std::collections::{BTreeMap, BTreeSet};

/// Says that this row of a table is next. What follows the id is for the reader.
pub(crate) fn row(id: &str) {
    println!("[vector {id}]");
}

/// The ids of the rows that a test gets to.
fn rows(test: &str) -> BTreeSet<String> {
    let said = this_binary(&[test, "--exact", "--nocapture", "--test-threads=1"]);
    let labels = said.split("[vector ").skip(1);
    let ids = labels.map(|label| label.split(|c: char| c != '-' && !c.is_ascii_alphanumeric()).next().unwrap());
    ids.filter(|id| is_id(id)).map(str::to_owned).collect()
}

#[test]
fn every_vector_that_is_said_to_be_tested_here_is() {
    let vectors = vectors();
    let mut tested: BTreeMap<_, BTreeSet<_>> =
        running().into_iter().map(|test| (test.clone(), ids_of(&test).into_iter().collect())).collect();
    let here = || vectors.iter().filter_map(|vector| Some((vector.place?, vector.id)));
    for place in here().map(|(place, _)| place).collect::<BTreeSet<_>>() {
        let ids = tested.get_mut(place).unwrap_or_else(|| panic!("`{place}` is no test that runs"));
        ids.extend(rows(place));
    }
    let untested: Vec<_> = here().filter(|(place, id)| !tested[*place].contains(*id)).collect();
    assert!(untested.is_empty(), "neither in the name of the test nor in its table: {untested:?}");

    let listed: BTreeSet<_> = vectors.iter().filter(|Vector { state, .. }| state.is_tested()).map(|v| v.id).collect();
    let unlisted: Vec<_> = tested
        .iter()
        .flat_map(|(test, ids)| ids.iter().map(move |id| (id, test)))
        .filter(|(id, _)| !listed.contains(id.as_str()))
        .collect();
    assert!(unlisted.is_empty(), "tested, but `ids.txt` does not say so: {unlisted:?}");
}
