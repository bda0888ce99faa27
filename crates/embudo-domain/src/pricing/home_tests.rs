//! What the home decides: where it is, its bathrooms, its floor and lift, and which room it is.

use super::tests::{data, precio};
use super::*;

#[test]
fn the_postal_code_names_the_province_whatever_else_is_written() {
    let of = |provincia: Option<&str>, codigo_postal: Option<&str>| {
        let provincia = provincia.map(str::to_owned);
        let codigo_postal = codigo_postal.map(str::to_owned);
        let c = precio(&PricingInput { provincia, codigo_postal, ..data(Zona::Bano, 5.0, Calidad::Media) });
        c.provincia.map(Provincia::nombre)
    };
    assert_eq!(of(None, Some("28013")), Some("Madrid"));
    assert_eq!(of(Some("Toledo"), Some("28013")), Some("Madrid"));
    assert_eq!(of(Some("Toledo"), Some("99999")), Some("Toledo"));
    assert_eq!(of(None, Some("28")), None);
}

#[test]
fn bathrooms_are_counted_or_supposed_and_said() {
    let of = |banos| precio(&PricingInput { banos, ..data(Zona::Integral, 80.0, Calidad::Media) });
    let said = |c: &Pricing| c.assumptions.iter().find(|a| a.datum == "banos").map(|a| a.text.clone());
    let (supposed, one, two) = (of(None), of(Some(1)), of(Some(2)));
    assert_eq!(said(&supposed).as_deref(), Some("La reforma incluye un cuarto de baño."));
    assert_eq!((supposed.base, said(&one), said(&two)), (one.base, None, None));
    let zona = |c: &Pricing| sum(c.capitulos.iter().filter(|k| k.zona == Zona::Bano).map(|k| k.total));
    assert_eq!(zona(&two).0, 2 * zona(&one).0);
    assert_eq!(two.base.0 - one.base.0, zona(&one).0, "nothing else changes");
    assert_eq!(zona(&of(Some(0))), Cents::ZERO);
    let many = of(Some(200));
    assert_eq!(
        said(&many).as_deref(),
        Some("Nos indicas más baños; calculamos con 6 cuartos de baño hasta verlo en la visita.")
    );
    assert_eq!(many.base, of(Some(6)).base);
    // A bathroom counts as one, however many the dwelling has.
    let bano = data(Zona::Bano, 5.0, Calidad::Media);
    assert_eq!(precio(&PricingInput { banos: Some(3), ..bano.clone() }), precio(&bano));
}

#[test]
fn carrying_without_a_lift_costs_more_from_the_second_floor_on() {
    let base = data(Zona::Bano, 5.0, Calidad::Media);
    let of = |planta, ascensor| precio(&PricingInput { planta, ascensor, ..base.clone() });
    let said = |c: &Pricing| {
        let about = |a: &&Assumption| a.datum == "planta" || a.datum == "ascensor";
        c.assumptions.iter().find(about).map(|a| a.text.clone())
    };
    let plain = of(Some(0), Some(true));
    for (planta, ascensor, text) in [
        (None, None, Some("Hay ascensor para la obra, o está en la planta 1 o más abajo.")),
        (None, Some(true), None),
        (None, Some(false), Some("La obra, sin ascensor, está en la planta 1 o más abajo.")),
        (Some(4), None, Some("Hay ascensor para la obra.")),
        (Some(1), None, None),
        (Some(-1), Some(false), None),
        (Some(4), Some(true), None),
    ] {
        let c = of(planta, ascensor);
        assert_eq!((c.base, said(&c).as_deref()), (plain.base, text), "{planta:?} {ascensor:?}");
        assert_eq!(c.range, None);
    }
    let fourth = of(Some(4), Some(false));
    assert_eq!(said(&fourth), None);
    let line = &fourth.capitulos.last().expect("chapters").lines[0];
    assert_eq!(
        (line.key.as_str(), line.concepto.replace('\u{a0}', " ").as_str(), line.importe),
        (
            "sin_ascensor",
            "Acarreo a mano de escombro y materiales por obra sin ascensor (6 % de las partidas)",
            plain.base.part(Percentage(600)).expect("fits"),
        )
    );
    assert_eq!(fourth.totals().partidas, plain.base);
}

#[test]
fn a_room_within_its_type_is_priced_as_what_it_is() {
    let bano = PricingInput { m2_suelo: None, ..data(Zona::Bano, 0.0, Calidad::Media) };
    let aseo = precio(&PricingInput { room_kind: Some(RoomKind::Aseo), ..bano.clone() });
    assert_eq!((aseo.title.as_str(), aseo.m2, aseo.kind), ("Reforma de aseo", Cantidad(250), Zona::Bano));
    assert!(aseo.not_included.iter().any(|t| t == "Ducha o bañera"));
    assert!(aseo.base < precio(&bano).base);
    // A type ignores the rooms that it does not have. A room is ignored while its type is unknown.
    let cocina = data(Zona::Cocina, 10.0, Calidad::Media);
    let with = |f: &PricingInput| PricingInput { room_kind: Some(RoomKind::Terraza), ..f.clone() };
    assert_eq!(precio(&with(&cocina)), precio(&cocina));
    assert_eq!(precio(&with(&PricingInput::default())), precio(&PricingInput::default()));
    let terrace = precio(&with(&data(Zona::Other, 12.0, Calidad::Media)));
    assert_eq!(terrace.title, "Reforma de terraza");
    assert!(terrace.capitulos.iter().flat_map(|c| &c.lines).all(|l| !l.concepto.contains("laminado")));
}
