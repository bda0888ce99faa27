//! People's rights over their data, in the panel: a copy, an erasure, retention periods, blocked quotes, revoked links.

use embudo_delivery::fetch::{Fetcher, Rules};
use embudo_domain::LeadId;
use embudo_domain::audit::AuditAction;
use embudo_domain::event::EventKind;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::rights::{ErasureReason, Retention};
use embudo_domain::role::Role;
use embudo_store::outbox_admin::JobFilter;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Receiver, Scene, both_engines, data_uri, jpeg};
use jiff::SignedDuration;
use serde_json::json;

use crate::panel_empresa::{log, manager};
use crate::person::{Browser, PASSWORD, PanelPage as _, add, panel};
use crate::visitor::{GOOD, Visitor, hidden};

both_engines!(
    a_person_is_erased_with_the_password,
    a_copy_is_downloaded_with_the_password,
    whoever_looks_is_written_down,
    whatever_shows_a_lead_is_written_down,
    terms_are_set_foretold_and_kept,
    shorter_terms_are_foretold_before_they_are_stored,
    an_accepted_quote_is_for_the_administrator_alone,
    a_client_asks_and_nothing_is_erased,
    a_revoked_link_opens_nothing_and_the_next_one_does,
    a_quote_that_was_replaced_leads_nobody_around_a_revocation,
    a_form_that_is_sent_again_gets_nobody_around_a_revocation,
    what_is_finished_after_the_erasure_is_not_kept,
    a_photo_that_was_fetched_is_in_the_copy,
);

const PRIVACY: &str = "/panel/empresa/privacidad";

/// A lead with a photo and a quote that was sent.
async fn quoted(scene: &Scene) -> (String, Presupuesto) {
    let facts = json!({ "nombre": "Berta Roldán", "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" });
    let lead = scene.server.lead_with(facts).await;
    let foto = data_uri(&jpeg(64, 48));
    let body = json!({ "items": [{ "tipo": "foto", "imagen": foto }], "finalizar": true });
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    let quotes = scene.server.app.store.presupuestos(LeadId::parse(&lead).unwrap()).await.unwrap();
    (lead, quotes.into_iter().next().unwrap())
}

async fn a_person_is_erased_with_the_password(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let (lead, quote) = quoted(&scene).await;
    let (page, base) = (format!("/panel/leads/{lead}"), format!("/panel/leads/{lead}/persona"));
    assert!(browser.get(&page).await.panel(200).contains("Datos de la persona"));
    let shown = browser.get(&base).await.panel(200);
    assert!(shown.contains("Berta Roldán") && shown.contains("Borrar para siempre"), "{shown}");

    let erase = format!("{base}/borrar");
    let unsure = browser.post(&erase, &[("clave", PASSWORD)]).await.panel(422);
    assert!(unsure.contains("no se puede deshacer"), "{unsure}");
    let wrong = browser.post(&erase, &[("seguro", "si"), ("clave", "otra")]).await.panel(422);
    assert!(wrong.contains("Esa no es tu contraseña"), "{wrong}");
    assert_eq!(browser.get(&page).await.status.as_u16(), 200, "nothing happened");

    browser
        .post(&erase, &[("seguro", "si"), ("clave", PASSWORD)])
        .await
        .to(&format!("{PRIVACY}?hecho=borrado"));
    assert_eq!(browser.get(&page).await.status.as_u16(), 404);
    assert_eq!(scene.server.get(&format!("/api/leads/{lead}")).await.status.as_u16(), 404);
    let link = scene.server.app.quotes().page_path(quote.id);
    assert_eq!(scene.server.get(&link).await.status.as_u16(), 404);
    let told = browser.get(PRIVACY).await.panel(200);
    assert!(told.contains("hecho") && told.contains("lo pidió") && !told.contains("Berta"), "{told}");
    let erased = log(&scene, AuditAction::PersonErased).await.remove(0);
    assert_eq!(
        (erased.object.as_deref(), &erased.before, &erased.after),
        (Some(lead.as_str()), &None, &None)
    );
    let files = std::fs::read_dir(scene.server.blobs_folder())
        .unwrap()
        .flat_map(|database| std::fs::read_dir(database.unwrap().path().join("leads")).into_iter().flatten());
    assert_eq!(files.count(), 0, "no folder of the lead is left");
}

