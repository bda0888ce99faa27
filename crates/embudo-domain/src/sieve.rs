//! Reads a body while it arrives and sets its photos aside, so that no photo is ever completely in memory.
//!
//! Strings under the key `imagen` that are data URIs in canonical base64 are decoded piece by piece and handed out. Of
//! such a string only its head is kept, up to the comma, and [`Rest`] knows its position. Everything else is kept as it
//! came, for the parser, which finds the same mistakes at the same places as in the whole body. A payload that cannot
//! be rebuilt from its bytes (white space, other letters, no padding) is kept too: [`Sifted::Undo`].
//!
//! What is set aside depends only on the bytes, never on how they are split into pieces. This module recognises strings
//! and no other JSON; whether the body is well-formed is decided in `json`.

use base64::Engine as _;
use base64::engine::Simd;
use base64::engine::general_purpose::{NO_PAD, PAD};

use crate::Digest;
use crate::image::is_data_uri_head;

/// The key whose strings may be photos.
const KEY: &[u8] = b"imagen";
/// The maximum length of a data URI's head.
const MAX_HEAD: usize = 256;

/// The limits of a sieve.
#[derive(Debug, Clone, Copy)]
pub struct SieveSettings {
    /// Only a string with at least this number of characters is examined.
    pub from_chars: usize,
    /// Bytes of a photo that are decoded before they are handed out; a multiple of three, and enough for `from_chars`.
    pub piece_bytes: usize,
    /// The maximum number of photos that are set aside: each is an open file until its call ends.
    pub most_photos: usize,
}

impl Default for SieveSettings {
    fn default() -> Self {
        Self { from_chars: 48 * 1024, piece_bytes: 192 * 1024, most_photos: 32 }
    }
}

/// Why [`Sieve::push`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sifted {
    /// All the data was read.
    All,
    /// Decoded bytes are ready: take them with [`Sieve::decoded`].
    Full,
    /// A photo is complete: take the decoded bytes, then call [`Sieve::name`].
    Photo,
    /// This photo cannot be set aside. The bytes that were handed out must come back: call [`Sieve::restore`] for all
    /// of them, in order, then [`Sieve::restored`].
    Undo,
}

/// What is left of a body after its photos were set aside.
#[derive(Debug, Default)]
pub struct Rest {
    /// The body without the payloads that were set aside.
    pub kept: Vec<u8>,
    /// In the order of their positions.
    pub photos: Vec<SetAside>,
    gaps: Vec<Gap>,
}

/// A photo that was set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetAside {
    /// Where its string begins in `kept`, after the quote.
    pub at: usize,
    /// The digest of its bytes.
    pub digest: Digest,
}

/// Bytes of the body that are missing in `kept`.
#[derive(Debug, Clone, Copy)]
struct Gap {
    /// Where the string with the missing bytes begins: within that string there can be no mistake.
    at: usize,
    bytes: usize,
}

impl Rest {
    /// A body from which nothing was set aside.
    pub fn whole(kept: Vec<u8>) -> Self {
        Self { kept, ..Self::default() }
    }

    /// Bytes that, together with [`Rest::kept`], are different for different bodies.
    pub fn trace(&self) -> impl Iterator<Item = u8> {
        let gaps = self.gaps.iter().flat_map(|gap| [gap.at as u64, gap.bytes as u64]);
        let photos = self.photos.iter().flat_map(|photo| photo.digest.0);
        gaps.flat_map(u64::to_le_bytes).chain(photos)
    }

    /// Converts a column in `kept` to the column in the original body. `from` is where the line begins in `kept`.
    pub(crate) fn column(&self, from: usize, column: usize) -> usize {
        let before = self.gaps.iter().filter(|gap| (from..=from + column).contains(&gap.at));
        column + before.map(|gap| gap.bytes).sum::<usize>()
    }
}

#[derive(Debug, Clone, Copy)]
enum State {
    Outside,
    /// In a string that began at `from`. `look`: the string is under the key and has not been examined yet.
    Text {
        from: usize,
        look: bool,
        escaped: bool,
    },
    /// After a string that equals the key; a colon must follow.
    AfterKey {
        colon: bool,
    },
    /// In the payload of a photo.
    Payload {
        escaped: bool,
    },
}

