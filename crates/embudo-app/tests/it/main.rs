//! The use cases and what runs by itself, through the application alone, on both engines.

#![allow(clippy::unwrap_used)]

mod access;
mod inbox;
mod mail_attempts;
mod mail_texts;
mod signals;
mod stage;
mod sweep;
mod watched_loop;
mod worker;
