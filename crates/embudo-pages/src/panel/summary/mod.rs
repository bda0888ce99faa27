//! `/panel/resumen`: the figures of a company's leads in a range of days, with charts, the table behind each chart, and
//! an export.
//!
//! The days are those of the company's time zone. The figures are described once, as blocks ([`blocks`]), from which
//! both the page and the export are made.

mod blocks;
mod chart;
mod export;
mod show;
mod table;
mod words;

pub(super) use export::export;
pub(super) use show::show;

use embudo_domain::EmpresaId;
use embudo_domain::figures::{MAX_DAYS, Range, RangeMistake};
use embudo_domain::visita::SpanishTimeZone;
use embudo_store::figures::Summary;
use jiff::civil::Date;

use crate::WebState;
use crate::parts::{FormFields, Refusal};

const STYLES: &[&str] = &["resumen.css"];

/// A named range: its word in the address, its name, and its days.
type Preset = (&'static str, &'static str, fn(Date) -> Range);

const PRESETS: [Preset; 5] = [
    ("semana", "Esta semana", Range::this_week),
    ("mes", "Este mes", Range::this_month),
    ("mes-pasado", "Mes pasado", Range::last_month),
    ("90-dias", "90 días", Range::ninety_days),
    ("ano", "Este año", Range::this_year),
];

/// The requested range.
struct Asked {
    zone: SpanishTimeZone,
    range: Range,
    /// The preset's word. `None` if the days were typed.
    preset: Option<&'static str>,
}

/// An error: the field, and how to correct it.
type Mistake = (&'static str, String);

impl Asked {
    async fn of(
        state: &WebState,
        empresa: EmpresaId,
        query: &FormFields,
    ) -> Result<(Self, Option<Mistake>), Refusal> {
        let zone = state.app.visits().zone(empresa).await?;
        let today = zone.day(state.app.now());
        let usual = Self { zone, range: Range::ninety_days(today), preset: Some("90-dias") };
        let (from, to, named) = (query.raw("desde"), query.raw("hasta"), query.raw("periodo"));
        if from.is_empty() && to.is_empty() {
            let found = PRESETS.iter().find(|(word, ..)| *word == named);
            return Ok(match found {
                Some((word, _, days)) => (Self { range: days(today), preset: Some(word), ..usual }, None),
                None if named.is_empty() => (usual, None),
                None => {
                    (usual, Some(("", "No conocemos ese periodo: elige uno de los de arriba.".to_owned())))
                }
            });
        }
        Ok(match Range::parse(from, to) {
            Ok(range) => (Self { range, preset: None, ..usual }, None),
            Err(mistake) => (usual, Some(mistake_text(mistake))),
        })
    }

    async fn summary(&self, state: &WebState, empresa: EmpresaId) -> Result<Summary, Refusal> {
        Ok(state.app.store.summary(empresa, self.zone, self.range).await?)
    }
}

fn mistake_text(mistake: RangeMistake) -> Mistake {
    match mistake {
        RangeMistake::From => ("desde", "Escribe un día, por ejemplo 2027-01-31.".to_owned()),
        RangeMistake::To => ("hasta", "Escribe un día, por ejemplo 2027-01-31.".to_owned()),
        RangeMistake::Backwards => {
            ("hasta", "El último día va después del primero: cámbialos de sitio.".to_owned())
        }
        RangeMistake::TooLong => ("hasta", format!("Son más de tres años ({MAX_DAYS} días): elige menos.")),
    }
}
