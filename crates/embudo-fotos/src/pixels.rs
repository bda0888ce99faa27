//! Converts pixels in memory: onto white, to eight bits per channel, to a smaller size.
//!
//! A photo is converted in place: a second buffer of its size would double the memory of a call.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::{U8, U8x3, U8x4};
use fast_image_resize::{FilterType, PixelTrait, ResizeAlg, ResizeOptions, Resizer};
use image::{ColorType, RgbImage};

use crate::Reason;

/// A decoded picture.
pub(crate) struct Raw {
    pub data: Vec<u8>,
    pub width: u32,
    pub height: u32,
    pub color: ColorType,
}

impl Raw {
    /// Converts it to one or three bytes per pixel, on a white background.
    pub(crate) fn flatten(&mut self) -> Result<(), Reason> {
        let data = &mut self.data;
        self.color = match self.color {
            ColorType::L8 | ColorType::Rgb8 => return Ok(()),
            ColorType::La8 => {
                compact(data, |[l, a]: [u8; 2]| [over_white(l, a)]);
                ColorType::L8
            }
            ColorType::Rgba8 => {
                compact(data, |[r, g, b, a]: [u8; 4]| [r, g, b].map(|c| over_white(c, a)));
                ColorType::Rgb8
            }
            _ => {
                self.in_eight_bits()?;
                return self.flatten();
            }
        };
        Ok(())
    }

    /// Converts it to four bytes per pixel, with transparency.
    pub(crate) fn with_alpha(&mut self) -> Result<(), Reason> {
        self.in_eight_bits()?;
        self.data = match self.color {
            ColorType::Rgba8 => return Ok(()),
            ColorType::L8 => self.data.iter().flat_map(|l| [*l, *l, *l, 255]).collect(),
            ColorType::La8 => self.data.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
            ColorType::Rgb8 => self.data.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect(),
            _ => return Err(Reason::Damaged),
        };
        self.color = ColorType::Rgba8;
        Ok(())
    }

    fn in_eight_bits(&mut self) -> Result<(), Reason> {
        self.color = match self.color {
            ColorType::L16 => ColorType::L8,
            ColorType::La16 => ColorType::La8,
            ColorType::Rgb16 => ColorType::Rgb8,
            ColorType::Rgba16 => ColorType::Rgba8,
            ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8 => return Ok(()),
            _ => return Err(Reason::Damaged),
        };
        compact(&mut self.data, |two: [u8; 2]| {
            let value = u32::from(u16::from_ne_bytes(two));
            [u8::try_from((value * 255 + 32_767) / 65_535).expect("a fraction of 255")]
        });
        Ok(())
    }

    /// Shrinks it until no side is longer than `side` pixels. Eight bits per channel only: grey, colour, or colour with
    /// transparency.
    pub(crate) fn shrink(self, side: u32) -> Result<Self, Reason> {
        let (width, height) = fits(self.width, self.height, side);
        if (width, height) == (self.width, self.height) {
            return Ok(self);
        }
        let (before, after) = ((self.width, self.height), (width, height));
        let data = match self.color {
            ColorType::L8 => scale::<U8>(&self.data, before, after)?,
            ColorType::Rgb8 => scale::<U8x3>(&self.data, before, after)?,
            ColorType::Rgba8 => scale::<U8x4>(&self.data, before, after)?,
            _ => return Err(Reason::Damaged),
        };
        Ok(Self { data, width, height, color: self.color })
    }

    /// The picture in RGB. Only for small pictures, because it makes a grey picture three times as large.
    pub(crate) fn in_rgb(self) -> Result<RgbImage, Reason> {
        let data = match self.color {
            ColorType::Rgb8 => self.data,
            ColorType::L8 => self.data.iter().flat_map(|l| [*l; 3]).collect(),
            _ => return Err(Reason::Damaged),
        };
        RgbImage::from_raw(self.width, self.height, data).ok_or(Reason::Damaged)
    }
}

