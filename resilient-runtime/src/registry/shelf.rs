//! The states of one kind of guard, by name.

use super::Conflict;
use crate::{
    keyed::{Keyed, State},
    operation::Location,
};
use std::collections::HashMap;

/// The one state of a name, or those of a name with placeholders.
pub(super) type OneOrMany<T> = (Option<&'static T>, Option<&'static Keyed<T>>);

#[derive(Debug)]
pub(super) struct Shelf<T: State> {
    one: HashMap<&'static str, Shared<T::Settings, T>>,
    /// By the name as it is written, placeholders and all.
    by_key: HashMap<&'static str, Shared<T::Settings, Keyed<T>>>,
}

impl<T: State> Default for Shelf<T> {
    fn default() -> Self {
        Self { one: HashMap::new(), by_key: HashMap::new() }
    }
}

/// What a name stands for, and the settings it was first written with.
#[derive(Debug)]
struct Shared<S, T: 'static> {
    settings: S,
    /// A default yields to a written setting.
    written: bool,
    by: Location,
    state: &'static T,
}

impl<T: State> Shelf<T> {
    /// What stands under this name, made if it is new.
    pub(super) fn share(
        &mut self,
        conflicts: &mut Vec<Conflict>,
        what: (&str, &'static str),
        settings: (T::Settings, bool),
        by: Location,
    ) -> OneOrMany<T> {
        if is_by_key(what.1, by) {
            (None, Some(share(&mut self.by_key, conflicts, what, settings, by, Keyed::new, Keyed::adopt)))
        } else {
            (Some(share(&mut self.one, conflicts, what, settings, by, T::new, T::adopt)), None)
        }
    }
}

/// Whether a written name has placeholders. A policy as a value has no arguments that could stand in them.
pub(super) fn is_by_key(name: &str, by: Location) -> bool {
    !by.module.is_empty() && name.contains('{')
}

/// The state of this name: made if it is new, conformed if a default yields to a written setting, else shared, and a
/// conflict where two written settings differ.
fn share<S: PartialEq + Copy, T>(
    states: &mut HashMap<&'static str, Shared<S, T>>,
    conflicts: &mut Vec<Conflict>,
    (kind, name): (&str, &'static str),
    (settings, written): (S, bool),
    by: Location,
    make: fn(S) -> T,
    adopt: fn(&T, S),
) -> &'static T {
    let known = states.entry(name).or_insert_with(|| {
        let state = Box::leak(Box::new(make(settings)));
        Shared { settings, written, by, state }
    });
    match (known.written, written) {
        (true, true) if known.settings != settings => {
            let what = format!("{kind} `{name}`");
            conflicts.push(Conflict { what, first: known.by, second: by });
        }
        (false, true) => {
            adopt(known.state, settings);
            (known.settings, known.written, known.by) = (settings, true, by);
        }
        _ => {}
    }
    known.state
}
