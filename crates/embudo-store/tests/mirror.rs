//! The engines mirror each other: files with the same purpose have the same name on both sides, so that a change in one
//! engine shows where to change the other.

use std::collections::BTreeSet;
use std::path::Path;

/// Files that only SQLite has.
const SQLITE_ONLY: &[&str] = &[
    // PostgreSQL's grouped statements write these rows themselves.
    "sql/entrega/delete.sql",
    "sql/lead/update_estado.sql",
    "sql/presupuesto_entrega/keep.sql",
    "sql/trabajo/supersede.sql",
    "sql/utm/insert.sql",
    // PostgreSQL reads these together with the job that ends, or with the lead.
    "sql/bucle/lock.sql",
    "sql/bucle/since.sql",
    "sql/entrega/first_of_run.sql",
    // PostgreSQL finds and claims due jobs in one statement.
    "sql/trabajo/claim_first.sql",
    "sql/trabajo/newer.sql",
    "sql/trabajo/hold_own.sql",
    "sql/trabajo/lease.sql",
    "sql/trabajo/next_free.sql",
    "sql/trabajo/next_lapse.sql",
    "sql/trabajo/next_lapsed.sql",
    // PostgreSQL writes these rows with the lead or the turn.
    "sql/lead_etapa/insert.sql",
    "sql/turno/first.sql",
    // PostgreSQL updates its trigram index by itself when the table changes.
    "sql/lead_busqueda/get.sql",
    "sql/lead_trigrama/delete.sql",
    "sql/lead_trigrama/insert.sql",
    // PostgreSQL locks the sums before it changes them.
    "sql/cifra/get.sql",
    "sql/cifra/upsert.sql",
    // PostgreSQL does this within another statement.
    "sql/mensaje/close.sql",
    "sql/mensaje/keep.sql",
];

/// Files that only PostgreSQL has.
const POSTGRES_ONLY: &[&str] = &[
    // Commands that run in groups, or alone on the pool.
    "src/command/alone.rs",
    "src/command/call.rs",
    "src/command/locked_leads.rs",
    "src/command/texts.rs",
    "sql/foto/list_many.sql",
    "sql/lead/lock_ids.sql",
    "sql/lead/lock_many.sql",
    "sql/lead_actividad/lock.sql",
    "sql/lead_actividad/lock_ids.sql",
    // The next file asks whether the server can index trigrams; the ones after it belong to the commands above.
    "sql/lead_busqueda/has_trigrams.sql",
    "sql/nota/list_many.sql",
    "sql/nota/record.sql",
    "sql/turno/append_fresh.sql",
    "sql/turno/append_plain.sql",
    // Locks, and statements that need them; SQLite has one writer.
    "sql/advisory/lock.sql",
    "sql/agenda/lock.sql",
    "sql/blob_marca/forget.sql",
    "sql/blob_marca/lock.sql",
    "sql/blob_marca/share.sql",
    "sql/empresa/lock.sql",
    "sql/bucle/lock_of_jobs.sql",
    "sql/bucle/set.sql",
    "sql/cifra/hold.sql",
    "sql/cifra/lock.sql",
    "sql/cifra/set.sql",
    "sql/lead_cifra/close.sql",
    "sql/lead_cifra/hold.sql",
    "sql/lead_cifra/lock.sql",
    "sql/trabajo/lock.sql",
    "sql/lead/lock_to_erase.sql",
    "sql/trabajo/lock_to_erase.sql",
    // A command that began before a lead was erased may still write about the lead.
    "sql/borrado/now.sql",
    "sql/borrado/older.sql",
    // A turn may be written while another transaction derives the etapa.
    "sql/lead_etapa/begin.sql",
    // An expired key is locked before it is replaced.
    "sql/idempotencia/replace.sql",
    // SQLite runs one query per kind.
    "sql/trabajo/next_due.sql",
    // Several processes notify each other of jobs and leads.
    "sql/lead/channel.sql",
    "sql/lead/notify.sql",
    "sql/trabajo/channel.sql",
    "sql/trabajo/notify.sql",
    // Instants have a type of their own on PostgreSQL.
    "src/rows/instant.rs",
];

#[test]
fn engines_have_the_same_files() {
    let (sqlite, postgres) = (files_of("sqlite"), files_of("postgres"));
    assert_eq!(listed(sqlite.difference(&postgres)), sorted(SQLITE_ONLY), "only in SQLite");
    assert_eq!(listed(postgres.difference(&sqlite)), sorted(POSTGRES_ONLY), "only in PostgreSQL");
}

#[test]
fn what_is_written_once_is_not_written_again() {
    let shared = files(Path::new(env!("CARGO_MANIFEST_DIR")), "sql");
    assert!(!shared.is_empty());
    for engine in ["sqlite", "postgres"] {
        assert_eq!(listed(shared.intersection(&files_of(engine))), Vec::<&str>::new(), "{engine}");
    }
}

#[test]
fn parameters_have_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("postgres");
    for name in files(&root, "sql") {
        let sql = std::fs::read_to_string(root.join(&name)).expect("a text");
        let mut after_dollars = sql.split('$').skip(1);
        assert!(!after_dollars.any(|after| after.starts_with(|c: char| c.is_ascii_digit())), "{name}");
    }
}

fn files_of(engine: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(engine);
    let folders = ["migrations", "sql", "src/command", "src/query", "src/rows", "src/store"];
    folders.iter().flat_map(|folder| files(&root, folder)).collect()
}

/// Every file under a folder, by its path from the root.
fn files(root: &Path, folder: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{folder}/{}", entry.file_name().to_str().expect("a plain name"));
        match entry.file_type().expect("a type").is_dir() {
            true => found.extend(files(root, &name)),
            false => drop(found.insert(name)),
        }
    }
    found
}

fn listed<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    names.map(String::as_str).collect()
}

fn sorted<'a>(names: &[&'a str]) -> Vec<&'a str> {
    BTreeSet::from_iter(names.iter().copied()).into_iter().collect()
}
