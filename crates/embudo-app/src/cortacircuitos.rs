//! Paces the retries to a receiver that is down. It never holds back a first attempt.

use embudo_domain::Timestamp;
use jiff::SignedDuration;

/// Failures in a row that open it.
const FALLOS: u32 = 5;
/// The first pause, doubled with each failure while open.
const PAUSA: SignedDuration = SignedDuration::from_secs(30);
const MAX_PAUSA: SignedDuration = SignedDuration::from_mins(10);

/// One receiver's record.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cortacircuitos {
    fallos: u32,
    abierto_hasta: Option<Timestamp>,
}

/// What may be taken for a receiver now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paso {
    /// Everything.
    Libre,
    /// One retry, to see whether it is back.
    Uno,
    /// First attempts only.
    Primeros,
}

impl Cortacircuitos {
    pub fn paso(&self, ahora: Timestamp) -> Paso {
        match self.abierto_hasta {
            None => Paso::Libre,
            Some(hasta) if ahora >= hasta => Paso::Uno,
            Some(_) => Paso::Primeros,
        }
    }

    pub fn anotar(&mut self, is_well: bool, ahora: Timestamp) {
        if is_well {
            *self = Self::default();
            return;
        }
        self.fallos = self.fallos.saturating_add(1);
        if self.fallos >= FALLOS {
            let veces = 1_i32 << (self.fallos - FALLOS).min(8);
            self.abierto_hasta = Some(ahora + (PAUSA * veces).min(MAX_PAUSA));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(s: i64) -> Timestamp {
        Timestamp::from_second(s).expect("in range")
    }

    #[test]
    fn opens_after_five_failures_lets_one_through_and_closes_on_success() {
        let mut c = Cortacircuitos::default();
        for _ in 0..4 {
            c.anotar(false, t(0));
            assert_eq!(c.paso(t(0)), Paso::Libre);
        }
        c.anotar(false, t(0));
        assert_eq!((c.paso(t(29)), c.paso(t(30))), (Paso::Primeros, Paso::Uno));
        c.anotar(false, t(30));
        assert_eq!((c.paso(t(89)), c.paso(t(90))), (Paso::Primeros, Paso::Uno));
        c.anotar(true, t(90));
        assert_eq!(c.paso(t(90)), Paso::Libre);
    }

    #[test]
    fn pauses_are_bounded() {
        let mut c = Cortacircuitos::default();
        for _ in 0..100 {
            c.anotar(false, t(0));
        }
        assert_eq!(c.paso(t(600)), Paso::Uno);
    }
}
