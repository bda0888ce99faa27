//! `/panel/presupuestos/:id/aceptado`: a person records that the client accepted by telephone, with which options and
//! which total.
//!
//! The acceptance follows the same rules as one on the quote's page. The only difference is that the person who
//! recorded it is stored with it.

use askama::Template;
use axum::extract::{Request, State};
use embudo_app::ClientWord;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{Character, Document, Presupuesto, PresupuestoState};
use embudo_store::presupuestos::AnswerResult;
use http::StatusCode;
use jiff::civil::Date;

use super::{OpenQuote, Paper, STYLES};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelFrame, PanelResult, Section};
use crate::parts::{FormFields, fields_of, private_page};

/// The maximum length of a note, in characters.
const MAX_NOTE: usize = 500;

#[derive(Template)]
#[template(path = "panel/quotes/by_phone.html")]
struct AcceptByPhonePage {
    frame: PanelFrame,
    form: FormState,
    base: String,
    nombre: String,
    number: String,
    /// Why the quote cannot be accepted.
    refused: Option<&'static str>,
    options: Vec<OptionBox>,
    total: String,
    total_cents: i64,
    /// What the client declares to get the reduced rate, if a declaration is required.
    declaracion: Option<String>,
    is_declared: bool,
    note: String,
}

struct OptionBox {
    id: String,
    concepto: String,
    importe: String,
    is_ticked: bool,
}

/// Why a quote cannot be accepted now.
pub(super) fn refused(quote: &Presupuesto, today: Date) -> Option<&'static str> {
    Some(match quote.state {
        PresupuestoState::Aceptado => "Este presupuesto ya está aceptado.",
        PresupuestoState::Superseded => "Hay un presupuesto más reciente: apúntalo en ese.",
        PresupuestoState::Preparing => "El PDF aún no está listo. Vuelve dentro de un minuto.",
        _ if quote.pdf.is_none() => "El PDF aún no está listo. Vuelve dentro de un minuto.",
        _ if quote.document.character() == Character::Orientative => {
            "Es orientativo y no se puede aceptar: cierra el precio y envíale una versión nueva."
        }
        _ if !quote.validity.holds(today) => "Ya no vale: haz una versión nueva y envíasela.",
        PresupuestoState::Emitido | PresupuestoState::Rechazado => return None,
    })
}

/// `GET /panel/presupuestos/:id/aceptado`.
pub(crate) async fn show(open: OpenQuote) -> PanelResult {
    page(&open, StatusCode::OK, FormState::default(), &FormFields::default()).await
}

async fn page(open: &OpenQuote, status: StatusCode, form: FormState, typed: &FormFields) -> PanelResult {
    let Paper::Quote(quote) = &open.paper else { return Ok(open.to("")) };
    let (state, document) = (&open.state, &quote.document);
    let ticked = own(document, &typed.all("opcion"));
    let chosen = document.with_options(&ticked);
    let frame = PanelFrame::new(state, &open.signed, "Aceptado por teléfono", Section::Quotes).await?;
    let options = document.options.iter().map(|option| OptionBox {
        concepto: match &option.room {
            Some(room) => format!("{room}: {}", option.line.concepto),
            None => option.line.concepto.clone(),
        },
        importe: option.line.importe.to_string(),
        is_ticked: ticked.contains(&option.id),
        id: option.id.clone(),
    });
    let page = AcceptByPhonePage {
        frame: frame.with(STYLES, &[]),
        form,
        base: open.path(),
        nombre: open.record.lead.name(),
        number: quote.number.to_string(),
        refused: refused(quote, state.app.today()),
        options: options.collect(),
        total: chosen.total.to_string(),
        total_cents: chosen.total.0,
        declaracion: chosen.impuesto.owed_declaration().map(str::to_owned),
        is_declared: typed.has("declaro"),
        note: typed.text("nota"),
    };
    Ok(private_page(status, &page))
}

/// Those of the named ids that are options of the quote.
fn own(document: &Document, named: &[String]) -> Vec<String> {
    let options = document.options.iter().filter(|option| named.contains(&option.id));
    options.map(|option| option.id.clone()).collect()
}

/// `POST /panel/presupuestos/:id/aceptado`.
pub(crate) async fn accept(State(state): State<WebState>, open: OpenQuote, request: Request) -> PanelResult {
    let Paper::Quote(quote) = &open.paper else { return Ok(open.to("")) };
    let fields = fields_of(&state, request).await?;
    if fields.raw("hacer") == "calcular" {
        return page(&open, StatusCode::OK, FormState::default(), &fields).await;
    }
    let options = own(&quote.document, &fields.all("opcion"));
    let chosen = quote.document.with_options(&options);
    let (owes, note) = (chosen.impuesto.owed_declaration().is_some(), fields.text("nota"));
    let mut form = FormState::default();
    if owes && !fields.has("declaro") {
        form.add("declaro", "Sin su declaración no vale el tipo reducido: pregúntaselo y márcalo.");
    }
    if note.chars().count() > MAX_NOTE {
        form.add("nota", "Es demasiado larga: caben 500 letras.");
    }
    if !form.is_good() {
        return page(&open, StatusCode::UNPROCESSABLE_ENTITY, form, &fields).await;
    }
    // The total that was read to the client must be the total that is recorded.
    if fields.raw("total").parse().map(Cents) != Ok(chosen.total) {
        let mistake = format!("Con lo marcado el total es {}. Díselo y apúntalo otra vez.", chosen.total);
        return page(&open, StatusCode::CONFLICT, FormState::wrong("", mistake), &fields).await;
    }
    let word = ClientWord::Accepts { options, total: chosen.total, declared: owes, early_start: false };
    let note = Some(note).filter(|note| !note.is_empty());
    let result = state.app.quotes().answer_by_phone(quote, word, note, &open.signed.actor()).await?;
    match result {
        AnswerResult::Done => Ok(open.to("?hecho=aceptado")),
        // The client or a colleague accepted first. The quote's page shows it.
        AnswerResult::Repeated => Ok(open.to("")),
        _ => {
            let mistake = "No se ha apuntado: el presupuesto ha cambiado. Míralo otra vez.";
            page(&open, StatusCode::CONFLICT, FormState::wrong("", mistake), &fields).await
        }
    }
}
