//! What must hold for every draft.

use proptest::prelude::*;

use super::tests::bathroom;
use super::*;
use crate::perfil::Perfil;
use crate::presupuesto::tests::{TARIFA, base, lead as anyone};
use crate::presupuesto::{Base, Bounds, DiscountValue, Document};
use crate::pricing::PricingInput;

fn optional<T: Clone + std::fmt::Debug + 'static>(of: Vec<T>) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(proptest::sample::select(of))
}

fn zonas() -> Vec<Zona> {
    Zona::WORDS.iter().filter_map(|z| Zona::parse(z)).collect()
}

const CALIDADES: [Calidad; 3] = [Calidad::Basica, Calidad::Media, Calidad::Premium];

prop_compose! {
    fn lead()(
        tipo_reforma in optional(zonas()),
        m2_suelo in proptest::option::of(prop_oneof![0.1..300.0_f64, any::<f64>()]),
        calidad_global in optional(CALIDADES.to_vec()),
        estructural in optional(vec![true, false]),
        urgencia in optional(vec![Urgencia::Alta, Urgencia::Media, Urgencia::Baja]),
        provincia in optional(vec!["Madrid", "badajoz", "Atlántida", "", "35001", "Ceuta"]),
        presupuesto_target_cents in proptest::option::of(any::<i64>()),
    ) -> Lead {
        let perfil = Perfil {
            tipo_reforma, m2_suelo, calidad_global, estructural, urgencia, presupuesto_target_cents, ..Perfil::default()
        };
        Lead { perfil, provincia: provincia.map(str::to_owned), ..anyone() }
    }
}

prop_compose! {
    fn room()(
        kind in optional(zonas()),
        m2_suelo in proptest::option::of(1.0..100.0_f64),
        calidad in optional(CALIDADES.to_vec()),
        estructural in optional(vec![true, false]),
        guessed: bool,
    ) -> RoomInput {
        let estimated = guessed && m2_suelo.is_some();
        RoomInput { kind, m2_suelo, estimated, calidad, estructural, room_kind: None }
    }
}

/// What a person may do to a line: nothing, set a price, materials or a discount, or make it an option.
type Edit = (usize, i64, i64, i64, bool);

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = (any::<usize>(), 0_i64..5_000_000, 0_i64..=10_000, 0_i64..=10_000, any::<bool>());
    proptest::collection::vec(edit, 0..12)
}

fn discount() -> impl Strategy<Value = Option<DiscountValue>> {
    proptest::option::of(prop_oneof![
        (0_i64..=10_000).prop_map(|p| DiscountValue::Percentage(Percentage(p))),
        (0_i64..3_000_000).prop_map(|c| DiscountValue::Amount(Cents(c))),
    ])
}

fn edited(lead: &Lead, rooms: &[RoomInput], edits: &[Edit]) -> Draft {
    let mut draft = Draft::of_lead(lead, base());
    for facts in rooms {
        draft.add_room(*facts, lead, &TARIFA);
    }
    let count = draft.lines().count();
    for (n, precio, material, discount, is_option) in edits {
        let mut lines = draft.rooms.iter_mut().flat_map(|r| &mut r.capitulos).flat_map(|c| &mut c.lines);
        let line = lines.nth(1 + n % (count - 1)).expect("a line");
        line.precio = Cents(*precio);
        line.material = Percentage(*material);
        line.discount = Percentage(*discount);
        line.optional = *is_option;
    }
    draft
}

