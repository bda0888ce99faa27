//! The shipped table is complete and canonical. For a broken table every mistake is reported.

use proptest::prelude::*;

use super::*;

const CALIDADES: [Calidad; 3] = [Calidad::Basica, Calidad::Media, Calidad::Premium];

#[test]
fn the_shipped_table_prices_every_type_and_quality() {
    let tarifa = Tarifa::parse(DEFAULT_TEXT).unwrap_or_else(|e| panic!("{e}"));
    for zona in Zona::WORDS.iter().filter_map(|z| Zona::parse(z)) {
        for calidad in CALIDADES {
            let rooms = tarifa.kinds.iter().filter(|k| k.kind == zona).map(|k| k.room_kind);
            for room_kind in rooms {
                let of = |estructural| {
                    tarifa.partidas_of(Scope { kind: zona, room_kind, calidad, estructural }).count()
                };
                assert!(of(false) >= 11, "{zona} {room_kind:?} {calidad}: {}", of(false));
                assert_eq!(of(true), of(false) + 2, "structural work adds its items");
            }
        }
    }
    assert_eq!(tarifa.provincias.len(), 52);
}

/// The keys of the items of a job, in all its qualities.
fn keys(tarifa: &Tarifa, kind: Zona, room_kind: Option<RoomKind>) -> Vec<&str> {
    let of = |calidad| tarifa.partidas_of(Scope { kind, room_kind, calidad, estructural: false });
    CALIDADES.into_iter().flat_map(of).map(|(_, p, _)| p.key.as_str()).collect()
}

#[test]
fn every_room_has_what_belongs_there() {
    let tarifa = Tarifa::por_defecto();
    let has = |kind, room_kind, what: &str| keys(&tarifa, kind, room_kind).iter().any(|k| k.contains(what));
    for wet in ["ducha", "mampara", "inodoro", "lavabo"] {
        assert!(has(Zona::Bano, None, wet), "{wet}");
        for dry in [Zona::Cocina, Zona::Salon, Zona::Comedor, Zona::Other] {
            assert!(!has(dry, None, wet), "{wet} in {dry}");
        }
    }
    let aseo = Some(RoomKind::Aseo);
    assert!(!has(Zona::Bano, aseo, "ducha") && !has(Zona::Bano, aseo, "mampara"));
    assert!(has(Zona::Bano, aseo, "inodoro") && has(Zona::Bano, aseo, "lavabo-aseo"));
    for indoors in ["tarima", "rodapie-estancia", "techo", "focos", "armario", "puerta", "aire", "alisado"] {
        assert!(has(Zona::Other, None, indoors), "{indoors}");
        assert!(!has(Zona::Other, Some(RoomKind::Terraza), indoors), "{indoors}");
    }
    assert!(has(Zona::Other, Some(RoomKind::Terraza), "solado-terraza"));
    assert!(!has(Zona::Other, None, "terraza") && !has(Zona::Bano, None, "aseo"));
    for room in [Zona::Salon, Zona::Comedor, Zona::Other] {
        assert!(!has(room, None, "alicatado") && !has(room, None, "solado"), "{room}");
    }
    assert!(!has(Zona::Cocina, None, "tarima") && !has(Zona::Bano, None, "tarima"));
    // Spotlights need a false ceiling.
    for (kind, calidad) in
        [Zona::Salon, Zona::Comedor, Zona::Other].into_iter().flat_map(|k| CALIDADES.map(|c| (k, c)))
    {
        let scope = Scope { kind, room_kind: None, calidad, estructural: false };
        let has = |key: &str| tarifa.partidas_of(scope).any(|(_, p, _)| p.key == key);
        assert_eq!(has("focos-estancia"), has("techo-estancia"), "{kind} {calidad}");
    }
}

#[test]
fn what_belongs_to_a_bathroom_is_counted_by_bathrooms() {
    let tarifa = Tarifa::por_defecto();
    let of_bano = tarifa.partidas.iter().filter(|p| p.zona == Some(Zona::Bano));
    let rules: Vec<Base> = of_bano.map(|p| p.cantidad.base).collect();
    assert!(rules.len() >= 5 && rules.iter().all(|base| *base == Base::Bathrooms), "{rules:?}");
    let counts: Vec<_> = tarifa.kinds.iter().filter(|k| k.assumed_banos.is_some()).map(|k| k.kind).collect();
    assert_eq!(counts, [Zona::Integral]);
}

