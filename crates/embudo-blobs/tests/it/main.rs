//! The guarantees of `embudo-blobs`, on a real folder and on a real S3 server process.

// A test may unwrap: the panic is its report.
#![allow(clippy::unwrap_used)]

mod common;
mod depot;
mod folder;
mod s3;
mod staging;
