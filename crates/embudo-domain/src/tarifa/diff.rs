//! What changes from one price table to the next: item by item, and in the cost of sample jobs.
//!
//! For the company that is about to load a table. Nothing here makes a decision.

use super::{Partida, PartidaPrice, Recargo, Source, Tarifa, TarifaChapter, TarifaKind};
use crate::Zona;
use crate::decimal::{Cantidad, Percentage, half_up};
use crate::money::Cents;
use crate::perfil::Calidad;
use crate::pricing::{PricingInput, price};

/// Everything that differs between two tables; empty if nothing does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TarifaDiff {
    /// The items, in the order of the later table; removed items come last.
    pub partidas: Vec<PartidaChange>,
    /// The rest of the table, by the names of its fields: `provincias.Madrid`, `recargo.urgencia_alta`,
    /// `tipo.bano.m2_supuesto`.
    pub others: Vec<TextChange>,
}

/// An item that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartidaChange {
    pub key: String,
    /// As in the later table; for a removed item, as in the earlier table.
    pub concepto: String,
    pub what: Change,
    /// The prices that differ.
    pub precios: Vec<PriceChange>,
    /// The other fields that differ; empty if the item was added or removed.
    pub fields: Vec<TextChange>,
}

/// How an item changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Added,
    Removed,
    Changed,
}

/// The price of one quality before and after; `None` if that quality does not have the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceChange {
    pub calidad: Calidad,
    pub before: Option<Cents>,
    pub after: Option<Cents>,
}

/// A field other than a price, before and after, as the price table's file writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChange {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// A job to compare prices on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleJob {
    pub kind: Zona,
    pub m2: Cantidad,
    pub calidad: Calidad,
}

/// What a job costs by either table, before tax and at a price level of 100 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobChange {
    pub job: SampleJob,
    pub before: Cents,
    pub after: Cents,
    /// The later cost minus the earlier cost.
    pub difference: Cents,
    /// The difference as a percentage of the earlier cost; `None` if that cost was zero.
    pub percentage: Option<Percentage>,
}

const CALIDADES: [Calidad; 3] = [Calidad::Basica, Calidad::Media, Calidad::Premium];

/// The jobs with which every table can be compared: each type at its assumed size, in each quality.
pub fn usual_jobs(tarifa: &Tarifa) -> Vec<SampleJob> {
    let types = tarifa.kinds.iter().filter(|k| k.room_kind.is_none());
    let jobs =
        |k: &TarifaKind| CALIDADES.map(|calidad| SampleJob { kind: k.kind, m2: k.assumed_m2, calidad });
    types.flat_map(jobs).collect()
}

/// What some jobs cost by either table, in the order of the jobs.
pub fn compare(before: &Tarifa, after: &Tarifa, jobs: &[SampleJob]) -> Vec<JobChange> {
    let row = |job: &SampleJob| {
        let (before, after) = (cost(before, *job), cost(after, *job));
        let (difference, percentage) = (Cents(after.0 - before.0), change(before, after));
        JobChange { job: *job, before, after, difference, percentage }
    };
    jobs.iter().map(row).collect()
}

/// By what percentage the second amount exceeds the first; `None` if the first is zero.
pub fn change(before: Cents, after: Cents) -> Option<Percentage> {
    let difference = i128::from(after.0) - i128::from(before.0);
    let part = (before.0 > 0).then(|| half_up(difference * 10_000, i128::from(before.0)))?;
    Some(Percentage(i64::try_from(part).unwrap_or(i64::MAX)))
}

fn cost(tarifa: &Tarifa, job: SampleJob) -> Cents {
    // Areas of a table are at most 10^6 hundredths: exact as a float.
    #[allow(clippy::cast_precision_loss)]
    let m2_suelo = Some(job.m2.0 as f64 / 100.0);
    let facts = PricingInput {
        kind: Some(job.kind),
        m2_suelo,
        calidad: Some(job.calidad),
        ..PricingInput::default()
    };
    price(&facts, tarifa).base
}

/// The differences between one table and the next.
pub fn diff(before: &Tarifa, after: &Tarifa) -> TarifaDiff {
    let find = |of: &Tarifa, key: &str| of.partidas.iter().find(|p| p.key == key).cloned();
    let of_after = after.partidas.iter().filter_map(|p| item(find(before, &p.key).as_ref(), Some(p)));
    let is_gone = |p: &&Partida| find(after, &p.key).is_none();
    let gone = before.partidas.iter().filter(is_gone).filter_map(|p| item(Some(p), None));
    TarifaDiff {
        partidas: of_after.chain(gone).collect(),
        others: changes(&other_fields(before), &other_fields(after)),
    }
}

/// How an item changed; `None` if it did not.
fn item(before: Option<&Partida>, after: Option<&Partida>) -> Option<PartidaChange> {
    let what = match (before, after) {
        (None, _) => Change::Added,
        (_, None) => Change::Removed,
        // A different `own` alone is no change: an import sets this flag for every item.
        (Some(before), Some(after)) if *before == (Partida { own: before.own, ..after.clone() }) => {
            return None;
        }
        _ => Change::Changed,
    };
    let shown = after.or(before)?;
    let precio = |of: Option<&Partida>, calidad| of.and_then(|p| p.precio(calidad)).map(|p| p.precio);
    let change =
        |calidad| PriceChange { calidad, before: precio(before, calidad), after: precio(after, calidad) };
    let fields = |of: Option<&Partida>| of.map(item_fields).unwrap_or_default();
    Some(PartidaChange {
        key: shown.key.clone(),
        concepto: shown.concepto.clone(),
        what,
        precios: CALIDADES.map(change).into_iter().filter(|c| c.before != c.after).collect(),
        fields: match what {
            Change::Changed => changes(&fields(before), &fields(after)),
            Change::Added | Change::Removed => Vec::new(),
        },
    })
}

