use jiff::civil::date;

use super::*;
use crate::brand::Brand;
use crate::iva::Contratante;
use crate::lead::Lead;
use crate::perfil::{Calidad, Perfil};
use crate::presupuesto::{Base, Terms, tests as fixtures};

const DAY: Date = date(2026, 11, 14);

fn document() -> Document {
    let perfil = Perfil {
        tipo_reforma: Some(crate::Zona::Bano),
        m2_suelo: Some(5.0),
        calidad_global: Some(Calidad::Media),
        ..Perfil::default()
    };
    let lead = Lead { perfil, provincia: Some("Madrid".into()), ..fixtures::lead() };
    Document::compose(&lead, &[], &[], fixtures::base())
}

fn keys(texts: &[LegalText]) -> Vec<&'static str> {
    texts.iter().map(|t| t.key.as_str()).collect()
}

#[test]
fn a_binding_quote_for_a_consumer_says_it_all() {
    let legal = Legal::por_defecto();
    let document = document();
    let texts = legal.texts_for(&document, Condiciones::default(), DAY);
    assert_eq!(keys(&texts), LegalKey::WORDS);
    let all: String = texts.iter().flat_map(|t| t.paragraphs.clone()).collect::<Vec<_>>().join("\n");
    assert!(!all.contains('{'), "everything is filled in: {all}");
    let total = document.impuesto.total.to_string();
    for expected in [total.as_str(), "Ana García", "14 días naturales", "(pendiente de indicar)", "30 días"]
    {
        assert!(all.contains(expected), "{expected} missing in\n{all}");
    }
    assert!(texts.iter().all(|t| t.version == legal.version()));
}

#[test]
fn withdrawal_is_for_consumers_and_an_early_start_for_early_ones() {
    let legal = Legal::por_defecto();
    let empresa = Condiciones { contratante: Some(Contratante::Empresa), ..Condiciones::default() };
    let of_empresa = legal.texts_for(&document(), empresa, DAY);
    assert_eq!(
        keys(&of_empresa),
        &LegalKey::WORDS[..4],
        "no guarantee, complaints or withdrawal of consumers"
    );
    let later = Document { terms: Terms { start: Some(date(2027, 3, 1)), ..Terms::default() }, ..document() };
    let texts = legal.texts_for(&later, Condiciones::default(), DAY);
    assert!(!keys(&texts).contains(&"inicio_anticipado") && keys(&texts).contains(&"formulario"));
    assert!(texts[3].paragraphs[0].contains("1 de marzo de 2027"));
    let orientative = Document { decided: Some(Character::Orientative), ..document() };
    assert!(legal.texts_for(&orientative, Condiciones::default(), DAY).is_empty());
}

#[test]
fn quotes_carry_them_where_they_are_asked_for() {
    let legal = Legal::por_defecto();
    let bare =
        Document::compose(&fixtures::lead(), &[], &[], Base { legal: Some(&legal), ..fixtures::base() });
    assert!(bare.legal.is_empty(), "a range is no contract");
    let json = serde_json::to_string(&bare).expect("writes");
    assert!(!json.contains("legal"), "{json}");
}

#[test]
fn a_company_replaces_one_text_and_keeps_the_others() {
    let own = LegalText {
        key: LegalKey::Garantia,
        title: "Garantía de la casa".into(),
        paragraphs: vec!["Cinco años, {cliente}.".into()],
        version: "2026-11-16".into(),
        with_amounts: None,
    };
    let written = OwnLegal { texts: vec![own.clone()] };
    assert_eq!(written.check(), Ok(()));
    let json = serde_json::to_string(&written).expect("writes");
    assert_eq!(serde_json::from_str::<OwnLegal>(&json).expect("reads"), written);
    let texts = Legal::por_defecto().with_own(&written).texts_for(&document(), Condiciones::default(), DAY);
    assert_eq!(texts[4].paragraphs, ["Cinco años, Ana García."]);
    assert_eq!(texts.len(), LegalKey::WORDS.len());
    let bad = OwnLegal { texts: vec![LegalText { paragraphs: vec!["{precio}".into()], ..own.clone() }, own] };
    let wrong = bad.check().expect_err("twice, and an unknown word");
    let fields: Vec<&str> = wrong.errors.iter().map(|e| e.field.as_str()).collect();
    assert_eq!(fields, ["/textos/0/parrafos/0", "/textos/1/clave"]);
    // A placeholder inside a client's name is not filled in.
    let mut tricky = document();
    tricky.cliente.nombre = "{total}".into();
    assert_eq!(filled("A {cliente}: {nada} {", &tricky), "A {total}: {nada} {");
}

#[test]
fn a_file_with_mistakes_lists_them() {
    let bad = Legal::parse(&DEFAULT_TEXT.replacen("clave = \"pago\"", "clave = \"pagos\"", 1))
        .expect_err("a mistake");
    assert!(bad.to_string().contains("El texto «pago» debe estar una vez."), "{bad}");
    let unknown = DEFAULT_TEXT.replacen("\"{pago}\"", "\"{plazos}\"", 1);
    assert!(Legal::parse(&unknown).expect_err("a mistake").to_string().contains("No se conoce «{plazos}»"));
}

#[test]
fn what_is_typed_prints_with_everything_filled_in() {
    let lead = fixtures::lead();
    let brand = Brand { nif: Some("B12345678".into()), ..Default::default() };
    for text in Legal::por_defecto().texts() {
        let printed = text.sample(&lead.empresa, &brand).join(" ");
        assert!(!printed.contains('{') && !printed.contains('}'), "{printed}");
        let again = LegalText::typed(text.key, &text.title, &text.as_text(), DAY);
        assert_eq!((again.paragraphs, again.version.as_str()), (text.paragraphs.clone(), "2026-11-14"));
    }
    let mut own = OwnLegal::default();
    for (key, words) in
        [(LegalKey::Pago, "Uno."), (LegalKey::Identidad, "{nif}"), (LegalKey::Pago, " Dos.\n \n\n\nTres. ")]
    {
        own.put(LegalText::typed(key, "T", words, DAY));
    }
    assert_eq!(own.check(), Ok(()));
    assert_eq!(own.texts.iter().map(|t| t.key).collect::<Vec<_>>(), [LegalKey::Identidad, LegalKey::Pago]);
    assert_eq!(own.texts[0].sample(&lead.empresa, &brand), ["B12345678"]);
    own.remove(LegalKey::Pago);
    assert_eq!(own.texts.len(), 1);
}

#[test]
fn amounts_are_replaced_once_and_whole() {
    let amounts =
        [("121,00 €", "242,00 €"), ("100,00 €", "121,00 €")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    let text = "Base 100,00 €, total 121,00 €; señal de 1.100,00 €.";
    assert_eq!(replaced(text, &amounts), "Base 121,00 €, total 242,00 €; señal de 1.100,00 €.");
}
