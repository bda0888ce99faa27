//! The price table in the panel: shown, searched, changed into a next version, imported, compared, withdrawn.

use embudo_domain::audit::AuditAction;
use embudo_domain::role::Role;
use embudo_domain::tarifa::{DEFAULT_TEXT, Tarifa};
use embudo_store::empresas::StoredTarifa;
use embudo_testkit::{Engine, Scene, both_engines};
use jiff::civil::Date;
use jiff::{SignedDuration, ToSpan as _};
use serde_json::json;

use crate::panel_empresa::{log, manager};
use crate::person::{Browser, PanelPage as _, add, another_company};
use crate::visitor::hidden;

both_engines!(
    the_table_in_force_is_shown_and_searched,
    prices_become_a_next_version,
    all_prices_move_by_a_percentage,
    mistakes_stand_beside_their_fields,
    a_file_is_read_compared_and_kept,
    mistakes_of_a_file_have_their_lines,
    a_lead_is_priced_before_and_after,
    a_version_for_a_later_day_waits_and_can_go,
    whoever_saves_later_sees_what_came,
    hostile_forms_are_refused,
    texts_stay_texts,
    a_company_s_prices_are_its_own,
);

pub const PATH: &str = "/panel/empresa/tarifa";

fn unescaped(text: &str) -> String {
    let pairs = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (code, plain)| text.replace(code, plain))
}

