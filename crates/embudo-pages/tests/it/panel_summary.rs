//! The summary: who may see it, which days it covers, what it shows, and its export.

use embudo_domain::presupuesto::SignedAnswer;
use embudo_domain::role::Role;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::presupuestos::{AnswerPresupuesto, AnswerResult};
use embudo_testkit::{Engine, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::person::{Browser, PASSWORD, PanelPage, add, another_company, panel};

both_engines!(
    people_see_the_figures_of_their_own_company_and_managers_its_margins,
    an_empty_company_and_one_lead_look_sensible,
    every_figure_has_a_table_behind_it,
    ranges_are_chosen_or_typed_and_mistakes_are_told,
    days_are_those_of_the_companys_zone,
    what_strangers_write_is_text,
    the_figures_are_exported_and_no_cell_calculates,
);

const PAGE: &str = "/panel/resumen";

async fn settled(scene: &Scene) {
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
}

async fn lead(scene: &Scene, more: Value) -> String {
    scene.server.lead_with(more).await
}

async fn says(scene: &Scene, lead: &str, rol: &str) {
    let turn = json!({ "rol": rol, "mensaje": "hola" });
    scene.server.post(&format!("/api/leads/{lead}/conversacion"), &turn).await.with(200);
}

/// The rows of a block's table, with the text of each cell.
fn rows(page: &str, block: &str) -> Vec<Vec<String>> {
    let (_, rest) = page.split_once(&format!("id=\"{block}\"")).expect("the block is there");
    let (block, _) = rest.split_once("</section>").unwrap();
    let (_, body) = block.split_once("<tbody>").expect("it has a table");
    let (body, _) = body.split_once("</tbody>").unwrap();
    let text = |cell: &str| {
        let mut text = String::new();
        let mut is_tag = false;
        for c in cell.chars() {
            match c {
                '<' => is_tag = true,
                '>' => is_tag = false,
                c if !is_tag => text.push(if c == '\u{a0}' { ' ' } else { c }),
                _ => {}
            }
        }
        text.trim().to_owned()
    };
    let row =
        |row: &str| row.split("</td>").flat_map(|cell| cell.split("</th>")).map(text).collect::<Vec<_>>();
    let full = |row: Vec<String>| row.into_iter().filter(|cell| !cell.is_empty()).collect::<Vec<_>>();
    body.split("</tr>").map(row).map(full).filter(|row| !row.is_empty()).collect()
}

async fn people_see_the_figures_of_their_own_company_and_managers_its_margins(engine: Engine) {
    let scene = panel(engine).await;
    lead(&scene, json!({})).await;
    settled(&scene).await;
    Browser::new(&scene).get(PAGE).await.to("/panel/entrar?a=%2Fpanel%2Fresumen");
    for role in [Role::Lectura, Role::Comercial] {
        let email = format!("{role}@ejemplo.es");
        add(&scene, &email, Some(role), None).await;
        let low = Browser::signed(&scene, &email).await;
        let page = low.get(PAGE).await.panel(200);
        assert!(page.contains("Presupuestado y aceptado por mes") && !page.contains("argen"), "{page}");
        assert!(!page.contains("/panel/resumen/exportar"), "{page}");
        low.post("/panel/resumen/exportar", &[("clave", PASSWORD)]).await.panel(403);
    }
    add(&scene, "obra@ejemplo.es", Some(Role::Obra), None).await;
    Browser::signed(&scene, "obra@ejemplo.es").await.get(PAGE).await.panel(403);
    add(&scene, "marta@ejemplo.es", Some(Role::Gestor), None).await;
    let manager = Browser::signed(&scene, "marta@ejemplo.es").await;
    let page = manager.get(PAGE).await.panel(200);
    assert!(page.contains("href=\"/panel/resumen\" aria-current=\"page\""), "{page}");
    assert_eq!(rows(&page, "conversion")[0], ["Leads", "1", "100 %"]);
    let other = another_company(&scene).await;
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    let foreign = Browser::signed(&scene, "ajena@ejemplo.es").await;
    assert!(foreign.get(PAGE).await.panel(200).contains("Nada en estas fechas"));
}

async fn an_empty_company_and_one_lead_look_sensible(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let empty = browser.get(PAGE).await.panel(200);
    assert!(empty.contains("Nada en estas fechas") && !empty.contains("<table") && !empty.contains("NaN"));
    lead(&scene, json!({})).await;
    settled(&scene).await;
    let page = browser.get(PAGE).await.panel(200);
    assert!(!page.contains("NaN") && page.contains("sin costes apuntados"), "{page}");
    assert_eq!(rows(&page, "embudo")[0], ["Nuevo", "1", "100 %"]);
    assert_eq!(rows(&page, "canales"), [["Sin canal", "1", "0", "0 %"]]);
    assert_eq!(rows(&page, "tiempos")[0], ["Primer contacto", "0", "–", "–"]);
    assert_eq!(
        rows(&page, "dinero").last().unwrap(),
        &["Total", "0", "0,00 €", "0", "0,00 €", "–", "–", "0"]
    );
}

async fn every_figure_has_a_table_behind_it(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let one = lead(&scene, json!({ "canalOrigen": "anuncio", "utm": { "utm_campaign": "Baños" }, "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" })).await;
    let two = lead(&scene, json!({ "canalOrigen": "referido" })).await;
    lead(&scene, json!({ "canalOrigen": "anuncio" })).await;
    says(&scene, &one, "user").await;
    scene.clock.advance(SignedDuration::from_mins(10));
    says(&scene, &one, "assistant").await;
    let finish = json!({ "items": [], "finalizar": true });
    scene.server.post(&format!("/api/leads/{one}/ingesta"), &finish).await.with(200);
    let quote = scene.server.app.store.presupuestos(LeadId::parse(&one).unwrap()).await.unwrap().remove(0);
    accept(&scene, &quote, scene.server.app.now()).await;
    let viewer = embudo_store::inbox::Viewer {
        who: embudo_domain::UserId(uuid::Uuid::nil()),
        empresas: vec![scene.server.empresa.id],
    };
    let entry = scene
        .server
        .app
        .access()
        .audit(&embudo_app::Actor::command(), embudo_domain::audit::AuditAction::LeadsArchived);
    let lost = vec![LeadId::parse(&two).unwrap()];
    scene
        .server
        .app
        .store
        .archive(&viewer, lost, "No contesta".into(), scene.server.app.now(), entry)
        .await
        .unwrap();
    settled(&scene).await;

    let page = browser.get(PAGE).await.panel(200);
    let total = quote.document.impuesto.total.to_string().replace('\u{a0}', " ");
    let etapas = rows(&page, "embudo");
    let leads: i64 = etapas.iter().map(|row| row[1].parse::<i64>().unwrap()).sum();
    assert_eq!((leads, etapas.len()), (3, 11), "every lead is in one etapa");
    let channels = rows(&page, "canales");
    assert_eq!(channels.iter().map(|row| row[1].parse::<i64>().unwrap()).sum::<i64>(), 3, "{channels:?}");
    assert_eq!(channels[0], ["Anuncio", "2", "1", "50 %"]);
    assert_eq!(rows(&page, "campanas"), [["Sin campaña", "2", "0", "0 %"], ["Baños", "1", "1", "100 %"]]);
    let steps: Vec<String> = rows(&page, "conversion").into_iter().map(|row| row[1].clone()).collect();
    assert_eq!(steps, ["3", "1", "1", "0", "1", "0", "1", "1"]);
    let times = rows(&page, "tiempos");
    assert_eq!(times[1], ["Primera respuesta", "1", "10 min", "10 min"]);
    assert_eq!((times[2][1].as_str(), times[3][1].as_str()), ("1", "1"));
    let money = rows(&page, "dinero");
    assert_eq!(money.last().unwrap(), &["Total", "1", &total, "1", &total, "–", "–", "1"]);
    assert!(page.contains("1 presupuesto aceptado no tiene todos sus costes"), "{page}");
    assert_eq!(rows(&page, "perdidos"), [["No contesta", "1", "100 %"]]);
    let week = rows(&page, "semanas").pop().unwrap();
    assert_eq!(week[1..], ["3", "1", "1", "0", "1", "0", "1", "1", "33,3 %"]);
    // A chart has an alternative text, and every chart has its table.
    assert_eq!(page.matches("<svg class=\"grafico\"").count(), 7, "{page}");
    assert!(page.contains("Anuncio: 2 leads, aceptaron 1") && page.contains("role=\"img\""));
    assert_eq!(page.matches("<table").count(), 8);
    assert!(page.len() < 100_000);
}

async fn accept(scene: &Scene, quote: &embudo_domain::presupuesto::Presupuesto, at: Timestamp) {
    let now = quote.document.clone();
    let answer = SignedAnswer {
        accepted: true,
        reason: None,
        ip: None,
        texto_version: "1".into(),
        declaracion: None,
        options: Vec::new(),
        total: Some(now.impuesto.total),
        early_start: None,
        by_phone: None,
        pdf_sha256: quote.pdf.unwrap().sha256,
        at,
    };
    let event = embudo_domain::event::Event {
        kind: embudo_domain::event::EventKind::PresupuestoAccepted,
        simulated: false,
        ok: true,
        detail: None,
        creado_en: at,
    };
    let (today, jobs) = (scene.server.app.today(), Vec::new());
    let command = AnswerPresupuesto { id: quote.id, answer, today, event, jobs, audit: None };
    assert_eq!(scene.server.app.store.answer_presupuesto(command).await.unwrap(), AnswerResult::Done);
}

async fn ranges_are_chosen_or_typed_and_mistakes_are_told(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    lead(&scene, json!({})).await;
    settled(&scene).await;
    let today = embudo_domain::visita::SpanishTimeZone::Madrid.day(scene.server.app.now());
    for (word, name, has_lead) in [
        ("semana", "Esta semana", true),
        ("mes", "Este mes", true),
        ("mes-pasado", "Mes pasado", false),
        ("90-dias", "90 días", true),
        ("ano", "Este año", true),
    ] {
        let page = browser.get(&format!("{PAGE}?periodo={word}")).await.panel(200);
        assert!(page.contains(&format!("periodo={word}\" aria-current=\"true\">{name}")), "{page}");
        assert_eq!(!page.contains("Nada en estas fechas</h2>"), has_lead, "{word}");
    }
    let page = browser.get(&format!("{PAGE}?desde={today}&hasta={today}")).await.panel(200);
    assert_eq!(rows(&page, "conversion")[0][1], "1");
    assert!(!page.contains("aria-current=\"true\">90 días"));
    for (query, told) in [
        ("desde=ayer&hasta=2027-01-01", "Escribe un día"),
        ("desde=2027-02-29&hasta=2027-03-01", "Escribe un día"),
        ("desde=2027-01-01", "Escribe un día"),
        ("hasta=2027-01-01", "Escribe un día"),
        ("desde=0001-01-01&hasta=9999-12-31", "Escribe un día"),
        ("desde=%00&hasta=%FF%FE", "Escribe un día"),
        ("desde=2027-02-01&hasta=2027-01-01", "El último día va después del primero"),
        ("desde=2001-01-01&hasta=2027-01-01", "Son más de tres años"),
        ("periodo=siglo", "No conocemos ese periodo"),
        ("desde=%3Cimg%20src%3Dx%3E&hasta=2027-01-01", "Escribe un día"),
    ] {
        let page = browser.get(&format!("{PAGE}?{query}")).await.panel(422);
        assert!(page.contains(told) && page.contains("id=\"conversion\""), "{query}: {page}");
        assert!(!page.contains("img src=x"), "{query}: {page}");
    }
    let long = "9".repeat(3_000);
    browser.get(&format!("{PAGE}?desde={long}&hasta={long}")).await.panel(422);
}

async fn days_are_those_of_the_companys_zone(engine: Engine) {
    let scene = panel(engine).await;
    // On the last day of the month, half an hour before midnight in the Canaries.
    let end: Timestamp = "2026-11-30T23:30:00Z".parse().unwrap();
    scene.clock.advance(end.duration_since(scene.server.app.now()));
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    lead(&scene, json!({})).await;
    settled(&scene).await;
    let november = format!("{PAGE}?desde=2026-11-01&hasta=2026-11-30");
    let page = browser.get(PAGE).await.panel(200);
    assert!(page.contains("al 1 de diciembre de 2026 (hora peninsular)"), "{page}");
    assert!(browser.get(&november).await.panel(200).contains("Nada en estas fechas</h2>"));
    let mut settings = scene.server.app.store.settings(scene.server.empresa.id).await.unwrap();
    settings.visits.zone = Some(embudo_domain::visita::SpanishTimeZone::Canary);
    scene.server.app.store.save_settings(scene.server.empresa.id, settings).await.unwrap();
    let page = browser.get(PAGE).await.panel(200);
    assert!(page.contains("al 30 de noviembre de 2026 (hora de Canarias)"), "{page}");
    assert_eq!(rows(&browser.get(&november).await.panel(200), "conversion")[0][1], "1");
}

async fn what_strangers_write_is_text(engine: Engine) {
    let scene = panel(engine).await;
    const BAD: &str = "<img src=x onerror=alert(1)>\"'";
    lead(&scene, json!({ "utm": { "utm_campaign": BAD } })).await;
    settled(&scene).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let page = browser.get(PAGE).await.panel(200);
    assert!(!page.contains("<img") && page.contains("&#60;img"), "{page}");
}

async fn the_figures_are_exported_and_no_cell_calculates(engine: Engine) {
    let scene = panel(engine).await;
    for _ in 0..3 {
        lead(&scene, json!({ "utm": { "utm_campaign": "=HYPERLINK(\"http://malo\")" } })).await;
    }
    lead(&scene, json!({ "utm": { "utm_campaign": "@SUM(1)" } })).await;
    settled(&scene).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let today = embudo_domain::visita::SpanishTimeZone::Madrid.day(scene.server.app.now()).to_string();
    let days = [("desde", today.as_str()), ("hasta", today.as_str())];
    let asked = |more: &[(&'static str, &'static str)]| [&days[..], more].concat();
    browser
        .post("/panel/resumen/exportar", &asked(&[("formato", "csv"), ("clave", "no es esta")]))
        .await
        .to(&format!("{PAGE}?desde={today}&hasta={today}&fallo=clave#exportar"));
    let again = browser.get(&format!("{PAGE}?desde={today}&hasta={today}&fallo=clave")).await.panel(200);
    assert!(again.contains("Esa no es tu contraseña"));
    let csv =
        browser.post("/panel/resumen/exportar", &asked(&[("formato", "csv"), ("clave", PASSWORD)])).await;
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(csv.header("cache-control"), Some("no-store"));
    assert_eq!(
        csv.header("content-disposition"),
        Some(format!("attachment; filename=\"resumen-{today}-{today}.csv\"").as_str())
    );
    let text = &csv.text;
    assert!(text.starts_with("\u{feff}\"apartado\";\"concepto\";\"medida\";\"valor\"\r\n"), "{text}");
    assert!(text.contains("\"'=HYPERLINK(\"\"http://malo\"\")\";\"Leads\";\"3\""), "{text}");
    assert!(
        text.contains(";\"'@SUM(1)\";\"Leads\";\"1\"")
            && text.contains("\"Conversión\";\"Leads\";\"Leads\";\"4\""),
        "{text}"
    );
    for line in text.lines().skip(1) {
        let cells = line.split(';');
        assert!(
            !cells.into_iter().any(|cell| cell.trim_start_matches('"').starts_with(['=', '+', '@'])),
            "{line}"
        );
    }
    let sheet =
        browser.post("/panel/resumen/exportar", &asked(&[("formato", "xlsx"), ("clave", PASSWORD)])).await;
    assert!(sheet.header("content-type").unwrap().contains("spreadsheetml") && sheet.text.starts_with("PK"));
    let bad = [("desde", "x"), ("hasta", "y"), ("clave", PASSWORD)];
    let refused = browser.post("/panel/resumen/exportar", &bad).await;
    assert!((400..500).contains(&refused.status.as_u16()), "{}", refused.status);
    let log = browser.get("/panel/registro").await.panel(200);
    assert!(log.contains("Exportó el resumen: CSV") && log.contains(&format!("desde={today}")), "{log}");
}
