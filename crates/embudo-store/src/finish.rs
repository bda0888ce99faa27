//! What becomes of a job when an attempt at it ends (contract §4). Engines look things up; this decides, so that both decide alike.

use embudo_domain::Timestamp;
use embudo_domain::bucle::{Bucle, Vuelta};
use embudo_domain::evento::Evento;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};

use crate::cola::{FinIntento, Resultado};

/// What must be looked up before an end is decided; the rest of [`Seen`] may then say nothing.
#[derive(Debug, Clone, Copy)]
pub struct Lookups {
    pub has_newer: bool,
    pub since_sent: bool,
    pub since_made: bool,
}

/// What an engine saw of the job and of its lead, under the lead's lock where [`FinIntento::needs_lock`].
#[derive(Debug, Clone)]
pub struct Seen {
    pub tipo: TipoTrabajo,
    pub en_duda: bool,
    pub ultimo_error: Option<String>,
    /// A newer job of the same kind and lead was made.
    pub has_newer: bool,
    /// What came in since the first attempt of this run.
    pub since_sent: Vuelta,
    /// What came in since the job was made.
    pub since_made: Vuelta,
    /// Where the lead stands.
    pub bucle: Option<Bucle>,
}

/// What is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    pub estado: EstadoTrabajo,
    /// `None` keeps what is there.
    pub proximo_en: Option<Timestamp>,
    pub terminado_en: Option<Timestamp>,
    pub en_duda: bool,
    pub ultimo_error: Option<String>,
    pub evento: Option<Evento>,
    /// Where the lead stands from now on, if that is decided by this end.
    pub bucle: Option<Option<Bucle>>,
    /// Whether the jobs that follow are made.
    pub is_followed: bool,
}

impl FinIntento {
    /// What the event says if what the signal asks for came back; only a failure can be answered so.
    pub fn answerable(&self) -> Option<&str> {
        let is_failure = matches!(self.resultado, Resultado::Reintentar(_) | Resultado::Muerto);
        self.answered.as_deref().filter(|_| is_failure)
    }

    pub fn lookups(&self) -> Lookups {
        let is_answerable = self.answerable().is_some();
        Lookups {
            has_newer: is_answerable || matches!(self.resultado, Resultado::Reintentar(_)),
            since_sent: is_answerable,
            since_made: self.bucle.is_some() && (is_answerable || self.resultado == Resultado::Hecho),
        }
    }

    /// Whether the lead must be locked before anything is looked up: its loop moves, or of two jobs that take each other's place one
    /// must see the other.
    pub fn needs_lock(&self) -> bool {
        let lookups = self.lookups();
        lookups.has_newer || lookups.since_made || !self.trabajos.is_empty()
    }

