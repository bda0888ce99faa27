//! Numbers, states, validity, and when two quotes are the same.

use jiff::civil::date;

use super::*;
use crate::calculo::{DatosReforma, calcular};
use crate::dinero::Cents;
use crate::iva::{Condiciones, Impuestos};
use crate::tarifa::Tarifa;

#[test]
fn numbers_are_written_in_one_way() {
    let uno = NumeroPresupuesto::siguiente(None, 2026).expect("the first");
    assert_eq!(
        (uno.to_string().as_str(), uno.nombre_fichero().as_str()),
        ("2026-0001", "presupuesto-2026-0001.pdf")
    );
    let dos = NumeroPresupuesto::siguiente(Some(uno), 2026).expect("the second");
    assert_eq!(dos.to_string(), "2026-0002");
    assert_eq!(NumeroPresupuesto::siguiente(Some(dos), 2027), NumeroPresupuesto::new(2027, 1));
    let muchos = NumeroPresupuesto::new(2026, 10_000).expect("possible");
    assert_eq!(muchos.to_string(), "2026-10000");
    for n in [uno, dos, muchos] {
        assert_eq!(NumeroPresupuesto::leer(&n.to_string()), Some(n));
        let json = serde_json::to_string(&n).expect("JSON");
        assert_eq!(serde_json::from_str::<NumeroPresupuesto>(&json).expect("the same"), n);
    }
    assert!(uno < dos && dos < muchos);
    for mal in
        ["", "2026", "2026-1", "2026-0000", "026-0001", "2026-00001", "2026-+001", "2026-0001.pdf", "-1-0001"]
    {
        assert_eq!(NumeroPresupuesto::leer(mal), None, "{mal}");
    }
    assert_eq!(NumeroPresupuesto::siguiente(NumeroPresupuesto::new(2026, u32::MAX), 2026), None);
}

#[test]
fn states_move_forward_only() {
    let todos: Vec<EstadoPresupuesto> =
        EstadoPresupuesto::PALABRAS.iter().filter_map(|p| EstadoPresupuesto::desde(p)).collect();
    let permitidos: Vec<String> = todos
        .iter()
        .flat_map(|a| todos.iter().filter(|b| a.puede_pasar_a(**b)).map(move |b| format!("{a}>{b}")))
        .collect();
    assert_eq!(
        permitidos,
        [
            "borrador>enviado",
            "borrador>sustituido",
            "enviado>aceptado",
            "enviado>rechazado",
            "enviado>sustituido",
            "rechazado>aceptado",
            "rechazado>sustituido",
        ]
    );
    for e in todos.iter().filter(|e| e.es_final()) {
        assert!(todos.iter().all(|b| !e.puede_pasar_a(*b)));
    }
}

#[test]
fn a_quote_holds_until_the_last_day() {
    let v = Validez::desde(date(2026, 12, 15), DIAS_VALIDEZ);
    assert_eq!(v.hasta, date(2027, 1, 14));
    assert!(v.vale(v.hasta) && !v.vale(date(2027, 1, 15)));
    assert_eq!(Validez::desde(Date::MAX, 30).hasta, Date::MAX);
}

#[test]
fn equal_content_has_an_equal_mark() {
    let calculo = calcular(&DatosReforma::default(), &Tarifa::por_defecto());
    let impuesto = Impuestos::por_defecto().aplicar(&calculo, Condiciones::default(), date(2026, 11, 14));
    let base = Contenido {
        cliente: [Some("Ana García"), None, None, None],
        empresa: &["Reformas Peña"],
        calculo: &calculo,
        impuesto: &impuesto,
        dias_validez: DIAS_VALIDEZ,
        notas: &[(Some(Zona::Bano), "Sin bidé")],
        fotos: &[],
    };
    assert_eq!(base.huella(), base.clone().huella());
    assert!(base.entrada_huella().starts_with(b"embudo/presupuesto/1\n{"));
    let otra_zona = Contenido { notas: &[(None, "Sin bidé")], ..base.clone() };
    let otro_plazo = Contenido { dias_validez: 15, ..base.clone() };
    let corrido = Contenido { cliente: [None, Some("Ana García"), None, None], ..base.clone() };
    for otro in [otra_zona, otro_plazo, corrido] {
        assert_ne!(otro.huella(), base.huella());
    }
    // Another day, the same rule in force: still the same content.
    let otro_dia = Impuestos::por_defecto().aplicar(&calculo, Condiciones::default(), date(2026, 12, 1));
    assert_eq!(Contenido { impuesto: &otro_dia, ..base.clone() }.huella(), base.huella());
}

#[test]
fn a_total_is_compared_with_what_the_client_wants_to_spend() {
    let objetivo = Cents::euros(6_000);
    assert_eq!(Encaje::de(Cents::euros(6_000), objetivo), Encaje::Dentro);
    assert_eq!(Encaje::de(Cents::euros(6_600), objetivo), Encaje::Cerca);
    assert_eq!(Encaje::de(Cents(660_001), objetivo), Encaje::PorEncima);
    assert_eq!(Encaje::de(Cents(i64::MAX), Cents(i64::MAX)), Encaje::Dentro);
}
