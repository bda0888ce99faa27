//! More about the price table in the panel: the search through all chapters, items that a company adds and withdraws,
//! costs, and spreadsheets.

use embudo_domain::LeadId;
use embudo_domain::decimal::Percentage;
use embudo_domain::money::Cents;
use embudo_domain::perfil::Calidad;
use embudo_domain::presupuesto::Draft;
use embudo_domain::tarifa::Tarifa;
use embudo_testkit::{Engine, Scene, both_engines};

use crate::panel_empresa::manager;
use crate::panel_quotes::{a_draft, line, save, seller, sent, with_identity};
use crate::panel_tarifa::{PATH, item, send, stored, versions};
use crate::person::{Browser, PanelPage as _};

both_engines!(
    a_search_looks_in_all_chapters,
    an_item_is_made_used_and_withdrawn,
    a_wrong_item_is_told_beside_its_fields,
    costs_by_percentage_show_margins,
    costs_are_typed_item_by_item,
    costs_are_for_managers,
    changes_that_are_not_kept_are_told,
    a_sheet_goes_out_and_comes_back,
    mistakes_of_a_sheet_have_line_and_column,
);

const TOWEL_RAIL: [(&str, &str); 6] = [
    ("nueva.concepto", "Toallero eléctrico"),
    ("nueva.capitulo", "sanitarios"),
    ("nueva.unidad", "ud"),
    ("nueva.cantidad", "1"),
    ("nueva.media.precio", "180"),
    ("nueva.media.coste", "95,50"),
];

async fn draft_of(scene: &Scene, lead: LeadId) -> Draft {
    let stored = scene.server.app.store.draft_of(lead).await.unwrap().unwrap();
    Draft::read(stored.json.as_bytes()).unwrap()
}

/// Saves the changes that a page of the editor carries, as a version that begins today.
async fn keep(scene: &Scene, browser: &Browser<'_>, page: &str, version: &str) -> Tarifa {
    let review = send(browser, "editar", page, &[("hacer", "revisar")]).await.panel(200);
    let save = [("version", version), ("hacer", "guardar")];
    send(browser, "revisar", &review, &save).await.to(&format!("{PATH}?hecho=guardada&version={version}"));
    Tarifa::parse(&stored(scene, version).await.text).unwrap()
}

/// Sets the cost of every item to a percentage of its price.
async fn with_costs(scene: &Scene, browser: &Browser<'_>, part: &str, version: &str) -> Tarifa {
    let page = browser.get(&format!("{PATH}/editar")).await.panel(200);
    let page = send(browser, "editar", &page, &[("costes", part), ("hacer", "costes")]).await.panel(200);
    keep(scene, browser, &page, version).await
}

async fn a_search_looks_in_all_chapters(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let page = browser.get(&format!("{PATH}/editar")).await.panel(200);
    let table = Tarifa::por_defecto();
    let in_shower = |p: &&embudo_domain::tarifa::Partida| p.key.contains("ducha");
    let chapters: std::collections::BTreeSet<&str> =
        table.partidas().iter().filter(in_shower).map(|p| p.capitulo.as_str()).collect();
    assert!(chapters.len() > 1, "{chapters:?}");
    // The result does not depend on the chapter that is selected in the form.
    for chapter in ["demoliciones", "pintura", "todos"] {
        let asked = [("q", "DUCHA"), ("capitulo", chapter), ("hacer", "buscar")];
        let found = send(&browser, "editar", &page, &asked).await.panel(200);
        for p in table.partidas().iter().filter(in_shower) {
            assert!(found.contains(&format!("<code>{}</code>", p.key)), "{} in {found}", p.key);
        }
        assert!(found.contains(", en toda la tarifa"), "{found}");
    }
    // Choosing a chapter shows all its items; so does an empty search.
    for does in ["mostrar", "buscar"] {
        let q = if does == "mostrar" { "DUCHA" } else { "" };
        let asked = [("q", q), ("capitulo", "pintura"), ("hacer", does)];
        let found = send(&browser, "editar", &page, &asked).await.panel(200);
        let paint = table.partidas().iter().filter(|p| p.capitulo == "pintura").count();
        assert!(
            found.contains(&format!("{paint} partidas")) && !found.contains(", en toda la tarifa"),
            "{found}"
        );
    }
    let none = [("q", "zzzz"), ("hacer", "buscar")];
    let none = send(&browser, "editar", &page, &none).await.panel(200);
    assert!(none.contains("Ninguna partida tiene eso"), "{none}");
    assert!(browser.get(&format!("{PATH}/editar?q=ducha")).await.panel(200).contains(", en toda la tarifa"));
}

