//! `embudo doctor`.

use crate::place::Place;
use embudo_store_sqlite::NEWEST;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::{fs, thread};

embudo_testkit::both_engines!(blocking: all_is_well_after_a_first_start);

/// Each check's name and result.
fn results(output: &std::process::Output) -> Vec<(String, String)> {
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    checks.as_array().unwrap().iter().map(|check| (text(&check["check"]), text(&check["result"]))).collect()
}

fn result(output: &std::process::Output, name: &str) -> String {
    results(output).into_iter().find(|(check, _)| check == name).unwrap().1
}

fn all_is_well_after_a_first_start(place: &Place) {
    assert!(place.serve().stop().0.success());
    let output = place.run(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for name in ["settings", "data folder", "API key", "database", "jobs", "blobs"] {
        assert_eq!(result(&output, name), "ok");
    }
    for name in ["PERFIL_WEBHOOK_URL", "SMTP", "PUBLIC_URL"] {
        assert_eq!(result(&output, name), "not configured");
    }
    assert_eq!(result(&output, "companies"), "warning");
    let text = place.ok(&["doctor"]);
    let left =
        "left to set up: mi-empresa (name, nif, address, telephone, email, logo or colour, tarifa, notices";
    assert!(text.contains(left), "{text}");
    assert!(text.contains("✓ ok              database  "), "{text}");
    let version = format!("answers, its tables are up to date (version {NEWEST})");
    assert!(text.contains(&version), "{text}");
    assert!(text.contains("jobs                         none is dead, parked or held"), "{text}");
    assert!(text.contains("– not configured  SMTP  "), "{text}");
}

#[test]
fn a_short_key_is_a_warning_and_no_failure() {
    let short = Place::sqlite().env("FUNNEL_API_KEY", &"x".repeat(31));
    let output = short.run(&["doctor", "--json"]);
    assert_eq!(
        (output.status.code(), result(&output, "API key").as_str()),
        (Some(0), "warning"),
        "{output:?}"
    );
    let text = short.ok(&["doctor"]);
    assert!(text.contains("so short that it may be guessed") && text.contains("→ give it 32"), "{text}");
    let long = Place::sqlite().env("FUNNEL_API_KEY", &"x".repeat(32));
    assert_eq!(result(&long.run(&["doctor", "--json"]), "API key"), "ok");
}

#[test]
fn a_mail_server_that_refuses_says_what_to_mend() {
    let mail = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = Place::sqlite()
        .env("SMTP_HOST", "127.0.0.1")
        .env("SMTP_PORT", &mail.local_addr().unwrap().port().to_string())
        .env("EMAIL_FROM", "ana@ejemplo.es");
    let server = thread::spawn(move || {
        let (stream, _) = mail.accept().unwrap();
        (&stream).write_all(b"220 hola\r\n").unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        lines.next();
        (&stream).write_all(b"250 x\r\n").unwrap();
        lines.count();
    });
    let output = place.run(&["doctor"]);
    server.join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("STARTTLS") && text.contains("→ check SMTP_HOST, SMTP_PORT and SMTP_TLS"),
        "{text}"
    );

    let text = place.env("SMTP_CA_FILE", "/nonexistent").run(&["doctor"]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("→ correct SMTP_CA_FILE (from environment)"), "{text}");
}

#[test]
fn it_leaves_a_new_place_as_it_was() {
    let place = Place::sqlite();
    assert!(place.ok(&["doctor"]).contains("is made on the first start"));
    assert_eq!(fs::read_dir(place.path("")).unwrap().count(), 0);
}

#[test]
fn servers_that_answer_are_told_from_those_that_do_not() {
    let hook = TcpListener::bind("127.0.0.1:0").unwrap();
    // Accepts a connection and hangs up, so that no handshake can succeed.
    let rude = TcpListener::bind("127.0.0.1:0").unwrap();
    let rude_url = format!("https://{}/", rude.local_addr().unwrap());
    let rude = thread::spawn(move || drop(rude.accept()));
    let mail = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = Place::sqlite()
        .env("PERFIL_WEBHOOK_URL", &format!("http://u:geheim@{}/x", hook.local_addr().unwrap()))
        // No program listens on port 1.
        .env("MESSAGING_WEBHOOK_URL", "https://127.0.0.1:1/")
        .env("MESSAGING_START_WEBHOOK_URL", &rude_url)
        .env("SMTP_HOST", "127.0.0.1")
        .env("SMTP_PORT", &mail.local_addr().unwrap().port().to_string())
        .env("SMTP_TLS", "none")
        .env("SMTP_USER", "ana")
        .env("SMTP_PASSWORD", "muysecreta")
        .env("EMAIL_FROM", "Ana <ana@ejemplo.es>");
    let server = thread::spawn(move || {
        let (stream, _) = mail.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
        let mut heard = Vec::new();
        for answer in ["220 hola", "250-x\r\n250 AUTH PLAIN", "235 ok", "221 bye"] {
            (&stream).write_all(format!("{answer}\r\n").as_bytes()).unwrap();
            heard.extend(lines.next());
        }
        heard
    });
    let output = place.run(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(result(&output, "PERFIL_WEBHOOK_URL"), "ok");
    assert_eq!(result(&output, "MESSAGING_WEBHOOK_URL"), "failed");
    assert_eq!(result(&output, "MESSAGING_START_WEBHOOK_URL"), "failed");
    assert_eq!(result(&output, "SMTP"), "ok");
    rude.join().unwrap();
    let heard = server.join().unwrap();
    assert!(heard[1].starts_with("AUTH PLAIN "), "{heard:?}");
    assert_eq!(heard.last().unwrap(), "QUIT", "no mail is begun: {heard:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("geheim") && !text.contains("muysecreta"), "{text}");

    // The webhook got a connection, but no request.
    hook.set_nonblocking(true).unwrap();
    let (mut stream, _) = hook.accept().unwrap();
    assert_eq!(std::io::Read::read(&mut stream, &mut [0; 16]).unwrap(), 0);
}

#[test]
fn each_failure_says_what_to_mend() {
    let place = Place::sqlite().env("DATABASE_URL", "postgres://u:geheim@127.0.0.1:1/db");
    fs::create_dir(place.path("data")).unwrap();
    fs::set_permissions(place.path("data"), fs::Permissions::from_mode(0o755)).unwrap();
    let output = place.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    for told in [
        "✗ failed          data folder",
        "→ chmod 700 ./data",
        "✗ failed          database",
        "→ check that the server runs",
    ] {
        assert!(text.contains(told), "{told} is missing in\n{text}");
    }
    assert!(!text.contains("geheim"));
}

#[test]
fn bad_settings_are_a_failed_check() {
    let output = Place::sqlite().env("SMTP_PORT", "abc").run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("✗ failed          settings  SMTP_PORT: «abc» is not a port"), "{text}");
}
