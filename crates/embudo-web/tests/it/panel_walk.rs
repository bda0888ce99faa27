//! Every page of the panel, as nobody, as each role, and as somebody of another company: the answers come from the table of routes,
//! so that a page without an expected answer cannot be.

use embudo_app::{Actor, Beginning, Conflicts, NewVisita, Tell};
use embudo_domain::role::Role;
use embudo_domain::{LeadId, UserId};
use embudo_testkit::{Answered, Engine, Scene, both_engines, data_uri, jpeg};
use embudo_web::{LoginQuota, Needs, Of, PANEL_ROUTES, PanelRoute};
use serde_json::json;

use crate::person::{Browser, add, another_company};

both_engines!(every_page_answers_as_the_table_says);

/// Who comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Nobody,
    /// Somebody with this role in the company that everything in the walk belongs to.
    Own(Role),
    /// A manager of another company.
    Foreign,
    /// Somebody who is in no company.
    Loose,
}

/// What the answer must be.
#[derive(Debug, PartialEq, Eq)]
enum Expected {
    /// To the sign-in page.
    SignIn,
    Forbidden,
    NotFound,
    /// The page itself, whatever it says to an empty form.
    Page,
}

fn expected(route: &PanelRoute, who: Who) -> Expected {
    let role = match who {
        Who::Nobody if route.needs == Needs::Nothing => return Expected::Page,
        Who::Nobody => return Expected::SignIn,
        Who::Own(role) => Some(role),
        Who::Foreign => Some(Role::Gestor),
        Who::Loose => None,
    };
    match route.needs {
        Needs::Role(least) if role < Some(least) => return Expected::Forbidden,
        // What belongs to a company is not there for those who are not in it.
        Needs::Within(_) if !matches!(who, Who::Own(_)) => return Expected::NotFound,
        Needs::Within(least) if role < Some(least) => return Expected::Forbidden,
        Needs::Nothing | Needs::Person | Needs::Role(_) | Needs::Within(_) => {}
    }
    match route.of {
        // Nobody ends another's session.
        Of::Session => Expected::NotFound,
        Of::Job if who == Who::Foreign => Expected::NotFound,
        // People belong to the installation.
        Of::Nothing | Of::User | Of::Job => Expected::Page,
        Of::Lead | Of::Foto | Of::Quote | Of::Draft | Of::Visita => Expected::Page,
    }
}

/// Forms that go to no page of their own when they are sent empty.
fn is_lost_when_empty(route: &PanelRoute) -> bool {
    matches!(route.path, "/panel/cambiar" | "/panel/cuenta/avisos")
}

/// A lead of the first company with a photo and a quote; the names of all three.
async fn a_lead(scene: &Scene) -> (String, String, String) {
    let lead = scene.s.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5 })).await;
    let foto = data_uri(&jpeg(64, 48));
    let body = json!({ "items": [{ "tipo": "foto", "imagen": foto }], "finalizar": true });
    scene.s.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    let record = scene.s.app.store.record(LeadId::parse(&lead).unwrap()).await.unwrap();
    (lead, record.fotos[0].id.to_string(), record.presupuestos[0].number.to_string())
}

/// A visit of a lead that is proposed.
pub async fn a_visita(scene: &Scene, lead: LeadId, person: UserId) -> String {
    let app = &scene.s.app;
    let empresa = app.store.lead(lead).await.unwrap().empresa.id;
    let (address, notes) = (String::new(), String::new());
    let new = NewVisita { lead, empresa, minutes: 60, address, people: vec![person], notes };
    let slot = app.now() + jiff::SignedDuration::from_hours(48);
    let visita = app.visits().prepare(new).propose(&[slot], app.now()).unwrap();
    let id = visita.id.to_string();
    app.visits().keep(None, visita, Conflicts::Heed, Tell::People, &Actor::command()).await.unwrap();
    id
}

