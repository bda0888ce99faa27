//! Two companies with all objects that an address can name, and the people who send requests.

use std::collections::BTreeMap;
use std::sync::Arc;

use embudo_app::{Actor, Beginning, Change, NewPerson, WithLinks};
use embudo_delivery::Links;
use embudo_domain::contact::Email;
use embudo_domain::empresa::Empresa;
use embudo_domain::job::JobKind;
use embudo_domain::role::{Membership, Role};
use embudo_domain::user::User;
use embudo_domain::{LeadId, NotaId, Timestamp, VisitaId};
use embudo_pages::{LoginQuota, Of, PANEL_ROUTES, Quota};
use embudo_store::outbox_admin::JobFilter;
use embudo_testkit::{Engine, Scene, data_uri, jpeg};
use jiff::SignedDuration;
use serde_json::json;
use uuid::Uuid;

use super::answers::Findings;
use super::forms::forms;
use super::passes::{Pass, passes};
use crate::person::{Browser, PASSWORD, a_visita, another_company};

/// A lead and its objects.
#[derive(Clone)]
pub struct Things {
    pub lead: String,
    pub foto: String,
    pub nota: String,
    pub numero: String,
    pub quote: String,
    pub draft: String,
    pub visita: String,
    pub job: String,
    pub passes: BTreeMap<Pass, String>,
    pub link_ends: Timestamp,
}

/// A company with its people and objects.
pub struct Company {
    pub empresa: Empresa,
    pub key: String,
    pub key_id: String,
    /// A person for each role, `gestor@…` and so on.
    pub people: BTreeMap<Role, User>,
    pub session: String,
    /// The random id of a page whose button created a lead, and that lead.
    pub press: Uuid,
    pub pressed: String,
    /// The ticket with which the form was sent.
    pub ticket: String,
    pub client: String,
    pub things: Vec<Things>,
    /// Names and numbers of its leads and people.
    pub names: Vec<String>,
}

/// The server and both companies.
pub struct World {
    pub found: Findings,
    pub scene: Scene,
    pub a: Company,
    pub b: Company,
}

/// `gestor@a.es`.
pub fn email(role: Role, company: &str) -> String {
    format!("{role}@{company}.es")
}

impl World {
    pub async fn new(engine: Engine) -> Self {
        let scene = Scene::with(engine, |setup| {
            setup.web.logins = LoginQuota { per_account: 10_000, per_address: 10_000 };
            setup.web.quota = Quota { leads_per_hour: 10_000, fotos_per_hour: 10_000, leads_per_day: 10_000 };
            setup.settings.metrics = Some(Arc::new(String::new));
            let links = Links::new(b"secreto");
            setup.outbound.links = Some(WithLinks { links, public_url: "https://obras.es".into() });
        })
        .await;
        let (own, other) = (scene.server.empresa.clone(), another_company(&scene).await);
        let a = company(&scene, own, "a", ["Zoraida Aquino", "Amparo Zurita", "Azucena Roldán"]).await;
        let b = company(&scene, other, "b", ["Yolanda Barroso", "Benigna Yuste", "Brígida Montes"]).await;
        while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
        Self { found: Findings::default(), scene, a, b }
    }

    /// A person without a company. With `was`, the person had this role in the first company and was removed.
    pub async fn sent_away(&self, email: &str, was: Option<Role>) -> Browser<'_> {
        let role = was.map(|role| Membership { empresa: self.a.empresa.id, role });
        let person = person(&self.scene, "Nadie Ninguno", email, role).await;
        let browser = Browser::signed(&self.scene, email).await;
        let change = Change { is_admin: false, is_active: true, memberships: Vec::new() };
        self.scene.server.app.access().change_person(person.id, change, &Actor::command()).await.unwrap();
        browser
    }
}

impl Company {
    pub fn person(&self, role: Role) -> &User {
        &self.people[&role]
    }

