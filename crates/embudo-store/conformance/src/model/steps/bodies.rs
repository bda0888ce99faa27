//! Random commands about leads, with few people and few values, so that commands meet on them.

use super::{DIGITS, Draw, INTEGERS, MAILS, NAMES, NUMBERS, ORDERS, TEXTS, word};
use crate::data::{email, event, extreme_instants, perfil_from, telefono, with_contact};
use crate::model::outbox_steps::DEADLINES;
use crate::model::world::World;
use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::columns::{Cell, CellType};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::direccion::Direccion;
use embudo_domain::event::EventKind;
use embudo_domain::foto::StoredImage;
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::{Channel, Intento, IntentoResult};
use embudo_domain::job::JobKind;
use embudo_domain::lead::ContactPatch;
use embudo_domain::obra::Obra;
use embudo_domain::perfil::{EstadoWa, Perfil};
use embudo_domain::provincia::CodigoPostal;
use embudo_domain::{EmpresaId, FotoId, IntentoId, Kind, LeadId, NotaId, Timestamp, TurnoId, Zona};
use embudo_store::lead_writes::{AppendTurno, Ingest, NewFoto, NewNota, RecordIntento, UpsertCalificacion};
use embudo_store::leads::{CreateLead, search_text};

impl Draw {
    pub(super) fn create(&mut self, world: &World, at: Timestamp) -> CreateLead {
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
            obra: self.obra(),
            perfil: if self.random.of_each(2) { self.perfil() } else { Perfil::default() },
            utm: self.text(2).into_iter().map(|v| ("utm".to_owned(), v)).collect(),
            consentimientos: consentimientos.collect(),
            jobs: vec![self.new_job()],
            at,
            ..with_contact(id, nombre, digits, mail)
        }
    }

    pub(super) fn contact(&mut self) -> ContactPatch {
        ContactPatch {
            nombre: Some(self.random.one(&NAMES).to_owned()),
            telefono: self.maybe(2, |a| telefono(a.one(&DIGITS))),
            email: self.maybe(2, |a| email(a.one(&MAILS))),
            provincia: self.text(2),
        }
    }

    pub(super) fn obra(&mut self) -> Obra {
        Obra {
            es_vivienda: self.maybe(2, |a| a.of_each(2)),
            planta: self.maybe(3, |a| a.one(&[-1_i8, 0, 4])),
            codigo_postal: self.maybe(3, |a| CodigoPostal::parse(a.one(&["15001", "46001"]))).flatten(),
            direccion: self.maybe(3, |a| Direccion::parse(a.one(&["Calle Mayor 3", "Plaza 1"]))).flatten(),
            ..Obra::default()
        }
    }

    pub(super) fn turno(&mut self, lead: LeadId, at: Timestamp) -> AppendTurno {
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

    /// A profile with at least one field, as the API demands.
    pub(super) fn perfil(&mut self) -> Perfil {
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

    pub(super) fn calificacion(&mut self, lead: LeadId, at: Timestamp) -> UpsertCalificacion {
        let calificacion = Calificacion {
            score: Some(i64::try_from(self.random.until(101)).expect("small")),
            nivel: self.maybe(2, word(Nivel::WORDS, Nivel::parse)),
            criterios: self.maybe(2, |a| format!(r#"{{"b": 1.0,"a":{}}}"#, a.until(9))),
            notas_agente: self.text(2),
        };
        UpsertCalificacion { lead, calificacion, at, idempotency: self.key("calificacion", lead, at) }
    }

    pub(super) fn intento(&mut self, lead: LeadId, at: Timestamp) -> RecordIntento {
        let intento = Intento {
            channel: word(Channel::WORDS, Channel::parse)(&mut self.random),
            numero_intento: self.random.one(&INTEGERS),
            result: self.maybe(2, word(IntentoResult::WORDS, IntentoResult::parse)),
            completed: self.random.of_each(2),
            duracion_seg: self.maybe(2, |a| a.one(&INTEGERS)),
            notas: self.text(2),
            metadata: self.maybe(2, |_| r#"{ "z":1e2 }"#.to_owned()),
        };
        let idempotency = self.key("intento", lead, at);
        RecordIntento { id: IntentoId(self.random.uuid()), lead, intento, at, idempotency }
    }

    pub(super) fn ingesta(&mut self, world: &World, lead: LeadId, at: Timestamp) -> Ingest {
        let fotos = (0..self.random.until(4)).map(|_| self.foto()).collect();
        let mut notas: Vec<NewNota> = (0..self.random.until(3)).map(|_| self.nota()).collect();
        // At least one item, as the API demands.
        notas.push(self.nota());
        let finalizar = self.random.of_each(5);
        // A call with `finalizar` writes its event.
        let events = finalizar.then(|| event(EventKind::Finalizar, at)).into_iter().collect();
        let mut jobs: Vec<_> = (0..self.random.until(3)).map(|_| self.new_job()).collect();
        // The contract leaves open whether the `finalizar` of a call counts for a signal that the same call makes, and
        // what happens to a job that another job of its own call would replace. So neither is made here.
        jobs.retain(|t| !finalizar || t.kind != JobKind::Perfil);
        jobs.dedup_by_key(|t| t.kind);
        let swept = if self.random.of_each(2) { world.traces(lead) } else { vec![] };
        let idempotency = self.key("ingesta", lead, at);
        Ingest { lead, fotos, notas, events, jobs, finalizar, deadlines: DEADLINES, swept, at, idempotency }
    }

    pub(super) fn nota(&mut self) -> NewNota {
        let text = self.random.one(&TEXTS[1..]).to_owned();
        let zona = self.maybe(2, word(Zona::WORDS, Zona::parse));
        NewNota { id: NotaId(self.random.uuid()), text, zona }
    }

    pub(super) fn foto(&mut self) -> NewFoto {
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
