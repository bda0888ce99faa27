//! The dice: which command comes next, and with what in it.
//!
//! Few people, few values: commands must meet on the same leads, keys, telephones and blobs to show anything.

use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::columns::{Cell, CellType};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::event::EventKind;
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::{Channel, Intento, JobOutcome};
use embudo_domain::job::JobKind;
use embudo_domain::lead::ContactPatch;
use embudo_domain::perfil::{CanalOrigen, EstadoWa, Perfil};
use embudo_domain::record::StoredImage;
use embudo_domain::{
    Digest, EmpresaId, FotoId, IntentoId, JobId, Kind, LeadId, NotaId, ProcessId, Timestamp, TurnoId, Zona,
};

use super::outbox_steps::{DEADLINES, OutboxStep};
use super::world::World;
use crate::data::{
    MAX_INTEGER, ODD_TEXT, Random, email, event, extreme_instants, key, micros, outcome, perfil_from, t,
    telefono, with_contact,
};
use embudo_store::Idempotency;
use embudo_store::command::{
    Answer, AppendTurno, ClearPerfil, CreateLead, Ingest, NewFoto, NewNota, RecordEvent, RecordIntento,
    SetNota, UpdateContact, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::query::{LeadFilter, search_text};

/// One command.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Create(Box<CreateLead>),
    Contact(UpdateContact),
    Turno(AppendTurno),
    Perfil(UpdatePerfil),
    Calificacion(UpsertCalificacion),
    Intento(RecordIntento),
    Ingesta(Ingest),
    Event(RecordEvent),
    Empty(ClearPerfil),
    Nota(SetNota),
    DeleteFoto(LeadId, FotoId),
    Mark(LeadId, Digest, Timestamp),
    Sweep(LeadId, Digest),
    Outbox(OutboxStep),
}

impl Step {
    /// The lead it is about.
    pub(crate) fn lead(&self) -> Option<LeadId> {
        Some(match self {
            Self::Create(c) => c.id,
            Self::Contact(c) => c.lead,
            Self::Turno(c) => c.lead,
            Self::Perfil(c) => c.lead,
            Self::Calificacion(c) => c.lead,
            Self::Intento(c) => c.lead,
            Self::Ingesta(c) => c.lead,
            Self::Event(c) => c.lead,
            Self::Empty(c) => c.lead,
            Self::Nota(c) => c.lead,
            Self::DeleteFoto(lead, _) => *lead,
            Self::Mark(..) | Self::Sweep(..) | Self::Outbox(_) => return None,
        })
    }

