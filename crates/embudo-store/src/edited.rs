//! How a person's edit ends when somebody else may have changed the same value meanwhile.

/// The end of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    Saved,
    /// The value is the same already: nothing was written.
    Same,
    /// Somebody else changed the same field since: nothing was written.
    Stale,
}

impl Edited {
    /// The end of a change from `seen` to `wanted`, if the value is `now`: it may be written only if nobody changed it
    /// since.
    pub fn decide<T: PartialEq>(seen: &T, now: &T, wanted: &T) -> Self {
        match now {
            now if now == wanted => Self::Same,
            now if now == seen => Self::Saved,
            _ => Self::Stale,
        }
    }
}
