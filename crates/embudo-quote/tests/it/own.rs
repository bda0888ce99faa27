//! Operators' own templates: good, broken, endless, huge, and templates that try to read other files.

use std::time::Duration;

use embudo_quote::{DrawingChild, Limits, Norma, RenderedPdf, Renderer, Template, UsedTemplate};

use crate::read::printed;
use crate::studio;

fn render(typ: &str, limits: Limits) -> RenderedPdf {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("presupuesto.typ"), typ).expect("written");
    std::fs::write(dir.path().join("lema.txt"), "Reformamos con cariño").expect("written");
    let template = Template::read(dir.path()).expect("a template");
    let child = DrawingChild::new(env!("CARGO_BIN_EXE_embudo-quote-child"), Vec::<String>::new());
    let child = child.with_own_limits(limits);
    let renderer = Renderer::new().with_child(child);
    renderer.render(&studio::minimum(), Some(&template)).expect("a quote")
}

/// Checks that our template was used instead, and that the reason is reported.
fn fails(typ: &str, limits: Limits, reason: &str) {
    let done = render(typ, limits);
    assert_eq!(done.template, UsedTemplate::OursAfterFailure);
    let first = &done.notices[0];
    assert!(first.starts_with("La plantilla propia no se ha usado: ") && first.contains(reason), "{first}");
    assert!(done.pdf.starts_with(b"%PDF-"));
}

/// The default limits, with the time that a busy machine needs.
fn patient() -> Limits {
    Limits { time: Duration::from_secs(300), ..Limits::default() }
}

#[test]
fn an_own_template_draws_with_the_same_data() {
    let done = render(
        "#let d = json(\"/embudo/datos.json\")\n#set document(title: d.titulo)\n#set text(lang: \"es\")\n\
         = Oferta #d.numero\n#d.cliente.nombre: #d.precio.total. #read(\"lema.txt\")",
        patient(),
    );
    assert_eq!(done.template, UsedTemplate::Own, "{:?}", done.notices);
    let text = printed(&done.pdf);
    assert!(text.contains("Oferta 2026-0001") && text.contains("Lucía Gómez Ibáñez: 3.950,56"), "{text}");
    assert!(text.contains("Reformamos con cariño"));
}

#[test]
fn one_that_forgets_the_norms_is_still_used() {
    let done = render("= Sin título de documento", patient());
    assert_eq!((done.template, done.norma), (UsedTemplate::Own, Norma::Labelled));
    assert!(done.notices[0].starts_with("El PDF no cumple PDF/A-2a y PDF/UA-1"), "{:?}", done.notices);
}

#[test]
fn a_broken_one_says_where() {
    fails("= Hola\n\n#no_existe", patient(), "presupuesto.typ, línea 3: unknown variable: no_existe");
}

#[test]
fn it_sees_nothing_but_its_folder() {
    fails("#read(\"/etc/passwd\")", patient(), "línea 1: file not found");
    fails("#read(\"../../../etc/passwd\")", patient(), "línea 1: ");
    fails("#import \"@preview/cetz:0.3.0\"", patient(), "línea 1: ");
}

#[test]
fn an_endless_one_is_ended() {
    let limits = Limits { time: Duration::from_millis(1_500), ..Limits::default() };
    fails("#for i in range(1000000) { for j in range(1000000) { } }", limits, "ha tardado más de 1,5 s");
}

#[test]
fn a_huge_one_gets_no_memory() {
    fails("#range(2000000000).len()", patient(), "necesita más de 1024 MiB de memoria");
}

#[test]
fn without_a_child_ours_is_used() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("mia.typ"), "= Hola").expect("written");
    let template = Template::read(&dir.path().join("mia.typ")).expect("a template");
    let done = Renderer::new().render(&studio::minimum(), Some(&template)).expect("a quote");
    assert_eq!(done.template, UsedTemplate::OursAfterFailure);
    assert!(done.notices[0].contains("no puede usar plantillas propias"), "{:?}", done.notices);
}