/// The fields that a page's form carries along.
fn carried(page: &str) -> Vec<(&'static str, String)> {
    let names = ["base", "visto", "cambios", "version", "desde", "texto"];
    let is_there = |name: &&&str| page.contains(&format!("name=\"{name}\" value=\""));
    let of_input = |name: &str| {
        let part = page.split(&format!("name=\"{name}\" type=\"")).nth(1)?;
        Some(unescaped(part.split("value=\"").nth(1)?.split('"').next()?))
    };
    let mut all: Vec<(&'static str, String)> =
        names.iter().filter(is_there).map(|name| (*name, unescaped(&hidden(page, name)))).collect();
    for name in ["version", "desde"] {
        all.extend(of_input(name).map(|value| (name, value)));
    }
    all
}

pub async fn send(
    browser: &Browser<'_>,
    to: &str,
    page: &str,
    fields: &[(&str, &str)],
) -> embudo_testkit::Answered {
    let kept = carried(page);
    let mut all: Vec<(&str, &str)> = kept.iter().map(|(n, v)| (*n, v.as_str())).collect();
    all.extend(fields);
    browser.post(&format!("{PATH}/{to}"), &all).await
}

/// The first item with a price in the middle quality.
pub fn item() -> (String, String) {
    let table = Tarifa::por_defecto();
    let item = &table.partidas()[0];
    (item.key.clone(), item.capitulo.clone())
}

pub async fn versions(scene: &Scene) -> Vec<(String, Date)> {
    let all = scene.server.app.store.tarifas(scene.server.empresa.id).await.unwrap();
    all.into_iter().map(|t| (t.version, t.since)).collect()
}

pub async fn stored(scene: &Scene, version: &str) -> StoredTarifa {
    scene.server.app.store.tarifa(scene.server.empresa.id, version.into()).await.unwrap().unwrap()
}

/// Changes one price, and saves the version with this name and first day.
pub async fn next(browser: &Browser<'_>, price: &str, version: &str, since: Date) {
    let page = browser.get(&format!("{PATH}/editar")).await.panel(200);
    let name = format!("precio.{}.media", item().0);
    let page = send(browser, "editar", &page, &[(&name, price), ("hacer", "revisar")]).await.panel(200);
    let since = since.to_string();
    let save = [("version", version), ("desde", since.as_str()), ("hacer", "guardar")];
    send(browser, "revisar", &page, &save).await.to(&format!("{PATH}?hecho=guardada&version={version}"));
}

async fn the_table_in_force_is_shown_and_searched(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let page = browser.get(PATH).await.panel(200);
    for told in ["(de serie)", "la que viene con el programa", "104 partidas", "Recargos y descuentos"] {
        assert!(page.contains(told), "{told} in {page}");
    }
    let found = browser.get(&format!("{PATH}?q=INODORÓ")).await.panel(200);
    assert!(found.contains("nodoro") && !found.contains("104 partidas"), "{found}");
    let none = browser.get(&format!("{PATH}?q=zzzz&tipo=cocina")).await.panel(200);
    assert!(none.contains("Ninguna partida tiene eso"), "{none}");
    let kitchen = browser.get(&format!("{PATH}?tipo=cocina")).await.panel(200);
    assert!(kitchen.contains("<option value=\"cocina\" selected>") && !kitchen.contains("104 partidas"));
    let file = browser.get(&format!("{PATH}/exportar")).await;
    assert_eq!((file.status.as_u16(), file.text.as_str()), (200, DEFAULT_TEXT));
    assert!(file.header("content-disposition").unwrap().contains("tarifa-2026.3.toml"));
    assert_eq!(browser.get(&format!("{PATH}?version=no-hay")).await.status.as_u16(), 404);
    assert_eq!(browser.get(&format!("{PATH}/exportar?version=no-hay")).await.status.as_u16(), 404);
    let tasks = browser.get("/panel/empresa").await.panel(200);
    assert!(tasks.contains("href=\"/panel/empresa/tarifa\">Ver los precios"), "{tasks}");
}

async fn prices_become_a_next_version(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let (key, chapter) = item();
    let page = browser.get(&format!("{PATH}/editar?de=_serie")).await.panel(200);
    let name = format!("precio.{key}.media");
    assert!(page.contains(&name), "{page}");
    // The changes are carried from chapter to chapter.
    let other = Tarifa::por_defecto().capitulos().iter().find(|c| c.key != chapter).unwrap().key.clone();
    let typed = [
        (name.as_str(), "1.234,56"),
        (&*format!("material.{key}.media"), "12,5"),
        (&*format!("concepto.{key}"), "Quitarlo todo"),
        ("recargo.urgencia_alta", "9"),
        ("capitulo", &*other),
        ("hacer", "mostrar"),
    ];
    let page = send(&browser, "editar", &page, &typed).await.panel(200);
    assert!(page.contains("2 cambios sin guardar") && !page.contains(&name), "{page}");
    let page = send(&browser, "editar", &page, &[("hacer", "revisar")]).await.panel(200);
    for told in [
        "Partidas: 1 sube. Cambia también otro dato",
        "1.234,56",
        "Quitarlo todo",
        "12,5",
        "Recargo (urgencia alta)",
    ] {
        assert!(page.contains(told), "{told} in {page}");
    }
    assert_eq!(versions(&scene).await, []);
    let again = send(&browser, "revisar", &page, &[("hacer", "editar")]).await.panel(200);
    assert!(again.contains("2 cambios sin guardar") && again.contains("1.234,56"), "{again}");
    let today = scene.server.app.today();
    let save = [("version", "mia-1"), ("notas", "Otoño"), ("hacer", "guardar")];
    for _ in 0..2 {
        // Pressing a button twice counts once.
        send(&browser, "revisar", &page, &save).await.to(&format!("{PATH}?hecho=guardada&version=mia-1"));
    }
    assert_eq!(versions(&scene).await, [("mia-1".to_owned(), today)]);
    let kept = Tarifa::parse(&stored(&scene, "mia-1").await.text).unwrap();
    assert_eq!((kept.version(), kept.notas(), kept.vigente_desde()), ("mia-1", "Otoño", today));
    let log = log(&scene, AuditAction::TarifaAdded).await;
    assert_eq!(log.len(), 1);
    assert_eq!(
        (log[0].object.as_deref(), log[0].before.as_deref()),
        (Some("mia-1"), Some("2026.3 (de serie)"))
    );
    assert!(log[0].after.as_ref().unwrap().contains("1 sube"), "{log:?}");
    let page = browser.get(PATH).await.panel(200);
    assert!(
        page.contains("Quitarlo todo") && page.contains("es tuya") && page.contains("1.234,56"),
        "{page}"
    );
    // The next quotes use the new version.
    let lead = scene.server.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5 })).await;
    scene
        .server
        .post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": [], "finalizar": true }))
        .await
        .with(200);
    let record = scene.server.app.store.record(embudo_domain::LeadId::parse(&lead).unwrap()).await.unwrap();
    let quote = scene.server.app.store.presupuesto(record.presupuestos[0].id).await.unwrap();
    assert_eq!(quote.document.pricing.tarifa_version, "mia-1");
}

