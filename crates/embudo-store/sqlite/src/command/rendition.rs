//! What was made of photos.

use embudo_domain::Digest;
use embudo_domain::rendition::Rendition;
use embudo_store::{StoreError, rows};
use rusqlite::{Connection, named_params};

use super::{blob, execute};
use crate::failure::Step;
use crate::query::exists;

/// Writes what was made of a photo.
pub(crate) fn save_rendition(
    connection: &Connection,
    rendition: &Rendition,
    swept: &[(Digest, i64)],
) -> Step<()> {
    let Rendition { lead, foto, copy, result, creada_en } = rendition;
    if !exists(connection, include_str!("../../sql/foto/hold.sql"), (lead.0, foto.0))? {
        return Err(StoreError::FotoNotFound.into());
    }
    for digest in rendition.digests() {
        blob::check(connection, *lead, digest, swept)?;
    }
    let (print, width, height, thumbnail, reason) = rows::rendition_columns(result);
    execute(
        connection,
        include_str!("../../sql/rendicion/upsert.sql"),
        named_params! {
            ":lead": lead.0,
            ":foto": foto.0,
            ":copia": copy.map(|h| h.0),
            ":impresion": print,
            ":ancho": width,
            ":alto": height,
            ":miniatura": thumbnail,
            ":motivo": reason,
            ":creado_en": creada_en.as_microsecond(),
        },
    )
    .map(drop)
}