async fn a_copy_is_downloaded_with_the_password(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let (lead, quote) = quoted(&scene).await;
    let export = format!("/panel/leads/{lead}/persona/exportar");
    let wrong = browser.post(&export, &[("clave", "otra")]).await.panel(422);
    assert!(wrong.contains("Esa no es tu contraseña"), "{wrong}");
    let copy = browser.post(&export, &[("clave", PASSWORD)]).await;
    assert_eq!((copy.status.as_u16(), copy.header("content-type")), (200, Some("application/zip")));
    assert!(copy.header("content-disposition").unwrap().contains(&format!("persona-{lead}.zip")));
    for part in
        ["LEEME.txt", "datos/lead.json", "Berta", &format!("presupuestos/{}.pdf", quote.number), "fotos/001-"]
    {
        assert!(copy.text.contains(part), "{part}");
    }
    assert_eq!(log(&scene, AuditAction::PersonExported).await[0].object, Some(lead));
}

async fn whoever_looks_is_written_down(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    add(&scene, "luis@ejemplo.es", Some(Role::Lectura), None).await;
    let reader = Browser::signed(&scene, "luis@ejemplo.es").await;
    let lead = scene.server.lead().await;
    let (page, base) = (format!("/panel/leads/{lead}"), format!("/panel/leads/{lead}/persona"));
    let mine = browser.get(&base).await.panel(200);
    assert!(mine.contains("por primera vez a las"), "who looks at this page too: {mine}");
    for _ in 0..3 {
        reader.get(&page).await.panel(200);
    }
    let of = |secs: u32| scene.server.app.store.seen_of(LeadId::parse(&lead).unwrap(), secs);
    assert_eq!(of(10).await.unwrap().len(), 2, "each once a day: who read, and who looked at this page");
    scene.clock.advance(SignedDuration::from_hours(24));
    let reader = Browser::signed(&scene, "luis@ejemplo.es").await;
    reader.get(&page).await.panel(200);
    assert_eq!(of(10).await.unwrap().len(), 3);
    assert_eq!(reader.get(&base).await.status.as_u16(), 403, "not for everybody");
}

/// Quotes, their PDFs, photos and sent messages show as much of the person as the lead's own page, so viewing them is
/// recorded too.
async fn whatever_shows_a_lead_is_written_down(engine: Engine) {
    let scene = Scene::at(engine).await;
    let (lead, quote) = quoted(&scene).await;
    let id = LeadId::parse(&lead).unwrap();
    let foto = &scene.server.app.store.record(id).await.unwrap().fotos[0];
    let filter = JobFilter { lead: Some(id), ..JobFilter::default() };
    let job = &scene.server.app.store.list_jobs(filter, None, 1).await.unwrap()[0];
    for (n, page) in [
        format!("/panel/presupuestos/{}", quote.id),
        format!("/panel/leads/{lead}/presupuestos/{}", quote.number),
        format!("/panel/leads/{lead}/fotos/{}", foto.id),
        format!("/panel/leads/{lead}/visitas"),
        format!("/panel/envios/{}", job.id),
    ]
    .into_iter()
    .enumerate()
    {
        let email = format!("persona-{n}@ejemplo.es");
        add(&scene, &email, Some(Role::Gestor), None).await;
        let browser = Browser::signed(&scene, &email).await;
        assert_eq!(browser.get(&page).await.status.as_u16(), 200, "{page}");
        assert_eq!(scene.server.app.store.seen_of(id, 10).await.unwrap().len(), n + 1, "{page}");
    }
}

