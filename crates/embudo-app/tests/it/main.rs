//! The use cases and background tasks, tested through the application alone, on both engines.

#![allow(clippy::unwrap_used)]

mod access;
mod editor;
mod events;
mod form_end;
mod inbox;
mod limits;
mod mail_attempts;
mod mail_texts;
mod person_notices;
mod push_notices;
mod reminders;
mod signals;
mod stage;
mod sweep;
mod terms;
mod visits;
mod watched_loop;
mod worker;
