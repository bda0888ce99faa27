//! The differences between two price tables, in words.

use embudo_app::Comparison;
use embudo_domain::decimal::Percentage;
use embudo_domain::iva::{Impuestos, MaterialsShare};
use embudo_domain::money::Cents;
use embudo_domain::tarifa::diff::{
    Change, JobChange, PartidaChange, PriceChange, TextChange, change as part,
};

use crate::panel::kit::choices::{CALIDADES, label_of};

/// The maximum number of listed items. Nobody reads more; the summary counts all of them.
const MAX_ITEMS: usize = 150;
const MAX_OTHERS: usize = 60;
/// Items beyond this number are folded, so that the rest of the page can be found.
const OPEN_ITEMS: usize = 8;

/// The data of `panel/empresa/tarifa/changes.html`. A template that includes it has a field `changes`.
pub(super) struct Changes {
    pub summary: String,
    /// The first items, and then the folded ones.
    pub items: Vec<Item>,
    pub folded: Vec<Item>,
    /// How many items are not shown.
    pub more: usize,
    pub others: Vec<(String, String, String)>,
    pub jobs: Vec<Job>,
    pub warnings: Vec<String>,
}

pub(super) struct Item {
    pub concepto: String,
    pub key: String,
    pub word: &'static str,
    pub class: &'static str,
    pub lines: Vec<String>,
}

pub(super) struct Job {
    pub name: String,
    pub before: String,
    pub after: String,
    pub change: String,
    pub rises: bool,
    pub falls: bool,
}

impl Changes {
    pub fn of(comparison: &Comparison, impuestos: &Impuestos) -> Self {
        let Comparison { diff, jobs, near_limit } = comparison;
        let limit = impuestos.materials_limit();
        let warning = |share: &MaterialsShare| warning(share, limit.unwrap_or(Percentage::HUNDRED));
        Self {
            summary: summary(&diff.partidas, diff.others.len()),
            items: diff.partidas.iter().take(OPEN_ITEMS).map(item).collect(),
            folded: diff.partidas.iter().take(MAX_ITEMS).skip(OPEN_ITEMS).map(item).collect(),
            more: diff.partidas.len().saturating_sub(MAX_ITEMS),
            others: diff.others.iter().take(MAX_OTHERS).map(other).collect(),
            jobs: jobs.iter().map(job).collect(),
            warnings: near_limit.iter().map(warning).collect(),
        }
    }
}

/// Whether some prices of an item rise, and whether some fall.
fn direction(of: &PartidaChange) -> (bool, bool) {
    let pairs = || of.precios.iter().filter_map(|p| p.before.zip(p.after));
    (pairs().any(|(before, after)| after > before), pairs().any(|(before, after)| after < before))
}

/// «12 suben, 1 baja y 2 son nuevas». Also used in the audit log.
pub(super) fn summary(items: &[PartidaChange], others: usize) -> String {
    let count = |is: &dyn Fn(&PartidaChange) -> bool| items.iter().filter(|i| is(i)).count();
    let changed = |i: &PartidaChange| i.what == Change::Changed;
    let counts = [
        (count(&|i| changed(i) && direction(i) == (true, false)), "sube", "suben"),
        (count(&|i| changed(i) && direction(i) == (false, true)), "baja", "bajan"),
        (count(&|i| changed(i) && direction(i) == (true, true)), "sube y baja", "suben y bajan"),
        (
            count(&|i| changed(i) && direction(i) == (false, false)),
            "cambia en otra cosa",
            "cambian en otra cosa",
        ),
        (count(&|i| i.what == Change::Added), "es nueva", "son nuevas"),
        (count(&|i| i.what == Change::Removed), "desaparece", "desaparecen"),
    ];
    let mut parts: Vec<String> = counts
        .iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, one, many)| format!("{n} {}", if *n == 1 { one } else { many }))
        .collect();
    let items = match parts.pop() {
        None => "Ninguna partida cambia".to_owned(),
        Some(last) if parts.is_empty() => format!("Partidas: {last}"),
        Some(last) => format!("Partidas: {} y {last}", parts.join(", ")),
    };
    match others {
        0 => format!("{items}."),
        1 => format!("{items}. Cambia también otro dato de la tarifa."),
        n => format!("{items}. Cambian también otros {n} datos de la tarifa."),
    }
}