async fn terms_are_set_foretold_and_kept(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let (forgotten, accepted) = (scene.server.lead().await, quoted(&scene).await);
    accept(&scene, &accepted.1).await;
    scene.server.app.housekeeping().catch_up_at_start().await.unwrap();
    let page = browser.get(PRIVACY).await.panel(200);
    assert!(page.contains("Perdidos: no se borra ninguno"), "{page}");
    let version = hidden(&page, "version");
    let send = async |fields: &[(&str, &str)]| {
        let all: Vec<_> = [("version", version.as_str())].into_iter().chain(fields.iter().copied()).collect();
        browser.post(PRIVACY, &all).await
    };
    for wrong in ["0", "241", "doce"] {
        let page = send(&[("perdidos", wrong)]).await.panel(422);
        assert!(page.contains("Un número de meses"), "{wrong}: {page}");
    }
    assert!(send(&[("anos", "0")]).await.panel(422).contains("Un número de años"));
    let rules: [(&str, &str); 3] = [("perdidos", "6"), ("olvidados", "12"), ("anos", "")];
    let retention =
        async || scene.server.app.store.settings(scene.server.empresa.id).await.unwrap().retention;
    let first = send(&rules).await.panel(200);
    assert!(
        first.contains("Con lo que has escrito") && first.contains("Perdidos: ahora mismo, ninguno"),
        "{first}"
    );
    assert_eq!(retention().await, Retention::default(), "the first press stores nothing");
    let seen = hidden(&first, "visto");
    let confirm = async |more: &[(&str, &str)]| {
        let all: Vec<_> =
            rules.into_iter().chain([("visto", seen.as_str())]).chain(more.iter().copied()).collect();
        send(&all).await
    };
    assert!(confirm(&[("clave", PASSWORD)]).await.panel(422).contains("no se puede deshacer"));
    let wrong = confirm(&[("seguro", "si"), ("clave", "otra")]).await.panel(422);
    assert!(wrong.contains("Esa no es tu contraseña"), "{wrong}");
    let sure = [("seguro", "si"), ("clave", PASSWORD)];
    let others = [("perdidos", "3"), ("olvidados", "12"), ("visto", seen.as_str()), sure[0], sure[1]];
    assert!(send(&others).await.panel(200).contains("Con lo que has escrito"), "that was not shown yet");
    assert_eq!(retention().await, Retention::default());
    confirm(&sure).await.to(&format!("{PRIVACY}?hecho=si"));
    assert_eq!(
        retention().await,
        Retention { lost_months: Some(6), quiet_months: Some(12), legal_years: None }
    );
    let stale = send(&[("olvidados", "3")]).await.panel(409);
    assert!(stale.contains("Ahora pone"), "{stale}");
    let version = hidden(&browser.get(PRIVACY).await.panel(200), "version");
    let longer = [("version", version.as_str()), ("perdidos", "7"), ("olvidados", "12")];
    browser.post(PRIVACY, &longer).await.to(&format!("{PRIVACY}?hecho=si"));
    assert_eq!(retention().await.lost_months, Some(7), "to keep longer takes one press");

    assert_eq!(
        scene.server.app.housekeeping().look_after_rights().await.unwrap(),
        0,
        "nobody is forgotten yet"
    );
    scene.clock.advance(SignedDuration::from_hours(24 * 400));
    let browser = Browser::signed(&scene, "marta@ejemplo.es").await;
    let foretold = browser.get(PRIVACY).await.panel(200);
    assert!(foretold.contains("Sin respuesta: 1 lead;"), "{foretold}");
    assert_eq!(
        scene.server.get(&format!("/api/leads/{forgotten}")).await.status.as_u16(),
        200,
        "it only looked"
    );
    assert_eq!(scene.server.app.housekeeping().look_after_rights().await.unwrap(), 1);
    assert_eq!(scene.server.get(&format!("/api/leads/{forgotten}")).await.status.as_u16(), 404);
    assert_eq!(scene.server.get(&format!("/api/leads/{}", accepted.0)).await.status.as_u16(), 200);
    assert!(browser.get(PRIVACY).await.panel(200).contains("por plazo"));
}

