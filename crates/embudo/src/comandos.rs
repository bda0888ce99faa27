//! The commands of `embudo`, one file each. They print and wire; the work is done in the other crates.

pub mod config;
