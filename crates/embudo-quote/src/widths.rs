//! Computes the widths of short texts without typesetting them: a table with known column widths and row heights needs
//! only one layout.

use typst_library::foundations::Bytes;
use typst_library::layout::Abs;
use typst_library::text::{Font, FontVariant, FontVariations};

/// The font weights in tables.
#[derive(Clone, Copy)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// The characters whose widths are known: Latin letters and, in `BEYOND`, the other characters that amounts and texts
/// use.
const LETTERS: std::ops::Range<u32> = 0x20..0x180;
const BEYOND: [char; 9] = ['€', '–', '—', '‘', '’', '“', '”', '…', '•'];

/// The widths of letters in the sans face, as fractions of an em.
pub(crate) struct Widths {
    regular: Vec<Option<f32>>,
    bold: Vec<Option<f32>>,
}

impl Widths {
    pub(crate) fn new(regular: &'static [u8], bold: &'static [u8]) -> Self {
        Self { regular: of_face(regular), bold: of_face(bold) }
    }

    /// The width of a text on one line at a size in points, without kerning. `None` if the width of a character is not
    /// known.
    pub(crate) fn of(&self, text: &str, weight: Weight, size: f32) -> Option<f32> {
        let letters = match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        };
        text.chars().map(|c| letters[place(c)?]).sum::<Option<f32>>().map(|ems| ems * size)
    }

    /// The width of the column of amounts in the box with the totals; `None` if a row may take more than one line. The
    /// last row is in a larger size.
    pub(crate) fn of_totals<'t>(
        &self,
        rows: impl Iterator<Item = (&'t str, &'t str)>,
        (name, amount): (&str, &str),
    ) -> Option<f32> {
        let mut names = self.of(name, Weight::Bold, 12.0)?;
        let mut amounts = self.of(amount, Weight::Bold, 12.0)?;
        for (name, amount) in rows {
            names = names.max(self.of(name, Weight::Regular, 9.5)?);
            amounts = amounts.max(self.of(amount, Weight::Regular, 9.5)?);
        }
        let insets = 2.0 * 3.0 * MM;
        let column = amounts + insets + SLACK;
        (names + insets + LONG_SLACK + column <= 76.0 * MM).then_some(column)
    }
}

/// The index of a character in [`Widths`]; `None` if its width is not known.
fn place(c: char) -> Option<usize> {
    let code = u32::from(c);
    if LETTERS.contains(&code) {
        return usize::try_from(code - LETTERS.start).ok();
    }
    BEYOND.iter().position(|b| *b == c).map(|n| LETTERS.len() + n)
}

fn of_face(data: &'static [u8]) -> Vec<Option<f32>> {
    let font = Font::new(Bytes::new(data), 0).expect("a face of ours can be read");
    let face = font.instantiate(FontVariant::default(), Abs::zero(), &FontVariations::default());
    let letters = LETTERS.filter_map(char::from_u32).chain(BEYOND);
    #[allow(clippy::cast_possible_truncation)]
    let width = |c| Some(face.x_advance(face.ttf().glyph_index(c)?.0)?.get() as f32);
    letters.map(width).collect()
}

/// The columns of a table: the first one takes the space that the others leave. Tells whether texts fit into the first
/// column.
pub(crate) struct Columns<'a> {
    widths: &'a Widths,
    /// The width of each column with its insets, in points; `None` if one of its texts cannot be measured.
    pub(crate) others: Vec<Option<f32>>,
    first: Option<f32>,
}

/// The text area of a page, and the space at both sides of a cell, in points.
const AREA: f32 = 170.0 * MM;
const INSETS: f32 = 2.0 * 1.8 * MM;
pub(crate) const MM: f32 = 72.0 / 25.4;
/// The tolerance for kerning, for a column and for a long line.
const SLACK: f32 = 0.05;
const LONG_SLACK: f32 = 3.0;

/// Font sizes in tables, in points.
pub(crate) const HEAD: f32 = 7.0;
pub(crate) const BODY: f32 = 8.4;
pub(crate) const SMALL: f32 = 7.6;

impl<'a> Columns<'a> {
    /// Computes the widths of the columns from their titles and from the texts in them.
    pub(crate) fn new<'t>(
        widths: &'a Widths,
        titles: &[&str],
        cells: impl Iterator<Item = (usize, &'t str, Weight)>,
    ) -> Self {
        let mut others: Vec<_> = titles.iter().map(|title| widths.of(title, Weight::Bold, HEAD)).collect();
        for (column, text, weight) in cells {
            let width = widths.of(text, weight, BODY);
            others[column] = others[column].zip(width).map(|(so_far, this)| so_far.max(this));
        }
        let others: Vec<_> = others.into_iter().map(|width| Some(width? + INSETS + SLACK)).collect();
        let first = others.iter().copied().sum::<Option<f32>>().map(|taken| AREA - taken - INSETS);
        Self { widths, others, first }
    }

    /// Whether a text certainly fits on one line of the first column, next to content of this width.
    pub(crate) fn fits(&self, text: &str, weight: Weight, size: f32, beside: f32) -> bool {
        let room = self.first.map(|first| first - beside);
        room.zip(self.widths.of(text, weight, size)).is_some_and(|(room, width)| width + LONG_SLACK <= room)
    }
}
