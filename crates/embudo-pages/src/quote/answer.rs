//! `POST /p/:pase/aceptar`, `/rechazar`, `/visita` and `/dudas`: the client's answers.

use std::net::{IpAddr, Ipv4Addr};

use axum::extract::{Request, State};
use axum::response::Response;
use embudo_app::{ClientAnswer, ClientWord, MessageWish};
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{Character, ChosenOption, PresupuestoState};
use embudo_domain::rights::RightAsked;
use embudo_store::presupuestos::AnswerResult;
use http::StatusCode;

use super::access::{AnswerForm, Opened};
use super::view::FormPost;
use super::{bridge, show};
use crate::WebState;
use crate::parts::{FormFields, Refusal, fields_of, network, redirect};

/// The maximum length of a reason, in characters.
const MAX_REASON: usize = 2_000;
/// The maximum length of a note about a visit, in characters.
const MAX_NOTE: usize = 500;
/// The version of the text beside the button that asks to continue by messaging. Pressing the button is the consent to
/// be written to.
const DOUBTS_TEXT: &str = "presupuesto-2026-11";

/// The client accepts the quote. The form contains the tick «I have read it», the ticked options and the total that the
/// client saw.
pub(super) async fn accept(
    State(state): State<WebState>,
    sent: AnswerForm,
    request: Request,
) -> Result<Response, Refusal> {
    let fields = fields_of(&state, request).await?;
    let presupuesto = &sent.open.presupuesto;
    let document = &presupuesto.document;
    if document.character() == Character::Orientative {
        return refuse(&state, sent.open, ORIENTATIVE).await;
    }
    let ticked = fields.all("opcion");
    let Some(options) = document.choose(&ticked) else {
        let sending = FormPost { denied: Some(OTHER_OPTIONS), ..FormPost::default() };
        return show::display_with(&state, sent.open, StatusCode::UNPROCESSABLE_ENTITY, sending).await;
    };
    let chosen = document.with_options(&options);
    let owes = chosen.impuesto.owed_declaration().is_some();
    let (accepted, declared) = (fields.has("acepto"), fields.has("declaro"));
    let early_start = fields.has("inicio");
    let again = FormPost { declared, early_start, options: ticked.clone(), ..FormPost::default() };
    if seen_total(&fields, document.impuesto.total) != Some(chosen.total)
        && presupuesto.state.can_become(PresupuestoState::Aceptado)
        && presupuesto.validity.holds(bridge::today(&state))
    {
        let sending = FormPost { moved: true, ..again };
        return show::display_with(&state, sent.open, StatusCode::CONFLICT, sending).await;
    }
    if !accepted || (owes && !declared) {
        let sending = FormPost { unmarked: !accepted, undeclared: owes && !declared, accepted, ..again };
        return show::display_with(&state, sent.open, StatusCode::UNPROCESSABLE_ENTITY, sending).await;
    }
    let word = ClientWord::Accepts { options: ticked, total: chosen.total, declared: owes, early_start };
    Box::pin(respond(&state, sent, word, Some(&options))).await
}

/// The total that the client saw, as the page sent it. A page without options may leave the total out. `None` if the
/// value is not an amount.
fn seen_total(fields: &FormFields, own: Cents) -> Option<Cents> {
    match fields.raw("total") {
        "" => Some(own),
        cents => cents.parse().ok().map(Cents),
    }
}

/// The client declines the quote. The reason is optional.
pub(super) async fn reject(
    State(state): State<WebState>,
    sent: AnswerForm,
    request: Request,
) -> Result<Response, Refusal> {
    let reason = fields_of(&state, request).await?.text("motivo");
    if reason.chars().count() > MAX_REASON {
        let bad_reason = Some("Es demasiado largo: caben 2.000 letras. Quédate con lo principal.");
        let sending = FormPost { bad_reason, reason, ..FormPost::default() };
        return show::display_with(&state, sent.open, StatusCode::UNPROCESSABLE_ENTITY, sending).await;
    }
    let reason = Some(reason).filter(|m| !m.is_empty());
    Box::pin(respond(&state, sent, ClientWord::Declines { reason }, None)).await
}

/// The client asks for a visit to measure, on a quote that is not binding yet.
pub(super) async fn ask_visit(
    State(state): State<WebState>,
    sent: AnswerForm,
    request: Request,
) -> Result<Response, Refusal> {
    let note = fields_of(&state, request).await?.text("nota");
    if note.chars().count() > MAX_NOTE {
        let bad_note = Some("Es demasiado largo: caben 500 letras. El resto nos lo cuentas en la visita.");
        let sending = FormPost { bad_note, note, ..FormPost::default() };
        return show::display_with(&state, sent.open, StatusCode::UNPROCESSABLE_ENTITY, sending).await;
    }
    let note = Some(note).filter(|note| !note.is_empty());
    let result = bridge::ask_visit(&state, &sent.open.presupuesto, note).await?;
    match denied(result) {
        None => Ok(redirect(&format!("{}#resultado", sent.open.base))),
        Some(words) => refuse(&state, sent.open, words).await,
    }
}

