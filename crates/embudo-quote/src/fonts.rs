//! The typefaces: Noto Sans for headings and tables, Libertinus Serif for running text, Noto Emoji for what people put into notes.

use typst::foundations::Bytes;
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst_kit::fonts::FontStore;

/// All faces, loaded once.
pub(crate) struct Fonts {
    storage: FontStore,
}

impl Fonts {
    pub(crate) fn load() -> Self {
        let mut storage = FontStore::new();
        let own: [&'static [u8]; 5] = [
            ttf_noto_sans::REGULAR,
            ttf_noto_sans::BOLD,
            ttf_noto_sans::ITALIC,
            ttf_noto_sans::BOLD_ITALIC,
            epaint_default_fonts::NOTO_EMOJI_REGULAR,
        ];
        for data in own {
            storage.extend(faces(Bytes::new(data)));
        }
        storage.extend(typst_kit::fonts::embedded());
        Self { storage }
    }

    /// Adds the faces of a file; one that is none adds nothing.
    pub(crate) fn add(&mut self, data: Bytes) {
        self.storage.extend(faces(data));
    }

    /// Whether some face has a sign for this character.
    pub(crate) fn covers(&self, c: char) -> bool {
        let book = self.book();
        (0..).map_while(|i| book.info(i)).any(|face| face.coverage.contains(u32::from(c)))
    }

    pub(crate) fn book(&self) -> &LazyHash<FontBook> {
        self.storage.book()
    }

    pub(crate) fn face(&self, index: usize) -> Option<Font> {
        self.storage.font(index)
    }
}

fn faces(data: Bytes) -> impl Iterator<Item = (Font, typst::text::FontInfo)> {
    Font::iter(data).map(|face| {
        let record = face.info().clone();
        (face, record)
    })
}
