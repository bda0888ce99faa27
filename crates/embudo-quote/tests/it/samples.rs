//! The sample quotes, as a client and a screen reader see them.

use embudo_quote::{Norma, RenderedPdf, Renderer, UsedTemplate};

use crate::read::{Pdf, overprinted, printed};
use crate::{edited, studio};

fn render(pdf_request: &embudo_quote::PdfRequest) -> RenderedPdf {
    Renderer::new().render(pdf_request, None).expect("a quote")
}

#[test]
fn a_bare_lead_gets_two_good_pages_and_always_the_same_bytes() {
    let pdf_request = studio::minimum();
    let done = render(&pdf_request);
    assert_eq!((done.norma, done.template), (Norma::Pdfa2aUa1, UsedTemplate::Ours));
    assert!(done.notices.is_empty(), "{:?}", done.notices);
    let pdf = Pdf::read(&done.pdf);
    assert_eq!(pdf.pages(), 2);
    let text = printed(&done.pdf);
    for expected in [
        "Presupuesto 2026-0001",
        "Lucía Gómez Ibáñez",
        "Hasta el 15 de diciembre de 2026",
        "Es orientativo",
        "Declaración para el tipo reducido",
        "página 2 de 2",
        "NIF B12345674",
        "m²",
        "€",
    ] {
        assert!(text.contains(expected), "{expected} missing in\n{text}");
    }
    let again = render(&pdf_request.clone());
    assert!(done.pdf == again.pdf, "another drawing gives other bytes");
}

#[test]
fn nothing_is_printed_over_anything_else() {
    for pdf_request in [
        studio::minimum(),
        studio::bano(),
        studio::cocina(),
        studio::integral(),
        studio::hostile(),
        edited::rooms(),
        edited::by_hand(),
        edited::accepted(),
    ] {
        let pdf = render(&pdf_request).pdf;
        assert!(printed(&pdf).len() > 1_000, "there is something to look at");
        assert_eq!(overprinted(&pdf), []);
    }
}

#[test]
fn a_bathroom_is_tagged_titled_and_described() {
    let done = render(&studio::bano());
    assert_eq!(done.norma, Norma::Pdfa2aUa1);
    assert!(done.notices.is_empty(), "{:?}", done.notices);
    let pdf = Pdf::read(&done.pdf);
    assert_eq!(pdf.pages(), 3);
    let catalog = pdf.catalog();
    assert_eq!(catalog["/Lang"], "u:es-ES");
    assert_eq!(catalog["/MarkInfo"]["/Marked"], true);
    assert_eq!(catalog["/ViewerPreferences"]["/DisplayDocTitle"], true);
    assert_eq!(pdf.record("/Title"), "Presupuesto 2026-0042: reforma de baño");
    assert_eq!(pdf.record("/Author"), "Reformas Ñandú");
    assert!(pdf.record("/Keywords").contains("Imagen generada por IA"));
    let mut alternatives = pdf.alternatives();
    alternatives.sort();
    assert_eq!(
        alternatives,
        [
            "Baño, antes de la reforma: fotografía 1",
            "Baño, antes de la reforma: fotografía 2",
            "Baño, antes de la reforma: fotografía 3",
            "Baño, después de la reforma: imagen generada por IA 1",
            "Baño, después de la reforma: imagen generada por IA 2",
            "Baño, después de la reforma: imagen generada por IA 3",
            "Código QR que lleva a la página de este presupuesto",
            "Logotipo de Reformas Ñandú",
        ]
    );
    assert_eq!(pdf.labels("/Title").len(), 1);
    assert!(pdf.labels("/H1").len() == 2 && pdf.labels("/H2").len() >= 5);
    assert!(pdf.labels("/Table").len() == 2 && pdf.labels("/TH").len() >= 15);
    let text = printed(&done.pdf);
    assert_eq!(text.matches("Imagen generada por IA").count(), 3);
    assert!(text.contains("8.572,31") && text.contains("IVA (10"), "{text}");
}

#[test]
fn a_denied_rate_is_explained() {
    let done = render(&studio::cocina());
    assert_eq!(done.norma, Norma::Pdfa2aUa1, "{:?}", done.notices);
    let text = printed(&done.pdf);
    assert!(text.contains("IVA (21") && text.contains("Por qué no el tipo reducido"), "{text}");
    assert!(!text.contains("Declaración para el tipo reducido"));
}

