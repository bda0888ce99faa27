//! The company's look: its colour, and a logo that a person uploads.

use embudo_domain::Digest;
use embudo_domain::audit::AuditAction;
use embudo_domain::brand::Brand;
use embudo_domain::color::Color;
use embudo_testkit::{Answered, Engine, Scene, both_engines, jpeg};

use crate::panel_empresa::{log, manager};
use crate::person::{Browser, PanelPage as _};
use crate::visitor::hidden;

both_engines!(
    a_colour_is_tried_and_saved,
    a_stale_colour_shows_both,
    a_logo_is_cleaned_replaced_and_removed,
    bad_logos_are_refused_with_a_reason,
    a_logo_that_somebody_else_changed_is_not_overwritten,
);

const PATH: &str = "/panel/empresa/marca";

async fn color(scene: &Scene) -> Color {
    scene.server.app.store.brand(scene.server.empresa.id).await.unwrap().brand.color
}

/// The version that the logo's form carries.
fn logo_version(page: &str) -> String {
    hidden(page.split("action=\"/panel/empresa/marca/logo\"").nth(1).unwrap(), "version")
}

async fn upload(browser: &Browser<'_>, version: &str, file: Option<&[u8]>) -> Answered {
    let parts: &[(&str, Option<&str>, &[u8])] = match file {
        Some(bytes) => &[("version", None, version.as_bytes()), ("logo", Some("logo.png"), bytes)],
        None => &[("version", None, version.as_bytes()), ("logo", Some(""), b""), ("quitar", None, b"si")],
    };
    browser.post_files("/panel/empresa/marca/logo", parts).await
}

async fn a_colour_is_tried_and_saved(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let page = browser.get(PATH).await.panel(200);
    assert!(page.contains("Así queda #1f5f5b") && page.contains("letras blancas: contraste 7,"), "{page}");
    let tried = browser.get(&format!("{PATH}?color=%23ffd000&codigo=")).await.panel(200);
    for told in ["Así queda #ffd000", "letras negras", "Aún no está guardado", "muestra.css?color=ffd000"]
    {
        assert!(tried.contains(told), "{told} in {tried}");
    }
    assert_eq!(color(&scene).await, Color::DEFAULT, "only tried");
    let sheet = browser.get(&format!("{PATH}/muestra.css?color=ffd000")).await;
    assert_eq!(sheet.header("content-type"), Some("text/css; charset=utf-8"));
    assert!(sheet.text.contains(".muestra-dia{--brand:#ffd000;--on-brand:#000000;"), "{}", sheet.text);

    let drawn = browser.get(&format!("{PATH}/muestra.pdf?color=ffd000")).await;
    assert_eq!((drawn.status.as_u16(), drawn.header("content-type")), (200, Some("application/pdf")));
    assert!(drawn.text.starts_with("%PDF-"), "a quote for nobody");

    let version = hidden(&page, "version");
    let fields = [("version", version.as_str()), ("color", "#1f5f5b"), ("codigo", "AA3300")];
    browser.post(PATH, &fields).await.to("/panel/empresa/marca?hecho=color");
    assert_eq!(color(&scene).await, Color([0xaa, 0x33, 0]));
    let log = log(&scene, AuditAction::EmpresaChanged).await;
    assert_eq!(log[0].before.as_deref(), Some("color: #1f5f5b"));
    assert_eq!(log[0].after.as_deref(), Some("color: #aa3300"));
    let page = browser.post(PATH, &[("version", version.as_str()), ("codigo", "rojo")]).await.panel(422);
    assert!(page.contains("No es un color") && page.contains("value=\"rojo\""), "{page}");
    assert!(browser.get(PATH).await.panel(200).contains("marca.css?v="));
}

async fn a_stale_colour_shows_both(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let version = hidden(&browser.get(PATH).await.panel(200), "version");
    let other = Brand { color: Color([1, 2, 3]), ..Brand::default() };
    scene.server.app.store.save_brand(scene.server.empresa.id, other).await.unwrap();
    let page = browser.post(PATH, &[("version", version.as_str()), ("color", "#aa3300")]).await.panel(409);
    assert!(page.contains("#010203") && page.contains("#aa3300") && page.contains("compara"), "{page}");
    assert_eq!(color(&scene).await, Color([1, 2, 3]));
    let version = hidden(&page, "version");
    let again = [("version", version.as_str()), ("color", "#aa3300")];
    browser.post(PATH, &again).await.to("/panel/empresa/marca?hecho=color");
    assert_eq!(color(&scene).await, Color([0xaa, 0x33, 0]));
}

