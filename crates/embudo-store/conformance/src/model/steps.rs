//! Random choice of the next command and its values.
//!
//! There are few people and few values: commands must meet on the same leads, keys, telephones and blobs to show
//! anything.

mod bodies;

use super::step::Step;
use super::world::World;
use crate::data::{MAX_INTEGER, ODD_TEXT, Random, email, event, key, micros, outcome, t, telefono};
use embudo_domain::calificacion::Nivel;
use embudo_domain::event::EventKind;
use embudo_domain::perfil::{CanalOrigen, EstadoWa};
use embudo_domain::{Digest, FotoId, JobId, LeadId, NotaId, ProcessId, Timestamp, Zona};
use embudo_store::Idempotency;
use embudo_store::lead_writes::{Answer, ClearPerfil, RecordEvent, SetNota, UpdatePerfil};
use embudo_store::leads::{LeadFilter, UpdateContact};

const TEXTS: [&str; 8] = ["", "a", "García", "100%_\\", "  ", "Ñ", ODD_TEXT, "{}"];
const NAMES: [&str; 5] = ["Ana García", "José 100%", "B_ruiz", "Ñandú", "ana"];
const DIGITS: [&str; 3] = ["611000001", "611000002", "611000003"];
const MAILS: [&str; 3] = ["ana@x.es", "Ana@X.es", "b_%@y.io"];
const NUMBERS: [f64; 6] = [0.1, 1.0, 2.5, 1e308, 5e-324, 9_007_199_254_740_993.0];
const ORDERS: [f64; 8] = [0.0, 1.0, -1.0, 2.5, 10.0, 0.1, -1e300, 7.0];
const INTEGERS: [i64; 4] = [1, 7, 4_294_967_297, MAX_INTEGER];

