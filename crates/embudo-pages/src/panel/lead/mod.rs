//! `/panel/leads/:id` and `/panel/leads/nuevo`: the page of a lead, and the form for a new one.
//!
//! All reads and actions use the same reads and use cases as the API. A person who may only read sees everything but no
//! buttons. Each form carries the version that it was loaded from, so that nobody overwrites a concurrent change
//! without seeing it.

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
