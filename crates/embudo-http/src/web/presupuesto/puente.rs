//! What the page asks of the house, in one place.

use std::net::IpAddr;

use bytes::Bytes;
use embudo_domain::presupuesto::{EstadoPresupuesto, Presupuesto};
use embudo_domain::rendicion::Rendicion;
use embudo_domain::{FotoId, LeadId, PresupuestoId};
use embudo_store::presupuestos::Contestacion;
use jiff::civil::Date;

use crate::Estado;
use crate::web::piezas::Fallo;

/// One quote.
pub(super) async fn presupuesto(estado: &Estado, id: PresupuestoId) -> Result<Presupuesto, Fallo> {
    Ok(estado.app.store.presupuesto(id).await?)
}

/// The quote of a lead that counts now: the newest that went out and was not superseded.
pub(super) async fn actual(estado: &Estado, lead: LeadId) -> Result<Option<Presupuesto>, Fallo> {
    let todos = estado.app.store.presupuestos(lead).await?;
    let cuenta = |p: &Presupuesto| p.pdf.is_some() && p.estado != EstadoPresupuesto::Sustituido;
    Ok(todos.into_iter().find(cuenta))
}

/// What was made of a lead's photos.
pub(super) async fn rendiciones(estado: &Estado, lead: LeadId) -> Result<Vec<Rendicion>, Fallo> {
    Ok(estado.app.store.rendiciones(lead).await?)
}

/// Today, where the companies are.
pub(super) fn hoy(estado: &Estado) -> Date {
    jiff::tz::TimeZone::UTC.to_datetime(estado.app.ahora()).date()
}

/// Writes down what the client says.
pub(super) async fn contestar(
    _estado: &Estado,
    _presupuesto: &Presupuesto,
    _aceptado: bool,
    _motivo: Option<String>,
    _ip: Option<IpAddr>,
) -> Result<Contestacion, Fallo> {
    Err(Fallo::NoDisponible)
}

/// The PDF, byte for byte as it was sent.
pub(super) async fn pdf(_estado: &Estado, _presupuesto: &Presupuesto) -> Result<Bytes, Fallo> {
    Err(Fallo::NoDisponible)
}

/// A photo as the quote prints it.
pub(super) async fn foto(_estado: &Estado, _lead: LeadId, _foto: FotoId) -> Result<Bytes, Fallo> {
    Err(Fallo::NoDisponible)
}
