//! What a client may send of the place, photos and notes; and what is there of it.

use embudo_domain::ingesta::Momento;
use embudo_domain::nota::Nota;
use embudo_domain::record::LeadRecord;
use embudo_domain::{NotaId, Zona};
use embudo_fotos::{Format, Reason};

/// The largest photo.
pub(crate) const MAX_FOTO_BYTES: usize = 15 * 1024 * 1024;
/// What may be sent, in words.
pub(super) const FORMATS: &str = "JPG o PNG";
/// How many photos of the place a lead may have.
pub(super) const MAX_FOTOS: usize = 40;
/// The longest note.
pub(super) const MAX_NOTA: usize = 4_000;

/// The media type by the bytes (what the browser says of a file is not asked), or what to tell the sender. Browsers
/// turn what they can show into JPEG before it comes here, so an iPhone's HEIC only arrives from those that cannot.
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

/// The notes that the form wrote. What came from elsewhere is not the form's to show or to change.
pub(super) fn own_notas(record: &LeadRecord) -> impl Iterator<Item = &Nota> {
    let lead = record.lead.id;
    record.notas.iter().filter(move |n| n.zona.is_some_and(|zona| n.id == NotaId::of_form(lead, zona)))
}

/// What the form's note about a zone says.
pub(super) fn nota_of(record: &LeadRecord, zona: Zona) -> Option<&str> {
    own_notas(record).find(|n| n.zona == Some(zona)).map(|n| n.text.as_str())
}

/// The photos that a client sends: those of the place as it is. Renders are not the form's to show or to remove.
pub(super) fn own(record: &LeadRecord) -> impl Iterator<Item = &embudo_domain::foto::Foto> {
    record.fotos.iter().filter(|f| f.momento == Momento::Before)
}
