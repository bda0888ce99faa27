//! The rules that ship, condition by condition, and files with mistakes.

use jiff::civil::date;

use super::*;

const BASE: Cents = Cents(1_000_000);
const TODAY: Date = date(2026, 11, 14);

fn provincia(text: &str) -> Option<Provincia> {
    Some(Provincia::parse(text).expect("a province"))
}

/// A job without surcharges.
fn totals(base: Cents, material: i64) -> Totals {
    Totals { base, partidas: base, material: Cents(material) }
}

fn with(material: i64, condiciones: Condiciones) -> Impuesto {
    Impuestos::por_defecto()
        .over(totals(BASE, material), provincia("Madrid"), condiciones, TODAY)
        .expect("fits")
}

fn declared() -> Condiciones {
    let yes = Answer::Declared;
    Condiciones { vivienda: yes, contratante: Some(Contratante::Particular), two_years: yes }
}

#[test]
fn declared_conditions_give_the_reduced_rate() {
    let iva = with(300_000, declared());
    assert_eq!((iva.nombre.as_str(), iva.percentage), ("IVA", Percentage(1000)));
    assert_eq!((iva.base, iva.quota, iva.total), (BASE, Cents(100_000), Cents(1_100_000)));
    assert_eq!((iva.rule.as_str(), iva.vigente_desde), ("iva-reducido-vivienda", date(2012, 9, 1)));
    assert!(iva.assumptions.is_empty() && iva.reasons.is_empty());
    assert!(iva.declaracion.is_some_and(|d| d.starts_with("Declaro que")) && !iva.pending_declaration);
}

#[test]
fn unknown_conditions_are_supposed_and_said() {
    let iva = with(300_000, Condiciones { vivienda: Answer::Declared, ..Condiciones::default() });
    assert_eq!(iva.percentage, Percentage(1000));
    let names: Vec<&str> = iva.assumptions.iter().map(|s| s.datum.as_str()).collect();
    assert_eq!(names, ["particular", "dos_anos"]);
    assert!(iva.assumptions[1].text.contains("hace al menos dos años"));
    assert!(iva.pending_declaration);
}

#[test]
fn one_denied_condition_gives_the_general_rate() {
    for (condiciones, reason) in [
        (Condiciones { vivienda: Answer::Denied, ..declared() }, "no se hace en una vivienda"),
        (
            Condiciones { contratante: Some(Contratante::Empresa), ..declared() },
            "No la contrata un particular",
        ),
        (Condiciones { two_years: Answer::Denied, ..declared() }, "hace menos de dos años"),
    ] {
        let iva = with(300_000, condiciones);
        assert_eq!((iva.percentage, iva.quota), (Percentage(2100), Cents(210_000)));
        assert!(iva.reasons.len() == 1 && iva.reasons[0].contains(reason), "{:?}", iva.reasons);
        assert!(iva.declaracion.is_none() && !iva.pending_declaration && iva.assumptions.is_empty());
    }
}

#[test]
fn business_premises_never_have_the_reduced_rate() {
    let local = Condiciones { vivienda: Answer::Denied, ..Condiciones::default() };
    for contratante in
        [None, Some(Contratante::Particular), Some(Contratante::Comunidad), Some(Contratante::Empresa)]
    {
        for two_years in [Answer::Declared, Answer::Denied, Answer::Unknown] {
            let iva = with(0, Condiciones { contratante, two_years, ..local });
            assert_eq!(iva.percentage, Percentage(2100));
            assert!(iva.reasons[0].contains("no se hace en una vivienda"), "{:?}", iva.reasons);
        }
    }
}

#[test]
fn who_hires_decides_as_the_law_says() {
    for (contratante, percentage) in
        [(Contratante::Particular, 1000), (Contratante::Comunidad, 1000), (Contratante::Empresa, 2100)]
    {
        let iva = with(0, Condiciones { contratante: Some(contratante), ..declared() });
        assert_eq!(iva.percentage, Percentage(percentage), "{contratante}");
    }
    let json = r#"{"vivienda":"negada","contratante":"comunidad","algoNuevo":1}"#;
    let read: Condiciones = serde_json::from_str(json).expect("reads");
    let expected = Condiciones {
        vivienda: Answer::Denied,
        contratante: Some(Contratante::Comunidad),
        two_years: Answer::Unknown,
    };
    assert_eq!(read, expected);
}

#[test]
fn materials_up_to_40_per_cent_exactly() {
    assert_eq!(with(400_000, declared()).percentage, Percentage(1000));
    let iva = with(400_001, declared());
    assert_eq!((iva.percentage, iva.materiales), (Percentage(2100), Percentage(4000)));
    let iva = with(463_400, Condiciones::default());
    assert_eq!(
        iva.reasons[0].replace('\u{a0}', " "),
        "Los materiales suponen el 46,34 % de la base, más del 40 % que admite el tipo reducido."
    );
}

#[test]
fn the_limit_is_measured_on_the_items() {
    // A discount takes a tenth of labour and materials alike: 36 of 90 and 40 of 100 are the same share.
    let reduced = Totals { base: Cents(900_000), partidas: BASE, material: Cents(400_000) };
    let impuestos = Impuestos::por_defecto();
    let iva = impuestos.over(reduced, provincia("Madrid"), declared(), TODAY).expect("fits");
    assert_eq!(
        (iva.percentage, iva.materiales, iva.total),
        (Percentage(1000), Percentage(4000), Cents(990_000))
    );
    let pass = Totals { material: Cents(460_000), ..reduced };
    let iva = impuestos.over(pass, provincia("Madrid"), declared(), TODAY).expect("fits");
    // Of 10,000 € in items, 1,000 € of materials are too much: without them 3,600 of 9,000 € are materials. In the
    // discounted price these materials are 900 €.
    assert_eq!(
        iva.reasons[1].replace('\u{a0}', " "),
        "El IVA del 10 % sería posible si compraras tú materiales de los que ponemos por al menos 900 €, a nuestro precio de coste."
    );
}

