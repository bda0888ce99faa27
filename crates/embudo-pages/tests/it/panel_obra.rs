//! A worker on site sees their own visits and works with what they need there, without prices, and nothing of other
//! people.

use embudo_app::{Actor, Change, Conflicts, NewVisita, Pass, Tell};
use embudo_domain::audit::AuditAction;
use embudo_domain::role::{Membership, Role};
use embudo_domain::visita::Visita;
use embudo_domain::{LeadId, UserId};
use embudo_testkit::{Engine, Scene, both_engines, data_uri, jpeg};
use jiff::SignedDuration;
use serde_json::json;

use crate::panel_lead_desk::{log, person, signed};
use crate::person::{Browser, PanelPage as _};
use crate::visitor::hidden;

both_engines!(
    a_worker_sees_their_own_visits_and_what_belongs_to_them,
    a_worker_adds_photos_notes_and_measurements,
    a_cancelled_visit_tells_nothing_more,
    a_worker_is_told_of_their_visits_alone,
    who_only_reads_sees_quotes_and_visits_and_no_button,
);

/// Creates a lead with a photo and an accepted quote. Returns its id, and the address of its photo.
async fn a_work(scene: &Scene, nombre: &str, telefono: &str) -> (String, String) {
    let known = json!({
        "nombre": nombre, "telefono": telefono, "tipoReforma": "bano", "m2Suelo": 5,
        "calidadGlobal": "media", "provincia": "Madrid",
    });
    let lead = scene.server.lead_with(known).await;
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&jpeg(64, 48)) });
    let body = json!({ "items": [foto], "finalizar": true });
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    let record = scene.server.app.store.record(LeadId::parse(&lead).unwrap()).await.unwrap();
    let pass = scene.server.app.outbound.passes.write(Pass::Presupuesto(record.presupuestos[0].id), None);
    let yes = [("acepto", "si"), ("declaro", "si")];
    let accepted = Browser::new(scene).post(&format!("/p/{pass}/aceptar"), &yes).await;
    assert_eq!(accepted.status.as_u16(), 303, "{}", accepted.text);
    let foto = format!("/panel/leads/{lead}/fotos/{}", record.fotos[0].id);
    (lead, foto)
}

/// A visit of a lead, agreed for tomorrow.
async fn a_visit(scene: &Scene, lead: &str, people: Vec<UserId>) -> Visita {
    let app = &scene.server.app;
    let new = NewVisita {
        lead: LeadId::parse(lead).unwrap(),
        empresa: scene.server.empresa.id,
        minutes: 60,
        address: "Calle de la Palma 12, Madrid".into(),
        people,
        notes: "Las llaves, en el bar.".into(),
    };
    let visita = app.visits().prepare(new).agree(app.now() + SignedDuration::from_hours(24), app.now());
    let (visita, command) = (visita.unwrap(), Actor::command());
    app.visits().keep(None, visita.clone(), Conflicts::Override, Tell::People, &command).await.unwrap();
    settled(scene).await;
    app.store.visita(visita.id).await.unwrap().unwrap()
}

async fn settled(scene: &Scene) {
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
}

fn of(visita: &Visita) -> String {
    format!("/panel/visitas/{}", visita.id)
}

