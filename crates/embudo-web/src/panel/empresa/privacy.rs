//! `/panel/empresa/privacidad`: how long the company keeps what it knows of people, what that would erase now, what was erased, and the
//! quotes that the law wants kept.
//!
//! Rules that erase sooner than those in force take two presses: the first shows what they would erase, the second stores them.

use askama::Template;
use axum::extract::{Request, State};
use embudo_app::Forgotten;
use embudo_domain::audit::AuditAction;
use embudo_domain::presupuesto::PresupuestoNumber;
use embudo_domain::rights::{ErasureReason, LEGAL_YEARS, MAX_LEGAL_YEARS, MAX_MONTHS, Retention};
use embudo_domain::role::Role;
use embudo_domain::settings::Settings;
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::rights::BlockedQuote;
use http::{StatusCode, Uri};

use super::settings_edit::{self, Change};
use super::{Tabs, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::people::{WRONG_PASSWORD, is_password};
use crate::panel::stale::{Merged, STALE, merge, version};
use crate::panel::words::{day, moment};
use crate::panel::{PanelFrame, PanelResult, Signed, Visit};
use crate::parts::{FormFields, Refusal, fields_of, private_page, read_fields, redirect};

const PATH: &str = "/panel/empresa/privacidad";
/// The erasures and blocked quotes that the page shows.
const SHOWN: u32 = 50;

#[derive(Template)]
#[template(path = "panel/empresa/privacy.html")]
struct Page {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    done: Option<&'static str>,
    version: String,
    lost: String,
    quiet: String,
    years: String,
    usual_years: u8,
    /// What the saved rules would erase now, in words; or those that are about to be.
    dry_run: Vec<String>,
    /// Rules that wait for a second press, by their mark.
    asks: Option<String>,
    /// When, why, by whom, and how far it is.
    erased: Vec<(String, &'static str, String, &'static str)>,
    /// Only for who administers.
    blocked: Option<Blocked>,
    /// What stands now, where somebody else chose meanwhile.
    other: Option<String>,
}

/// Blocked quotes: number, total, until when, and id; and the address of those before.
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
    let empresa = signed.at_least(Role::Gestor)?.id;
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let done = match query.raw("hecho") {
        "si" => Some("Guardado."),
        "borrado" => Some("Datos borrados. Abajo queda apuntado que se hizo, sin decir de quién eran."),
        _ => None,
    };
    let now = values(&state.app.store.settings(empresa).await?.retention);
    let fields = FormFields(now.map(|(name, value)| (name.to_owned(), value)).into());
    let blocked_before = PresupuestoNumber::parse(query.raw("bloqueados"));
    page(&state, &signed, Shown { done, fields, blocked_before, ..Shown::default() }).await
}

/// What the page shows besides what is stored.
#[derive(Default)]
struct Shown {
    status: StatusCode,
    form: FormState,
    done: Option<&'static str>,
    /// What stands in the fields.
    fields: FormFields,
    /// What stands now, where somebody else chose meanwhile.
    other: Option<String>,
    /// Rules that were typed and would erase sooner than those in force.
    typed: Option<Retention>,
    /// Only blocked quotes before this one.
    blocked_before: Option<PresupuestoNumber>,
}

/// `POST /panel/empresa/privacidad`.
pub(crate) async fn save(
    State(state): State<WebState>,
    signed: Signed,
    visit: Visit,
    request: Request,
) -> PanelResult {
    signed.at_least(Role::Gestor)?;
    let sent = fields_of(&state, request).await?;
    let mut doubts = FormState::default();
    if sent.has("visto") {
        if !sent.has("seguro") {
            doubts.add("seguro", "Marca que sabes que no se puede deshacer.");
        } else if !is_password(&state, &signed, &visit, &sent).await? {
            doubts.add("clave", WRONG_PASSWORD);
        }
    }
    let change = |before: &Settings| {
        let Merged { fields, conflicts } = merge(&sent, &values(&before.retention));
        if !conflicts.is_empty() {
            return Err(Shown {
                status: StatusCode::CONFLICT,
                form: FormState::wrong("", STALE),
                fields,
                other: Some(said(&before.retention)),
                ..Shown::default()
            });
        }
        let retention = match read(&fields) {
            Ok(retention) => retention,
            Err(form) => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                return Err(Shown { status, form, fields, ..Shown::default() });
            }
        };
        if retention.erases_sooner(&before.retention) {
            let was_shown = sent.raw("visto") == mark_of(&retention);
            if !was_shown {
                return Err(Shown { fields, typed: Some(retention), ..Shown::default() });
            }
            if !doubts.is_good() {
                let (status, form) = (StatusCode::UNPROCESSABLE_ENTITY, doubts.clone());
                return Err(Shown { status, form, fields, typed: Some(retention), ..Shown::default() });
            }
        }
        let both = (said(&before.retention), said(&retention));
        Ok(Change { edited: Settings { retention, ..before.clone() }, said: both })
    };
    match settings_edit::edit(&state, &signed, AuditAction::RetentionSet, change).await? {
        Ok(()) => Ok(redirect(&format!("{PATH}?hecho=si"))),
        Err(shown) => page(&state, &signed, shown).await,
    }
}

