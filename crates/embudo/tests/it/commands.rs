//! `empresa`, `lead`, `migrate` and `openapi`, alone and beside a running server.

use crate::client::call;
use crate::place::Place;
use embudo_store_sqlite::NEWEST;
use serde_json::Value;

embudo_testkit::both_engines!(blocking: companies_are_created_listed_and_changed,
    leads_are_created_shown_and_listed,
    commands_work_beside_a_running_server,
    migrate_says_what_it_did,
    a_company_loads_its_own_prices,
    a_company_has_a_brand,
);

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn companies_are_created_listed_and_changed(place: &Place) {
    let created = json(&place.ok(&["empresa", "create", "--nombre", "Reformas Peña, S.L.", "--json"]));
    assert_eq!(created[0]["slug"], "reformas-pena-s-l");
    let names = || {
        let all = json(&place.ok(&["empresa", "list", "--json"]));
        let row = |e: &Value| {
            format!("{}{}", e["slug"].as_str().unwrap(), if e["porDefecto"] == true { "*" } else { "" })
        };
        all.as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["mi-empresa*", "reformas-pena-s-l"]);

    place.ok(&["empresa", "set", "reformas-pena-s-l", "--slug", "pena", "--default"]);
    let id = created[0]["id"].as_str().unwrap();
    let table = place.ok(&["empresa", "set", id, "--nombre", "Peña"]);
    assert!(table.starts_with("ID ") && table.contains("  Peña  pena  yes      –\n"), "{table}");
    assert_eq!(names(), ["pena*", "mi-empresa"]);

    let set = ["empresa", "set", "pena"];
    let address = place.ok(&[&set[..], &["--notices-to", "obra@pena.es"]].concat());
    assert!(address.contains("  obra@pena.es\n"), "{address}");
    let off = place.ok(&[&set[..], &["--notices", "false"]].concat());
    assert!(off.contains("  obra@pena.es (no)\n"), "{off}");
    let gone = json(&place.ok(&[&set[..], &["--notices-to", "", "--notices", "true", "--json"]].concat()));
    assert_eq!((&gone[0]["emailAvisos"], &gone[0]["avisos"]), (&Value::Null, &true.into()));
    let odd = place.fails(&[&set[..], &["--notices-to", "a@b\nBcc: c@d.es"]].concat());
    assert!(odd.starts_with("embudo: --notices-to: No parece"), "{odd}");
    let create = ["empresa", "create", "--nombre", "Sol", "--notices-to", "a@sol.es", "--notices", "false"];
    assert!(place.ok(&create).contains("  a@sol.es (no)\n"));
    assert_eq!(names(), ["pena*", "mi-empresa", "sol"]);

    let taken = place.fails(&["empresa", "create", "--nombre", "Pena"]);
    assert_eq!(taken, "embudo: another company uses the slug «pena»; give another with --slug\n");
    let odd = place.fails(&["empresa", "create", "--nombre", "X", "--slug", "Baños Sol"]);
    assert!(odd.contains("«banos-sol» would do"), "{odd}");
    let unknown = place.fails(&["empresa", "set", "nadie", "--nombre", "X"]);
    assert!(unknown.contains("«nadie»; there are: pena, mi-empresa, sol"), "{unknown}");
    assert_eq!(place.run(&["empresa", "set", "pena"]).status.code(), Some(2), "nothing to change");
}