    /// Texts that people of another company must not see, unless they sent the texts themselves.
    pub fn marks(&self) -> impl Iterator<Item = &str> {
        let things = self.things.iter().flat_map(|t| {
            [&t.lead, &t.foto, &t.nota, &t.quote, &t.draft, &t.visita, &t.job]
                .into_iter()
                .chain(t.passes.values())
        });
        let own = [&self.pressed, &self.key, &self.key_id, &self.session];
        self.names.iter().chain(things).chain(own).map(String::as_str)
    }

    /// An address with the ids of these objects and, if required, a pass.
    pub fn fill(&self, path: &str, things: &Things, pass: &str) -> String {
        let person = self.person(Role::Lectura).id.to_string();
        let of = PANEL_ROUTES.iter().find(|route| route.path == path).map_or(Of::Lead, |route| route.of);
        let named = match of {
            Of::Nothing | Of::Lead | Of::Foto | Of::Quote => &things.lead,
            Of::Draft => &things.draft,
            Of::Visita => &things.visita,
            Of::Job => &things.job,
            Of::Session => &self.session,
            Of::User => &person,
        };
        let filled = path
            .replace("{id}", named)
            .replace("{slug}", &self.empresa.slug)
            .replace("{pase}", pass)
            .replace("{secreto}", &format!("{pass}.ics"))
            .replace("{lead}", &things.lead)
            .replace("{foto}", &things.foto)
            .replace("{nota}", &things.nota)
            .replace("{mensaje}", &things.nota)
            .replace("{numero}", &things.numero)
            .replace("{fichero}", &format!("{}.pdf", things.numero))
            .replace("{version}", "una")
            .replace("{nombre}", "base.css")
            .replace("{*guide}", "es/n8n");
        assert!(!filled.contains('{'), "{path}: say in walk/world.rs what the address names");
        match path.starts_with("/fotos/") {
            true => format!("{filled}?caduca={}&firma={pass}", things.link_ends.as_second()),
            false => filled,
        }
    }
}

/// A person. Without a membership the person belongs to no company.
async fn person(scene: &Scene, nombre: &str, email: &str, role: Option<Membership>) -> User {
    let person = NewPerson {
        nombre: nombre.into(),
        email: Email::parse(email).unwrap(),
        is_admin: false,
        memberships: role.into_iter().collect(),
        password: Some(PASSWORD.into()),
    };
    scene.server.app.access().create_person(person, &Actor::command()).await.unwrap()
}

async fn company(scene: &Scene, empresa: Empresa, word: &str, leads: [&str; 3]) -> Company {
    let (app, command) = (&scene.server.app, Actor::command());
    let mut people = BTreeMap::new();
    for role in Role::IN_EMPRESA {
        let nombre = format!("Persona{} {role}", word.to_uppercase());
        let membership = Membership { empresa: empresa.id, role };
        people.insert(role, person(scene, &nombre, &email(role, word), Some(membership)).await);
    }
    let key =
        app.company_keys().create(empresa.id, format!("clave {word}"), &command).await.unwrap().unwrap();
    let key_id = app.store.company_keys(empresa.id).await.unwrap().remove(0).id.to_string();
    let gestor = Browser::signed(scene, &email(Role::Gestor, word)).await;
    let session = app.store.sessions_of(people[&Role::Gestor].id).await.unwrap().remove(0).id.to_string();

    let (press, telefono) = (Uuid::now_v7(), format!("6110000{}", if word == "a" { "11" } else { "22" }));
    let (vez, correo) = (press.to_string(), format!("{word}@correo.es"));
    let lead = [("nombre", leads[0]), ("telefono", &*telefono), ("email", &*correo), ("vez", &*vez)];
    let made = gestor.post("/panel/leads/nuevo", &lead).await;
    let place = made.header("location").unwrap_or_else(|| panic!("a lead is made: {}", made.text));
    let pressed = place["/panel/leads/".len()..].split('?').next().unwrap().to_owned();

    let mut company = Company {
        names: leads.into_iter().chain([telefono.as_str()]).map(str::to_owned).collect(),
        ticket: sent_form(scene, &empresa, leads[2]).await,
        client: leads[2].to_owned(),
        empresa,
        key,
        key_id,
        people,
        session,
        press,
        pressed,
        things: Vec::new(),
    };
    company.names.extend(company.people.values().map(|user| user.nombre.clone()));
    for n in 0..2 {
        let made = things(scene, &company, &gestor, leads[1], n).await;
        company.things.push(made);
    }
    company
}

