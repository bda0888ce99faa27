//! A CSV file is written and read back unchanged; mistakes in it are reported with line and column.

use proptest::prelude::*;

use super::*;
use crate::decimal::Percentage;
use crate::money::Cents;
use crate::tarifa::{PartidaPrice, TarifaEdit};

/// The shipped table with costs, an item without a type, and some prices of the company's own.
fn own() -> Tarifa {
    let mut table = Tarifa::por_defecto();
    let key = table.partidas[0].key.clone();
    let calidad = Calidad::Media;
    let edits = [
        TarifaEdit::ChapterCoste { capitulo: None, percentage: Some(Percentage(6_000)) },
        TarifaEdit::Coste { key: key.clone(), calidad, coste: Some(Cents(12_30)) },
        TarifaEdit::Precio { key, calidad, precio: Cents(123_456) },
        TarifaEdit::Add(Box::new(Partida {
            key: "nicho".into(),
            kinds: Vec::new(),
            concepto: "Nicho; con \"luz\", y más".into(),
            ..table.partidas[3].clone()
        })),
    ];
    edits.iter().for_each(|edit| table.edit(edit).expect("a change"));
    table
}

fn mistakes(base: &Tarifa, text: &str) -> Vec<(usize, String)> {
    let wrong = base.with_csv(text).expect_err("mistakes");
    wrong.errors.into_iter().map(|e| (e.line, e.field)).collect()
}

#[test]
fn a_sheet_comes_back_as_it_went() {
    for table in [Tarifa::por_defecto(), own(), own().imported().scaling_own(true)] {
        let sheet = table.csv();
        assert!(sheet.starts_with('\u{feff}') && sheet.contains("\r\n") && Tarifa::is_csv(&sheet));
        assert_eq!(table.with_csv(&sheet), Ok(table.clone()));
        assert_eq!(table.with_csv(&sheet).expect("the same").csv(), sheet);
        // Without the byte order mark, with other line breaks, and with empty rows at the end.
        let plain = sheet.trim_start_matches('\u{feff}').replace("\r\n", "\n") + ";;;;\n\n";
        assert_eq!(table.with_csv(&plain), Ok(table));
    }
    assert!(!Tarifa::is_csv(super::super::DEFAULT_TEXT) && !Tarifa::is_csv(""));
}

#[test]
fn commas_and_points_are_read_too() {
    let table = own();
    let mut reader = csv::ReaderBuilder::new();
    let sheet = table.csv();
    let mut reader = reader
        .delimiter(b';')
        .has_headers(false)
        .from_reader(sheet.trim_start_matches('\u{feff}').as_bytes());
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    for record in reader.records().map(|record| record.expect("a row")) {
        let number = |cell: &str| cell.bytes().all(|b| b.is_ascii_digit() || b == b',');
        let cell = |cell: &str| if number(cell) { cell.replace(',', ".") } else { cell.to_owned() };
        writer.write_record(record.iter().map(cell)).expect("a row");
    }
    let english = String::from_utf8(writer.into_inner().expect("all")).expect("text");
    assert!(english.starts_with("clave,capitulo,") && english.contains(",1234.56,"));
    assert_eq!(table.with_csv(&english), Ok(table.clone()));
    // A point before exactly three digits is ambiguous.
    let odd = english.replace(",1234.56,", ",1.234,");
    assert_eq!(mistakes(&table, &odd), [(2, "media.precio".to_owned())]);
    let tabs = "clave\tconcepto\nnicho\tNicho\n";
    assert!(table.with_csv(tabs).is_err_and(|wrong| wrong.errors.iter().all(|e| e.field == "partida")));
}

#[test]
fn columns_that_are_left_out_stay() {
    let table = own();
    let keys: String = table.partidas.iter().map(|p| format!("{};;;\n", p.key)).collect();
    let costs = format!("Clave;BÁSICA.coste;media.coste;premium.coste\n{keys}");
    let read = table.with_csv(&costs).expect("costs alone");
    assert!(read.partidas.iter().flat_map(|p| p.precios.iter().flatten()).all(|p| p.coste.is_none()));
    let mut expected = table.clone();
    for price in expected.partidas.iter_mut().flat_map(|p| p.precios.iter_mut().flatten()) {
        price.coste = None;
    }
    assert_eq!(read, expected);
    // A changed price is the company's own; the others stay as they were.
    let shipped = Tarifa::por_defecto();
    let (key, before) = (&shipped.partidas[0].key, shipped.partidas[0].precios[1].as_ref().expect("a price"));
    let dearer = Cents(before.precio.0 + 100);
    let mut changed = shipped.clone();
    changed.partidas[0].precios[1].as_mut().expect("a price").precio = dearer;
    let read = shipped.with_csv(&changed.csv()).expect("one price");
    assert_eq!(read.partidas.iter().filter(|p| p.own).map(|p| &p.key).collect::<Vec<_>>(), [key]);
}

