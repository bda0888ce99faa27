//! The head of a lead's page and its parts: the next action and its link, the amount of the quote, and a history in
//! plain words.

use embudo_domain::LeadId;
use embudo_domain::role::Role;
use embudo_testkit::{Engine, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::panel_lead_desk::{person, signed, to_do};
use crate::person::{Browser, PanelPage as _};

both_engines!(
    the_next_action_is_one_filled_button_that_leads_to_it,
    the_amount_of_the_quote_is_in_the_head,
    history_speaks_peoples_words,
    what_programs_did_is_folded,
    a_phone_shows_one_part_at_a_time,
    the_form_that_is_asked_for_is_open,
    telephones_are_links,
);

async fn page(browser: &Browser<'_>, lead: &str, query: &str) -> String {
    browser.get(&format!("/panel/leads/{lead}{query}")).await.panel(200)
}

/// The number of primary buttons on the page.
fn filled(page: &str) -> usize {
    page.matches("class=\"boton\"").count()
}

/// The cells of the head.
fn head(page: &str) -> &str {
    let after = page.split("id=\"cifras\"").nth(1).expect("the head");
    after.split("</section>").next().unwrap_or_default()
}

async fn the_next_action_is_one_filled_button_that_leads_to_it(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    person(&scene, "Vera", Role::Lectura).await;
    let (luis, vera) = (signed(&scene, "Luis").await, signed(&scene, "Vera").await);
    let lead = scene.server.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5 })).await;
    let turno = json!({ "rol": "user", "mensaje": "¿Hay alguien?" });
    scene.server.post(&format!("/api/leads/{lead}/conversacion"), &turno).await.with(200);
    scene.clock.advance(SignedDuration::from_mins(20));
    let shown = page(&luis, &lead, "").await;
    let answer = format!("href=\"/panel/leads/{lead}?abrir=responder#responder\"");
    assert!(to_do(&shown).contains(">Responder</bdi>") && to_do(&shown).contains(&answer), "{shown}");
    assert_eq!(filled(&shown), 1, "{shown}");
    let read = page(&vera, &lead, "").await;
    assert!(to_do(&read).contains("Responder"), "{read}");
    assert_eq!((filled(&read), read.contains("abrir=responder")), (0, false), "{read}");
}

