//! A company's look, what may frame it, what a first visit weighs, and its policy.

use embudo_domain::color::Color;
use embudo_domain::marca::Marca;
use embudo_testkit::{Engine, Server, both_engines};

use crate::navegante::{Navegante, Pagina};

/// Every address of ours that a page needs.
fn recursos(pagina: &str) -> Vec<String> {
    let partes = pagina.split(['"', '\'']);
    let mut rutas: Vec<String> = partes
        .filter(|p| p.starts_with("/recursos/") || p.contains("/marca.css"))
        .map(|p| p.split('#').next().unwrap().to_owned())
        .collect();
    rutas.sort();
    rutas.dedup();
    rutas
}

async fn pesar(s: &Server, ruta: &str) -> (usize, String) {
    let pagina = s.cliente.get(s.url(ruta)).send().await.unwrap().text().await.unwrap();
    let mut bytes = pagina.len();
    for recurso in recursos(&pagina) {
        let r = s.cliente.get(s.url(&recurso)).header("accept-encoding", "gzip").send().await.unwrap();
        assert_eq!(r.status().as_u16(), 200, "{recurso}");
        assert!(r.headers()["cache-control"].to_str().unwrap().contains("immutable"), "{recurso}");
        assert_eq!(r.headers()["x-content-type-options"], "nosniff");
        bytes += r.bytes().await.unwrap().len();
    }
    (bytes, pagina)
}

both_engines!(
    a_first_visit_weighs_little,
    a_brand_is_seen_everywhere_and_framed_only_where_it_allows,
    the_shipped_policy_names_the_company,
);

async fn a_first_visit_weighs_little(s: Server) {
    let (bytes, pagina) = pesar(&s, "/").await;
    assert!(recursos(&pagina).len() >= 5, "{:?}", recursos(&pagina));
    assert!(bytes < 60 * 1024, "{bytes} bytes");
}

async fn a_brand_is_seen_everywhere_and_framed_only_where_it_allows(s: Server) {
    let marca = Marca {
        color: Color([0xc2, 0x41, 0x0c]),
        telefono: Some("912 345 678".into()),
        razon_social: Some("Peña & Hijos, S.L.".into()),
        nif: Some("B12345678".into()),
        saludo: Some("Reformamos contigo desde 1980.".into()),
        politica: Some("Primero.\n\nSegundo <i>.".into()),
        origenes: vec!["https://www.pena.es".into(), "'unsafe-inline'".into()],
        ..Marca::default()
    };
    s.app.store.save_marca(s.empresa.id, marca).await.unwrap();
    s.app.store.save_logo(s.empresa.id, Some(b"\x89PNG\r\n\x1a\n...".to_vec())).await.unwrap();
    let r = s.cliente.get(s.url("/f/reformas-pena")).send().await.unwrap();
    let csp = r.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(csp.ends_with("frame-ancestors https://www.pena.es"), "{csp}");
    assert_eq!(r.headers()["cross-origin-resource-policy"], "cross-origin");
    let pagina = r.text().await.unwrap();
    for parte in [
        "tel:912345678",
        "Peña &#38; Hijos, S.L.",
        "NIF B12345678",
        "desde 1980",
        "/f/reformas-pena/logo.png?v=",
    ] {
        assert!(pagina.contains(parte), "{parte} in {pagina}");
    }
    let hoja = recursos(&pagina).into_iter().find(|r| r.contains("marca.css")).unwrap();
    let hoja = s.cliente.get(s.url(&hoja)).send().await.unwrap();
    assert_eq!(hoja.headers()["content-type"], "text/css; charset=utf-8");
    assert!(hoja.text().await.unwrap().contains("--brand:#c2410c"));
    let logo = s.cliente.get(s.url("/f/reformas-pena/logo.png")).send().await.unwrap();
    assert_eq!(logo.headers()["content-type"], "image/png");
    let politica =
        s.cliente.get(s.url("/f/reformas-pena/privacidad")).send().await.unwrap().text().await.unwrap();
    assert!(politica.contains("<p>Primero.</p><p>Segundo &#60;i&#62;.</p>"), "{politica}");
}

async fn the_shipped_policy_names_the_company(motor: Engine) {
    let n = Navegante::en(motor).await;
    let pagina = n.get("/f/reformas-pena/privacidad").await.pagina(200);
    assert!(pagina.contains("Reformas Peña") && pagina.contains("Agencia Española de Protección de Datos"));
    let rango = n
        .get("/f/reformas-pena/rango?tipo=cocina&m2=10&calidad=media&provincia=Las%20Palmas")
        .await
        .pagina(200);
    assert!(rango.contains("IGIC") && rango.contains("€"), "{rango}");
    assert!(!n.get("/f/reformas-pena/rango").await.pagina(200).contains('€'));
}
