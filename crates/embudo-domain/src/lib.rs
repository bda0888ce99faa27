//! The words of the business, parsed once.
//!
//! Everything here is pure: no I/O, no clock, no randomness, so that a rule can be read and tested by
//! itself. A request body becomes one of these types at the door ([`cuerpo::Cuerpo`]) or an [`Invalido`] that lists
//! every mistake; past the door nothing is validated again.
//!
//! Each body is described by a table of [`Campo`]s. The table is what the parser enforces *and* what the
//! OpenAPI document is generated from, so the two cannot drift.

#[macro_use]
mod macros;

pub mod bucle;
pub mod busqueda;
pub mod calculo;
pub mod calificacion;
pub mod color;
pub mod columns;
pub mod consentimiento;
pub mod contacto;
pub mod conversacion;
pub mod cuerpo;
pub mod datos;
pub mod decimal;
mod dia;
pub mod dinero;
pub mod empresa;
pub mod errores;
pub mod esquema;
pub mod evento;
pub mod fecha;
pub mod ficha;
pub mod huella;
pub mod ids;
pub mod imagen;
pub mod ingesta;
pub mod intento;
pub mod iva;
mod json;
pub mod lead;
pub mod marca;
pub mod number;
pub mod orden;
pub mod palabras;
pub mod perfil;
pub mod presupuesto;
pub mod provincia;
pub mod rendicion;
pub mod senal;
pub mod tarifa;
pub mod trabajo;
pub mod zona;

pub use cuerpo::Cuerpo;
pub use errores::{ErrorCampo, Invalido};
pub use esquema::{Campo, Tipo};
pub use huella::Huella;
pub use ids::{
    EmpresaId, EventoId, FotoId, IntentoId, LeadId, NotaId, PresupuestoId, ProcesoId, TrabajoId, TurnoId,
};
pub use jiff::Timestamp;
pub use zona::Zona;
