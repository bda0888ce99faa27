//! A draft inside a form: the version that the form was loaded from, so that the changes of somebody else can be told
//! from the typed ones.
//!
//! The store keeps only the newest revision, while a form may stay open for any length of time.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use embudo_domain::presupuesto::Draft;
use embudo_domain::presupuesto::draft::MAX_BYTES;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// Packs a draft for a hidden field.
pub(super) fn pack(draft: &Draft) -> String {
    let json = serde_json::to_string(draft).expect("a draft is written as JSON");
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    let packed = packed.write_all(json.as_bytes()).and_then(|()| packed.finish());
    URL_SAFE_NO_PAD.encode(packed.expect("writing to memory does not fail"))
}

/// Unpacks a draft. `None` if the text was not made by `pack`, or is larger than a draft may be.
pub(super) fn unpack(text: &str) -> Option<Draft> {
    let packed = URL_SAFE_NO_PAD.decode(text).ok()?;
    let mut json = Vec::new();
    // Reads one byte more than the limit, so that a truncated draft is not taken for a whole one.
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    DeflateDecoder::new(packed.as_slice()).take(most).read_to_end(&mut json).ok()?;
    Draft::read(&json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_comes_back_and_nothing_else_does() {
        let draft = Draft { valid_days: Some(12), ..Draft::default() };
        assert_eq!(unpack(&pack(&draft)), Some(draft));
        let bomb = {
            let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
            packed.write_all(&vec![b' '; MAX_BYTES * 8]).expect("memory");
            URL_SAFE_NO_PAD.encode(packed.finish().expect("memory"))
        };
        for none in ["", "e30", "no", "%%%", &bomb] {
            assert_eq!(unpack(none), None, "{}", none.len());
        }
    }
}
