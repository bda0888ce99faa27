//! A draft inside a form: what the form was made from, so that what somebody else changed meanwhile can be told from
//! what was typed.
//!
//! The store keeps the newest revision alone, and a form lies open for as long as a person likes.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use embudo_domain::presupuesto::Draft;
use embudo_domain::presupuesto::draft::MAX_BYTES;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// As a hidden field holds it.
pub(super) fn pack(draft: &Draft) -> String {
    let json = serde_json::to_string(draft).expect("a draft is written as JSON");
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    let packed = packed.write_all(json.as_bytes()).and_then(|()| packed.finish());
    URL_SAFE_NO_PAD.encode(packed.expect("writing to memory does not fail"))
}

/// `None`: it is none of ours, or larger than a draft may be.
pub(super) fn unpack(text: &str) -> Option<Draft> {
    let packed = URL_SAFE_NO_PAD.decode(text).ok()?;
    let mut json = Vec::new();
    // One byte more than is read: what is cut off must not look whole.
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
