//! A lead's page: what it shows, to whom, and that text written by strangers stays text.

use embudo_domain::LeadId;
use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::role::Role;
use embudo_store::lead_writes::AppendTurno;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Scene, both_engines, data_uri, jpeg};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::person::{Browser, PanelPage as _, add, another_company};

both_engines!(
    everything_about_a_lead_is_on_its_page,
    the_line_of_time_can_be_filtered,
    who_only_reads_sees_no_button,
    it_is_not_there_for_other_companies,
    what_strangers_write_stays_text,
    a_long_conversation_comes_in_pages,
);

/// A person who works with leads, and one who may only read.
async fn staff(scene: &Scene) {
    add(scene, "luis@ejemplo.es", Some(Role::Comercial), None).await;
    add(scene, "vera@ejemplo.es", Some(Role::Lectura), None).await;
}

async fn say(scene: &Scene, lead: &str, turno: &Value) {
    scene.server.post(&format!("/api/leads/{lead}/conversacion"), turno).await.with(200);
}

async fn everything_about_a_lead_is_on_its_page(engine: Engine) {
    let scene = Scene::at(engine).await;
    staff(&scene).await;
    let lead = scene
        .server
        .lead_with(json!({
            "telefono": "+34 612 34 56 78", "tipoReforma": "bano", "m2Suelo": 5.5, "urgencia": "alta",
            "canalOrigen": "anuncio", "presupuestoTarget": 650_000, "utm": { "utm_campaign": "banos" },
            "consentimientos": [{ "finalidad": "presupuesto", "textoVersion": "2026-01" }],
        }))
        .await;
    let api = |part: &str| format!("/api/leads/{lead}/{part}");
    say(&scene, &lead, &json!({ "rol": "assistant", "mensaje": "¡Hola!", "estadoWa": "entregado" })).await;
    let voice = json!({
        "rol": "user", "mensaje": "Nota de voz", "mediaType": "audio", "mediaUrl": "https://ejemplo.es/n.ogg",
        "transcripcionAudio": "Quiero reformar el baño",
    });
    say(&scene, &lead, &voice).await;
    let calificacion = json!({ "score": 82, "nivel": "A", "criterios": { "plazo": "1 mes" } });
    scene.server.post(&api("calificacion"), &calificacion).await.with(200);
    let intento = json!({ "canal": "llamada", "numeroIntento": 1, "resultado": "no_contesta" });
    scene.server.post(&api("intento"), &intento).await.with(200);
    let foto = data_uri(&jpeg(640, 480));
    let items = json!([
        { "tipo": "foto", "imagen": foto, "momento": "antes" },
        { "tipo": "foto", "imagen": foto, "momento": "despues" },
        { "tipo": "foto", "imagen": foto, "momento": "antes", "zona": "cocina" },
        { "tipo": "texto", "texto": "Sin bidé" },
    ]);
    scene.server.post(&api("ingesta"), &json!({ "items": items })).await.with(200);
    scene.clock.advance(SignedDuration::from_secs(60));
    assert!(scene.complete_perfil(&lead).await);
    scene.clock.advance(SignedDuration::from_hours(3));

    let browser = Browser::signed(&scene, "luis@ejemplo.es").await;
    let page = browser.get(&format!("/panel/leads/{lead}")).await.panel(200);
    for shown in [
        "612 34 56 78",
        "href=\"tel:+34612345678\"",
        "href=\"https://wa.me/34612345678\"",
        "Urgente",
        "Anuncio",
        "6.500\u{a0}€",
        "5,5 m²",
        "¡Hola!",
        "Quiero reformar el baño",
        "href=\"https://ejemplo.es/n.ogg\" rel=\"noopener noreferrer\"",
        "mensaje entregado",
        "No contesta",
        "Sin bidé",
        "1 render",
        "82 de 100",
        "plazo",
        "Señal de perfil",
        "esperando renders 3 h",
        "Abierta hasta",
        "utm_campaign",
        "Consentimiento: recibir su presupuesto",
        "class=\"comparador",
        "?mini",
        "Reseñalar",
    ] {
        assert!(page.contains(shown), "{shown} is missing: {page}");
    }
    // After a day the session has ended too.
    scene.clock.advance(SignedDuration::from_hours(22));
    let browser = Browser::signed(&scene, "luis@ejemplo.es").await;
    let page = browser.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert!(page.contains("Cerrada desde"), "{page}");
}

