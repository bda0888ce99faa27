//! The digest of bytes: the address under which a blob is stored, and the form in which keys are kept.

/// BLAKE3 of some bytes; equal bytes have equal digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Reads 64 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return None;
        }
        blake3::Hash::from_hex(text).ok().map(|h| Self(*h.as_bytes()))
    }
}

/// Computes the digest of bytes that arrive piece by piece.
#[derive(Debug, Clone, Default)]
pub struct Digesting(blake3::Hasher);

impl Digesting {
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub fn finish(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_goes_there_and_back() {
        let h = Digest::of(b"azulejo");
        assert_eq!(Digest::parse(&h.to_string()), Some(h));
        assert_eq!(Digest::parse(&h.to_string().to_uppercase()), None);
        assert_eq!(Digest::parse("abc"), None);
    }
}