fn leads_are_created_shown_and_listed(place: &Place) {
    place.ok(&["empresa", "create", "--nombre", "Peña"]);
    let create = ["lead", "create", "--nombre", "Begoña Núñez", "--telefono", "612 34 56 78"];
    let rest =
        ["--email", "Bego@Ejemplo.es", "--provincia", "Ávila", "--empresa", "pena", "--tipo-reforma", "bano"];
    let id = place.ok(&[&create[..], &rest].concat());
    let id = id.trim();
    let shown = place.ok(&["lead", "show", id]);
    for line in ["company    Peña", "telephone  +34612345678", "province   Ávila", "job        bano"] {
        assert!(shown.lines().any(|shown| shown == line), "{line} is missing in\n{shown}");
    }
    let record = json(&place.ok(&["lead", "show", id, "--json"]));
    assert_eq!((&record["telefono"], &record["posibleDuplicado"]), (&"612 34 56 78".into(), &false.into()));

    for n in 0..3 {
        place.ok(&[
            "lead",
            "create",
            "--nombre",
            &format!("Luis {n}"),
            "--telefono",
            "+34 611 22 33 44",
            "--email",
            "l@x.es",
        ]);
    }
    let list = |args: &[&str]| {
        let leads = json(&place.ok(&[&["lead", "list", "--json"], args].concat()));
        leads
            .as_array()
            .unwrap()
            .iter()
            .map(|lead| lead["nombre"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(list(&[]), ["Luis 2", "Luis 1", "Luis 0", "Begoña Núñez"]);
    assert_eq!(list(&["--limit", "2"]), ["Luis 2", "Luis 1"]);
    assert_eq!(list(&["--telefono", "0034612345678"]), ["Begoña Núñez"]);
    assert_eq!(list(&["--email", "BEGO@ejemplo.ES"]), ["Begoña Núñez"]);
    assert_eq!(list(&["--text", "nunez"]), ["Begoña Núñez"]);
    assert_eq!(list(&["--empresa", "mi-empresa", "--limit", "1"]), ["Luis 2"]);
    assert!(place.ok(&["lead", "list"]).starts_with("ID "));

    let refused = place.fails(&[
        "lead",
        "create",
        "--nombre",
        "",
        "--telefono",
        "12",
        "--email",
        "x",
        "--urgencia",
        "ya",
    ]);
    for flag in ["--nombre: ", "--telefono: ", "--email: ", "--urgencia: "] {
        assert!(refused.contains(flag), "{refused}");
    }
    assert!(place.fails(&["lead", "list", "--telefono", "12"]).contains("--telefono: "));
    assert!(place.fails(&["lead", "show", "../empresas"]).contains("no lead has the id"));
    assert!(place.fails(&["lead", "show", "00000000-0000-4000-8000-000000000000"]).starts_with("embudo: "));
}

fn commands_work_beside_a_running_server(place: &Place) {
    let server = place.serve();
    let id = place.ok(&["lead", "create", "--nombre", "Ana", "--telefono", "612345678", "--email", "a@b.es"]);
    assert_eq!(call(&server, "GET", &format!("/api/leads/{}", id.trim()), "").json()["nombre"], "Ana");
    let body = r#"{"nombre":"Luis","telefono":"611223344","email":"l@x.es"}"#;
    assert_eq!(call(&server, "POST", "/api/leads", body).status, 201);
    assert!(place.ok(&["lead", "list"]).contains("Luis"));
    place.ok(&["migrate"]);
    place.ok(&["doctor"]);
    assert!(server.stop().0.success());
}

fn a_company_loads_its_own_prices(place: &Place) {
    let shipped = place.ok(&["tarifa", "export"]);
    let own = shipped.replacen("version = \"", "version = \"propia-", 1);
    std::fs::write(place.path("propia.toml"), &own).unwrap();
    assert!(place.ok(&["tarifa", "list"]).contains("in force"));
    let loaded = place.ok(&["tarifa", "import", "propia.toml"]);
    assert!(loaded.contains("propia-") && loaded.contains("is loaded"), "{loaded}");
    // Importing the same file again succeeds; another text with the same version is refused.
    place.ok(&["tarifa", "import", "propia.toml"]);
    // The loaded prices are the company's own, even if the file marks them as shipped.
    let loaded = own.replace("de_serie = [\"*\"]", "de_serie = []");
    assert_eq!(place.ok(&["tarifa", "export", "--empresa", "mi-empresa"]), loaded);
    let list = place.ok(&["tarifa", "list", "--empresa", "mi-empresa"]);
    let force: Vec<&str> = list.lines().filter(|l| l.contains("in force")).collect();
    assert!(force.len() == 1 && force[0].starts_with("propia-"), "{list}");
    std::fs::write(place.path("propia.toml"), own + "\n# cambiada\n").unwrap();
    assert!(place.fails(&["tarifa", "import", "propia.toml"]).contains("give this one a new `version`"));
    std::fs::write(place.path("mala.toml"), "version = 3").unwrap();
    assert!(place.fails(&["tarifa", "import", "mala.toml"]).contains("mala.toml"));
    let none = place.fails(&["tarifa", "export", "--empresa", "mi-empresa", "--version", "x"]);
    assert!(none.contains("no table of version «x»"), "{none}");
    // The same table as a sheet, which contains neither its version nor its first day.
    let sheet = place.ok(&["tarifa", "export", "--empresa", "mi-empresa", "--csv"]);
    assert!(sheet.contains("\"clave\";\"capitulo\""), "{sheet}");
    std::fs::write(place.path("propia.csv"), &sheet).unwrap();
    assert!(place.ok(&["tarifa", "check", "propia.csv"]).contains("no mistakes"));
    assert!(place.fails(&["tarifa", "import", "propia.csv"]).contains("--version"));
    assert!(place.fails(&["tarifa", "import", "mala.toml", "--version", "x"]).contains("mala.toml"));
    let loaded =
        place.ok(&["tarifa", "import", "propia.csv", "--version", "excel-1", "--from", "2026-11-17"]);
    assert!(loaded.contains("version excel-1 is loaded and holds from 2026-11-17"), "{loaded}");
    let again = place.ok(&["tarifa", "export", "--empresa", "mi-empresa", "--version", "excel-1", "--csv"]);
    assert_eq!(again, sheet);
    std::fs::write(place.path("mala.csv"), sheet.replacen("\"m2\"", "\"kg\"", 1)).unwrap();
    let wrong = place.fails(&["tarifa", "check", "mala.csv"]);
    assert!(wrong.contains("línea") && wrong.contains("unidad"), "{wrong}");
}

fn a_company_has_a_brand(place: &Place) {
    let brand = |args: &[&str]| place.ok(&[&["empresa", "marca", "mi-empresa"], args].concat());
    assert!(brand(&[]).contains("without a logo"));
    std::fs::write(place.path("logo.jpg"), embudo_testkit::jpeg(40, 20)).unwrap();
    std::fs::write(place.path("condiciones.txt"), "Una.\n\n  Dos. \n").unwrap();
    let set = brand(&[
        "--color",
        "#AA3300",
        "--nif",
        "B12345678",
        "--logo",
        "logo.jpg",
        "--conditions",
        "condiciones.txt",
    ]);
    for part in ["#aa3300", "B12345678", "\"Una.\"", "\"Dos.\"", "with a logo"] {
        assert!(set.contains(part), "{part}: {set}");
    }
    assert!(
        set.contains("\"notasApi\": true"),
        "notes from the API are printed unless a company says otherwise: {set}"
    );
    assert!(brand(&["--api-notes", "false"]).contains("\"notasApi\": false"));
    // A value that is not given stays. An empty text removes a value, and `-` removes a file.
    let unset = brand(&["--nif", "", "--logo", "-", "--conditions", "-"]);
    assert!(
        unset.contains("#aa3300") && unset.contains("without a logo") && !unset.contains("B12345678"),
        "{unset}"
    );
    std::fs::write(place.path("logo.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>").unwrap();
    for (args, problem) in [
        (["--color", "rojo"], "--color"),
        (["--email", "no"], "--email"),
        (["--logo", "logo.svg"], "--logo"),
        (["--logo", "nada.png"], "nada.png"),
        (["--origin", "https://a.es/b"], "--origin"),
    ] {
        let said = place.fails(&[&["empresa", "marca", "mi-empresa"], &args[..]].concat());
        assert!(said.contains(problem), "{said}");
    }
}

fn migrate_says_what_it_did(place: &Place) {
    let first = place.ok(&["migrate"]);
    assert!(first.contains(&format!("the tables are now up to date (0 → {NEWEST})")), "{first}");
    assert!(place.ok(&["migrate"]).contains(&format!("the tables are up to date ({NEWEST})")));
}

#[test]
fn openapi_needs_no_settings_and_no_folder() {
    let place = Place::sqlite().env("BIND", "abc");
    let document = json(&place.ok(&["openapi"]));
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{document}");
    assert!(document["paths"]["/api/leads"].is_object());
    assert!(!place.path("data").exists());
}

#[test]
fn a_price_table_is_exported_checked_and_used() {
    let place = Place::sqlite();
    let table = place.ok(&["tarifa", "export"]);
    std::fs::write(place.path("tarifa.toml"), &table).unwrap();
    assert!(place.ok(&["tarifa", "check", "tarifa.toml"]).contains("no mistakes"));
    std::fs::write(place.path("mala.toml"), table.replacen("version", "versoin", 1)).unwrap();
    assert!(place.fails(&["tarifa", "check", "mala.toml"]).contains("mala.toml"));
    let precio = place.ok(&[
        "tarifa",
        "precio",
        "--tipo",
        "bano",
        "--m2",
        "5",
        "--calidad",
        "media",
        "--provincia",
        "Madrid",
    ]);
    assert!(precio.contains("Total") && precio.contains("IVA"), "{precio}");
    let without_data = place.ok(&["tarifa", "precio", "--tarifa", "tarifa.toml"]);
    assert!(without_data.contains("Estimate: "), "{without_data}");
    // The shipped table stays below the limit on materials; a table above the limit is valid, but causes a warning.
    assert!(!place.ok(&["tarifa", "check", "tarifa.toml"]).contains("warning"));
    let face = table.replace(
        "premium = { precio = 900.00, material = 43.00",
        "premium = { precio = 900.00, material = 56.00",
    );
    assert_ne!(face, table);
    std::fs::write(place.path("cara.toml"), face).unwrap();
    let notices = place.ok(&["tarifa", "check", "cara.toml"]);
    assert!(notices.contains("no mistakes\nwarning: cocina premium, "), "{notices}");
    let cocina = [
        "tarifa",
        "precio",
        "--tipo",
        "cocina",
        "--m2",
        "12",
        "--calidad",
        "premium",
        "--tarifa",
        "cara.toml",
    ];
    let precio = place.ok(&cocina).replace('\u{a0}', " ");
    assert!(precio.contains("El IVA del 10 % sería posible si compraras tú"), "{precio}");
}
