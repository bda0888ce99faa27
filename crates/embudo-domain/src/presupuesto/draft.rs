//! A quote that a person edits before it is sent.
//!
//! A [`Draft`] is plain data, kept as JSON: fields that an older program did not know read as their defaults. It begins
//! as what the table says of a lead ([`Draft::of_lead`]), a person changes it, [`Draft::recalculate`] brings new facts
//! and prices in without losing those changes, and [`Draft::compose`] seals it into a [`Document`].
//!
//! Nothing marks a line as changed: each keeps what the table gave, and differs from it or not. What a person left
//! alone (days, conditions, photos, notes, tax answers) is absent here and follows the company and the lead.

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

/// What a person edits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Draft {
    #[serde(rename = "estancias")]
    pub rooms: Vec<Room>,
    /// What is known of the job as a whole.
    #[serde(rename = "obra")]
    pub job: WorkInput,
    /// What the lead said of it when this was last calculated: what differs from it was set by hand.
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
    /// The conditions, one sentence each; the company's where absent.
    pub condiciones: Option<Vec<String>>,
    /// How many days it holds; the company's where absent.
    #[serde(rename = "diasValidez")]
    pub valid_days: Option<u16>,
    /// A person's answers to the questions that decide the tax.
    #[serde(rename = "respuestas")]
    pub tax: Option<TaxChoice>,
    /// Whether a person sends the quote as binding or orientative. `None`: what is known of the job decides.
    #[serde(rename = "caracter")]
    pub character: Option<Character>,
}

/// A price table by its name.
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

/// What is known of a room; what is absent is supposed, and the quote says so.
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

/// A room, or whatever is priced together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Room {
    /// From 1, unique in the draft.
    pub id: u32,
    /// Its heading; its zone's word where absent.
    pub nombre: Option<String>,
    #[serde(rename = "datos")]
    pub facts: RoomInput,
    /// Only in the room that the lead asked for: what the lead said when it was last calculated.
    #[serde(rename = "datosDelLead")]
    pub of_lead: Option<RoomInput>,
    pub capitulos: Vec<DraftChapter>,
    #[serde(rename = "ajustes")]
    pub adjustments: Vec<Adjustment>,
    /// The ids of the lines that the table gave, in its order: one that is missing among the lines was removed by hand.
    #[serde(rename = "lineasTabla")]
    pub table: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct DraftChapter {
    /// Its zone where that is not the room's own.
    pub zona: Option<Zona>,
    pub nombre: String,
    /// Its key in the table; none where a person added it.
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
    /// Unique in the draft, and the same as long as the line lives.
    pub id: String,
    /// The key of the table's item; none for a free line.
    #[serde(rename = "clave")]
    pub key: Option<String>,
    pub concepto: String,
    #[serde(rename = "detalle")]
    pub detail: Option<String>,
    pub cantidad: Cantidad,
    pub unidad: Unidad,
    /// Of one unit, before tax.
    pub precio: Cents,
    /// The part of the price that is the purchase cost of materials.
    pub material: Percentage,
    /// What one unit costs the company, by the table unless a person changed it; never shown to a client.
    pub coste: Option<Cents>,
    #[serde(rename = "descuento")]
    pub discount: Percentage,
    /// Whether the client may tick it, and it is not in the price until then.
    #[serde(rename = "opcional")]
    pub optional: bool,
    /// What the table gave.
    #[serde(rename = "tabla")]
    pub table: Option<TableValues>,
}

/// What a line of the table says.
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

/// A percentage on the items of a room; one of 0 % is not printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Adjustment {
    #[serde(rename = "causa")]
    pub cause: Cause,
    pub concepto: String,
    #[serde(rename = "porcentaje")]
    pub percentage: Percentage,
    /// What the table gave.
    #[serde(rename = "tabla", default)]
    pub table: Option<AdjustmentValues>,
}

