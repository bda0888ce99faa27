//! The binary as an operator meets it: started for real, in a folder of its own, on a free port.

#![allow(clippy::unwrap_used)]

mod arranque;
mod blobs;
mod caidas;
mod cliente;
mod comandos;
mod config;
mod doctor;
mod dos_procesos;
mod finalizar_caidas;
mod gancho;
mod held;
mod jobs;
mod log;
mod lugar;
mod parada;
mod senales;
mod senales_caidas;
mod una_clave;