    /// The key it carries.
    pub(crate) fn key(&self) -> Option<&Idempotency> {
        match self {
            Self::Create(c) => c.idempotency.as_ref(),
            Self::Turno(c) => c.idempotency.as_ref(),
            Self::Perfil(c) => c.idempotency.as_ref(),
            Self::Calificacion(c) => c.idempotency.as_ref(),
            Self::Intento(c) => c.idempotency.as_ref(),
            Self::Ingesta(c) => c.idempotency.as_ref(),
            Self::Event(c) => c.idempotency.as_ref(),
            Self::Contact(_)
            | Self::Empty(_)
            | Self::Nota(_)
            | Self::DeleteFoto(..)
            | Self::Mark(..)
            | Self::Sweep(..)
            | Self::Outbox(_) => None,
        }
    }
}

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

    /// The step number `n`. Times repeat, so that order must come from somewhere else.
    pub(crate) fn step(&mut self, world: &World, n: usize) -> Step {
        let at = t(i64::try_from(n / 3).expect("few steps"));
        // What the outbox and the loop compare by time has a moment of its own.
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
                Step::Perfil(UpdatePerfil { lead, perfil, at, idempotency })
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
            16 => Step::Contact(UpdateContact { lead, patch: self.contact(), at }),
            17 => {
                let fotos = world.record(lead).map(|f| f.fotos).unwrap_or_default();
                let at_random = FotoId(self.random.uuid());
                let foto = if fotos.is_empty() { at_random } else { self.random.one(&fotos).id };
                Step::DeleteFoto(lead, foto)
            }
            // Whether an unknown lead or its marked blob is told first is left open, so only known leads are marked.
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

    /// Few keys in few scopes, so that they meet; some expire within the sequence, some have only a provisional answer.
    fn key(&mut self, what: &str, lead: LeadId, at: Timestamp) -> Option<Idempotency> {
        // A lead that does not exist stores no key, so its scope says nothing.
        if !self.random.of_each(4) {
            return None;
        }
        let k = self.random.one(&["k", "K"]);
        let body = u8::from(self.random.of_each(3));
        let mut key = key(&format!("POST {lead} {what}"), k, body, at);
        key.outcome = outcome(&self.random.until(4).to_string());
        // A key counts the jobs it is told of, whatever the command makes.
        key.jobs = self.maybe(3, |a| JobId(a.uuid())).into_iter().collect();
        if self.random.of_each(2) {
            key.expira_en = t((at.as_second() - t(0).as_second()) + 3);
        }
        Some(key)
    }

    fn create(&mut self, world: &World, at: Timestamp) -> CreateLead {
        let id = LeadId(self.random.uuid());
        let (nombre, digits, mail) =
            (self.random.one(&NAMES), self.random.one(&DIGITS), self.random.one(&MAILS));
        let known = self.random.one(&world.empresas).id;
        let absent = self.maybe(10, |a| EmpresaId(a.uuid()));
        let provincia = self.text(2);
        let purpose = self.text(2);
        let consentimientos = purpose.into_iter().map(|purpose| Consentimiento {
            purpose,
            channel: None,
            texto_version: "1".into(),
            source: None,
            granted: true,
            otorgado_en: None,
        });
        CreateLead {
            empresa: Some(absent.unwrap_or(known)),
            search: search_text(nombre, mail, &telefono(digits).e164, provincia.as_deref()),
            provincia,
            perfil: if self.random.of_each(2) { self.perfil() } else { Perfil::default() },
            utm: self.text(2).into_iter().map(|v| ("utm".to_owned(), v)).collect(),
            consentimientos: consentimientos.collect(),
            jobs: vec![self.new_job()],
            at,
            ..with_contact(id, nombre, digits, mail)
        }
    }

    fn contact(&mut self) -> ContactPatch {
        ContactPatch {
            nombre: Some(self.random.one(&NAMES).to_owned()),
            telefono: self.maybe(2, |a| telefono(a.one(&DIGITS))),
            email: self.maybe(2, |a| email(a.one(&MAILS))),
            provincia: self.text(2),
        }
    }

    fn turno(&mut self, lead: LeadId, at: Timestamp) -> AppendTurno {
        let turno = Turno {
            rol: word(Rol::WORDS, Rol::parse)(&mut self.random),
            mensaje: self.random.one(&TEXTS[1..]).to_owned(),
            media_type: self.text(3),
            media_url: self.text(3),
            transcripcion_audio: self.text(3),
            estado_wa: self.maybe(3, word(EstadoWa::WORDS, EstadoWa::parse)),
            bot_step: self.text(3),
        };
        let idempotency = self.key("conversacion", lead, at);
        AppendTurno { id: TurnoId(self.random.uuid()), lead, turno, at, idempotency }
    }

    /// At least one field, as at the door.
    fn perfil(&mut self) -> Perfil {
        let always = Perfil::COLUMNS[self.random.until(Perfil::COLUMNS.len())].name;
        perfil_from(|column| {
            let random = &mut self.random;
            if column.name != always && !random.of_each(4) {
                return None;
            }
            Some(match (column.kind, column.holds) {
                (Kind::One(words), _) => Cell::Text(random.one(words)),
                (_, CellType::Text) => Cell::Text(random.one(&TEXTS)),
                (_, CellType::Boolean) => Cell::Boolean(random.of_each(2)),
                (_, CellType::Number) => Cell::Number(random.one(&NUMBERS)),
                (_, CellType::Integer) => Cell::Integer(random.one(&INTEGERS)),
                (_, CellType::Instant) => Cell::Instant(random.one(&extreme_instants())),
            })
        })
    }

    fn calificacion(&mut self, lead: LeadId, at: Timestamp) -> UpsertCalificacion {
        let calificacion = Calificacion {
            score: Some(i64::try_from(self.random.until(101)).expect("small")),
            nivel: self.maybe(2, word(Nivel::WORDS, Nivel::parse)),
            criterios: self.maybe(2, |a| format!(r#"{{"b": 1.0,"a":{}}}"#, a.until(9))),
            notas_agente: self.text(2),
        };
        UpsertCalificacion { lead, calificacion, at, idempotency: self.key("calificacion", lead, at) }
    }

    fn intento(&mut self, lead: LeadId, at: Timestamp) -> RecordIntento {
        let intento = Intento {
            channel: word(Channel::WORDS, Channel::parse)(&mut self.random),
            numero_intento: self.random.one(&INTEGERS),
            result: self.maybe(2, word(JobOutcome::WORDS, JobOutcome::parse)),
            completed: self.random.of_each(2),
            duracion_seg: self.maybe(2, |a| a.one(&INTEGERS)),
            notas: self.text(2),
            metadata: self.maybe(2, |_| r#"{ "z":1e2 }"#.to_owned()),
        };
        let idempotency = self.key("intento", lead, at);
        RecordIntento { id: IntentoId(self.random.uuid()), lead, intento, at, idempotency }
    }

    fn ingesta(&mut self, world: &World, lead: LeadId, at: Timestamp) -> Ingest {
        let fotos = (0..self.random.until(4)).map(|_| self.foto()).collect();
        let mut notas: Vec<NewNota> = (0..self.random.until(3)).map(|_| self.nota()).collect();
        // At least one item, as at the door.
        notas.push(self.nota());
        let finalizar = self.random.of_each(5);
        // A call with `finalizar` leaves its event.
        let events = finalizar.then(|| event(EventKind::Finalizar, at)).into_iter().collect();
        let mut jobs: Vec<_> = (0..self.random.until(3)).map(|_| self.new_job()).collect();
        // Whether a `finalizar` of the call that makes a signal counts for that signal is left open, and so is a job that
        // another of its own call would replace.
        jobs.retain(|t| !finalizar || t.kind != JobKind::Perfil);
        jobs.dedup_by_key(|t| t.kind);
        let swept = if self.random.of_each(2) { world.traces(lead) } else { vec![] };
        let idempotency = self.key("ingesta", lead, at);
        Ingest { lead, fotos, notas, events, jobs, finalizar, deadlines: DEADLINES, swept, at, idempotency }
    }

    fn nota(&mut self) -> NewNota {
        let text = self.random.one(&TEXTS[1..]).to_owned();
        let zona = self.maybe(2, word(Zona::WORDS, Zona::parse));
        NewNota { id: NotaId(self.random.uuid()), text, zona }
    }

    fn foto(&mut self) -> NewFoto {
        let (prefix, bytes, raw) = ("data:image/png;base64,".to_owned(), self.digest(), self.digest());
        let image = match self.random.until(4) {
            0 => StoredImage::Canonical { prefix, bytes },
            1 => StoredImage::Informal { prefix, bytes, raw },
            2 => StoredImage::Unreadable { prefix, raw },
            _ => StoredImage::Url("https://ejemplo.es/ñ.jpg".into()),
        };
        NewFoto {
            id: FotoId(self.random.uuid()),
            image,
            zona: self.maybe(2, word(Zona::WORDS, Zona::parse)),
            momento: word(Momento::WORDS, Momento::parse)(&mut self.random),
            orden: self.maybe(2, |a| a.one(&ORDERS)),
        }
    }
}

/// One word of a list, read back into its value.
fn word<T>(words: &'static [&'static str], since: fn(&str) -> Option<T>) -> impl Fn(&mut Random) -> T {
    move |random| since(random.one(words)).expect("a word of the list")
}