#[test]
fn every_mistake_has_its_line_and_column() {
    let table = Tarifa::por_defecto();
    let mut lines: Vec<String> = table.csv().lines().map(str::to_owned).collect();
    lines[1] = lines[1].replacen("\"demoliciones\"", "\"derribos\"", 1);
    let (first, rest) = lines[3].split_once(';').expect("cells");
    assert!(first.starts_with('"'));
    lines[3] = format!("\"Con Mayúsculas\";{rest}");
    lines[5] = lines[5].replacen("\"m2\"", "\"kg\"", 1);
    lines.push("nueva;final;bano balcon;;;;quizá;;ud;techo;doce;;0;;;;;;1,5;-1;101;;;ayer;ftp".to_owned());
    let last = lines.len();
    let found = mistakes(&table, &lines.join("\r\n"));
    let expected = [
        (2, "capitulo"),
        (4, "clave"),
        (6, "unidad"),
        (last, "tipos"),
        (last, "solo_estructural"),
        (last, "concepto"),
        (last, "cantidad"),
        (last, "basica.precio"),
        (last, "premium.coste"),
        (last, "premium.material"),
        (last, "fuente.texto"),
        (last, "fuente.publicada"),
        (last, "fuente.enlace"),
    ];
    for (line, field) in expected {
        assert!(found.contains(&(line, field.to_owned())), "{line} {field} in {found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
    let refusal = |text: &str| table.with_csv(text).expect_err("mistakes").to_string();
    assert!(refusal("").contains("Falta esta columna"));
    assert!(refusal("clave;precio;clave\n").contains("Columna desconocida"));
    assert!(refusal("clave;precio;clave\n").contains("repetida"));
    assert!(refusal("clave;concepto\na;b;c\n").contains("Sobran celdas"));
    assert!(refusal("clave;concepto\na;b\u{fffd}o\n").contains("CSV UTF-8"));
    let many = format!("clave\n{}", "a\n".repeat(5_000));
    assert!(refusal(&many).contains("Hay más de 1000 partidas"));
    assert!(refusal(&"x".repeat(MAX_BYTES + 1)).contains("512 KB"));
    let twice = format!("{}{}", table.csv(), table.csv().lines().nth(1).expect("a row"));
    assert!(refusal(&twice).contains("está repetida"));
}

#[test]
fn no_cell_becomes_a_formula() {
    let mut table = Tarifa::por_defecto();
    for (n, evil) in ["=1+1", "+34", "-2", "@SUM(A1)", "'=1", "''", "＝1", "'hola"].iter().enumerate() {
        table.partidas[n].concepto = (*evil).to_owned();
    }
    let sheet = table.csv();
    for cell in sheet.lines().skip(1).flat_map(|line| line.split(';')) {
        assert!(!cell.trim_matches('"').starts_with(FORMULAS), "{cell}");
    }
    assert_eq!(table.with_csv(&sheet), Ok(table));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_table_comes_back(
        texts in proptest::collection::vec(r#"[ =+@'a-zñÁ€²«»"\\#;,\[]{0,30}[a-z"\\]"#, 3),
        precio in 0_i64..=10_000_000,
        coste in proptest::option::of(0_i64..=10_000_000),
        material in 0_i64..=10_000,
        n in 0_usize..60,
    ) {
        let mut table = Tarifa::por_defecto();
        let item = &mut table.partidas[n];
        item.concepto.clone_from(&texts[0]);
        item.own = true;
        item.precios[1] = Some(PartidaPrice {
            precio: Cents(precio),
            material: Percentage(material),
            coste: coste.map(Cents),
            detail: Some(texts[1].clone()),
        });
        item.source = Some(super::super::Source { text: texts[2].clone(), published: Some(2025), link: None });
        prop_assert_eq!(table.with_csv(&table.csv()), Ok(table));
    }

    #[test]
    fn a_damaged_sheet_is_answered_never_crashed_on(since in 0_usize..30_000, length in 1_usize..400, with in ".{0,8}") {
        let table = Tarifa::por_defecto();
        let sheet = table.csv();
        let edge = |n: usize| sheet.floor_char_boundary(n);
        let text = format!("{}{with}{}", &sheet[..edge(since)], &sheet[edge(since + length)..]);
        if let Err(bad) = table.with_csv(&text) {
            prop_assert!(!bad.errors.is_empty());
        }
    }
}
