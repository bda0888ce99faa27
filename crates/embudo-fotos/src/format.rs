//! Detects the format of a file from its first bytes. A declared type or a file name is never used.

use crate::Reason;

/// A supported format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    Jpeg,
    Png,
    WebP,
    /// GIF; only its first picture is read.
    Gif,
}

/// How many bytes of a text are searched for an `svg` element.
const MAX_TEXT: usize = 4096;

impl Format {
    /// Detects a format from the first bytes; otherwise returns the reason why there is none.
    pub fn of(bytes: &[u8]) -> Result<Self, Reason> {
        match bytes {
            [] => Err(Reason::Empty),
            [0xFF, 0xD8, 0xFF, ..] => Ok(Self::Jpeg),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Ok(Self::Png),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Ok(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Ok(Self::WebP),
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => Err(mp4_box(bytes)),
            _ => Err(other(bytes)),
        }
    }
}

/// An ISO media file: a HEIC or AVIF picture, or a video. The major brand may be the neutral `mif1`, so the compatible
/// brands are read too.
fn mp4_box(bytes: &[u8]) -> Reason {
    let length = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
    let marks = &bytes[8..bytes.len().min(length.clamp(12, 512)).max(8)];
    let is = |sought: &[&[u8; 4]]| marks.chunks_exact(4).any(|m| sought.iter().any(|b| *b == m));
    if is(&[b"avif", b"avis"]) {
        Reason::Avif
    } else if is(&[b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"])
    {
        Reason::Heic
    } else {
        Reason::NotAnImage
    }
}

/// The reason for other files: a format that is only known by name, SVG, or not an image.
fn other(bytes: &[u8]) -> Reason {
    const NAMES: [(&[u8], &str); 8] = [
        (b"II*\0", "TIFF"),
        (b"MM\0*", "TIFF"),
        (b"BM", "BMP"),
        (b"\0\0\x01\0", "ICO"),
        (b"8BPS", "PSD"),
        (b"\xFF\x0A", "JPEG XL"),
        (b"\0\0\0\x0CJXL \r\n\x87\n", "JPEG XL"),
        (b"\0\0\0\x0CjP  \r\n\x87\n", "JPEG 2000"),
    ];
    if let Some((_, nombre)) = NAMES.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Reason::OtherFormat(nombre);
    }
    if is_svg(bytes) { Reason::Svg } else { Reason::NotAnImage }
}

/// A text that begins with a tag and names an `svg` element early. HTML around a drawing counts as a page, not as SVG.
fn is_svg(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    if text.first() != Some(&b'<') {
        return false;
    }
    let start = text[..text.len().min(MAX_TEXT)].to_ascii_lowercase();
    let has = |needle: &[u8]| start.windows(needle.len()).any(|v| v == needle);
    (has(b"<svg") || has(b"<!doctype svg") || has(b":svg")) && !has(b"<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_bytes() {
        let cases: [(&[u8], Result<Format, Reason>); 22] = [
            (b"", Err(Reason::Empty)),
            (b"\xFF\xD8\xFF\xE0", Ok(Format::Jpeg)),
            (b"\xFF\xD8", Err(Reason::NotAnImage)),
            (b"\x89PNG\r\n\x1A\n", Ok(Format::Png)),
            (b"\x89PNG\n\x1A\n", Err(Reason::NotAnImage)),
            (b"GIF89a", Ok(Format::Gif)),
            (b"GIF88a", Err(Reason::NotAnImage)),
            (b"RIFF\0\0\0\0WEBP", Ok(Format::WebP)),
            (b"RIFF\0\0\0\0WAVE", Err(Reason::NotAnImage)),
            (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", Err(Reason::Heic)),
            (b"\0\0\0\x1Cftypmif1\0\0\0\0mif1avifmiaf", Err(Reason::Avif)),
            (b"\0\0\0\x18ftypavif\0\0\0\0mif1", Err(Reason::Avif)),
            (b"\0\0\0\x18ftypmp42\0\0\0\0isom", Err(Reason::NotAnImage)),
            (b"\0\0\0\x01ftyp", Err(Reason::NotAnImage)),
            (b"II*\0", Err(Reason::OtherFormat("TIFF"))),
            (b"BM....", Err(Reason::OtherFormat("BMP"))),
            (b" \n<svg xmlns='http://www.w3.org/2000/svg'/>", Err(Reason::Svg)),
            (b"\xEF\xBB\xBF<?xml version='1.0'?><!-- x --><SVG/>", Err(Reason::Svg)),
            (b"<?xml version='1.0'?><s:svg xmlns:s='http://www.w3.org/2000/svg'/>", Err(Reason::Svg)),
            (b"<!doctype html><html><svg></svg></html>", Err(Reason::NotAnImage)),
            (b"%PDF-1.7\n\xFF\xD8\xFF", Err(Reason::NotAnImage)),
            (b"PK\x03\x04", Err(Reason::NotAnImage)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(Format::of(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }
}
