//! Every existing table, read and written on both engines.

#![allow(clippy::unwrap_used)]

mod tables;
