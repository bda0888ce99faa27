//! The inbox: which leads it shows, how to find them, actions on several leads, and the export.

use embudo_app::{Actor, Conflicts, NewVisita, Tell};
use embudo_domain::audit::AuditAction;
use embudo_domain::money::Cents;
use embudo_domain::pricing::Range;
use embudo_domain::role::Role;
use embudo_domain::{LeadId, UserId};
use embudo_store::desk::HandAction;
use embudo_store::inbox::Viewer;
use embudo_testkit::{Engine, PATIENCE, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::person::{Browser, PASSWORD, PanelPage, add, another_company, panel};
use crate::visitor::hidden;

both_engines!(
    leads_of_the_company_stand_in_list_and_board,
    filters_and_the_search_box_find_them,
    several_are_assigned_archived_and_taken_up_again,
    a_refusal_keeps_what_was_ticked,
    archiving_several_is_undone,
    amounts_stand_in_list_and_board,
    exactly_the_filtered_rows_are_exported_and_no_cell_calculates,
    what_strangers_write_is_text,
    pages_go_both_ways,
    a_new_lead_is_the_first_thing_to_do,
    a_visit_that_is_near_is_a_chip,
    an_open_page_is_told_of_changes,
);

async fn lead(scene: &Scene, nombre: &str, more: Value) -> String {
    let mut body = json!({ "nombre": nombre, "telefono": "612345678", "email": "ana@ejemplo.es" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let created = scene.server.post("/api/leads", &body).await.with(201);
    created["id"].as_str().unwrap().to_owned()
}

/// Waits until the inbox contains everything that was written.
async fn settled(scene: &Scene) {
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
}

async fn leads_of_the_company_stand_in_list_and_board(engine: Engine) {
    let scene = panel(engine).await;
    let other = another_company(&scene).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let empty = browser.get("/panel/leads").await.panel(200);
    assert!(empty.contains("Aún no hay leads") && empty.contains("/f/reformas-pena"), "{empty}");
    let id = lead(&scene, "Ana Ruiz", json!({ "tipoReforma": "bano", "m2Suelo": 5.5, "provincia": "Cádiz" }))
        .await;
    lead(&scene, "Ajeno Sol", json!({ "tenantId": other.id })).await;
    scene
        .server
        .post(&format!("/api/leads/{id}/calificacion"), &json!({ "score": 82, "nivel": "A" }))
        .await
        .with(200);
    scene
        .server
        .post(&format!("/api/leads/{id}/conversacion"), &json!({ "rol": "user", "mensaje": "Hola" }))
        .await
        .with(200);
    settled(&scene).await;
    for view in ["", "?vista=tablero"] {
        let page = browser.get(&format!("/panel/leads{view}")).await.panel(200);
        for text in ["Ana Ruiz", "Baño · 5,5 m² · Cádiz", "nivel-A", "82", "Responder"] {
            assert!(page.contains(text), "{text}: {page}");
        }
        assert!(page.contains(&format!("/panel/leads/{id}")) && !page.contains("Ajeno Sol"), "{page}");
        assert!(page.contains("<title>(1) Bandeja"), "nobody has seen it: {page}");
    }
    let account = browser.get("/panel/cuenta").await.panel(200);
    assert!(account.contains("<title>(1) Mi cuenta"), "every page tells of news: {account}");
    assert!(account.contains("<span class=\"chapa\">1<span class=\"oculto\"> con novedades"), "{account}");
    assert!(browser.get("/panel").await.header("location") == Some("/panel/leads"), "the inbox is home");
    browser.post("/panel/leads", &[("accion", "leidos"), ("lead", &id)]).await.to("/panel?hecho=leidos-1");
    assert!(browser.get("/panel/leads").await.panel(200).contains("<title>Bandeja"));
}

async fn filters_and_the_search_box_find_them(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    lead(&scene, "Begoña Núñez", json!({ "tipoReforma": "cocina", "canalOrigen": "anuncio" })).await;
    let ana = lead(
        &scene,
        "Ana Ruiz",
        json!({ "tipoReforma": "bano", "telefono": "600111222", "email": "a@b.es" }),
    )
    .await;
    scene
        .server
        .post(
            &format!("/api/leads/{ana}/conversacion"),
            &json!({ "rol": "user", "mensaje": "Quiero plato de ducha" }),
        )
        .await
        .with(200);
    settled(&scene).await;
    let seen = async |query: &str| {
        let page = browser.get(&format!("/panel/leads?{query}")).await.panel(200);
        (page.contains("Begoña Núñez"), page.contains("Ana Ruiz"))
    };
    for (query, expected) in [
        ("", (true, true)),
        ("tipo=bano", (false, true)),
        ("canal=anuncio", (true, false)),
        ("etapa=en_conversacion", (false, true)),
        ("etapa=nuevo&tipo=bano", (false, false)),
        ("desde=2199-01-01", (false, false)),
        ("asignado=nadie", (true, true)),
        ("asignado=mi", (false, false)),
        ("tipo=no-existe", (true, true)),
        ("q=begona", (true, false)),
        ("q=600+11+12+22", (false, true)),
        ("q=A%40B.es", (false, true)),
        ("q=plato+de+ducha", (false, true)),
        ("q=nadie+se+llama+asi", (false, false)),
    ] {
        assert_eq!(seen(query).await, expected, "{query}");
    }
}

async fn several_are_assigned_archived_and_taken_up_again(engine: Engine) {
    let scene = panel(engine).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Comercial), None).await;
    add(&scene, "lee@ejemplo.es", Some(Role::Lectura), None).await;
    let other = another_company(&scene).await;
    let (one, two) = (lead(&scene, "Uno", json!({})).await, lead(&scene, "Dos", json!({})).await);
    let foreign = lead(&scene, "Ajeno", json!({ "tenantId": other.id })).await;
    settled(&scene).await;
    let browser = Browser::signed(&scene, "luis@ejemplo.es").await;
    let id = luis.id.to_string();
    let assign = [
        ("accion", "asignar"),
        ("lead", &one[..]),
        ("lead", &two),
        ("lead", &foreign),
        ("persona", &id),
        ("a", "/panel/leads?tipo=bano"),
    ];
    browser.post("/panel/leads", &assign).await.to("/panel/leads?tipo=bano&hecho=asignar-2");
    let page = browser.get("/panel/leads?asignado=mi&hecho=asignar-2").await.panel(200);
    assert!(page.contains("2 leads asignados.") && page.contains("Uno") && page.contains("Dos"), "{page}");
    let lote = scene.server.app.now().as_microsecond();
    browser
        .post("/panel/leads", &[("accion", "archivar"), ("lead", &one), ("motivo", "Precio")])
        .await
        .to(&format!("/panel?hecho=archivar-1&lote={lote}"));
    settled(&scene).await;
    let page = browser.get("/panel/leads").await.panel(200);
    assert!(!page.contains(">Uno<") && page.contains(">Dos<"), "{page}");
    assert!(browser.get("/panel/leads?etapa=perdido").await.panel(200).contains(">Uno<"));
    scene
        .server
        .post(&format!("/api/leads/{one}/conversacion"), &json!({ "rol": "user", "mensaje": "Sigo aquí" }))
        .await
        .with(200);
    browser.post("/panel/leads", &[("accion", "reabrir"), ("lead", &one)]).await.to("/panel?hecho=reabrir-1");
    settled(&scene).await;
    assert!(browser.get("/panel/leads?etapa=en_conversacion").await.panel(200).contains(">Uno<"));
    browser.post("/panel/leads", &[("accion", "borrar"), ("lead", &one)]).await.panel(400);
    let reader = Browser::signed(&scene, "lee@ejemplo.es").await;
    reader
        .post("/panel/leads", &[("accion", "archivar"), ("lead", &two), ("motivo", "Precio")])
        .await
        .panel(403);
    reader.post("/panel/leads/exportar", &[("clave", PASSWORD)]).await.panel(403);
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let log = admin.get("/panel/registro").await.panel(200);
    for text in ["Asignó leads: 2 leads", "Archivó leads: <a href=", "Precio", "Reabrió leads"] {
        assert!(log.contains(text), "{text}: {log}");
    }
}

/// A refused form shows the list again with its ticks and choices, including ticked leads on another page.
async fn a_refusal_keeps_what_was_ticked(engine: Engine) {
    let scene = panel(engine).await;
    let (one, two) = (lead(&scene, "Uno", json!({})).await, lead(&scene, "Dos", json!({})).await);
    let elsewhere = lead(&scene, "Tres", json!({ "tipoReforma": "bano" })).await;
    settled(&scene).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let ticked = |page: &str, id: &str| page.contains(&format!("name=\"lead\" value=\"{id}\" checked"));
    let sent =
        [("accion", "archivar"), ("lead", &one[..]), ("lead", &two), ("a", "/panel/leads?orden=creado")];
    let page = browser.post("/panel/leads", &sent).await.panel(422);
    assert!(page.contains("id=\"lote-fallo\"") && page.contains("Elige por qué se archivan."), "{page}");
    assert!(ticked(&page, &one) && ticked(&page, &two) && !ticked(&page, &elsewhere), "{page}");
    assert!(page.contains("data-aqui=\"/panel/leads?orden=creado\""), "{page}");
    assert!(page.contains("aria-describedby=\"lote-fallo\" autofocus"), "{page}");
    let stranger = scene.server.app.id().to_string();
    let sent =
        [("accion", "asignar"), ("lead", &one[..]), ("persona", &stranger), ("a", "/panel/leads?tipo=bano")];
    let page = browser.post("/panel/leads", &sent).await.panel(422);
    assert!(page.contains("no puede llevar leads") && ticked(&page, &one), "not in this list: {page}");
    assert!(page.contains(">Tres<") && !ticked(&page, &elsewhere), "{page}");
    let page = browser.post("/panel/leads", &[("accion", "asignar")]).await.panel(422);
    assert!(page.contains("Marca primero los leads.") && !page.contains("lote-fallo"), "{page}");
    for place in ["https://malo.es/?etapa=x", "/panel/visitas?tipo=y", "?"] {
        browser
            .post("/panel/leads", &[("accion", "archivar"), ("lead", &one), ("a", place)])
            .await
            .panel(422);
    }
}

/// Several leads are archived at once. After undoing it, they are as if nobody had archived them.
async fn archiving_several_is_undone(engine: Engine) {
    let scene = panel(engine).await;
    add(&scene, "lee@ejemplo.es", Some(Role::Lectura), None).await;
    let ids = [lead(&scene, "Uno", json!({})).await, lead(&scene, "Dos", json!({})).await];
    settled(&scene).await;
    let viewer = Viewer { who: UserId(uuid::Uuid::nil()), empresas: vec![scene.server.empresa.id] };
    let stand = async || {
        let mut desks = Vec::new();
        for id in &ids {
            desks.push(scene.server.app.store.desk(&viewer, LeadId::parse(id).unwrap()).await.unwrap());
        }
        desks
    };
    let before = stand().await;
    scene.clock.advance(SignedDuration::from_hours(3));
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let here = "/panel/leads?orden=creado";
    let sent =
        [("accion", "archivar"), ("lead", &ids[0][..]), ("lead", &ids[1]), ("motivo", "Precio"), ("a", here)];
    let done = browser.post("/panel/leads", &sent).await;
    let place = done.header("location").unwrap().to_owned();
    let page = browser.get(&place).await.panel(200);
    assert!(page.contains("2 leads archivados.") && page.contains(">Deshacer<"), "{page}");
    let undo = page.split("class=\"deshacer\"").nth(1).unwrap();
    let (lote, a) = (hidden(undo, "lote"), hidden(undo, "a"));
    assert_eq!(a, here);
    let reader = Browser::signed(&scene, "lee@ejemplo.es").await;
    assert!(!reader.get(&place).await.panel(200).contains(">Deshacer<"));
    let undo = [("accion", "deshacer"), ("lote", &lote[..]), ("a", &a)];
    reader.post("/panel/leads", &undo).await.panel(403);
    browser.post("/panel/leads", &undo).await.to(&format!("{here}&hecho=deshacer-2"));
    assert_eq!(stand().await, before);
    let page = browser.get(&format!("{here}&hecho=deshacer-2")).await.panel(200);
    assert!(page.contains("2 leads vuelven a estar como estaban.") && page.contains(">Uno<"), "{page}");
    browser.post("/panel/leads", &undo).await.to(&format!("{here}&hecho=deshacer-0"));
    browser.post("/panel/leads", &[("accion", "deshacer"), ("lote", "x")]).await.panel(400);
    let log = browser.get("/panel/registro").await.panel(200);
    assert_eq!(log.matches("Deshizo el archivo de leads").count(), 2, "{log}");
}

/// A binding quote shows its total and an estimate its range. A column shows its sum if all its leads are shown.
async fn amounts_stand_in_list_and_board(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let known =
        json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" });
    let (sure, guessed) = (lead(&scene, "Firme", known).await, lead(&scene, "Duda", json!({})).await);
    lead(&scene, "Nada", json!({})).await;
    for id in [&sure, &guessed] {
        scene.server.post(&format!("/api/leads/{id}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    }
    settled(&scene).await;
    let quote = async |id: &str| {
        let quotes = scene.server.app.store.presupuestos(LeadId::parse(id).unwrap()).await.unwrap();
        quotes[0].summary()
    };
    let (firm, open) = (quote(&sure).await, quote(&guessed).await);
    let range = open.certainty.range.expect("an estimate with a range");
    let shown = |text: String| text.replace('\u{a0}', " ");
    let list = shown(browser.get("/panel/leads").await.panel(200));
    assert!(list.contains(&shown(firm.total.to_string())), "{list}");
    assert!(
        list.contains(&shown(range.figure())) && !list.contains(&shown(open.total.to_string())),
        "{list}"
    );
    assert!(list.contains("orientativo"), "{list}");
    let found = shown(browser.get("/panel/leads?q=Firme").await.panel(200));
    assert!(found.contains(&shown(firm.total.to_string())), "{found}");
    let board = shown(browser.get("/panel/leads?vista=tablero").await.panel(200));
    let sum = |a: Cents, b: Cents| a.checked_add(b).unwrap();
    let both = Range { minimum: sum(firm.total, range.minimum), maximum: sum(firm.total, range.maximum) };
    assert!(board.contains(&shown(both.figure())) && board.contains("en 2 presupuestos"), "{board}");
    assert_eq!(board.matches("columna-suma").count(), 1, "others have none: {board}");
}

async fn exactly_the_filtered_rows_are_exported_and_no_cell_calculates(engine: Engine) {
    let scene = panel(engine).await;
    lead(&scene, "=HYPERLINK(\"http://malo\")", json!({ "tipoReforma": "bano", "provincia": "@SUM(1)" }))
        .await;
    lead(&scene, "Ana; \"la\" Ruiz", json!({ "tipoReforma": "bano" })).await;
    lead(&scene, "De Cocina", json!({ "tipoReforma": "cocina" })).await;
    settled(&scene).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let wrong = [("tipo", "bano"), ("formato", "csv"), ("clave", "no es esta")];
    browser.post("/panel/leads/exportar", &wrong).await.to("/panel/leads?tipo=bano&fallo=clave");
    let offers = async |path: &str| browser.get(path).await.panel(200).contains("/panel/leads/exportar");
    assert!(offers("/panel/leads?tipo=bano").await);
    assert!(!offers("/panel/leads?q=ana").await, "a search is no list of filters: its export would be wider");
    let csv = browser
        .post("/panel/leads/exportar", &[("tipo", "bano"), ("formato", "csv"), ("clave", PASSWORD)])
        .await;
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(csv.header("content-disposition").unwrap().starts_with("attachment; filename=\"leads-"));
    let lines: Vec<&str> = csv.text.lines().collect();
    assert_eq!(lines.len(), 3, "{}", csv.text);
    assert!(lines[0].starts_with("\u{feff}\"id\";\"creado\";\"nombre\";\"telefono\";"), "{}", lines[0]);
    assert!(csv.text.contains(";\"Ana; \"\"la\"\" Ruiz\";\"612 34 56 78\";"), "{}", csv.text);
    assert!(
        csv.text.contains("\"'=HYPERLINK(\"\"http://malo\"\")\"") && csv.text.contains(";\"'@SUM(1)\";"),
        "{}",
        csv.text
    );
    for line in &lines {
        let line = line.trim_start_matches('\u{feff}');
        assert!(line.starts_with('"') && line.ends_with('"'), "every field is quoted: {line}");
        assert!(!line.contains(";;") && line.matches("\";\"").count() >= 19, "every field is quoted: {line}");
    }
    let sheet = browser.post("/panel/leads/exportar", &[("formato", "xlsx"), ("clave", PASSWORD)]).await;
    assert!(sheet.header("content-type").unwrap().contains("spreadsheetml") && sheet.text.starts_with("PK"));
    let log = browser.get("/panel/registro").await.panel(200);
    assert!(log.contains("Exportó leads: CSV") && log.contains("tipo=bano"), "{log}");
}

async fn what_strangers_write_is_text(engine: Engine) {
    let scene = panel(engine).await;
    const BAD: &str = "<img src=x onerror=alert(1)>\"'";
    let id = lead(&scene, BAD, json!({ "provincia": BAD, "utm": { "utm_campaign": BAD } })).await;
    scene
        .server
        .post(&format!("/api/leads/{id}/conversacion"), &json!({ "rol": "user", "mensaje": BAD }))
        .await
        .with(200);
    settled(&scene).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let query = "%3Cimg+src%3Dx";
    for path in [
        "/panel/leads",
        "/panel/leads?vista=tablero",
        &format!("/panel/leads?q={query}&campana={query}&desde={query}&asignado={query}"),
    ] {
        let page = browser.get(path).await.panel(200);
        assert!(!page.contains("<img") && page.contains("&#60;img"), "{path}: {page}");
    }
}

async fn pages_go_both_ways(engine: Engine) {
    let scene = panel(engine).await;
    for n in 0..53 {
        lead(&scene, &format!("Lead {n:02}"), json!({})).await;
    }
    settled(&scene).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let link = |page: &str, rel: &str| {
        let end = page.find(&format!("\" rel=\"{rel}\"")).unwrap_or_else(|| panic!("{rel}: {page}"));
        page[..end].rsplit('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&")
    };
    let count = |page: &str| page.matches("class=\"lead-nombre\"").count();
    let first = browser.get("/panel/leads?orden=creado").await.panel(200);
    assert_eq!(count(&first), 50);
    assert!(first.contains("Lead 52") && !first.contains("rel=\"prev\""), "{first}");
    let second = browser.get(&link(&first, "next")).await.panel(200);
    assert_eq!(count(&second), 3);
    assert!(second.contains("Lead 00") && !second.contains("rel=\"next\""), "{second}");
    let back = browser.get(&link(&second, "prev")).await.panel(200);
    assert_eq!(count(&back), 50);
    assert!(back.contains("Lead 52"), "{back}");
}

/// The names, in the order of the page.
fn names(page: &str) -> Vec<&str> {
    let news = "<span class=\"oculto\">Con novedades: </span>";
    let rows = page.split("class=\"lead-nombre\">").skip(1);
    rows.map(|part| part.strip_prefix(news).unwrap_or(part).split('<').next().unwrap()).collect()
}

/// An urgent lead comes before everything else and next week's reminder after it. Nothing is called overdue before it
/// is.
async fn a_new_lead_is_the_first_thing_to_do(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let reminded = lead(&scene, "Recordada", json!({})).await;
    let store = &scene.server.app.store;
    let viewer = Viewer { who: UserId(scene.server.app.id()), empresas: vec![scene.server.empresa.id] };
    let due = scene.server.app.now() + SignedDuration::from_hours(7 * 24);
    let plan = Some(HandAction { due, text: "Volver a llamar".to_owned() });
    let audit = scene.server.app.access().audit(&Actor::command(), AuditAction::LeadChanged);
    let reminded = LeadId::parse(&reminded).unwrap();
    store.set_action(&viewer, reminded, None, plan, audit).await.unwrap();
    lead(&scene, "Nueva", json!({})).await;
    let bot = lead(&scene, "Atendida", json!({})).await;
    let say = json!({ "rol": "assistant", "mensaje": "Hola, soy el bot" });
    scene.server.post(&format!("/api/leads/{bot}/conversacion"), &say).await.with(200);
    lead(&scene, "Con prisa", json!({ "urgencia": "alta" })).await;
    settled(&scene).await;
    let page = browser.get("/panel/leads").await.panel(200);
    assert_eq!(names(&page), ["Con prisa", "Nueva", "Recordada", "Atendida"]);
    assert!(page.contains("Contactar") && page.contains("Esperando al cliente"), "{page}");
    assert_eq!(page.matches(" tarde\"").count(), 1, "only the urgent one is due: {page}");
    scene.clock.advance(SignedDuration::from_mins(16));
    let page = browser.get("/panel/leads").await.panel(200);
    assert_eq!(page.matches(" tarde\"").count(), 2, "{page}");
    let board = browser.get("/panel/leads?vista=tablero").await.panel(200);
    assert_eq!(names(&board)[..3], ["Con prisa", "Nueva", "Recordada"], "the column of new ones");
    let shown = browser.get(&format!("/panel/leads/{bot}")).await.panel(200);
    assert!(shown.contains(">Esperando al cliente</bdi>"), "{shown}");
}

/// The label is beside the next action, in the company's time zone, and disappears after the visit.
async fn a_visit_that_is_near_is_a_chip(engine: Engine) {
    let scene = panel(engine).await;
    let id = lead(&scene, "Ana Ruiz", json!({})).await;
    let say = json!({ "rol": "user", "mensaje": "¿A qué hora venís?" });
    scene.server.post(&format!("/api/leads/{id}/conversacion"), &say).await.with(200);
    let lead = LeadId::parse(&id).unwrap();
    let who = scene.server.app.store.list_users().await.unwrap()[0].id;
    let (visits, start) =
        (scene.server.app.visits(), scene.server.app.now() + SignedDuration::from_hours(47));
    let new = NewVisita {
        lead,
        empresa: scene.server.empresa.id,
        minutes: 60,
        address: String::new(),
        people: vec![who],
        notes: String::new(),
    };
    let visita = visits.prepare(new).agree(start, scene.server.app.now()).unwrap();
    visits.keep(None, visita, Conflicts::Override, Tell::People, &Actor::command()).await.unwrap();
    settled(&scene).await;
    let zone = visits.zone(scene.server.empresa.id).await.unwrap();
    // A session does not last that long.
    let signed = async || Browser::signed(&scene, "ana@ejemplo.es").await;
    let chip = async || {
        let browser = signed().await;
        let chip = format!(">Visita {}<", zone.near(start, scene.server.app.now()));
        let mut shown = Vec::new();
        for place in ["/panel/leads", "/panel/leads?vista=tablero", &format!("/panel/leads/{id}")] {
            let page = browser.get(place).await.panel(200);
            assert!(page.contains("Responder"), "never instead of it: {page}");
            shown.push(page.contains(&chip));
            assert_eq!(page.contains("visita-cerca"), page.contains(&chip), "{chip}: {page}");
        }
        shown
    };
    assert_eq!(chip().await, [true; 3]);
    scene.clock.advance(SignedDuration::from_hours(24));
    let tomorrow = signed().await.get("/panel/leads").await.panel(200);
    assert!(tomorrow.contains(">Visita mañana "), "{tomorrow}");
    scene.clock.advance(SignedDuration::from_mins(23 * 60 + 30));
    assert_eq!(chip().await, [true; 3], "it goes on");
    assert!(signed().await.get("/panel/leads").await.panel(200).contains(">Visita hoy "));
    scene.clock.advance(SignedDuration::from_mins(31));
    assert_eq!(chip().await, [false; 3], "it is over");
}

async fn an_open_page_is_told_of_changes(engine: Engine) {
    let scene = panel(engine).await;
    let other = another_company(&scene).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let mut stream = browser.open("/panel/vivo").await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let mut heard = String::new();
    let mut until = async |text: &str| {
        let reading = async {
            while !heard.contains(text) {
                heard += std::str::from_utf8(&stream.chunk().await.unwrap().expect("it goes on")).unwrap();
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("told in time");
        heard.clone()
    };
    until("event: hola").await;
    let foreign = lead(&scene, "Ajeno", json!({ "tenantId": other.id })).await;
    settled(&scene).await;
    let own = lead(&scene, "Ana", json!({})).await;
    settled(&scene).await;
    let heard = until(&format!("event: lead\ndata: {own}")).await;
    assert!(!heard.contains(&foreign), "{heard}");
    scene.server.pages.end_streams();
    let ended = async { while stream.chunk().await.unwrap().is_some() {} };
    tokio::time::timeout(PATIENCE, ended).await.expect("a stop ends it");
}
