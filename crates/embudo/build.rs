//! Links the release program small: functions that compile to the same code are kept once, and the loader's table of
//! relocations is packed (glibc 2.36, which Debian 12 has, can read it). Only with the linker that Rust brings on this
//! target.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    if variable("PROFILE") == "release" && variable("TARGET") == "x86_64-unknown-linux-gnu" {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