/// The preview is about the typed settings, not the stored ones. Nothing is erased before the person confirms.
async fn shorter_terms_are_foretold_before_they_are_stored(engine: Engine) {
    let scene = Scene::at(engine).await;
    manager(&scene).await;
    let forgotten = scene.server.lead().await;
    scene.server.app.housekeeping().catch_up_at_start().await.unwrap();
    scene.clock.advance(SignedDuration::from_hours(24 * 400));
    let browser = Browser::signed(&scene, "marta@ejemplo.es").await;
    let version = hidden(&browser.get(PRIVACY).await.panel(200), "version");
    let rules = [("version", version.as_str()), ("olvidados", "12")];
    let first = browser.post(PRIVACY, &rules).await.panel(200);
    assert!(first.contains("Sin respuesta: 1 lead;"), "{first}");
    assert_eq!(scene.server.app.housekeeping().look_after_rights().await.unwrap(), 0);
    assert_eq!(scene.server.get(&format!("/api/leads/{forgotten}")).await.status.as_u16(), 200);
    let seen = hidden(&first, "visto");
    let all = [rules[0], rules[1], ("visto", &seen), ("seguro", "si"), ("clave", PASSWORD)];
    browser.post(PRIVACY, &all).await.to(&format!("{PRIVACY}?hecho=si"));
    assert_eq!(scene.server.app.housekeeping().look_after_rights().await.unwrap(), 1);
}

/// The client accepts the quote.
async fn accept(scene: &Scene, quote: &Presupuesto) {
    let word = embudo_app::ClientWord::Accepts {
        options: Vec::new(),
        total: quote.document.impuesto.total,
        declared: true,
        early_start: false,
    };
    let answer = embudo_app::ClientAnswer { word, ip: Some("203.0.113.7".parse().unwrap()) };
    let result = scene.server.app.quotes().answer(quote, answer).await.unwrap();
    assert_eq!(result, embudo_store::presupuestos::AnswerResult::Done);
}

async fn an_accepted_quote_is_for_the_administrator_alone(engine: Engine) {
    let scene = panel(engine).await;
    let (gestora, ana) = (manager(&scene).await, Browser::signed(&scene, "ana@ejemplo.es").await);
    let (lead, quote) = quoted(&scene).await;
    accept(&scene, &quote).await;
    let base = format!("/panel/leads/{lead}/persona");
    let shown = gestora.get(&base).await.panel(200);
    assert!(shown.contains("Se conserva lo que obliga la ley") && shown.contains("6 años"), "{shown}");
    gestora
        .post(&format!("{base}/borrar"), &[("seguro", "si"), ("clave", PASSWORD)])
        .await
        .to(&format!("{PRIVACY}?hecho=borrado"));
    let number = quote.number.to_string();
    assert!(!gestora.get(PRIVACY).await.panel(200).contains(&number), "not for her");
    assert!(ana.get(PRIVACY).await.panel(200).contains(&number));
    let pdf = format!("{PRIVACY}/bloqueado?id={}", quote.id);
    assert_eq!(gestora.get(&pdf).await.status.as_u16(), 403);
    let opened = ana.get(&pdf).await;
    assert_eq!((opened.status.as_u16(), opened.header("content-type")), (200, Some("application/pdf")));
    assert_eq!(log(&scene, AuditAction::BlockedSeen).await.len(), 1);
    let answered = format!("{PRIVACY}/bloqueado/respuesta?id={}", quote.id);
    assert_eq!(gestora.get(&answered).await.status.as_u16(), 403);
    let facts = ana.get(&answered).await.panel(200);
    let total = quote.document.impuesto.total.to_string();
    for fact in [number.as_str(), &total, "Desde la dirección IP", "203.0.113.7", "Declaración", "SHA-256"]
    {
        assert!(facts.contains(fact), "{fact}: {facts}");
    }
    assert_eq!(log(&scene, AuditAction::BlockedSeen).await.len(), 2, "this is a look too");
    assert_eq!(scene.server.get(&scene.server.app.quotes().page_path(quote.id)).await.status.as_u16(), 404);

    scene.clock.advance(SignedDuration::from_hours(24 * 366 * 7));
    scene.server.app.housekeeping().look_after_rights().await.unwrap();
    assert_eq!(scene.server.app.store.blocked_quote(quote.id).await.unwrap(), None, "its term is over");
    assert!(scene.server.app.blobs.get(quote.lead, &quote.pdf.unwrap().digest).await.is_err());
}