    pub fn decide(&self, seen: Seen) -> Decided {
        let is_replaced = seen.has_newer && seen.tipo.se_sustituye();
        let answered = self.answerable().filter(|_| !is_replaced && seen.since_sent.came());
        let (estado, proximo_en) = match self.resultado {
            _ if answered.is_some() => (EstadoTrabajo::Hecho, None),
            Resultado::Hecho => (EstadoTrabajo::Hecho, None),
            Resultado::Reintentar(_) if is_replaced => (EstadoTrabajo::Sustituido, None),
            Resultado::Reintentar(cuando) => (EstadoTrabajo::Pendiente, Some(cuando)),
            Resultado::Muerto => (EstadoTrabajo::Muerto, None),
            Resultado::Aparcado => (EstadoTrabajo::Aparcado, None),
        };
        let evento = self.evento.clone().map(|evento| match answered {
            Some(words) => Evento { ok: true, detalle: Some(words.to_owned()), ..evento },
            None => evento,
        });
        let plazos = self.bucle.filter(|_| estado == EstadoTrabajo::Hecho);
        Decided {
            estado,
            proximo_en,
            terminado_en: (estado != EstadoTrabajo::Pendiente).then_some(self.en),
            // A parked job stays in doubt, as that is why it is parked.
            en_duda: seen.en_duda && estado == EstadoTrabajo::Aparcado,
            ultimo_error: if self.entrega.ok { seen.ultimo_error } else { self.entrega.error.clone() },
            evento,
            bucle: plazos.map(|plazos| Bucle::tras_senal(seen.bucle, seen.since_made, self.en, plazos)),
            is_followed: answered.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use embudo_domain::bucle::{PasoBucle, Plazos};
    use embudo_domain::evento::TipoEvento;
    use embudo_domain::trabajo::Entrega;
    use embudo_domain::{ProcesoId, TrabajoId};
    use uuid::Uuid;

    use super::*;

    const NOTHING: Vuelta = Vuelta { renders: false, finalizar: false };
    const RENDERS: Vuelta = Vuelta { renders: true, finalizar: false };

    fn t(s: i64) -> Timestamp {
        Timestamp::from_second(s).expect("in range")
    }

    fn end(resultado: Resultado) -> FinIntento {
        let is_ok = resultado == Resultado::Hecho;
        FinIntento {
            id: TrabajoId(Uuid::nil()),
            quien: ProcesoId(Uuid::nil()),
            resultado,
            entrega: Entrega {
                inicio: t(1),
                duracion_ms: 1,
                ok: is_ok,
                status: None,
                error: (!is_ok).then(|| "refused".to_owned()),
                respuesta: None,
            },
            evento: Some(Evento {
                tipo: TipoEvento::PerfilCompleto,
                simulado: false,
                ok: is_ok,
                detalle: None,
                creado_en: t(2),
            }),
            answered: Some("it came back".into()),
            bucle: Some(Plazos::default()),
            trabajos: Vec::new(),
            en: t(2),
        }
    }

    fn seen() -> Seen {
        Seen {
            tipo: TipoTrabajo::Perfil,
            en_duda: true,
            ultimo_error: Some("before".into()),
            has_newer: false,
            since_sent: NOTHING,
            since_made: NOTHING,
            bucle: None,
        }
    }

    #[test]
    fn an_accepted_signal_ends_and_starts_the_loop() {
        let decided = end(Resultado::Hecho).decide(Seen { since_made: RENDERS, ..seen() });
        assert_eq!((decided.estado, decided.terminado_en), (EstadoTrabajo::Hecho, Some(t(2))));
        assert_eq!((decided.en_duda, decided.ultimo_error.as_deref()), (false, Some("before")));
        let paso = decided.bucle.expect("it moves").expect("it waits").paso;
        assert_eq!(paso, PasoBucle::EsperandoFinalizar);
    }

    #[test]
    fn a_newer_job_takes_the_place_of_one_that_would_wait() {
        let again = end(Resultado::Reintentar(t(9)));
        let waits = again.decide(seen());
        assert_eq!((waits.estado, waits.proximo_en), (EstadoTrabajo::Pendiente, Some(t(9))));
        assert_eq!((waits.terminado_en, waits.bucle), (None, None));
        let newer = Seen { has_newer: true, since_sent: RENDERS, ..seen() };
        assert_eq!(again.decide(newer.clone()).estado, EstadoTrabajo::Sustituido);
        let other = Seen { tipo: TipoTrabajo::Mensajeria, since_sent: NOTHING, ..newer.clone() };
        assert_eq!(again.decide(other).estado, EstadoTrabajo::Pendiente);
        assert_eq!(end(Resultado::Muerto).decide(newer).estado, EstadoTrabajo::Muerto);
    }

    #[test]
    fn a_failure_whose_work_came_back_is_done() {
        let decided = end(Resultado::Muerto).decide(Seen { since_sent: RENDERS, ..seen() });
        assert_eq!((decided.estado, decided.is_followed), (EstadoTrabajo::Hecho, false));
        assert_eq!(decided.ultimo_error.as_deref(), Some("refused"));
        let evento = decided.evento.expect("it is told");
        assert_eq!((evento.ok, evento.detalle.as_deref()), (true, Some("it came back")));
        let parked = end(Resultado::Aparcado).decide(Seen { since_sent: RENDERS, ..seen() });
        assert_eq!(
            (parked.estado, parked.en_duda, parked.is_followed),
            (EstadoTrabajo::Aparcado, true, true)
        );
    }

    #[test]
    fn only_what_matters_is_looked_up() {
        let parked = end(Resultado::Aparcado);
        assert!(!parked.needs_lock() && !parked.lookups().has_newer);
        let done = FinIntento { bucle: None, ..end(Resultado::Hecho) };
        assert!(!done.needs_lock() && !done.lookups().since_made);
        assert!(end(Resultado::Hecho).lookups().since_made);
        assert!(end(Resultado::Muerto).lookups().since_sent);
    }
}