async fn all_prices_move_by_a_percentage(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let page = browser.get(&format!("{PATH}/editar")).await.panel(200);
    let page = send(&browser, "editar", &page, &[("sube", "3 %"), ("hacer", "subir")]).await.panel(200);
    assert!(page.contains("104 cambios sin guardar"), "{page}");
    let page = send(&browser, "editar", &page, &[("hacer", "revisar")]).await.panel(200);
    assert!(page.contains("Partidas: 104 suben.") && page.contains("+3"), "{page}");
    let wrong = browser.get(&format!("{PATH}/editar")).await.panel(200);
    for bad in ["", "tres", "0", "200", "-51", "NaN"] {
        let page = send(&browser, "editar", &wrong, &[("sube", bad), ("hacer", "subir")]).await.panel(422);
        assert!(page.contains("id=\"sube-error\"") && page.contains("Sin cambios todavía"), "{bad}: {page}");
    }
    let chapter = item().1;
    let of_one = [("sube", "10"), ("sube.en", &*chapter), ("hacer", "subir")];
    let page = send(&browser, "editar", &wrong, &of_one).await.panel(200);
    assert!(!page.contains("104 cambios") && !page.contains("Sin cambios"), "{page}");
}

async fn mistakes_stand_beside_their_fields(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let page = browser.get(&format!("{PATH}/editar")).await.panel(200);
    let key = item().0;
    let (price, share) = (format!("precio.{key}.media"), format!("material.{key}.basica"));
    for bad in ["", "-1", "NaN", "inf", "1e9", "100.000,01", "999999999999999999999999999999", "1;2"] {
        let typed = [(price.as_str(), bad), (share.as_str(), "101"), ("hacer", "revisar")];
        let back = send(&browser, "editar", &page, &typed).await.panel(422);
        assert!(back.contains(&format!("id=\"{price}-error\"")), "{bad}: {back}");
        assert!(back.contains(&format!("id=\"{share}-error\"")), "{bad}: {back}");
        assert!(back.contains("Sin cambios todavía"), "{bad}");
    }
    let good = send(&browser, "editar", &page, &[(&price, "12"), ("hacer", "revisar")]).await.panel(200);
    let (today, past) = (scene.server.app.today(), scene.server.app.today() - 1.day());
    for (version, since) in
        [("a b", today), ("", today), ("_serie", today), ("ok", past), ("ok", today + 6.years())]
    {
        let since = since.to_string();
        let save = [("version", version), ("desde", &*since), ("hacer", "guardar")];
        let back = send(&browser, "revisar", &good, &save).await.panel(422);
        let field = if version == "ok" { "desde" } else { "version" };
        assert!(back.contains(&format!("id=\"{field}-error\"")), "{version} {since}: {back}");
    }
    for since in ["mañana", "2026-02-30", ""] {
        let save = [("version", "ok"), ("desde", since), ("hacer", "guardar")];
        send(&browser, "revisar", &good, &save).await.panel(422);
    }
    assert_eq!(versions(&scene).await, []);
}

async fn a_file_is_read_compared_and_kept(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let since = scene.server.app.today() + 2.days();
    let shipped = Tarifa::por_defecto();
    let text =
        format!("# Mis precios\n{}", shipped.clone().into_version("mia.2", since, "Mía").unwrap().write());
    let text = text.replacen("porcentaje = 8.00", "porcentaje = 12.00", 1);
    let crlf = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let parts: [(&str, Option<&str>, &[u8]); 2] =
        [("archivo", Some("mia.toml"), crlf.as_bytes()), ("texto", None, b"")];
    let page = browser.post_files(&format!("{PATH}/importar"), &parts).await.panel(200);
    for told in ["Ninguna partida cambia. Cambian también otros 2 datos", "12\u{a0}%", "value=\"mia.2\""] {
        assert!(page.contains(told), "{told} in {page}");
    }
    send(&browser, "revisar", &page, &[("hacer", "guardar")])
        .await
        .to(&format!("{PATH}?hecho=guardada&version=mia.2"));
    // The text is kept word for word, including comments, but its prices belong to the company.
    let text = text.replace("de_serie = [\"*\"]", "de_serie = []");
    assert_eq!(stored(&scene, "mia.2").await.text, text);
    let file = browser.get(&format!("{PATH}/exportar?version=mia.2")).await;
    assert_eq!(file.text, text);
    // If the text is pasted again, its name is in use and another one is offered.
    let page = browser.post(&format!("{PATH}/importar"), &[("texto", &text)]).await.panel(200);
    let year = scene.server.app.today().year();
    assert!(page.contains(&format!("value=\"{year}.4\"")), "{page}");
    let save =
        [("version", "mia.2"), ("desde", &*since.to_string()), ("notas", "Otra"), ("hacer", "guardar")];
    let back = send(&browser, "revisar", &page, &save).await.panel(409);
    assert!(back.contains("Ya hay una versión con ese nombre"), "{back}");
    let save = [("notas", "Otra"), ("hacer", "guardar")];
    send(&browser, "revisar", &page, &save).await.to(&format!("{PATH}?hecho=guardada&version={year}.4"));
    assert_eq!(versions(&scene).await.len(), 2);
}