/// A photo that is being read.
#[derive(Debug, Default)]
struct Photo {
    /// Where its string begins in `kept`.
    at: usize,
    /// How many bytes of the body were removed after its kept head.
    taken: usize,
    /// Characters of an incomplete base64 group.
    group: [u8; 4],
    group_len: usize,
    /// Whether padding has ended the payload.
    padded: bool,
    /// Whether its characters must be checked before they are decoded, because it has escapes or its end is near.
    careful: bool,
}

/// Reads a body. Feed it with [`Sieve::push`]; [`Sieve::finish`] returns what is left.
#[derive(Debug)]
pub struct Sieve {
    settings: SieveSettings,
    state: State,
    rest: Rest,
    photo: Photo,
    decoded: Vec<u8>,
    filled: usize,
    bulk: Simd,
    group: Simd,
}

impl Default for Sieve {
    fn default() -> Self {
        Self::new(SieveSettings::default())
    }
}

impl Sieve {
    pub fn new(settings: SieveSettings) -> Self {
        Self {
            settings,
            state: State::Outside,
            rest: Rest::default(),
            photo: Photo::default(),
            decoded: Vec::new(),
            filled: 0,
            bulk: Simd::standard(NO_PAD),
            group: Simd::standard(PAD),
        }
    }

    /// Reads as much of `data` as it can, and says why it stopped.
    pub fn push(&mut self, data: &mut &[u8]) -> Sifted {
        while let Some(&byte) = data.first() {
            match self.state {
                State::Outside => self.outside(data),
                State::Text { from, look, escaped: false } => self.text(data, from, look),
                State::Text { from, look, .. } => {
                    self.keep(data, 1);
                    self.state = State::Text { from, look, escaped: false };
                }
                State::AfterKey { colon } => {
                    self.state = match byte {
                        b' ' | b'\t' | b'\n' | b'\r' => State::AfterKey { colon },
                        b':' if !colon => State::AfterKey { colon: true },
                        b'"' => State::Text { from: self.rest.kept.len() + 1, look: colon, escaped: false },
                        _ => State::Outside,
                    };
                    self.keep(data, 1);
                }
                State::Payload { escaped } => match self.payload(data, escaped) {
                    Sifted::All => {}
                    stop => return stop,
                },
            }
        }
        Sifted::All
    }

    /// Reserves memory at once for the bytes that will probably be kept, so that they are not copied again.
    pub fn reserve(&mut self, bytes: usize) {
        self.rest.kept.reserve_exact(bytes);
    }

    /// Whether most of the following bytes will probably be set aside.
    pub fn sets_aside(&self) -> bool {
        let has_begun = matches!(self.state, State::Payload { .. }) || !self.rest.photos.is_empty();
        has_begun && self.rest.photos.len() < self.settings.most_photos
    }

    /// The number of bytes that the sieve holds in memory.
    pub fn held_bytes(&self) -> usize {
        let Rest { kept, photos, gaps } = &self.rest;
        kept.len() + self.decoded.len() + size_of_val(&photos[..]) + size_of_val(&gaps[..])
    }

    /// Takes the decoded bytes: a buffer, and how many of its bytes are used. The buffer should [come
    /// back](Sieve::give_back).
    pub fn decoded(&mut self) -> (Vec<u8>, usize) {
        (std::mem::take(&mut self.decoded), std::mem::take(&mut self.filled))
    }

    /// Takes a buffer back, to fill it again.
    pub fn give_back(&mut self, buffer: Vec<u8>) {
        self.decoded = buffer;
    }

    /// Sets the digest of the photo whose last bytes were taken.
    pub fn name(&mut self, digest: Digest) {
        let photo = std::mem::take(&mut self.photo);
        self.note_gap(photo.at, photo.taken);
        self.rest.photos.push(SetAside { at: photo.at, digest });
        self.state = State::Text { from: photo.at, look: false, escaped: false };
    }

