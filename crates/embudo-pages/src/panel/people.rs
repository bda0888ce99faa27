//! `/panel/usuarios`: who may sign in and what they may do. Every change requires the administrator's password again.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_app::{AccessError, Change, NewPerson};
use embudo_domain::UserId;
use embudo_domain::contact::Email;
use embudo_domain::empresa::Empresa;
use embudo_domain::role::{Membership, Role};
use embudo_domain::user::{User, parse_name};
use embudo_store::StoreError;
use http::{StatusCode, Uri};

use super::form_state::FormState;
use super::kit::password::{WRONG_PASSWORD, is_password};
use super::{Caller, PanelFrame, PanelResult, Section, Signed};
use crate::WebState;
use crate::parts::{FormFields, Refusal, fields_of, private_page, redirect};

#[derive(Template)]
#[template(path = "panel/people.html")]
struct ListPage {
    frame: PanelFrame,
    form: FormState,
    people: Vec<ShownPerson>,
    places: Vec<Place>,
    nombre: String,
    email: String,
    is_admin: bool,
}

#[derive(Template)]
#[template(path = "panel/person.html")]
struct PersonPage {
    frame: PanelFrame,
    form: FormState,
    done: Option<&'static str>,
    user: User,
    is_admin: bool,
    is_active: bool,
    places: Vec<Place>,
}

#[derive(Template)]
#[template(path = "panel/invitation.html")]
struct InvitationPage {
    frame: PanelFrame,
    user: User,
    link: String,
    /// Whether the link is also mailed to the person.
    is_mailed: bool,
}

struct ShownPerson {
    user: User,
    /// The person's roles, in words.
    roles: String,
}

/// A company in a form, and the selected role.
struct Place {
    slug: String,
    nombre: String,
    role: Option<Role>,
}

impl Place {
    fn has(&self, role: &Role) -> bool {
        self.role == Some(*role)
    }
}

/// `GET /panel/usuarios`.
pub(super) async fn list(State(state): State<WebState>, signed: Signed) -> PanelResult {
    let places = places(&state.app.store.list_empresas().await?, &[]);
    list_page(&state, &signed, FormState::default(), &FormFields::default(), places).await
}

async fn list_page(
    state: &WebState,
    signed: &Signed,
    form: FormState,
    fields: &FormFields,
    places: Vec<Place>,
) -> PanelResult {
    let empresas = state.app.store.list_empresas().await?;
    let people = state.app.store.list_users().await?.into_iter();
    let people = people.map(|user| ShownPerson { roles: roles(&user, &empresas), user }).collect();
    let status = if form.is_good() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = ListPage {
        frame: PanelFrame::new(state, signed, "Personas", Section::People).await?,
        form,
        people,
        places,
        nombre: fields.text("nombre"),
        email: fields.text("correo"),
        is_admin: fields.has("administrador"),
    };
    Ok(private_page(status, &page))
}

/// `POST /panel/usuarios`: creates a person, who gets a link with which to choose a password.
pub(super) async fn create(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let empresas = state.app.store.list_empresas().await?;
    let memberships = memberships(&fields, &empresas)?;
    let mut form = FormState::default();
    let nombre = form.check("nombre", parse_name(&fields.text("nombre")));
    let email = form.check("correo", Email::parse(&fields.text("correo")));
    if form.is_good() && !is_password(&state, &signed, &caller, &fields).await? {
        form.add("clave", WRONG_PASSWORD);
    }
    if let (Some(nombre), Some(email), true) = (nombre, email, form.is_good()) {
        let is_admin = fields.has("administrador");
        let memberships = memberships.clone();
        let person = NewPerson { nombre, email, is_admin, memberships, password: None };
        match state.app.access().create_person(person, &signed.actor()).await {
            Ok(user) => return invitation(&state, &signed, &caller, user).await,
            Err(AccessError::Store(StoreError::EmailTaken)) => {
                form.add("correo", "Ya hay una persona con este correo.");
            }
            Err(error) => return Err(error.into()),
        }
    }
    list_page(&state, &signed, form, &fields, places(&empresas, &memberships)).await
}

/// `GET /panel/usuarios/:id`.
pub(super) async fn show(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    uri: Uri,
) -> PanelResult {
    let user = person(&state, &id).await?;
    let done = (uri.query() == Some("hecho")).then_some("Guardado.");
    let change =
        Change { is_admin: user.is_admin, is_active: user.is_active, memberships: user.memberships.clone() };
    person_page(&state, &signed, FormState::default(), done, user, change).await
}

