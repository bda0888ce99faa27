//! Files exported from the panel as tables. No cell may become a formula: CSV texts that a spreadsheet would calculate
//! get an apostrophe, and XLSX stores them as plain text.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use embudo_app::ExportFormat;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};

use crate::parts::FormFields;

pub(in crate::panel) const XLSX_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// The format chosen in the form.
pub(in crate::panel) fn format_of(fields: &FormFields) -> ExportFormat {
    match fields.raw("formato") {
        "xlsx" => ExportFormat::Xlsx,
        _ => ExportFormat::Csv,
    }
}

/// The cell as a text that spreadsheets do not calculate.
pub(in crate::panel) fn harmless(cell: &str) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

/// Writes CSV as spreadsheets in Spain expect it, with semicolons. All fields are quoted, so no content can end a field
/// early.
pub(in crate::panel) fn csv_writer(start: Vec<u8>) -> csv::Writer<Vec<u8>> {
    let mut builder = csv::WriterBuilder::new();
    builder.delimiter(b';').quote_style(csv::QuoteStyle::Always).terminator(csv::Terminator::CRLF);
    builder.from_writer(start)
}

/// A file as a download.
pub(in crate::panel) fn file(body: Body, kind: &'static str, name: &str) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    headers.insert(CONTENT_DISPOSITION, disposition.expect("a plain name"));
    response
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn no_cell_becomes_a_formula() {
        for bad in ["=1+1", "+34", "-2", "@SUM(A1)", "\t=1", "\r=1", "＝1"] {
            assert!(harmless(bad).starts_with('\''), "{bad:?}");
        }
        assert_eq!(harmless("Ana; \"la\" de siempre"), "Ana; \"la\" de siempre");
    }
}
