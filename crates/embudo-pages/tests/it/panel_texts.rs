//! The company's texts: legal texts, conditions, privacy.

use embudo_domain::audit::AuditAction;
use embudo_domain::legal::{Legal, LegalKey};
use embudo_testkit::{Engine, Scene, both_engines};
use serde_json::json;

use crate::panel_empresa::{log, manager};
use crate::person::{Browser, PanelPage as _};
use crate::visitor::hidden;

both_engines!(
    a_legal_text_is_looked_at_saved_and_given_back,
    a_stale_text_shows_both_versions,
    conditions_are_printed_in_new_quotes,
    the_privacy_page_names_who_receives_the_data,
    two_pages_of_settings_do_not_overwrite_each_other,
);

const PAGE: &str = "/panel/empresa/textos";

/// The version in the form of a text.
async fn version(browser: &Browser<'_>, key: &str) -> String {
    let page = browser.get(PAGE).await.panel(200);
    hidden(page.split(&format!("id=\"t-{key}\"")).nth(1).unwrap(), "version")
}

async fn a_legal_text_is_looked_at_saved_and_given_back(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let settings = async || scene.server.app.store.settings(scene.server.empresa.id).await.unwrap();
    let page = browser.get(PAGE).await.panel(200);
    let legal = Legal::por_defecto();
    for text in legal.texts() {
        assert!(page.contains(&format!("id=\"t-{}\"", text.key)), "{}", text.key);
    }
    assert!(page.contains("De Embudo, 2026.1") && !page.contains("Tuyo, del"), "{page}");

    let seen = version(&browser, "garantia").await;
    let path = format!("{PAGE}/legal");
    let send = async |accion: &str, texto: &str| {
        let fields = [("clave", "garantia"), ("version", &*seen), ("titulo", "Garantía"), ("texto", texto)];
        let mut fields = fields.to_vec();
        fields.push(("accion", accion));
        browser.post(&path, &fields).await
    };
    let page = send("ver", "De {empresa} <b>.\r\n\r\nCinco años.").await.panel(200);
    assert!(page.contains("De Reformas Peña ") && !page.contains("<b>"), "{page}");
    assert_eq!(settings().await.legal.texts.len(), 0, "looking saves nothing");
    for bad in ["", "{nadie}", &"a".repeat(2_001), &"a\n\n".repeat(31)] {
        let page = send("guardar", bad).await.panel(422);
        assert!(page.contains("class=\"error\""), "{bad}");
    }
    send("guardar", "De {empresa}.\r\n\r\nCinco años.").await.to(&format!("{PAGE}?hecho"));
    let own = settings().await.legal.texts;
    assert_eq!((own.len(), own[0].paragraphs.len(), own[0].version.len()), (1, 2, 10));
    assert!(browser.get(PAGE).await.panel(200).contains("Tuyo, del"));

    // A binding quote contains the text, filled in and with its date.
    let lead = scene
        .server
        .lead_with(
            json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" }),
        )
        .await;
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let lead = embudo_domain::LeadId::parse(&lead).unwrap();
    let sealed = &scene.server.app.store.presupuestos(lead).await.unwrap()[0].document;
    let printed = sealed.legal.iter().find(|text| text.key == LegalKey::Garantia).expect("it is binding");
    assert_eq!((printed.paragraphs[0].as_str(), &printed.version), ("De Reformas Peña.", &own[0].version));

    let back =
        [("clave", "garantia"), ("accion", "volver"), ("version", &*version(&browser, "garantia").await)]
            .map(|(a, b)| (a, b.to_owned()));
    let back: Vec<_> = back.iter().map(|(a, b)| (*a, b.as_str())).collect();
    browser.post(&path, &back).await.to(&format!("{PAGE}?hecho=volver"));
    assert_eq!(settings().await.legal.texts.len(), 0);
    assert_eq!(log(&scene, AuditAction::TextsChanged).await.len(), 2);
    browser.post(&path, &[]).await.to(PAGE);
}

async fn a_stale_text_shows_both_versions(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let seen = version(&browser, "pago").await;
    let path = format!("{PAGE}/legal");
    let fields = |texto: &'static str| {
        [("clave", "pago"), ("accion", "guardar"), ("titulo", "Forma de pago"), ("texto", texto)]
    };
    let send = async |texto| {
        let mut fields = fields(texto).to_vec();
        fields.push(("version", &*seen));
        browser.post(&path, &fields).await
    };
    send("Uno.").await.to(&format!("{PAGE}?hecho"));
    let page = send("Dos.").await.panel(409);
    assert!(page.contains("Ahora pone") && page.contains("Uno.") && page.contains("Dos."), "{page}");
    let back = browser.post(&path, &[("clave", "pago"), ("accion", "volver"), ("version", &seen)]).await;
    back.panel(409);
    let kept = scene.server.app.store.settings(scene.server.empresa.id).await.unwrap().legal.texts;
    assert_eq!(kept[0].paragraphs, ["Uno."]);
}

