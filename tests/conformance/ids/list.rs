//! `ids.txt`, and the tests of whichever binary asks: that of this folder, or that of `resilient-runtime`.

use std::{collections::BTreeSet, env, process::Command};

/// What became of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Passes,
    OursDiffers,
    NoCounterpart,
    Later,
}

impl State {
    pub const ALL: [Self; 4] = [Self::Passes, Self::OursDiffers, Self::NoCounterpart, Self::Later];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passes => "passes",
            Self::OursDiffers => "ours differs",
            Self::NoCounterpart => "no counterpart",
            Self::Later => "later",
        }
    }

    pub fn is_tested(self) -> bool {
        matches!(self, Self::Passes | Self::OursDiffers)
    }
}

#[derive(Debug)]
pub struct Vector {
    pub section: &'static str,
    pub id: &'static str,
    pub state: State,
    /// The test of `resilient-runtime` that it is; else it is one of this folder.
    pub place: Option<&'static str>,
    /// What ours does, or why it has no counterpart.
    pub ours: &'static str,
    /// What the suite expects, where ours differs.
    pub others: Option<&'static str>,
    /// The sentence of the design that decides, where ours differs.
    pub design: Option<&'static str>,
}

/// The list, in its order.
pub fn vectors() -> Vec<Vector> {
    let mut section = "";
    let mut vectors: Vec<Vector> = Vec::new();
    for line in include_str!("../ids.txt").lines().filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix("# §") {
            section = title;
        } else if let Some(more) = line.strip_prefix("    ") {
            let last = vectors.last_mut().unwrap_or_else(|| panic!("`{line}` belongs to nothing"));
            match more.split_once(": ") {
                Some(("others", others)) => last.others = Some(others),
                Some(("design", design)) => last.design = Some(design),
                _ => panic!("`{line}`"),
            }
        } else if !line.starts_with('#') {
            vectors.push(vector(section, line).unwrap_or_else(|| panic!("`{line}`")));
        }
    }
    vectors
}

/// `ID state: what` or `ID state in place: what`.
fn vector(section: &'static str, line: &'static str) -> Option<Vector> {
    let (id, rest) = line.split_once(' ')?;
    let state = State::ALL.into_iter().find(|state| rest.starts_with(state.as_str()))?;
    let (place, ours) = rest[state.as_str().len()..].split_once(": ")?;
    let place = if place.is_empty() { None } else { Some(place.strip_prefix(" in ")?) };
    let is_whole = is_id(id) && !ours.is_empty() && (place.is_none() || state.is_tested());
    is_whole.then_some(Vector { section, id, state, place, ours, others: None, design: None })
}

pub fn is_id(word: &str) -> bool {
    word.split_once('-').is_some_and(|(letters, number)| {
        letters.len() == 2
            && letters.bytes().all(|byte| byte.is_ascii_uppercase())
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The ids that the name of a test starts with: `px_01_cb_02_…`.
pub fn ids_of(test: &str) -> Vec<String> {
    let name = test.rsplit("::").next().unwrap_or(test);
    let words: Vec<_> = name.split('_').collect();
    let ids = words.chunks_exact(2).map(|pair| format!("{}-{}", pair[0].to_uppercase(), pair[1]));
    ids.take_while(|id| is_id(id)).collect()
}

/// The tests of this binary that run when nobody picks some: compiled, and not ignored.
pub fn running() -> BTreeSet<String> {
    let list = |more: &[&str]| -> BTreeSet<String> {
        let listed = this_binary(&[&["--list", "--format", "terse"], more].concat());
        listed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
    };
    &list(&[]) - &list(&["--ignored"])
}

/// What this binary prints when it is run like this.
pub fn this_binary(arguments: &[&str]) -> String {
    let output = Command::new(env::current_exe().unwrap()).args(arguments).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}
