//! The binary from an operator's view: started for real, in a folder of its own, on a free port.

#![allow(clippy::unwrap_used)]

mod backup;
mod blobs;
mod client;
mod commands;
mod config;
mod copy;
mod crashes;
mod doctor;
mod drawing;
mod finalizar_crashes;
mod held;
mod hook;
mod import;
mod jobs;
mod language;
mod log;
mod mcp;
mod metrics;
mod one_key;
mod persona;
mod place;
mod releases;
mod signal_crashes;
mod signals;
mod startup;
mod stop;
mod traces;
mod two_processes;
mod usuario;
