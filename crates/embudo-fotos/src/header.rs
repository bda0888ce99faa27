//! What the headers of a file tell before its pixels are touched, where the decoders do not look by themselves.
//!
//! Nothing is decoded here. Offsets are untrusted: every read is checked, and every walk moves forward.

pub(crate) mod body;
pub(crate) mod jpeg;
pub(crate) mod webp;

use crate::{MAX_PIXELS, MAX_SIDE, Reason};

/// Refuses a size that is nothing, or more than we read.
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
