//! `/panel/registro`: the audit log, newest entries first.

use std::collections::{HashMap, HashSet};

use askama::Template;
use axum::extract::State;
use embudo_domain::words::{self, beginning};
use embudo_domain::{AuditId, LeadId, Timestamp, UserId};
use embudo_store::StoreError;
use embudo_store::audit::{AuditCursor, AuditFilter};
use http::{StatusCode, Uri};

use super::words::moment;
use super::{PanelFrame, PanelResult, Section, Signed};
use crate::WebState;
use crate::parts::{FormFields, Refusal, private_page, read_fields};

const PAGE: u32 = 50;
/// The maximum length of the text of each entry.
const MAX_TEXT: usize = 1_000;

#[derive(Template)]
#[template(path = "panel/audit_log.html")]
struct AuditLogPage {
    frame: PanelFrame,
    entries: Vec<Line>,
    /// All people, as the filter shows them: id, name, whether they are selected.
    people: Vec<(String, String, bool)>,
    next: Option<String>,
    is_first: bool,
}

struct Line {
    when: String,
    who: String,
    what: &'static str,
    object: String,
    /// The name of the lead that was changed, or «ver la ficha» if the lead was erased.
    lead: Option<String>,
    empresa: String,
    ip: String,
    before: String,
    after: String,
}

/// `GET /panel/registro?persona=…&desde=…`.
pub(super) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let user = UserId::parse(query.raw("persona"));
    let after = cursor(&query);
    let filter = AuditFilter { user, empresa: None };
    let mut found = state.app.store.audit_log(filter, after, PAGE + 1).await?;
    let has_more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let next = found.last().filter(|_| has_more).map(|last| {
        let who = user.map(|user| format!("persona={user}&")).unwrap_or_default();
        format!("/panel/registro?{who}desde={}-{}", last.at.as_microsecond(), last.id)
    });
    let empresas = state.app.store.list_empresas().await?;
    let leads = found.iter().filter_map(|e| lead_of(e.object.as_deref())).collect();
    let (now, names) = (state.app.now(), lead_names(&state, leads).await?);
    let named = |lead| names.get(&lead).cloned().unwrap_or_else(|| "ver la ficha".to_owned());
    let entries = found.into_iter().map(|e| Line {
        when: moment(e.at, now),
        lead: lead_of(e.object.as_deref()).map(named),
        who: e.who,
        what: e.action.label(),
        object: e.object.unwrap_or_default(),
        empresa: empresas
            .iter()
            .find(|x| Some(x.id) == e.empresa)
            .map_or(String::new(), |x| x.nombre.clone()),
        ip: e.ip.map(|ip| ip.to_string()).unwrap_or_default(),
        before: beginning(&e.before.unwrap_or_default(), MAX_TEXT),
        after: beginning(&e.after.unwrap_or_default(), MAX_TEXT),
    });
    let entries = entries.collect();
    let people = state.app.store.list_users().await?;
    let page = AuditLogPage {
        frame: PanelFrame::new(&state, &signed, "Registro", Section::AuditLog).await?,
        entries,
        people: people.into_iter().map(|p| (p.id.to_string(), p.nombre, Some(p.id) == user)).collect(),
        next,
        is_first: after.is_none(),
    };
    Ok(private_page(StatusCode::OK, &page))
}

fn lead_of(object: Option<&str>) -> Option<LeadId> {
    object.and_then(LeadId::parse)
}

/// The current names of the leads on a page. The log itself does not store them.
async fn lead_names(state: &WebState, leads: HashSet<LeadId>) -> Result<HashMap<LeadId, String>, Refusal> {
    let mut names = HashMap::new();
    for lead in leads {
        match state.app.store.lead(lead).await {
            Ok(found) => _ = names.insert(lead, words::name(&found.nombre)),
            Err(StoreError::LeadNotFound) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(names)
}

/// The position of the last entry of the previous page. `None` starts with the newest entries: the address contains no
/// cursor, or an invalid one.
fn cursor(query: &FormFields) -> Option<AuditCursor> {
    let (micros, id) = query.raw("desde").split_once('-')?;
    let at = Timestamp::from_microsecond(micros.parse().ok()?).ok()?;
    Some(AuditCursor { at, id: AuditId::parse(id)? })
}
