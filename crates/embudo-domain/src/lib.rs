//! The words of the business, parsed once.
//!
//! No module does I/O, reads a clock or draws random numbers, so that a rule can be read and tested by itself. A
//! request body is parsed into one of these types ([`body::Body`]) or an [`Invalid`] that lists every mistake; after
//! that nothing is validated again.
//!
//! Each body is described by a table of [`Field`]s. The table is what the parser enforces *and* what the
//! OpenAPI document is generated from, so the two cannot drift.

#[macro_use]
mod macros;

pub mod audit;
pub mod body;
pub mod brand;
pub mod calificacion;
pub mod checklist;
pub mod color;
pub mod columns;
pub mod company_key;
pub mod connections;
pub mod consentimiento;
pub mod contact;
pub mod conversacion;
pub mod data;
pub mod date;
mod day;
pub mod decimal;
pub mod digest;
pub mod direccion;
pub mod empresa;
pub mod errors;
pub mod etapa;
pub mod event;
pub mod facts;
pub mod figures;
pub mod form_questions;
pub mod foto;
pub mod holidays;
pub mod identity;
pub mod ids;
pub mod image;
pub mod ingesta;
pub mod intento;
pub mod iva;
pub mod job;
mod json;
pub mod lead;
pub mod legal;
pub mod money;
pub mod next_action;
pub mod nif;
pub mod nota;
pub mod notice;
pub mod number;
pub mod obra;
pub mod orden;
pub mod password;
pub mod perfil;
pub mod presupuesto;
pub mod pricing;
pub mod privacy;
pub mod provincia;
pub mod push;
pub mod rate;
pub mod record;
pub mod reminders;
pub mod rendition;
pub mod reply;
pub mod rights;
pub mod role;
pub mod room_kind;
pub mod schema;
pub mod search;
pub mod session;
pub mod settings;
pub mod sieve;
pub mod signal;
pub mod tarifa;
pub mod timeline;
pub mod user;
pub mod visita;
pub mod watched_loop;
pub mod words;
pub mod zona;

pub use body::Body;
pub use digest::Digest;
pub use errors::{FieldError, Invalid};
pub use ids::{
    AuditId, CompanyKeyId, EmpresaId, EventId, FotoId, IntentoId, JobId, LeadId, NotaId, PresupuestoId,
    ProcessId, PushId, ReplyId, SessionId, TurnoId, UserId, VisitaId,
};
pub use jiff::Timestamp;
pub use room_kind::RoomKind;
pub use schema::{Field, Kind};
pub use zona::Zona;