#[test]
fn sources_are_kept_and_may_be_left_out() {
    let shipped = Tarifa::por_defecto();
    let source = shipped.kind(Zona::Integral).source.as_ref().expect("a source");
    assert_eq!(source.published, Some(2025));
    assert!(source.link.as_deref().is_some_and(|link| link.starts_with("https://")));
    let text: String =
        DEFAULT_TEXT.lines().filter(|l| !l.starts_with("fuente = ")).flat_map(|l| [l, "\n"]).collect();
    let without = Tarifa::parse(&text).expect("still right");
    assert!(without.kinds.iter().all(|k| k.source.is_none()));
    assert_eq!(without.write(), text);
    for (wrong, field) in [
        ("{ publicada = 2025 }", "texto"),
        ("{ texto = \"x\", publicada = 25 }", "publicada"),
        ("{ texto = \"x\", enlace = \"javascript:x\" }", "enlace"),
        ("{ texto = \"x\", enlace = \"https://a b\" }", "enlace"),
        ("{ texto = \"x\", autor = \"y\" }", "autor"),
    ] {
        let text = text.replacen("no_incluye", &format!("fuente = {wrong}\nno_incluye"), 1);
        let bad = Tarifa::parse(&text).expect_err(wrong);
        assert!(bad.errors.iter().any(|e| e.field == format!("tipo[0].fuente.{field}")), "{bad}");
    }
}

#[test]
fn rooms_floors_and_bathrooms_are_checked() {
    for (from, to, field) in [
        ("desde_planta = 2", "desde_planta = 7", "recargo[3].desde_planta"),
        ("desde_planta = 2", "desde_planta = 0", "recargo[3].desde_planta"),
        ("hasta_planta = 6\n", "", "recargo[3].hasta_planta"),
        ("porcentaje = 2.00", "porcentaje = 150.00", "recargo[3].porcentaje"),
        ("porcentaje = 2.00", "porcentaje = -2.00", "recargo[3].porcentaje"),
        ("porcentaje = 8.00", "porcentaje = 8.00\ndesde_planta = 2", "recargo[1].desde_planta"),
        ("estancia = \"aseo\"", "estancia = \"trastero\"", "tipo[2].estancia"),
        ("estancia = \"aseo\"\n", "", "tipo"),
        ("suelo*0.012 entero min 1 max 6", "suelo*0.012", "tipo[5].banos_supuestos"),
        ("suelo*0.012 entero min 1 max 6", "banos", "tipo[5].banos_supuestos"),
        ("suelo*0.012 entero min 1 max 6", "1.5", "tipo[5].banos_supuestos"),
    ] {
        let text = DEFAULT_TEXT.replacen(from, to, 1);
        assert_ne!(text, DEFAULT_TEXT, "{from}");
        let bad = Tarifa::parse(&text).expect_err(to);
        assert!(bad.errors.iter().any(|e| e.field == field), "{to}: {bad}");
    }
    let twice =
        DEFAULT_TEXT.replacen("salvo_estancias = [\"aseo\"]", "salvo_estancias = [\"aseo\", \"aseo\"]", 1);
    assert!(Tarifa::parse(&twice).is_err());
}

#[test]
fn carrying_is_counted_by_the_floors_climbed() {
    let tarifa = Tarifa::por_defecto();
    let recargo = tarifa.recargos.iter().find(|r| r.when == Cause::SinAscensor).expect("one");
    let at = |floors_on_foot| {
        let job = Circumstances { estructural: false, urgencia: Urgencia::Media, floors_on_foot };
        recargo.percentage_for(&job).map(|p| p.0)
    };
    assert_eq!(
        [0, 1, 2, 4, 6, 7, u8::MAX].map(at),
        [None, None, Some(200), Some(600), Some(1000), Some(1000), Some(1000)]
    );
}