async fn a_worker_sees_their_own_visits_and_what_belongs_to_them(engine: Engine) {
    let scene = Scene::at(engine).await;
    let (paco, luis) =
        (person(&scene, "Paco", Role::Obra).await.id, person(&scene, "Luis", Role::Comercial).await.id);
    let (own, foto) = a_work(&scene, "Marta Sanz", "612345601").await;
    let (other, other_foto) = a_work(&scene, "Julia Rey", "612345602").await;
    let (visit, others) =
        (a_visit(&scene, &own, vec![paco, luis]).await, a_visit(&scene, &other, vec![luis]).await);
    let browser = signed(&scene, "Paco").await;
    browser.get("/panel").await.to("/panel/visitas");
    for view in ["", "?vista=mes", "?vista=semana", "?vista=lista", "?vista=lista&de=todos"] {
        let list = browser.get(&format!("/panel/visitas{view}")).await.panel(200);
        assert!(list.contains("Marta Sanz") && !list.contains("Julia Rey"), "{view}: {list}");
        assert!(
            list.contains("Mis obras") && !list.contains("De todos") && !list.contains("ajustes"),
            "{list}"
        );
        assert!(!list.contains("/panel/leads") && !list.contains("/panel/presupuestos"), "{list}");
    }
    let page = browser.get(&of(&visit)).await.panel(200);
    for shown in [
        "Marta Sanz",
        "tel:+34612345601",
        "openstreetmap.org",
        "Calle de la Palma 12",
        "Las llaves, en el bar.",
        "Lo que hay que hacer",
        "Aceptada, sin empezar",
        foto.as_str(),
    ] {
        assert!(page.contains(shown), "{shown} in {page}");
    }
    let quote = scene.server.app.store.presupuestos(LeadId::parse(&own).unwrap()).await.unwrap().remove(0);
    for line in quote.document.pricing.capitulos.iter().flat_map(|c| &c.lines) {
        let amount = line.importe.to_string();
        assert!(!page.contains(amount.trim_end_matches("\u{a0}€")), "{amount} in {page}");
    }
    assert!(!page.contains('€') && !page.contains(&format!("\"/panel/leads/{own}\"")), "{page}");
    // The person's own data: found. A colleague's data: not found. Pages that the role does not open: forbidden.
    for (path, status) in [
        (foto.clone(), 200),
        (format!("{foto}?mini"), 200),
        (other_foto.clone(), 404),
        (of(&others), 404),
        (format!("/panel/leads/{own}"), 403),
        (format!("/panel/leads/{other}"), 403),
        (format!("/panel/leads/{own}/presupuestos/{}", quote.number), 403),
        (format!("/panel/presupuestos/{}", quote.id), 403),
        (format!("/panel/presupuestos/{}/pagina", quote.id), 403),
        ("/panel/leads?q=Marta".into(), 403),
        ("/panel/presupuestos".into(), 403),
        ("/panel/resumen".into(), 403),
    ] {
        assert_eq!(browser.get(&path).await.status.as_u16(), status, "{path}");
    }
    for (path, status) in [
        (format!("{}/notas", of(&others)), 404),
        (format!("{}/medidas", of(&others)), 404),
        (format!("{}/cancelar", of(&visit)), 403),
        (format!("{}/resultado", of(&visit)), 403),
        (format!("/panel/leads/{own}/notas"), 403),
        (format!("/panel/leads/{own}/fotos"), 403),
    ] {
        assert_eq!(browser.post(&path, &[("nota", "x")]).await.status.as_u16(), status, "{path}");
    }
    // The calendar feed.
    let made = browser.post("/panel/cuenta/calendario", &[("hacer", "nueva")]).await.panel(200);
    let secret = made.split("/calendario/").nth(1).unwrap().split(".ics").next().unwrap().to_owned();
    let feed = Browser::new(&scene).get(&format!("/calendario/{secret}.ics")).await.text;
    assert!(feed.contains(&visit.id.to_string()) && !feed.contains(&others.id.to_string()), "{feed}");
    assert!(!feed.contains('€'), "{feed}");
}