const ORIENTATIVE: &str = "No hemos guardado tu respuesta: este presupuesto es orientativo y aún no se puede aceptar. Pídenos la visita y cerramos el precio contigo.";
const OTHER_OPTIONS: &str = "No hemos guardado tu respuesta: una de las opciones marcadas no es de este presupuesto. Márcalas aquí y vuelve a aceptar.";
const ALREADY_TAKEN: &str = "Este presupuesto ya está aceptado, tal como lo ves aquí. Para cambiar las opciones, llámanos y lo vemos.";

/// Records the answer. `taken` are the options that the client accepts.
async fn respond(
    state: &WebState,
    sent: AnswerForm,
    word: ClientWord,
    taken: Option<&[ChosenOption]>,
) -> Result<Response, Refusal> {
    let open = sent.open;
    let answer = ClientAnswer { word, ip: sent.ip };
    let result = bridge::answer(state, &open.presupuesto, answer).await?;
    if result == AnswerResult::Repeated
        && let Some(taken) = taken
    {
        // The same form sent twice counts once. The same form with other options is a different answer, which is
        // refused.
        let now = bridge::presupuesto(state, open.presupuesto.id).await?;
        if now.acceptance().is_some_and(|before| before.options != taken) {
            return refuse(state, open, ALREADY_TAKEN).await;
        }
    }
    match denied(result) {
        // The result is shown at the top of the page. The fragment scrolls the browser there.
        None => Ok(redirect(&format!("{}#resultado", open.base))),
        Some(words) => refuse(state, open, words).await,
    }
}

/// Why the answer was not recorded. `None` if it was recorded, now or earlier.
fn denied(result: AnswerResult) -> Option<&'static str> {
    Some(match result {
        AnswerResult::Done | AnswerResult::Repeated => return None,
        AnswerResult::DoesNotFit(PresupuestoState::Aceptado) => {
            "Este presupuesto ya está aceptado y no se puede rechazar desde aquí. Si algo ha cambiado, llámanos y lo vemos."
        }
        AnswerResult::DoesNotFit(PresupuestoState::Superseded) => {
            "No hemos guardado tu respuesta, porque hay un presupuesto más reciente. Míralo y respóndenos en él."
        }
        AnswerResult::DoesNotFit(_) => {
            "No hemos guardado tu respuesta, porque el presupuesto aún no está terminado. Vuelve a intentarlo en un minuto."
        }
        AnswerResult::Expired => {
            "No hemos guardado tu respuesta, porque el presupuesto ya no vale. Pídenos uno nuevo y te lo enviamos."
        }
        AnswerResult::IsOrientative => ORIENTATIVE,
        AnswerResult::IsBinding => {
            "Este presupuesto ya es definitivo: no hace falta una visita para aceptarlo. Si quieres que vayamos antes, llámanos."
        }
        AnswerResult::OtherOptions | AnswerResult::OtherTotal => OTHER_OPTIONS,
    })
}

/// Shows the current page with the reason why the answer was not recorded.
async fn refuse(state: &WebState, mut open: Opened, words: &'static str) -> Result<Response, Refusal> {
    // The quote may have changed since it was read, so it is read again.
    open.presupuesto = bridge::presupuesto(state, open.presupuesto.id).await?;
    let sending = FormPost { denied: Some(words), ..FormPost::default() };
    show::display_with(state, open, StatusCode::CONFLICT, sending).await
}

/// The client asks for a copy of their data, or for its erasure. A person of the company decides.
pub(super) async fn ask_right(
    State(state): State<WebState>,
    sent: AnswerForm,
    request: Request,
) -> Result<Response, Refusal> {
    let fields = fields_of(&state, request).await?;
    let Some(what) = RightAsked::parse(fields.raw("que")) else {
        return Ok(redirect(&format!("{}#datos", sent.open.base)));
    };
    let (app, presupuesto) = (state.app.clone(), sent.open.presupuesto);
    let work = embudo_trace::spawn(async move { app.rights().ask(&presupuesto, what).await });
    work.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    Ok(redirect(&format!("{}?datos={what}#datos", sent.open.base)))
}

/// The client asks to continue by messaging. The conversation starts at most once a minute.
pub(super) async fn ask(State(state): State<WebState>, sent: AnswerForm) -> Result<Response, Refusal> {
    let (app, lead) = (state.app.clone(), sent.open.presupuesto.lead);
    // The work has several steps. The spawned task finishes them even if the client disconnects.
    let from = network(sent.ip.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)));
    let job =
        embudo_trace::spawn(async move { app.forms().go_on_by_mensajeria(lead, DOUBTS_TEXT, &from).await });
    let wish = job.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    let doubts = if wish == MessageWish::Started { "enviadas" } else { "anotadas" };
    Ok(redirect(&format!("{}?dudas={doubts}#dudas", sent.open.base)))
}