async fn a_logo_is_cleaned_replaced_and_removed(engine: Engine) {
    let scene = Scene::at(engine).await;
    let (browser, id) = (manager(&scene).await, scene.server.empresa.id);
    let logo = async || scene.server.app.store.logo(id).await.unwrap();
    let version = logo_version(&browser.get(PATH).await.panel(200));
    assert_eq!(version, "");
    upload(&browser, &version, Some(&jpeg(1_600, 400))).await.to("/panel/empresa/marca?hecho=logo");
    let first = logo().await.unwrap();
    assert!(first.starts_with(b"\x89PNG"), "made anew, whatever it was");
    let page = browser.get("/panel/empresa/marca?hecho=logo").await.panel(200);
    assert!(page.contains("/f/reformas-pena/logo.png?v=") && page.contains("Quitar el logo"), "{page}");
    let version = logo_version(&page);
    assert_eq!(version, Digest::of(&first).to_string());
    upload(&browser, &version, Some(&jpeg(320, 200))).await.to("/panel/empresa/marca?hecho=logo");
    assert_ne!(logo().await.unwrap(), first);
    let version = logo_version(&browser.get(PATH).await.panel(200));
    upload(&browser, &version, None).await.to("/panel/empresa/marca?hecho=sin-logo");
    assert_eq!(logo().await, None);
    let log = log(&scene, AuditAction::LogoChanged).await;
    assert_eq!((log.len(), log[0].after.as_deref()), (3, Some("sin logo")));
    assert_eq!(log[2].before.as_deref(), Some("sin logo"));
}

async fn bad_logos_are_refused_with_a_reason(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    // 65,535 pixels on each side, in a few bytes.
    let bomb =
        [b"GIF89a\xff\xff\xff\xff\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x44\x01\0;".as_slice()].concat();
    let script =
        br#"<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>"#;
    let mut cut = jpeg(800, 600);
    cut.truncate(200);
    for (status, told, file) in [
        (422, "demasiado grande", bomb.as_slice()),
        (422, "no es una imagen", b"Esto es un texto con otro nombre."),
        (422, "formato SVG", script),
        (422, "No sirve como logo", &cut),
        (422, "Elige un archivo", b""),
        (413, "más de 5 MB", &vec![7_u8; 5 * 1024 * 1024 + 1]),
        (413, "más de 5 MB", &vec![7_u8; 30 * 1024 * 1024]),
    ] {
        let page = upload(&browser, "", Some(file)).await.panel(status);
        assert!(page.contains(told) && page.contains("id=\"logo-error\""), "{told} in {page}");
        assert!(!page.contains("alert(1)"));
    }
    assert_eq!(scene.server.app.store.logo(scene.server.empresa.id).await.unwrap(), None);
    assert_eq!(log(&scene, AuditAction::LogoChanged).await, []);
    // A request that is not like our form.
    let odd = browser.post("/panel/empresa/marca/logo", &[("logo", "hola")]).await;
    assert!(odd.panel(422).contains("Elige un archivo"));
}

async fn a_logo_that_somebody_else_changed_is_not_overwritten(engine: Engine) {
    let scene = Scene::at(engine).await;
    let (browser, id) = (manager(&scene).await, scene.server.empresa.id);
    let theirs = embudo_app::logo(&jpeg(64, 64)).unwrap();
    scene.server.app.store.save_logo(id, Some(theirs.clone())).await.unwrap();
    for file in [Some(jpeg(100, 50)), None] {
        let page = upload(&browser, "", file.as_deref()).await.panel(409);
        assert!(
            page.contains("Alguien ha cambiado el logo") && page.contains("/f/reformas-pena/logo.png?v=")
        );
        assert_eq!(logo_version(&page), Digest::of(&theirs).to_string());
    }
    let page = upload(&browser, &"0".repeat(64), None).await.panel(409);
    assert!(page.contains("Alguien ha cambiado el logo"));
    assert_eq!(scene.server.app.store.logo(id).await.unwrap(), Some(theirs));
}
