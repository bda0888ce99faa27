//! Photos and notes of the place: what a client may send, and what the lead already has.

use embudo_domain::ingesta::Momento;
use embudo_domain::nota::Nota;
use embudo_domain::record::LeadRecord;
use embudo_domain::{NotaId, Zona};
use embudo_fotos::{Format, Reason};

/// The maximum size of a photo.
pub(crate) const MAX_FOTO_BYTES: usize = 15 * 1024 * 1024;
/// The accepted formats, in words.
pub(super) const FORMATS: &str = "JPG o PNG";
/// The maximum number of photos of the place for one lead.
pub(super) const MAX_FOTOS: usize = 40;
/// The maximum length of a note.
pub(super) const MAX_NOTA: usize = 4_000;

/// The image format, read from the bytes because the type that the browser claims is not trusted. The error tells the
/// sender what to do. In the form, `fotos.js` converts every photo that the browser can show to JPEG before the upload,
/// so HEIC photos of an iPhone arrive only from browsers that cannot show HEIC, or without JavaScript.
pub(crate) fn kind_of(bytes: &[u8]) -> Result<&'static str, String> {
    let mensaje = match embudo_fotos::inspect(bytes) {
        Ok(Format::Jpeg) => return Ok("jpeg"),
        Ok(Format::Png) => return Ok("png"),
        Ok(Format::WebP) => return Ok("webp"),
        Ok(Format::Gif) => return Ok("gif"),
        Err(Reason::Heic | Reason::Avif) => {
            "Esta foto está en un formato que no podemos abrir (HEIC o AVIF). Guárdala como JPG, o haz una captura de ella."
        }
        Err(Reason::Damaged) => "Esta foto está dañada o incompleta. Prueba a elegirla otra vez, o con otra.",
        Err(Reason::TooManyPixels | Reason::TooLong | Reason::TooMuchMemory | Reason::TooManyLayers) => {
            "Esta foto es demasiado grande. Prueba con una más pequeña."
        }
        Err(_) => {
            return Err(format!("Este archivo no es una foto que podamos abrir. Prueba con {FORMATS}."));
        }
    };
    Err(mensaje.to_owned())
}

/// The notes written in the form. The form neither shows nor changes notes from other sources.
pub(super) fn own_notas(record: &LeadRecord) -> impl Iterator<Item = &Nota> {
    let lead = record.lead.id;
    record.notas.iter().filter(move |n| n.zona.is_some_and(|zona| n.id == NotaId::of_form(lead, zona)))
}

/// The form's note about a zone.
pub(super) fn nota_of(record: &LeadRecord, zona: Zona) -> Option<&str> {
    own_notas(record).find(|n| n.zona == Some(zona)).map(|n| n.text.as_str())
}

/// The client's photos, which show the place before the work. The form neither shows nor deletes renders.
pub(super) fn own(record: &LeadRecord) -> impl Iterator<Item = &embudo_domain::foto::Foto> {
    record.fotos.iter().filter(|f| f.momento == Momento::Before)
}