#[test]
fn better_quality_never_costs_less() {
    for partida in Tarifa::por_defecto().partidas() {
        let precios: Vec<Cents> = partida.precios.iter().flatten().map(|p| p.precio).collect();
        assert!(precios.is_sorted(), "{}", partida.key);
    }
}

#[test]
fn the_shipped_text_is_canonical() {
    assert_eq!(Tarifa::por_defecto().write(), DEFAULT_TEXT);
}

#[test]
fn every_mistake_is_listed_with_its_line_and_field() {
    let text = r#"formato = 2
version = "2026 1"
vigente_desde = "ayer"
altura_m = 25.00
redondeo_rango = 100.00
inventado = 1

[provincias]
"Lisboa" = 100.00
"Guipúzcoa" = 112.00
"Gipuzkoa" = 112.00

[[capitulo]]
clave = "Obra"
nombre = ""

[[tipo]]
clave = "balcon"
nombre = "Balcón"
m2_minimo = 9.00
m2_bajo = 4.00
m2_supuesto = 5.00
m2_alto = 7.00
m2_maximo = 40.00
supuesto = "uno normal"
no_incluye = [3]

[[recargo]]
cuando = "urgencia_alta"
concepto = "Prisa"
porcentaje = -8.00
material = 101.00

[[partida]]
clave = "solado"
capitulo = "suelos"
tipos = ["bano", "patio"]
concepto = "Solado"
unidad = "m3"
cantidad = "techo*2"
media = { preco = 48.00, material = 38.00 }
premium = { precio = 70.005, material = 44.00 }
"#;
    let bad = Tarifa::parse(text).expect_err("full of mistakes");
    let lines: Vec<(usize, &str)> = bad.errors.iter().map(|e| (e.line, e.field.as_str())).collect();
    for expected in [
        (1, "formato"),
        (1, "notas"),
        (1, "tipo"),
        (2, "version"),
        (3, "vigente_desde"),
        (4, "altura_m"),
        (6, "inventado"),
        (9, "provincias.Lisboa"),
        // Provinces are read in alphabetical order, so of two spellings the later one is reported as the repetition.
        (10, "provincias.Guipúzcoa"),
        (14, "capitulo[0].clave"),
        (15, "capitulo[0].nombre"),
        (17, "tipo[0].m2_minimo"),
        (18, "tipo[0].clave"),
        (26, "tipo[0].no_incluye[0]"),
        (31, "recargo[0].porcentaje"),
        (32, "recargo[0].material"),
        (36, "partida[0].capitulo"),
        (37, "partida[0].tipos[1]"),
        (39, "partida[0].unidad"),
        (40, "partida[0].cantidad"),
        (41, "partida[0].media.preco"),
        (41, "partida[0].media.precio"),
        (42, "partida[0].premium.precio"),
    ] {
        assert!(lines.contains(&expected), "{expected:?} missing in\n{bad}");
    }
    assert!(bad.to_string().contains("No es una provincia española."), "{bad}");
    assert!(bad.to_string().contains("La provincia de Gipuzkoa está repetida."), "{bad}");
    assert!(bad.to_string().contains("Falta el tipo de reforma «cocina»."), "{bad}");
}

#[test]
fn broken_syntax_is_answered_in_spanish_with_all_its_lines() {
    let bad = Tarifa::parse("formato = \nversion = \"a\nnotas : 3\n").expect_err("no TOML");
    assert!(bad.errors.len() >= 3, "{bad}");
    assert!(bad.errors.is_sorted_by_key(|e| e.line));
    assert!(bad.errors.iter().any(|e| e.mensaje.starts_with("No se entiende como TOML")), "{bad}");
    let double = Tarifa::parse(&format!("formato = 1\n{DEFAULT_TEXT}")).expect_err("twice");
    assert_eq!((double.errors.len(), double.errors[0].line), (1, 2), "{double}");
    assert_eq!(double.errors[0].mensaje, "La clave está repetida.");
}

