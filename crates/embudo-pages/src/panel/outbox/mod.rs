//! `/panel/envios`: the outbox of the company that is looked at. Signals and mails that wait, go, fail or need a
//! person.

mod actions;
mod body;
mod destinations;
mod detail;
mod list;
mod words;

pub(super) use actions::{discard, repeat, retry, set_destination, take_as_sent};
pub(super) use detail::show;
pub(super) use list::show as list;

/// The pages' own style sheet.
const STYLES: &[&str] = &["envios.css"];