/// What the table says of a percentage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdjustmentValues {
    pub concepto: String,
    #[serde(rename = "porcentaje")]
    pub percentage: Percentage,
}

/// What decides the tax, answer by answer as a person set it; each that is absent is the lead's, also one that comes
/// later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TaxChoice {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vivienda: Option<Answer>,
    /// `Some(None)`: whatever the lead says, it is not known.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "null_is_an_answer")]
    pub contratante: Option<Option<Contratante>>,
    #[serde(rename = "dosAnos", skip_serializing_if = "Option::is_none")]
    pub two_years: Option<Answer>,
}

impl TaxChoice {
    /// The person's answers, else the lead's.
    pub fn over(self, usual: Condiciones) -> Condiciones {
        Condiciones {
            vivienda: self.vivienda.unwrap_or(usual.vivienda),
            contratante: self.contratante.unwrap_or(usual.contratante),
            two_years: self.two_years.unwrap_or(usual.two_years),
        }
    }
}

/// `null` says that the answer is unknown; a missing field says nothing.
fn null_is_an_answer<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<Contratante>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// Which photos are printed: those of `order` first, then all others that are not left out. So photos that come later
/// are not lost.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FotoChoice {
    #[serde(rename = "orden")]
    pub order: Vec<FotoId>,
    #[serde(rename = "omitidas")]
    pub left_out: Vec<FotoId>,
}

/// Which notes are printed: as the company's settings say, but for those that a person chose or left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NotaChoice {
    #[serde(rename = "mostradas")]
    pub shown: Vec<NotaId>,
    #[serde(rename = "omitidas")]
    pub left_out: Vec<NotaId>,
    /// Whether what the client would like (`tasteText`) is left out.
    #[serde(rename = "sinGustos")]
    pub without_wishes: bool,
    /// Whether what the client wants to spend is left out.
    #[serde(rename = "sinCifra")]
    pub without_target: bool,
}

impl Draft {
    /// What is known of a room, as pricing asks for it.
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

    /// What decides the tax: what a person answered, else the lead.
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

    /// The same for people who may not see what it costs the company.
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

    /// Whether it is, line by line and in its order, what the table gave.
    pub fn is_as_made(&self) -> bool {
        self.lines().map(|l| &l.id).eq(&self.table)
            && self.lines().all(|l| !l.is_changed())
            && self.capitulos.iter().all(|c| c.table.as_deref() == Some(c.nombre.as_str()))
            && self.adjustments.iter().all(|a| !a.is_changed())
    }
}

impl DraftLine {
    /// Whether a person wrote it, or changed what the table gave.
    pub fn is_changed(&self) -> bool {
        self.table.as_ref() != Some(&self.values()) || self.discount != Percentage(0) || self.optional
    }

    /// What it says now, to be compared with what the table gave.
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
    /// One unit of nothing yet.
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
    /// Whether a person changed what the table gave.
    pub fn is_changed(&self) -> bool {
        let given = |t: &AdjustmentValues| t.concepto == self.concepto && t.percentage == self.percentage;
        !self.table.as_ref().is_some_and(given)
    }
}

impl RoomInput {
    /// What a lead says of the room it asked for.
    pub fn of(lead: &Lead) -> Self {
        Self {
            kind: lead.perfil.tipo_reforma,
            // JSON has no word for what is no number.
            m2_suelo: lead.perfil.m2_suelo.filter(|m2| m2.is_finite()),
            estimated: lead.obra.is_estimate(lead.perfil.m2_suelo),
            calidad: lead.perfil.calidad_global,
            estructural: lead.perfil.estructural,
            room_kind: PricingInput::of(lead).room_kind,
        }
    }
}

impl WorkInput {
    /// What a lead says of the job.
    pub fn of(lead: &Lead) -> Self {
        Self { urgencia: lead.perfil.urgencia, provincia: lead.provincia_of_obra().map(bounded) }
    }
}

/// What a person wrote as a province, at a length that a draft may have.
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