/// Fields by name, each once.
type Written = Vec<(String, String)>;

/// The fields of an item, except for its prices.
fn item_fields(p: &Partida) -> Written {
    let words = |all: Vec<&str>| all.join(", ");
    let mut fields = vec![
        ("concepto".to_owned(), p.concepto.clone()),
        ("capitulo".to_owned(), p.capitulo.clone()),
        ("tipos".to_owned(), words(p.kinds.iter().map(|z| z.as_str()).collect())),
        ("zona".to_owned(), p.zona.map(|z| z.to_string()).unwrap_or_default()),
        ("estancias".to_owned(), words(p.only_in.iter().map(|e| e.as_str()).collect())),
        ("salvo_estancias".to_owned(), words(p.not_in.iter().map(|e| e.as_str()).collect())),
        ("solo_estructural".to_owned(), if p.only_estructural { "true".to_owned() } else { String::new() }),
        ("unidad".to_owned(), p.unidad.symbol().to_owned()),
        ("cantidad".to_owned(), p.cantidad.to_string()),
        ("fuente".to_owned(), source(p.source.as_ref())),
    ];
    for calidad in CALIDADES {
        if let Some(PartidaPrice { material, coste, detail, .. }) = p.precio(calidad) {
            fields.push((format!("{calidad}.material"), material.to_string()));
            fields.push((format!("{calidad}.coste"), coste.map(|c| c.to_string()).unwrap_or_default()));
            fields.push((format!("{calidad}.detalle"), detail.clone().unwrap_or_default()));
        }
    }
    fields
}

/// Everything except the items and the version data.
fn other_fields(t: &Tarifa) -> Written {
    let mut fields = vec![
        ("notas".to_owned(), t.notas.clone()),
        ("altura_m".to_owned(), t.height.to_string()),
        ("redondeo_rango".to_owned(), t.range_rounding.to_string()),
        (
            "capitulos".to_owned(),
            t.capitulos.iter().map(|c| c.nombre.as_str()).collect::<Vec<_>>().join(", "),
        ),
    ];
    let coste = |c: &TarifaChapter| c.coste.map(|p| p.to_string()).unwrap_or_default();
    fields.extend(t.capitulos.iter().map(|c| (format!("coste.{}", c.nombre), coste(c))));
    fields.extend(t.provincias.iter().map(|(p, factor)| (format!("provincias.{p}"), factor.to_string())));
    fields.extend(t.recargos.iter().map(|r| (format!("recargo.{}", r.when), recargo(r))));
    fields.extend(t.kinds.iter().flat_map(kind_fields));
    fields
}

fn recargo(r: &Recargo) -> String {
    let floors =
        r.floors.map(|f| format!(" por planta, de la {} a la {}", f.first, f.last)).unwrap_or_default();
    format!("{} ({}{floors})", r.concepto, r.percentage)
}

fn kind_fields(k: &TarifaKind) -> Written {
    let room = k.room_kind.map(|e| format!(".{e}")).unwrap_or_default();
    [
        ("nombre", k.nombre.clone()),
        ("m2_minimo", k.min_m2.to_string()),
        ("m2_bajo", k.m2_low.to_string()),
        ("m2_supuesto", k.assumed_m2.to_string()),
        ("m2_alto", k.m2_high.to_string()),
        ("m2_maximo", k.max_m2.to_string()),
        ("supuesto", k.assumption.clone()),
        ("no_incluye", k.not_included.join("; ")),
        ("banos_supuestos", k.assumed_banos.map(|r| r.to_string()).unwrap_or_default()),
        ("fuente", source(k.source.as_ref())),
    ]
    .map(|(field, value)| (format!("tipo.{}{room}.{field}", k.kind), value))
    .into()
}

fn source(source: Option<&Source>) -> String {
    let Some(Source { text, published, link }) = source else { return String::new() };
    let year = published.map(|year| format!(" ({year})")).unwrap_or_default();
    let link = link.as_deref().map(|link| format!(" {link}")).unwrap_or_default();
    format!("{text}{year}{link}")
}

/// The fields that differ; an empty one counts as absent.
fn changes(before: &Written, after: &Written) -> Vec<TextChange> {
    let value = |of: &Written, field: &str| {
        of.iter().find(|(name, value)| name == field && !value.is_empty()).map(|(_, value)| value.clone())
    };
    let is_gone = |field: &&str| !after.iter().any(|(name, _)| name == field);
    let names = after.iter().map(|(name, _)| name.as_str());
    let gone = before.iter().map(|(name, _)| name.as_str()).filter(is_gone);
    let change = |field: &str| TextChange {
        field: field.to_owned(),
        before: value(before, field),
        after: value(after, field),
    };
    names.chain(gone).map(change).filter(|c| c.before != c.after).collect()
}

#[cfg(test)]
mod tests;
