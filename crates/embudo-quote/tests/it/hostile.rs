//! Hostile texts and pictures, and texts in other scripts.

use bytes::Bytes;
use embudo_domain::ingesta::Momento;
use embudo_domain::{FotoId, Zona};
use embudo_quote::{Foto, Norma, Renderer};

use crate::read::{Pdf, printed};
use crate::studio;

#[test]
fn no_text_becomes_code_and_none_is_refused() {
    let e = studio::hostile();
    let done = Renderer::new().render(&e, None).expect("a quote");
    assert_eq!(done.norma, Norma::Pdfa2aUa1, "{:?}", done.notices);
    assert!(done.notices.iter().any(|a| a.contains("«□»")), "{:?}", done.notices);
    let pdf = Pdf::read(&done.pdf);
    assert!(pdf.record("/Author").starts_with("#read(\"/etc/passwd\") & <Hijos>"));
    let text = printed(&done.pdf);
    for literal in
        ["#panic(\"x\") $x$ <a> *b* _c_ @ref \\", "ab@example.com", "#panic(\"nota\")", "= No soy un título"]
    {
        assert!(text.contains(literal), "{literal} missing in\n{text}");
    }
    assert_eq!(text.matches('y').count() / 10_000, 1, "the long note is there");
}

#[test]
fn pictures_that_are_none_are_left_out() {
    let mut e = studio::minimum();
    studio::add_foto(&mut e, 0, Zona::Other, Momento::Before, (200, 150));
    studio::add_foto(&mut e, 1, Zona::Other, Momento::Before, (200, 150));
    studio::add_foto(&mut e, 2, Zona::Other, Momento::After, (200, 150));
    let ids: Vec<FotoId> = e.document.fotos.iter().map(|f| f.id).collect();
    e.fotos.insert(ids[0], Foto::Image { jpeg: Bytes::from_static(b"\xff\xd8nada"), width: 1, height: 1 });
    e.fotos.remove(&ids[1]);
    e.fotos.insert(ids[2], Foto::Gap("#panic() El formato no se conoce.".into()));
    e.logo = Some(Bytes::from_static(b"GIF89a"));
    e.page_url = Some("x".repeat(9_000));
    let done = Renderer::new().render(&e, None).expect("a quote");
    assert_eq!(done.norma, Norma::Pdfa2aUa1, "{:?}", done.notices);
    assert!(done.notices.iter().any(|a| a.contains("logo")), "{:?}", done.notices);
    assert_eq!(Pdf::read(&done.pdf).alternatives().len(), 0);
    let text = printed(&done.pdf);
    assert!(!text.contains("no disponible") && !text.contains("no se conoce"), "{text}");
    assert!(!text.contains("generada por IA") && !text.contains("Antes"), "nothing is left to show: {text}");
}
