//! How wide short texts are, without setting them: tables whose columns and rows are known are laid out once.

use typst_library::foundations::Bytes;
use typst_library::layout::Abs;
use typst_library::text::{Font, FontVariant, FontVariations};

/// Weights that tables are set in.
#[derive(Clone, Copy)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// Characters whose widths are known: Latin letters and, in `BEYOND`, the other signs that amounts and texts use.
const LETTERS: std::ops::Range<u32> = 0x20..0x180;
const BEYOND: [char; 9] = ['€', '–', '—', '‘', '’', '“', '”', '…', '•'];

/// Widths of letters in parts of an em, of the sans face.
pub(crate) struct Widths {
    regular: Vec<Option<f32>>,
    bold: Vec<Option<f32>>,
}

impl Widths {
    pub(crate) fn new(regular: &'static [u8], bold: &'static [u8]) -> Self {
        Self { regular: of_face(regular), bold: of_face(bold) }
    }

    /// The width of a text on one line at a size in points, but for what kerning takes away or adds. `None` where a
    /// letter is in another face or script.
    pub(crate) fn of(&self, text: &str, weight: Weight, size: f32) -> Option<f32> {
        let letters = match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        };
        text.chars().map(|c| letters[place(c)?]).sum::<Option<f32>>().map(|ems| ems * size)
    }

    /// The column of amounts of a box with the totals, if each of its rows takes one line; the last row is large.
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

/// Every letter that is looked up has its place.
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

/// The columns of a table besides its first, which takes what they leave, and whether texts fit into that one.
pub(crate) struct Columns<'a> {
    widths: &'a Widths,
    /// Each with its insets, in points; none where a text cannot be measured.
    pub(crate) others: Vec<Option<f32>>,
    first: Option<f32>,
}

/// The text area of a page, and the space at both sides of a cell, in points.
const AREA: f32 = 170.0 * MM;
const INSETS: f32 = 2.0 * 1.8 * MM;
pub(crate) const MM: f32 = 72.0 / 25.4;
/// What a letter more or less of kerning may make of a column, and of a long line.
const SLACK: f32 = 0.05;
const LONG_SLACK: f32 = 3.0;

/// Sizes in tables, in points.
pub(crate) const HEAD: f32 = 7.0;
pub(crate) const BODY: f32 = 8.4;
pub(crate) const SMALL: f32 = 7.6;

impl<'a> Columns<'a> {
    /// Widths of the columns: of their titles and of the texts in them.
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

    /// Whether a text surely takes one line of the first column, beside something of this width.
    pub(crate) fn fits(&self, text: &str, weight: Weight, size: f32, beside: f32) -> bool {
        let room = self.first.map(|first| first - beside);
        room.zip(self.widths.of(text, weight, size)).is_some_and(|(room, width)| width + LONG_SLACK <= room)
    }
}
