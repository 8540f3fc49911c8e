//! The two ways in which the story runs.

/// How everyone behaves in a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Setting C0 of `[storm, part 1]`: bare calls, long timeouts, 3 immediate attempts at every layer, no deadline sent,
    /// and servers that do not notice when a caller hangs up.
    AsShipped,
    /// The annotated client functions, and servers that read the deadline these send.
    Annotated,
}

impl Setting {
    pub const fn name(self) -> &'static str {
        match self {
            Self::AsShipped => "as shipped",
            Self::Annotated => "annotated",
        }
    }
}
