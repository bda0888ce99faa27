//! The watched loop: after a profile signal was accepted, renders must come, then `finalizar` (contract §4).
//!
//! A receiver that answers 200 and loses the work is found out because each step has a deadline.

use jiff::{SignedDuration, Timestamp};

enumeracion! {
    /// What the lead waits for.
    PasoBucle {
        /// A first photo `despues` after the signal.
        EsperandoRenders = "esperando_renders",
        /// A call with `finalizar`.
        EsperandoFinalizar = "esperando_finalizar",
    }
}

/// Where a lead stands in the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bucle {
    /// What it waits for.
    pub paso: PasoBucle,
    /// Since when.
    pub desde: Timestamp,
    /// Until when that is fine.
    pub limite: Timestamp,
    /// The deadline passed without the step.
    pub vencido: bool,
    /// Profile signals sent by themselves because the deadline passed.
    pub resenales: u32,
}

/// How long each step may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plazos {
    /// From the accepted signal to the first render.
    pub renders: SignedDuration,
    /// From the first render to `finalizar`.
    pub finalizar: SignedDuration,
}

impl Default for Plazos {
    fn default() -> Self {
        let dos_horas = SignedDuration::from_hours(2);
        Self { renders: dos_horas, finalizar: dos_horas }
    }
}

/// What came in since a signal was made. A workflow may call back before it answers the signal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Vuelta {
    /// A photo `despues`.
    pub renders: bool,
    /// A call with `finalizar`.
    pub finalizar: bool,
}

impl Vuelta {
    /// Whether anything of what a signal asks for came.
    pub fn came(self) -> bool {
        self.renders || self.finalizar
    }
}

impl Bucle {
    fn en(paso: PasoBucle, desde: Timestamp, plazos: Plazos, resenales: u32) -> Self {
        let plazo = match paso {
            PasoBucle::EsperandoRenders => plazos.renders,
            PasoBucle::EsperandoFinalizar => plazos.finalizar,
        };
        Self { paso, desde, limite: desde + plazo, vencido: false, resenales }
    }

    /// The loop once a profile signal is done: accepted, or its work came back whatever it was answered.
    pub fn tras_senal(antes: Option<Bucle>, vuelta: Vuelta, en: Timestamp, plazos: Plazos) -> Option<Bucle> {
        let resenales = antes.map_or(0, |b| b.resenales);
        match vuelta {
            Vuelta { finalizar: true, .. } => None,
            Vuelta { renders: true, .. } => {
                Some(Self::en(PasoBucle::EsperandoFinalizar, en, plazos, resenales))
            }
            _ => Some(Self::en(PasoBucle::EsperandoRenders, en, plazos, resenales)),
        }
    }

    /// The loop after an ingestion.
    pub fn tras_ingesta(
        antes: Option<Bucle>,
        vuelta: Vuelta,
        en: Timestamp,
        plazos: Plazos,
    ) -> Option<Bucle> {
        match (antes, vuelta) {
            (_, Vuelta { finalizar: true, .. }) => None,
            (Some(b), Vuelta { renders: true, .. }) if b.paso == PasoBucle::EsperandoRenders => {
                Some(Self::en(PasoBucle::EsperandoFinalizar, en, plazos, b.resenales))
            }
            (antes, _) => antes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(s: i64) -> Timestamp {
        Timestamp::from_second(s).expect("in range")
    }

    const NADA: Vuelta = Vuelta { renders: false, finalizar: false };
    const RENDERS: Vuelta = Vuelta { renders: true, finalizar: false };
    const FIN: Vuelta = Vuelta { renders: true, finalizar: true };

    #[test]
    fn signal_renders_finalizar() {
        let plazos = Plazos::default();
        let uno = Bucle::tras_senal(None, NADA, t(0), plazos).expect("waits");
        assert_eq!((uno.paso, uno.limite), (PasoBucle::EsperandoRenders, t(7_200)));
        assert_eq!(Bucle::tras_ingesta(Some(uno), NADA, t(5), plazos), Some(uno));
        let dos = Bucle::tras_ingesta(Some(uno), RENDERS, t(10), plazos).expect("waits");
        assert_eq!((dos.paso, dos.desde), (PasoBucle::EsperandoFinalizar, t(10)));
        assert_eq!(
            Bucle::tras_ingesta(Some(dos), RENDERS, t(20), plazos),
            Some(dos),
            "only the first render counts"
        );
        assert_eq!(Bucle::tras_ingesta(Some(dos), FIN, t(30), plazos), None);
    }

    #[test]
    fn a_workflow_may_call_back_before_it_answers() {
        let plazos = Plazos::default();
        let paso = Bucle::tras_senal(None, RENDERS, t(0), plazos).map(|b| b.paso);
        assert_eq!(paso, Some(PasoBucle::EsperandoFinalizar));
        assert_eq!(Bucle::tras_senal(None, FIN, t(0), plazos), None);
    }

    #[test]
    fn renders_without_a_signal_start_nothing() {
        assert_eq!(Bucle::tras_ingesta(None, RENDERS, t(0), Plazos::default()), None);
    }
}