#[test]
fn a_table_must_price_what_a_lead_may_ask_for() {
    let without_premium: String =
        DEFAULT_TEXT.lines().filter(|l| !l.starts_with("premium = ")).flat_map(|l| [l, "\n"]).collect();
    let bad = Tarifa::parse(&without_premium).expect_err("no premium");
    assert_eq!(bad.errors.iter().filter(|e| e.field == "partida").count(), 8, "{bad}");
    assert!(
        bad.to_string().contains("No hay ninguna partida para otro (terraza) en calidad premium."),
        "{bad}"
    );
    assert!(bad.to_string().contains("No hay ninguna partida para bano en calidad premium."), "{bad}");
}

#[test]
fn a_hand_edited_table_may_be_loosely_written() {
    let loose = DEFAULT_TEXT
        .replace("cantidad = \"paredes*0.9\"", "cantidad = \"paredes × 0,90\" # sin huecos")
        .replace("\"Gipuzkoa\" = 112.00", "guipuzcoa = 112")
        // Tables of version 2026.1 have this in their surcharges.
        .replace("porcentaje = 8.00\n", "porcentaje = 8.00\nmaterial = 0.00\n");
    assert_ne!(loose, DEFAULT_TEXT);
    assert_eq!(Tarifa::parse(&loose).expect("still right"), Tarifa::por_defecto());
}

#[test]
fn the_table_in_force_is_the_last_that_began() {
    let mut tarifas = vec![Tarifa::por_defecto(), Tarifa::por_defecto(), Tarifa::por_defecto()];
    for (t, month) in tarifas.iter_mut().zip([1, 7, 4]) {
        t.version = format!("mes-{month}");
        t.vigente_desde = jiff::civil::date(2026, month, 1);
    }
    let at = |month, day| current(&tarifas, jiff::civil::date(2026, month, day)).map(Tarifa::version);
    assert_eq!([at(1, 1), at(4, 1), at(6, 30), at(12, 31)], ["mes-1", "mes-4", "mes-4", "mes-7"].map(Some));
    assert_eq!(current(&tarifas, jiff::civil::date(2025, 12, 31)), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn writing_and_reading_give_the_same_table(
        texts in proptest::collection::vec(r#"[a-zñÁ€²«»"\\#'=\[ ]{0,30}[a-z"\\]"#, 4),
        precio in 0_i64..=10_000_000,
        material in 0_i64..=10_000,
        coefficient in 1_i64..=1_000_000,
        minimum in proptest::option::of(1_i64..=500_000),
        integer: bool,
        n in 0_usize..60,
        year in proptest::option::of(1990_i16..=2100),
    ) {
        let mut tarifa = Tarifa::por_defecto();
        tarifa.notas.clone_from(&texts[0]);
        tarifa.capitulos[0].nombre.clone_from(&texts[1]);
        tarifa.capitulos[0].coste = Some(Percentage(material));
        let partida = &mut tarifa.partidas[n];
        partida.concepto.clone_from(&texts[2]);
        partida.precios[1] = Some(PartidaPrice {
            precio: Cents(precio),
            material: Percentage(material),
            coste: Some(Cents(precio / 2)),
            detail: Some(texts[3].clone()),
        });
        if partida.unidad != Unidad::Pa {
            let minimum = minimum.map(Cantidad);
            partida.cantidad =
                Rule { base: Base::Walls, coefficient_thousandths: coefficient, integer, minimum, maximum: None };
        }
        partida.source = Some(Source { text: texts[1].clone(), published: year, link: None });
        let text = tarifa.write();
        let read = Tarifa::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        prop_assert_eq!(&read, &tarifa);
        prop_assert_eq!(read.write(), text);
    }

    #[test]
    fn a_damaged_file_is_answered_never_crashed_on(since in 0_usize..36_000, length in 1_usize..400, with in ".{0,8}") {
        let edge = |n: usize| DEFAULT_TEXT.floor_char_boundary(n);
        let (a, b) = (edge(since), edge(since + length));
        let text = format!("{}{with}{}", &DEFAULT_TEXT[..a], &DEFAULT_TEXT[b..]);
        if let Err(bad) = Tarifa::parse(&text) {
            prop_assert!(!bad.errors.is_empty());
        }
    }
}
