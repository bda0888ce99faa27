//! `embudo serve`, beginning with its first start.

use crate::client::{call, call_at};
use crate::place::Place;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const ANA: &str = r#"{"nombre":"Ana","telefono":"612345678","email":"ana@ejemplo.es"}"#;

embudo_testkit::both_engines!(blocking: a_first_start_makes_everything_and_says_where, a_restart_keeps_the_data_and_the_key);

fn a_first_start_makes_everything_and_says_where(place: &Place) {
    let server = place.serve();
    let mode = |inside: &str| fs::metadata(place.path(inside)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("data"), mode("data/api-key"), mode("data/proceso")), (0o700, 0o600, 0o600));
    assert_eq!(call_at(server.address(), "GET", "/healthz", "", "").status, 200);
    assert_eq!(call_at(server.address(), "GET", "/readyz", "", "").status, 200);
    assert_eq!(call_at(server.address(), "POST", "/api/leads", "", ANA).status, 401);
    assert_eq!(call(&server, "POST", "/api/leads", ANA).status, 201);
    let leads = call(&server, "GET", "/api/leads", "").json();
    assert_eq!(leads["leads"][0]["empresa"]["nombre"], "Mi empresa");
    server.log.wait_for("no signal is sent; no mail is sent; PUBLIC_URL is not set");

    let (url, key, log) = (server.url.clone(), server.key.clone(), server.log.clone());
    let (status, printed) = server.stop();
    assert!(status.success(), "{status}");
    for told in [
        format!("{url}/api/leads"),
        format!("{url}/docs"),
        format!("{url}/healthz"),
        "./data/api-key".to_owned(),
        r#"-H "Authorization: Bearer $(cat ./data/api-key)""#.to_owned(),
    ] {
        assert!(printed.contains(&told), "{told} is missing in {printed}");
    }
    // Output to a pipe ends in a log, so it does not contain the key itself.
    assert!(!printed.contains(&key) && !log.text().contains(&key));
}

fn a_restart_keeps_the_data_and_the_key(place: &Place) {
    let server = place.serve();
    let id = call(&server, "POST", "/api/leads", ANA).json()["id"].as_str().unwrap().to_owned();
    let key = server.key.clone();
    assert!(server.stop().0.success());

    let server = place.serve();
    assert_eq!(server.key, key);
    assert_eq!(call(&server, "GET", &format!("/api/leads/{id}"), "").json()["nombre"], "Ana");
    let (status, printed) = server.stop();
    assert_eq!((status.code(), printed.as_str()), (Some(0), ""), "only the first start talks");
}

#[test]
fn a_data_folder_has_one_server() {
    let place = Place::sqlite();
    let server = place.serve();
    let second = place.serve_fails();
    assert!(second.contains("already uses this data folder"), "{second}");
    assert!(second.contains("--data-dir") && second.contains("(process "), "{second}");
    drop(server);
    // However the first server ended, the folder is not locked any more.
    assert!(place.serve().stop().0.success());
}

#[test]
fn a_start_that_failed_is_not_the_first() {
    let place = Place::sqlite();
    let busy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = busy.local_addr().unwrap().to_string();
    let error = place.fails(&["serve", "--bind", &address]);
    assert!(error.contains(&format!("BIND: {address} is in use")), "{error}");
    let error = place.fails(&["serve", "--bind", "127.0.0.1:0", "--set", &format!("METRICS_BIND={address}")]);
    assert!(error.contains(&format!("METRICS_BIND: {address} is in use")), "{error}");
    let (_, printed) = place.serve().stop();
    assert!(printed.contains("This is its first start"), "{printed}");
}

#[test]
fn a_key_from_the_settings_is_used_and_never_written() {
    let place =
        Place::sqlite().env("FUNNEL_API_KEY", "clave-secreta").env("FUNNEL_API_KEY_PREVIOUS", "anterior");
    let server = place.serve();
    for (key, status) in [("clave-secreta", 200), ("anterior", 200), ("otra", 401)] {
        let head = format!("authorization: Bearer {key}\r\n");
        assert_eq!(call_at(server.address(), "GET", "/api/leads", &head, "").status, status);
    }
    server.log.wait_for("so short that it may be guessed");
    let log = server.log.clone();
    let (_, printed) = server.stop();
    assert_eq!(log.text().matches("so short that it may be guessed").count(), 2, "both keys are short");
    assert!(printed.contains("Bearer $FUNNEL_API_KEY"), "{printed}");
    assert!(!printed.contains("clave-secreta") && !log.text().contains("clave-secreta"));
    assert!(!place.path("data/api-key").exists());
}

#[test]
fn metrics_can_have_an_address_of_their_own() {
    let place = Place::sqlite().env("METRICS_BIND", "127.0.0.1:0");
    let server = place.serve();
    let url = server.log.wait_for("metrics served apart")["url"].as_str().unwrap().to_owned();
    call_at(server.address(), "GET", "/healthz", "", "");
    let address = url.trim_start_matches("http://").trim_end_matches("/metrics");
    let page = call_at(address, "GET", "/metrics", "", "").body;
    assert!(page.contains("embudo_http_requests_total{") && page.contains("_seconds_bucket{"), "{page}");
    // On the public address the key is required.
    assert_eq!(call_at(server.address(), "GET", "/metrics", "", "").status, 401);
    assert_eq!(call(&server, "GET", "/metrics", "").status, 200);
    assert!(server.stop().0.success());
}

#[test]
fn storage_that_cannot_be_opened_stops_the_start_and_names_the_setting() {
    let gone = Place::sqlite().env("DATABASE_URL", "postgres://u:geheim@127.0.0.1:1/db").serve_fails();
    assert!(gone.starts_with("embudo: DATABASE_URL: postgres://u:••••@127.0.0.1:1/db: "), "{gone}");
    assert!(gone.contains("check that the server runs") && gone.contains("[from environment]"), "{gone}");
    assert!(!gone.contains("geheim"));
    let gone = Place::sqlite().env("DATABASE_URL", "sqlite:///no/such/folder/x.db").serve_fails();
    assert!(gone.starts_with("embudo: DATABASE_URL: sqlite:///no/such/folder/x.db: "), "{gone}");
    let gone = Place::sqlite().env("BLOB_URL", "file:///proc/no").serve_fails();
    assert!(gone.starts_with("embudo: BLOB_URL: photo storage /proc/no: "), "{gone}");
}

#[test]
fn bad_settings_stop_every_command_and_are_told_together() {
    let place = Place::sqlite().env("BIND", "abc").env("SMTP_PORT", "0").env("FUNNEL_API_KEY", " ");
    for args in [&["serve"][..], &["lead", "list"], &["config"], &["migrate"]] {
        let error = place.fails(args);
        for name in ["BIND: «abc» is not an address", "SMTP_PORT: «0» is not a port", "FUNNEL_API_KEY: "]
        {
            assert!(error.contains(name), "{args:?}: {error}");
        }
    }
    assert_eq!(place.run(&["serv"]).status.code(), Some(2), "clap's own code for a wrong command line");
    assert!(!place.path("data").exists());
}