async fn a_worker_adds_photos_notes_and_measurements(engine: Engine) {
    let scene = Scene::at(engine).await;
    let (paco, eva) =
        (person(&scene, "Paco", Role::Obra).await.id, person(&scene, "Eva", Role::Gestor).await.id);
    let (lead, _) = a_work(&scene, "Marta Sanz", "612345601").await;
    let visit = a_visit(&scene, &lead, vec![paco]).await;
    let (browser, owner) = (signed(&scene, "Paco").await, signed(&scene, "Eva").await);
    // Another person's note is not shown on site.
    let viewer = embudo_store::inbox::Viewer { who: eva, empresas: vec![scene.server.empresa.id] };
    let known = scene.server.app.store.lead(LeadId::parse(&lead).unwrap()).await.unwrap();
    let (once, text) = (scene.server.app.id(), "Regatea: bajar hasta 6.000 €".to_owned());
    scene.server.app.desk().add_nota(&viewer, &known, once, text, &Actor::command()).await.unwrap();

    let place = of(&visit);
    let page = browser.get(&place).await.panel(200);
    assert!(!page.contains("Regatea"), "{page}");
    let once = hidden(&page, "vez");
    let empty = browser.post(&format!("{place}/notas"), &[("vez", &once), ("nota", " ")]).await.panel(422);
    assert!(empty.contains("Escribe la nota."), "{empty}");
    let nota = [("vez", once.as_str()), ("nota", "Hay humedad tras la bañera.")];
    for _ in 0..2 {
        browser.post(&format!("{place}/notas"), &nota).await.to(&format!("{place}?hecho=nota#nota-interna"));
    }
    let nothing = browser.post_files(&format!("{place}/fotos"), &[("zona", None, b"bano")]).await.panel(422);
    assert!(nothing.contains("Elige al menos una foto."), "{nothing}");
    let picture = jpeg(80, 60);
    let files = [("zona", None, &b"bano"[..]), ("fotos", Some("a.jpg"), &picture[..])];
    browser.post_files(&format!("{place}/fotos"), &files).await.to(&format!("{place}?hecho=fotos#fotos"));
    let page = browser.get(&place).await.panel(200);
    let (obra, vivienda) = (hidden(&page, "version-obra"), hidden(&page, "version-vivienda"));
    let revision = hidden(&page, "revision");
    let measured = [
        ("revision", revision.as_str()),
        ("version-obra", &obra),
        ("version-vivienda", &vivienda),
        ("m2Suelo", "5,4"),
        ("m2Estimado", "si"),
        ("banos", "1"),
        ("planta", "3"),
        ("ascensor", "no"),
        ("medidas", "Ventana de 60 × 80"),
    ];
    browser.post(&format!("{place}/medidas"), &measured).await.to(&format!("{place}?hecho=medidas"));

    let page = browser.get(&place).await.panel(200);
    assert!(page.contains("Hay humedad tras la bañera.") && page.contains("Ventana de 60 × 80"), "{page}");
    assert_eq!(page.matches("class=\"mini\"").count(), 2, "{page}");
    let seen = owner.get(&format!("/panel/leads/{lead}")).await.panel(200);
    for shown in ["Hay humedad tras la bañera.", "Ventana de 60 × 80", "Nota interna de Paco", "5,4 m²"] {
        assert!(seen.contains(shown), "{shown} in {seen}");
    }
    let record = scene.server.app.store.record(LeadId::parse(&lead).unwrap()).await.unwrap();
    assert_eq!((record.fotos.len(), record.lead.perfil.m2_suelo), (2, Some(5.4)));
    let notes = log(&scene, AuditAction::NotaWritten).await;
    assert_eq!(notes.iter().filter(|entry| entry.who == "Paco").count(), 2, "{notes:?}");
    // People who work with the lead use the same forms.
    let once = hidden(&owner.get(&place).await.panel(200), "vez");
    let nota = [("vez", once.as_str()), ("nota", "Visto.")];
    owner.post(&format!("{place}/notas"), &nota).await.to(&format!("{place}?hecho=nota#nota-interna"));
}

