//! `embudo config`.

use crate::place::Place;
use std::fs;

#[test]
fn secrets_stay_hidden_wherever_they_are_from() {
    let place = Place::sqlite()
        .env("FUNNEL_API_KEY", "geheim-1")
        .env("DATABASE_URL", "postgres://u:geheim-2@h/db")
        .env("METRICS_TOKEN", "geheim-3");
    fs::write(place.path(".env"), "SMTP_USER=ana\nSMTP_PASSWORD=geheim-4\n").unwrap();
    fs::write(place.path("embudo.toml"), "s3_access_key_id = 'id'\ns3_secret_access_key = 'geheim-5'\n")
        .unwrap();
    for args in [&["config"][..], &["config", "--json"]] {
        let text = place.ok(args);
        assert!(!text.contains("geheim"), "{text}");
        for told in ["postgres://u:••••@h/db", "environment", ".env", "embudo.toml"] {
            assert!(text.contains(told), "{told} is missing in {text}");
        }
    }
    assert!(!place.path("data").exists(), "looking changes nothing");
}

#[test]
fn the_readme_table_has_every_setting() {
    let table = Place::sqlite().ok(&["config", "--markdown"]);
    for name in ["`BIND` (`--bind`)", "`DATABASE_URL`", "`DRAIN_S`", "`SMTP_TLS`"] {
        assert!(table.contains(name), "{name}");
    }
}