#[test]
fn a_whole_flat_with_forty_photos_keeps_its_shape() {
    let pdf_request = studio::integral();
    let done = render(&pdf_request);
    assert_eq!(done.norma, Norma::Pdfa2aUa1, "{:?}", done.notices);
    let pdf = Pdf::read(&done.pdf);
    assert!((8..=11).contains(&pdf.pages()), "{}", pdf.pages());
    let gaps = pdf_request.fotos.values().filter(|f| matches!(f, embudo_quote::Foto::Gap(_))).count();
    // All photos except the missing ones, plus the logo and the QR code.
    assert_eq!(pdf.alternatives().len(), 40 - gaps + 2);
    let text = printed(&done.pdf);
    // Photos that cannot be shown are left out without a remark.
    assert!(gaps > 0 && !text.contains("no disponible") && !text.contains("HEIC"), "{text}");
    assert!(text.contains("IGIC (7") && text.contains("Ajustes") && text.contains("Otras zonas"), "{text}");
    assert!(done.pdf.len() < 2_000_000, "{}", done.pdf.len());
}

/// The text with its lines joined, because a table breaks them.
fn flat(pdf: &[u8]) -> String {
    printed(pdf).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn rooms_options_and_discounts_are_told_to_the_cent() {
    let pdf_request = edited::rooms();
    let done = render(&pdf_request);
    assert_eq!(done.norma, Norma::Pdfa2aUa1, "{:?}", done.notices);
    let (text, d) = (flat(&done.pdf), &pdf_request.document);
    let money = |c: embudo_domain::money::Cents| c.to_string().replace('\u{a0}', " ");
    for room in &d.rooms {
        assert!(text.contains(&room.nombre) && text.contains(&money(room.total)), "{}: {text}", room.nombre);
    }
    for option in &d.options {
        assert!(text.contains(&money(option.line.importe)), "{text}");
        assert!(text.contains(&money(d.option_price(option))), "{text}");
    }
    for due in d.terms.payments_of(d.impuesto.total) {
        assert!(text.contains(&money(due.importe)), "{text}");
    }
    for expected in [
        "Reforma de baño y cocina",
        "Descuento (4 %): las dos estancias a la vez",
        "Descuento del 10 %",
        "Precio vinculante",
        "No están en el total",
        "18 de enero de 2027",
        "cinco semanas",
        "Modelo de formulario de desistimiento",
        &money(d.impuesto.total),
        &money(d.pricing.base),
    ] {
        assert!(text.contains(expected), "{expected} missing in {text}");
    }
    assert!(!text.contains("Forma de pago: 40"), "the plan takes its place");
}

#[test]
fn what_a_person_wrote_is_printed_and_the_form_has_its_page() {
    let done = render(&edited::by_hand());
    assert_eq!(done.norma, Norma::Pdfa2aUa1, "{:?}", done.notices);
    let text = flat(&done.pdf);
    for expected in [
        "Gracias por enseñarnos tu baño",
        "Baño de la planta de arriba",
        "NIF 12345678Z",
        "Sant Vicent",
        "El calentador lo cambiamos otro día",
        "Ya nos lo has declarado",
        "Solicito que la obra comience",
        "Descuento",
        "Acepto el presupuesto",
    ] {
        assert!(text.contains(expected), "{expected} missing in {text}");
    }
    let pages: Vec<String> = printed(&done.pdf).split('\u{c}').map(str::to_owned).collect();
    let form = pages.iter().position(|p| p.contains("Táchese lo que no proceda")).expect("a form");
    assert_eq!(form, pages.len() - 2, "the last page, before the end of the text");
    assert!(!pages[form].contains("Derecho de desistimiento"));
}

#[test]
fn an_orientative_quote_asks_for_a_visit() {
    let text = flat(&render(&studio::minimum()).pdf);
    assert!(text.contains("Siguiente paso") && !text.contains("Acepto el presupuesto"), "{text}");
    let text = flat(&render(&studio::bano()).pdf);
    assert!(text.contains("Acepto el presupuesto") && text.contains("Precio vinculante"), "{text}");
}