async fn a_client_asks_and_nothing_is_erased(engine: Engine) {
    let scene = Scene::at(engine).await;
    let (lead, quote) = quoted(&scene).await;
    let page = scene.server.app.quotes().page_path(quote.id);
    let browser = Browser::new(&scene);
    assert!(browser.get(&page).await.text.contains("Pedir que los borréis"));
    for what in ["borrado", "borrado", "copia", "otra cosa"] {
        let answer = browser.post(&format!("{page}/datos"), &[("que", what)]).await;
        assert_eq!(answer.status.as_u16(), 303, "{}", answer.text);
    }
    assert!(
        browser
            .get(&format!("{page}?datos=borrado"))
            .await
            .text
            .contains("hemos recibido que quieres que borremos")
    );
    let record = scene.server.app.store.record(LeadId::parse(&lead).unwrap()).await.unwrap();
    let asked: Vec<_> = record.events.iter().filter(|e| e.kind == EventKind::RightAsked).collect();
    assert_eq!(asked.len(), 2, "once of each kind: {asked:?}");
    let gestora = manager(&scene).await;
    assert!(
        gestora.get(&format!("/panel/leads/{lead}")).await.panel(200).contains("Que se borren sus datos")
    );
    scene.server.app.housekeeping().project_touched().await.unwrap();
    let inbox = async || gestora.get("/panel/leads").await.panel(200);
    assert!(inbox().await.contains("Atender sus datos"), "it is what is to do next");
    let base = format!("/panel/leads/{lead}/persona");
    assert!(gestora.get(&base).await.panel(200).contains("Espera una respuesta"));
    gestora.post(&format!("{base}/atendido"), &[]).await.to(&format!("{base}?hecho=atendido"));
    assert!(!gestora.get(&base).await.panel(200).contains("Espera una respuesta"));
    assert!(!inbox().await.contains("Atender sus datos"));
    gestora.post(&format!("{base}/atendido"), &[]).await.to(&format!("{base}?hecho=atendido"));
    assert_eq!(log(&scene, AuditAction::RightGranted).await.len(), 1, "nobody waited any more");
}

async fn a_revoked_link_opens_nothing_and_the_next_one_does(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let (lead, quote) = quoted(&scene).await;
    let status = async |path: &str| scene.server.get(path).await.status.as_u16();
    let first = scene.server.app.quotes().page_path(quote.id);
    assert_eq!(status(&first).await, 200);
    let place = format!("/panel/presupuestos/{}", quote.id);
    assert!(browser.get(&place).await.panel(200).contains("Revocar el enlace"));
    browser.post(&format!("{place}/revocar"), &[]).await.to(&format!("{place}?hecho=revocado"));
    assert_eq!(status(&first).await, 410);
    let second = scene.server.app.quotes().page_path(quote.id);
    assert_eq!(status(&second).await, 200);
    assert!(browser.get(&place).await.panel(200).contains(second.as_str()), "its page shows the new one");

    let form = scene.server.app.form_passes().to_form(LeadId::parse(&lead).unwrap());
    let form = format!("/f/reformas-pena/{form}/calidad");
    assert_eq!(status(&form).await, 200);
    let all = format!("/panel/leads/{lead}/persona");
    browser.post(&format!("{all}/revocar"), &[]).await.to(&format!("{all}?hecho=revocados"));
    assert_eq!((status(&form).await, status(&second).await), (410, 410));
    let again = scene.server.app.form_passes().to_form(LeadId::parse(&lead).unwrap());
    assert_eq!(status(&format!("/f/reformas-pena/{again}/calidad")).await, 200);
    assert_eq!(log(&scene, AuditAction::PassRevoked).await.len(), 3);
}

async fn a_quote_that_was_replaced_leads_nobody_around_a_revocation(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let (lead, old) = quoted(&scene).await;
    let perfil = json!({ "m2Suelo": 9 });
    scene.server.post(&format!("/api/leads/{lead}/perfil"), &perfil).await.with(200);
    scene
        .server
        .post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": [], "finalizar": true }))
        .await
        .with(200);
    let quotes = scene.server.app.store.presupuestos(old.lead).await.unwrap();
    let new = quotes.iter().find(|quote| quote.id != old.id).expect("another one");
    let before = scene.server.app.quotes().page_path(old.id);
    let shown = scene.server.get(&before).await;
    assert!(shown.text.contains(&new.number.to_string()), "it leads to the next: {}", shown.text);
    let place = format!("/panel/presupuestos/{}", new.id);
    browser.post(&format!("{place}/revocar"), &[]).await.to(&format!("{place}?hecho=revocado"));
    assert_eq!(scene.server.get(&before).await.status.as_u16(), 410);
}

