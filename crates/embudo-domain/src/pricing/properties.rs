//! What must hold for every lead and every table.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::iva::{Condiciones, Impuestos};

static TARIFA: LazyLock<Tarifa> = LazyLock::new(Tarifa::por_defecto);
/// The dearest possible table, with every quantity as large as possible.
static DEAREST: LazyLock<Tarifa> = LazyLock::new(|| {
    let mut t = Tarifa::por_defecto();
    for p in &mut t.partidas {
        p.cantidad = crate::tarifa::Rule::parse("suelo*1000").expect("a rule");
        for precio in p.precios.iter_mut().flatten() {
            precio.precio = Cents(10_000_000);
        }
    }
    t.partidas = t.partidas.iter().cycle().take(1_000).cloned().collect();
    for (_, factor) in &mut t.provincias {
        *factor = Percentage(40_000);
    }
    for r in &mut t.recargos {
        r.percentage = Percentage(20_000);
    }
    for k in &mut t.kinds {
        k.max_m2 = Cantidad(1_000_000);
    }
    t
});

fn optional<T: Clone + std::fmt::Debug + 'static>(of: Vec<T>) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(proptest::sample::select(of))
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

type Home = (Option<String>, Option<RoomKind>, Option<u8>, Option<i8>, Option<bool>);

fn home() -> impl Strategy<Value = Home> {
    (
        optional(vec!["41001", "99999", "x"].into_iter().map(str::to_owned).collect()),
        optional(vec![RoomKind::Aseo, RoomKind::Terraza]),
        proptest::option::of(any::<u8>()),
        proptest::option::of(any::<i8>()),
        proptest::option::of(any::<bool>()),
    )
}

prop_compose! {
    fn lead()(
        kind in optional(Zona::WORDS.iter().filter_map(|z| Zona::parse(z)).collect()),
        m2_suelo in proptest::option::of(m2()),
        calidad in optional(vec![Calidad::Basica, Calidad::Media, Calidad::Premium]),
        estructural in optional(vec![true, false]),
        urgencia in optional(vec![Urgencia::Alta, Urgencia::Media, Urgencia::Baja]),
        provincia in optional(vec!["Madrid", "badajoz", "Atlántida", "", "35001", "Illes Balears", "Sevilla"]),
        (presupuesto_target, m2_estimated) in (proptest::option::of(any::<i64>().prop_map(Cents)), any::<bool>()),
        (codigo_postal, room_kind, banos, planta, ascensor) in home(),
    ) -> PricingInput {
        let provincia = provincia.map(str::to_owned);
        PricingInput {
            kind, m2_suelo, m2_estimated, calidad, estructural, urgencia, provincia, codigo_postal, presupuesto_target, room_kind, banos,
            planta, ascensor,
        }
    }
}