async fn the_amount_of_the_quote_is_in_the_head(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    let luis = signed(&scene, "Luis").await;
    let bare = scene.server.lead().await;
    assert!(head(&page(&luis, &bare, "").await).contains("Sin presupuesto"));
    scene.server.post(&format!("/api/leads/{bare}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let shown = page(&luis, &bare, "").await;
    assert!(head(&shown).contains("orientativo"), "nothing is known of the job: {shown}");
    let quotes = scene.server.app.store.presupuestos(LeadId::parse(&bare).unwrap()).await.unwrap();
    let range = quotes[0].document.total_range().expect("a range");
    let both = format!("{}–{}", range.minimum.short().replace("\u{a0}€", ""), range.maximum.short());
    assert!(head(&shown).contains(&both), "{both}: {shown}");

    let facts = json!({
        "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid",
    });
    let lead = scene.server.lead_with(facts).await;
    // A draft counts until a quote is sent.
    let begun = luis.post(&format!("/panel/leads/{lead}/presupuestos"), &[("desde", "cero")]).await;
    assert_eq!(begun.status.as_u16(), 303);
    let begun = luis.post(&format!("/panel/leads/{lead}/presupuestos"), &[("desde", "ultimo")]).await;
    assert_eq!(begun.status.as_u16(), 303, "the one that is open");
    assert!(page(&luis, &lead, "").await.contains("Seguir con el borrador"));
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let record = scene.server.record(&lead).await;
    let quote = scene.server.app.store.presupuestos(LeadId::parse(&lead).unwrap()).await.unwrap();
    let shown = page(&luis, &lead, "").await;
    assert!(head(&shown).contains(&quote[0].document.impuesto.total.to_string()), "{record}: {shown}");
}

async fn history_speaks_peoples_words(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    let lead = scene
        .server
        .lead_with(json!({
            "canalOrigen": "formulario_web", "urgencia": "alta", "tipoReforma": "bano",
            "consentimientos": [
                { "finalidad": "informacion_privacidad", "textoVersion": "1", "fuente": "formulario_web" },
                { "finalidad": "comercial", "canal": "email", "textoVersion": "1", "fuente": "formulario_web" },
            ],
        }))
        .await;
    let api = |part: &str| format!("/api/leads/{lead}/{part}");
    let turno = json!({
        "rol": "user", "mensaje": "Hola", "estadoWa": "sin_enviar", "botStep": "pide_metros", "mediaType": "image",
        "mediaUrl": "https://ejemplo.es/1.jpg",
    });
    scene.server.post(&api("conversacion"), &turno).await.with(200);
    let intento = json!({ "canal": "llamada", "numeroIntento": 1, "resultado": "no_contesta" });
    scene.server.post(&api("intento"), &intento).await.with(200);
    assert!(scene.complete_perfil(&lead).await);
    scene.clock.advance(SignedDuration::from_hours(5));
    scene.server.app.housekeeping().watch_loops().await.unwrap();
    // The session has ended by then.
    let luis = signed(&scene, "Luis").await;
    for kind in ["", "?ver=envios", "?ver=estados", "?ver=consentimientos", "?parte=datos"] {
        let all = page(&luis, &lead, kind).await;
        let told =
            all.split("class=\"lead-hilo\"").nth(1).unwrap().split("class=\"lead-caja\"").next().unwrap();
        for code in [
            "informacion_privacidad",
            "formulario_web",
            "sin_enviar",
            "estado_wa",
            "pide_metros",
            "esperando_",
            "image",
        ] {
            assert!(!told.contains(code), "{code}: {told}");
        }
    }
    let shown = page(&luis, &lead, "").await;
    for said in [
        "Ha visto la información sobre privacidad",
        "Consentimiento: recibir ideas y ofertas por correo",
        "en el formulario web",
        "paso del bot: pide metros",
        "mensaje sin enviar",
        "Imagen",
        "Formulario web",
        "Urgente",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    // The inbox uses the same words.
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
    let list = luis.get("/panel/leads").await.panel(200);
    assert!(list.contains("Formulario web") && list.contains("Urgente"), "{list}");
    assert!(!list.contains(">Alta<") && !list.contains(">Formulario<"), "{list}");
}

async fn what_programs_did_is_folded(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    let luis = signed(&scene, "Luis").await;
    let lead = scene.server.lead_with(json!({ "tipoReforma": "bano" })).await;
    let api = |part: &str| format!("/api/leads/{lead}/{part}");
    let turno = json!({ "rol": "user", "mensaje": "Hola" });
    scene.server.post(&api("conversacion"), &turno).await.with(200);
    scene.clock.advance(SignedDuration::from_secs(60));
    assert!(scene.complete_perfil(&lead).await);
    let shown = page(&luis, &lead, "").await;
    let (before, folded) = shown.split_once("class=\"hito pliegue\"").expect("a fold");
    assert!(before.contains(">Hola</p>") && !before.contains("Señal de perfil</bdi>"), "{shown}");
    assert!(folded.contains("Señal de perfil"), "{folded}");
    let only = page(&luis, &lead, "?ver=envios").await;
    assert!(
        only.contains("Señal de perfil") && !only.contains("hito pliegue"),
        "who asks for it sees it: {only}"
    );
}

async fn a_phone_shows_one_part_at_a_time(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    let luis = signed(&scene, "Luis").await;
    let lead = scene.server.lead().await;
    let shows = |page: &str, part: &str| {
        let tab = format!("href=\"/panel/leads/{lead}?parte={part}\" aria-current=\"true\"");
        page.contains(&format!("class=\"hoja lead lead-{part} ")) && page.contains(&tab)
    };
    for (query, part) in [
        ("", "conversacion"),
        ("?parte=nada", "conversacion"),
        ("?parte=fotos", "fotos"),
        ("?parte=presupuesto", "presupuesto"),
        ("?parte=visita", "visita"),
        ("?parte=datos", "datos"),
        ("?hecho=datos", "datos"),
        ("?hecho=fotos", "fotos"),
        ("?hecho=finalizado", "presupuesto"),
        ("?entero=tasteText", "datos"),
    ] {
        let shown = page(&luis, &lead, query).await;
        assert!(shows(&shown, part), "{query}: {shown}");
    }
    // A form with errors is visible.
    let wrong = [("grupo", "contacto"), ("nombre", "Ana"), ("telefono", "1"), ("email", "a@b.es")];
    let back = luis.post(&format!("/panel/leads/{lead}/datos"), &wrong).await;
    assert!(shows(&back.text, "datos"), "{}", back.text);
}

async fn the_form_that_is_asked_for_is_open(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    let luis = signed(&scene, "Luis").await;
    let lead = scene.server.lead().await;
    let closed = page(&luis, &lead, "").await;
    assert!(
        closed.contains("id=\"modo-responder\" checked") && !closed.contains("lead-menu\" open"),
        "{closed}"
    );
    for (query, open) in [
        ("?abrir=llamada", "id=\"modo-llamada\" checked"),
        ("?abrir=nota", "id=\"modo-nota\" checked"),
        ("?hecho=nota", "id=\"modo-nota\" checked"),
        ("?abrir=accion", "id=\"accion\" open"),
        ("?abrir=asignar", "id=\"asignar\" open"),
        ("?abrir=archivar", "id=\"archivar\" open"),
    ] {
        let shown = page(&luis, &lead, query).await;
        assert!(shown.contains(open), "{query}: {shown}");
        assert_eq!(shown.contains("lead-menu\" open"), open.ends_with(" open"), "{query}: {shown}");
    }
    let back = luis.post(&format!("/panel/leads/{lead}/archivar"), &[]).await.panel(422);
    assert!(back.contains("lead-menu\" open") && back.contains("id=\"archivar\" open"), "{back}");
}

async fn telephones_are_links(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    let luis = signed(&scene, "Luis").await;
    let facts = json!({ "telefono": "+34 612 34 56 78", "tipoReforma": "bano", "m2Suelo": 5 });
    let lead = scene.server.lead_with(facts).await;
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let quote =
        scene.server.app.store.presupuestos(LeadId::parse(&lead).unwrap()).await.unwrap().remove(0).id;
    let shown = page(&luis, &lead, "").await;
    assert!(shown.matches("href=\"tel:+34612345678\"").count() >= 2, "head and facts: {shown}");
    let sealed = luis.get(&format!("/panel/presupuestos/{quote}")).await.panel(200);
    assert!(sealed.contains("href=\"tel:+34612345678\">612 34 56 78</a>"), "{sealed}");
}
