//! A quote that a person edits before it is sent.
//!
//! A [`Draft`] is plain data, stored as JSON: fields that an older program did not know read as their defaults. It
//! begins as the rooms and lines that the price table gives for a lead ([`Draft::of_lead`]). A person changes it.
//! [`Draft::recalculate`] applies new facts and prices without losing those changes, and [`Draft::compose`] seals it
//! into a [`Document`].
//!
//! No flag marks a line as changed: each line keeps the values that the table gave, and is changed if it differs from
//! them. What a person left alone (days, conditions, photos, notes, tax answers) is absent here and follows the company
//! and the lead.

mod changes;
mod check;
mod choices;
mod compose;
mod margin;
mod merge;
mod of_document;
mod recalculate;
mod table;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{Character, Discount, Terms};
use crate::decimal::{Cantidad, Percentage};
use crate::iva::{Answer, Condiciones, Contratante};
use crate::lead::Lead;
use crate::money::Cents;
use crate::perfil::{Calidad, Urgencia};
use crate::pricing::PricingInput;
use crate::provincia::Provincia;
use crate::tarifa::{Cause, Unidad};
use crate::{FotoId, NotaId, RoomKind, Zona};

#[cfg(doc)]
use super::Document;

pub use check::{MAX_BYTES, MAX_LINES, MAX_PAYMENTS, MAX_ROOMS};
pub use margin::Margin;
pub use merge::{Answers, Merged, Question, Side};
pub use recalculate::Recalculated;

/// A quote as a person edits it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Draft {
    #[serde(rename = "estancias")]
    pub rooms: Vec<Room>,
    /// What is known of the job as a whole.
    #[serde(rename = "obra")]
    pub job: WorkInput,
    /// What the lead said about the job when this was last calculated. A value that differs from it was set by hand.
    #[serde(rename = "obraDelLead")]
    pub job_of_lead: Option<WorkInput>,
    /// The price table that the lines were last calculated with.
    pub tarifa: Option<UsedTarifa>,
    #[serde(rename = "descuento")]
    pub discount: Option<Discount>,
    pub fotos: FotoChoice,
    pub notas: NotaChoice,
    #[serde(rename = "terminos")]
    pub terms: Terms,
    /// The conditions, one sentence each; if absent, the company's.
    pub condiciones: Option<Vec<String>>,
    /// How many days it is valid; if absent, as the company says.
    #[serde(rename = "diasValidez")]
    pub valid_days: Option<u16>,
    /// A person's answers to the questions that decide the tax.
    #[serde(rename = "respuestas")]
    pub tax: Option<TaxChoice>,
    /// Whether a person sends the quote as binding or orientative. `None`: it follows from what is known of the job.
    #[serde(rename = "caracter")]
    pub character: Option<Character>,
}

/// The version of a price table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsedTarifa {
    pub version: String,
    #[serde(with = "crate::day")]
    pub vigente_desde: Date,
}

/// What is known of the job as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WorkInput {
    pub urgencia: Option<Urgencia>,
    /// As a person wrote it.
    pub provincia: Option<String>,
}

/// What is known of a room. An absent value is assumed, and the quote says so.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RoomInput {
    #[serde(rename = "tipoReforma")]
    pub kind: Option<Zona>,
    pub m2_suelo: Option<f64>,
    /// Whether the area is only a guess of the client's.
    #[serde(rename = "m2Estimados", skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    pub calidad: Option<Calidad>,
    pub estructural: Option<bool>,
    /// The room within the type.
    #[serde(rename = "estancia")]
    pub room_kind: Option<RoomKind>,
}

/// A room, or another part of the job that is priced as a unit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Room {
    /// A number from 1, unique in the draft.
    pub id: u32,
    /// Its heading; if absent, the word for its zone.
    pub nombre: Option<String>,
    #[serde(rename = "datos")]
    pub facts: RoomInput,
    /// Only in the room that the lead asked for: what the lead said when the room was last calculated.
    #[serde(rename = "datosDelLead")]
    pub of_lead: Option<RoomInput>,
    pub capitulos: Vec<DraftChapter>,
    #[serde(rename = "ajustes")]
    pub adjustments: Vec<Adjustment>,
    /// The ids of the lines that the table gave, in its order. A line whose id is here but no longer among the lines
    /// was removed by hand.
    #[serde(rename = "lineasTabla")]
    pub table: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct DraftChapter {
    /// Its zone, if it is not the room's own zone.
    pub zona: Option<Zona>,
    pub nombre: String,
    /// Its key in the table; `None` if a person added it.
    #[serde(rename = "clave")]
    pub key: Option<String>,
    /// The name that the table gave it.
    #[serde(rename = "nombreTabla")]
    pub table: Option<String>,
    #[serde(rename = "lineas")]
    pub lines: Vec<DraftLine>,
}

