//! The price level of a province changes the shipped prices. It changes a company's own prices only if the company
//! wants it.

use super::*;
use crate::tarifa::TarifaEdit;

/// The price of the item that the company priced itself.
const OWN: Cents = Cents(52_050);

fn lead() -> PricingInput {
    PricingInput {
        kind: Some(Zona::Bano),
        m2_suelo: Some(5.0),
        calidad: Some(Calidad::Media),
        provincia: Some("Madrid".into()),
        ..PricingInput::default()
    }
}

fn prices(tarifa: &Tarifa) -> Vec<(String, Cents)> {
    let priced = price(&lead(), tarifa);
    let lines = priced.capitulos.into_iter().flat_map(|c| c.lines);
    lines.filter(|l| Cause::parse(&l.key).is_none()).map(|l| (l.key, l.precio)).collect()
}

fn in_madrid(cents: Cents) -> Cents {
    cents.part(Percentage(11_200)).expect("it fits")
}

#[test]
fn a_province_moves_shipped_prices_and_own_ones_only_where_the_company_wants_so() {
    let shipped = Tarifa::por_defecto();
    let at = |tarifa: &Tarifa, key: &str| {
        let partida = tarifa.partidas.iter().find(|p| p.key == key).expect("it is there");
        partida.precio(Calidad::Media).expect("it has one").precio
    };
    let key = prices(&shipped)[0].0.clone();
    let mut edited = shipped.clone();
    let edit = TarifaEdit::Precio { key: key.clone(), calidad: Calidad::Media, precio: OWN };
    edited.edit(&edit).expect("a change");
    let text = Tarifa::imported_text(&shipped.write()).expect("it reads");
    let imported = Tarifa::parse(&text).expect("it reads");
    for switch in [false, true] {
        // The shipped table: always at the price level, whatever the company wants for its own prices.
        for (key, precio) in prices(&shipped.clone().scaling_own(switch)) {
            assert_eq!(precio, in_madrid(at(&shipped, &key)), "{key}");
        }
        // An edited table: each item by itself.
        for (item, precio) in prices(&edited.clone().scaling_own(switch)) {
            let expected = match (item == key, switch) {
                (true, false) => OWN,
                (true, true) => Cents(58_296),
                (false, _) => in_madrid(at(&shipped, &item)),
            };
            assert_eq!(precio, expected, "{item}, {switch}");
        }
        // An imported table: all prices are the company's own, even those that equal the shipped ones.
        for (key, precio) in prices(&imported.clone().scaling_own(switch)) {
            let expected = if switch { in_madrid(at(&shipped, &key)) } else { at(&shipped, &key) };
            assert_eq!(precio, expected, "{key}, {switch}");
        }
    }
}

#[test]
fn whose_the_prices_are_is_kept_with_the_table() {
    let mut edited = Tarifa::por_defecto();
    let key = edited.partidas[3].key.clone();
    edited
        .edit(&TarifaEdit::Precio { key: key.clone(), calidad: Calidad::Media, precio: OWN })
        .expect("a change");
    let read = Tarifa::parse(&edited.write()).expect("it reads");
    let own: Vec<&str> = read.partidas.iter().filter(|p| p.own).map(|p| p.key.as_str()).collect();
    assert_eq!(own, [key.as_str()]);
    // Older tables do not contain this flag: a price that differs from the shipped one is the company's own.
    let text: String =
        edited.write().lines().filter(|l| !l.starts_with("de_serie")).flat_map(|l| [l, "\n"]).collect();
    assert_eq!(Tarifa::parse(&text).expect("it reads"), edited);
    // After raising all prices at once, all of them are the company's own.
    edited.edit(&TarifaEdit::Raise { capitulo: None, percentage: Percentage(100) }).expect("a change");
    assert!(edited.partidas.iter().all(|p| p.own));
}

#[test]
fn a_company_sets_the_level_of_a_province() {
    let mut tarifa = Tarifa::por_defecto();
    let madrid = Provincia::parse("Madrid").expect("a province");
    tarifa.edit(&TarifaEdit::Provincia { provincia: madrid, factor: Percentage(10_500) }).expect("a change");
    assert_eq!(tarifa.factor(madrid), Percentage(10_500));
    assert!(tarifa.partidas.iter().all(|p| !p.own), "the prices are still the shipped ones");
    for wrong in [4_999, 20_001, 0, -1] {
        let edit = TarifaEdit::Provincia { provincia: madrid, factor: Percentage(wrong) };
        assert!(tarifa.edit(&edit).is_err(), "{wrong}");
    }
}

#[test]
fn where_no_price_follows_the_province_nothing_is_said_of_it() {
    let data = PricingInput { provincia: None, ..lead() };
    let said = |tarifa: &Tarifa| {
        let priced = price(&data, tarifa);
        priced.assumptions.into_iter().find(|a| a.datum == "provincia").expect("it is supposed").text
    };
    assert!(said(&Tarifa::por_defecto()).contains("precios son los medios"));
    assert!(said(&Tarifa::por_defecto().imported()).contains("impuesto es el de la península"));
}