async fn mistakes_of_a_file_have_their_lines(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let import = format!("{PATH}/importar");
    let wrong = DEFAULT_TEXT.replacen("altura_m = 2.50", "altura_m = \"<b>alta</b>\"", 1);
    let page = browser.post(&import, &[("texto", &wrong)]).await.panel(422);
    assert!(page.contains("Línea 5</strong> <code>altura_m</code>"), "{page}");
    assert!(page.contains("&#60;b&#62;alta") && !page.contains("<b>alta"), "{page}");
    let empty = browser.post(&import, &[("texto", " ")]).await.panel(422);
    assert!(empty.contains("id=\"archivo-error\""), "{empty}");
    let nested = |open: &str, close: &str| format!("a = {}{}", open.repeat(50_000), close.repeat(50_000));
    for bomb in [
        "no es toml".to_owned(),
        "\u{0}\u{1}".to_owned(),
        nested("[", "]"),
        nested("{a=", "}"),
        format!("{}a = 1", "a.".repeat(100_000)),
        format!("[{}a]", "a.".repeat(100_000)),
        "[[partida]]\n".repeat(20_000),
        "a = 1\n".repeat(40_000),
        "x".repeat(400_000),
    ] {
        let page = browser.post(&import, &[("texto", &bomb)]).await.panel(422);
        assert!(page.contains("Fallos") && page.matches("<strong>Línea").count() <= 100);
    }
    let big = "#".repeat(600 * 1024);
    browser.post(&import, &[("texto", &big)]).await.panel(413);
    let parts: [(&str, Option<&str>, &[u8]); 1] = [("archivo", Some("x.toml"), &[0xff; 2 * 1024 * 1024])];
    browser.post_files(&import, &parts).await.panel(413);
    let parts: [(&str, Option<&str>, &[u8]); 1] = [("archivo", Some("x.toml"), &[0xff, 0xfe, 0x00])];
    browser.post_files(&import, &parts).await.panel(422);
    assert_eq!(versions(&scene).await, []);
}

async fn a_lead_is_priced_before_and_after(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let page = browser.get(&format!("{PATH}/editar")).await.panel(200);
    let raised = [("sube", "10"), ("hacer", "subir")];
    let page = send(&browser, "editar", &page, &raised).await.panel(200);
    let page = send(&browser, "editar", &page, &[("hacer", "revisar")]).await.panel(200);
    assert!(page.contains("Reforma de baño, 6 m², calidad media"), "{page}");
    assert!(page.contains("Con <bdi>2026.3 (de serie)</bdi>"), "{page}");
    let lead = [
        ("prueba.tipo", "cocina"),
        ("prueba.m2", "12,5"),
        ("prueba.calidad", "premium"),
        ("prueba.provincia", "Madrid"),
        ("prueba.urgencia", "alta"),
        ("prueba.planta", "4"),
        ("prueba.ascensor", "no"),
        ("prueba.estructural", "si"),
        ("hacer", "probar"),
    ];
    let tried = send(&browser, "revisar", &page, &lead).await.panel(200);
    for told in ["Reforma de cocina, 12,5 m², calidad premium", "<option selected>Madrid", "Acarreo a mano"]
    {
        assert!(tried.contains(told), "{told} in {tried}");
    }
    for bad in ["0", "-3", "NaN", "1e5", "10.001"] {
        let back =
            send(&browser, "revisar", &page, &[("prueba.m2", bad), ("hacer", "probar")]).await.panel(422);
        assert!(back.contains("id=\"prueba.m2-error\""), "{bad}");
    }
    let compared = browser.get(&format!("{PATH}/comparar?version=_serie&prueba.m2=8")).await.panel(200);
    assert!(
        compared.contains("8 m², calidad media") && compared.contains("Ninguna línea cambia"),
        "{compared}"
    );
    browser.get(&format!("{PATH}/comparar?prueba.m2=x")).await.panel(422);
}

