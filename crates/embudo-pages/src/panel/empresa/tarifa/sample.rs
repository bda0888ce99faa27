//! A sample lead: the price of one job by two tables.

use embudo_domain::Zona;
use embudo_domain::decimal;
use embudo_domain::iva::{Condiciones, Impuesto, Impuestos};
use embudo_domain::money::Cents;
use embudo_domain::perfil::{Calidad, Urgencia};
use embudo_domain::pricing::{Line, Pricing, PricingInput};
use embudo_domain::provincia::Provincia;
use embudo_domain::tarifa::Tarifa;
use jiff::civil::Date;

use crate::panel::form_state::FormState;
use crate::panel::kit::choices::{CALIDADES, Choice, URGENCIAS, YES_NO, ZONAS, label_of};
use crate::parts::FormFields;

/// The maximum area of the sample lead, in hundredths of m². It covers the areas of any table.
const MAX_M2: i64 = 1_000_000;

/// The data of `panel/empresa/tarifa/sample.html`. A template that includes it has fields `sample`, `form` and `frame`.
pub(super) struct Sample {
    /// The address of the page that shows the sample.
    pub page: &'static str,
    pub kind: String,
    pub m2: String,
    pub calidad: String,
    pub provincia: String,
    pub urgencia: String,
    pub estructural: String,
    pub planta: String,
    pub ascensor: String,
    /// The prices. `None` if the lead cannot be read.
    pub result: Option<Outcome>,
}

pub(super) struct Outcome {
    pub title: String,
    pub before: Sum,
    pub after: Sum,
    pub difference: String,
    pub lines: Vec<Row>,
    /// The number of lines that are equal in both tables.
    pub alike: usize,
}

pub(super) struct Sum {
    pub version: String,
    pub total: String,
    pub base: String,
    pub tax: String,
}

pub(super) struct Row {
    pub concepto: String,
    pub before: String,
    pub after: String,
    pub difference: String,
}

/// A table and its name.
pub(super) type Named<'a> = (&'a str, &'a Tarifa);

impl Sample {
    /// Reads the lead of a form, or uses a typical one. A value that cannot be read becomes an error of its field.
    pub fn read(
        page: &'static str,
        fields: &FormFields,
        form: &mut FormState,
    ) -> (Self, Option<PricingInput>) {
        let or = |name: &str, usual: &str| match fields.text(name) {
            text if text.is_empty() => usual.to_owned(),
            text => text.chars().take(40).collect(),
        };
        let sample = Self {
            page,
            kind: or("prueba.tipo", "bano"),
            m2: or("prueba.m2", "6"),
            calidad: or("prueba.calidad", "media"),
            provincia: or("prueba.provincia", ""),
            urgencia: or("prueba.urgencia", "media"),
            estructural: or("prueba.estructural", "no"),
            planta: or("prueba.planta", ""),
            ascensor: or("prueba.ascensor", "si"),
            result: None,
        };
        let m2 = decimal::from_spanish(&sample.m2, 2).filter(|m2| (1..=MAX_M2).contains(m2));
        if m2.is_none() {
            form.add("prueba.m2", "Escribe los m² con un número de 0,01 a 10.000.");
        }
        let planta = match sample.planta.as_str() {
            "" => Some(None),
            text => text.parse::<i8>().ok().filter(|floor| (-5..=60).contains(floor)).map(Some),
        };
        if planta.is_none() {
            form.add("prueba.planta", "Escribe la planta con un número de -5 a 60.");
        }
        // The area has at most 10^6 hundredths, which `f64` holds exactly.
        #[allow(clippy::cast_precision_loss)]
        let facts = m2.zip(planta).map(|(m2, planta)| PricingInput {
            kind: Zona::parse(&sample.kind).or(Some(Zona::Bano)),
            m2_suelo: Some(m2 as f64 / 100.0),
            calidad: Calidad::parse(&sample.calidad).or(Some(Calidad::Media)),
            estructural: Some(sample.estructural == "si"),
            urgencia: Urgencia::parse(&sample.urgencia).or(Some(Urgencia::Media)),
            provincia: Provincia::parse(&sample.provincia).map(|p| p.nombre().to_owned()),
            planta,
            ascensor: Some(sample.ascensor != "no"),
            ..PricingInput::default()
        });
        (sample, facts)
    }