    /// Takes back bytes that were handed out, in pieces whose length is a multiple of three, except for the last piece.
    pub fn restore(&mut self, bytes: &[u8]) {
        let from = self.rest.kept.len();
        self.rest.kept.resize(from + bytes.len().div_ceil(3) * 4, 0);
        let encoded = self.group.encode_slice(bytes, &mut self.rest.kept[from..]);
        self.photo.taken -= encoded.expect("four characters for three bytes");
    }

    /// To be called after all pieces were given to [`Sieve::restore`]: the rest of the string is kept as it comes.
    pub fn restored(&mut self) {
        let (decoded, filled) = self.decoded();
        self.restore(&decoded[..filled]);
        let photo = std::mem::take(&mut self.photo);
        self.rest.kept.extend_from_slice(&photo.group[..photo.group_len]);
        let escaped = matches!(self.state, State::Payload { escaped: true });
        if escaped {
            self.rest.kept.push(b'\\');
        }
        self.note_gap(photo.at, photo.taken - photo.group_len - usize::from(escaped));
        self.state = State::Text { from: photo.at, look: false, escaped };
    }

    /// Ends the body and returns what is left of it.
    pub fn finish(mut self) -> Rest {
        // The body may be cut off in the middle of a photo, as the parser will find. The position of that mistake
        // counts the whole photo.
        self.note_gap(self.photo.at, self.photo.taken);
        self.rest
    }

    fn keep(&mut self, data: &mut &[u8], n: usize) {
        let (now, later) = data.split_at(n);
        self.rest.kept.extend_from_slice(now);
        *data = later;
    }

    fn note_gap(&mut self, at: usize, bytes: usize) {
        if bytes > 0 {
            self.rest.gaps.push(Gap { at, bytes });
        }
    }

    fn outside(&mut self, data: &mut &[u8]) {
        let Some(quote) = data.iter().position(|b| *b == b'"') else { return self.keep(data, data.len()) };
        self.keep(data, quote + 1);
        self.state = State::Text { from: self.rest.kept.len(), look: false, escaped: false };
    }

    fn text(&mut self, data: &mut &[u8], from: usize, look: bool) {
        let here = self.rest.kept.len() - from;
        if look && here >= self.settings.from_chars {
            if !self.set_aside(from) {
                self.state = State::Text { from, look: false, escaped: false };
            }
            return;
        }
        let most = if look { data.len().min(self.settings.from_chars - here) } else { data.len() };
        let plain = data[..most].iter().position(|b| is_end(*b));
        self.keep(data, plain.unwrap_or(most));
        match plain.and_then(|_| data.first()) {
            None => {}
            Some(b'"') => {
                let is_key = self.rest.kept[from..] == *KEY;
                self.keep(data, 1);
                self.state = if is_key { State::AfterKey { colon: false } } else { State::Outside };
            }
            Some(_) => {
                self.keep(data, 1);
                self.state = State::Text { from, look, escaped: true };
            }
        }
    }

    /// Begins to set a string aside if its first characters may be those of a photo.
    fn set_aside(&mut self, from: usize) -> bool {
        if self.rest.photos.len() >= self.settings.most_photos {
            return false;
        }
        let text = &self.rest.kept[from..];
        let Some(comma) = text.iter().take(MAX_HEAD).position(|b| *b == b',') else { return false };
        let Some(head) = without_escapes(&text[..=comma]) else { return false };
        // A string must not contain a control character. The parser must see such a string, to report it.
        let is_text = !head.iter().any(u8::is_ascii_control);
        let is_head = is_text && std::str::from_utf8(&head).is_ok_and(is_data_uri_head);
        let Some(payload) = is_head.then(|| without_escapes(&text[comma + 1..])).flatten() else {
            return false;
        };
        // Without a payload it is not a photo, and the parser reports it.
        if payload.is_empty() {
            return false;
        }
        let (groups, begun) = payload.split_at(payload.len() / 4 * 4);
        self.decoded.resize(self.decoded.len().max(groups.len() / 4 * 3), 0);
        let Ok(filled) = self.bulk.decode_slice(groups, &mut self.decoded) else { return false };
        if !begun.iter().all(|b| is_letter(*b)) {
            return false;
        }
        let mut photo = Photo { at: from, careful: text.contains(&b'\\'), ..Photo::default() };
        photo.taken = text.len() - head.len();
        photo.group[..begun.len()].copy_from_slice(begun);
        photo.group_len = begun.len();
        (self.photo, self.filled, self.state) = (photo, filled, State::Payload { escaped: false });
        self.rest.kept.truncate(from);
        self.rest.kept.extend_from_slice(&head);
        true
    }