/// A seeded source of steps.
pub(crate) struct Draw {
    pub(super) random: Random,
    pub(super) processes: [ProcessId; 2],
    missing: LeadId,
}

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let missing = LeadId(random.uuid());
        let processes = [ProcessId(random.uuid()), ProcessId(random.uuid())];
        Self { random, processes, missing }
    }

    /// The step number `n`. Times repeat, so the order must not depend on them.
    pub(crate) fn step(&mut self, world: &World, n: usize) -> Step {
        let at = t(i64::try_from(n / 3).expect("few steps"));
        // A step whose time the outbox and the loop compare has a moment of its own.
        let single = micros(at.as_microsecond() + i64::try_from(n).expect("few steps"));
        let leads: Vec<LeadId> = world.leads().collect();
        if leads.is_empty() || (leads.len() < 6 && self.random.of_each(6)) {
            return Step::Create(Box::new(self.create(world, at)));
        }
        let lead = if self.random.of_each(15) { self.missing } else { self.random.one(&leads) };
        match self.random.until(34) {
            0..=3 => Step::Turno(self.turno(lead, at)),
            4..=7 => {
                let (perfil, idempotency) = (self.perfil(), self.key("perfil", lead, at));
                let m2_is_estimate = self.random.of_each(3);
                Step::Perfil(UpdatePerfil { lead, perfil, m2_is_estimate, at, idempotency })
            }
            8..=9 => Step::Calificacion(self.calificacion(lead, at)),
            10..=11 => Step::Intento(self.intento(lead, at)),
            12..=14 => Step::Ingesta(self.ingesta(world, lead, single)),
            15 => {
                let event = self.maybe(2, |_| event(EventKind::Mensajeria, single));
                let jobs = vec![self.new_job()];
                let idempotency = self.key("evento", lead, at);
                Step::Event(RecordEvent { lead, event, jobs, at: single, idempotency })
            }
            16 => Step::Contact(UpdateContact {
                lead,
                patch: self.contact(),
                obra: self.obra().into(),
                through: None,
                at,
            }),
            17 => {
                let fotos = world.record(lead).map(|f| f.fotos).unwrap_or_default();
                let at_random = FotoId(self.random.uuid());
                let foto = if fotos.is_empty() { at_random } else { self.random.one(&fotos).id };
                Step::DeleteFoto(lead, foto, at)
            }
            // The contract leaves open whether an unknown lead or its marked blob is reported first, so only known
            // leads are marked.
            18 => Step::Mark(self.random.one(&leads), self.digest(), at),
            19 => Step::Sweep(lead, self.digest()),
            20 => {
                let all = [Answer::M2Suelo, Answer::Estructural, Answer::Presupuesto, Answer::TasteText];
                let answers = all.into_iter().filter(|_| self.random.of_each(2)).collect();
                Step::Empty(ClearPerfil { lead, answers, at })
            }
            21 => {
                let zona = self.random.one(&[Zona::Cocina, Zona::Bano]);
                let (id, text) = (NotaId::of_form(lead, zona), self.text(2));
                Step::Nota(SetNota { lead, id, zona, text, at })
            }
            22 => Step::Archive(lead, at),
            23 => Step::Reopen(lead, at),
            _ => Step::Outbox(self.outbox(world, lead, single)),
        }
    }

    /// A filter within the sequence's companies, and a size of page.
    pub(crate) fn filter(&mut self, world: &World) -> (LeadFilter, u32) {
        let texts = ["ana", "100%", "_", "garcia", "\\", "nandu", "x.es", "", "1100"];
        let filter = LeadFilter {
            empresa: Some(self.random.one(&world.empresas).id),
            telefono_e164: self.maybe(6, |a| telefono(a.one(&DIGITS)).e164),
            email_normal: self.maybe(6, |a| email(a.one(&MAILS)).normal),
            tipo_reforma: self.maybe(6, word(Zona::WORDS, Zona::parse)),
            nivel: self.maybe(6, word(Nivel::WORDS, Nivel::parse)),
            canal_origen: self.maybe(6, word(CanalOrigen::WORDS, CanalOrigen::parse)),
            viable: self.maybe(6, |a| a.of_each(2)),
            estado_wa: self.maybe(6, word(EstadoWa::WORDS, EstadoWa::parse)),
            text: self.maybe(3, |a| a.one(&texts).to_owned()),
            since: self.maybe(6, |a| t(i64::try_from(a.until(17)).expect("small"))),
            until: self.maybe(6, |a| t(i64::try_from(a.until(17)).expect("small"))),
        };
        (filter, u32::try_from(1 + self.random.until(4)).expect("small"))
    }

    fn maybe<T>(&mut self, of_each: usize, value: impl FnOnce(&mut Random) -> T) -> Option<T> {
        self.random.of_each(of_each).then(|| value(&mut self.random))
    }

    fn text(&mut self, of_each: usize) -> Option<String> {
        self.maybe(of_each, |a| a.one(&TEXTS).to_owned())
    }

    fn digest(&mut self) -> Digest {
        Digest::of(&[u8::try_from(self.random.until(4)).expect("small")])
    }

    /// A key for one call in four, and few keys in few scopes, so that calls share them; some expire within the
    /// sequence, some have only a provisional answer.
    fn key(&mut self, what: &str, lead: LeadId, at: Timestamp) -> Option<Idempotency> {
        // The scope names the lead, as the path of a call does.
        if !self.random.of_each(4) {
            return None;
        }
        let k = self.random.one(&["k", "K"]);
        let body = u8::from(self.random.of_each(3));
        let mut key = key(&format!("POST {lead} {what}"), k, body, at);
        key.outcome = outcome(&self.random.until(4).to_string());
        // A key counts the jobs that it lists, whatever jobs the command makes.
        key.jobs = self.maybe(3, |a| JobId(a.uuid())).into_iter().collect();
        if self.random.of_each(2) {
            key.expira_en = t((at.as_second() - t(0).as_second()) + 3);
        }
        Some(key)
    }
}

/// One word of a list, read back into its value.
fn word<T>(words: &'static [&'static str], since: fn(&str) -> Option<T>) -> impl Fn(&mut Random) -> T {
    move |random| since(random.one(words)).expect("a word of the list")
}