async fn an_item_is_made_used_and_withdrawn(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let page = browser.get(&format!("{PATH}/editar")).await.panel(200);
    let mut typed = TOWEL_RAIL.to_vec();
    typed.extend([("nueva.material", "45"), ("hacer", "nueva")]);
    let page = send(&browser, "editar", &page, &typed).await.panel(200);
    assert!(page.contains("<code>toallero-electrico</code>") && page.contains("partida tuya"), "{page}");
    assert!(page.contains("Tienes 1 cambio sin guardar"), "{page}");
    // Its other fields are changed like those of any other item.
    let detail = [("detalle.toallero-electrico.media", "De 500 W"), ("hacer", "mostrar")];
    let page = send(&browser, "editar", &page, &detail).await.panel(200);
    let kept = keep(&scene, &browser, &page, "con-toallero").await;
    let new = kept.partidas().last().unwrap();
    let price = new.precio(Calidad::Media).unwrap();
    assert_eq!(
        (new.key.as_str(), new.capitulo.as_str(), new.own),
        ("toallero-electrico", "sanitarios", true)
    );
    assert_eq!(
        (price.precio, price.coste, price.material),
        (Cents(18_000), Some(Cents(9_550)), Percentage(4_500))
    );
    assert_eq!((price.detail.as_deref(), new.kinds.len()), (Some("De 500 W"), 0));
    assert!(browser.get(&format!("{PATH}?q=toallero")).await.panel(200).contains("se añade a mano"));

    // A quote does not contain the item automatically. The editor can add it at once, with its cost.
    let (lead, place) = a_draft(&scene, &browser).await;
    assert!(!draft_of(&scene, lead).await.lines().any(|l| l.key.as_deref() == Some("toallero-electrico")));
    let fields = [("tabla.1", "Toallero eléctrico"), ("accion", "tabla.1")];
    assert_eq!(save(&scene, &browser, lead, &place, &fields).await.status.as_u16(), 303);
    let draft = draft_of(&scene, lead).await;
    let added = draft.lines().find(|l| l.key.as_deref() == Some("toallero-electrico")).unwrap();
    assert_eq!((added.precio, added.coste), (Cents(18_000), Some(Cents(9_550))));

    // Withdrawn, restored, withdrawn again and saved.
    let page = browser.get(&format!("{PATH}/editar?q=toallero")).await.panel(200);
    let gone = [("hacer", "quitar.toallero-electrico"), ("visto.q", "toallero")];
    let page = send(&browser, "editar", &page, &gone).await.panel(200);
    assert!(page.contains("Retiradas en esta versión") && page.contains("Volver a ponerla"), "{page}");
    let back = send(&browser, "editar", &page, &[("hacer", "reponer.toallero-electrico")]).await.panel(200);
    assert!(back.contains("Sin cambios todavía") && !back.contains("Retiradas"), "{back}");
    let kept = keep(&scene, &browser, &page, "sin-toallero").await;
    assert_eq!(kept.partidas(), Tarifa::por_defecto().partidas());
    // A line that a person added stays in the draft.
    let seen = scene.server.app.store.draft_of(lead).await.unwrap().unwrap().revision.to_string();
    browser.post(&format!("{place}/recalcular"), &[("revision", &seen)]).await;
    let draft = draft_of(&scene, lead).await;
    let added = draft.lines().find(|l| l.key.as_deref() == Some("toallero-electrico")).unwrap();
    assert_eq!((added.precio, added.coste), (Cents(18_000), Some(Cents(9_550))));
}

