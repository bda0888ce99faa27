//! A company's look, the sites that may frame it, the size of a first visit, and the company's policy.

use embudo_domain::brand::Brand;
use embudo_domain::color::Color;
use embudo_testkit::{Engine, Server, both_engines};

use crate::visitor::{Page, Visitor};

/// Every address of ours that a page loads.
fn assets(page: &str) -> Vec<String> {
    let parts = page.split(['"', '\'']);
    let mut routes: Vec<String> = parts
        .filter(|p| p.starts_with("/recursos/") || p.contains("/marca.css"))
        .map(|p| p.split('#').next().unwrap().to_owned())
        .collect();
    routes.sort();
    routes.dedup();
    routes
}

async fn weigh(s: &Server, path: &str) -> (usize, String) {
    let page = s.cliente.get(s.url(path)).send().await.unwrap().text().await.unwrap();
    let mut bytes = page.len();
    for asset in assets(&page) {
        let r = s.cliente.get(s.url(&asset)).header("accept-encoding", "gzip").send().await.unwrap();
        assert_eq!(r.status().as_u16(), 200, "{asset}");
        assert!(r.headers()["cache-control"].to_str().unwrap().contains("immutable"), "{asset}");
        assert_eq!(r.headers()["x-content-type-options"], "nosniff");
        bytes += r.bytes().await.unwrap().len();
    }
    (bytes, page)
}

both_engines!(
    a_first_visit_weighs_little,
    a_brand_is_seen_everywhere_and_framed_only_where_it_allows,
    the_shipped_policy_names_the_company,
);

async fn a_first_visit_weighs_little(s: Server) {
    let (bytes, page) = weigh(&s, "/").await;
    assert!(assets(&page).len() >= 5, "{:?}", assets(&page));
    assert!(bytes < 60 * 1024, "{bytes} bytes");
}

async fn a_brand_is_seen_everywhere_and_framed_only_where_it_allows(s: Server) {
    let brand = Brand {
        color: Color([0xc2, 0x41, 0x0c]),
        telefono: Some("912 345 678".into()),
        razon_social: Some("Peña & Hijos, S.L.".into()),
        nif: Some("B12345678".into()),
        greeting: Some("Reformamos contigo desde 1980.".into()),
        policy: Some("Primero.\n\nSegundo <i>.".into()),
        origins: vec!["https://www.pena.es".into(), "'unsafe-inline'".into()],
        ..Brand::default()
    };
    s.app.store.save_brand(s.empresa.id, brand).await.unwrap();
    s.app.store.save_logo(s.empresa.id, Some(b"\x89PNG\r\n\x1a\n...".to_vec())).await.unwrap();
    let r = s.cliente.get(s.url("/f/reformas-pena")).send().await.unwrap();
    let csp = r.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(csp.ends_with("frame-ancestors https://www.pena.es"), "{csp}");
    assert_eq!(r.headers()["cross-origin-resource-policy"], "cross-origin");
    let page = r.text().await.unwrap();
    for part in [
        "tel:912345678",
        "Peña &#38; Hijos, S.L.",
        "NIF B12345678",
        "desde 1980",
        "/f/reformas-pena/logo.png?v=",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    let sheet = assets(&page).into_iter().find(|r| r.contains("marca.css")).unwrap();
    let sheet = s.cliente.get(s.url(&sheet)).send().await.unwrap();
    assert_eq!(sheet.headers()["content-type"], "text/css; charset=utf-8");
    assert!(sheet.text().await.unwrap().contains("--brand:#c2410c"));
    let logo = s.cliente.get(s.url("/f/reformas-pena/logo.png")).send().await.unwrap();
    assert_eq!(logo.headers()["content-type"], "image/png");
    let policy =
        s.cliente.get(s.url("/f/reformas-pena/privacidad")).send().await.unwrap().text().await.unwrap();
    assert!(policy.contains("<p>Primero.</p><p>Segundo &#60;i&#62;.</p>"), "{policy}");
}

async fn the_shipped_policy_names_the_company(engine: Engine) {
    let n = Visitor::at(engine).await;
    let page = n.get("/f/reformas-pena/privacidad").await.page(200);
    assert!(page.contains("Reformas Peña") && page.contains("Agencia Española de Protección de Datos"));
    let range = n
        .get("/f/reformas-pena/rango?tipo=cocina&m2=10&calidad=media&provincia=Las%20Palmas")
        .await
        .page(200);
    assert!(range.contains("IGIC") && range.contains("€"), "{range}");
    assert!(!n.get("/f/reformas-pena/rango").await.page(200).contains('€'));
}
