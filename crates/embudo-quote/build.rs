//! Extracts the font faces of quotes from the typesetter's assets, so that the program does not include the other ten
//! (8 MB of mathematical and second serif faces).

use std::path::Path;
use std::{env, fs};

/// The files that `src/fonts.rs` includes, and their positions in the assets of the pinned version. A test checks the
/// names.
const FACES: [(usize, &str); 5] = [
    (0, "serif-regular.otf"),
    (1, "serif-bold.otf"),
    (2, "serif-italic.otf"),
    (3, "serif-bold-italic.otf"),
    (16, "mono-regular.ttf"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("OUT_DIR").expect("cargo names the folder");
    for (index, file) in FACES {
        let face = typst_assets::fonts().nth(index).expect("the pinned version has 17 faces");
        fs::write(Path::new(&folder).join(file), face).expect("the folder can be written");
    }
}
