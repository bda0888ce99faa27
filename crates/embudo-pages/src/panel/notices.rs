//! Notices by mail: `/panel/cuenta/avisos` for the person, and `/panel/empresa/avisos` for the company.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::EmpresaId;
use embudo_domain::contact::Email;
use embudo_domain::empresa::Empresa;
use embudo_domain::notice::{NoticeChoice, NoticeTopic, SharedNotices, Topics};
use embudo_domain::role::{Permission, Role};
use http::{StatusCode, Uri};

use super::form_state::FormState;
use super::kit::tabs::Tabs;
use super::{PanelFrame, PanelResult, Section, Signed};
use crate::WebState;
use crate::parts::{FormFields, Refusal, fields_of, private_page, redirect};

const STALE: &str = "Otra persona lo ha cambiado mientras tanto. Abajo está lo que hay ahora y lo que has elegido tú: \
                     guarda otra vez si lo tuyo es lo bueno.";

/// A checkbox.
pub(super) struct Tick {
    pub topic: NoticeTopic,
    pub is_on: bool,
}

/// The notices of a company that the person chose.
pub(super) struct OwnChoice {
    pub slug: String,
    pub nombre: String,
    pub ticks: Vec<Tick>,
    pub only_assigned: bool,
    pub topics_label: String,
    pub is_open: bool,
}

/// The companies whose leads the person may receive notices of.
pub(super) fn heard(signed: &Signed) -> impl Iterator<Item = &Empresa> {
    signed.empresas.iter().filter(|(_, role)| role.may(Permission::SeeLeads)).map(|(empresa, _)| empresa)
}

/// The person's choice for each company of `heard`.
pub(super) async fn own(state: &WebState, signed: &Signed) -> Result<Vec<OwnChoice>, Refusal> {
    let kept = state.app.store.choices_of(signed.open.user.id).await?;
    let chosen = signed.chosen().map(|(empresa, _)| empresa.id);
    let of = |empresa: &Empresa| {
        let choice = kept.iter().find(|kept| kept.empresa == empresa.id).map(|kept| kept.choice);
        let NoticeChoice { topics, only_assigned, .. } = choice.unwrap_or_default();
        OwnChoice {
            slug: empresa.slug.clone(),
            nombre: empresa.nombre.clone(),
            ticks: ticks(topics),
            only_assigned,
            topics_label: topics.label(),
            is_open: chosen == Some(empresa.id),
        }
    };
    Ok(heard(signed).map(of).collect())
}

/// The stored choice of the person for a company.
pub(super) async fn kept(
    state: &WebState,
    signed: &Signed,
    empresa: EmpresaId,
) -> Result<NoticeChoice, Refusal> {
    let all = state.app.store.choices_of(signed.open.user.id).await?;
    Ok(all.into_iter().find(|kept| kept.empresa == empresa).map(|kept| kept.choice).unwrap_or_default())
}

/// `POST /panel/cuenta/avisos`.
pub(super) async fn choose(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let own = heard(&signed).find(|empresa| empresa.slug == fields.raw("empresa"));
    let empresa = own.ok_or(Refusal::NotFound)?;
    let kept = kept(&state, &signed, empresa.id).await?;
    let only_assigned = fields.has("solo-asignados");
    let choice = NoticeChoice { topics: ticked(&fields), only_assigned, ..kept };
    state.app.access().choose_notices(&signed.open, empresa, choice, &signed.origin).await?;
    Ok(redirect("/panel/cuenta?hecho=avisos"))
}

#[derive(Template)]
#[template(path = "panel/notices.html")]
struct NoticesPage {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    done: Option<&'static str>,
    /// The stored settings, which the form must send back to detect a concurrent change.
    now: SharedNotices,
    /// The e-mail address in the form.
    email: String,
    ticks: Vec<Tick>,
    /// Whether somebody else changed the settings while the person was typing.
    is_stale: bool,
    people: Vec<Person>,
    has_mail: bool,
    is_heard_by_nobody: bool,
}

struct Person {
    nombre: String,
    role: Role,
    topics: Option<String>,
    on_devices: Option<String>,
    only_assigned: bool,
}

