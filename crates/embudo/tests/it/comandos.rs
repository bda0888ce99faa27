//! `empresa`, `lead`, `migrate` and `openapi`, alone and beside a running server.

use crate::cliente::call;
use crate::lugar::Lugar;
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

fn companies_are_created_listed_and_changed(lugar: &Lugar) {
    let created = json(&lugar.ok(&["empresa", "create", "--nombre", "Reformas Peña, S.L.", "--json"]));
    assert_eq!(created[0]["slug"], "reformas-pena-s-l");
    let names = || {
        let all = json(&lugar.ok(&["empresa", "list", "--json"]));
        let row = |e: &Value| {
            format!("{}{}", e["slug"].as_str().unwrap(), if e["porDefecto"] == true { "*" } else { "" })
        };
        all.as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["mi-empresa*", "reformas-pena-s-l"]);

    lugar.ok(&["empresa", "set", "reformas-pena-s-l", "--slug", "pena", "--por-defecto"]);
    let id = created[0]["id"].as_str().unwrap();
    let table = lugar.ok(&["empresa", "set", id, "--nombre", "Peña"]);
    assert!(table.starts_with("ID ") && table.contains("  Peña    pena  sí           –\n"), "{table}");
    assert_eq!(names(), ["pena*", "mi-empresa"]);

    let set = ["empresa", "set", "pena"];
    let address = lugar.ok(&[&set[..], &["--email-avisos", "obra@pena.es"]].concat());
    assert!(address.contains("  obra@pena.es\n"), "{address}");
    let off = lugar.ok(&[&set[..], &["--avisos", "false"]].concat());
    assert!(off.contains("  obra@pena.es (no)\n"), "{off}");
    let gone = json(&lugar.ok(&[&set[..], &["--email-avisos", "", "--avisos", "true", "--json"]].concat()));
    assert_eq!((&gone[0]["emailAvisos"], &gone[0]["avisos"]), (&Value::Null, &true.into()));
    let odd = lugar.fails(&[&set[..], &["--email-avisos", "a@b\nBcc: c@d.es"]].concat());
    assert!(odd.starts_with("embudo: --email-avisos: No parece"), "{odd}");
    let create = ["empresa", "create", "--nombre", "Sol", "--email-avisos", "a@sol.es", "--avisos", "false"];
    assert!(lugar.ok(&create).contains("  a@sol.es (no)\n"));
    assert_eq!(names(), ["pena*", "mi-empresa", "sol"]);

    let taken = lugar.fails(&["empresa", "create", "--nombre", "Pena"]);
    assert_eq!(taken, "embudo: another company uses the slug «pena»; give another with --slug\n");
    let odd = lugar.fails(&["empresa", "create", "--nombre", "X", "--slug", "Baños Sol"]);
    assert!(odd.contains("«banos-sol» would do"), "{odd}");
    let unknown = lugar.fails(&["empresa", "set", "nadie", "--nombre", "X"]);
    assert!(unknown.contains("«nadie»; there are: pena, mi-empresa, sol"), "{unknown}");
    assert_eq!(lugar.run(&["empresa", "set", "pena"]).status.code(), Some(2), "nothing to change");
}

