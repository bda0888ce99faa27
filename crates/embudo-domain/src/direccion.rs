//! The street address of a job.

/// A street address: text of one to 250 characters, as somebody wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Direccion(String);

impl Direccion {
    /// The longest, in characters: with its province it fits where quotes and visits have an address.
    pub const MAX: usize = 250;

    pub fn parse(text: &str) -> Option<Self> {
        (1..=Self::MAX).contains(&text.chars().count()).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