#[test]
fn the_shipped_table_keeps_away_from_the_limit_and_others_are_warned_of() {
    let impuestos = Impuestos::por_defecto();
    let mut tarifa = Tarifa::por_defecto();
    assert_eq!(impuestos.near_limit(&tarifa), []);
    let countertop = tarifa.partidas.iter_mut().find(|p| p.key == "encimera-cocina").expect("an item");
    countertop.precios[2].as_mut().expect("a price").material = Percentage(9_000);
    let [near] = impuestos.near_limit(&tarifa)[..] else { panic!("one kind of job") };
    assert_eq!((near.kind, near.calidad), (crate::Zona::Cocina, crate::perfil::Calidad::Premium));
    assert!(near.materiales > Percentage(4_000), "{near:?}");
}

#[test]
fn each_territory_has_its_tax() {
    let impuestos = Impuestos::por_defecto();
    for (place, nombre, percentage) in [
        ("Illes Balears", "IVA", 1000),
        ("Navarra", "IVA", 1000),
        ("Tenerife", "IGIC", 700),
        ("Las Palmas", "IGIC", 700),
        ("Ceuta", "IPSI", 400),
        ("Melilla", "IPSI", 400),
    ] {
        let i =
            impuestos.over(totals(BASE, 0), provincia(place), Condiciones::default(), TODAY).expect("fits");
        assert_eq!((i.nombre.as_str(), i.percentage), (nombre, Percentage(percentage)), "{place}");
        let unconfirmed = i.assumptions.iter().any(|s| s.datum == "impuesto");
        assert_eq!(unconfirmed, nombre == "IPSI", "{place}");
    }
    let without_place = impuestos.over(totals(BASE, 0), None, declared(), TODAY).expect("fits");
    assert_eq!(
        (without_place.nombre.as_str(), without_place.assumptions[0].datum.as_str()),
        ("IVA", "provincia")
    );
}

#[test]
fn the_day_decides_the_rule() {
    let changed = DEFAULT_TEXT.replacen(
        "porcentaje = 10.00\nvigente_desde = 2012-09-01",
        "porcentaje = 10.00\nvigente_desde = 2012-09-01\nvigente_hasta = 2026-12-31",
        1,
    );
    let impuestos = Impuestos::parse(&changed).expect("still right");
    let the =
        |day| impuestos.over(totals(BASE, 0), provincia("Madrid"), declared(), day).expect("fits").percentage;
    assert_eq!([the(date(2026, 12, 31)), the(date(2027, 1, 1))], [Percentage(1000), Percentage(2100)]);
    assert_eq!(the(date(1999, 1, 1)), Percentage(2100), "before any rule: the general one");
}

#[test]
fn tax_is_rounded_half_up() {
    let i = Impuestos::por_defecto()
        .over(totals(Cents(105), 0), provincia("Madrid"), declared(), TODAY)
        .expect("fits");
    assert_eq!((i.quota, i.total), (Cents(11), Cents(116)));
    let range = Range { minimum: Cents::euros(1000), maximum: Cents::euros(2000) };
    let with_iva = i.in_range(range).expect("fits");
    assert_eq!((with_iva.minimum, with_iva.maximum), (Cents::euros(1100), Cents::euros(2200)));
    let huge = Impuestos::por_defecto().over(totals(Cents(i64::MAX), 0), None, declared(), TODAY);
    assert_eq!(huge, None, "refused rather than wrapped");
}

#[test]
fn a_file_with_mistakes_lists_them_all() {
    let bad = Impuestos::parse(
        "formato = 1\nrevisado = 2026-02-30\n[[regla]]\nclave = \"x\"\nterritorio = \"marte\"\nporcentaje = 120\n",
    )
    .expect_err("mistakes");
    let text = bad.to_string();
    for expected in [
        "version: Falta este campo.",
        "regla[0].territorio: Debe ser una de: peninsula_baleares, canarias, ceuta, melilla.",
        "regla[0].porcentaje: Debe ser un número entre 0 y 100",
        "La condición «vivienda» debe estar una vez.",
        "Falta la regla general, sin condiciones ni fin, de «canarias».",
    ] {
        assert!(text.contains(expected), "{expected} missing in\n{text}");
    }
}

#[test]
fn a_rule_after_a_general_one_that_hides_it_is_refused() {
    let blocks: Vec<&str> = DEFAULT_TEXT.split("[[regla]]").collect();
    let swapped = [blocks[0], blocks[2], blocks[1], blocks[3], blocks[4], blocks[5]].join("[[regla]]");
    let wrong = Impuestos::parse(&swapped).expect_err("the reduced rate would never apply").to_string();
    let expected = "La regla «iva-reducido-vivienda» va después de la general «iva-general», que se aplica antes mientras está en vigor.";
    assert!(wrong.contains(expected), "{wrong}");
    // A general rule that ends before the next ones begin hides nothing.
    let former = blocks[2]
        .replace("iva-general", "iva-general-antiguo")
        .replace("vigente_desde = 2012-09-01", "vigente_desde = 2010-07-01\nvigente_hasta = 2012-08-31");
    let whole = [&blocks[..1], &[former.as_str()], &blocks[1..]].concat().join("[[regla]]");
    Impuestos::parse(&whole).expect("still right");
}
