//! What must hold for every lead and every table.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::iva::{Condiciones, Impuestos};

static TARIFA: LazyLock<Tarifa> = LazyLock::new(Tarifa::por_defecto);
/// As dear as a table may be, with every quantity as large as may be.
static CARISIMA: LazyLock<Tarifa> = LazyLock::new(|| {
    let mut t = Tarifa::por_defecto();
    for p in &mut t.partidas {
        p.cantidad = crate::tarifa::Regla::leer("suelo*1000").expect("a rule");
        for precio in p.precios.iter_mut().flatten() {
            precio.precio = Cents(10_000_000);
        }
    }
    t.partidas = t.partidas.iter().cycle().take(1_000).cloned().collect();
    for (_, factor) in &mut t.provincias {
        *factor = Porcentaje(40_000);
    }
    for r in &mut t.recargos {
        r.porcentaje = Porcentaje(20_000);
    }
    for k in &mut t.tipos {
        k.m2_maximo = Cantidad(1_000_000);
    }
    t
});

fn opcional<T: Clone + std::fmt::Debug + 'static>(de: Vec<T>) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(proptest::sample::select(de))
}

fn m2() -> impl Strategy<Value = f64> {
    prop_oneof![
        0.1..300.0_f64,
        any::<f64>(),
        proptest::sample::select(vec![
            1e308,
            f64::MAX,
            f64::MIN_POSITIVE,
            0.0,
            -1.0,
            f64::NAN,
            f64::INFINITY
        ]),
    ]
}

prop_compose! {
    fn lead()(
        tipo in opcional(Zona::PALABRAS.iter().filter_map(|z| Zona::desde(z)).collect()),
        m2_suelo in proptest::option::of(m2()),
        calidad in opcional(vec![Calidad::Basica, Calidad::Media, Calidad::Premium]),
        estructural in opcional(vec![true, false]),
        urgencia in opcional(vec![Urgencia::Alta, Urgencia::Media, Urgencia::Baja]),
        provincia in opcional(vec!["Madrid", "badajoz", "Atlántida", "", "35001", "Illes Balears", "Sevilla"]),
        presupuesto_target in proptest::option::of(any::<i64>().prop_map(Cents)),
    ) -> DatosReforma {
        let provincia = provincia.map(str::to_owned);
        DatosReforma { tipo, m2_suelo, calidad, estructural, urgencia, provincia, presupuesto_target }
    }
}

/// Every total is the sum of what is printed, and every printed amount can be checked by hand.
fn cuadra(c: &Calculo) -> Result<(), TestCaseError> {
    let mut base = 0;
    let mut material = 0;
    for capitulo in &c.capitulos {
        prop_assert!(!capitulo.lineas.is_empty());
        let mut total = 0;
        for l in &capitulo.lineas {
            let producto = i128::from(l.cantidad.0) * i128::from(l.precio.0);
            // Half up: the amount is within half a cent of the exact product.
            prop_assert!((producto - i128::from(l.importe.0) * 100).abs() <= 50, "{l:?}");
            prop_assert_eq!(l.material.0 + l.mano_obra.0, l.importe.0);
            prop_assert!(l.importe.0 >= 0 || l.clave == "urgencia_baja");
            total += l.importe.0;
            material += l.material.0;
        }
        prop_assert_eq!(capitulo.total.0, total);
        base += total;
    }
    prop_assert_eq!(c.base.0, base);
    prop_assert_eq!(c.material.0, material);
    prop_assert_eq!(c.material.0 + c.mano_obra.0, base);
    prop_assert!(base > 0);
    if let Some(r) = c.rango {
        prop_assert!(r.minimo <= c.base && c.base <= r.maximo);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn totals_are_the_sum_of_what_is_printed(lead in lead()) {
        let c = calcular(&lead, &TARIFA);
        cuadra(&c)?;
        prop_assert_eq!(&c, &calcular(&lead, &TARIFA), "the same lead costs the same");
        let iva = Impuestos::por_defecto().aplicar(&c, Condiciones::default(), jiff::civil::date(2026, 1, 1));
        prop_assert_eq!(iva.base.0 + iva.cuota.0, iva.total.0);
        prop_assert_eq!(iva.base, c.base);
    }

    #[test]
    fn a_larger_job_never_costs_less(lead in lead(), a in 0.1..1_200.0_f64, b in 0.1..1_200.0_f64) {
        let con = |m2| calcular(&DatosReforma { m2_suelo: Some(m2), ..lead.clone() }, &TARIFA).base;
        prop_assert!(con(a.min(b)) <= con(a.max(b)));
    }

    #[test]
    fn whatever_is_missing_is_named(lead in lead()) {
        let c = calcular(&lead, &TARIFA);
        for (falta, dato) in [
            (lead.tipo.is_none(), "tipoReforma"),
            (lead.m2_suelo.is_none(), "m2Suelo"),
            (lead.calidad.is_none(), "calidadGlobal"),
            (lead.estructural.is_none(), "estructural"),
            (lead.urgencia.is_none(), "urgencia"),
            (lead.provincia.is_none(), "provincia"),
        ] {
            let dicho = c.supuestos.iter().any(|s| s.dato == dato);
            prop_assert!(dicho || !falta, "{dato}");
        }
        let decisivos = ["tipoReforma", "m2Suelo", "calidadGlobal", "provincia"];
        let incierto = c.supuestos.iter().any(|s| decisivos.contains(&s.dato.as_str()));
        prop_assert_eq!(c.rango.is_some(), incierto);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_dearest_table_and_the_largest_job_do_not_overflow(lead in lead()) {
        let peor = DatosReforma { m2_suelo: Some(1e308), provincia: Some("Madrid".into()), ..lead };
        cuadra(&calcular(&peor, &CARISIMA))?;
    }
}