async fn conditions_are_printed_in_new_quotes(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let path = format!("{PAGE}/condiciones");
    let form = |page: &str| hidden(page.split("/textos/condiciones\"").nth(1).unwrap(), "version");
    let seen = form(&browser.get(PAGE).await.panel(200));
    let many = "a\n".repeat(31);
    let long = "a".repeat(501);
    for bad in
        [("condiciones", many.as_str()), ("condiciones", &long), ("diasValidez", "0"), ("diasValidez", "x")]
    {
        let page = browser.post(&path, &[("version", &seen), bad]).await.panel(422);
        assert!(page.contains(&format!("{}-error", bad.0)), "{bad:?}");
    }
    let good = [("version", seen.as_str()), ("condiciones", " Una.\r\n\r\nOtra. "), ("diasValidez", "15")];
    browser.post(&path, &good).await.to(&format!("{PAGE}?hecho"));
    let brand = scene.server.app.store.brand(scene.server.empresa.id).await.unwrap().brand;
    assert_eq!(
        (brand.condiciones.as_slice(), brand.valid_days),
        (&["Una.".to_owned(), "Otra.".to_owned()][..], 15)
    );
    let late = [("version", seen.as_str()), ("condiciones", "Tercera.")];
    let page = browser.post(&path, &late).await.panel(409);
    assert!(page.contains("Ahora pone") && page.contains("Tercera."), "{page}");
}

async fn the_privacy_page_names_who_receives_the_data(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let path = format!("{PAGE}/privacidad");
    let public = async || {
        scene
            .server
            .send(scene.server.cliente.get(scene.server.url("/f/reformas-pena/privacidad")))
            .await
            .text
    };
    assert!(!public().await.contains("Imágenes de Prueba"));
    let versions = async || {
        let page = browser.get(PAGE).await.panel(200);
        let form = page.split("/textos/privacidad\"").nth(1).unwrap().to_owned();
        (hidden(&form, "version"), hidden(&form, "version-quien"))
    };
    let (policy, named) = versions().await;
    let long = "a".repeat(201);
    let bad = [("version", &*policy), ("version-quien", &*named), ("renders", &long)];
    assert!(browser.post(&path, &bad).await.panel(422).contains("renders-error"));
    let good = [
        ("version", &*policy),
        ("version-quien", &*named),
        ("renders", "Imágenes <i> de Prueba S.L."),
        ("correo", "Correos S.A."),
    ];
    browser.post(&path, &good).await.to(&format!("{PAGE}?hecho"));
    let page = public().await;
    assert!(
        page.contains("de Prueba S.L.") && page.contains("Correos S.A.") && !page.contains("<i>"),
        "{page}"
    );
    assert!(page.contains("a partir de tus fotos") && page.contains(", empresa 20"), "{page}");
    // A company's own text names the recipients too.
    let (policy, named) = versions().await;
    let own = [
        ("version", &*policy),
        ("version-quien", &*named),
        ("politica", "Cuidamos tus datos.\r\n\r\nDe verdad."),
    ];
    browser.post(&path, &own).await.to(&format!("{PAGE}?hecho"));
    let page = public().await;
    assert!(page.contains("<p>Cuidamos tus datos.</p>") && page.contains("Correos S.A."), "{page}");
    let late = [("version", &*policy), ("version-quien", &*named), ("politica", "Otra cosa.")];
    assert!(browser.post(&path, &late).await.panel(409).contains("Ahora pone"));
    let settings = scene.server.app.store.settings(scene.server.empresa.id).await.unwrap();
    assert_eq!(settings.privacy.version.unwrap().len(), 10);
}

async fn two_pages_of_settings_do_not_overwrite_each_other(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let quotes = "/panel/empresa/presupuestos";
    let seen = hidden(&browser.get(quotes).await.panel(200), "version");
    let text = version(&browser, "pago").await;
    let legal = [
        ("clave", "pago"),
        ("accion", "guardar"),
        ("titulo", "Pago"),
        ("texto", "Uno."),
        ("version", &*text),
    ];
    let path = format!("{PAGE}/legal");
    let review = [("version", &*seen), ("revisar", "si"), ("fin", "borrador")];
    let (one, other) = tokio::join!(browser.post(&path, &legal), browser.post(quotes, &review));
    for answer in [one, other] {
        assert_eq!(answer.status.as_u16(), 303, "{}", answer.text);
    }
    let kept = scene.server.app.store.settings(scene.server.empresa.id).await.unwrap();
    assert!(kept.review && kept.legal.texts.len() == 1, "{kept:?}");
}
