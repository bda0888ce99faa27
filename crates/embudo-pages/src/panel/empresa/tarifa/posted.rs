//! Forms that contain a whole price table, with or without a file. They are larger than other forms.

use axum::extract::Request;
use futures_util::stream;
use http::header::CONTENT_TYPE;

use crate::WebState;
use crate::parts::{FormFields, Refusal, read_fields, read_public};

/// The maximum size of a table, in bytes.
pub(super) const MAX_TEXT: usize = embudo_domain::tarifa::MAX_BYTES;
/// The maximum size of a form with a table. A plain form encodes some bytes as three.
const MAX_FORM: usize = 2 * MAX_TEXT;
const MAX_FIELDS: usize = 2_000;

/// Reads the fields of a form. The value of a file field is the text of the file.
pub(super) async fn read_form(state: &WebState, request: Request) -> Result<FormFields, Refusal> {
    let (parts, body) = request.into_parts();
    let read = read_public(state, &parts, body, MAX_FORM).await?;
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let fields = match multer::parse_boundary(kind) {
        Ok(limit) => split(limit, read.bytes).await?,
        Err(_) if read.bytes.split(|b| *b == b'&').count() > MAX_FIELDS => return Err(Refusal::Big),
        Err(_) => read_fields(&read.bytes),
    };
    Ok(fields)
}

async fn split(limit: String, body: bytes::Bytes) -> Result<FormFields, Refusal> {
    let body = stream::once(async { Ok::<_, std::convert::Infallible>(body) });
    let mut parts = multer::Multipart::new(body, limit);
    let mut fields = Vec::new();
    while let Some(part) = parts.next_field().await.map_err(|_| Refusal::NotUnderstood)? {
        if fields.len() == MAX_FIELDS {
            return Err(Refusal::Big);
        }
        let name = part.name().unwrap_or_default().to_owned();
        let bytes = part.bytes().await.map_err(|_| Refusal::NotUnderstood)?;
        // A file in another encoding still becomes text, and is then reported as not being a table.
        fields.push((name, String::from_utf8_lossy(&bytes).into_owned()));
    }
    Ok(FormFields(fields))
}

/// The text of a table, with the uniform line breaks in which it is stored.
pub(super) fn text_of(sent: &str) -> String {
    sent.trim_start_matches('\u{feff}').replace("\r\n", "\n")
}
