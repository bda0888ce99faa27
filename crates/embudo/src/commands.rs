//! The commands of `embudo`, one file each. They parse arguments, call the other crates and print.

pub mod backup;
pub mod blobs;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod empresa;
mod find_empresa;
pub mod import;
pub mod jobs;
pub mod lead;
pub mod mcp;
pub mod migrate;
pub mod openapi;
pub mod package_files;
pub mod pases;
pub mod persona;
pub mod ping;
pub mod presupuesto;
pub mod serve;
pub mod tarifa;
pub mod usuario;
