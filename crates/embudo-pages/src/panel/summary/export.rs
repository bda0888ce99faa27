//! `POST /panel/resumen/exportar`: the figures of a range as CSV, with one line for each figure, or as a spreadsheet,
//! with one sheet for each table.
//!
//! Like every export, this one requires the password and is recorded in the audit log. No name can become a formula.

use axum::body::Body;
use axum::extract::{Request, State};
use embudo_app::ExportFormat;
use embudo_domain::figures::MAX_NAMES;
use embudo_domain::role::Permission;
use rust_xlsxwriter::{Format, Workbook, XlsxError};

use super::Asked;
use super::blocks::{Block, blocks};
use super::table::Cell;
use crate::WebState;
use crate::panel::kit::password::is_password;
use crate::panel::kit::spreadsheet::{XLSX_TYPE, csv_writer, file, format_of, harmless};
use crate::panel::{Caller, PanelResult, Signed};
use crate::parts::{Refusal, fields_of, redirect};

const HEAD: [&str; 4] = ["apartado", "concepto", "medida", "valor"];

pub(in crate::panel) async fn export(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let empresa = signed.empresa()?.id;
    let (asked, mistake) = Asked::of(&state, empresa, &fields).await?;
    if mistake.is_some() {
        return Err(Refusal::NotUnderstood);
    }
    let range = asked.range;
    if !is_password(&state, &signed, &caller, &fields).await? {
        let days = format!("desde={}&hasta={}", range.from, range.to);
        return Ok(redirect(&format!("/panel/resumen?{days}&fallo=clave#exportar")));
    }
    let format = format_of(&fields);
    let summary = state.app.exports().summary(empresa, asked.zone, range, format, &signed.actor()).await?;
    let blocks = blocks(&summary, MAX_NAMES, signed.may(Permission::SeeMargins));
    let name = format!("resumen-{}-{}", range.from, range.to);
    if format == ExportFormat::Csv {
        return Ok(file(Body::from(csv_of(&blocks)), "text/csv; charset=utf-8", &format!("{name}.csv")));
    }
    let made = tokio::task::spawn_blocking(move || workbook(&blocks)).await;
    let bytes = made.map_err(|_| Refusal::Internal)?.map_err(|error| {
        tracing::error!(%error, "a spreadsheet could not be made");
        Refusal::Internal
    })?;
    Ok(file(Body::from(bytes), XLSX_TYPE, &format!("{name}.xlsx")))
}

/// CSV with a UTF-8 byte order mark and decimal commas. Unknown values are empty.
fn csv_of(blocks: &[Block]) -> Vec<u8> {
    let mut writer = csv_writer("\u{feff}".as_bytes().to_vec());
    let mut write = |record: [&str; 4]| writer.write_record(record).expect("memory takes every record");
    write(HEAD);
    for block in blocks {
        for row in &block.table.rows {
            for (head, cell) in block.table.head.iter().skip(1).zip(&row.cells) {
                // Our own numbers are harmless, even with a leading minus sign, so they get no apostrophe.
                let value =
                    cell.number().map(|number| number.to_string().replace('.', ",")).unwrap_or_default();
                write([block.title, &harmless(&row.name), head, &value]);
            }
        }
    }
    writer.into_inner().expect("memory takes everything")
}

fn workbook(blocks: &[Block]) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    let bold = Format::new().set_bold();
    for block in blocks {
        let sheet = book.add_worksheet().set_name(block.id)?;
        for (column, head) in (0..).zip(&block.table.head) {
            sheet.write_string_with_format(0, column, *head, &bold)?;
            sheet.set_column_width(column, 18)?;
        }
        for (line, row) in (1..).zip(&block.table.rows) {
            sheet.write_string(line, 0, &row.name)?;
            for (column, number) in (1..).zip(row.cells.iter().map(Cell::number)) {
                if let Some(number) = number {
                    sheet.write_number(line, column, number)?;
                }
            }
        }
        sheet.set_freeze_panes(1, 1)?;
    }
    book.save_to_buffer()
}

#[cfg(test)]
mod tests {
    use super::super::table::{Cell, Row, Table};
    use super::*;

    #[test]
    fn no_name_becomes_a_formula_and_numbers_stay_numbers() {
        let rows = vec![
            Row::new("=1+1", vec![Cell::Count(-5), Cell::Money(embudo_domain::money::Cents(123_456))]),
            Row::new("@x;\"y\"", vec![Cell::Part(1, 3), Cell::Unknown]),
        ];
        let table = Table { head: vec!["Qué", "n", "€"], rows };
        let block = Block { id: "b", title: "B", notes: vec![], chart: None, table, is_open: false };
        let text = String::from_utf8(csv_of(&[block])).expect("text");
        let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
        assert_eq!(
            lines,
            [
                "\"apartado\";\"concepto\";\"medida\";\"valor\"",
                "\"B\";\"'=1+1\";\"n\";\"-5\"",
                "\"B\";\"'=1+1\";\"€\";\"1234,56\"",
                "\"B\";\"'@x;\"\"y\"\"\";\"n\";\"33,3\"",
                "\"B\";\"'@x;\"\"y\"\"\";\"€\";\"\""
            ]
        );
    }
}
