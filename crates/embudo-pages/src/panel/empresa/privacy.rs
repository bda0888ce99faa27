//! `/panel/empresa/privacidad`: how long the company keeps personal data, what these rules would erase now, what was
//! erased, and the quotes that the law requires to keep.
//!
//! Rules that erase sooner than the current ones must be sent twice: the first time the page shows what they would
//! erase, the second time they are stored.

use askama::Template;
use axum::extract::{Request, State};
use embudo_app::Forgotten;
use embudo_domain::audit::AuditAction;
use embudo_domain::presupuesto::PresupuestoNumber;
use embudo_domain::rights::{ErasureReason, LEGAL_YEARS, MAX_LEGAL_YEARS, MAX_MONTHS};
use embudo_domain::role::Permission;
use embudo_domain::settings::Settings;
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::rights::BlockedQuote;
use http::Uri;

use super::{Tabs, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::{Form, FormView, Group, Returned, whole};
use crate::panel::kit::password::{WRONG_PASSWORD, is_password};
use crate::panel::kit::settings_edit::{self, Change};
use crate::panel::words::{day, moment};
use crate::panel::{Caller, PanelFrame, PanelResult, Signed};
use crate::parts::{Refusal, fields_of, private_page, read_fields, redirect};

const PATH: &str = "/panel/empresa/privacidad";
/// The maximum number of erasures and of blocked quotes on the page.
const SHOWN: u32 = 50;

const MONTHS: &str = "Un número de meses, de {min} a {max}, o nada para no borrar.";

const FORM: Form<Settings> = Form::new(
    PATH,
    "Guardar",
    &[Group::new(
        "",
        "",
        &[
            whole!(
                "perdidos",
                "Leads perdidos: meses desde lo último que pasó",
                Settings.retention.lost_months,
                1..=MAX_MONTHS as u32,
                MONTHS
            )
            .hint("Vacío: no se borran solos."),
            whole!(
                "olvidados",
                "Leads que se quedaron sin respuesta: meses sin que pase nada",
                Settings.retention.quiet_months,
                1..=MAX_MONTHS as u32,
                MONTHS
            )
            .hint("Los que no se perdieron ni aceptaron, y a los que no les ha pasado nada en ese tiempo. Quien aceptó un presupuesto o espera una visita no entra nunca."),
            whole!(
                "anos",
                "Presupuestos aceptados de quien se borra: años bloqueados",
                Settings.retention.legal_years,
                1..=MAX_LEGAL_YEARS as u32,
                "Un número de años, de {min} a {max}."
            ),
        ],
    )],
);

#[derive(Template)]
#[template(path = "panel/empresa/privacy.html")]
struct PrivacySettingsPage {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    done: Option<&'static str>,
    view: FormView,
    /// What the saved rules, or the rules to be confirmed, would erase now, in words.
    dry_run: Vec<String>,
    /// The version of the typed rules, if the person must confirm them by sending them a second time.
    asks: Option<String>,
    /// The moment, the reason, the person, and the progress of each erasure.
    erased: Vec<(String, &'static str, String, &'static str)>,
    /// Set only for administrators.
    blocked: Option<Blocked>,
}

/// Blocked quotes with number, total, end of the retention, and id; and the address of the earlier quotes.
struct Blocked {
    quotes: Vec<(String, String, String, String)>,
    is_first: bool,
    next: Option<String>,
}

impl Blocked {
    async fn load(
        state: &WebState,
        empresa: EmpresaId,
        before: Option<PresupuestoNumber>,
    ) -> Result<Self, Refusal> {
        let mut found = state.app.store.blocked_of(empresa, before, SHOWN + 1).await?;
        let has_more = found.len() > SHOWN as usize;
        found.truncate(SHOWN as usize);
        let next = found.last().filter(|_| has_more);
        let next = next.map(|last| format!("{PATH}?bloqueados={}#bloqueados", last.number));
        let now = state.app.now();
        let row = |quote: BlockedQuote| {
            (quote.number.to_string(), quote.total.to_string(), day(quote.until, now), quote.id.to_string())
        };
        Ok(Self { quotes: found.into_iter().map(row).collect(), is_first: before.is_none(), next })
    }
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let done = match query.raw("hecho") {
        "si" => Some("Guardado."),
        "borrado" => Some("Datos borrados. Abajo queda apuntado que se hizo, sin decir de quién eran."),
        _ => None,
    };
    let blocked_before = PresupuestoNumber::parse(query.raw("bloqueados"));
    page(&state, &signed, Shown { done, blocked_before, ..Shown::default() }).await
}

/// What the page shows in addition to the stored settings.
#[derive(Default)]
struct Shown {
    returned: Returned,
    done: Option<&'static str>,
    /// Typed settings that would erase sooner than the current ones.
    typed: Option<Settings>,
    /// Only blocked quotes before this one are shown.
    blocked_before: Option<PresupuestoNumber>,
}

/// `POST /panel/empresa/privacidad`.
pub(crate) async fn save(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    signed.empresa()?;
    let sent = fields_of(&state, request).await?;
    let mut doubts = FormState::default();
    if sent.has("visto") {
        if !sent.has("seguro") {
            doubts.add("seguro", "Marca que sabes que no se puede deshacer.");
        } else if !is_password(&state, &signed, &caller, &sent).await? {
            doubts.add("clave", WRONG_PASSWORD);
        }
    }
    let change = |before: &Settings| {
        let edited = FORM
            .read(&sent, before)
            .map_err(|returned| Box::new(Shown { returned: *returned, ..Shown::default() }))?;
        let was_shown = sent.raw("visto") == FORM.version(&edited);
        if edited.retention.erases_sooner(&before.retention) && !(was_shown && doubts.is_good()) {
            let mut returned = Returned { typed: FORM.fields_of(&edited), ..Returned::default() };
            if was_shown {
                returned = Returned::wrong(doubts.clone(), returned.typed);
            }
            return Err(Box::new(Shown { returned, typed: Some(edited), ..Shown::default() }));
        }
        Ok(Change { audit_texts: FORM.audit_text(before, &edited), edited })
    };
    match settings_edit::edit(&state, &signed, AuditAction::RetentionSet, change).await? {
        Ok(()) => Ok(redirect(&format!("{PATH}?hecho=si"))),
        Err(shown) => page(&state, &signed, *shown).await,
    }
}

fn foretold(what: &str, found: Forgotten, is_on: bool, now: Timestamp) -> String {
    let Some(oldest) = found.oldest.filter(|_| is_on) else {
        let words = if is_on { "ahora mismo, ninguno" } else { "no se borra ninguno" };
        return format!("{what}: {words}.");
    };
    let count = match (found.count, found.more) {
        (1, _) => "1 lead".to_owned(),
        (count, false) => format!("{count} leads"),
        (count, true) => format!("más de {count} leads"),
    };
    format!("{what}: {count}; al más antiguo no le pasa nada desde el {}.", day(oldest, now))
}

async fn page(state: &WebState, signed: &Signed, shown: Shown) -> PanelResult {
    let (empresa, store, now) = (signed.empresa()?.id, &state.app.store, state.app.now());
    let settings = store.settings(empresa).await?;
    let rules = &shown.typed.as_ref().unwrap_or(&settings).retention;
    let dry_run = state.app.rights().dry_run(empresa, rules).await?;
    let erased = store.erasures_of(empresa, SHOWN).await?.into_iter().map(|erasure| {
        let why = match erasure.reason {
            ErasureReason::Asked => "lo pidió",
            ErasureReason::Term => "por plazo",
        };
        let state = if erasure.ended_at.is_some() { "hecho" } else { "terminando" };
        (moment(erasure.asked_at, now), why, erasure.who, state)
    });
    let blocked = match signed.may(Permission::Administer) {
        true => Some(Blocked::load(state, empresa, shown.blocked_before).await?),
        false => None,
    };
    let mut view = FORM.view(&settings, &shown.returned);
    view.adorn("anos", |input| {
        let asked = format!("La ley mercantil pide conservarlos {LEGAL_YEARS} años.");
        input
            .with("placeholder", LEGAL_YEARS)
            .hint(format!("{asked} Pregunta a tu asesoría antes de cambiarlo."))
    });
    let page = PrivacySettingsPage {
        frame: frame(state, signed, "Privacidad").await?,
        tabs: Tabs { here: PATH },
        view,
        dry_run: vec![
            foretold("Perdidos", dry_run.lost, rules.lost_months.is_some(), now),
            foretold("Sin respuesta", dry_run.quiet, rules.quiet_months.is_some(), now),
        ],
        asks: shown.typed.as_ref().map(|typed| FORM.version(typed)),
        erased: erased.collect(),
        blocked,
        form: shown.returned.form,
        done: shown.done,
    };
    Ok(private_page(shown.returned.status, &page))
}
