//! Whether anything follows the headers: a file that was cut off right behind them opens, and shows nothing.

use crate::Format;

/// Whether a file that opens holds coded pixels too. JPEG's are counted where its memory is, and WebP opens with all of
/// them only.
pub(crate) fn is_there(format: Format, bytes: &[u8]) -> bool {
    match format {
        Format::Jpeg | Format::WebP => true,
        Format::Png => png(bytes).unwrap_or(false),
        Format::Gif => gif(bytes).unwrap_or(false),
    }
}

/// A chunk of data that is not empty, and begins within the file.
fn png(bytes: &[u8]) -> Option<bool> {
    let mut rest = bytes.get(8..)?;
    loop {
        let [l0, l1, l2, l3, a, b, c, d, data @ ..] = rest else { return None };
        let length = u32::from_be_bytes([*l0, *l1, *l2, *l3]) as usize;
        if [*a, *b, *c, *d] == *b"IDAT" && length > 0 {
            return Some(!data.is_empty());
        }
        rest = data.get(length.checked_add(4)?..)?;
    }
}

/// A picture's block with a block of data that is not empty.
fn gif(bytes: &[u8]) -> Option<bool> {
    let colours = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut at = 13 + colours(*bytes.get(10)?);
    loop {
        match bytes.get(at)? {
            // An extension: its label, then blocks up to an empty one.
            0x21 => {
                at += 2;
                while *bytes.get(at)? != 0 {
                    at += 1 + usize::from(bytes[at]);
                }
                at += 1;
            }
            // A picture: its place, colours, the size of its codes, its first block.
            0x2C => {
                let data = at + 10 + colours(*bytes.get(at + 9)?) + 1;
                return Some(*bytes.get(data)? > 0 && bytes.len() > data + 1);
            }
            _ => return None,
        }
    }
}
