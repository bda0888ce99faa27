//! Whole quotes: drawn, checked with qpdf, and read back.

#[path = "../../examples/muestras/taller.rs"]
mod taller;

mod hostil;
mod leer;
mod muestras;
mod propia;
