//! The samples, as a client and a screen reader get them.

use embudo_quote::{Dibujante, Hecho, Norma, PlantillaUsada};

use crate::leer::{Pdf, impreso, overprinted};
use crate::taller;

fn dibujar(encargo: &embudo_quote::Encargo) -> Hecho {
    Dibujante::new().dibujar(encargo, None).expect("a quote")
}

#[test]
fn a_bare_lead_gets_two_good_pages_and_always_the_same_bytes() {
    let encargo = taller::minimo();
    let hecho = dibujar(&encargo);
    assert_eq!((hecho.norma, hecho.plantilla), (Norma::Pdfa2aUa1, PlantillaUsada::Nuestra));
    assert!(hecho.avisos.is_empty(), "{:?}", hecho.avisos);
    let pdf = Pdf::leer(&hecho.pdf);
    assert_eq!(pdf.paginas(), 2);
    let texto = impreso(&hecho.pdf);
    for esperado in [
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
        assert!(texto.contains(esperado), "{esperado} missing in\n{texto}");
    }
    let otra_vez = dibujar(&encargo.clone());
    assert!(hecho.pdf == otra_vez.pdf, "another drawing gives other bytes");
}

#[test]
fn nothing_is_printed_over_anything_else() {
    for encargo in [taller::minimo(), taller::bano(), taller::cocina(), taller::integral(), taller::hostil()]
    {
        let pdf = dibujar(&encargo).pdf;
        assert!(impreso(&pdf).len() > 1_000, "there is something to look at");
        assert_eq!(overprinted(&pdf), []);
    }
}

#[test]
fn a_bathroom_is_tagged_titled_and_described() {
    let hecho = dibujar(&taller::bano());
    assert_eq!(hecho.norma, Norma::Pdfa2aUa1);
    assert!(hecho.avisos.is_empty(), "{:?}", hecho.avisos);
    let pdf = Pdf::leer(&hecho.pdf);
    assert_eq!(pdf.paginas(), 3);
    let catalogo = pdf.catalogo();
    assert_eq!(catalogo["/Lang"], "u:es-ES");
    assert_eq!(catalogo["/MarkInfo"]["/Marked"], true);
    assert_eq!(catalogo["/ViewerPreferences"]["/DisplayDocTitle"], true);
    assert_eq!(pdf.ficha("/Title"), "Presupuesto 2026-0042: reforma de baño");
    assert_eq!(pdf.ficha("/Author"), "Reformas Ñandú");
    assert!(pdf.ficha("/Keywords").contains("Imagen generada por IA"));
    let mut alternativos = pdf.alternativos();
    alternativos.sort();
    assert_eq!(
        alternativos,
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
    assert_eq!(pdf.etiquetas("/Title").len(), 1);
    assert!(pdf.etiquetas("/H1").len() == 2 && pdf.etiquetas("/H2").len() >= 5);
    assert!(pdf.etiquetas("/Table").len() == 2 && pdf.etiquetas("/TH").len() >= 15);
    let texto = impreso(&hecho.pdf);
    assert_eq!(texto.matches("Imagen generada por IA").count(), 3);
    assert!(texto.contains("8.436,00") && texto.contains("IVA (10"), "{texto}");
}

#[test]
fn a_denied_rate_is_explained() {
    let hecho = dibujar(&taller::cocina());
    assert_eq!(hecho.norma, Norma::Pdfa2aUa1, "{:?}", hecho.avisos);
    let texto = impreso(&hecho.pdf);
    assert!(texto.contains("IVA (21") && texto.contains("Por qué no el tipo reducido"), "{texto}");
    assert!(!texto.contains("Declaración para el tipo reducido"));
}

#[test]
fn a_whole_flat_with_forty_photos_keeps_its_shape() {
    let encargo = taller::integral();
    let hecho = dibujar(&encargo);
    assert_eq!(hecho.norma, Norma::Pdfa2aUa1, "{:?}", hecho.avisos);
    let pdf = Pdf::leer(&hecho.pdf);
    assert!((8..=11).contains(&pdf.paginas()), "{}", pdf.paginas());
    let huecos = encargo.fotos.values().filter(|f| matches!(f, embudo_quote::Foto::Hueco(_))).count();
    // All photos but the missing ones, the logo and the code.
    assert_eq!(pdf.alternativos().len(), 40 - huecos + 2);
    let texto = impreso(&hecho.pdf);
    // What cannot be shown is left out without a word.
    assert!(huecos > 0 && !texto.contains("no disponible") && !texto.contains("HEIC"), "{texto}");
    assert!(
        texto.contains("IGIC (7") && texto.contains("Ajustes") && texto.contains("Otras zonas"),
        "{texto}"
    );
    assert!(hecho.pdf.len() < 2_000_000, "{}", hecho.pdf.len());
}