/// The typed values, if they had errors or somebody else had saved first.
struct Typed {
    email: String,
    topics: Topics,
    form: FormState,
    is_stale: bool,
}

/// `GET /panel/empresa/avisos`.
pub(super) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let done = (uri.query() == Some("hecho")).then_some("Avisos guardados.");
    page(&state, &signed, StatusCode::OK, done, None).await
}

/// `POST /panel/empresa/avisos`: sets the company's own address and the notices that it gets.
pub(super) async fn set(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let empresa = signed.empresa()?;
    let fields = fields_of(&state, request).await?;
    let (email, topics) = (fields.text("correo"), ticked(&fields));
    let mut typed = Typed { email, topics, form: FormState::default(), is_stale: false };
    let is_whole = fields.0.iter().any(|(name, _)| name == "antes-avisos");
    let Some(seen) = Topics::parse(fields.raw("antes-avisos")).filter(|_| is_whole) else {
        typed.form.add("", "El formulario no ha llegado entero.");
        return page(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, None, Some(typed)).await;
    };
    let read =
        if typed.email.is_empty() { None } else { typed.form.check("correo", Email::parse(&typed.email)) };
    if !typed.form.is_good() {
        return page(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, None, Some(typed)).await;
    }
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let before = SharedNotices { email: given(fields.raw("antes-correo")), topics: seen };
    let after = SharedNotices { email: read.map(|email| email.typed), topics: typed.topics };
    if before == after && empresa.shared() == after {
        return Ok(redirect("/panel/empresa/avisos"));
    }
    if state.app.access().set_shared_notices(empresa.id, before, after, &signed.actor()).await? {
        return Ok(redirect("/panel/empresa/avisos?hecho"));
    }
    typed.form.add("", STALE);
    typed.is_stale = true;
    page(&state, &signed, StatusCode::CONFLICT, None, Some(typed)).await
}

async fn page(
    state: &WebState,
    signed: &Signed,
    status: StatusCode,
    done: Option<&'static str>,
    typed: Option<Typed>,
) -> PanelResult {
    let chosen = signed.empresa()?;
    let store = &state.app.store;
    let fresh = store.list_empresas().await?.into_iter().find(|empresa| empresa.id == chosen.id);
    let empresa = fresh.ok_or(Refusal::NotFound)?;
    let recipients = store.recipients(empresa.id).await?;
    let person = |user: embudo_domain::user::User| {
        let choice = recipients.iter().find(|r| r.user == user.id).map(|r| r.choice).unwrap_or_default();
        Some(Person {
            role: user.role_in(empresa.id).filter(|_| user.may(empresa.id, Permission::SeeLeads))?,
            nombre: user.nombre,
            topics: (!choice.topics.is_empty()).then(|| choice.topics.label()),
            on_devices: (!choice.on_devices.is_empty()).then(|| choice.on_devices.label()),
            only_assigned: choice.only_assigned,
        })
    };
    let people = store.list_users().await?.into_iter().filter_map(person).collect();
    let now = empresa.shared();
    let typed = typed.unwrap_or_else(|| Typed {
        email: now.email.clone().unwrap_or_default(),
        topics: now.topics,
        form: FormState::default(),
        is_stale: false,
    });
    let frame = PanelFrame::new(state, signed, "Avisos por correo", Section::Empresa).await?;
    let page = NoticesPage {
        frame: frame.with(&["empresa.css"], &[]),
        tabs: Tabs { here: "/panel/empresa/avisos" },
        done,
        now,
        email: typed.email,
        ticks: ticks(typed.topics),
        form: typed.form,
        is_stale: typed.is_stale,
        people,
        has_mail: state.app.outbound.mail.is_some(),
        is_heard_by_nobody: !empresa.wants_notices(),
    };
    Ok(private_page(status, &page))
}

pub(super) fn ticks(topics: Topics) -> Vec<Tick> {
    NoticeTopic::ALL.into_iter().map(|topic| Tick { topic, is_on: topics.has(topic) }).collect()
}

/// The ticked checkboxes of a form, named `aviso-<word>`.
fn ticked(fields: &FormFields) -> Topics {
    NoticeTopic::ALL.into_iter().filter(|topic| fields.has(&format!("aviso-{topic}"))).collect()
}