async fn a_cancelled_visit_tells_nothing_more(engine: Engine) {
    let scene = Scene::at(engine).await;
    let paco = person(&scene, "Paco", Role::Obra).await.id;
    person(&scene, "Eva", Role::Gestor).await;
    let (lead, foto) = a_work(&scene, "Marta Sanz", "612345601").await;
    let visit = a_visit(&scene, &lead, vec![paco]).await;
    let (browser, owner) = (signed(&scene, "Paco").await, signed(&scene, "Eva").await);
    let revision = hidden(&owner.get(&of(&visit)).await.panel(200), "revision");
    let cancelled = owner.post(&format!("{}/cancelar", of(&visit)), &[("revision", &revision)]).await;
    cancelled.to(&format!("{}?hecho=cancelada", of(&visit)));
    let page = browser.get(&of(&visit)).await.panel(200);
    assert!(page.contains("se ha cancelado") && !page.contains("tel:") && !page.contains(&foto), "{page}");
    assert_eq!(browser.get(&foto).await.status.as_u16(), 404);
    let nota = [("vez", "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b"), ("nota", "Hola")];
    assert_eq!(browser.post(&format!("{}/notas", of(&visit)), &nota).await.status.as_u16(), 404);
    assert_eq!(browser.post_files(&format!("{}/fotos", of(&visit)), &[]).await.status.as_u16(), 404);
    assert!(!browser.get("/panel/visitas").await.panel(200).contains("Mis obras"));
    // With the role `lectura` instead, the person sees the visit as a reader: without the form for measurements.
    let again = a_visit(&scene, &lead, vec![paco]).await;
    assert_eq!(browser.get(&foto).await.status.as_u16(), 200);
    let elsewhere = Change {
        is_admin: false,
        is_active: true,
        memberships: vec![Membership { empresa: scene.server.empresa.id, role: Role::Lectura }],
    };
    scene.server.app.access().change_person(paco, elsewhere, &Actor::command()).await.unwrap();
    let read = browser.get(&of(&again)).await.panel(200);
    assert!(!read.contains("/medidas") && read.contains(&format!("/panel/leads/{lead}")), "{read}");
}

async fn a_worker_is_told_of_their_visits_alone(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Paco", Role::Obra).await;
    person(&scene, "Eva", Role::Gestor).await;
    let (browser, owner) = (signed(&scene, "Paco").await, signed(&scene, "Eva").await);
    let page = browser.get("/panel/cuenta").await.panel(200);
    assert!(
        page.contains("cuando te ponen en una visita") && page.contains("Mi horario de visitas"),
        "{page}"
    );
    assert!(!page.contains("aviso-leads") && !page.contains("data-avisos"), "{page}");
    let slug = scene.server.empresa.slug.clone();
    let wanted = [("empresa", slug.as_str()), ("aviso-leads", "si"), ("movil-leads", "si")];
    for path in ["/panel/cuenta/avisos", "/panel/cuenta/dispositivos/avisos"] {
        assert_eq!(browser.post(path, &wanted).await.status.as_u16(), 404, "{path}");
    }
    let people = owner.get("/panel/empresa/avisos").await.panel(200);
    assert!(people.contains("Eva") && !people.contains("Paco"), "{people}");
}

async fn who_only_reads_sees_quotes_and_visits_and_no_button(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await.id;
    person(&scene, "Vera", Role::Lectura).await;
    let (lead, _) = a_work(&scene, "Marta Sanz", "612345601").await;
    let visit = a_visit(&scene, &lead, vec![luis]).await;
    let vera = signed(&scene, "Vera").await;
    let calendar = vera.get("/panel/visitas").await.panel(200);
    assert!(calendar.contains("Marta Sanz") && !calendar.contains("Mis obras"), "{calendar}");
    assert!(!calendar.contains("/panel/cuenta#agenda"), "{calendar}");
    let forms = |page: &str, place: &str| page.matches(&format!("action=\"{place}")).count();
    let page = vera.get(&of(&visit)).await.panel(200);
    assert!(page.contains("Marta Sanz") && page.contains("Las llaves, en el bar."), "{page}");
    assert_eq!(forms(&page, "/panel/visitas"), 0, "{page}");
    let quote = scene.server.app.store.presupuestos(LeadId::parse(&lead).unwrap()).await.unwrap().remove(0);
    let list = vera.get("/panel/presupuestos?estado=aceptados").await.panel(200);
    let place = format!("/panel/presupuestos/{}", quote.id);
    assert!(list.contains(&place), "{list}");
    let page = vera.get(&place).await.panel(200);
    assert!(page.contains(&quote.number.to_string()) && page.contains('€'), "{page}");
    assert_eq!((forms(&page, &place), forms(&page, "/panel/leads")), (0, 0), "{page}");
    assert!(!page.contains("Tu margen") && !page.contains("/p/"), "{page}");
    let seen = vera.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert!(seen.contains(&place) && seen.contains(&of(&visit)), "{seen}");
    for (path, fields) in [(format!("{place}/revocar"), 403), (format!("{}/medidas", of(&visit)), 403)] {
        assert_eq!(vera.post(&path, &[]).await.status.as_u16(), fields, "{path}");
    }
}