/// Every total is the sum of what is printed, and every printed amount can be checked by hand.
fn matches(c: &Pricing) -> Result<(), TestCaseError> {
    let mut base = 0;
    let mut material = 0;
    for capitulo in &c.capitulos {
        prop_assert!(!capitulo.lines.is_empty());
        let mut total = 0;
        for l in &capitulo.lines {
            let product = i128::from(l.cantidad.0) * i128::from(l.precio.0);
            // Half up: the amount is within half a cent of the exact product.
            prop_assert!((product - i128::from(l.importe.0) * 100).abs() <= 50, "{l:?}");
            prop_assert_eq!(l.material.0 + l.labour.0, l.importe.0);
            prop_assert!(l.importe.0 >= 0 || l.key == "urgencia_baja");
            total += l.importe.0;
            material += l.material.0;
        }
        prop_assert_eq!(capitulo.total.0, total);
        base += total;
    }
    prop_assert_eq!(c.base.0, base);
    prop_assert_eq!(c.material.0, material);
    prop_assert_eq!(c.material.0 + c.labour.0, base);
    prop_assert!(base > 0);
    if let Some(r) = c.range {
        prop_assert!(r.minimum <= c.base && c.base <= r.maximum);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn totals_are_the_sum_of_what_is_printed(lead in lead()) {
        let c = price(&lead, &TARIFA);
        matches(&c)?;
        prop_assert_eq!(&c, &price(&lead, &TARIFA), "the same lead costs the same");
        let iva = Impuestos::por_defecto().apply(&c, Condiciones::default(), jiff::civil::date(2026, 1, 1));
        prop_assert_eq!(iva.base.0 + iva.quota.0, iva.total.0);
        prop_assert_eq!(iva.base, c.base);
    }

    #[test]
    fn a_larger_job_never_costs_less(lead in lead(), a in 0.1..1_200.0_f64, b in 0.1..1_200.0_f64) {
        let with = |m2| price(&PricingInput { m2_suelo: Some(m2), ..lead.clone() }, &TARIFA).base;
        prop_assert!(with(a.min(b)) <= with(a.max(b)));
    }

    #[test]
    fn whatever_is_missing_is_named(lead in lead()) {
        let c = price(&lead, &TARIFA);
        for (missing, datum) in [
            (lead.kind.is_none(), "tipoReforma"),
            (lead.m2_suelo.is_none(), "m2Suelo"),
            (lead.calidad.is_none(), "calidadGlobal"),
            (lead.estructural.is_none(), "estructural"),
            (lead.urgencia.is_none(), "urgencia"),
            (lead.provincia.is_none() && lead.codigo_postal.is_none(), "provincia"),
            (lead.kind == Some(Zona::Integral) && lead.banos.is_none(), "banos"),
            (lead.planta.is_none() && lead.ascensor.is_none(), "ascensor"),
            (lead.planta.is_none() && lead.ascensor == Some(false), "planta"),
        ] {
            let said = c.assumptions.iter().any(|s| s.datum == datum);
            prop_assert!(said || !missing, "{datum}");
        }
        let deciding = ["tipoReforma", "m2Suelo", "calidadGlobal", "provincia"];
        let uncertain = c.assumptions.iter().any(|s| deciding.contains(&s.datum.as_str()));
        prop_assert_eq!(c.range.is_some(), uncertain);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// More to carry, more floors or more bathrooms never lower the price.
    #[test]
    fn no_answer_about_the_home_turns_prices_around(lead in lead(), low in any::<i8>(), more in any::<i8>(), banos in any::<u8>()) {
        let with = |planta, ascensor| price(&PricingInput { planta, ascensor, ..lead.clone() }, &TARIFA);
        let (low, high) = (low.min(more), low.max(more));
        let [lift, on_foot, higher] =
            [with(Some(high), Some(true)), with(Some(low), Some(false)), with(Some(high), Some(false))];
        prop_assert!(lift.base <= on_foot.base && on_foot.base <= higher.base);
        for unknown in [with(None, None), with(Some(high), None), with(None, Some(false)), with(None, Some(true))] {
            prop_assert_eq!((unknown.base, unknown.range), (lift.base, lift.range));
        }
        let with = |banos| price(&PricingInput { banos: Some(banos), ..lead.clone() }, &TARIFA).base;
        prop_assert!(with(banos) <= with(banos.saturating_add(1)));
    }

    #[test]
    fn a_better_quality_never_costs_less(lead in lead()) {
        let with = |calidad| price(&PricingInput { calidad: Some(calidad), ..lead.clone() }, &TARIFA).base;
        let [low, middle, high] = [Calidad::Basica, Calidad::Media, Calidad::Premium].map(with);
        prop_assert!(low < middle && middle < high);
    }
}

/// Every type of work in every quality, with structural work and without.
fn kinds() -> impl Iterator<Item = (Zona, Calidad, bool)> {
    let types = Zona::WORDS.iter().filter_map(|z| Zona::parse(z));
    let qualities = || Calidad::WORDS.iter().filter_map(|c| Calidad::parse(c));
    types.flat_map(move |t| qualities().flat_map(move |c| [(t, c, false), (t, c, true)]))
}

const TODAY: Date = jiff::civil::date(2026, 11, 15);

/// What the client pays for a job of the shipped table, and the rate.
fn total_of(impuestos: &Impuestos, e: &Scenario) -> (Cents, Percentage) {
    let iva = impuestos.over(totals(&TARIFA, e), Provincia::parse("Valencia"), Condiciones::default(), TODAY);
    let iva = iva.expect("fits");
    (iva.total, iva.percentage)
}

/// The shipped table at every hundredth of a square metre up to 100 m², and at every tenth up to the maximum of the
/// type: materials stay two points below the 40 % of the reduced rate, and a larger job never costs less.
#[test]
fn every_size_of_the_shipped_table_keeps_its_margin_and_rises() {
    let margin = Impuestos::por_defecto().materials_limit().expect("a limit").0 - crate::iva::MARGIN.0;
    let mut jobs = 0;
    for of_type in &TARIFA.kinds {
        let TarifaKind { kind, room_kind, .. } = *of_type;
        let homes: &[Option<u8>] =
            if of_type.assumed_banos.is_some() { &[None, Some(0), Some(2), Some(u8::MAX)] } else { &[None] };
        for (_, calidad, estructural) in kinds().filter(|k| k.0 == kind) {
            for &banos in homes {
                let mut last = Cents::ZERO;
                let sizes = of_type.min_m2.0..=of_type.max_m2.0;
                for m2 in sizes.filter(|m2| *m2 <= 10_000 || m2 % 10 == 0).map(Cantidad) {
                    let e = Scenario { room_kind, banos, ..plain(kind, m2, calidad, estructural) };
                    let totals = totals(&TARIFA, &e);
                    assert!(totals.material.0 * 10_000 <= totals.partidas.0 * margin, "{e:?}: {totals:?}");
                    assert!(totals.base >= last, "{e:?}: {totals:?} after {last}");
                    last = totals.base;
                    jobs += 1;
                }
            }
        }
    }
    assert_eq!(jobs, 758_166);
}

/// A job without anything unusual.
fn plain(kind: Zona, m2: Cantidad, calidad: Calidad, estructural: bool) -> Scenario {
    Scenario {
        kind,
        room_kind: None,
        m2,
        calidad,
        estructural,
        urgencia: Urgencia::Media,
        banos: None,
        floors_on_foot: 0,
        factor: Percentage::HUNDRED,
    }
}

/// The job from which a table's margin is computed has the largest share of materials of all rooms and bathrooms.
#[test]
fn the_margin_knows_rooms_and_bathrooms() {
    let share = |t: &Totals| t.material.0 * 10_000 / t.partidas.0;
    for (kind, calidad, estructural) in kinds() {
        for m2 in [2, 4, 9, 25, 60, 150].map(Cantidad::unidades) {
            let heaviest = share(&totals_of(&TARIFA, kind, m2, calidad, estructural));
            let rooms = TARIFA.kinds.iter().filter(|k| k.kind == kind && (k.min_m2..=k.max_m2).contains(&m2));
            for (room_kind, banos) in rooms.flat_map(|k| (0..12).map(|n| (k.room_kind, n))) {
                let e = Scenario { room_kind, banos: Some(banos), ..plain(kind, m2, calidad, estructural) };
                assert!(share(&totals(&TARIFA, &e)) <= heaviest, "{e:?}");
            }
        }
    }
}

/// What the client pays, over type, quality, structural work, price level, urgency and the whole range of sizes in 60
/// steps: always with the reduced rate, the urgent job dearest, the flexible one cheapest, structural work never
/// cheaper.
#[test]
fn no_adjustment_of_the_shipped_table_turns_prices_around() {
    let impuestos = Impuestos::por_defecto();
    let (low, high) = TARIFA.extreme_factors();
    let mut jobs = 0;
    for (kind, calidad, _) in kinds().filter(|k| !k.2) {
        let (least, most) = (TARIFA.kind(kind).min_m2.0, TARIFA.kind(kind).max_m2.0);
        for factor in [low, Percentage::HUNDRED, high] {
            let mut last = [Cents::ZERO; 6];
            for m2 in (0..=60).map(|n| Cantidad(least + (most - least) * n / 60)) {
                let of = |estructural, urgencia| {
                    let e = Scenario { urgencia, factor, ..plain(kind, m2, calidad, estructural) };
                    let (total, rate) = total_of(&impuestos, &e);
                    assert_eq!(rate, Percentage(1000), "{e:?}");
                    total
                };
                let [plain, walls] = [false, true]
                    .map(|w| [Urgencia::Baja, Urgencia::Media, Urgencia::Alta].map(|u| of(w, u)));
                for prices in [plain, walls] {
                    assert!(
                        prices[0] < prices[1] && prices[1] < prices[2],
                        "{kind} {calidad} {m2}: {prices:?}"
                    );
                }
                let now = [plain[0], plain[1], plain[2], walls[0], walls[1], walls[2]];
                assert!((0..3).all(|n| plain[n] < walls[n]), "{kind} {calidad} {m2}: {now:?}");
                assert!((0..6).all(|n| last[n] <= now[n]), "{kind} {calidad} {m2}: {now:?} after {last:?}");
                last = now;
                jobs += 6;
            }
        }
    }
    assert_eq!(jobs, 19_764);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Holds for any share of materials in a company's own table, on both sides of the limit.
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
                precio.material = Percentage(materials[n % materials.len()]);
            }
        }
        for r in &mut tarifa.recargos {
            match r.when {
                Cause::UrgenciaBaja => r.percentage = Percentage(down),
                Cause::UrgenciaAlta => r.percentage = Percentage(up),
                Cause::Estructural | Cause::SinAscensor => {}
            }
        }
        let impuestos = Impuestos::por_defecto();
        let of = |urgencia| {
            let data = PricingInput { urgencia: Some(urgencia), ..lead.clone() };
            impuestos.price(&data, &tarifa, Condiciones::default(), TODAY).1
        };
        let [down, middle, up] = [Urgencia::Baja, Urgencia::Media, Urgencia::Alta].map(of);
        prop_assert_eq!(down.percentage, middle.percentage);
        prop_assert_eq!(up.percentage, middle.percentage);
        prop_assert!(down.total <= middle.total && middle.total <= up.total);
        prop_assert_eq!(down.materiales, middle.materiales);
    }

    /// The range contains what every answer to the open questions would cost, with its tax: any room, any area of that
    /// room's span, any quality and province.
    #[test]
    fn the_range_of_totals_holds_every_answer(
        lead in lead(), calidad in 0_usize..3, far: bool, room in 0_usize..range::ROOMS.len(), place in 0_i64..=100,
    ) {
        let impuestos = Impuestos::por_defecto();
        let (_, iva) = impuestos.price(&lead, &TARIFA, Condiciones::default(), TODAY);
        let Some(range) = iva.range else { return Ok(()) };
        prop_assert!(range.minimum <= iva.total && iva.total <= range.maximum);
        // «Illes Balears» is the dearest province, Badajoz among the cheapest.
        let by_code = lead.codigo_postal.clone().filter(|p| Provincia::of_postal_code(p).is_some());
        let provincia = by_code.or_else(|| lead.provincia.clone().filter(|p| Provincia::parse(p).is_some()));
        let provincia = provincia.unwrap_or_else(|| if far { "Illes Balears".into() } else { "Badajoz".into() });
        let calidad = lead.calidad.unwrap_or([Calidad::Basica, Calidad::Media, Calidad::Premium][calidad]);
        let kind = lead.kind.unwrap_or(range::ROOMS[room]);
        // Without a type, words that name a room within a type are ignored.
        let room_kind = lead.room_kind.filter(|_| lead.kind.is_some());
        let of_kind = TARIFA.kind_of(kind, room_kind);
        let area = assumptions::superficie(&lead, of_kind);
        let (low, high) = (area.low.0, area.high.0);
        let within = f64::from(i32::try_from(low + (high - low) * place / 100).expect("a room")) / 100.0;
        let is_open = area.note.is_some();
        let answered = PricingInput {
            kind: Some(kind),
            room_kind,
            m2_suelo: if is_open { Some(within) } else { lead.m2_suelo },
            m2_estimated: false,
            calidad: Some(calidad),
            provincia: Some(provincia),
            ..lead
        };
        let (_, known) = impuestos.price(&answered, &TARIFA, Condiciones::default(), TODAY);
        prop_assert!(range.minimum <= known.total && known.total <= range.maximum, "{range:?} {known:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_dearest_table_and_the_largest_job_do_not_overflow(lead in lead()) {
        let worst = PricingInput { m2_suelo: Some(1e308), provincia: Some("Madrid".into()), ..lead };
        matches(&price(&worst, &DEAREST))?;
    }
}
