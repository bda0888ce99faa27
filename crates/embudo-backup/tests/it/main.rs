//! Every table there is, walked on both engines.

#![allow(clippy::unwrap_used)]

mod tables;