/// By which the second press tells that it is about what the first one showed.
fn mark_of(retention: &Retention) -> String {
    version(values(retention).iter().map(|(_, value)| value.as_str()))
}

fn read(fields: &FormFields) -> Result<Retention, FormState> {
    let mut form = FormState::default();
    let mut months = |name: &'static str| match fields.text(name).as_str() {
        "" => None,
        typed => {
            let months = typed.parse().ok().filter(|months| (1..=MAX_MONTHS).contains(months));
            if months.is_none() {
                form.add(name, format!("Un número de meses, de 1 a {MAX_MONTHS}, o nada para no borrar."));
            }
            months
        }
    };
    let (lost_months, quiet_months) = (months("perdidos"), months("olvidados"));
    let legal_years = match fields.text("anos").as_str() {
        "" => None,
        typed => {
            let years = typed.parse().ok().filter(|years| (1..=MAX_LEGAL_YEARS).contains(years));
            if years.is_none() {
                form.add("anos", format!("Un número de años, de 1 a {MAX_LEGAL_YEARS}."));
            }
            years
        }
    };
    let retention = Retention { lost_months, quiet_months, legal_years };
    if form.is_good() { Ok(retention) } else { Err(form) }
}

/// What the form is made from.
fn values(retention: &Retention) -> [(&'static str, String); 3] {
    let text = |months: Option<u16>| months.map(|months| months.to_string()).unwrap_or_default();
    let years = retention.legal_years.map(|years| years.to_string()).unwrap_or_default();
    [("perdidos", text(retention.lost_months)), ("olvidados", text(retention.quiet_months)), ("anos", years)]
}

fn said(retention: &Retention) -> String {
    let term =
        |months: Option<u16>| months.map_or("nunca".to_owned(), |months| format!("a los {months} meses"));
    format!(
        "perdidos: {}; sin respuesta: {}; presupuestos aceptados: {} años",
        term(retention.lost_months),
        term(retention.quiet_months),
        retention.legal_years()
    )
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
    let (empresa, store, now) = (signed.at_least(Role::Gestor)?.id, &state.app.store, state.app.now());
    let retention = store.settings(empresa).await?.retention;
    let rules = shown.typed.as_ref().unwrap_or(&retention);
    let dry_run = state.app.rights().dry_run(empresa, rules).await?;
    let erased = store.erasures_of(empresa, SHOWN).await?.into_iter().map(|erasure| {
        let why = match erasure.reason {
            ErasureReason::Asked => "lo pidió",
            ErasureReason::Term => "por plazo",
        };
        let state = if erasure.ended_at.is_some() { "hecho" } else { "terminando" };
        (moment(erasure.asked_at, now), why, erasure.who, state)
    });
    let blocked = match signed.at_least(Role::Administrador) {
        Ok(_) => Some(Blocked::load(state, empresa, shown.blocked_before).await?),
        Err(_) => None,
    };
    let page = Page {
        frame: frame(state, signed, "Privacidad").await?,
        tabs: Tabs { here: PATH },
        version: mark_of(&retention),
        lost: shown.fields.text("perdidos"),
        quiet: shown.fields.text("olvidados"),
        years: shown.fields.text("anos"),
        usual_years: LEGAL_YEARS,
        dry_run: vec![
            foretold("Perdidos", dry_run.lost, rules.lost_months.is_some(), now),
            foretold("Sin respuesta", dry_run.quiet, rules.quiet_months.is_some(), now),
        ],
        asks: shown.typed.as_ref().map(mark_of),
        erased: erased.collect(),
        blocked,
        form: shown.form,
        done: shown.done,
        other: shown.other,
    };
    Ok(private_page(shown.status, &page))
}
