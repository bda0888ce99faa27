//! Leads from a spreadsheet.

use std::fs;

use crate::place::Place;

embudo_testkit::both_engines!(blocking: a_spreadsheet_is_looked_through_and_then_imported, what_a_spreadsheet_is_written_in_is_recognised_and_told, a_quotation_mark_that_nobody_closed_is_told, a_short_file_is_not_swallowed_by_a_quotation_mark);

fn a_spreadsheet_is_looked_through_and_then_imported(place: &Place) {
    let text = "\u{feff}Cliente;Móvil;Correo;Tipo de reforma;m2;Comentario\n\
        Ana García;612 34 56 78;ana@ejemplo.es;Cocina;12,5;llamar\n\
        Luis;699999999;luis@ejemplo.es;;;\n\
        ;;;;;\n\
        Eva;no tiene;eva@ejemplo.es;Piscina;;\n\
        Otra Ana;+34612345678;otra@ejemplo.es;;;\n";
    fs::write(place.path("leads.csv"), text).unwrap();

    let look = |args: &[&str]| {
        let output = place.run(&[&["import", "leads.csv"], args].concat());
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, told) = look(&[]);
    assert_eq!(code, Some(1), "{told}");
    for part in [
        "«Móvil» → telefono\n",
        "«Tipo de reforma» → tipoReforma\n",
        "«Comentario» is left out\n",
        "line 5: Móvil: ",
        "Tipo de reforma: ",
        "line 6: the same telephone or e-mail as an earlier line of the file\n",
        "2 leads could be imported; --yes does it\n1 duplicates, left out\n1 lines with faults\n",
    ] {
        assert!(told.contains(part), "«{part}» in: {told}");
    }
    assert_eq!(place.ok(&["lead", "list"]).lines().count(), 1, "nothing was written");

    let (_, told) = look(&["--yes"]);
    assert!(told.contains("2 leads imported\n"), "{told}");
    let list = place.ok(&["lead", "list"]);
    assert!(
        list.lines().count() == 3 && list.contains("Ana García") && list.contains("+34612345678"),
        "{list}"
    );
    assert_eq!(place.ok(&["jobs", "list"]).lines().count(), 1, "nobody is told");

    let (_, told) = look(&["--yes"]);
    assert!(
        told.contains("0 leads imported\n3 duplicates, left out\n") && told.contains("as the lead "),
        "{told}"
    );
    let (_, told) = look(&["--yes", "--duplicates"]);
    assert!(told.contains("3 leads imported\n3 duplicates\n"), "{told}");

    fs::write(place.path("leads.csv"), "A,B,C\nAna,612345678,ana@ejemplo.es\n").unwrap();
    let refused = place.fails(&["import", "leads.csv"]);
    assert!(
        refused.contains("no column is the nombre") && refused.contains("--map HEADING=nombre"),
        "{refused}"
    );
    let (code, told) =
        look(&["--map", "A=nombre", "--map", "B=telefono", "--map", "C=email", "--duplicates"]);
    assert!(code == Some(0) && told.contains("1 leads could be imported"), "{told}");
}

fn a_quotation_mark_that_nobody_closed_is_told(place: &Place) {
    let lines = "Luis,699999999,luis@ejemplo.es\n".repeat(100_000);
    let text = format!(
        "nombre,telefono,email\nAna,612345678,ana@ejemplo.es\n\"Eva,611111111,eva@ejemplo.es\n{lines}"
    );
    fs::write(place.path("leads.csv"), text).unwrap();
    let output = place.run(&["import", "leads.csv"]);
    let [told, failed] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(1), "{failed}");
    assert!(told.contains("1 leads could be imported"), "{told}");
    assert!(failed.contains("line 3: ") && failed.contains("a quotation mark is missing"), "{failed}");
}