fn item(change: &PartidaChange) -> Item {
    let (word, class) = match (change.what, direction(change)) {
        (Change::Added, _) => ("Nueva", "ficha-bien"),
        (Change::Removed, _) => ("Desaparece", "ficha-mal"),
        (Change::Changed, (true, false)) => ("Sube", "ficha-ojo"),
        (Change::Changed, (false, true)) => ("Baja", "ficha-bien"),
        (Change::Changed, _) => ("Cambia", ""),
    };
    let mut lines: Vec<String> = change.precios.iter().map(price).collect();
    lines.extend(change.fields.iter().map(|c| {
        let (field, before, after) = other(c);
        format!("{field}: {before} → {after}")
    }));
    Item { concepto: change.concepto.clone(), key: change.key.clone(), word, class, lines }
}

fn price(change: &PriceChange) -> String {
    let name = label_of(CALIDADES, change.calidad.as_str());
    match (change.before, change.after) {
        (Some(before), Some(after)) => {
            let part = part(before, after).map(|p| format!(" ({})", signed(p))).unwrap_or_default();
            format!("{name}: {before} → {after}{part}")
        }
        (None, Some(after)) => format!("{name}: se añade, {after}"),
        (Some(before), None) => format!("{name}: se quita, era {before}"),
        (None, None) => name.to_owned(),
    }
}

fn other(change: &TextChange) -> (String, String, String) {
    let value = |text: &Option<String>| text.clone().unwrap_or_else(|| "(nada)".to_owned());
    (field(&change.field), value(&change.before), value(&change.after))
}

/// The name of a field in words, or the field's own name.
fn field(name: &str) -> String {
    let (kind, rest) = name.split_once('.').unwrap_or((name, ""));
    match (kind, rest) {
        ("concepto", _) => "Texto".to_owned(),
        ("capitulo", _) => "Capítulo".to_owned(),
        ("unidad", _) => "Unidad".to_owned(),
        ("cantidad", _) => "Cantidad".to_owned(),
        ("fuente", _) => "Fuente".to_owned(),
        ("notas", _) => "Nota".to_owned(),
        ("provincias", provincia) => format!("Nivel de precios de {provincia}"),
        ("recargo", when) => format!("Recargo ({})", when.replace('_', " ")),
        ("coste", capitulo) => format!("Coste de «{capitulo}», del precio"),
        (calidad, "coste") => format!("Coste, {}", label_of(CALIDADES, calidad).to_lowercase()),
        (calidad, "material") => format!("Materiales, {}", label_of(CALIDADES, calidad).to_lowercase()),
        (calidad, "detalle") => format!("Qué incluye, {}", label_of(CALIDADES, calidad).to_lowercase()),
        _ => name.to_owned(),
    }
}

fn job(change: &JobChange) -> Job {
    let calidad = label_of(CALIDADES, change.job.calidad.as_str()).to_lowercase();
    Job {
        name: format!("{}, {} m², {calidad}", change.job.kind.label(), change.job.m2),
        before: change.before.to_string(),
        after: change.after.to_string(),
        change: change.percentage.map(signed).unwrap_or_default(),
        rises: change.difference > Cents::ZERO,
        falls: change.difference < Cents::ZERO,
    }
}

fn warning(share: &MaterialsShare, limit: Percentage) -> String {
    let MaterialsShare { kind, calidad, m2, materiales } = share;
    let what = if *materiales > limit {
        "sus presupuestos llevan el tipo general de IVA"
    } else {
        "un cambio pequeño de la obra puede subir el IVA"
    };
    let calidad = label_of(CALIDADES, calidad.as_str()).to_lowercase();
    format!(
        "{}, {m2} m², calidad {calidad}: los materiales son el {materiales} del precio (el límite del IVA reducido es el {limit}): {what}.",
        kind.label()
    )
}

/// «+3 %».
pub(super) fn signed(part: Percentage) -> String {
    if part.0 > 0 { format!("+{part}") } else { part.to_string() }
}