/// Sends the public form and returns its ticket.
async fn sent_form(scene: &Scene, empresa: &Empresa, nombre: &str) -> String {
    let (client, path) = (Browser::new(scene), format!("/f/{}/contacto", empresa.slug));
    let page = client.get(&format!("{path}?tipo=bano&m2=5")).await.text;
    let form = forms(&page).into_iter().find(|form| form.action == path).expect("the page has its form");
    scene.clock.advance(SignedDuration::from_secs(20));
    let fields: Vec<_> = form
        .fields
        .iter()
        .map(|(name, value)| match name.as_str() {
            "nombre" => (name.as_str(), nombre),
            "telefono" => (name.as_str(), if empresa.por_defecto { "644000011" } else { "644000022" }),
            name => (name, value.as_str()),
        })
        .collect();
    let sent = client.post(&path, &fields).await;
    assert_eq!(sent.status.as_u16(), 303, "{}", sent.text);
    let (_, ticket) = fields.iter().find(|(name, _)| *name == "boleto").expect("the form has its ticket");
    (*ticket).to_owned()
}

/// A lead with a photo, a note, a quote and its draft, a visit and a job in the outbox.
async fn things(scene: &Scene, company: &Company, gestor: &Browser<'_>, nombre: &str, n: usize) -> Things {
    // The links belong to another person than the one of the walk, which renews its own person's links.
    let (app, person) = (&scene.server.app, company.person([Role::Comercial, Role::Lectura][n]));
    let telefono = format!("62{n}0000{}", if company.empresa.por_defecto { "11" } else { "22" });
    let known = json!({
        "nombre": nombre, "telefono": telefono, "email": format!("{n}@{}.es", company.empresa.slug),
        "tenantId": company.empresa.id, "tipoReforma": "bano", "m2Suelo": 5, "provincia": "Madrid",
    });
    let lead = scene.server.lead_with(known).await;
    let foto = data_uri(&jpeg(64, 48));
    let body = json!({ "items": [{ "tipo": "foto", "imagen": foto }], "finalizar": true });
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    scene.complete_perfil(&lead).await;
    let id = LeadId::parse(&lead).unwrap();
    let record = app.store.record(id).await.unwrap();
    let (foto, quote) = (record.fotos[0].id, record.presupuestos[0].id);
    let jobs = JobFilter { lead: Some(id), kind: Some(JobKind::Perfil), ..JobFilter::default() };
    let job = app.store.list_jobs(jobs, None, 1).await.unwrap().remove(0).id;

    let nota = [("vez", company.press.to_string()), ("nota", format!("Nota interna {lead}"))];
    let fields = nota.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(gestor.post(&format!("/panel/leads/{lead}/notas"), &fields).await.status.as_u16(), 303);
    let nota = NotaId::of_press(id, company.press, &nota[1].1);
    assert!(app.store.nota_interna(id, nota).await.unwrap().is_some(), "the note has this id");

    let draft = app.quotes().open(id, Beginning::Latest, &Actor::command()).await.unwrap().id;
    // The worker on site takes part only in the first visit.
    let going = [&[Role::Gestor, Role::Obra][..], &[Role::Comercial]][n];
    let going = going.iter().map(|role| company.person(*role).id).collect();
    let visita = a_visita(scene, id, going).await;
    let link_ends = app.now() + SignedDuration::from_hours(1);
    let mut passes =
        passes(scene, id, quote, VisitaId::parse(&visita).unwrap(), foto, link_ends, person).await;
    passes.insert(Pass::Ticket, company.ticket.clone());
    Things {
        lead,
        foto: foto.to_string(),
        nota: nota.to_string(),
        numero: record.presupuestos[0].number.to_string(),
        quote: quote.to_string(),
        draft: draft.to_string(),
        visita,
        job: job.to_string(),
        passes,
        link_ends,
    }
}
