//! Texts and pictures of people who mean ill, or just write in another script.

use bytes::Bytes;
use embudo_domain::ingesta::Momento;
use embudo_domain::{FotoId, Zona};
use embudo_quote::{Dibujante, Foto, Norma};

use crate::leer::{Pdf, impreso};
use crate::taller;

#[test]
fn no_text_becomes_code_and_none_is_refused() {
    let mut e = taller::minimo();
    let d = &mut e.documento;
    d.cliente.nombre = "#panic(\"x\") $x$ <a> *b* _c_ @ref \\ \"comillas\" [corchetes] // nada /* */".into();
    d.cliente.email = "a\u{202e}b@example.com".into();
    d.cliente.provincia = Some("#eval(\"1\")\u{0}\u{200b}".into());
    d.empresa.nombre = "#read(\"/etc/passwd\") & <Hijos> 你好".into();
    d.empresa.direccion = Some("= No soy un título\n- ni una lista".into());
    d.condiciones = vec!["#image(\"/etc/passwd\")".into(), "x".repeat(3_000)];
    d.notas = [
        "y".repeat(10_000),
        "#panic(\"nota\")".into(),
        "😀🚿👨‍👩‍👧‍👦🇪🇸1️⃣🏳️‍🌈🫠".into(),
        "مرحبا بالعالم \u{202e}שלום\u{202c} 你好世界".into(),
        "a\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}b e\u{301}\u{301}\u{301} \u{e000}\u{f0000}\u{fffe}".into(),
        "\u{1}\u{7f}\u{85}\r\n\u{2028}\u{2029}\t".into(),
        String::new(),
    ]
    .iter()
    .map(|t| taller::nota(Zona::Otro, t))
    .collect();
    e.pagina_url = Some("https://example.com/?q=#\"\\<>&".into());
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
fn pictures_that_are_none_become_placeholders() {
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
    assert_eq!(texto.matches("foto no disponible").count(), 3, "{texto}");
    assert!(texto.contains("#panic() El formato no se conoce."));
}
