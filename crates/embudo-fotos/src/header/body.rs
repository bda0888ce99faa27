//! Checks that data follows the headers: a file that was cut off right after its headers can be opened, but shows
//! nothing.

use crate::Format;

/// Whether a file whose headers are valid also contains coded pixels. For JPEG, the memory estimate checks this; WebP
/// only opens if all its pixels are there.
pub(crate) fn is_there(format: Format, bytes: &[u8]) -> bool {
    match format {
        Format::Jpeg | Format::WebP => true,
        Format::Png => png(bytes).unwrap_or(false),
        Format::Gif => gif(bytes).unwrap_or(false),
    }
}

/// Whether there is a non-empty data chunk that begins within the file.
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

/// Whether there is an image block with a non-empty data block.
fn gif(bytes: &[u8]) -> Option<bool> {
    let colours = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut at = 13 + colours(*bytes.get(10)?);
    loop {
        match bytes.get(at)? {
            // An extension: its label, then blocks up to an empty block.
            0x21 => {
                at += 2;
                while *bytes.get(at)? != 0 {
                    at += 1 + usize::from(bytes[at]);
                }
                at += 1;
            }
            // An image: its position, colours, code size, and first block.
            0x2C => {
                let data = at + 10 + colours(*bytes.get(at + 9)?) + 1;
                return Some(*bytes.get(data)? > 0 && bytes.len() > data + 1);
            }
            _ => return None,
        }
    }
}
