//! The price factor of a province: shown, changed, and applied to the company's own prices only if the company wants
//! that.

use embudo_domain::LeadId;
use embudo_domain::decimal::Percentage;
use embudo_domain::money::Cents;
use embudo_domain::perfil::Calidad;
use embudo_domain::presupuesto::Draft;
use embudo_domain::provincia::Provincia;
use embudo_domain::tarifa::{DEFAULT_TEXT, Tarifa};
use embudo_testkit::{Engine, Scene, both_engines};
use serde_json::json;

use crate::panel_empresa::manager;
use crate::panel_tarifa::{PATH, item, next};
use crate::person::{Browser, PanelPage as _};
use crate::visitor::hidden;

both_engines!(own_prices_are_as_written_unless_switched_on, factors_are_seen_and_changed);

/// A lead in Madrid whose job contains the first item of the table.
async fn a_lead(scene: &Scene) -> LeadId {
    let kind = Tarifa::por_defecto().partidas()[0].kinds[0];
    let known = json!({ "tipoReforma": kind.as_str(), "m2Suelo": 6, "calidadGlobal": "media", "provincia": "Madrid" });
    LeadId::parse(&scene.server.lead_with(known).await).unwrap()
}

/// The price of the first item in a new draft, and what the draft's editor says about the factor.
async fn drafted(scene: &Scene, browser: &Browser<'_>) -> (Cents, String) {
    let lead = a_lead(scene).await;
    let opened = browser.post(&format!("/panel/leads/{lead}/presupuestos"), &[("desde", "ultimo")]).await;
    let place = opened.header("location").unwrap().split('?').next().unwrap().to_owned();
    let stored = scene.server.app.store.draft_of(lead).await.unwrap().unwrap();
    let sheet = Draft::read(stored.json.as_bytes()).unwrap();
    let line = sheet.lines().find(|line| line.key.as_deref() == Some(&item().0)).expect("the item");
    (line.precio, browser.get(&place).await.panel(200))
}

async fn switch(browser: &Browser<'_>, on: &str) {
    let path = "/panel/empresa/presupuestos";
    let page = browser.get(path).await.panel(200);
    assert!(page.contains("Aplicar el factor de provincia también a mis precios"), "{page}");
    let version = hidden(&page, "version");
    browser.post(path, &[("version", &version), ("factor", on)]).await.to(&format!("{path}?hecho"));
}

async fn form_range(scene: &Scene) -> String {
    let kind = Tarifa::por_defecto().partidas()[0].kinds[0];
    let path = format!("/f/reformas-pena/rango?tipo={kind}&m2=6&calidad=media&provincia=Madrid");
    reqwest::get(scene.server.url(&path)).await.unwrap().text().await.unwrap()
}

async fn own_prices_are_as_written_unless_switched_on(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let shipped = Tarifa::por_defecto().partidas()[0].precio(Calidad::Media).unwrap().precio;
    let (precio, page) = drafted(&scene, &browser).await;
    assert_eq!(precio, shipped.part(Percentage(11_200)).unwrap());
    assert!(page.contains("Factor de Madrid: ×1,12."), "{page}");
    next(&browser, "520,50", "2026.4", scene.server.app.today()).await;
    let (precio, page) = drafted(&scene, &browser).await;
    assert_eq!(precio, Cents(52_050));
    assert!(page.contains("Factor de Madrid: ×1,12, salvo en una partida con precio tuyo."), "{page}");
    let before = form_range(&scene).await;
    switch(&browser, "si").await;
    assert_eq!(drafted(&scene, &browser).await.0, Cents(58_296));
    assert_ne!(form_range(&scene).await, before, "the form prices by the same rule");
    switch(&browser, "no").await;
    assert_eq!((drafted(&scene, &browser).await.0, form_range(&scene).await), (Cents(52_050), before));
    // All prices of an imported table are the company's own, also the unchanged ones.
    let file = DEFAULT_TEXT.replace("version = \"2026.3\"", "version = \"mia\"");
    let read = browser
        .post_files(&format!("{PATH}/importar"), &[("archivo", Some("tarifa.toml"), file.as_bytes())])
        .await
        .panel(200);
    assert!(read.contains("Guardar la versión"), "{read}");
    let read = scene.server.app.tarifas().read_file(file).await.unwrap().unwrap();
    let stored = embudo_store::empresas::StoredTarifa {
        version: "mia".into(),
        since: scene.server.app.today(),
        text: read.0,
        creada_en: scene.server.app.now(),
    };
    scene.server.app.store.save_tarifa(scene.server.empresa.id, stored).await.unwrap();
    let (precio, page) = drafted(&scene, &browser).await;
    assert_eq!(precio, shipped);
    assert!(page.contains("no se aplica: los precios son tuyos"), "{page}");
    switch(&browser, "si").await;
    assert_eq!(drafted(&scene, &browser).await.0, shipped.part(Percentage(11_200)).unwrap());
}

async fn factors_are_seen_and_changed(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let page = browser.get(PATH).await.panel(200);
    assert!(page.contains("<dt>Madrid</dt><dd>×1,12</dd>") && page.contains("medios de España"), "{page}");
    let editor = browser.get(&format!("{PATH}/editar")).await.panel(200);
    let madrid = Provincia::parse("Madrid").unwrap();
    let field = format!("provincia.{}", madrid.code());
    assert!(editor.contains(&format!("name=\"{field}\"")), "{editor}");
    let carried = |page: &str| ["base", "visto", "cambios"].map(|name| (name, hidden(page, name)));
    let post = async |to: &str, page: &str, more: &[(&str, &str)]| {
        let kept = carried(page);
        let mut all: Vec<(&str, &str)> = kept.iter().map(|(n, v)| (*n, v.as_str())).collect();
        all.extend_from_slice(more);
        browser.post(&format!("{PATH}/{to}"), &all).await
    };
    let wrong = post("editar", &editor, &[(&field, "3"), ("hacer", "revisar")]).await;
    assert_eq!(wrong.status.as_u16(), 422);
    assert!(wrong.text.contains("va de 0,5 a 2"), "{}", wrong.text);
    let review = post("editar", &editor, &[(&field, "1,05"), ("hacer", "revisar")]).await.panel(200);
    let today = scene.server.app.today().to_string();
    let save = [("version", "2026.4"), ("desde", today.as_str()), ("hacer", "guardar")];
    post("revisar", &review, &save).await.to(&format!("{PATH}?hecho=guardada&version=2026.4"));
    let page = browser.get(PATH).await.panel(200);
    assert!(page.contains("<dt>Madrid</dt><dd>×1,05</dd>"), "{page}");
    let shipped = Tarifa::por_defecto().partidas()[0].precio(Calidad::Media).unwrap().precio;
    let (precio, page) = drafted(&scene, &browser).await;
    assert_eq!(precio, shipped.part(Percentage(10_500)).unwrap(), "the prices are still the shipped ones");
    assert!(page.contains("Factor de Madrid: ×1,05."), "{page}");
}
