//! `/panel/envios`: the outbox of the current company, with all signals and mails: waiting, being sent, failed, or in
//! need of a person.

mod actions;
mod body;
mod destinations;
mod detail;
mod list;
mod words;

pub(super) use actions::{discard, repeat, retry, set_destination, take_as_sent};
pub(super) use detail::show;
pub(super) use list::show as list;

const STYLES: &[&str] = &["envios.css"];
