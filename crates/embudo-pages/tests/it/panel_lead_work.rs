//! Actions on a lead's page: buttons, calls, photos, and a new lead.

use embudo_domain::LeadId;
use embudo_domain::audit::AuditAction;
use embudo_domain::event::EventKind;
use embudo_domain::perfil::CanalOrigen;
use embudo_domain::record::LeadRecord;
use embudo_domain::role::Role;
use embudo_domain::settings::Settings;
use embudo_store::audit::AuditFilter;
use embudo_testkit::{Answered, Engine, Scene, both_engines, jpeg};
use serde_json::json;

use crate::panel_quotes::with_identity;
use crate::person::{Browser, PanelPage as _, add};
use crate::visitor::{hidden, with_files};

both_engines!(
    buttons_do_what_the_api_does_once_a_press,
    a_quote_that_wants_a_look_is_sent_from_its_draft,
    a_call_is_written_down,
    photos_are_added_by_hand_and_seen_small,
    a_new_lead_by_telephone,
    a_press_of_another_company_is_another_press,
);

async fn seller(scene: &Scene) -> Browser<'_> {
    add(scene, "luis@ejemplo.es", Some(Role::Comercial), None).await;
    Browser::signed(scene, "luis@ejemplo.es").await
}

async fn record(scene: &Scene, id: &str) -> LeadRecord {
    scene.server.app.store.record(LeadId::parse(id).unwrap()).await.unwrap()
}

async fn logged(scene: &Scene, action: AuditAction) -> usize {
    let all = scene.server.app.store.audit_log(AuditFilter::default(), None, 100).await.unwrap();
    all.iter().filter(|entry| entry.action == action).count()
}

async fn buttons_do_what_the_api_does_once_a_press(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let id = scene.server.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5 })).await;
    let page = format!("/panel/leads/{id}");
    let once = hidden(&browser.get(&page).await.panel(200), "vez");
    for (what, said, kind, action) in [
        ("mensajeria", "mensajeria", EventKind::Mensajeria, AuditAction::LeadMessaging),
        ("completo", "completo", EventKind::PerfilComplete, AuditAction::LeadComplete),
        ("finalizar", "finalizado", EventKind::Finalizar, AuditAction::LeadFinalized),
    ] {
        for _ in 0..2 {
            let pressed = browser.post(&format!("{page}/{what}"), &[("vez", &once)]).await;
            pressed.to(&format!("{page}?hecho={said}"));
        }
        let events = record(&scene, &id).await.events;
        assert_eq!(events.iter().filter(|event| event.kind == kind).count(), 1, "{what}");
        assert_eq!(logged(&scene, action).await, 1, "{what}");
        browser.post(&format!("{page}/{what}"), &[]).await.panel(422);
    }
    let record = record(&scene, &id).await;
    assert_eq!(record.presupuestos.len(), 1);
    let shown = browser.get(&page).await.panel(200);
    let number = record.presupuestos[0].number.to_string();
    let link = format!("{page}/presupuestos/{number}");
    assert!(shown.contains(&link) && shown.contains("Mensajería: entregado"), "{shown}");
    let pdf = browser.get(&link).await;
    assert_eq!((pdf.status.as_u16(), pdf.header("content-type")), (200, Some("application/pdf")));
    browser.get(&format!("{page}/presupuestos/1999-0001")).await.panel(404);
}

/// The button sends nothing if a person should review the quote first.
async fn a_quote_that_wants_a_look_is_sent_from_its_draft(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let known =
        json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" });
    let press = async |id: &str| {
        let page = format!("/panel/leads/{id}");
        let shown = browser.get(&page).await.panel(200);
        assert!(shown.contains("Revisar y enviar") && !shown.contains("Hacer y enviar"), "{shown}");
        let once = hidden(&shown, "vez");
        let pressed = browser.post(&format!("{page}/finalizar"), &[("vez", &once)]).await;
        let lead = LeadId::parse(id).unwrap();
        let draft = scene.server.app.store.draft_of(lead).await.unwrap().unwrap();
        pressed.to(&format!("/panel/presupuestos/{}/enviar", draft.id));
        assert_eq!(scene.server.app.store.presupuestos(lead).await.unwrap(), vec![]);
        draft
    };
    // The data of the company are missing.
    let id = scene.server.lead_with(known.clone()).await;
    let draft = press(&id).await;
    // The data are complete, but a draft is open.
    with_identity(&scene).await;
    assert_eq!(press(&id).await.id, draft.id, "what is open is what is sent");
    // The company reviews its quotes.
    let empresa = scene.server.empresa.id;
    let settings = scene.server.app.store.settings(empresa).await.unwrap();
    scene.server.app.store.save_settings(empresa, Settings { review: true, ..settings }).await.unwrap();
    press(&scene.server.lead_with(known).await).await;
}

async fn a_call_is_written_down(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let id = scene.server.lead().await;
    let page = format!("/panel/leads/{id}");
    for n in 1..=2 {
        let once = hidden(&browser.get(&page).await.panel(200), "vez");
        let fields =
            [("vez", once.as_str()), ("resultado", "exitoso"), ("minutos", "3"), ("notas", "Quiere visita")];
        browser.post(&format!("{page}/llamada"), &fields).await.to(&format!("{page}?hecho=llamada"));
        browser.post(&format!("{page}/llamada"), &fields).await.to(&format!("{page}?hecho=llamada"));
        let intentos = record(&scene, &id).await.intentos;
        assert_eq!(intentos.len(), n);
        let last = &intentos.last().unwrap().intento;
        assert_eq!((last.numero_intento, last.duracion_seg, last.completed), (n as i64, Some(180), true));
    }
    assert_eq!(logged(&scene, AuditAction::LeadCalled).await, 2);
    let fields = [("vez", crate::NOBODY), ("resultado", "nunca"), ("notas", "se queda")];
    let wrong = browser.post(&format!("{page}/llamada"), &fields).await.panel(422);
    assert!(wrong.contains("id=\"resultado-error\"") && wrong.contains("se queda"), "{wrong}");
    let fields = [("vez", crate::NOBODY), ("minutos", "muchos")];
    let wrong = browser.post(&format!("{page}/llamada"), &fields).await.panel(422);
    assert!(wrong.contains("id=\"minutos-error\""), "{wrong}");
}