async fn every_page_answers_as_the_table_says(engine: Engine) {
    let scene =
        Scene::with(engine, |m| m.web.logins = LoginQuota { per_account: 10_000, per_address: 10_000 }).await;
    let other = another_company(&scene).await;
    let owner = add(&scene, "duena@ejemplo.es", Some(Role::Administrador), None).await;
    let _session = Browser::signed(&scene, "duena@ejemplo.es").await;
    let session = scene.s.app.store.sessions_of(owner.id).await.unwrap().remove(0);

    scene.complete_perfil(&scene.s.lead().await).await;
    let job = scene.s.app.store.list_jobs(Default::default(), None, 1).await.unwrap().remove(0);
    let (lead, foto, numero) = a_lead(&scene).await;

    let drafted = scene.s.lead_with(json!({ "tipoReforma": "cocina", "m2Suelo": 9 })).await;
    let drafted = LeadId::parse(&drafted).unwrap();
    let draft = scene.s.app.quotes().open(drafted, Beginning::Latest, &Actor::command()).await.unwrap();
    let draft = draft.id.to_string();

    let visita = a_visita(&scene, drafted, owner.id).await;

    let mut visitors = vec![(Who::Nobody, Browser::new(&scene))];
    for word in Role::WORDS {
        let (role, email) = (Role::parse(word).unwrap(), format!("{word}@ejemplo.es"));
        add(&scene, &email, Some(role), None).await;
        visitors.push((Who::Own(role), Browser::signed(&scene, &email).await));
    }
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    visitors.push((Who::Foreign, Browser::signed(&scene, "ajena@ejemplo.es").await));
    add(&scene, "suelta@ejemplo.es", None, None).await;
    visitors.push((Who::Loose, Browser::signed(&scene, "suelta@ejemplo.es").await));

    for (who, browser) in &visitors {
        let mut token = browser.token();
        for route in PANEL_ROUTES {
            let named = match route.of {
                Of::Nothing => None,
                Of::Session => Some(session.id.to_string()),
                Of::User => Some(owner.id.to_string()),
                Of::Job => Some(job.id.to_string()),
                Of::Lead | Of::Foto | Of::Quote => Some(lead.clone()),
                Of::Draft => Some(draft.clone()),
                Of::Visita => Some(visita.clone()),
            };
            assert_eq!(named.is_some(), route.path.contains('{'), "{route:?} names what it is of");
            let path = named.map_or(route.path.to_owned(), |id| route.path.replace("{id}", &id));
            let path =
                path.replace("{foto}", &foto).replace("{numero}", &numero).replace("{nota}", crate::NOBODY);
            let answer = match route.method {
                "get" if route.path == "/panel/vivo" => {
                    let answer = browser.open(&path).await;
                    let (status, headers) = (answer.status(), answer.headers().clone());
                    Answered { status, headers, text: String::new() }
                }
                "get" => browser.get(&path).await,
                "post" => browser.post(&path, &[]).await,
                other => panic!("{other} is not walked yet"),
            };
            let place = answer.header("location").unwrap_or_default().to_owned();
            let to_sign_in = place.starts_with("/panel/entrar") && !place.contains("aviso=");
            let seen = match answer.status.as_u16() {
                303 if to_sign_in && route.needs != Needs::Nothing => Expected::SignIn,
                403 => Expected::Forbidden,
                404 if !is_lost_when_empty(route) && route.needs != Needs::Nothing => Expected::NotFound,
                200 | 303 | 404 | 410 | 422 => Expected::Page,
                other => panic!("{who:?} {route:?}: {other} {}", answer.text),
            };
            assert_eq!(seen, expected(route, *who), "{who:?} {} {path}: {}", route.method, answer.status);
            // Leaving ends the walk's session; the person comes in again.
            if browser.token() != token
                || route.path == "/panel/salir"
                || route.path == "/panel/cuenta/sesiones"
            {
                browser.set_token(None);
                let again = match who {
                    Who::Nobody => continue,
                    Who::Own(role) => format!("{role}@ejemplo.es"),
                    Who::Foreign => "ajena@ejemplo.es".to_owned(),
                    Who::Loose => "suelta@ejemplo.es".to_owned(),
                };
                browser.sign_in(&again, crate::person::PASSWORD).await;
                token = browser.token();
            }
        }
    }
}
