//! The character encoding of a file: UTF-16 if there is a byte order mark for it, else UTF-8, and Windows-1252 for
//! cells that are not valid UTF-8. Spreadsheets in Western Europe write all three.

use std::fmt;
use std::io::{Error, ErrorKind, Read, Result};

/// The characters of Windows-1252 at 0x80–0x9F, where Latin-1 has control characters; five of the codes are not
/// assigned.
const WINDOWS: [char; 32] = [
    '€', NOTHING, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', NOTHING, 'Ž', NOTHING, NOTHING, '‘',
    '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', NOTHING, 'ž', 'Ÿ',
];
/// Stands for a byte that has no character.
pub const NOTHING: char = char::REPLACEMENT_CHARACTER;

/// The encodings that were found while a file was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Encoding {
    utf16: Option<Order>,
    /// The number of UTF-8 cells with a character beyond ASCII; `windows` counts the cells that are not UTF-8.
    utf8: u64,
    windows: u64,
}

/// The byte order of UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Encoding {
    /// The text of a cell. Bytes that neither encoding can read become [`NOTHING`].
    pub fn text(&mut self, bytes: &[u8]) -> String {
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                self.utf8 += u64::from(!text.is_ascii());
                text.to_owned()
            }
            Err(_) => {
                self.windows += 1;
                bytes.iter().map(|byte| windows(*byte)).collect()
            }
        }
    }
}

fn windows(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.utf16, self.utf8, self.windows) {
            (Some(Order::Little), ..) => f.write_str("UTF-16 (little-endian)"),
            (Some(Order::Big), ..) => f.write_str("UTF-16 (big-endian)"),
            (None, _, 0) => f.write_str("UTF-8"),
            (None, 0, _) => f.write_str("Windows-1252"),
            (None, utf8, windows) => {
                write!(f, "UTF-8 and Windows-1252, mixed: {utf8} cells are the one and {windows} the other")
            }
        }
    }
}

/// Reads a UTF-16 file as UTF-8. The bytes of any other file are passed on unchanged, without the byte order mark.
pub struct Text<R> {
    inner: R,
    encoding: Encoding,
    /// Bytes of the file that are not read as characters yet.
    raw: Vec<u8>,
    /// Decoded text that was not read yet.
    ready: Vec<u8>,
    ended: bool,
}

impl<R: Read> Text<R> {
    /// Opens a file and reads its byte order mark.
    pub fn open(mut inner: R) -> Result<Self> {
        let mut raw = Vec::new();
        Read::take(&mut inner, 4).read_to_end(&mut raw)?;
        let (utf16, mark) = match raw.as_slice() {
            [0xef, 0xbb, 0xbf, ..] => (None, 3),
            [0xff, 0xfe, ..] => (Some(Order::Little), 2),
            [0xfe, 0xff, ..] => (Some(Order::Big), 2),
            [0, _, ..] | [_, 0, ..] => {
                let words =
                    "it looks like UTF-16, and has no byte order mark: save it as UTF-8, or with the mark";
                return Err(Error::new(ErrorKind::InvalidData, words));
            }
            _ => (None, 0),
        };
        raw.drain(..mark);
        let encoding = Encoding { utf16, ..Encoding::default() };
        Ok(Self { inner, encoding, raw, ready: Vec::new(), ended: false })
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Reads more of the file.
    fn more(&mut self) -> Result<()> {
        let mut piece = [0; 8 << 10];
        let read = self.inner.read(&mut piece)?;
        self.ended = read == 0;
        self.raw.extend_from_slice(&piece[..read]);
        let Some(order) = self.encoding.utf16 else {
            self.ready.append(&mut self.raw);
            return Ok(());
        };
        let mut units: Vec<u16> =
            self.raw.chunks_exact(2).map(|pair| order.unit([pair[0], pair[1]])).collect();
        // The second half of a character may be in the next piece.
        if !self.ended && units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) {
            units.pop();
        }
        self.raw.drain(..units.len() * 2);
        if self.ended && !self.raw.is_empty() {
            return Err(Error::new(ErrorKind::UnexpectedEof, "the file ends within a character of UTF-16"));
        }
        for character in char::decode_utf16(units) {
            let broken =
                |_| Error::new(ErrorKind::InvalidData, "the file is not UTF-16, though its mark says so");
            self.ready.extend_from_slice(character.map_err(broken)?.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(())
    }
}

impl Order {
    fn unit(self, pair: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(pair),
            Self::Big => u16::from_be_bytes(pair),
        }
    }
}

impl<R: Read> Read for Text<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        while self.ready.is_empty() && !self.ended {
            self.more()?;
        }
        let taken = self.ready.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&self.ready[..taken]);
        self.ready.drain(..taken);
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "Begoña;6.000 €;«así» — 👷\r\n";

    /// A file that is read byte by byte, so that every character of several bytes is split.
    struct Slow<'b>(&'b [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let taken = self.0.len().min(buffer.len()).min(1);
            buffer[..taken].copy_from_slice(&self.0[..taken]);
            self.0 = &self.0[taken..];
            Ok(taken)
        }
    }

    fn read(bytes: &[u8]) -> Result<(String, String)> {
        let mut file = Text::open(Slow(bytes))?;
        let mut all = Vec::new();
        file.read_to_end(&mut all)?;
        let mut encoding = file.encoding();
        let text = encoding.text(&all);
        Ok((text, encoding.to_string()))
    }

    fn utf16(mark: [u8; 2], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        mark.into_iter().chain(WORDS.encode_utf16().flat_map(bytes)).collect()
    }

    #[test]
    fn every_usual_encoding_is_recognised() {
        let of = |name: &str| (WORDS.to_owned(), name.to_owned());
        assert_eq!(read(WORDS.as_bytes()).unwrap(), of("UTF-8"));
        assert_eq!(read(&[b"\xef\xbb\xbf", WORDS.as_bytes()].concat()).unwrap(), of("UTF-8"));
        assert_eq!(read(&utf16([0xff, 0xfe], u16::to_le_bytes)).unwrap(), of("UTF-16 (little-endian)"));
        assert_eq!(read(&utf16([0xfe, 0xff], u16::to_be_bytes)).unwrap(), of("UTF-16 (big-endian)"));
        let windows = read(b"Bego\xf1a;6.000 \x80;\x93as\xed\x94 \x97").unwrap();
        assert_eq!(windows, ("Begoña;6.000 €;“así” —".to_owned(), "Windows-1252".to_owned()));
        assert_eq!(read(b"plain").unwrap(), ("plain".to_owned(), "UTF-8".to_owned()));
        assert_eq!(read(b"").unwrap().0, "");
    }

    #[test]
    fn what_is_no_text_is_told() {
        assert!(read(b"x\x81").unwrap().0.contains(NOTHING));
        for broken in [&b"\xff\xfea"[..], b"\xff\xfe\x00\xd8a\x00", b"a\x00b\x00", b"\x00a\x00b"] {
            assert!(read(broken).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn mixed_cells_are_each_read_as_what_they_are() {
        let mut encoding = Encoding::default();
        assert_eq!(encoding.text("Begoña".as_bytes()), "Begoña");
        assert_eq!(encoding.text(b"\x80"), "€");
        assert_eq!(encoding.text(b"plain"), "plain");
        let told = encoding.to_string();
        assert_eq!(told, "UTF-8 and Windows-1252, mixed: 1 cells are the one and 1 the other");
    }
}
