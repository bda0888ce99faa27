//! The street address of a job.

/// A street address: text of one to 250 characters, as somebody wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Direccion(String);

impl Direccion {
    /// The maximum length in characters. With its province, an address of this length fits into quotes and visits.
    pub const MAX: usize = 250;

    pub fn parse(text: &str) -> Option<Self> {
        (1..=Self::MAX).contains(&text.chars().count()).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
