//! The command line, the log and the metrics are for operators and speak English. Words of the business (commands such
//! as `empresa`, fields such as `--nombre`, values such as `mensajeria`) keep their name.

use crate::client::call;
use crate::place::Place;

/// Words that show that Spanish text has come back. None of them is a business word or a value of the contract.
const SPANISH: &str = "de del la el los las un una que para con sin por se su sus hay ya si como cuando donde desde hasta \
    todo todos nada sea son fue ser aviso avisos falla fallo enlace estado limite texto muertos activo unidos dias saludo \
    politica condiciones creado creada proximo entregas inicio fin duracion destino fecha proceso acceso puerta \
    tarea tareas trabajo trabajos reinicios clave segundo defecto configurar contrasena pagina numero valido";

/// The Spanish words of a text. Text in quotation marks is skipped: it is an example of what somebody types.
fn spanish_in(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '«' => quoted = true,
            '»' => quoted = false,
            c if !quoted => plain.push(c),
            _ => {}
        }
    }
    let words = plain.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase);
    let is_spanish = |word: &String| {
        word.contains(['á', 'é', 'í', 'ó', 'ú', 'ñ', 'ü']) || SPANISH.split_whitespace().any(|w| w == word)
    };
    words.filter(is_spanish).collect()
}

fn assert_english(what: &str, text: &str) {
    let found = spanish_in(text);
    assert!(found.is_empty(), "{what} says {found:?}:\n{text}");
}

/// The subcommands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
    let list =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_help_text_is_english() {
    fn walk(place: &Place, command: &[&str]) -> usize {
        let help = place.ok(&[command, &["--help"]].concat());
        assert_english(&format!("embudo {} --help", command.join(" ")), &help);
        let below = subcommands(&help);
        1 + below.iter().map(|name| walk(place, &[command, &[name.as_str()]].concat())).sum::<usize>()
    }
    let seen = walk(&Place::sqlite(), &[]);
    assert!(seen > 35, "only {seen} commands were found");
}

#[test]
fn what_commands_print_is_english() {
    let place = Place::sqlite();
    let lead = ["lead", "create", "--nombre", "Ana", "--telefono", "612345678", "--email", "ana@example.com"];
    let lead = place.ok(&lead);
    assert!(place.serve().stop().0.success());
    for args in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["config"],
        &["config", "--markdown"],
        &["empresa", "list"],
        &["empresa", "marca", "mi-empresa", "--color", "#112233"],
        &["lead", "list"],
        &["lead", "show", lead.trim()],
        &["jobs", "list"],
        &["usuario", "list"],
        &["tarifa", "list"],
        &["presupuesto", "list", lead.trim()],
        &["blobs", "sweep"],
        &["migrate"],
    ] {
        let output = place.run(args);
        // The names of a brand's own fields are those of the contract.
        if !args.contains(&"marca") {
            assert_english(&args.join(" "), &String::from_utf8(output.stdout).unwrap());
        }
        assert_english(&args.join(" "), &String::from_utf8(output.stderr).unwrap());
    }
    for wrong in [&["lead", "show", "x"][..], &["jobs", "show", "x"], &["empresa", "set", "x", "--slug", "y"]]
    {
        assert_english(&wrong.join(" "), &place.fails(wrong));
    }
}

#[test]
fn log_and_metrics_are_english() {
    let place = Place::sqlite().env("LOG", "trace");
    let server = place.serve();
    let body = r#"{"nombre":"Ana","telefono":"612345678","email":"ana@example.com"}"#;
    assert_eq!(call(&server, "POST", "/api/leads", body).status, 201);
    call(&server, "GET", "/panel/entrar", "");
    let page = call(&server, "GET", "/metrics", "").body;
    for line in page.lines() {
        let help = line.strip_prefix("# HELP ");
        // The value of a label may be a business word.
        let without_values: String = line.split('"').step_by(2).collect::<Vec<_>>().join(" ");
        assert_english("a metric", &help.unwrap_or(&without_values).replace('_', " "));
        assert!(!without_values.contains("tipo"), "{line}");
    }
    let log = server.log.clone();
    assert!(server.stop().0.success());
    for line in log.text().lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        let fields: Vec<&str> = event.as_object().unwrap().keys().map(String::as_str).collect();
        let (target, message) = (event["target"].as_str(), event["message"].as_str());
        assert_english(
            "the log",
            &[fields.join(" "), [target, message].into_iter().flatten().collect::<Vec<_>>().join(" ")]
                .join(" "),
        );
    }
}
