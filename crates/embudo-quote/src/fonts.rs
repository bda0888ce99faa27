//! The typefaces: Noto Sans for headings and tables, Libertinus Serif for running text; Noto Emoji and DejaVu Sans Mono
//! for what people put into notes.

use rayon::prelude::*;
use typst_library::foundations::Bytes;
use typst_library::text::{Font, FontBook};
use typst_utils::LazyHash;

use crate::widths::Widths;

/// A font face that `build.rs` extracted from the typesetter's assets.
macro_rules! face {
    ($file:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $file))
    };
}

/// The files of all faces.
pub const FACES: [&[u8]; 10] = [
    ttf_noto_sans::REGULAR,
    ttf_noto_sans::BOLD,
    ttf_noto_sans::ITALIC,
    ttf_noto_sans::BOLD_ITALIC,
    epaint_default_fonts::NOTO_EMOJI_REGULAR,
    face!("serif-regular.otf"),
    face!("serif-bold.otf"),
    face!("serif-italic.otf"),
    face!("serif-bold-italic.otf"),
    face!("mono-regular.ttf"),
];

/// All faces, loaded once.
pub(crate) struct Fonts {
    faces: Vec<Font>,
    book: LazyHash<FontBook>,
    widths: Widths,
}

impl Fonts {
    /// Loads all faces in parallel, because the first quote of a process waits for them.
    pub(crate) fn load() -> Self {
        let read = || FACES.into_par_iter().flat_map_iter(|data| Font::iter(Bytes::new(data))).collect();
        let measure = || Widths::new(ttf_noto_sans::REGULAR, ttf_noto_sans::BOLD);
        let (faces, widths): (Vec<_>, _) = rayon::join(read, measure);
        let book = LazyHash::new(FontBook::from_fonts(&faces));
        Self { faces, book, widths }
    }

    /// Adds the faces of a font file; a file that is not a font adds nothing.
    pub(crate) fn add(&mut self, data: Bytes) {
        self.faces.extend(Font::iter(data));
        self.book = LazyHash::new(FontBook::from_fonts(&self.faces));
    }

    /// Whether some face has a glyph for this character.
    pub(crate) fn covers(&self, c: char) -> bool {
        let book = self.book();
        (0..).map_while(|i| book.info(i)).any(|face| face.coverage.contains(u32::from(c)))
    }

    pub(crate) fn book(&self) -> &LazyHash<FontBook> {
        &self.book
    }

    /// The widths of letters in the sans face.
    pub(crate) fn widths(&self) -> &Widths {
        &self.widths
    }

    pub(crate) fn face(&self, index: usize) -> Option<Font> {
        self.faces.get(index).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faces_are_those_that_the_template_names() {
        let fonts = Fonts::load();
        let names: Vec<_> = fonts.book().families().map(|(family, faces)| (family, faces.count())).collect();
        assert_eq!(
            names,
            [("DejaVu Sans Mono", 1), ("Libertinus Serif", 4), ("Noto Emoji", 1), ("Noto Sans", 4)]
        );
    }
}