async fn a_version_for_a_later_day_waits_and_can_go(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let today = scene.server.app.today();
    next(&browser, "11", "hoy", today).await;
    next(&browser, "12", "luego", today + 3.days()).await;
    let page = browser.get(PATH).await.panel(200);
    assert!(page.contains("Futura") && page.contains("Versión <bdi>hoy</bdi>"), "{page}");
    let later = browser.get(&format!("{PATH}?version=luego")).await.panel(200);
    assert!(later.contains("Aún no está en vigor: vale desde el"), "{later}");
    assert!(browser.get(&format!("{PATH}/comparar?version=luego")).await.panel(200).contains("11,00"));
    let gone = format!("{PATH}?hecho=no-retirada");
    for not in ["hoy", "nunca", ""] {
        browser.get(&format!("{PATH}/retirar?version={not}")).await.to(&gone);
        browser.post(&format!("{PATH}/retirar"), &[("version", not)]).await.to(&gone);
    }
    assert!(
        browser.get(&format!("{PATH}/retirar?version=luego")).await.panel(200).contains("Ningún presupuesto")
    );
    browser
        .post(&format!("{PATH}/retirar"), &[("version", "luego")])
        .await
        .to(&format!("{PATH}?hecho=retirada"));
    assert_eq!(versions(&scene).await, [("hoy".to_owned(), today)]);
    let told = log(&scene, AuditAction::TarifaWithdrawn).await;
    assert_eq!((told.len(), told[0].object.as_deref()), (1, Some("luego")));
    // A version that is already in force cannot be withdrawn.
    next(&browser, "13", "otra", today + 1.day()).await;
    scene.clock.advance(SignedDuration::from_hours(24));
    let browser = Browser::signed(&scene, "marta@ejemplo.es").await;
    browser.post(&format!("{PATH}/retirar"), &[("version", "otra")]).await.to(&gone);
    let page = browser.get(PATH).await.panel(200);
    assert!(page.contains("Versión <bdi>otra</bdi>") && page.contains("Anterior"), "{page}");
}

async fn whoever_saves_later_sees_what_came(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let today = scene.server.app.today();
    let begun = browser.get(&format!("{PATH}/editar")).await.panel(200);
    let name = format!("precio.{}.premium", item().0);
    let review = send(&browser, "editar", &begun, &[(&name, "77"), ("hacer", "revisar")]).await.panel(200);
    next(&browser, "11", "suya", today).await;
    let save = [("version", "mia"), ("desde", &*today.to_string()), ("hacer", "guardar")];
    let stale = send(&browser, "revisar", &review, &save).await.panel(409);
    for told in [
        "se ha guardado otra",
        "Comparada con la versión <bdi>suya</bdi>",
        "Partiste de la versión",
        "Partidas: 1 sube y baja.",
    ] {
        assert!(stale.contains(told), "{told} in {stale}");
    }
    assert_eq!(versions(&scene).await.len(), 1);
    // The same changes are applied to the other person's version, so that none of their changes is lost.
    let rebased = [("hacer", "cambiar-base"), ("otra-base", "suya"), ("version", "mia")];
    let rebased = send(&browser, "revisar", &stale, &rebased).await.panel(200);
    assert!(!rebased.contains("Partiste de") && rebased.contains("77,00"), "{rebased}");
    send(&browser, "revisar", &rebased, &save).await.to(&format!("{PATH}?hecho=guardada&version=mia"));
    let kept = Tarifa::parse(&stored(&scene, "mia").await.text).unwrap();
    let prices: Vec<i64> = kept.partidas()[0].precios.iter().flatten().map(|p| p.precio.0).collect();
    assert!(prices.contains(&1_100) && prices.contains(&7_700), "{prices:?}");
    // A person who began earlier and reviews only now gets the message too.
    let late = send(&browser, "editar", &begun, &[("hacer", "revisar")]).await.panel(200);
    assert!(late.contains("ha cambiado la lista de versiones"), "{late}");
}

