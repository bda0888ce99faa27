//! The rules that ship, condition by condition, and files with mistakes.

use jiff::civil::date;

use super::*;

const BASE: Cents = Cents(1_000_000);
const HOY: Date = date(2026, 11, 14);

fn provincia(texto: &str) -> Option<Provincia> {
    Some(Provincia::parse(texto).expect("a province"))
}

/// A job without surcharges.
fn suma(base: Cents, material: i64) -> Suma {
    Suma { base, partidas: base, material: Cents(material) }
}

fn con(material: i64, condiciones: Condiciones) -> Impuesto {
    Impuestos::por_defecto().sobre(suma(BASE, material), provincia("Madrid"), condiciones, HOY).expect("fits")
}

fn declaradas() -> Condiciones {
    let si = Respuesta::Declarada;
    Condiciones { vivienda: si, particular: si, dos_anos: si }
}

#[test]
fn declared_conditions_give_the_reduced_rate() {
    let iva = con(300_000, declaradas());
    assert_eq!((iva.nombre.as_str(), iva.porcentaje), ("IVA", Porcentaje(1000)));
    assert_eq!((iva.base, iva.cuota, iva.total), (BASE, Cents(100_000), Cents(1_100_000)));
    assert_eq!((iva.regla.as_str(), iva.vigente_desde), ("iva-reducido-vivienda", date(2012, 9, 1)));
    assert!(iva.supuestos.is_empty() && iva.motivos.is_empty());
    assert!(iva.declaracion.is_some_and(|d| d.starts_with("Declaro que")) && !iva.declaracion_pendiente);
}

#[test]
fn unknown_conditions_are_supposed_and_said() {
    let iva = con(300_000, Condiciones { vivienda: Respuesta::Declarada, ..Condiciones::default() });
    assert_eq!(iva.porcentaje, Porcentaje(1000));
    let nombres: Vec<&str> = iva.supuestos.iter().map(|s| s.dato.as_str()).collect();
    assert_eq!(nombres, ["particular", "dos_anos"]);
    assert!(iva.supuestos[1].texto.contains("hace al menos dos años"));
    assert!(iva.declaracion_pendiente);
}

#[test]
fn one_denied_condition_gives_the_general_rate() {
    for (condiciones, motivo) in [
        (Condiciones { vivienda: Respuesta::Negada, ..declaradas() }, "no se hace en una vivienda"),
        (Condiciones { particular: Respuesta::Negada, ..declaradas() }, "No la contrata un particular"),
        (Condiciones { dos_anos: Respuesta::Negada, ..declaradas() }, "hace menos de dos años"),
    ] {
        let iva = con(300_000, condiciones);
        assert_eq!((iva.porcentaje, iva.cuota), (Porcentaje(2100), Cents(210_000)));
        assert!(iva.motivos.len() == 1 && iva.motivos[0].contains(motivo), "{:?}", iva.motivos);
        assert!(iva.declaracion.is_none() && !iva.declaracion_pendiente && iva.supuestos.is_empty());
    }
}

#[test]
fn materials_up_to_40_per_cent_exactly() {
    assert_eq!(con(400_000, declaradas()).porcentaje, Porcentaje(1000));
    let iva = con(400_001, declaradas());
    assert_eq!((iva.porcentaje, iva.materiales), (Porcentaje(2100), Porcentaje(4000)));
    let iva = con(463_400, Condiciones::default());
    assert_eq!(
        iva.motivos[0].replace('\u{a0}', " "),
        "Los materiales suponen el 46,34 % de la base, más del 40 % que admite el tipo reducido."
    );
}

#[test]
fn the_limit_is_measured_on_the_items() {
    // A discount takes a tenth of labour and materials alike: 36 of 90 and 40 of 100 are the same share.
    let rebajada = Suma { base: Cents(900_000), partidas: BASE, material: Cents(400_000) };
    let impuestos = Impuestos::por_defecto();
    let iva = impuestos.sobre(rebajada, provincia("Madrid"), declaradas(), HOY).expect("fits");
    assert_eq!(
        (iva.porcentaje, iva.materiales, iva.total),
        (Porcentaje(1000), Porcentaje(4000), Cents(990_000))
    );
    let pasada = Suma { material: Cents(460_000), ..rebajada };
    let iva = impuestos.sobre(pasada, provincia("Madrid"), declaradas(), HOY).expect("fits");
    // Of 10,000 € in items 1,000 € are too much: without them 3,600 of 9,000 are materials. Of the discounted price that is 900 €.
    assert_eq!(
        iva.motivos[1].replace('\u{a0}', " "),
        "El IVA del 10 % sería posible si compraras tú materiales de los que ponemos por al menos 900 €, a nuestro precio de coste."
    );
}

