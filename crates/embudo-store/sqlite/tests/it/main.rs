//! The conformance suite on this engine, and faults that need a process or a disk of their own.

mod conformance;
mod full_disk;
mod kill;
