//! What pages may call on the store: only reads. Every write goes through a use case of `embudo-app`, the only crate
//! that creates entries of the audit log.

use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// Reads in a trait that also has writes.
const READS_AMONG_WRITES: [&str; 2] = ["desk", "record"];

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = read_to_string(&path).unwrap();
                // The tests of a module are not code of the pages.
                let text = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
                found.push((path, text));
            }
        }
    }
    found
}

/// The methods of the traits with only reads: those of `read/`, and the inbox.
fn reads() -> BTreeSet<String> {
    let is_read = |path: &Path| path.components().any(|part| part.as_os_str() == "read");
    let mut names: BTreeSet<String> = READS_AMONG_WRITES.map(str::to_owned).into();
    for (path, text) in sources("../embudo-store/src") {
        for declared in text.split("pub trait ").skip(1) {
            let name = declared.split([':', ' ']).next().unwrap_or_default();
            if !is_read(&path) && name != "InboxStore" {
                continue;
            }
            let body = declared.split("\n}").next().unwrap_or_default();
            let methods = body.split("fn ").skip(1).filter_map(|method| method.split('(').next());
            names.extend(methods.map(str::to_owned));
        }
    }
    assert!(names.contains("list_empresas") && names.contains("inbox_rows"), "{names:?}");
    for write in ["archive", "record_audit", "save_draft", "mark_read", "update_contact"] {
        assert!(!names.contains(write), "{write} writes");
    }
    names
}

/// The methods called on the store, in a text without spaces. An error is a place where the store gets another name.
fn asked(text: &str) -> Result<Vec<&str>, &str> {
    for (at, found) in text.match_indices("app.store") {
        let (before, after) = (&text[..at], &text[at + found.len()..]);
        let statement = before.rsplit([';', '{', '}']).next().unwrap_or_default();
        let bound = statement.split('=').next().unwrap_or_default();
        let is_bound = bound.starts_with("let") && bound.contains("store");
        if !after.starts_with('.') && !is_bound {
            return Err(statement);
        }
    }
    let calls = text.split("store.").skip(1).filter_map(|call| {
        let name = call.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        call[name.len()..].starts_with('(').then_some(name)
    });
    Ok(calls.collect())
}

#[test]
fn pages_only_read_the_store() {
    let reads = reads();
    let mut how_many = 0;
    for (path, text) in sources("src") {
        let joined: String = text.split_whitespace().collect();
        let asked = asked(&joined).unwrap_or_else(|place| {
            panic!("{}: the store has another name after «{place}»; call it store", path.display())
        });
        how_many += asked.len();
        for method in asked {
            assert!(
                reads.contains(method),
                "{}: store.{method} is no read: write through a use case of embudo-app",
                path.display()
            );
        }
    }
    assert!(how_many > 50, "the calls are no longer found: {how_many}");
}

#[test]
fn only_the_app_builds_audit_lines() {
    for (path, text) in sources("src") {
        for name in ["AuditEntry", "record_audit", "access().audit("] {
            assert!(!text.contains(name), "{}: {name} belongs to embudo-app", path.display());
        }
    }
}

/// The features of the panel, each in its own folder. Code that several features share is in `panel/kit/`, which
/// depends on none of them.
const FEATURES: [&str; 7] = ["empresa", "inbox", "lead", "outbox", "quotes", "summary", "visits"];

#[test]
fn features_of_the_panel_know_nothing_of_each_other() {
    let panel = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/panel");
    for (path, text) in sources("src/panel") {
        let Ok(inner) = path.strip_prefix(&panel) else { continue };
        let own = inner.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let Some(own) = own.filter(|own| own == "kit" || FEATURES.contains(&own.as_str())) else { continue };
        for other in FEATURES.iter().filter(|other| **other != own) {
            for way in ["panel", "super::super"] {
                let named = format!("{way}::{other}::");
                assert!(!text.contains(&named), "{}: {named} belongs into panel/kit", path.display());
            }
        }
    }
}
