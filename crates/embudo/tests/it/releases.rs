//! This version can open the data of released versions: a database of each engine with its photos and PDFs, and a
//! backup.
//!
//! The data are kept under `tests/releases/<version>/<engine>`. A release adds its own with `EMBUDO_RELEASE=1.0.0
//! ./test --workspace --all-features -p embudo --test it releases::keep -- --ignored`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use embudo_backup::Database;
use embudo_testkit::{data_uri, jpeg};
use serde_json::{Value, json};

use crate::backup::files;
use crate::client::call;
use crate::place::{Place, Server};

embudo_testkit::both_engines!(blocking:
    a_database_of_every_release_opens,
    a_backup_of_every_release_is_restored,
);

/// The name of the schema in a kept dump.
const SCHEMA: &str = "embudo_kept";

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/releases")
}

/// The folders that releases kept for this engine.
fn releases(place: &Place) -> Vec<PathBuf> {
    let found: Vec<_> =
        fs::read_dir(kept()).unwrap().map(|entry| entry.unwrap().path().join(engine(place))).collect();
    assert!(!found.is_empty());
    found
}

fn engine(place: &Place) -> &'static str {
    match place.database() {
        Database::Sqlite(_) => "sqlite",
        Database::Postgres(_) => "postgres",
    }
}

fn another(place: &Place) -> Place {
    match place.database() {
        Database::Sqlite(_) => Place::sqlite(),
        Database::Postgres(_) => Place::postgres(),
    }
}

fn a_database_of_every_release_opens(engine: &Place) {
    for release in releases(engine) {
        let place = another(engine);
        copy(&release.join("data"), &place.path("data"));
        if let Database::Postgres(url) = place.database() {
            let dump = fs::read_to_string(release.join("dump.sql")).unwrap().replace(SCHEMA, schema(&url));
            place.execute(&dump);
        }
        holds(&place, &release);
    }
}

fn a_backup_of_every_release_is_restored(engine: &Place) {
    for release in releases(engine) {
        let place = another(engine);
        place.ok(&["restore", release.join("backup").to_str().unwrap()]);
        holds(&place, &release);
    }
}

/// Checks that all data is there, and that new data can be written.
fn holds(place: &Place, release: &Path) {
    let before: Value = serde_json::from_slice(&fs::read(release.join("answers.json")).unwrap()).unwrap();
    let server = place.serve();
    for (path, answer) in before.as_object().unwrap() {
        includes(&read(&server, path), answer, path);
    }
    let lead = before.as_object().unwrap().keys().next().unwrap().rsplit('/').next().unwrap();
    place.ok(&["presupuesto", "pdf", lead, "-o", "quote.pdf"]);
    assert!(fs::read(place.path("quote.pdf")).unwrap() == fs::read(release.join("quote.pdf")).unwrap());
    let people = place.ok(&["usuario", "list"]);
    assert!(people.contains("ana@ejemplo.es"), "{people}");
    lived(&server);
}

/// Later versions may return more fields, but never fewer, nor other values.
fn includes(now: &Value, before: &Value, at: &str) {
    match (now, before) {
        (Value::Object(now), Value::Object(before)) => {
            for (name, value) in before {
                includes(now.get(name).unwrap_or(&Value::Null), value, &format!("{at}/{name}"));
            }
        }
        (Value::Array(now), Value::Array(before)) => {
            assert_eq!(now.len(), before.len(), "{at}");
            for (n, (now, before)) in now.iter().zip(before).enumerate() {
                includes(now, before, &format!("{at}/{n}"));
            }
        }
        (now, before) => assert_eq!(now, before, "{at}"),
    }
}

fn read(server: &Server<'_>, path: &str) -> Value {
    let answer = call(server, "GET", path, "");
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.json()
}

/// A lead with data of every kind that the API stores, up to its quote.
fn lived(server: &Server<'_>) -> String {
    let post = |path: &str, body: Value| {
        let answer = call(server, "POST", path, &body.to_string());
        assert!(answer.status < 300, "{path}: {}", answer.body);
        answer.json()
    };
    let person = json!({ "nombre": "Ana García", "telefono": "612 34 56 78", "email": "ana@ejemplo.es" });
    let lead = post("/api/leads", person)["id"].as_str().unwrap().to_owned();
    let at = |what: &str| format!("/api/leads/{lead}/{what}");
    post(&at("conversacion"), json!({ "rol": "user", "mensaje": "¿Cuánto cuesta un plato de ducha?" }));
    post(&at("perfil"), json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media" }));
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&jpeg(64, 48)), "zona": "bano" });
    let items = json!([foto, { "tipo": "texto", "texto": "La ventana no se toca." }]);
    post(&at("ingesta"), json!({ "items": items, "perfilCompleto": true }));
    post(&at("ingesta"), json!({ "finalizar": true }));
    lead
}

#[test]
#[ignore = "keeps a fixture of a release"]
fn keep() {
    let version = std::env::var("EMBUDO_RELEASE").expect("EMBUDO_RELEASE names the version");
    for place in [Place::sqlite(), Place::postgres()] {
        let release = kept().join(&version).join(engine(&place));
        fs::create_dir_all(&release).unwrap();
        fs::write(place.path("password.txt"), "cuatro gatos verdes bailan\n").unwrap();
        let mut user = place.command(&[
            "usuario",
            "create",
            "--email",
            "ana@ejemplo.es",
            "--nombre",
            "Ana",
            "--administrador",
        ]);
        user.stdin(fs::File::open(place.path("password.txt")).unwrap());
        assert!(user.output().unwrap().status.success());
        let server = place.serve();
        let lead = lived(&server);
        let paths = ["", "/eventos"].map(|what| format!("/api/leads/{lead}{what}"));
        let answers: serde_json::Map<_, _> =
            paths.map(|path| (path.clone(), read(&server, &path))).into_iter().collect();
        let quote = release.join("quote.pdf");
        place.ok(&["presupuesto", "pdf", &lead, "-o", quote.to_str().unwrap()]);
        assert!(server.stop().0.success());
        fs::write(release.join("answers.json"), serde_json::to_vec_pretty(&answers).unwrap()).unwrap();
        place.ok(&["backup", release.join("backup").to_str().unwrap()]);
        copy(&place.path("data"), &release.join("data"));
        if let Database::Postgres(url) = place.database() {
            let dump = String::from_utf8(crate::persona::dump(&url)).unwrap();
            // Skips commands for psql, and the creation of the schema, which exists already.
            let lines =
                dump.lines().filter(|line| !line.starts_with('\\') && !line.contains("CREATE SCHEMA"));
            let dump: String = lines.map(|line| format!("{line}\n")).collect();
            fs::write(release.join("dump.sql"), dump.replace(schema(&url), SCHEMA)).unwrap();
        }
    }
}

fn schema(url: &str) -> &str {
    url.split_once("search_path%3D").unwrap().1
}

fn copy(from: &Path, to: &Path) {
    for (path, bytes) in files(from) {
        let to = to.join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(&to, bytes).unwrap();
    }
    assert!(Command::new("chmod").args(["-R", "go="]).arg(to).status().unwrap().success());
}