async fn upload(browser: &Browser<'_>, path: &str, parts: &[(&str, Option<&str>, &[u8])]) -> Answered {
    let (kind, body) = with_files(parts);
    let request = browser.form(path, &[]).header("sec-fetch-site", "same-origin");
    let mut request = request.body(body).build().unwrap();
    request.headers_mut().insert("content-type", kind.parse().unwrap());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    browser.send(reqwest::RequestBuilder::from_parts(client, request)).await
}

async fn photos_are_added_by_hand_and_seen_small(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let id = scene.server.lead_with(json!({ "tipoReforma": "bano" })).await;
    let (page, place) = (format!("/panel/leads/{id}"), format!("/panel/leads/{id}/fotos"));
    let (big, other) = (jpeg(1_200, 900), jpeg(640, 480));
    let parts: [(&str, Option<&str>, &[u8]); 5] = [
        ("zona", None, b"cocina"),
        ("momento", None, b"antes"),
        ("fotos", Some("\"><script>.jpg"), &big),
        ("fotos", Some("b.jpg"), &other),
        ("fotos", Some("malo.txt"), b"no es una foto"),
    ];
    let answer = upload(&browser, &place, &parts).await.panel(422);
    assert!(answer.contains("id=\"fotos-error\"") && !answer.contains("<script>."), "{answer}");
    let record = record(&scene, &id).await;
    assert_eq!(record.fotos.len(), 2, "what was right is kept");
    assert!(record.fotos.iter().all(|foto| foto.zona.as_str() == "cocina"));
    assert_eq!(logged(&scene, AuditAction::LeadPhotos).await, 1);

    let foto = format!("{place}/{}", record.fotos[0].id);
    let shown = browser.get(&page).await.panel(200);
    assert!(shown.contains(&format!("src=\"{foto}?mini\"")), "{shown}");
    for path in [foto.clone(), format!("{foto}?mini")] {
        let answer = browser.get(&path).await;
        assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, Some("image/jpeg")));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    browser.get(&format!("{place}/{}", crate::NOBODY)).await.panel(404);
    browser.post(&place, &[]).await.panel(422);
}

async fn a_new_lead_by_telephone(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let form = browser.get("/panel/leads/nuevo").await.panel(200);
    let once = hidden(&form, "vez");
    let wrong =
        [("vez", once.as_str()), ("nombre", "Pepe"), ("telefono", "1"), ("email", "x"), ("m2Suelo", "a")];
    let page = browser.post("/panel/leads/nuevo", &wrong).await.panel(422);
    for shown in ["id=\"telefono-error\"", "id=\"email-error\"", "id=\"m2Suelo-error\"", "value=\"Pepe\""] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let right = [
        ("vez", once.as_str()),
        ("nombre", "Pepe Ruiz"),
        ("telefono", "611 22 33 44"),
        ("email", "pepe@ejemplo.es"),
        ("canalOrigen", "referido"),
        ("m2Suelo", "7,5"),
        ("presupuestoTarget", "9.000"),
    ];
    let first = browser.post("/panel/leads/nuevo", &right).await;
    let place = first.header("location").unwrap().to_owned();
    assert_eq!(browser.post("/panel/leads/nuevo", &right).await.header("location"), Some(place.as_str()));
    let id = place.strip_prefix("/panel/leads/").unwrap().strip_suffix("?hecho=alta").unwrap();
    let lead = record(&scene, id).await.lead;
    assert_eq!((lead.nombre.as_str(), lead.telefono_e164.as_str()), ("Pepe Ruiz", "+34611223344"));
    assert_eq!(lead.perfil.canal_origen, Some(CanalOrigen::Referido));
    assert_eq!((lead.perfil.m2_suelo, lead.perfil.presupuesto_target_cents), (Some(7.5), Some(900_000)));
    assert_eq!(lead.empresa.id, scene.server.empresa.id);
    assert_eq!(logged(&scene, AuditAction::LeadCreated).await, 1);
    browser.get(&place).await.panel(200);
}

/// The random id of a button on another company's page names nothing here.
async fn a_press_of_another_company_is_another_press(engine: Engine) {
    let scene = Scene::at(engine).await;
    let other = crate::person::another_company(&scene).await;
    let browser = seller(&scene).await;
    add(&scene, "ajena@ejemplo.es", Some(Role::Comercial), Some(other.id)).await;
    let stranger = Browser::signed(&scene, "ajena@ejemplo.es").await;
    let once = hidden(&browser.get("/panel/leads/nuevo").await.panel(200), "vez");
    let fields = [
        ("vez", once.as_str()),
        ("nombre", "Pepe Ruiz"),
        ("telefono", "611 22 33 44"),
        ("email", "pepe@ejemplo.es"),
    ];
    let place = async |browser: &Browser<'_>| {
        let made = browser.post("/panel/leads/nuevo", &fields).await;
        made.header("location").unwrap().to_owned()
    };
    let own = place(&browser).await;
    let foreign = place(&stranger).await;
    assert_ne!(own, foreign);
    assert_eq!(place(&browser).await, own, "pressed twice it is one press");
    stranger.get(&foreign).await.panel(200);
    stranger.get(&own).await.panel(404);
}
