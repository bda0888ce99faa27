//! The binary as an operator meets it: started for real, in a folder of its own, on a free port.

#![allow(clippy::unwrap_used)]

mod blobs;
mod client;
mod commands;
mod config;
mod crashes;
mod doctor;
mod finalizar_crashes;
mod held;
mod hook;
mod jobs;
mod log;
mod one_key;
mod place;
mod signal_crashes;
mod signals;
mod startup;
mod stop;
mod two_processes;
mod usuario;