fn sealed(draft: &Draft, lead: &Lead) -> Document {
    draft.compose(lead, &[], &[], base()).expect("a right draft")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn an_untouched_draft_is_what_the_table_says(lead in lead()) {
        let draft = Draft::of_lead(&lead, base());
        let document = sealed(&draft, &lead);
        prop_assert_eq!(&document, &Document::compose(&lead, &[], &[], base()));
        prop_assert!(draft.rooms[0].is_as_made());
        let json = serde_json::to_vec(&draft).expect("writes");
        prop_assert_eq!(Draft::read(&json).expect("reads"), draft);
    }

    #[test]
    fn recalculating_an_untouched_draft_makes_a_new_one(before in lead(), after in lead()) {
        let draft = Draft::of_lead(&before, base());
        let new = draft.recalculate(&after, base());
        prop_assert_eq!(&new.draft, &Draft::of_lead(&after, base()));
        let again = new.draft.recalculate(&after, base());
        prop_assert!(again.differences.is_empty());
        // A new version that nobody edited is not reported as out of date either.
        let version = Draft::of_document(&sealed(&new.draft, &after), &TARIFA);
        let again = version.recalculate(&after, base());
        prop_assert!(again.differences.is_empty(), "{:?}", again.differences);
    }

    #[test]
    fn the_sum_of_the_lines_is_the_base(
        lead in lead(), rooms in proptest::collection::vec(room(), 0..3), edits in edits(), off in discount(),
    ) {
        let mut draft = edited(&lead, &rooms, &edits);
        draft.discount = off.map(|value| Discount { value, reason: None });
        let d = sealed(&draft, &lead);
        let lines = || d.pricing.capitulos.iter().flat_map(|c| &c.lines);
        prop_assert_eq!(lines().map(|l| l.importe.0).sum::<i64>(), d.pricing.base.0);
        prop_assert_eq!(lines().map(|l| l.material.0).sum::<i64>(), d.pricing.material.0);
        prop_assert!(lines().all(|l| l.material.0 + l.labour.0 == l.importe.0));
        prop_assert!(d.pricing.base.0 >= 0 && d.pricing.material.0 >= 0);
        prop_assert_eq!(d.impuesto.base.0 + d.impuesto.quota.0, d.impuesto.total.0);
        let printed = d.sections();
        prop_assert_eq!(printed.iter().map(|s| s.total.0).sum::<i64>(), d.pricing.base.0);
        if let Some(range) = d.impuesto.range {
            prop_assert!(range.minimum <= d.impuesto.total && d.impuesto.total <= range.maximum);
            let bases = d.pricing.range.expect("both or none");
            prop_assert!(bases.minimum <= d.pricing.base && d.pricing.base <= bases.maximum);
        }
        let json = serde_json::to_string(&d).expect("writes");
        prop_assert_eq!(&serde_json::from_str::<Document>(&json).expect("reads"), &d);
        let kept = draft.recalculate(&lead, base());
        prop_assert!(kept.differences.is_empty(), "{:?}", kept.differences);
        prop_assert_eq!(&sealed(&kept.draft, &lead), &d);
        let again = sealed(&Draft::of_document(&d, &TARIFA), &lead);
        prop_assert_eq!((again.pricing.base, again.impuesto.total), (d.pricing.base, d.impuesto.total));
    }

    /// Holds also when prices and materials are on different sides of the limit of the reduced rate.
    #[test]
    fn a_discount_never_raises_and_a_surcharge_never_lowers_the_total(
        lead in lead(), edits in edits(), off in discount(), nth in any::<usize>(), p in 0_i64..=10_000,
    ) {
        let draft = edited(&lead, &[], &edits);
        let total = |d: &Draft| sealed(d, &lead).impuesto.total;
        let before = total(&draft);
        let whole = Draft { discount: off.map(|value| Discount { value, reason: None }), ..draft.clone() };
        prop_assert!(total(&whole) <= before);
        let mut line = draft.clone();
        let count = draft.lines().count();
        let mut lines = line.rooms.iter_mut().flat_map(|r| &mut r.capitulos).flat_map(|c| &mut c.lines);
        let one = lines.nth(nth % count).expect("a line");
        one.discount = Percentage(one.discount.0.max(p));
        prop_assert!(total(&line) <= before);
        let surcharge = |percentage| {
            let mut d = draft.clone();
            let concepto = "Urgencia".to_owned();
            let given = Adjustment { cause: Cause::UrgenciaAlta, concepto, percentage: Percentage(percentage), table: None };
            d.rooms[0].adjustments.retain(|a| a.cause != Cause::UrgenciaAlta);
            d.rooms[0].adjustments.push(given);
            total(&d)
        };
        prop_assert!(surcharge(0) <= surcharge(p));
    }

    #[test]
    fn ticking_an_option_never_lowers_the_total(
        lead in lead(), edits in edits(), ticks in proptest::collection::vec(any::<bool>(), 12), more in any::<usize>(),
    ) {
        let d = sealed(&edited(&lead, &[], &edits), &lead);
        if d.options.is_empty() {
            return Ok(());
        }
        let all: Vec<&str> = d.options.iter().map(|o| o.id.as_str()).collect();
        let mut chosen: Vec<&str> = all.iter().zip(&ticks).filter(|(_, t)| **t).map(|(id, _)| *id).collect();
        let before = d.with_options(&chosen);
        prop_assert!(before.total >= d.impuesto.total);
        prop_assert_eq!(before.base.0 + before.impuesto.quota.0, before.total.0);
        chosen.push(all[more % all.len()]);
        let after = d.with_options(&chosen);
        prop_assert!(after.total >= before.total && after.base >= before.base);
        // The rate is never too low: as lines, the chosen options would have the same rate or a lower one.
        let picked = || d.options.iter().filter(|o| chosen.contains(&o.id.as_str()));
        let base_too = picked().map(|o| o.line.importe.0).sum::<i64>();
        prop_assert_eq!(after.base.0, d.pricing.base.0 + base_too);
        let t = d.pricing.totals();
        let (m, p) = picked().fold((t.material.0, t.partidas.0), |(m, p), o| {
            let (importe, material) = o.line.before_discount();
            (m + material.0, p + importe.0)
        });
        let is_reduced = after.impuesto.rule == "iva-reducido-vivienda";
        prop_assert!(!is_reduced || i128::from(m) * 10_000 <= i128::from(p) * 4_000);
    }

    #[test]
    fn a_larger_room_never_costs_less(lead in lead(), edits in edits(), a in 1.0..60.0_f64, b in 1.0..60.0_f64) {
        let mut draft = edited(&lead, &[], &edits);
        // Materials are kept away from the limit, as in the shipped table: close to the limit a larger job may have
        // another rate.
        for line in draft.rooms.iter_mut().flat_map(|r| &mut r.capitulos).flat_map(|c| &mut c.lines) {
            line.material = Percentage(line.material.0.min(2_000));
        }
        let total = |m2| {
            let mut lead = lead.clone();
            lead.perfil.m2_suelo = Some(m2);
            sealed(&draft.recalculate(&lead, base()).draft, &lead).impuesto.total
        };
        prop_assert!(total(a.min(b)) <= total(a.max(b)));
    }

    /// The range of two rooms contains every result, whatever the answers about both rooms are.
    #[test]
    fn the_range_of_several_rooms_holds_every_answer(
        lead in lead(), second in room(), calidad in proptest::sample::select(CALIDADES.to_vec()), is_far: bool,
    ) {
        let mut draft = Draft::of_lead(&lead, base());
        draft.add_room(second, &lead, &TARIFA);
        let Some(range) = sealed(&draft, &lead).impuesto.range else { return Ok(()) };
        let provincia = if is_far { "Illes Balears" } else { "Badajoz" };
        let is_known = lead.provincia.as_deref().and_then(Provincia::parse).is_some();
        let said = lead.provincia.clone().filter(|_| is_known);
        let answered_lead = Lead { provincia: Some(said.unwrap_or(provincia.into())), ..lead.clone() };
        let answer = |f: RoomInput| {
            let kind = TARIFA.kind(Zona::assumed(f.kind));
            #[allow(clippy::cast_precision_loss)]
            let large = kind.m2_high.0 as f64 / 100.0;
            RoomInput { calidad: f.calidad.or(Some(calidad)), m2_suelo: f.m2_suelo.or(Some(large)), ..f }
        };
        let first = answer(RoomInput::of(&lead));
        let mut answered = Draft::empty(&answered_lead, base());
        answered.add_room(first, &answered_lead, &TARIFA);
        answered.add_room(answer(second), &answered_lead, &TARIFA);
        let total = sealed(&answered, &answered_lead).impuesto.total;
        prop_assert!(range.minimum <= total && total <= range.maximum, "{range:?} {total}");
    }

    #[test]
    fn whatever_is_read_is_answered(json in json()) {
        let text = json.to_string();
        let Ok(draft) = Draft::read(text.as_bytes()) else { return Ok(()) };
        let lead = bathroom();
        let _ = draft.compose(&lead, &[], &[], base());
        let new = draft.recalculate(&lead, base());
        let _ = new.draft.compose(&lead, &[], &[], base()).map(|d| new.draft.margin(&d));
    }
}