/// A line that a person may change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct DraftLine {
    /// Unique in the draft, and the same for the whole life of the line.
    pub id: String,
    /// The key of the table's item; `None` for a free line.
    #[serde(rename = "clave")]
    pub key: Option<String>,
    pub concepto: String,
    #[serde(rename = "detalle")]
    pub detail: Option<String>,
    pub cantidad: Cantidad,
    pub unidad: Unidad,
    /// The price of one unit, before tax.
    pub precio: Cents,
    /// The part of the price that is the purchase cost of materials.
    pub material: Percentage,
    /// What one unit costs the company: the table's value unless a person changed it. Never shown to a client.
    pub coste: Option<Cents>,
    #[serde(rename = "descuento")]
    pub discount: Percentage,
    /// Whether the line is an option: it is not in the price until the client ticks it.
    #[serde(rename = "opcional")]
    pub optional: bool,
    /// The values that the table gave.
    #[serde(rename = "tabla")]
    pub table: Option<TableValues>,
}

/// The values of a line in the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TableValues {
    pub concepto: String,
    #[serde(rename = "detalle")]
    pub detail: Option<String>,
    pub cantidad: Cantidad,
    pub unidad: Unidad,
    pub precio: Cents,
    pub material: Percentage,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coste: Option<Cents>,
}

/// A percentage on the items of a room. A percentage of 0 % is not printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Adjustment {
    #[serde(rename = "causa")]
    pub cause: Cause,
    pub concepto: String,
    #[serde(rename = "porcentaje")]
    pub percentage: Percentage,
    /// The values that the table gave.
    #[serde(rename = "tabla", default)]
    pub table: Option<AdjustmentValues>,
}

/// The values of a percentage in the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdjustmentValues {
    pub concepto: String,
    #[serde(rename = "porcentaje")]
    pub percentage: Percentage,
}

/// A person's answers to the questions that decide the tax. If an answer is absent, the lead's answer applies, also one
/// that the lead gives later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TaxChoice {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vivienda: Option<Answer>,
    /// `None`: the person gave no answer, so the lead's applies. `Some(None)`: the person set it to unknown, whatever
    /// the lead says.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "null_is_an_answer")]
    pub contratante: Option<Option<Contratante>>,
    #[serde(rename = "dosAnos", skip_serializing_if = "Option::is_none")]
    pub two_years: Option<Answer>,
}

impl TaxChoice {
    /// The person's answers; where there is none, the lead's.
    pub fn over(self, usual: Condiciones) -> Condiciones {
        Condiciones {
            vivienda: self.vivienda.unwrap_or(usual.vivienda),
            contratante: self.contratante.unwrap_or(usual.contratante),
            two_years: self.two_years.unwrap_or(usual.two_years),
        }
    }
}

/// `null` means that a person set the answer to unknown; a missing field means that they gave no answer.
fn null_is_an_answer<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<Contratante>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// Which photos are printed: first those in `order`, then all others that are not left out. So photos that arrive later
/// are not lost.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FotoChoice {
    #[serde(rename = "orden")]
    pub order: Vec<FotoId>,
    #[serde(rename = "omitidas")]
    pub left_out: Vec<FotoId>,
}

/// Which notes are printed: those that the company's settings include, except for what a person added or left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NotaChoice {
    #[serde(rename = "mostradas")]
    pub shown: Vec<NotaId>,
    #[serde(rename = "omitidas")]
    pub left_out: Vec<NotaId>,
    /// Whether the client's wishes (`tasteText`) are left out.
    #[serde(rename = "sinGustos")]
    pub without_wishes: bool,
    /// Whether the amount that the client wants to spend is left out.
    #[serde(rename = "sinCifra")]
    pub without_target: bool,
}

impl Draft {
    /// What is known of a room, in the form that pricing takes.
    pub fn facts(&self, room: &Room, lead: &Lead) -> PricingInput {
        PricingInput {
            kind: room.facts.kind,
            m2_suelo: room.facts.m2_suelo,
            m2_estimated: room.facts.estimated,
            calidad: room.facts.calidad,
            estructural: room.facts.estructural,
            urgencia: self.job.urgencia,
            provincia: self.job.provincia.clone(),
            presupuesto_target: lead.perfil.presupuesto_target_cents.map(Cents),
            room_kind: room.facts.room_kind,
            ..PricingInput::of(lead)
        }
    }