async fn a_wrong_item_is_told_beside_its_fields(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let page = browser.get(&format!("{PATH}/editar")).await.panel(200);
    let key = item().0;
    for (field, bad) in [
        ("nueva.concepto", ""),
        ("nueva.clave", "Con Mayúsculas"),
        ("nueva.clave", key.as_str()),
        ("nueva.capitulo", "nada"),
        ("nueva.unidad", "kg"),
        ("nueva.cantidad", "techo"),
        ("nueva.media.precio", "doce"),
        ("nueva.media.precio", "-1"),
        ("nueva.media.precio", "100.000,01"),
        ("nueva.media.precio", ""),
        ("nueva.media.coste", "NaN"),
        ("nueva.media.coste", "-5"),
        ("nueva.basica.coste", "5"),
        ("nueva.material", "101"),
    ] {
        let mut typed: Vec<(&str, &str)> =
            TOWEL_RAIL.iter().filter(|(name, _)| *name != field).copied().collect();
        typed.extend([(field, bad), ("hacer", "nueva")]);
        let back = send(&browser, "editar", &page, &typed).await.panel(422);
        assert!(back.contains("Sin cambios todavía"), "{field} {bad}: {back}");
        let told = if (field, bad) == ("nueva.media.precio", "") { "nueva.media.coste" } else { field };
        assert!(back.contains(&format!("id=\"{told}-error\"")), "{field} {bad}: {back}");
        if field != "nueva.concepto" {
            assert!(back.contains("value=\"Toallero eléctrico\""), "what was typed stays: {back}");
        }
    }
    // A person who fills in an item and continues to the review gets the item added too. An error keeps them on the
    // page.
    let mut typed = TOWEL_RAIL.to_vec();
    typed.push(("hacer", "revisar"));
    assert!(send(&browser, "editar", &page, &typed).await.panel(200).contains("1 es nueva"));
    typed[3].1 = "techo";
    send(&browser, "editar", &page, &typed).await.panel(422);
    assert_eq!(versions(&scene).await, []);
}

async fn costs_by_percentage_show_margins(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = manager(&scene).await;
    let page = browser.get(&format!("{PATH}/editar")).await.panel(200);
    for bad in ["sesenta", "-1", "101", "NaN"] {
        let page = send(&browser, "editar", &page, &[("costes", bad), ("hacer", "costes")]).await.panel(422);
        assert!(
            page.contains("id=\"costes-error\"") && page.contains("Sin cambios todavía"),
            "{bad}: {page}"
        );
    }
    // An older draft shows that costs were added, and gets them when it is recalculated.
    let (before, place) = a_draft(&scene, &browser).await;
    save(&scene, &browser, before, &place, &[("terminos.duracion", "un mes")]).await;
    let kept = with_costs(&scene, &browser, "60 %", "con-costes").await;
    assert!(kept.capitulos().iter().all(|c| c.coste == Some(Percentage(6_000))));
    let shown = browser.get(&place).await.panel(200);
    assert!(shown.contains("Costes de") && shown.contains("en tu tarifa"), "{shown}");
    let seen = scene.server.app.store.draft_of(before).await.unwrap().unwrap().revision.to_string();
    browser.post(&format!("{place}/recalcular"), &[("revision", &seen)]).await;
    assert!(draft_of(&scene, before).await.lines().all(|l| l.coste == l.precio.part(Percentage(6_000))));

    let (lead, place) = a_draft(&scene, &browser).await;
    let draft = draft_of(&scene, lead).await;
    let cost: i64 = draft
        .lines()
        .map(|l| l.precio.part(Percentage(6_000)).unwrap().by_cantidad(l.cantidad).unwrap().0)
        .sum();
    let base: i64 = draft.lines().map(|l| l.precio.by_cantidad(l.cantidad).unwrap().0).sum();
    let page = browser.get(&place).await.panel(200);
    for told in [Cents(cost), Cents(base - cost)] {
        assert!(page.contains(&told.to_string()), "{told} in {page}");
    }
    assert!(!page.contains("sin coste: será menos"), "{page}");
    // A cost that a person types counts only for its line.
    let first = line(&scene, lead, 0).await;
    let coste = format!("linea.{}.coste", first.id);
    save(&scene, &browser, lead, &place, &[(&coste, "1")]).await;
    let mine = line(&scene, lead, 0).await;
    assert_eq!((mine.coste, mine.is_changed()), (Some(Cents(100)), true));
    let quote = sent(&scene, &browser, lead, &place).await;
    let sealed = serde_json::to_string(&quote.document).unwrap();
    assert!(!sealed.contains("coste\":"), "{sealed}");
    let api = scene.server.get(&format!("/api/leads/{lead}")).await.text;
    assert!(!api.contains("coste") && !api.contains("margen"), "{api}");
    // The shipped table has no costs. An empty field removes the percentage.
    let without = with_costs(&scene, &browser, "", "sin-costes").await;
    assert!(without.capitulos().iter().all(|c| c.coste.is_none()));
}