/// A draft's JSON with arbitrary values.
fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Value, json};
    let number = prop_oneof![Just(i64::MAX), Just(i64::MIN), Just(0), Just(-1), any::<i64>(), 0_i64..10_000,];
    let text =
        prop_oneof![Just(String::new()), ".{0,12}", Just("Ajustes".into()), Just("alicatado-bano".into())];
    let line = (text.clone(), text.clone(), proptest::collection::vec(number.clone(), 5), any::<bool>()).prop_map(
        |(id, key, n, is_option)| {
            json!({"id": id, "clave": key, "concepto": key, "cantidad": n[0], "precio": n[1], "material": n[2],
                "descuento": n[3], "coste": n[4], "opcional": is_option})
        },
    );
    let lines = proptest::collection::vec(line, 0..4);
    let room = (any::<u32>(), text.clone(), lines, number.clone(), any::<f64>()).prop_map(
        |(id, nombre, lines, n, m2)| {
            json!({"id": id % 3, "datos": {"m2Suelo": m2}, "capitulos": [{"nombre": nombre, "lineas": lines}],
            "ajustes": [{"causa": "urgencia_alta", "concepto": nombre, "porcentaje": n}]})
        },
    );
    let rooms = proptest::collection::vec(room, 0..4);
    (rooms, number.clone(), number, text, any::<u16>()).prop_map(|(rooms, off, pay, text, days)| -> Value {
        json!({"estancias": rooms, "descuento": {"valor": {"importe": off}, "motivo": text}, "diasValidez": days,
            "terminos": {"pagos": [{"porcentaje": pay, "momento": text}], "introduccion": text}})
    })
}

