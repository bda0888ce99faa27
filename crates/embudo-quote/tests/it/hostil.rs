//! Texts and pictures of people who mean ill, or just write in another script.

use bytes::Bytes;
use embudo_domain::ingesta::Momento;
use embudo_domain::{FotoId, Zona};
use embudo_quote::{Dibujante, Foto, Norma};

use crate::leer::{Pdf, impreso};
use crate::taller;

#[test]
fn no_text_becomes_code_and_none_is_refused() {
    let e = taller::hostil();
    let hecho = Dibujante::new().dibujar(&e, None).expect("a quote");
    assert_eq!(hecho.norma, Norma::Pdfa2aUa1, "{:?}", hecho.avisos);
    assert!(hecho.avisos.iter().any(|a| a.contains("«□»")), "{:?}", hecho.avisos);
    let pdf = Pdf::leer(&hecho.pdf);
    assert!(pdf.ficha("/Author").starts_with("#read(\"/etc/passwd\") & <Hijos>"));
    let texto = impreso(&hecho.pdf);
    for literal in
        ["#panic(\"x\") $x$ <a> *b* _c_ @ref \\", "ab@example.com", "#panic(\"nota\")", "= No soy un título"]
    {
        assert!(texto.contains(literal), "{literal} missing in\n{texto}");
    }
    assert_eq!(texto.matches('y').count() / 10_000, 1, "the long note is there");
}

#[test]
fn pictures_that_are_none_are_left_out() {
    let mut e = taller::minimo();
    taller::colgar(&mut e, 0, Zona::Otro, Momento::Antes, (200, 150));
    taller::colgar(&mut e, 1, Zona::Otro, Momento::Antes, (200, 150));
    taller::colgar(&mut e, 2, Zona::Otro, Momento::Despues, (200, 150));
    let ids: Vec<FotoId> = e.documento.fotos.iter().map(|f| f.id).collect();
    e.fotos.insert(ids[0], Foto::Imagen { jpeg: Bytes::from_static(b"\xff\xd8nada"), ancho: 1, alto: 1 });
    e.fotos.remove(&ids[1]);
    e.fotos.insert(ids[2], Foto::Hueco("#panic() El formato no se conoce.".into()));
    e.logo = Some(Bytes::from_static(b"GIF89a"));
    e.pagina_url = Some("x".repeat(9_000));
    let hecho = Dibujante::new().dibujar(&e, None).expect("a quote");
    assert_eq!(hecho.norma, Norma::Pdfa2aUa1, "{:?}", hecho.avisos);
    assert!(hecho.avisos.iter().any(|a| a.contains("logo")), "{:?}", hecho.avisos);
    assert_eq!(Pdf::leer(&hecho.pdf).alternativos().len(), 0);
    let texto = impreso(&hecho.pdf);
    assert!(!texto.contains("no disponible") && !texto.contains("no se conoce"), "{texto}");
    assert!(
        !texto.contains("generada por IA") && !texto.contains("Antes"),
        "nothing is left to show: {texto}"
    );
}
