//! `/panel/leads/:id` and `/panel/leads/nuevo`: everything about one lead, and a new one.
//!
//! What is shown and what is done goes through the same reads and use cases as the API; somebody who may only read
//! sees all and no button. What is edited carries what its form was made from, so that nobody overwrites another
//! unseen.

pub(super) mod actions;
mod album;
mod answer;
mod cards;
pub(super) mod create;
pub(super) mod desk;
mod desk_forms;
mod desk_view;
pub(super) mod edit;
mod fact_views;
pub(super) mod files;
mod head;
mod lines;
mod near_visit;
pub(super) mod notas;
pub(super) mod persona;
pub(super) mod progress;
mod progress_view;
pub(super) mod reply;
mod reply_view;
pub(super) mod show;
mod shown;
mod timeline;
mod union;
mod union_views;
pub(super) mod unite;
pub(super) mod upload;
mod view;
mod words;
