//! One file per endpoint: extract, call once, wrap.

pub(crate) mod calificacion;
pub(crate) mod conversacion;
pub(crate) mod events;
pub(crate) mod fotos;
pub(crate) mod ingesta;
pub(crate) mod intento;
pub(crate) mod leads;
pub(crate) mod list;
pub(crate) mod mensajeria;
pub(crate) mod pendiente;
pub(crate) mod perfil;
pub(crate) mod presupuestos;
pub(crate) mod visita;
