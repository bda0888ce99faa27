//! `/panel/empresa/conexiones/claves`: API keys of the company. A key is shown once, when it is made.

use axum::extract::{Request, State};
use embudo_domain::CompanyKeyId;
use embudo_domain::company_key::{CompanyKey, MAX_LIVE, parse_name};
use embudo_domain::role::Role;
use embudo_domain::{EmpresaId, Timestamp};

use super::{connections, shown_once};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::Returned;
use crate::panel::people::{WRONG_PASSWORD, is_password};
use crate::panel::words::ago;
use crate::panel::{Caller, PanelResult, Signed};
use crate::parts::{FormFields, Refusal, fields_of, redirect};

/// The field of its name.
pub(super) const NAME: &str = "clave_nombre";

/// A key in the list.
pub(super) struct ShownKey {
    pub id: String,
    pub nombre: String,
    pub prefix: String,
    pub made: String,
    pub used: String,
    pub revoked: Option<String>,
}

/// `POST /panel/empresa/conexiones/claves`. It opens what an export holds, and asks for the password as an export does.
pub(crate) async fn create(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let empresa = signed.at_least(Role::Gestor)?.id;
    let fields = fields_of(&state, request).await?;
    let mut form = FormState::default();
    let typed = fields.text(NAME);
    let nombre = form.check(NAME, parse_name(&typed));
    if nombre.is_some() && !is_password(&state, &signed, &caller, &fields).await? {
        form.add("clave", WRONG_PASSWORD);
    }
    if let Some(nombre) = nombre.filter(|_| form.is_good()) {
        let title = format!("Clave «{nombre}»");
        if let Some(key) = state.app.company_keys().create(empresa, nombre, &signed.actor()).await? {
            let text = "Ponla en el programa que llama a la API: «Authorization: Bearer» y la clave. Solo abre los leads de esta empresa.";
            return shown_once::page(&state, &signed, title, text, "Clave", key).await;
        }
        form.add(NAME, format!("Ya hay {MAX_LIVE} claves en uso: revoca antes una que no se use."));
    }
    let returned = Returned::wrong(form, FormFields::default());
    connections::page(&state, &signed, &caller, connections::Shown { key_name: typed, ..returned.into() })
        .await
}

/// `POST /panel/empresa/conexiones/claves/revocar`.
pub(crate) async fn revoke(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let empresa = signed.at_least(Role::Gestor)?.id;
    let fields = fields_of(&state, request).await?;
    let Some(id) = CompanyKeyId::parse(&fields.text("clave")) else {
        return Ok(redirect(connections::PATH));
    };
    match state.app.company_keys().revoke(empresa, id, &signed.actor()).await? {
        true => Ok(redirect(&format!("{}?hecho=revocada", connections::PATH))),
        false => Err(Refusal::NotFound),
    }
}

/// The company's keys as they are listed.
pub(super) async fn list(state: &WebState, empresa: EmpresaId) -> Result<Vec<ShownKey>, Refusal> {
    let now = state.app.now();
    let mut keys = state.app.store.company_keys(empresa).await?;
    // Those in force first; the order of their making stays.
    keys.sort_by_key(|key| key.revocada_en.is_some());
    Ok(keys.into_iter().map(|key| shown(key, now)).collect())
}

fn shown(key: CompanyKey, now: Timestamp) -> ShownKey {
    ShownKey {
        id: key.id.to_string(),
        prefix: key.prefix,
        made: format!("{}, por {}", ago(key.creada_en, now), key.creada_por),
        used: match (key.usada_en, key.usada_desde) {
            (None, _) => "Todavía no".to_owned(),
            (Some(at), None) => ago(at, now),
            (Some(at), Some(ip)) => format!("{}, desde {ip}", ago(at, now)),
        },
        revoked: key.revocada_en.map(|at| ago(at, now)),
        nombre: key.nombre,
    }
}
