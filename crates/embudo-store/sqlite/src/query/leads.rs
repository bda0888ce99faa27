//! Lists of leads, newest first.

use std::sync::LazyLock;

use embudo_domain::record::LeadSummary;
use embudo_store::columns::{fill, untyped};
use embudo_store::query::{Cursor, LeadFilter};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::all;
use crate::failure::Step;
use crate::rows;

static LIST: LazyLock<String> = LazyLock::new(|| fill(include_str!("../../sql/lead/list.sql"), 1, untyped));

/// One page.
///
/// Only the conditions that are set stand in the SQL, so that SQLite picks the index that fits them; the text of the query
/// takes few shapes, and each stays prepared.
pub(crate) fn list(
    connection: &Connection,
    filter: LeadFilter,
    cursor: Option<Cursor>,
    limit: u32,
) -> Step<Vec<LeadSummary>> {
    let (sql, values) = page(filter, cursor, limit);
    let mut leads = all(connection, &sql, params_from_iter(values), rows::lead_summary)?;
    for summary in &mut leads {
        summary.lead.utm = super::record::utm(connection, summary.lead.id)?;
    }
    Ok(leads)
}

/// The SQL of a page and the values for its parameters.
pub(crate) fn page(filter: LeadFilter, cursor: Option<Cursor>, limit: u32) -> (String, Vec<Value>) {
    let uuid = |id: uuid::Uuid| Value::Blob(id.as_bytes().to_vec());
    let word = |w: &str| Value::Text(w.to_owned());
    // Few leads share a telephone or an e-mail. The plus signs keep SQLite from walking a whole company in order
    // just to save sorting them.
    let (creado_en, id) = match (&filter.telefono_e164, &filter.email_normal) {
        (None, None) => ("lead.creado_en", "lead.id"),
        _ => ("+lead.creado_en", "+lead.id"),
    };
    let (since, until) = (format!("{creado_en} >= ?"), format!("{creado_en} < ?"));
    let conditions = [
        ("lead.empresa_id = ?", filter.empresa.map(|e| uuid(e.0))),
        ("lead.telefono_e164 = ?", filter.telefono_e164.map(Value::Text)),
        ("lead.email_normal = ?", filter.email_normal.map(Value::Text)),
        ("lead.tipo_reforma = ?", filter.tipo_reforma.map(|z| word(z.as_str()))),
        ("calificacion.nivel = ?", filter.nivel.map(|n| word(n.as_str()))),
        ("lead.canal_origen = ?", filter.canal_origen.map(|c| word(c.as_str()))),
        ("lead.viable = ?", filter.viable.map(Value::from)),
        ("lead.estado_wa = ?", filter.estado_wa.map(|e| word(e.as_str()))),
        ("instr(lead.busqueda, ?) > 0", filter.text.map(Value::Text)),
        (since.as_str(), filter.since.map(|t| Value::Integer(t.as_microsecond()))),
        (until.as_str(), filter.until.map(|t| Value::Integer(t.as_microsecond()))),
    ];
    let mut sql = LIST.clone();
    let mut values = Vec::new();
    let mut joint = "WHERE ";
    for (condition, value) in conditions {
        if let Some(value) = value {
            sql.push_str(joint);
            sql.push_str(condition);
            values.push(value);
            joint = " AND ";
        }
    }
    if let Some(cursor) = cursor {
        sql.push_str(joint);
        sql.push_str(&format!("({creado_en}, {id}) < (?, ?)"));
        values.push(Value::Integer(cursor.creado_en.as_microsecond()));
        values.push(uuid(cursor.id.0));
    }
    sql.push_str(&format!(" ORDER BY {creado_en} DESC, {id} DESC LIMIT ?"));
    values.push(Value::Integer(i64::from(limit)));
    (sql, values)
}