async fn hostile_forms_are_refused(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let many: Vec<(String, &str)> = (0..10_000).map(|n| (format!("precio.x{n}.media"), "1")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    for to in ["editar", "revisar"] {
        assert_eq!(browser.post(&format!("{PATH}/{to}"), &many).await.status.as_u16(), 413);
    }
    let huge = "9".repeat(3 * 1024 * 1024);
    assert_eq!(browser.post(&format!("{PATH}/editar"), &[("cambios", &huge)]).await.status.as_u16(), 413);
    let raises = "subir\t\t\t10000\n".repeat(5_000);
    let lies = "precio\tno-esta\tmedia\t99999999999999\nunidad\tx\t\tkg\n\t\t\t\nsubir";
    for edits in [&*raises, lies, "<script>", "\u{0}"] {
        for (to, does) in
            [("editar", "mostrar"), ("editar", "revisar"), ("revisar", "probar"), ("revisar", "guardar")]
        {
            let form = [
                ("base", "_serie"),
                ("cambios", edits),
                ("hacer", does),
                ("desde", "9999-12-31"),
                ("version", "x"),
            ];
            let status = browser.post(&format!("{PATH}/{to}"), &form).await.status.as_u16();
            assert!([200, 422].contains(&status), "{to} {does} {status}");
        }
    }
    for base in ["no-hay", "../../etc", "<b>", "_serie2"] {
        let form = [("base", base), ("hacer", "probar")];
        assert_eq!(browser.post(&format!("{PATH}/revisar"), &form).await.status.as_u16(), 404);
        assert_eq!(browser.post(&format!("{PATH}/editar"), &form).await.status.as_u16(), 404);
    }
    let form = [("texto", "formato = 2"), ("hacer", "guardar")];
    assert_eq!(browser.post(&format!("{PATH}/revisar"), &form).await.status.as_u16(), 400);
    browser.post(&format!("{PATH}/revisar"), &[]).await.to(PATH);
    assert_eq!(versions(&scene).await, []);
}

async fn texts_stay_texts(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let evil = "\"><script>alert(1)</script>\\ 'x' & {{ 7 }}";
    let page = browser.get(&format!("{PATH}/editar")).await.panel(200);
    let (concepto, detail) = (format!("concepto.{}", item().0), format!("detalle.{}.media", item().0));
    let typed = [(concepto.as_str(), evil), (&detail, evil), ("q", evil), ("hacer", "revisar")];
    let page = send(&browser, "editar", &page, &typed).await.panel(200);
    let save = [("version", "mala"), ("notas", evil), ("hacer", "guardar")];
    send(&browser, "revisar", &page, &save).await.to(&format!("{PATH}?hecho=guardada&version=mala"));
    let kept = Tarifa::parse(&stored(&scene, "mala").await.text).unwrap();
    assert_eq!((kept.partidas()[0].concepto.as_str(), kept.notas()), (evil, evil));
    for path in [
        "",
        "/editar",
        "/comparar?version=_serie",
        "?q=%22%3E%3Cscript%3E",
        "/comparar?version=_serie&prueba.m2=%3Cscript%3E",
    ] {
        let answer = browser.get(&format!("{PATH}{path}")).await;
        let status = answer.status.as_u16();
        assert!(!answer.panel(status).contains("<script>alert"), "{path}");
    }
}

async fn a_company_s_prices_are_its_own(engine: Engine) {
    let scene = Scene::at(engine).await;
    let other = another_company(&scene).await;
    let browser = manager(&scene).await;
    next(&browser, "11", "nuestra", scene.server.app.today()).await;
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    let foreign = Browser::signed(&scene, "ajena@ejemplo.es").await;
    let page = foreign.get(PATH).await.panel(200);
    assert!(!page.contains("nuestra"), "{page}");
    for path in
        ["?version=nuestra", "/exportar?version=nuestra", "/comparar?version=nuestra", "/editar?de=nuestra"]
    {
        assert_eq!(foreign.get(&format!("{PATH}{path}")).await.status.as_u16(), 404, "{path}");
    }
    add(&scene, "luis@ejemplo.es", Some(Role::Comercial), None).await;
    let seller = Browser::signed(&scene, "luis@ejemplo.es").await;
    assert_eq!(seller.get(PATH).await.status.as_u16(), 403);
    let form = [("base", "_serie"), ("version", "x"), ("hacer", "guardar")];
    assert_eq!(seller.post(&format!("{PATH}/revisar"), &form).await.status.as_u16(), 403);
    add(&scene, "ana@ejemplo.es", Some(Role::Administrador), None).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    admin.post("/panel/cambiar", &[("empresa", "banos-sol")]).await;
    next(&admin, "12", "de-sol", scene.server.app.today()).await;
    assert_eq!(versions(&scene).await.len(), 1);
    assert!(foreign.get(PATH).await.panel(200).contains("de-sol"));
}