async fn costs_are_typed_item_by_item(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    with_costs(&scene, &browser, "50", "mitad").await;
    let page = browser.get(&format!("{PATH}/editar?mirar=costes")).await.panel(200);
    let (key, chapter) = item();
    let name = format!("coste.{key}.media");
    let half = Tarifa::por_defecto().partidas()[0].precio(Calidad::Media).unwrap().precio.0 / 2;
    let half = embudo_domain::decimal::in_spanish(half, 2);
    assert!(page.contains(&name) && page.contains(&format!("placeholder=\"{half}\"")), "{page}");
    for bad in ["mucho", "-1", "100.000,01"] {
        let typed = [(name.as_str(), bad), ("visto.mirar", "costes"), ("hacer", "revisar")];
        let back = send(&browser, "editar", &page, &typed).await.panel(422);
        assert!(back.contains(&format!("id=\"{name}-error\"")), "{bad}: {back}");
    }
    let typed =
        [(name.as_str(), "12,34"), ("mirar", "costes"), ("capitulo", &*chapter), ("hacer", "mostrar")];
    let page = send(&browser, "editar", &page, &typed).await.panel(200);
    assert!(page.contains("value=\"12,34\""), "{page}");
    let review = send(&browser, "editar", &page, &[("hacer", "revisar")]).await.panel(200);
    assert!(review.contains("Coste, media: (nada) → 12,34"), "{review}");
    let kept = keep(&scene, &browser, &page, "uno").await;
    assert_eq!(kept.partidas()[0].precio(Calidad::Media).unwrap().coste, Some(Cents(1_234)));
    let shown = browser.get(&format!("{PATH}?q={key}")).await.panel(200);
    assert!(shown.contains("coste 12,34") && shown.contains("margen"), "{shown}");
    // When the cost is emptied, the percentage of its chapter applies again.
    let page = browser.get(&format!("{PATH}/editar?mirar=costes")).await.panel(200);
    let page = send(&browser, "editar", &page, &[(name.as_str(), ""), ("hacer", "mostrar")]).await.panel(200);
    let kept = keep(&scene, &browser, &page, "ninguno").await;
    assert_eq!(kept.partidas()[0].precio(Calidad::Media).unwrap().coste, None);
}

async fn costs_are_for_managers(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = manager(&scene).await;
    with_costs(&scene, &browser, "60", "con-costes").await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let first = line(&scene, lead, 0).await;
    let coste = format!("linea.{}.coste", first.id);
    assert!(browser.get(&place).await.panel(200).contains(&coste));
    let low = seller(&scene).await;
    for page in [place.clone(), format!("{place}/enviar")] {
        let page = low.get(&page).await.panel(200);
        assert!(
            !page.contains("Tu margen") && !page.contains("Te cuesta") && !page.contains(".coste"),
            "{page}"
        );
    }
    // They cannot change a cost either; a line that they change keeps its cost.
    let precio = format!("linea.{}.precio", first.id);
    save(&scene, &low, lead, &place, &[(&coste, "1"), (&precio, "99")]).await;
    let after = line(&scene, lead, 0).await;
    assert_eq!((after.precio, after.coste), (Cents(9_900), first.coste));
    sent(&scene, &low, lead, &place).await;
    assert!(!low.get(&place).await.panel(200).contains("Tu margen"));
    assert!(browser.get(&place).await.panel(200).contains("Tu margen"));
}

async fn changes_that_are_not_kept_are_told(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let page = browser.get(&format!("{PATH}/editar")).await.panel(200);
    assert!(page.contains("data-sin-guardar=\"0\"") && page.contains("sin-guardar.js"), "{page}");
    let name = format!("precio.{}.media", item().0);
    let page = send(&browser, "editar", &page, &[(&name, "12"), ("hacer", "mostrar")]).await.panel(200);
    assert!(
        page.contains("data-sin-guardar=\"1\"") && page.contains("Tienes 1 cambio sin guardar"),
        "{page}"
    );
    let page = send(&browser, "editar", &page, &[("hacer", "revisar")]).await.panel(200);
    assert!(page.contains("data-sin-guardar=\"1\"") && page.contains("Tienes cambios sin guardar"), "{page}");
}