#[test]
fn the_shipped_table_keeps_away_from_the_limit_and_others_are_warned_of() {
    let impuestos = Impuestos::por_defecto();
    let mut tarifa = Tarifa::por_defecto();
    assert_eq!(impuestos.near_limit(&tarifa), []);
    let encimera = tarifa.partidas.iter_mut().find(|p| p.clave == "encimera-cocina").expect("an item");
    encimera.precios[2].as_mut().expect("a price").material = Porcentaje(9_000);
    let [cerca] = impuestos.near_limit(&tarifa)[..] else { panic!("one kind of job") };
    assert_eq!((cerca.tipo, cerca.calidad), (crate::Zona::Cocina, crate::perfil::Calidad::Premium));
    assert!(cerca.materiales > Porcentaje(4_000), "{cerca:?}");
}

#[test]
fn each_territory_has_its_tax() {
    let impuestos = Impuestos::por_defecto();
    for (lugar, nombre, porcentaje) in [
        ("Illes Balears", "IVA", 1000),
        ("Navarra", "IVA", 1000),
        ("Tenerife", "IGIC", 700),
        ("Las Palmas", "IGIC", 700),
        ("Ceuta", "IPSI", 400),
        ("Melilla", "IPSI", 400),
    ] {
        let i = impuestos.sobre(suma(BASE, 0), provincia(lugar), Condiciones::default(), HOY).expect("fits");
        assert_eq!((i.nombre.as_str(), i.porcentaje), (nombre, Porcentaje(porcentaje)), "{lugar}");
        let por_confirmar = i.supuestos.iter().any(|s| s.dato == "impuesto");
        assert_eq!(por_confirmar, nombre == "IPSI", "{lugar}");
    }
    let sin_lugar = impuestos.sobre(suma(BASE, 0), None, declaradas(), HOY).expect("fits");
    assert_eq!((sin_lugar.nombre.as_str(), sin_lugar.supuestos[0].dato.as_str()), ("IVA", "provincia"));
}

#[test]
fn the_day_decides_the_rule() {
    let cambiado = TEXTO_POR_DEFECTO.replacen(
        "porcentaje = 10.00\nvigente_desde = 2012-09-01",
        "porcentaje = 10.00\nvigente_desde = 2012-09-01\nvigente_hasta = 2026-12-31",
        1,
    );
    let impuestos = Impuestos::parse(&cambiado).expect("still right");
    let el = |dia| {
        impuestos.sobre(suma(BASE, 0), provincia("Madrid"), declaradas(), dia).expect("fits").porcentaje
    };
    assert_eq!([el(date(2026, 12, 31)), el(date(2027, 1, 1))], [Porcentaje(1000), Porcentaje(2100)]);
    assert_eq!(el(date(1999, 1, 1)), Porcentaje(2100), "before any rule: the general one");
}

#[test]
fn tax_is_rounded_half_up() {
    let i = Impuestos::por_defecto()
        .sobre(suma(Cents(105), 0), provincia("Madrid"), declaradas(), HOY)
        .expect("fits");
    assert_eq!((i.cuota, i.total), (Cents(11), Cents(116)));
    let rango = Rango { minimo: Cents::euros(1000), maximo: Cents::euros(2000) };
    let con_iva = i.en_rango(rango).expect("fits");
    assert_eq!((con_iva.minimo, con_iva.maximo), (Cents::euros(1100), Cents::euros(2200)));
    let enorme = Impuestos::por_defecto().sobre(suma(Cents(i64::MAX), 0), None, declaradas(), HOY);
    assert_eq!(enorme, None, "refused rather than wrapped");
}

#[test]
fn a_file_with_mistakes_lists_them_all() {
    let malo = Impuestos::parse(
        "formato = 1\nrevisado = 2026-02-30\n[[regla]]\nclave = \"x\"\nterritorio = \"marte\"\nporcentaje = 120\n",
    )
    .expect_err("mistakes");
    let texto = malo.to_string();
    for esperado in [
        "version: Falta este campo.",
        "regla[0].territorio: Debe ser una de: peninsula_baleares, canarias, ceuta, melilla.",
        "regla[0].porcentaje: Debe ser un número entre 0 y 100",
        "La condición «vivienda» debe estar una vez.",
        "Falta la regla general, sin condiciones ni fin, de «canarias».",
    ] {
        assert!(texto.contains(esperado), "{esperado} missing in\n{texto}");
    }
}