async fn the_line_of_time_can_be_filtered(engine: Engine) {
    let scene = Scene::at(engine).await;
    staff(&scene).await;
    let lead = scene.server.lead().await;
    say(&scene, &lead, &json!({ "rol": "user", "mensaje": "buenas tardes" })).await;
    let items = json!({ "items": [{ "tipo": "texto", "texto": "una nota suelta" }] });
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &items).await.with(200);
    let browser = Browser::signed(&scene, "vera@ejemplo.es").await;
    let page = browser.get(&format!("/panel/leads/{lead}?ver=notas")).await.panel(200);
    assert!(page.contains("una nota suelta") && !page.contains("buenas tardes"), "{page}");
    let page = browser.get(&format!("/panel/leads/{lead}?ver=conversacion&antes=nada")).await.panel(200);
    assert!(!page.contains("una nota suelta") && page.contains("buenas tardes"), "{page}");
}

async fn who_only_reads_sees_no_button(engine: Engine) {
    let scene = Scene::at(engine).await;
    staff(&scene).await;
    let lead = scene.server.lead().await;
    let action = format!("action=\"/panel/leads/{lead}");
    let works = Browser::signed(&scene, "luis@ejemplo.es").await;
    let page = works.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert_eq!(
        page.matches(&action).count(),
        19,
        "five groups, photos, four buttons, two ways to a draft, notes, desk, a reply, who answers"
    );
    let reads = Browser::signed(&scene, "vera@ejemplo.es").await;
    let page = reads.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert_eq!(page.matches(&action).count(), 1, "their own mark: {page}");
    let parts =
        ["datos", "llamada", "mensajeria", "completo", "finalizar", "fotos", "notas", "unir", "separar"];
    for part in parts.into_iter().chain(["asignar", "accion", "archivar", "reabrir"]) {
        let answer = reads.post(&format!("/panel/leads/{lead}/{part}"), &[("grupo", "contacto")]).await;
        assert_eq!(answer.status.as_u16(), 403, "{part}");
    }
}

async fn it_is_not_there_for_other_companies(engine: Engine) {
    let scene = Scene::at(engine).await;
    let other = another_company(&scene).await;
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    let lead = scene.server.lead().await;
    let body = json!({ "items": [{ "tipo": "foto", "imagen": data_uri(&jpeg(64, 48)) }] });
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    let record = scene.server.app.store.record(LeadId::parse(&lead).unwrap()).await.unwrap();
    let foto = format!("/panel/leads/{lead}/fotos/{}", record.fotos[0].id);
    let theirs = Browser::signed(&scene, "ajena@ejemplo.es").await;
    for path in [&format!("/panel/leads/{lead}"), &foto, &format!("/panel/leads/{}", crate::NOBODY)] {
        theirs.get(path).await.panel(404);
    }
    let answer = theirs.post(&format!("/panel/leads/{lead}/datos"), &[("grupo", "contacto")]).await;
    answer.panel(404);
    let nobody = Browser::new(&scene);
    assert_eq!(nobody.get(&foto).await.status.as_u16(), 303);
}

