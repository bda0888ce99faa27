//! Databases for single tests. Migrations run once, into a template, and each test gets a copy of it: a copy costs a
//! tenth of the migrations. This crate knows no engine of ours; its callers bring the function that migrates.

// Test support may end a test with a panic that says why.
#![allow(clippy::missing_panics_doc)]

mod postgres;
mod sqlite;

pub use postgres::{PgDatabase, client, server};
pub use sqlite::copy_prepared;