/// A copy whose sides have at most `side` pixels.
pub(crate) fn shrink_rgb(picture: &RgbImage, side: u32) -> Result<RgbImage, Reason> {
    let (width, height) = fits(picture.width(), picture.height(), side);
    if (width, height) == picture.dimensions() {
        return Ok(picture.clone());
    }
    let data = scale::<U8x3>(picture.as_raw(), picture.dimensions(), (width, height))?;
    RgbImage::from_raw(width, height, data).ok_or(Reason::Damaged)
}

/// The size that fits in a square of `side`: same proportions, never larger than the original, at least one pixel.
fn fits(width: u32, height: u32, side: u32) -> (u32, u32) {
    let length = width.max(height);
    let side = side.max(1);
    if length <= side {
        return (width, height);
    }
    let (length, side) = (u64::from(length), u64::from(side));
    let measure = |m: u32| {
        let smaller = (u64::from(m) * side + length / 2) / length;
        u32::try_from(smaller.max(1)).expect("smaller than it was")
    };
    (measure(width), measure(height))
}

/// Resizes pixels of one type. The type is a parameter, because the resizer's dynamic dispatch would compile the code
/// for all its pixel types.
fn scale<P: PixelTrait>(
    data: &[u8],
    (width, height): (u32, u32),
    (new_width, new_height): (u32, u32),
) -> Result<Vec<u8>, Reason> {
    let origin = TypedImageRef::<P>::from_buffer(width, height, data).map_err(|_| Reason::Damaged)?;
    let mut bytes = vec![0; new_width as usize * new_height as usize * P::size()];
    let mut destination =
        TypedImage::<P>::from_buffer(new_width, new_height, &mut bytes).map_err(|_| Reason::Damaged)?;
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
    Resizer::new().resize_typed(&origin, &mut destination, &options).map_err(|_| Reason::Damaged)?;
    Ok(bytes)
}

/// Rewrites groups of `OF` bytes as groups of `A` bytes, in place. The write position never overtakes the read
/// position.
fn compact<const OF: usize, const A: usize>(data: &mut Vec<u8>, f: impl Fn([u8; OF]) -> [u8; A]) {
    const { assert!(A <= OF) };
    let groups = data.len() / OF;
    for i in 0..groups {
        let group = data[i * OF..(i + 1) * OF].try_into().expect("as many as asked for");
        data[i * A..(i + 1) * A].copy_from_slice(&f(group));
    }
    data.truncate(groups * A);
}

fn over_white(color: u8, alpha: u8) -> u8 {
    let (color, alpha) = (u32::from(color), u32::from(alpha));
    u8::try_from((color * alpha + 255 * (255 - alpha) + 127) / 255).expect("a mean of two bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_keep_their_shape_and_never_grow() {
        assert_eq!(fits(4032, 3024, 800), (800, 600));
        assert_eq!(fits(3024, 4032, 800), (600, 800));
        assert_eq!(fits(800, 800, 800), (800, 800));
        assert_eq!(fits(10, 7, 800), (10, 7));
        assert_eq!(fits(30_000, 1, 800), (800, 1));
        assert_eq!(fits(5, 3, 0), (1, 1));
    }

    #[test]
    fn white_shows_through_what_is_transparent() {
        assert_eq!(over_white(0, 0), 255);
        assert_eq!(over_white(0, 255), 0);
        assert_eq!(over_white(0, 128), 127);
        assert_eq!(over_white(200, 255), 200);
    }

    #[test]
    fn sixteen_bits_become_eight_without_a_shift_at_either_end() {
        let values = [0_u16, 128, 129, 32_768, 65_535];
        let data = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
        let mut raw = Raw { data, width: 5, height: 1, color: ColorType::L16 };
        raw.flatten().expect("grey");
        assert_eq!(raw.data, [0, 0, 1, 128, 255]);
    }
}
