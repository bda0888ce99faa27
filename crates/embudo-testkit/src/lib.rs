//! An application or a started server on either engine, and leads to work with. For tests only.
//!
//! [`Server`] is the real thing: the accept loop on a free loopback port, the real router, a real database (a file of
//! its own on SQLite, a schema of its own on PostgreSQL) and a folder for blobs. Dropping it removes everything.

// Test support may stop a test at once, and says why.
#![allow(clippy::missing_panics_doc, clippy::unwrap_used)]

mod app;
mod both_engines;
mod client;
mod clock;
mod fotos;
pub mod mailbox;
pub mod push_service;
pub mod receiver;
mod rows;
mod scene;
mod schema;
mod script;
mod server;
mod stream;

pub use app::{Engine, TestApp};
pub use both_engines::{OnEngine, run_on};
pub use client::Answered;
pub use clock::ManualClock;
pub use fotos::{data_uri, fake_jpeg, jpeg, tiny_jpeg};
pub use mailbox::Mailbox;
pub use push_service::{PushBrowser, PushService};
pub use receiver::Receiver;
pub use scene::Scene;
pub use schema::Schema;
pub use server::{KEY, Server, Setup, routes};
pub use stream::Certificate;