    /// Adds the prices of the lead by both tables.
    pub fn with(self, facts: Option<&PricingInput>, tables: [Named<'_>; 2], on: (&Impuestos, Date)) -> Self {
        Self { result: facts.map(|facts| outcome(facts, tables, on)), ..self }
    }

    pub fn zonas(&self) -> &'static [Choice] {
        ZONAS
    }

    pub fn calidades(&self) -> &'static [Choice] {
        CALIDADES
    }

    pub fn urgencias(&self) -> &'static [Choice] {
        URGENCIAS
    }

    pub fn yes_no(&self) -> &'static [Choice] {
        YES_NO
    }

    pub fn provincias(&self) -> Vec<&'static str> {
        let mut all: Vec<&str> = Provincia::all().map(Provincia::nombre).collect();
        all.sort_by_key(|nombre| embudo_domain::search::fold(nombre));
        all
    }
}

fn outcome(facts: &PricingInput, tables: [Named<'_>; 2], (impuestos, day): (&Impuestos, Date)) -> Outcome {
    let priced = tables.map(|(_, table)| impuestos.price(facts, table, Condiciones::default(), day));
    let [before, after] = &priced;
    let sum = |n: usize| sum(tables[n].0, &priced[n].1);
    let keys: Vec<(&str, &str)> = keys(&before.0, &after.0);
    let rows = || keys.iter().map(|(key, concepto)| row(concepto, line(&before.0, key), line(&after.0, key)));
    let calidad = label_of(CALIDADES, after.0.calidad.as_str()).to_lowercase();
    Outcome {
        title: format!("{}, {} m², calidad {calidad}", after.0.title, after.0.m2),
        before: sum(0),
        after: sum(1),
        difference: difference(before.1.total, after.1.total),
        lines: rows().flatten().collect(),
        alike: rows().filter(Option::is_none).count(),
    }
}

fn sum(version: &str, tax: &Impuesto) -> Sum {
    Sum {
        version: version.to_owned(),
        total: tax.total.to_string(),
        base: tax.base.to_string(),
        tax: format!("{} {}", tax.nombre, tax.percentage),
    }
}

/// The lines of both tables, those of the later table first.
fn keys<'a>(before: &'a Pricing, after: &'a Pricing) -> Vec<(&'a str, &'a str)> {
    let all = lines(after).chain(lines(before).filter(|l| line(after, &l.key).is_none()));
    all.map(|l| (l.key.as_str(), l.concepto.as_str())).collect()
}

fn lines(pricing: &Pricing) -> impl Iterator<Item = &Line> {
    pricing.capitulos.iter().flat_map(|c| &c.lines)
}

fn line<'a>(pricing: &'a Pricing, key: &str) -> Option<&'a Line> {
    lines(pricing).find(|l| l.key == key)
}

/// The difference in one line. `None` if the amount is the same.
fn row(concepto: &str, before: Option<&Line>, after: Option<&Line>) -> Option<Row> {
    let importe = |line: Option<&Line>| line.map(|l| l.importe);
    let amount = |line: Option<&Line>| importe(line).map_or("–".to_owned(), |i| i.to_string());
    let zero = |line: Option<&Line>| importe(line).unwrap_or(Cents::ZERO);
    (importe(before) != importe(after)).then(|| Row {
        concepto: concepto.to_owned(),
        before: amount(before),
        after: amount(after),
        difference: difference(zero(before), zero(after)),
    })
}

/// «+12,00 €».
fn difference(before: Cents, after: Cents) -> String {
    let difference = Cents(after.0 - before.0);
    if difference > Cents::ZERO { format!("+{difference}") } else { difference.to_string() }
}
