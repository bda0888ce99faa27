//! `POST /panel/leads/exportar`: exports exactly the leads of the list, as CSV or as a spreadsheet.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use embudo_app::{AppError, ExportFormat};
use embudo_domain::calificacion::Nivel;
use embudo_domain::direccion::Direccion;
use embudo_domain::next_action::ActionKind;
use embudo_domain::perfil::{Calidad, CanalOrigen, Urgencia};
use embudo_domain::user::User;
use embudo_domain::{Timestamp, Zona};
use embudo_store::inbox::InboxRow;
use futures_util::{Stream, StreamExt as _, TryStreamExt as _, stream};
use rust_xlsxwriter::{Format, Workbook, XlsxError};

use super::ask::{Ask, FILTERS};
use super::{viewer, words};
use crate::WebState;
use crate::panel::kit::chips::action_label;
use crate::panel::kit::password::is_password;
use crate::panel::kit::people::workers_of;
use crate::panel::kit::spreadsheet::{XLSX_TYPE, csv_writer, file, format_of, harmless};
use crate::panel::words::instant;
use crate::panel::{Caller, PanelResult, Signed};
use crate::parts::{FormFields, Refusal, fields_of, redirect};

const HEAD: [&str; 21] = [
    "id",
    "creado",
    "nombre",
    "telefono",
    "email",
    "direccion",
    "provincia",
    "canal",
    "tipo",
    "m2",
    "calidad",
    "urgencia",
    "viable",
    "nivel",
    "puntuacion",
    "etapa",
    "asignado",
    "proxima_accion",
    "vence",
    "ultima_actividad",
    "motivo_perdida",
];

/// The maximum number of rows of a spreadsheet, which is made in memory.
const MOST_ROWS_OF_A_SHEET: usize = 50_000;

/// Requires the password again, because a list of people leaves the system.
pub(in crate::panel) async fn export(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let empresa = signed.empresa()?;
    let format = format_of(&fields);
    let now = state.app.now();
    let ask = Ask::of(fields.clone(), signed.open.user.id, now);
    if !is_password(&state, &signed, &caller, &fields).await? {
        return Ok(refused(&ask, "clave"));
    }
    let viewer = viewer(&signed)?;
    let people = Arc::new(workers_of(&state, empresa.id).await?);
    let (filter, filters, actor) = (ask.filter.clone(), filters_text(&fields), signed.actor());
    let rows = state.app.exports().leads(viewer, filter, filters, format, &actor).await?;
    let records =
        rows.map_ok(move |rows| rows.iter().map(|row| record(row, &people, now)).collect::<Vec<_>>());
    let name = format!("leads-{}", state.app.today());
    if format == ExportFormat::Csv {
        let body = Body::from_stream(csv_of(records));
        return Ok(file(body, "text/csv; charset=utf-8", &format!("{name}.csv")));
    }
    let Some(records) = gather(records).await? else { return Ok(refused(&ask, "muchos")) };
    let made = tokio::task::spawn_blocking(move || workbook(&records)).await;
    let bytes = made.map_err(|_| Refusal::Internal)?.map_err(|error| {
        tracing::error!(%error, "a spreadsheet could not be made");
        Refusal::Internal
    })?;
    Ok(file(Body::from(bytes), XLSX_TYPE, &format!("{name}.xlsx")))
}

fn refused(ask: &Ask, why: &str) -> Response {
    let start = ask.start();
    let joint = if start.contains('?') { '&' } else { '?' };
    redirect(&format!("{start}{joint}fallo={why}"))
}

/// The active filters, for the audit log.
fn filters_text(fields: &FormFields) -> String {
    let set =
        FILTERS.iter().filter(|name| fields.has(name)).map(|name| format!("{name}={}", fields.text(name)));
    set.collect::<Vec<_>>().join(", ")
}

type Record = [String; HEAD.len()];

