//! An application or a running server on either engine, with helpers to create leads. For tests only.
//!
//! [`Server`] uses the real parts: the accept loop on a free loopback port, the real router, a real database (a
//! separate file on SQLite, a separate schema on PostgreSQL) and a folder for blobs. Dropping it deletes everything.

// Helpers for tests may panic, because a panic stops the test and shows the reason.
#![allow(clippy::missing_panics_doc, clippy::unwrap_used)]

use std::time::Duration;

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

/// How long a test waits for something before it fails instead of hanging. No test that passes comes near it, however
/// busy the machine is.
pub const PATIENCE: Duration = Duration::from_mins(2);
