//! The pages as a client uses them, on both engines, over real sockets.

#![allow(clippy::unwrap_used)]

mod borders;
mod estimated_area;
mod forged_passes;
mod form;
mod form_abuse;
mod form_brand;
mod form_fotos;
mod form_identity;
mod form_questions;
mod form_return;
mod form_sent;
mod long_names;
mod panel;
mod panel_account;
mod panel_connections;
mod panel_devices;
mod panel_editor;
mod panel_empresa;
mod panel_empresa_brand;
mod panel_envios;
mod panel_envios_pauses;
mod panel_factor;
mod panel_guessing;
mod panel_headers;
mod panel_inbox;
mod panel_lead;
mod panel_lead_data;
mod panel_lead_desk;
mod panel_lead_edit;
mod panel_lead_head;
mod panel_lead_notas;
mod panel_lead_progress;
mod panel_lead_union;
mod panel_lead_work;
mod panel_notices;
mod panel_obra;
mod panel_people;
mod panel_persona;
mod panel_quotes;
mod panel_reminders;
mod panel_replies;
mod panel_streams;
mod panel_summary;
mod panel_system;
mod panel_tarifa;
mod panel_tarifa_items;
mod panel_texts;
mod panel_visits;
mod person;
mod quote_accepted;
mod quote_bounds;
mod quote_options;
mod quote_page;
mod quote_visit;
mod staff_preview;
mod visitor;
mod walk;

/// An id that no lead has.
const NOBODY: &str = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";
