//! The database to which bytes belong.

use std::fmt;

/// The name of a database. All files of a database in a folder or a bucket are stored under its name, so databases that
/// share a folder or a bucket do not see each other's data. A copy of a database has the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseId([u8; 16]);

impl DatabaseId {
    /// Makes a name of the first 16 bytes. They must be as good as random, so that no two databases have the same name.
    pub fn new(bytes: &[u8; 32]) -> Self {
        Self(std::array::from_fn(|n| bytes[n]))
    }

    /// Parses the text that [`Display`](fmt::Display) writes; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let number = u128::from_str_radix(text, 16).ok().filter(|_| digits)?;
        Some(Self(number.to_be_bytes()))
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
        assert_eq!(DatabaseId::parse(&id.to_string()), Some(id));
        for strange in ["", "leads", "000102030405060708090A0B0C0D0E0F", "+00102030405060708090a0b0c0d0e0f"] {
            assert_eq!(DatabaseId::parse(strange), None, "{strange}");
        }
    }
}
