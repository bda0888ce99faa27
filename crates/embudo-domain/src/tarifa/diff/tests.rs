//! What a company is shown before it loads a table.

use super::*;
use crate::decimal::Percentage;

fn sample(kind: Zona, m2: i64, calidad: Calidad) -> SampleJob {
    SampleJob { kind, m2: Cantidad::unidades(m2), calidad }
}

/// The shipped table with one dearer item, one item without a quality, one removed and one new, and other price levels.
fn edited() -> (Tarifa, Tarifa) {
    let before = Tarifa::por_defecto();
    let mut after = before.clone();
    after.version = "mia".to_owned();
    let find = |t: &Tarifa, key: &str| t.partidas.iter().position(|p| p.key == key).expect("an item");
    let tiles = find(&after, "alicatado-bano");
    let precio = after.partidas[tiles].precios[1].as_mut().expect("middle quality");
    precio.precio = Cents(precio.precio.0 + 1_000);
    after.partidas[tiles].precios[0] = None;
    let screen = find(&after, "mampara-bano");
    after.partidas[screen].concepto = "Mampara".to_owned();
    let gone = find(&after, "accesorios-bano");
    let mut new = after.partidas.remove(gone);
    new.key = "toallero".to_owned();
    after.partidas.insert(0, new);
    let madrid = after.provincias.iter_mut().find(|(p, _)| p.nombre() == "Madrid").expect("Madrid");
    madrid.1 = Percentage(12_000);
    after.recargos.retain(|r| r.when != crate::tarifa::Cause::UrgenciaBaja);
    (before, after)
}

#[test]
fn a_table_does_not_differ_from_itself() {
    let tarifa = Tarifa::por_defecto();
    assert_eq!(diff(&tarifa, &tarifa), TarifaDiff::default());
    for row in compare(&tarifa, &tarifa, &usual_jobs(&tarifa)) {
        assert_eq!((row.difference, row.percentage), (Cents::ZERO, Some(Percentage(0))));
        assert!(row.before > Cents::ZERO);
    }
}

#[test]
fn every_change_is_told_once() {
    let (before, after) = edited();
    let TarifaDiff { partidas, others } = diff(&before, &after);
    let told: Vec<_> =
        partidas.iter().map(|p| (p.key.as_str(), p.what, p.precios.len(), p.fields.len())).collect();
    // A quality that is removed also loses its share of materials and its detail.
    let expected = [
        ("toallero", Change::Added, 3, 0),
        ("alicatado-bano", Change::Changed, 2, 2),
        ("mampara-bano", Change::Changed, 0, 1),
        ("accesorios-bano", Change::Removed, 3, 0),
    ];
    assert_eq!(told, expected);
    let tiles = &partidas[1].precios;
    assert_eq!((tiles[0].calidad, tiles[0].after), (Calidad::Basica, None));
    assert_eq!(tiles[1].after.map(|c| c.0), tiles[1].before.map(|c| c.0 + 1_000));
    let concepto = &partidas[2].fields[0];
    assert_eq!((concepto.field.as_str(), concepto.after.as_deref()), ("concepto", Some("Mampara")));
    let fields: Vec<_> = others.iter().map(|c| (c.field.as_str(), c.after.as_deref())).collect();
    assert_eq!(fields, [("provincias.Madrid", Some("120\u{a0}%")), ("recargo.urgencia_baja", None)]);
}

#[test]
fn jobs_show_what_they_cost_before_and_after() {
    let (before, after) = edited();
    let jobs = [sample(Zona::Bano, 6, Calidad::Media), sample(Zona::Salon, 20, Calidad::Media)];
    let rows = compare(&before, &after, &jobs);
    // 22.26 m² of tiles at ten euros more each; nothing else of this job changed its price.
    assert_eq!((rows[0].job, rows[0].difference), (jobs[0], Cents(22_260)));
    assert_eq!(rows[0].after.0 - rows[0].before.0, 22_260);
    assert!(rows[0].percentage.is_some_and(|p| p.0 > 0));
    assert_eq!(rows[1].difference, Cents::ZERO);
    let back = compare(&after, &before, &jobs);
    assert_eq!(back[0].difference, Cents(-22_260));
    assert!(back[0].percentage.is_some_and(|p| p.0 < 0));
}
