//! What each criticality class may use.

use crate::context::Criticality;

/// How much of `whole`, permits or places in the queue, may be in use for a call of this class to still get in.
///
/// Work that can be shed gets in up to four fifths, so that there is room for what cannot: 64 of 80 in `[storm, part 6]`.
/// What can be shed first gets in up to four fifths of that. The default class gets in up to the last permit: who never
/// sets a class sees none. Any class gets in where nothing is in use.
pub(super) fn share(whole: u32, criticality: Criticality) -> u32 {
    let (part, of) = match criticality {
        Criticality::CriticalPlus | Criticality::Critical => return whole,
        Criticality::SheddablePlus => (4, 5),
        Criticality::Sheddable => (16, 25),
    };
    let share = u64::from(whole) * part / of;
    (share as u32).max(1).min(whole)
}
