//! `embudo usuario`, and the link in the data folder while nobody can sign in.

use crate::place::Place;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Output, Stdio};

embudo_testkit::both_engines!(blocking: people_are_created_listed_and_changed,
    passwords_are_given_and_links_made,
    the_set_up_link_lies_in_the_folder_until_somebody_is_there,
);

const PASSWORD: &str = "cuatro gatos verdes bailan\n";

/// Runs a command with a password on its standard input.
fn with_input(place: &Place, args: &[&str], input: &str) -> Output {
    let mut command = place.command(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that refuses its arguments does not read its input; the write may then fail.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn ok(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn people_are_created_listed_and_changed(place: &Place) {
    let create = ["usuario", "create", "--email", "Ana@Ejemplo.es", "--nombre", "Ana García"];
    let admin = [&create[..], &["--administrador"]].concat();
    assert!(refused(&with_input(place, &create, PASSWORD)).contains("add --administrador"));
    assert!(refused(&with_input(place, &admin, "corta\n")).contains("12 caracteres"));
    assert!(refused(&with_input(place, &admin, "")).contains("no password came"));
    let made = ok(&with_input(place, &admin, PASSWORD));
    assert!(made.contains("Ana@Ejemplo.es") && made.contains("administrador"), "{made}");
    assert!(refused(&with_input(place, &admin, PASSWORD)).contains("another person has this e-mail"));

    let luis = [
        "usuario",
        "create",
        "--email",
        "luis@ejemplo.es",
        "--nombre",
        "Luis",
        "--role",
        "mi-empresa=lectura",
    ];
    assert!(ok(&with_input(place, &luis, PASSWORD)).contains("mi-empresa=lectura"));
    let odd = ["usuario", "create", "--email", "x@ejemplo.es", "--nombre", "X", "--role", "mi-empresa=jefe"];
    assert!(refused(&with_input(place, &odd, PASSWORD)).contains("lectura, comercial, gestor"));

    let roles = |args: &[&str]| place.ok(&[&["usuario", "roles", "luis@ejemplo.es"], args].concat());
    assert!(roles(&["--role", "mi-empresa=gestor"]).contains("mi-empresa=gestor"));
    assert!(roles(&["--role", "mi-empresa=none", "--active", "false"]).contains("–"));
    let last = place.fails(&["usuario", "roles", "ana@ejemplo.es", "--administrador", "false"]);
    assert!(last.contains("make another person administrator first"), "{last}");
    assert!(
        place
            .fails(&["usuario", "roles", "nadie@x.es", "--active", "true"])
            .contains("nobody has the e-mail")
    );
    assert_eq!(
        place.run(&["usuario", "roles", "luis@ejemplo.es"]).status.code(),
        Some(2),
        "nothing to change"
    );

    let listed: serde_json::Value = serde_json::from_str(&place.ok(&["usuario", "list", "--json"])).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!((&listed[0]["nombre"], &listed[0]["administrador"]), (&"Ana García".into(), &true.into()));
    assert_eq!((&listed[1]["activo"], &listed[1]["roles"]), (&false.into(), &serde_json::json!([])));
}

fn passwords_are_given_and_links_made(place: &Place) {
    let create = ["usuario", "create", "--email", "ana@ejemplo.es", "--nombre", "Ana", "--administrador"];
    let link = place.ok(&[&create[..], &["--link"]].concat());
    assert!(link.starts_with("http://") && link.contains("/panel/recuperar?pase="), "{link}");
    assert!(place.ok(&["usuario", "list"]).contains("no"), "no password yet");
    let told = ok(&with_input(place, &["usuario", "reset", "ana@ejemplo.es"], PASSWORD));
    assert!(told.contains("every session of the person has ended"), "{told}");
    let own = with_input(place, &["usuario", "reset", "ana@ejemplo.es"], "ana@ejemplo.es\n");
    assert!(refused(&own).contains("Se parece demasiado"), "{own:?}");
    let again = place.ok(&["usuario", "reset", "ana@ejemplo.es", "--link"]);
    assert_ne!(again, link);
}

fn the_set_up_link_lies_in_the_folder_until_somebody_is_there(place: &Place) {
    let file = place.path("data/panel-setup");
    let server = place.serve();
    server.log.wait_for("nobody can sign in to the panel yet");
    let link = std::fs::read_to_string(&file).unwrap();
    assert!(link.starts_with(&format!("{}/panel/empezar?pase=", server.url)), "{link}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let pass = link.trim().rsplit('=').next().unwrap().to_owned();
    let log = server.log.text();
    assert!(!log.contains(&pass), "a log gets the file only");
    let (_, printed) = server.stop();
    assert!(!printed.contains(&pass), "it is printed on a terminal alone");

    let server = place.serve();
    let again = std::fs::read_to_string(&file).unwrap();
    assert_eq!(again.trim().rsplit('=').next(), Some(pass.as_str()), "every process makes the same pass");
    let create = ["usuario", "create", "--email", "ana@ejemplo.es", "--nombre", "Ana", "--administrador"];
    ok(&with_input(place, &create, PASSWORD));
    assert!(!file.exists());
    server.stop();
    place.serve().stop();
    assert!(!file.exists(), "it is not made again");
}