fn record(row: &InboxRow, people: &[User], now: Timestamp) -> Record {
    let action = row.next_action(now);
    let by_hand = row.action_text.clone().filter(|_| action.is_some_and(|a| a.kind == ActionKind::ByHand));
    let (lead, summary) = (&row.summary.lead, &row.summary);
    let perfil = &lead.perfil;
    let text = |t: Option<&str>| t.unwrap_or_default().to_owned();
    let person = row.assigned.and_then(|id| people.iter().find(|p| p.id == id));
    [
        lead.id.to_string(),
        instant(lead.creado_en),
        lead.nombre.clone(),
        words::telefono(&lead.telefono_e164),
        lead.email.clone(),
        text(lead.obra.direccion.as_ref().map(Direccion::as_str)),
        text(lead.provincia.as_deref()),
        text(perfil.canal_origen.map(CanalOrigen::label)),
        text(perfil.tipo_reforma.map(Zona::label)),
        perfil.m2_suelo.map(|m2| m2.to_string().replace('.', ",")).unwrap_or_default(),
        text(perfil.calidad_global.map(Calidad::as_str)),
        text(perfil.urgencia.map(Urgencia::as_str)),
        text(perfil.viable.map(|viable| if viable { "sí" } else { "no" })),
        text(summary.nivel.map(Nivel::as_str)),
        summary.score.map(|score| score.to_string()).unwrap_or_default(),
        row.etapa.label().to_owned(),
        text(person.map(|p| p.nombre.as_str())),
        by_hand.or(action.map(|a| action_label(a.kind).to_owned())).unwrap_or_default(),
        action.and_then(|a| a.due).map(instant).unwrap_or_default(),
        instant(row.activity),
        text(row.archived_reason.as_deref()),
    ]
}

fn lines(records: &[Record]) -> Bytes {
    let mut writer = csv_writer(Vec::new());
    for record in records {
        writer.write_record(record.iter().map(|cell| harmless(cell))).expect("memory takes every record");
    }
    writer.into_inner().expect("memory takes everything").into()
}

/// CSV with a UTF-8 byte order mark.
fn csv_of(
    records: impl Stream<Item = Result<Vec<Record>, AppError>> + Send + 'static,
) -> impl Stream<Item = Result<Bytes, AppError>> + Send + 'static {
    let head = [Bytes::from_static("\u{feff}".as_bytes()), lines(&[HEAD.map(str::to_owned)])].concat();
    stream::once(async move { Ok(Bytes::from(head)) }).chain(records.map_ok(|records| lines(&records)))
}

/// Collects all records. `None` if a sheet cannot hold them.
async fn gather(
    records: impl Stream<Item = Result<Vec<Record>, AppError>>,
) -> Result<Option<Vec<Record>>, Refusal> {
    let mut all = Vec::new();
    let mut records = std::pin::pin!(records);
    while let Some(some) = records.next().await {
        all.extend(some?);
        if all.len() > MOST_ROWS_OF_A_SHEET {
            return Ok(None);
        }
    }
    Ok(Some(all))
}

fn workbook(records: &[Record]) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Leads")?;
    let bold = Format::new().set_bold();
    for (column, name) in (0..).zip(HEAD) {
        sheet.write_string_with_format(0, column, name, &bold)?;
        sheet.set_column_width(column, 18)?;
    }
    for (line, record) in (1..).zip(records) {
        for (column, cell) in (0..).zip(record) {
            sheet.write_string(line, column, cell)?;
        }
    }
    sheet.set_freeze_panes(1, 0)?;
    book.save_to_buffer()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_quoted() {
        let mut record: Record = Default::default();
        record[2] = "a;\"b\"\nc".to_owned();
        assert!(lines(&[record]).starts_with(b"\"\";\"\";\"a;\"\"b\"\"\nc\";\"\""));
    }

    #[test]
    fn a_sheet_holds_texts_as_they_are() {
        let mut record: Record = Default::default();
        record[2] = "=1+1".to_owned();
        let bytes = workbook(&[record]).expect("a workbook");
        assert!(bytes.starts_with(b"PK"));
    }
}
