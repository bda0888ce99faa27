//! The pictures: decoded once on all cores (which also finds the unreadable ones), then arranged in rows. An unreadable
//! picture is left out: a client should not find a file error in their quote.

use embudo_domain::ingesta::Momento;
use embudo_domain::presupuesto::PrintedFoto;
use rayon::prelude::*;
use serde::Serialize;
use typst_library::foundations::Bytes;
use typst_library::visualize::{ExchangeFormat, RasterImage};

use crate::FOLDER;
use crate::pdf_request::{Foto, PdfRequest};

/// The maximum number of photos in a quote: with more of them it would be a book.
pub(crate) const MAXIMUM: usize = 80;

/// Height in millimetres of the frames of a pair of upright pictures, and of any other pair.
const PORTRAIT_HEIGHT: u32 = 86;
const LANDSCAPE_HEIGHT: u32 = 56;

/// A row of frames with the same height.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    #[serde(rename = "columnas")]
    pub(crate) columns: usize,
    #[serde(rename = "alto_mm")]
    pub(crate) height_mm: u32,
    pub(crate) fotos: Vec<Frame>,
}

/// A framed picture.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Frame {
    #[serde(rename = "ruta")]
    path: String,
    #[serde(rename = "alternativo")]
    alternative: String,
    #[serde(rename = "pie")]
    caption: &'static str,
    ia: bool,
    /// `cover`: the picture is cropped to the frame. `contain`: it is shown completely.
    #[serde(rename = "encaje")]
    fit: &'static str,
    #[serde(skip)]
    vertical: bool,
}

/// A decoded picture, or nothing.
pub(crate) enum List {
    Image { data: Bytes, width: u32, height: u32 },
    Nothing,
}

/// Decodes the pictures that are printed. The typesetter caches the result, so it does not decode them again.
pub(crate) fn prepare(pdf_request: &PdfRequest) -> Vec<List> {
    let fotos: Vec<_> = pdf_request.document.fotos.iter().take(MAXIMUM).collect();
    fotos.par_iter().map(|f| list(pdf_request.fotos.get(&f.id))).collect()
}

fn list(foto: Option<&Foto>) -> List {
    match foto {
        Some(Foto::Image { jpeg, .. }) => {
            read(Bytes::new(jpeg.clone()), ExchangeFormat::Jpg).unwrap_or(List::Nothing)
        }
        Some(Foto::Gap(_)) | None => List::Nothing,
    }
}

/// Decodes a picture; `None` if the data is not a picture.
pub(crate) fn read(data: Bytes, format: ExchangeFormat) -> Option<List> {
    let image = RasterImage::plain(data.clone(), format).ok()?;
    let (width, height) = (image.width(), image.height());
    (width > 0 && height > 0).then_some(List::Image { data, width, height })
}

/// The name of the n-th picture. Names are fixed, because the typesetter never frees a name.
pub(crate) fn path(n: usize) -> String {
    format!("{FOLDER}/foto-{n}.jpg")
}

/// Frames the pictures of one zone: before and after side by side as long as there are both, the remaining ones in
/// smaller rows.
pub(crate) fn rows(all: &[(usize, &PrintedFoto, &List)], zona: &str) -> Vec<Row> {
    let mut before = Vec::new();
    let mut after = Vec::new();
    for (n, foto, list) in all {
        let List::Image { width, height, .. } = list else { continue };
        let of = if foto.momento == Momento::Before { &mut before } else { &mut after };
        let orden = of.len() + 1;
        of.push(frame(*n, foto.momento, (*width, *height), zona, orden));
    }
    let pairs = before.len().min(after.len());
    let loose: Vec<Frame> = before.split_off(pairs).into_iter().chain(after.split_off(pairs)).collect();
    let pair = |(a, d): (Frame, Frame)| {
        let height_mm = if a.vertical && d.vertical { PORTRAIT_HEIGHT } else { LANDSCAPE_HEIGHT };
        let fit_into = |m: Frame| Frame { fit: fit(&m, height_mm == PORTRAIT_HEIGHT), ..m };
        Row { columns: 2, height_mm, fotos: vec![fit_into(a), fit_into(d)] }
    };
    let mut rows: Vec<Row> = before.into_iter().zip(after).map(pair).collect();
    let (portrait, landscape): (Vec<Frame>, Vec<Frame>) = loose.into_iter().partition(|m| m.vertical);
    rows.extend(landscape.chunks(3).map(|f| Row { columns: 3, height_mm: 41, fotos: f.to_vec() }));
    rows.extend(portrait.chunks(4).map(|f| Row { columns: 4, height_mm: 53, fotos: f.to_vec() }));
    rows
}

fn frame(n: usize, momento: Momento, (width, height): (u32, u32), zona: &str, orden: usize) -> Frame {
    let ia = momento == Momento::After;
    let (caption, alternative) = match momento {
        Momento::Before => ("Antes", format!("{zona}, antes de la reforma: fotografía {orden}")),
        Momento::After => {
            ("Después", format!("{zona}, después de la reforma: imagen generada por IA {orden}"))
        }
    };
    let reason = f64::from(width) / f64::from(height);
    // Panoramas and very tall pictures are shown completely; other pictures lose little at their edges.
    let fit = if (0.55..1.9).contains(&reason) { "cover" } else { "contain" };
    Frame { path: path(n), alternative, caption, ia, fit, vertical: reason < 1.0 }
}

/// The `fit` of a picture in a pair: it is cropped only by a frame of its own orientation, and never if it is shown
/// completely anyway.
fn fit(foto: &Frame, portrait_frame: bool) -> &'static str {
    if foto.vertical == portrait_frame { foto.fit } else { "contain" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panorama_is_shown_completely_also_in_a_pair() {
        let of = |momento, size| frame(0, momento, size, "Baño", 1);
        let (panorama, photo) = (of(Momento::Before, (800, 260)), of(Momento::After, (800, 600)));
        assert_eq!((fit(&panorama, false), fit(&photo, false)), ("contain", "cover"));
        assert_eq!(fit(&of(Momento::Before, (600, 800)), false), "contain", "upright in a landscape frame");
    }
}