async fn what_strangers_write_stays_text(engine: Engine) {
    const EVIL: &str = "\"><script>alert(1)</script><img src=x onerror=alert(1)>";
    let scene = Scene::at(engine).await;
    staff(&scene).await;
    let fields = json!({
        "nombre": EVIL, "provincia": EVIL, "espacio": EVIL, "rangoM2": EVIL, "estilo": EVIL,
        "presupuestoDeclarado": EVIL, "tasteText": EVIL, "botStep": EVIL, "utm": { EVIL: EVIL },
        "consentimientos": [{ "finalidad": EVIL, "canal": EVIL, "textoVersion": EVIL, "fuente": EVIL }],
    });
    let lead = scene.server.lead_with(fields).await;
    let api = |part: &str| format!("/api/leads/{lead}/{part}");
    for url in
        ["javascript:alert(1)", "data:text/html,<script>alert(1)</script>", EVIL, "https://a.es/\"onclick=x"]
    {
        let turno = json!({
            "rol": "user", "mensaje": EVIL, "mediaType": EVIL, "mediaUrl": url, "transcripcionAudio": EVIL,
        });
        say(&scene, &lead, &turno).await;
    }
    let calificacion = json!({ "criterios": { EVIL: EVIL, "b": { EVIL: [EVIL] } }, "notasAgente": EVIL });
    scene.server.post(&api("calificacion"), &calificacion).await.with(200);
    let intento = json!({ "canal": "llamada", "numeroIntento": 1, "notas": EVIL, "metadata": { "a": EVIL } });
    scene.server.post(&api("intento"), &intento).await.with(200);
    scene.receiver.always(Manner::body(EVIL));
    let body = json!({ "items": [{ "tipo": "texto", "texto": EVIL }], "perfilCompleto": true });
    scene.server.post(&api("ingesta"), &body).await.with(200);

    let browser = Browser::signed(&scene, "luis@ejemplo.es").await;
    let wrong =
        [("grupo", "contacto"), ("version", EVIL), ("nombre", EVIL), ("telefono", EVIL), ("email", EVIL)];
    let call = [("vez", crate::NOBODY), ("minutos", EVIL), ("notas", EVIL), ("resultado", EVIL)];
    let pages = [
        browser.get(&format!("/panel/leads/{lead}")).await,
        browser.get(&format!("/panel/leads/{lead}?ver=%22%3E%3Cscript%3E&antes=%3Cscript%3E")).await,
        browser.post(&format!("/panel/leads/{lead}/datos"), &wrong).await,
        browser.post(&format!("/panel/leads/{lead}/llamada"), &call).await,
        browser.post("/panel/leads/nuevo", &wrong).await,
    ];
    for page in pages {
        let text = &page.text;
        assert!(matches!(page.status.as_u16(), 200 | 409 | 422), "{}", page.status);
        assert!(!text.contains("<script>") && !text.contains("<img src=x"), "{text}");
        assert!(!text.contains("href=\"javascript:") && !text.contains("href=\"data:"), "{text}");
        assert!(!text.contains("\"onclick=x"), "{text}");
    }
}

async fn a_long_conversation_comes_in_pages(engine: Engine) {
    const TURNS: usize = 400;
    let scene = Scene::at(engine).await;
    staff(&scene).await;
    let lead = scene.server.lead().await;
    for n in 0..TURNS {
        let turno = Turno {
            rol: if n % 2 == 0 { Rol::User } else { Rol::Assistant },
            mensaje: format!("mensaje número {n}: {}", "palabra ".repeat(if n == 390 { 20_000 } else { 20 })),
            media_type: None,
            media_url: None,
            transcripcion_audio: None,
            estado_wa: None,
            bot_step: None,
        };
        scene.clock.advance(SignedDuration::from_secs(60));
        let (id, at) = (embudo_domain::TurnoId(scene.server.app.id()), scene.server.app.now());
        let lead = LeadId::parse(&lead).unwrap();
        scene
            .server
            .app
            .store
            .append_turno(AppendTurno { id, lead, turno, at, idempotency: None })
            .await
            .unwrap();
    }
    let browser = Browser::signed(&scene, "vera@ejemplo.es").await;
    let mut path = format!("/panel/leads/{lead}?ver=conversacion");
    let (mut seen, mut pages) = (0, 0);
    loop {
        let page = browser.get(&path).await.panel(200);
        assert!(page.len() <= 100_000, "{} bytes", page.len());
        seen += page.matches("mensaje número").count();
        pages += 1;
        let Some(link) = page.split("<a class=\"boton-2\" href=\"").find(|part| part.contains("antes="))
        else {
            break;
        };
        let next = link.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&");
        path = next.split('#').next().unwrap().to_owned();
    }
    assert_eq!((seen, pages >= 7), (TURNS, true), "{pages} pages");
}