    fn payload(&mut self, data: &mut &[u8], escaped: bool) -> Sifted {
        let wanted = self.filled + data.len() / 4 * 3 + 3;
        if self.decoded.len() < wanted.min(self.settings.piece_bytes) {
            self.decoded.resize(wanted.min(self.settings.piece_bytes), 0);
        }
        if self.filled + 3 > self.decoded.len() {
            return Sifted::Full;
        }
        if self.photo.group_len > 0 || self.photo.padded || escaped {
            return self.one(data, escaped);
        }
        let most = data.len().min((self.decoded.len() - self.filled) / 3 * 4);
        let groups = match self.photo.careful {
            false => most / 4 * 4,
            // The last group may be padded, so its characters are read one by one.
            true => data[..most].iter().position(|b| is_end(*b)).unwrap_or(most).saturating_sub(1) / 4 * 4,
        };
        if groups == 0 {
            return self.one(data, escaped);
        }
        if self.decode(&data[..groups]) {
            self.take(data, groups);
        } else if self.photo.careful {
            return Sifted::Undo;
        } else {
            self.photo.careful = true;
        }
        Sifted::All
    }

    /// Reads one character of a payload.
    fn one(&mut self, data: &mut &[u8], escaped: bool) -> Sifted {
        let Some(&byte) = data.first() else { return Sifted::All };
        match byte {
            b'"' if !escaped => {
                return if self.photo.group_len == 0 { Sifted::Photo } else { Sifted::Undo };
            }
            b'\\' if !escaped && !self.photo.padded => {
                self.photo.careful = true;
                self.state = State::Payload { escaped: true };
                self.take(data, 1);
                return Sifted::All;
            }
            _ if self.photo.padded || (escaped && byte != b'/') || !(is_letter(byte) || byte == b'=') => {
                return Sifted::Undo;
            }
            _ => {}
        }
        let mut group = self.photo.group;
        group[self.photo.group_len] = byte;
        if self.photo.group_len < 3 {
            self.photo.group = group;
            self.photo.group_len += 1;
        } else {
            let Ok(n) = self.group.decode_slice(group, &mut self.decoded[self.filled..]) else {
                return Sifted::Undo;
            };
            self.filled += n;
            self.photo.group_len = 0;
            self.photo.padded = group[3] == b'=';
        }
        self.state = State::Payload { escaped: false };
        self.take(data, 1);
        Sifted::All
    }

    fn decode(&mut self, groups: &[u8]) -> bool {
        let decoded = self.bulk.decode_slice(groups, &mut self.decoded[self.filled..]);
        self.filled += decoded.as_ref().copied().unwrap_or(0);
        decoded.is_ok()
    }

    fn take(&mut self, data: &mut &[u8], n: usize) {
        *data = &data[n..];
        self.photo.taken += n;
    }
}

/// Whether unescaped text ends at this byte.
fn is_end(b: u8) -> bool {
    b == b'"' || b == b'\\'
}

fn is_letter(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'+' || b == b'/'
}

/// The text without its escapes, if they are only escaped slashes: some programs escape every slash.
fn without_escapes(text: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(text.len());
    let mut escaped = false;
    for &b in text {
        match (escaped, b) {
            (true, b'/') | (false, _) if b != b'\\' => {
                plain.push(b);
                escaped = false;
            }
            (false, b'\\') => escaped = true,
            _ => return None,
        }
    }
    (!escaped).then_some(plain)
}

#[cfg(test)]
mod tests;