/// `POST /panel/usuarios/:id`: changes the roles, and whether the person may sign in.
pub(super) async fn change(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    Path(id): Path<String>,
    request: Request,
) -> PanelResult {
    let user = person(&state, &id).await?;
    let fields = fields_of(&state, request).await?;
    let empresas = state.app.store.list_empresas().await?;
    let change = Change {
        is_admin: fields.has("administrador"),
        is_active: fields.has("activo"),
        memberships: memberships(&fields, &empresas)?,
    };
    let mut form = FormState::default();
    if !is_password(&state, &signed, &caller, &fields).await? {
        form.add("clave", WRONG_PASSWORD);
    } else {
        match state.app.access().change_person(user.id, change.clone(), &signed.actor()).await {
            Ok(()) => {
                if fields.has("sin-segundo-factor") && user.has_totp {
                    state.app.access().drop_totp(&user, &signed.actor()).await?;
                }
                // An administrator who gave up that role may no longer open this page.
                let own = user.id == signed.open.user.id && !change.is_admin;
                let place = format!("/panel/usuarios/{}?hecho", user.id);
                return Ok(redirect(if own { "/panel/cuenta" } else { &place }));
            }
            Err(AccessError::Store(StoreError::LastAdmin)) => {
                form.add("", "Es la única persona que administra el panel: nombra antes a otra.");
            }
            Err(error) => return Err(error.into()),
        }
    }
    person_page(&state, &signed, form, None, user, change).await
}

/// `POST /panel/usuarios/:id/enlace`: creates a link with which to choose a password.
pub(super) async fn invite(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    Path(id): Path<String>,
    request: Request,
) -> PanelResult {
    let user = person(&state, &id).await?;
    let fields = fields_of(&state, request).await?;
    if !user.is_active {
        return Err(Refusal::NotFound);
    }
    if !is_password(&state, &signed, &caller, &fields).await? {
        let form = FormState::wrong("clave-enlace", WRONG_PASSWORD);
        let change = Change {
            is_admin: user.is_admin,
            is_active: user.is_active,
            memberships: user.memberships.clone(),
        };
        return person_page(&state, &signed, form, None, user, change).await;
    }
    invitation(&state, &signed, &caller, user).await
}

async fn invitation(state: &WebState, signed: &Signed, caller: &Caller, user: User) -> PanelResult {
    let path = state.app.access().invite(&user, &signed.actor()).await?;
    let link = format!("{}{path}", caller.home);
    let is_mailed = state.app.access().mail_invitation(&user, &signed.open.user, &path);
    let frame = PanelFrame::new(state, signed, "Invitación", Section::People).await?;
    Ok(private_page(StatusCode::OK, &InvitationPage { frame, user, link, is_mailed }))
}

async fn person_page(
    state: &WebState,
    signed: &Signed,
    form: FormState,
    done: Option<&'static str>,
    user: User,
    change: Change,
) -> PanelResult {
    let status = if form.is_good() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let empresas = state.app.store.list_empresas().await?;
    let page = PersonPage {
        frame: PanelFrame::new(state, signed, user.nombre.clone(), Section::People).await?,
        form,
        done,
        is_admin: change.is_admin,
        is_active: change.is_active,
        places: places(&empresas, &change.memberships),
        user,
    };
    Ok(private_page(status, &page))
}

async fn person(state: &WebState, id: &str) -> Result<User, Refusal> {
    let id = UserId::parse(id).ok_or(Refusal::NotFound)?;
    state.app.store.user(id).await?.ok_or(Refusal::NotFound)
}

/// The roles in a form, named `rol-<slug>`. An empty role means no membership.
fn memberships(fields: &FormFields, empresas: &[Empresa]) -> Result<Vec<Membership>, Refusal> {
    let mut found = Vec::new();
    for empresa in empresas {
        let word = fields.text(&format!("rol-{}", empresa.slug));
        if word.is_empty() {
            continue;
        }
        let role = Role::parse_in_empresa(&word).ok_or(Refusal::NotUnderstood)?;
        found.push(Membership { empresa: empresa.id, role });
    }
    Ok(found)
}

fn places(empresas: &[Empresa], memberships: &[Membership]) -> Vec<Place> {
    let role = |e: &Empresa| memberships.iter().find(|m| m.empresa == e.id).map(|m| m.role);
    let place = |e: &Empresa| Place { slug: e.slug.clone(), nombre: e.nombre.clone(), role: role(e) };
    empresas.iter().map(place).collect()
}

fn roles(user: &User, empresas: &[Empresa]) -> String {
    if user.is_admin {
        return Role::Administrador.to_string();
    }
    let words = empresas.iter().filter_map(|e| Some(format!("{} en {}", user.role_in(e.id)?, e.nombre)));
    let words = words.collect::<Vec<_>>().join(", ");
    if words.is_empty() { "sin empresa".to_owned() } else { words }
}
