//! `docs/known-mistakes.md` is held to its word: what it names is there, and what is here is named.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const TABLE: &str = include_str!("../../docs/known-mistakes.md");

struct Row<'a> {
    id: &'a str,
    ours: &'a str,
    proofs: Vec<&'a str>,
}

fn rows() -> Vec<Row<'static>> {
    let cells = TABLE.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = cells.map(|line| line.split(" | ").collect::<Vec<_>>()).filter(|cells| is_id(cells[0]));
    rows.map(|cells| {
        let [id, _mistake, ours, proofs] = cells[..] else { panic!("four cells: {cells:?}") };
        Row { id, ours, proofs: proofs.split('`').skip(1).step_by(2).collect() }
    })
    .collect()
}

/// `T7b`, `P05`, `M6`.
fn is_id(word: &str) -> bool {
    word.starts_with(['T', 'P', 'M']) && word[1..].starts_with(|c: char| c.is_ascii_digit())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The tests of a file: functions below an attribute that makes them one, and those of `proptest!`.
fn tests(source: &str) -> BTreeSet<&str> {
    let (mut tests, mut is_test) = (BTreeSet::new(), false);
    for line in source.lines().map(str::trim) {
        is_test |= line.starts_with("#[test") || line.starts_with("#[tokio::test");
        let function = line.trim_start_matches("async ").strip_prefix("fn ").and_then(|rest| rest.split('(').next());
        if let Some(name) = function {
            if std::mem::take(&mut is_test) || name.starts_with("loom_") {
                tests.insert(name);
            }
        }
    }
    tests
}

#[test]
fn every_proof_that_is_named_is_there() {
    for row in rows() {
        assert!(!row.proofs.is_empty() || row.ours.starts_with("not ours: "), "{}: no proof, and no reason", row.id);
        for proof in row.proofs {
            let (file, test) = proof.split_once("::").map_or((proof, None), |(file, test)| (file, Some(test)));
            let source = fs::read_to_string(root().join(file)).unwrap_or_else(|_| panic!("{}: no file {file}", row.id));
            // A file of its own is a case that must not compile, with the message that says so.
            let is_there = test.map_or_else(
                || root().join(file).with_extension("stderr").exists(),
                |test| tests(&source).contains(test),
            );
            assert!(is_there, "{}: no test {proof}", row.id);
        }
    }
}

#[test]
fn every_test_of_this_folder_proves_the_row_of_its_name() {
    let mut found = 0;
    for entry in fs::read_dir(root().join("tests/known_mistakes")).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap();
        let source = fs::read_to_string(&path).unwrap();
        for test in tests(&source).into_iter().filter(|_| file != "table.rs") {
            let id = test.split('_').next().unwrap();
            let proof = format!("tests/known_mistakes/{file}::{test}");
            let row = rows().into_iter().find(|row| row.id.eq_ignore_ascii_case(id));
            assert!(row.is_some_and(|row| row.proofs.contains(&&*proof)), "{proof} is in no row {id}");
            found += 1;
        }
    }
    assert!(found > 30, "{found}");
}

#[test]
fn no_mistake_is_there_twice() {
    let (rows, mut ids) = (rows(), BTreeSet::new());
    assert!(rows.len() > 90, "{}", rows.len());
    for row in rows {
        assert!(ids.insert(row.id), "{} is there twice", row.id);
    }
}
