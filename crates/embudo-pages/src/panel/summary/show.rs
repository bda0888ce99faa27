//! `GET /panel/resumen`: the page.

use askama::Template;
use axum::extract::State;
use embudo_domain::figures::{Step, Sums};
use embudo_domain::role::Permission;
use embudo_domain::visita::SpanishTimeZone;
use http::{StatusCode, Uri};
use jiff::civil::Date;

use super::blocks::{Block, blocks};
use super::chart::Chart;
use super::{Asked, PRESETS, STYLES, words};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{private_page, read_fields};

/// How many campaigns, and how many reasons of lost leads, get a bar of their own.
const NAMES: usize = 8;

#[derive(Template)]
#[template(path = "panel/summary/page.html")]
struct SummaryPage {
    frame: PanelFrame,
    form: FormState,
    /// Address, name, and whether the preset is shown.
    presets: Vec<(String, &'static str, bool)>,
    /// The typed days.
    from: String,
    to: String,
    /// The days that are shown, for the export.
    shown: (String, String),
    range: String,
    zone: &'static str,
    /// A name, a figure, and a remark.
    keys: Vec<(&'static str, String, String)>,
    blocks: Vec<Block>,
    is_empty: bool,
    can_export: bool,
    width: i64,
}

/// `GET /panel/resumen?periodo=…` or `?desde=…&hasta=…`. Invalid days are reported, and the default range is shown.
pub(in crate::panel) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let empresa = signed.empresa()?.id;
    let (asked, mistake) = Asked::of(&state, empresa, &query).await?;
    let status = if mistake.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let mut form = FormState::default();
    let typed = mistake.is_some().then(|| [query.raw("desde"), query.raw("hasta")].map(day_typed));
    mistake.into_iter().for_each(|(field, text)| form.add(field, text));
    if query.raw("fallo") == "clave" {
        form.add("clave", "Esa no es tu contraseña. No se ha exportado nada.");
    }
    let summary = asked.summary(&state, empresa).await?;
    let sums = &summary.whole;
    let [(sent, issued), (taken, accepted)] = [sums.issued(), sums.accepted()];
    let margins = signed.may(Permission::SeeMargins);
    let leads = sums.leads();
    let converted = sums.step(Step::Accepted);
    let shown = (asked.range.from.to_string(), asked.range.to.to_string());
    let [from, to] = typed.unwrap_or_else(|| [shown.0.clone(), shown.1.clone()]);
    let page = SummaryPage {
        frame: PanelFrame::new(&state, &signed, "Resumen", Section::Summary).await?.with(STYLES, &[]),
        form,
        presets: PRESETS
            .iter()
            .map(|(word, name, _)| {
                (format!("/panel/resumen?periodo={word}"), *name, asked.preset == Some(*word))
            })
            .collect(),
        from,
        to,
        range: words::range(&asked.range),
        zone: match asked.zone {
            SpanishTimeZone::Madrid => "hora peninsular",
            SpanishTimeZone::Canary => "hora de Canarias",
        },
        keys: [
            ("Leads", words::count(leads), if leads == 1 { "llegó" } else { "llegaron" }.to_owned()),
            ("Conversión", words::part(converted, leads), words::many(converted, "aceptó", "aceptaron")),
            ("Presupuestado", issued.to_string(), {
                let sent = words::many(sent, "enviado", "enviados");
                match sums.orientative().0 {
                    0 => sent,
                    open => format!("{sent}, {}", words::many(open, "orientativo", "orientativos")),
                }
            }),
            ("Aceptado", accepted.to_string(), words::many(taken, "aceptado", "aceptados")),
        ]
        .into_iter()
        .chain(margins.then(|| margin(sums, taken)))
        .collect(),
        blocks: blocks(&summary, NAMES, margins),
        can_export: signed.may(Permission::KeepData),
        is_empty: sums.is_empty(),
        width: Chart::WIDTH,
        shown,
    };
    Ok(private_page(status, &page))
}

/// The margin of what was accepted, as far as the costs are known.
fn margin(sums: &Sums, taken: i64) -> (&'static str, String, String) {
    let (known, base, margin) = sums.margin();
    match known {
        0 => ("Margen", words::UNKNOWN.to_owned(), "sin costes apuntados".to_owned()),
        known => (
            "Margen",
            margin.to_string(),
            format!(
                "{}; {} de {} tienen costes",
                words::part(margin.0, base.0),
                words::count(known),
                words::count(taken)
            ),
        ),
    }
}

/// The typed text if it is a day. A date input cannot show anything else.
fn day_typed(text: &str) -> String {
    text.parse::<Date>().map(|day| day.to_string()).unwrap_or_default()
}