async fn a_sheet_goes_out_and_comes_back(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let mine = with_costs(&scene, &browser, "55", "mia").await;
    let file = browser.get(&format!("{PATH}/exportar?version=mia&formato=csv")).await;
    assert_eq!((file.status.as_u16(), file.text.as_str()), (200, mine.csv().as_str()));
    assert!(file.header("content-disposition").unwrap().contains("tarifa-mia.csv"));
    assert!(file.header("content-type").unwrap().starts_with("text/csv"));
    let import = format!("{PATH}/importar");
    let bytes = file.text.as_bytes();
    let parts: [(&str, Option<&str>, &[u8]); 3] =
        [("archivo", Some("mia.csv"), bytes), ("texto", None, b""), ("de", None, b"mia")];
    let page = browser.post_files(&import, &parts).await.panel(200);
    assert!(page.contains("Ninguna partida cambia."), "{page}");
    // One price was typed in a spreadsheet, and the row of one item was removed.
    let (key, price) = (&mine.partidas()[0].key, mine.partidas()[0].precio(Calidad::Media).unwrap().precio);
    let typed = embudo_domain::decimal::write(price.0, 2).replace('.', ",");
    let gone = mine.partidas().iter().find(|p| p.key == "mampara-bano").unwrap();
    let lines = file.text.lines().filter(|line| !line.starts_with(&format!("\"{}\"", gone.key)));
    let changed: Vec<String> = lines
        .map(|line| match line.starts_with(&format!("\"{key}\"")) {
            true => line.replacen(&format!("\"{typed}\""), "\"1.234,50\"", 1),
            false => line.to_owned(),
        })
        .collect();
    let changed = changed.join("\r\n");
    let page = browser.post(&import, &[("texto", &changed), ("de", "mia")]).await.panel(200);
    for told in ["Partidas: 1 sube", "1 desaparece", "1.234,50"] {
        assert!(page.contains(told), "{told} in {page}");
    }
    assert_eq!(versions(&scene).await.len(), 1, "nothing is kept before it is looked at");
    let save = [("version", "de-excel"), ("hacer", "guardar")];
    send(&browser, "revisar", &page, &save).await.to(&format!("{PATH}?hecho=guardada&version=de-excel"));
    let kept = Tarifa::parse(&stored(&scene, "de-excel").await.text).unwrap();
    assert_eq!(kept.partidas().len(), mine.partidas().len() - 1);
    assert_eq!(kept.capitulos(), mine.capitulos(), "what a sheet does not say is as it was");
    let own: Vec<&str> = kept.partidas().iter().filter(|p| p.own).map(|p| p.key.as_str()).collect();
    assert_eq!(own, [key.as_str()], "the others still have the shipped prices");
}

async fn mistakes_of_a_sheet_have_line_and_column(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let import = format!("{PATH}/importar");
    let sheet = Tarifa::por_defecto().csv();
    let wrong = sheet.replacen("\"demoliciones\"", "\"<b>derribos</b>\"", 2);
    let page = browser.post(&import, &[("texto", &wrong)]).await.panel(422);
    for line in [2, 3] {
        assert!(page.contains(&format!("Línea {line}</strong> <code>capitulo</code>")), "{page}");
    }
    assert!(page.contains("&#60;b&#62;derribos") && !page.contains("<b>derribos"), "{page}");
    // In the encoding in which old versions of Excel write accents.
    let parts: [(&str, Option<&str>, &[u8]); 1] =
        [("archivo", Some("x.csv"), b"clave;concepto\r\nsolado;Ba\xf1o\r\n")];
    let page = browser.post_files(&import, &parts).await.panel(422);
    assert!(page.contains("CSV UTF-8"), "{page}");
    for bomb in [
        "clave\n".to_owned() + &"a\n".repeat(100_000),
        "clave".to_owned() + &";x".repeat(100_000),
        "clave;concepto\n\"".to_owned() + &"x".repeat(400_000),
        "clave;concepto\nx;\u{0}\u{1}\n".to_owned(),
        "clave;concepto\n]]\";=cmd|'/c calc'!A1\n".to_owned(),
    ] {
        let page = browser.post(&import, &[("texto", &bomb)]).await.panel(422);
        assert!(page.contains("Fallos") && page.matches("<strong>Línea").count() <= 100);
    }
    browser.post(&import, &[("texto", &format!("clave\n{}", "#".repeat(600 * 1024)))]).await.panel(413);
    assert_eq!(versions(&scene).await, []);
}
