//! `/panel/leads/:id/unir`: shows two leads side by side that may be the same person, unites them, and separates them
//! again.

use askama::Template;
use axum::extract::{Path, State};
use embudo_domain::LeadId;
use embudo_domain::lead::Lead;
use embudo_domain::role::Permission;
use embudo_domain::words::name;
use embudo_store::inbox::Viewer;
use embudo_store::sheet::MAX_FOTOS;
use http::{StatusCode, Uri};

use crate::WebState;
use crate::form::write_m2;
use crate::panel::form_state::FormState;
use crate::panel::kit::chips::quote_state;
use crate::panel::kit::people::People;
use crate::panel::kit::phone::Phone;
use crate::panel::kit::work::{Posted, open, viewer};
use crate::panel::words::{ago, moment};
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{Refusal, private_page, read_fields, redirect};

#[derive(Template)]
#[template(path = "panel/lead/unite.html")]
struct UnitePage {
    frame: PanelFrame,
    form: FormState,
    /// The address of the page of the lead from which the person came here. The form posts to a path below it.
    base: String,
    can_write: bool,
    sides: [Side; 2],
}

struct Side {
    id: String,
    /// The id of the other lead.
    other: String,
    nombre: String,
    phone: Phone,
    /// Name and value of each fact, and whether it is equal on both sides.
    facts: Vec<(&'static str, String, bool)>,
    /// Why this lead cannot stand for both.
    hindrance: Option<&'static str>,
}

/// `GET /panel/leads/:id/unir?con=…`.
pub(crate) async fn show(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    uri: Uri,
) -> PanelResult {
    let lead = open(&state, &signed, &id).await?;
    let other_id = read_fields(uri.query().unwrap_or_default().as_bytes()).raw("con").to_owned();
    if other_id.is_empty() {
        return Ok(redirect(&format!("/panel/leads/{}#gestion", lead.id)));
    }
    let other = neighbour(&state, &signed, &lead, &other_id).await?;
    page(&state, &signed, [&lead, &other], StatusCode::OK, FormState::default()).await
}

/// `POST /panel/leads/:id/unir`: one of the two leads stands for both from now on. No data are moved.
pub(crate) async fn unite(form: Posted) -> PanelResult {
    let other_id = form.fields.raw("con");
    if other_id.is_empty() {
        return form.incomplete().await;
    }
    let other = neighbour(&form.state, &form.signed, &form.lead, other_id).await?;
    let (united, principal) = match LeadId::parse(form.fields.raw("principal")) {
        Some(id) if id == form.lead.id => (&other, &form.lead),
        Some(id) if id == other.id => (&form.lead, &other),
        _ => return form.incomplete().await,
    };
    let (desk, actor) = (form.state.app.desk(), form.signed.actor());
    if desk.unite(&form.viewer(), united, principal.id, &actor).await? {
        return Ok(redirect(&format!("/panel/leads/{}?hecho=unido#gestion", principal.id)));
    }
    let mistake = FormState::wrong("", "No se han podido unir: uno de los dos ya está unido a otro lead.");
    let both = [&form.lead, &other];
    page(&form.state, &form.signed, both, StatusCode::UNPROCESSABLE_ENTITY, mistake).await
}

/// `POST /panel/leads/:id/separar`: separates the lead from the principal one.
pub(crate) async fn separate(form: Posted) -> PanelResult {
    let (seen, actor) = (form.desk().await?, form.signed.actor());
    Ok(match form.state.app.desk().separate(&form.viewer(), &seen, &actor).await? {
        Some(principal) => redirect(&format!("/panel/leads/{principal}?hecho=separado#gestion")),
        None => form.back("gestion"),
    })
}

/// The other lead. 404 unless it is another lead of the same company.
async fn neighbour(state: &WebState, signed: &Signed, lead: &Lead, id: &str) -> Result<Lead, Refusal> {
    let other = open(state, signed, id).await?;
    match other.empresa.id == lead.empresa.id && other.id != lead.id {
        true => Ok(other),
        false => Err(Refusal::NotFound),
    }
}

async fn page(
    state: &WebState,
    signed: &Signed,
    [lead, other]: [&Lead; 2],
    status: StatusCode,
    form: FormState,
) -> PanelResult {
    let frame = PanelFrame::new(state, signed, "¿La misma persona?", Section::Inbox).await?;
    let (viewer, people) = (viewer(signed, lead), People::load(state).await?);
    let mut sides = [
        side(state, &viewer, &people, lead, other).await?,
        side(state, &viewer, &people, other, lead).await?,
    ];
    let [one, two] = &mut sides;
    for (own, its) in one.facts.iter_mut().zip(&mut two.facts) {
        let is_same =
            matches!(own.0, "Teléfono" | "Correo" | "Nombre") && own.1.to_lowercase() == its.1.to_lowercase();
        (own.2, its.2) = (is_same, is_same);
    }
    let page = UnitePage {
        frame: frame.with(&["lead.css"], &["lead.js"]),
        form,
        base: format!("/panel/leads/{}", lead.id),
        can_write: signed.may_in(lead.empresa.id, Permission::WorkLeads),
        sides,
    };
    Ok(private_page(status, &page))
}

async fn side(
    state: &WebState,
    viewer: &Viewer,
    people: &People,
    lead: &Lead,
    other: &Lead,
) -> Result<Side, Refusal> {
    let (store, now) = (&state.app.store, state.app.now());
    let (sheet, desk) = (store.sheet(lead.id).await?, store.desk(viewer, lead.id).await?);
    let row = store.inbox_rows(viewer, vec![lead.id]).await?.pop().ok_or(Refusal::NotFound)?;
    let its_desk = store.desk(viewer, other.id).await?;
    let fotos = match sheet.fotos.len() {
        n if n >= MAX_FOTOS as usize => format!("{n} o más"),
        n => n.to_string(),
    };
    let quotes = match sheet.presupuestos.first() {
        None => "Ninguno".to_owned(),
        Some(last) => {
            let (n, (state, _)) = (sheet.presupuestos.len(), quote_state(last.state));
            format!("{n}; el último {}, {}, {state}", last.number, last.total)
        }
    };
    let m2 = lead.perfil.m2_suelo.map(|m2| format!("{} m²", write_m2(m2)));
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let facts = vec![
        ("Nombre", lead.name(), false),
        ("Teléfono", or_dash(lead.e164().map(embudo_domain::words::telefono)), false),
        ("Correo", or_dash(lead.mail().map(str::to_owned)), false),
        ("Dirección", or_dash(lead.obra.direccion.as_ref().map(|d| name(d.as_str()))), false),
        ("Provincia", or_dash(lead.place()), false),
        ("Tipo", or_dash(lead.perfil.tipo_reforma.map(|zona| zona.label().to_owned())), false),
        ("Superficie", or_dash(m2), false),
        ("Etapa", desk.etapa.label().to_owned(), false),
        ("Creado", format!("{} ({})", moment(lead.creado_en, now), ago(lead.creado_en, now)), false),
        ("Última actividad", format!("{} ({})", moment(row.activity, now), ago(row.activity, now)), false),
        ("Fotos", fotos, false),
        ("Presupuestos", quotes, false),
        ("Lo lleva", people.name_or_nobody(desk.assigned), false),
    ];
    let hindrance = if desk.principal.is_some() || its_desk.principal.is_some() {
        Some("Uno de los dos ya está unido a otro lead: sepáralo antes.")
    } else if !its_desk.united.is_empty() {
        Some("El otro ya representa a más leads: quédate con el otro, o sepáralos antes.")
    } else {
        None
    };
    Ok(Side {
        id: lead.id.to_string(),
        other: other.id.to_string(),
        nombre: lead.name(),
        phone: Phone::of(&lead.telefono_e164),
        facts,
        hindrance,
    })
}