/// The largest amounts that the check allows fit into the money type.
#[test]
fn the_dearest_draft_does_not_overflow() {
    let line = DraftLine {
        concepto: "x".into(),
        cantidad: Cantidad::unidades(100_000),
        precio: Cents::euros(1_000_000),
        coste: Some(Cents::euros(1_000_000)),
        ..DraftLine::default()
    };
    let adjustment = |cause| {
        let concepto = "x".to_owned();
        Adjustment { cause, concepto, percentage: Percentage(20_000), table: None }
    };
    let capitulo = DraftChapter { nombre: "x".into(), lines: vec![line; 3_000], ..DraftChapter::default() };
    let room = Room {
        id: 1,
        capitulos: vec![capitulo],
        adjustments: [Cause::Estructural, Cause::UrgenciaAlta, Cause::UrgenciaBaja].map(adjustment).to_vec(),
        ..Room::default()
    };
    let mut draft = Draft { rooms: vec![room], ..Draft::default() };
    draft.fill_ids();
    let bounds = Bounds { lines: 10_000, text: 10_000_000 };
    let d = draft.compose(&bathroom(), &[], &[], Base { bounds, ..base() }).expect("right");
    assert!(d.impuesto.total > Cents::euros(1_000_000_000_000) && draft.margin(&d).is_some());
    let _: PricingInput = draft.facts(&draft.rooms[0], &bathroom());
}
