//! Operators' own templates: good, broken, endless, huge, curious.

use std::time::Duration;

use embudo_quote::{Dibujante, Hecho, Hijo, Limites, Plantilla, PlantillaUsada};

use crate::leer::impreso;
use crate::taller;

fn dibujar(typ: &str, limites: Limites) -> Hecho {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("presupuesto.typ"), typ).expect("written");
    std::fs::write(dir.path().join("lema.txt"), "Reformamos con cariño").expect("written");
    let plantilla = Plantilla::leer(dir.path()).expect("a template");
    let hijo = Hijo::new(env!("CARGO_BIN_EXE_embudo-quote-hijo"), Vec::<String>::new(), limites);
    let dibujante = Dibujante::new().con_hijo(hijo);
    dibujante.dibujar(&taller::minimo(), Some(&plantilla)).expect("a quote, whoever drew it")
}

/// Ours was drawn instead, and the reason is told.
fn falla(typ: &str, limites: Limites, motivo: &str) {
    let hecho = dibujar(typ, limites);
    assert_eq!(hecho.plantilla, PlantillaUsada::NuestraPorFallo);
    let primero = &hecho.avisos[0];
    assert!(
        primero.starts_with("La plantilla propia no se ha usado: ") && primero.contains(motivo),
        "{primero}"
    );
    assert!(hecho.pdf.starts_with(b"%PDF-"));
}

#[test]
fn an_own_template_draws_with_the_same_data() {
    let hecho = dibujar(
        "#let d = json(\"/embudo/datos.json\")\n#set document(title: d.titulo)\n#set text(lang: \"es\")\n\
         = Oferta #d.numero\n#d.cliente.nombre: #d.precio.total. #read(\"lema.txt\")",
        Limites::default(),
    );
    assert_eq!(hecho.plantilla, PlantillaUsada::Propia, "{:?}", hecho.avisos);
    let texto = impreso(&hecho.pdf);
    assert!(texto.contains("Oferta 2026-0001") && texto.contains("Lucía Gómez Ibáñez: 4.837,60"), "{texto}");
    assert!(texto.contains("Reformamos con cariño"));
}

#[test]
fn a_broken_one_says_where() {
    falla(
        "= Hola\n\n#no_existe",
        Limites::default(),
        "presupuesto.typ, línea 3: unknown variable: no_existe",
    );
}

#[test]
fn it_sees_nothing_but_its_folder() {
    falla("#read(\"/etc/passwd\")", Limites::default(), "línea 1: file not found");
    falla("#read(\"../../../etc/passwd\")", Limites::default(), "línea 1: ");
    falla("#import \"@preview/cetz:0.3.0\"", Limites::default(), "línea 1: ");
}

#[test]
fn an_endless_one_is_ended() {
    let limites = Limites { tiempo: Duration::from_millis(1_500), ..Limites::default() };
    falla("#for i in range(1000000) { for j in range(1000000) { } }", limites, "ha tardado más de 1.5 s");
}

#[test]
fn a_huge_one_gets_no_memory() {
    falla("#range(2000000000).len()", Limites::default(), "necesita más de 1024 MiB de memoria");
}

#[test]
fn without_a_child_ours_is_used() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("mia.typ"), "= Hola").expect("written");
    let plantilla = Plantilla::leer(&dir.path().join("mia.typ")).expect("a template");
    let hijo = Hijo::new("/no/existe", Vec::<String>::new(), Limites::default());
    let hecho =
        Dibujante::new().con_hijo(hijo).dibujar(&taller::minimo(), Some(&plantilla)).expect("a quote");
    assert_eq!(hecho.plantilla, PlantillaUsada::NuestraPorFallo);
    assert!(hecho.avisos[0].contains("no se puede arrancar su proceso"), "{:?}", hecho.avisos);
}
