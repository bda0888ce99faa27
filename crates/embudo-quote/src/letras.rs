//! The typefaces: Noto Sans for headings and tables, Libertinus Serif for running text, Noto Emoji for what people put into notes.

use typst::foundations::Bytes;
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst_kit::fonts::FontStore;

/// All faces, loaded once.
pub(crate) struct Letras {
    almacen: FontStore,
}

impl Letras {
    pub(crate) fn cargar() -> Self {
        let mut almacen = FontStore::new();
        let propias: [&'static [u8]; 5] = [
            ttf_noto_sans::REGULAR,
            ttf_noto_sans::BOLD,
            ttf_noto_sans::ITALIC,
            ttf_noto_sans::BOLD_ITALIC,
            epaint_default_fonts::NOTO_EMOJI_REGULAR,
        ];
        for datos in propias {
            almacen.extend(caras(Bytes::new(datos)));
        }
        almacen.extend(typst_kit::fonts::embedded());
        Self { almacen }
    }

    /// Adds the faces of a file; one that is none adds nothing.
    pub(crate) fn agregar(&mut self, datos: Bytes) {
        self.almacen.extend(caras(datos));
    }

    /// Whether some face has a sign for this character.
    pub(crate) fn cubre(&self, c: char) -> bool {
        let libro = self.libro();
        (0..).map_while(|i| libro.info(i)).any(|cara| cara.coverage.contains(u32::from(c)))
    }

    pub(crate) fn libro(&self) -> &LazyHash<FontBook> {
        self.almacen.book()
    }

    pub(crate) fn cara(&self, indice: usize) -> Option<Font> {
        self.almacen.font(indice)
    }
}

fn caras(datos: Bytes) -> impl Iterator<Item = (Font, typst::text::FontInfo)> {
    Font::iter(datos).map(|cara| {
        let ficha = cara.info().clone();
        (cara, ficha)
    })
}