    /// The answers that decide the tax: the person's, otherwise the lead's.
    pub fn condiciones(&self, usual: Condiciones) -> Condiciones {
        self.tax.unwrap_or_default().over(usual)
    }

    pub fn room(&self, id: u32) -> Option<&Room> {
        self.rooms.iter().find(|r| r.id == id)
    }

    pub fn room_mut(&mut self, id: u32) -> Option<&mut Room> {
        self.rooms.iter_mut().find(|r| r.id == id)
    }

    pub fn lines(&self) -> impl Iterator<Item = &DraftLine> {
        self.rooms.iter().flat_map(Room::lines)
    }

    /// The draft without costs, for people who may not see what a line costs the company.
    pub fn without_costs(&self) -> Self {
        let mut draft = self.clone();
        let chapters = draft.rooms.iter_mut().flat_map(|room| &mut room.capitulos);
        for line in chapters.flat_map(|chapter| &mut chapter.lines) {
            line.coste = None;
            if let Some(table) = &mut line.table {
                table.coste = None;
            }
        }
        draft
    }
}

impl Room {
    pub fn lines(&self) -> impl Iterator<Item = &DraftLine> {
        self.capitulos.iter().flat_map(|c| &c.lines)
    }

    /// The ids of the table's lines that a person removed.
    pub fn removed(&self) -> impl Iterator<Item = &str> {
        self.table.iter().map(String::as_str).filter(|id| !self.lines().any(|l| l.id == *id))
    }

    /// Whether the lines are, in content and order, exactly what the table gave.
    pub fn is_as_made(&self) -> bool {
        self.lines().map(|l| &l.id).eq(&self.table)
            && self.lines().all(|l| !l.is_changed())
            && self.capitulos.iter().all(|c| c.table.as_deref() == Some(c.nombre.as_str()))
            && self.adjustments.iter().all(|a| !a.is_changed())
    }
}

impl DraftLine {
    /// Whether a person wrote the line, or changed what the table gave.
    pub fn is_changed(&self) -> bool {
        self.table.as_ref() != Some(&self.values()) || self.discount != Percentage(0) || self.optional
    }

    /// Its present values, to be compared with what the table gave.
    pub fn values(&self) -> TableValues {
        TableValues {
            concepto: self.concepto.clone(),
            detail: self.detail.clone(),
            cantidad: self.cantidad,
            unidad: self.unidad,
            precio: self.precio,
            material: self.material,
            coste: self.coste,
        }
    }
}

impl Default for DraftLine {
    /// An empty line with the quantity 1.
    fn default() -> Self {
        Self {
            id: String::new(),
            key: None,
            concepto: String::new(),
            detail: None,
            cantidad: Cantidad::unidades(1),
            unidad: Unidad::Ud,
            precio: Cents::ZERO,
            material: Percentage(0),
            coste: None,
            discount: Percentage(0),
            optional: false,
            table: None,
        }
    }
}

impl Adjustment {
    /// Whether a person changed the values that the table gave.
    pub fn is_changed(&self) -> bool {
        let given = |t: &AdjustmentValues| t.concepto == self.concepto && t.percentage == self.percentage;
        !self.table.as_ref().is_some_and(given)
    }
}

impl RoomInput {
    /// What a lead says about the room that it asked for.
    pub fn of(lead: &Lead) -> Self {
        Self {
            kind: lead.perfil.tipo_reforma,
            // JSON cannot represent NaN and infinity.
            m2_suelo: lead.perfil.m2_suelo.filter(|m2| m2.is_finite()),
            estimated: lead.obra.is_estimate(lead.perfil.m2_suelo),
            calidad: lead.perfil.calidad_global,
            estructural: lead.perfil.estructural,
            room_kind: PricingInput::of(lead).room_kind,
        }
    }
}

impl WorkInput {
    /// What a lead says about the job.
    pub fn of(lead: &Lead) -> Self {
        Self { urgencia: lead.perfil.urgencia, provincia: lead.provincia_of_obra().map(bounded) }
    }
}

/// A province as a person wrote it, cut to the length that a draft allows.
fn bounded(provincia: &str) -> String {
    if provincia.chars().count() <= check::MAX_TEXT {
        return provincia.to_owned();
    }
    let known = Provincia::parse(provincia).map(|p| p.nombre().to_owned());
    known.unwrap_or_else(|| provincia.chars().take(check::MAX_TEXT).collect())
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
