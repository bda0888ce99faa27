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
        p.cantidad = crate::tarifa::Regla::parse("suelo*1000").expect("a rule");
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
        tipo in opcional(Zona::PALABRAS.iter().filter_map(|z| Zona::parse(z)).collect()),
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

/// Every type of work in every quality, with structural work and without.
fn kinds() -> impl Iterator<Item = (Zona, Calidad, bool)> {
    let types = Zona::PALABRAS.iter().filter_map(|z| Zona::parse(z));
    let qualities = || Calidad::PALABRAS.iter().filter_map(|c| Calidad::parse(c));
    types.flat_map(move |t| qualities().flat_map(move |c| [(t, c, false), (t, c, true)]))
}

const HOY: Date = jiff::civil::date(2026, 11, 15);

/// What the client pays for a job of the shipped table, and the rate.
fn total_of(impuestos: &Impuestos, e: &Escenario) -> (Cents, Porcentaje) {
    let iva = impuestos.sobre(suma(&TARIFA, e), Provincia::parse("Valencia"), Condiciones::default(), HOY);
    let iva = iva.expect("fits");
    (iva.total, iva.porcentaje)
}

/// The shipped table at every hundredth of a square metre up to 100 m² and every tenth beyond, as far as it believes: materials keep two points from the 40 % of the reduced
/// rate, and a larger job never costs less.
#[test]
fn every_size_of_the_shipped_table_keeps_its_margin_and_rises() {
    let margin = Impuestos::por_defecto().materials_limit().expect("a limit").0 - crate::iva::MARGIN.0;
    let mut jobs = 0;
    for (tipo, calidad, estructural) in kinds() {
        let of_type = TARIFA.tipo(tipo);
        let mut last = Cents::CERO;
        let sizes = of_type.m2_minimo.0..=of_type.m2_maximo.0;
        for m2 in sizes.filter(|m2| *m2 <= 10_000 || m2 % 10 == 0) {
            let suma = suma_de(&TARIFA, tipo, Cantidad(m2), calidad, estructural);
            let what = || format!("{tipo} {calidad} {} m², estructural: {estructural}", Cantidad(m2));
            assert!(suma.material.0 * 10_000 <= suma.partidas.0 * margin, "{}: {suma:?}", what());
            assert!(suma.base >= last, "{}: {suma:?} after {last}", what());
            last = suma.base;
            jobs += 1;
        }
    }
    assert_eq!(jobs, 374_736);
}

/// What the client pays, over type, quality, structural work, price level, urgency and the whole range of sizes in 60 steps: always
/// with the reduced rate, the urgent job dearest, the flexible one cheapest, structural work never cheaper.
#[test]
fn no_adjustment_of_the_shipped_table_turns_prices_around() {
    let impuestos = Impuestos::por_defecto();
    let (low, high) = TARIFA.factores_extremos();
    let mut jobs = 0;
    for (tipo, calidad, _) in kinds().filter(|k| !k.2) {
        let (least, most) = (TARIFA.tipo(tipo).m2_minimo.0, TARIFA.tipo(tipo).m2_maximo.0);
        for factor in [low, Porcentaje::CIEN, high] {
            let mut last = [Cents::CERO; 6];
            for m2 in (0..=60).map(|n| Cantidad(least + (most - least) * n / 60)) {
                let of = |estructural, urgencia| {
                    let e = Escenario { tipo, m2, calidad, estructural, urgencia, factor };
                    let (total, rate) = total_of(&impuestos, &e);
                    assert_eq!(rate, Porcentaje(1000), "{e:?}");
                    total
                };
                let [plain, walls] = [false, true]
                    .map(|w| [Urgencia::Baja, Urgencia::Media, Urgencia::Alta].map(|u| of(w, u)));
                for prices in [plain, walls] {
                    assert!(
                        prices[0] < prices[1] && prices[1] < prices[2],
                        "{tipo} {calidad} {m2}: {prices:?}"
                    );
                }
                let now = [plain[0], plain[1], plain[2], walls[0], walls[1], walls[2]];
                assert!((0..3).all(|n| plain[n] < walls[n]), "{tipo} {calidad} {m2}: {now:?}");
                assert!((0..6).all(|n| last[n] <= now[n]), "{tipo} {calidad} {m2}: {now:?} after {last:?}");
                last = now;
                jobs += 6;
            }
        }
    }
    assert_eq!(jobs, 19_764);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever a company's own table says of materials, also on both sides of the limit.
    #[test]
    fn urgency_never_turns_prices_around(
        lead in lead(),
        materials in proptest::collection::vec(3_000_i64..=5_500, 60),
        down in -5_000_i64..=0,
        up in 0_i64..=20_000,
    ) {
        let mut tarifa = TARIFA.clone();
        for (n, p) in tarifa.partidas.iter_mut().enumerate() {
            for precio in p.precios.iter_mut().flatten() {
                precio.material = Porcentaje(materials[n % materials.len()]);
            }
        }
        for r in &mut tarifa.recargos {
            match r.cuando {
                Causa::UrgenciaBaja => r.porcentaje = Porcentaje(down),
                Causa::UrgenciaAlta => r.porcentaje = Porcentaje(up),
                Causa::Estructural => {}
            }
        }
        let impuestos = Impuestos::por_defecto();
        let of = |urgencia| {
            let datos = DatosReforma { urgencia: Some(urgencia), ..lead.clone() };
            impuestos.price(&datos, &tarifa, Condiciones::default(), HOY).1
        };
        let [down, middle, up] = [Urgencia::Baja, Urgencia::Media, Urgencia::Alta].map(of);
        prop_assert_eq!(down.porcentaje, middle.porcentaje);
        prop_assert_eq!(up.porcentaje, middle.porcentaje);
        prop_assert!(down.total <= middle.total && middle.total <= up.total);
        prop_assert_eq!(down.materiales, middle.materiales);
    }

    /// The range holds what every answer to the open questions would cost, with its tax.
    #[test]
    fn the_range_of_totals_holds_every_answer(lead in lead(), calidad in 0_usize..3, far: bool) {
        let impuestos = Impuestos::por_defecto();
        let (_, iva) = impuestos.price(&lead, &TARIFA, Condiciones::default(), HOY);
        let Some(rango) = iva.rango else { return Ok(()) };
        prop_assert!(rango.minimo <= iva.total && iva.total <= rango.maximo);
        // «Illes Balears» is the dearest province, Badajoz among the cheapest.
        let provincia = lead.provincia.clone().filter(|p| Provincia::parse(p).is_some());
        let provincia = provincia.unwrap_or_else(|| if far { "Illes Balears".into() } else { "Badajoz".into() });
        let calidad = lead.calidad.unwrap_or([Calidad::Basica, Calidad::Media, Calidad::Premium][calidad]);
        let answered = DatosReforma { calidad: Some(calidad), provincia: Some(provincia), ..lead };
        let (_, known) = impuestos.price(&answered, &TARIFA, Condiciones::default(), HOY);
        prop_assert!(rango.minimo <= known.total && known.total <= rango.maximo, "{rango:?} {known:?}");
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