fn leads_are_created_shown_and_listed(lugar: &Lugar) {
    lugar.ok(&["empresa", "create", "--nombre", "Peña"]);
    let create = ["lead", "create", "--nombre", "Begoña Núñez", "--telefono", "612 34 56 78"];
    let rest =
        ["--email", "Bego@Ejemplo.es", "--provincia", "Ávila", "--empresa", "pena", "--tipo-reforma", "bano"];
    let id = lugar.ok(&[&create[..], &rest].concat());
    let id = id.trim();
    let shown = lugar.ok(&["lead", "show", id]);
    for line in ["empresa    Peña", "teléfono   +34612345678", "provincia  Ávila", "reforma    bano"] {
        assert!(shown.lines().any(|shown| shown == line), "{line} is missing in\n{shown}");
    }
    let record = json(&lugar.ok(&["lead", "show", id, "--json"]));
    assert_eq!((&record["telefono"], &record["posibleDuplicado"]), (&"612 34 56 78".into(), &false.into()));

    for n in 0..3 {
        lugar.ok(&[
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
        let leads = json(&lugar.ok(&[&["lead", "list", "--json"], args].concat()));
        leads
            .as_array()
            .unwrap()
            .iter()
            .map(|lead| lead["nombre"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(list(&[]), ["Luis 2", "Luis 1", "Luis 0", "Begoña Núñez"]);
    assert_eq!(list(&["--limite", "2"]), ["Luis 2", "Luis 1"]);
    assert_eq!(list(&["--telefono", "0034612345678"]), ["Begoña Núñez"]);
    assert_eq!(list(&["--email", "BEGO@ejemplo.ES"]), ["Begoña Núñez"]);
    assert_eq!(list(&["--texto", "nunez"]), ["Begoña Núñez"]);
    assert_eq!(list(&["--empresa", "mi-empresa", "--limite", "1"]), ["Luis 2"]);
    assert!(lugar.ok(&["lead", "list"]).starts_with("ID "));

    let refused = lugar.fails(&[
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
    assert!(lugar.fails(&["lead", "list", "--telefono", "12"]).contains("--telefono: "));
    assert!(lugar.fails(&["lead", "show", "../empresas"]).contains("no lead has the id"));
    assert!(lugar.fails(&["lead", "show", "00000000-0000-4000-8000-000000000000"]).starts_with("embudo: "));
}

fn commands_work_beside_a_running_server(lugar: &Lugar) {
    let server = lugar.serve();
    let id = lugar.ok(&["lead", "create", "--nombre", "Ana", "--telefono", "612345678", "--email", "a@b.es"]);
    assert_eq!(call(&server, "GET", &format!("/api/leads/{}", id.trim()), "").json()["nombre"], "Ana");
    let body = r#"{"nombre":"Luis","telefono":"611223344","email":"l@x.es"}"#;
    assert_eq!(call(&server, "POST", "/api/leads", body).status, 201);
    assert!(lugar.ok(&["lead", "list"]).contains("Luis"));
    lugar.ok(&["migrate"]);
    lugar.ok(&["doctor"]);
    assert!(server.stop().0.success());
}

fn a_company_loads_its_own_prices(lugar: &Lugar) {
    let shipped = lugar.ok(&["tarifa", "export"]);
    let own = shipped.replacen("version = \"", "version = \"propia-", 1);
    std::fs::write(lugar.path("propia.toml"), &own).unwrap();
    assert!(lugar.ok(&["tarifa", "list"]).contains("in force"));
    let loaded = lugar.ok(&["tarifa", "import", "propia.toml"]);
    assert!(loaded.contains("propia-") && loaded.contains("is loaded"), "{loaded}");
    // Again is harmless; another text under the same version is not.
    lugar.ok(&["tarifa", "import", "propia.toml"]);
    assert_eq!(lugar.ok(&["tarifa", "export", "--empresa", "mi-empresa"]), own);
    let list = lugar.ok(&["tarifa", "list", "--empresa", "mi-empresa"]);
    let force: Vec<&str> = list.lines().filter(|l| l.contains("in force")).collect();
    assert!(force.len() == 1 && force[0].starts_with("propia-"), "{list}");
    std::fs::write(lugar.path("propia.toml"), own + "\n# cambiada\n").unwrap();
    assert!(lugar.fails(&["tarifa", "import", "propia.toml"]).contains("give this one a new `version`"));
    std::fs::write(lugar.path("mala.toml"), "version = 3").unwrap();
    assert!(lugar.fails(&["tarifa", "import", "mala.toml"]).contains("mala.toml"));
    let none = lugar.fails(&["tarifa", "export", "--empresa", "mi-empresa", "--version", "x"]);
    assert!(none.contains("no table of version «x»"), "{none}");
}

fn a_company_has_a_brand(lugar: &Lugar) {
    let brand = |args: &[&str]| lugar.ok(&[&["empresa", "marca", "mi-empresa"], args].concat());
    assert!(brand(&[]).contains("without a logo"));
    std::fs::write(lugar.path("logo.jpg"), embudo_testkit::jpeg(40, 20)).unwrap();
    std::fs::write(lugar.path("condiciones.txt"), "Una.\n\n  Dos. \n").unwrap();
    let set = brand(&[
        "--color",
        "#AA3300",
        "--nif",
        "B12345678",
        "--logo",
        "logo.jpg",
        "--condiciones",
        "condiciones.txt",
    ]);
    for part in ["#aa3300", "B12345678", "\"Una.\"", "\"Dos.\"", "with a logo"] {
        assert!(set.contains(part), "{part}: {set}");
    }
    assert!(
        set.contains("\"notasApi\": true"),
        "notes from the API are printed unless a company says otherwise: {set}"
    );
    assert!(brand(&["--notas-api", "false"]).contains("\"notasApi\": false"));
    // What is not given stays, an empty text removes, `-` removes a file.
    let unset = brand(&["--nif", "", "--logo", "-", "--condiciones", "-"]);
    assert!(
        unset.contains("#aa3300") && unset.contains("without a logo") && !unset.contains("B12345678"),
        "{unset}"
    );
    std::fs::write(lugar.path("logo.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>").unwrap();
    for (args, problem) in [
        (["--color", "rojo"], "--color"),
        (["--email", "no"], "--email"),
        (["--logo", "logo.svg"], "--logo"),
        (["--logo", "nada.png"], "nada.png"),
        (["--origen", "https://a.es/b"], "--origen"),
    ] {
        let said = lugar.fails(&[&["empresa", "marca", "mi-empresa"], &args[..]].concat());
        assert!(said.contains(problem), "{said}");
    }
}

fn migrate_says_what_it_did(lugar: &Lugar) {
    let first = lugar.ok(&["migrate"]);
    assert!(first.contains("the tables are now up to date (0 → 4)"), "{first}");
    assert!(lugar.ok(&["migrate"]).contains("the tables are up to date (4)"));
}

#[test]
fn openapi_needs_no_settings_and_no_folder() {
    let lugar = Lugar::sqlite().env("BIND", "abc");
    let document = json(&lugar.ok(&["openapi"]));
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{document}");
    assert!(document["paths"]["/api/leads"].is_object());
    assert!(!lugar.path("data").exists());
}

#[test]
fn a_price_table_is_exported_checked_and_used() {
    let lugar = Lugar::sqlite();
    let tabla = lugar.ok(&["tarifa", "export"]);
    std::fs::write(lugar.path("tarifa.toml"), &tabla).unwrap();
    assert!(lugar.ok(&["tarifa", "check", "tarifa.toml"]).contains("no mistakes"));
    std::fs::write(lugar.path("mala.toml"), tabla.replacen("version", "versoin", 1)).unwrap();
    assert!(lugar.fails(&["tarifa", "check", "mala.toml"]).contains("mala.toml"));
    let precio = lugar.ok(&[
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
    let sin_datos = lugar.ok(&["tarifa", "precio", "--tarifa", "tarifa.toml"]);
    assert!(sin_datos.contains("Orientativo"), "{sin_datos}");
    // The shipped table keeps away from the limit on materials; one that does not is right, and warned of.
    assert!(!lugar.ok(&["tarifa", "check", "tarifa.toml"]).contains("warning"));
    let cara = tabla.replace(
        "premium = { precio = 900.00, material = 43.00",
        "premium = { precio = 900.00, material = 56.00",
    );
    assert_ne!(cara, tabla);
    std::fs::write(lugar.path("cara.toml"), cara).unwrap();
    let avisos = lugar.ok(&["tarifa", "check", "cara.toml"]);
    assert!(avisos.contains("no mistakes\nwarning: cocina premium, "), "{avisos}");
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
    let precio = lugar.ok(&cocina).replace('\u{a0}', " ");
    assert!(precio.contains("El IVA del 10 % sería posible si compraras tú"), "{precio}");
}
