//! Whose bytes they are.

use std::fmt;

/// The name of a database: what a folder or a bucket holds for it lies under this, so that databases which share one see
/// nothing of each other. A copy of a database has the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseId([u8; 16]);

impl DatabaseId {
    /// The name that these bytes, which must be as good as random, begin with.
    pub fn new(bytes: &[u8; 32]) -> Self {
        Self(std::array::from_fn(|n| bytes[n]))
    }
}

/// 32 hexadecimal digits.
impl fmt::Display for DatabaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_can_be_a_folders_name() {
        let id = DatabaseId::new(&std::array::from_fn(|n| n as u8));
        assert_eq!(id.to_string(), "000102030405060708090a0b0c0d0e0f");
    }
}