fn a_short_file_is_not_swallowed_by_a_quotation_mark(place: &Place) {
    let look = |text: &str| {
        fs::write(place.path("leads.csv"), text).unwrap();
        let output = place.run(&["import", "leads.csv"]);
        let [told, failed] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code(), told, failed)
    };
    let eva = "Eva,611111111,eva@ejemplo.es,x";
    let rest = "Luis,699999999,luis@ejemplo.es,y\nPepe,622222222,pepe@ejemplo.es,z\n";
    for stray in [
        // The unclosed quotation mark is before, within or after the line's cells.
        format!("\"{eva}\n{rest}"),
        format!("Eva,611111111,\"eva@ejemplo.es,x\n{rest}"),
        format!("Eva,611111111,eva@ejemplo.es,\"x\n{rest}"),
        // Closed by a quotation mark in the next line.
        format!("\"{eva}\n\"Luis\",699999999,luis@ejemplo.es,y\n"),
        "Eva,611111111,eva@ejemplo.es,\"x\n\"Luis\",699999999,luis@ejemplo.es,y\n".to_owned(),
    ] {
        for (end, text) in [("lf", stray.clone()), ("crlf", stray.replace('\n', "\r\n"))] {
            let end = if end == "crlf" { "\r\n" } else { "\n" };
            let text = format!("nombre,telefono,email,nota{end}Ana,612345678,ana@ejemplo.es,{end}{text}");
            let (code, told, failed) = look(&text);
            assert_eq!(code, Some(1), "{text:?}: {told}{failed}");
            assert!(told.contains("1 leads could be imported"), "{text:?}: {told}");
            assert!(
                failed.contains("line 3: ") && failed.contains("a quotation mark is missing"),
                "{text:?}: {failed}"
            );
        }
    }

    // Lines within a cell that are no leads are allowed, and lines are counted correctly with both kinds of line ends,
    // including empty lines.
    let text = "Nota,nombre,telefono,email\n\"una, dos\ny tres\",Ana,612345678,ana@ejemplo.es\n\n\
        ,\"Luis\nMartín, hijo\",699999999,luis@ejemplo.es\n,Eva,no tiene,eva@ejemplo.es\n";
    for text in [text.to_owned(), text.replace('\n', "\r\n")] {
        let (code, told, failed) = look(&text);
        assert_eq!((code, failed.as_str()), (Some(1), ""), "{told}");
        assert!(told.contains("«email» → email\n"), "{told:?}");
        assert!(told.contains("line 7: telefono: "), "{text:?}: {told}");
        assert!(told.contains("2 leads could be imported"), "{told}");
    }
}

/// No text is read in a wrong encoding without a message.
fn what_a_spreadsheet_is_written_in_is_recognised_and_told(place: &Place) {
    let text = |name: &str, telefono: &str| {
        format!(
            "Nombre;Teléfono;Correo;presupuestoDeclarado\n{name};{telefono};{telefono}@ejemplo.es;6.000 €\n"
        )
    };
    let utf16 = |text: String| -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    // «é» and «ñ» have the same codes as in Latin-1, «€» has another one.
    let windows = |text: String| -> Vec<u8> {
        let byte = |c: char| if c == '€' { 0x80 } else { u8::try_from(u32::from(c)).unwrap() };
        text.chars().map(byte).collect()
    };
    for (bytes, said, name) in [
        (text("Ana Núñez", "612000001").into_bytes(), "UTF-8", "Ana Núñez"),
        (utf16(text("Iván Ibáñez", "612000002")), "UTF-16 (little-endian)", "Iván Ibáñez"),
        (windows(text("Eva Muñoz", "612000003")), "Windows-1252", "Eva Muñoz"),
    ] {
        fs::write(place.path("leads.csv"), bytes).unwrap();
        let told = place.ok(&["import", "leads.csv", "--yes"]);
        assert!(told.starts_with(&format!("the file is read as {said}\n")), "{told}");
        let id = place.ok(&["lead", "list"]);
        let id =
            id.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {id}")).to_owned();
        let id = id.split_whitespace().find(|word| word.len() == 36).unwrap();
        let shown = place.ok(&["lead", "show", id]);
        assert!(shown.contains("6.000 €"), "{said}: {shown}");
    }
    fs::write(place.path("leads.csv"), b"Nombre;Movil;Correo\nAna \x81;612000009;a@b.es\n").unwrap();
    let output = place.run(&["import", "leads.csv"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("line 2: it holds bytes that are no character"), "{told}");
    fs::write(
        place.path("leads.csv"),
        "Nombre".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
    )
    .unwrap();
    assert!(place.fails(&["import", "leads.csv"]).contains("has no byte order mark"));
}