async fn a_form_that_is_sent_again_gets_nobody_around_a_revocation(engine: Engine) {
    let visitor = Visitor::at(engine).await;
    let browser = manager(&visitor.scene).await;
    let page = visitor.contact("tipo=bano&m2=5").await;
    let send = async |nombre: &str| {
        let mut fields = vec![("nombre", nombre)];
        fields.extend(GOOD[1..].iter().copied());
        fields.extend(page.fields());
        fields.extend([("tipo", "bano"), ("m2", "5")]);
        visitor.post("/f/reformas-pena/contacto", &fields).await
    };
    let pass = send("Ana García").await.header("location").unwrap().to_owned();
    let lead = visitor.lead(pass.strip_suffix("/calidad").unwrap());
    assert_eq!(visitor.get(&pass).await.status.as_u16(), 200);
    let all = format!("/panel/leads/{lead}/persona");
    browser.post(&format!("{all}/revocar"), &[]).await.to(&format!("{all}?hecho=revocados"));
    let again = send("Ana García Otra").await;
    assert_eq!(again.status.as_u16(), 410, "{}", again.text);
    let kept = visitor.server().app.store.lead(lead).await.unwrap();
    assert_eq!(kept.nombre, "Ana García", "and nothing is corrected");
}

/// A photo that came as a URL was fetched to be shown. The copy contains the fetched file.
async fn a_photo_that_was_fetched_is_in_the_copy(engine: Engine) {
    let photos = Receiver::start().await;
    let place = photos.address.to_string();
    let scene = Scene::with(engine, |m| {
        m.outbound.fetches = Fetcher::new(Rules::with(vec![place.parse().unwrap()])).unwrap();
    })
    .await;
    let browser = manager(&scene).await;
    photos.always(Manner::body([jpeg(64, 48), b"zqcanario".to_vec()].concat()));
    let lead = scene.server.lead().await;
    let body = json!({ "items": [{ "tipo": "foto", "imagen": format!("http://{place}/bano.jpg") }], "finalizar": true });
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    let export = format!("/panel/leads/{lead}/persona/exportar");
    let copy = browser.post(&export, &[("clave", PASSWORD)]).await;
    assert!(copy.text.contains("fotos/001-") && copy.text.contains("zqcanario"), "{}", copy.status);
}

/// A photo is still being fetched for the quote's PDF while its lead is erased.
async fn what_is_finished_after_the_erasure_is_not_kept(engine: Engine) {
    let photos = Receiver::start().await;
    let place = photos.address.to_string();
    let scene = Scene::with(engine, |m| {
        m.outbound.fetches = Fetcher::new(Rules::with(vec![place.parse().unwrap()])).unwrap();
    })
    .await;
    photos.always(Manner::Late);
    let lead = scene.server.lead().await;
    let body = json!({ "items": [{ "tipo": "foto", "imagen": format!("http://{place}/bano.jpg") }], "finalizar": true });
    let path = format!("/api/leads/{lead}/ingesta");
    let asked = scene.server.post(&path, &body);
    let erased = async {
        photos.await_requests(1).await;
        let (id, actor) = (LeadId::parse(&lead).unwrap(), embudo_app::Actor::command());
        let rights = scene.server.app.rights();
        rights.erase(id, embudo_app::Reach::Alone, ErasureReason::Asked, &actor).await.unwrap();
        photos.release();
    };
    tokio::join!(asked, erased);
    // An empty folder may stay until the next sweep.
    let left = || {
        let inside = |folder: std::path::PathBuf| std::fs::read_dir(folder).into_iter().flatten();
        let databases =
            inside(scene.server.blobs_folder()).flat_map(|d| inside(d.unwrap().path().join("leads")));
        databases.flat_map(|lead| inside(lead.unwrap().path())).count()
    };
    // The call may be answered before its work has ended.
    for _ in 0..50 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(left(), 0, "no bytes of the lead are left");
}
