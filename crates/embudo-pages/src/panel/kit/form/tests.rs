use super::*;
use crate::parts::read_fields;
use http::StatusCode;

#[derive(Debug, Clone, PartialEq)]
struct Shop {
    is_open: bool,
    hours: u16,
    rest: Option<u16>,
    name: String,
    key: String,
}

const FORM: Form<Shop> = Form {
    action: "/tienda",
    button: "Guardar",
    groups: &[
        Group::new(
            "",
            "",
            &[
                tick!("abierta", "Abierta", Shop.is_open).hint("De lunes a viernes."),
                whole!("horas", "Horas", Shop.hours, 1..=24, "De {min} a {max} horas."),
            ],
        ),
        Group::new(
            "Lo demás",
            "",
            &[
                whole!("descanso", "Descanso", Shop.rest, 1..=60, "De {min} a {max} minutos."),
                text!("nombre", "Nombre", Kind::Line("text"), Shop.name, named),
                text!("clave", "Clave", Kind::Secret("url"), Shop.key, any)
                    .shown_as(|_, _| "una clave".to_owned()),
            ],
        ),
    ],
    rules: |shop, form| {
        if shop.is_open && shop.hours == 1 {
            form.add("horas", "Una hora es poco.");
        }
    },
};

fn named(typed: &str) -> Result<String, Wrong> {
    if typed.is_empty() { Err("Falta el nombre.".into()) } else { Ok(typed.to_owned()) }
}

fn any(typed: &str) -> Result<String, Wrong> {
    Ok(typed.to_owned())
}

fn shop() -> Shop {
    Shop { is_open: true, hours: 8, rest: None, name: "Peña".to_owned(), key: "geheim".to_owned() }
}

/// What a browser sends: the fields `typed`, and the version of the form, which was loaded when the shop was `shown`.
fn sent(shown: &Shop, typed: &str) -> FormFields {
    read_fields(format!("version={}&{typed}", FORM.version(shown)).as_bytes())
}

#[test]
fn what_is_typed_is_read_and_what_is_not_sent_stays() {
    let edited = FORM.read(&sent(&shop(), "abierta=no&horas=9&descanso=15"), &shop());
    let good = Shop { is_open: false, hours: 9, rest: Some(15), ..shop() };
    assert_eq!(edited.expect("all is well"), good);
    let emptied = FORM.read(&sent(&good, "descanso="), &good).expect("it may be empty");
    assert_eq!(emptied.rest, None);
}

#[test]
fn all_mistakes_come_at_once_and_beside_their_fields() {
    let returned = FORM.read(&sent(&shop(), "horas=25&descanso=x&nombre="), &shop()).expect_err("wrong");
    assert_eq!(returned.status, StatusCode::UNPROCESSABLE_ENTITY);
    let mistakes: Vec<_> = ["horas", "descanso", "nombre"].map(|name| returned.form.of(name)).into();
    assert_eq!(mistakes, [Some("De 1 a 24 horas."), Some("De 1 a 60 minutos."), Some("Falta el nombre.")]);
    assert_eq!(returned.form.summary().as_deref(), Some("Revisa 3 cosas:"));
    let page = FORM.view(&shop(), &returned).to_string();
    for drawn in [
        r#"value="25" inputmode="numeric""#,
        r#"aria-describedby="horas-error" aria-invalid="true""#,
        r#"id="horas-error""#,
    ] {
        assert!(page.contains(drawn), "{drawn} in {page}");
    }
    assert!(!page.contains("abierta-error"), "{page}");
}

#[test]
fn rules_of_several_fields_are_looked_at_too() {
    let returned = FORM.read(&sent(&shop(), "horas=1"), &shop()).expect_err("too few");
    assert_eq!(returned.form.of("horas"), Some("Una hora es poco."));
    assert!(FORM.read(&sent(&shop(), "horas=1&abierta=no"), &shop()).is_ok());
}

#[test]
fn what_only_another_changed_is_taken_over() {
    let now = Shop { name: "Sol".to_owned(), ..shop() };
    let edited = FORM.read(&sent(&shop(), "horas=9&nombre=Pe%C3%B1a"), &now).expect("no quarrel");
    assert_eq!(edited, Shop { hours: 9, ..now.clone() });
    let both_the_same = FORM.read(&sent(&shop(), "nombre=Sol"), &now).expect("two who want the same");
    assert_eq!(both_the_same, now);
}

#[test]
fn what_both_changed_is_shown_and_nothing_is_overwritten() {
    let now = Shop { hours: 10, ..shop() };
    let returned = FORM.read(&sent(&shop(), "horas=9&nombre=Sol"), &now).expect_err("a quarrel");
    assert_eq!((returned.status, returned.conflicts.as_slice()), (StatusCode::CONFLICT, &["horas"][..]));
    assert_eq!(returned.form.of(""), Some(STALE));
    let page = FORM.view(&now, &returned).to_string();
    assert!(page.contains("<strong>Ahora pone</strong> <bdi>10</bdi>"), "{page}");
    assert!(page.contains("<strong>Tú escribiste</strong> <bdi>9</bdi>"), "{page}");
    assert!(page.contains("value=\"Sol\""), "what was typed elsewhere is kept: {page}");
    // A person who has seen both versions decides.
    assert_eq!(FORM.read(&sent(&now, "horas=9"), &now).expect("decided").hours, 9);
}

#[test]
fn a_value_that_is_older_than_its_rule_may_stay() {
    let old = Shop { hours: 99, ..shop() };
    assert!(FORM.read(&sent(&old, "horas=99&nombre=Sol"), &old).is_ok());
}

#[test]
fn the_log_is_told_both_sides_of_what_changed_and_no_secret() {
    let after = Shop { is_open: false, rest: Some(15), key: "otra".to_owned(), ..shop() };
    let (before, after) = FORM.audit_text(&shop(), &after);
    assert_eq!(before, "Abierta: Sí; Lo demás, Descanso: (vacío); Lo demás, Clave: una clave");
    assert_eq!(after, "Abierta: No; Lo demás, Descanso: 15; Lo demás, Clave: una clave");
    assert_eq!(FORM.audit_text(&shop(), &shop()), (String::new(), String::new()));
    let long = Shop { name: "ñ".repeat(1_000), ..shop() };
    assert!(FORM.audit_text(&shop(), &long).1.chars().count() < 300);
}

#[test]
fn a_secret_is_never_shown_again() {
    let page = FORM.view(&shop(), &Returned::default()).to_string();
    assert!(!page.contains("geheim") && page.contains("name=\"clave\""), "{page}");
    let returned = FORM.read(&sent(&shop(), "horas=x"), &shop()).expect_err("wrong");
    assert!(!FORM.view(&shop(), &returned).to_string().contains("geheim"));
}

#[test]
fn a_ticked_box_says_its_hint_and_what_people_type_stays_text() {
    let evil = Shop { name: "\"><script>".to_owned(), ..shop() };
    let page = FORM.view(&evil, &Returned::default()).to_string();
    assert!(page.contains("value=\"si\" checked") && page.contains("De lunes a viernes."), "{page}");
    assert!(!page.contains("<script>"), "{page}");
}
