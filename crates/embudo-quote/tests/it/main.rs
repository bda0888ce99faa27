//! Whole quotes: drawn, checked with qpdf, and read back.

#[path = "../../examples/samples/edited.rs"]
mod edited;
#[path = "../../examples/samples/studio.rs"]
mod studio;

mod children;
mod hostile;
mod own;
mod read;
mod samples;
