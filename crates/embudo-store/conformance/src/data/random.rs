//! Numbers and texts that look random and are the same on every machine.

use uuid::Uuid;

/// A text of this many ASCII letters that no engine can compress away.
pub fn long_text(bytes: usize) -> String {
    let mut random = Random::new(bytes as u64);
    let fonts = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    (0..bytes).map(|_| char::from(fonts[random.until(64)])).collect()
}

/// A small generator (SplitMix64): the same seed gives the same numbers on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n` − 1.
    pub fn until(&mut self, n: usize) -> usize {
        usize::try_from(self.bits() % n as u64).expect("smaller than n")
    }

    pub fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.until(of.len())].clone()
    }

    /// True once in `n` times.
    pub fn of_each(&mut self, n: usize) -> bool {
        self.until(n) == 0
    }

    /// A random UUID.
    pub fn uuid(&mut self) -> Uuid {
        let (a, b) = (self.bits().to_be_bytes(), self.bits().to_be_bytes());
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&a);
        bytes[8..].copy_from_slice(&b);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }
}
