//! What the headers of a file tell before its pixels are decoded, for checks that the decoders do not make themselves.
//!
//! Nothing is decoded here. Offsets are untrusted: every read is checked, and every loop moves forward.

pub(crate) mod body;
pub(crate) mod jpeg;
pub(crate) mod webp;

use crate::{MAX_PIXELS, MAX_SIDE, Reason};

/// Returns the number of pixels. Refuses a size of zero, or one above the limits.
pub(crate) fn measures(width: u32, height: u32) -> Result<u64, Reason> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 {
        Err(Reason::Damaged)
    } else if pixels > MAX_PIXELS {
        Err(Reason::TooManyPixels)
    } else if width.max(height) > MAX_SIDE {
        Err(Reason::TooLong)
    } else {
        Ok(pixels)
    }
}
