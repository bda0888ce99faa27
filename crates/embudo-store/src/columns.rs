//! Statements that write or read every field of a list, whatever fields there are.

use embudo_domain::columns::{CellType, Column};
use embudo_domain::perfil::Perfil;

/// Fills a statement's lists of profile columns. What stands between `{{` and `}}` is repeated for each column, with commas between:
/// `@name` stands for the column, whose parameter has the same name, and `@type` for its type as `type_name` writes it.
///
/// ```
/// # use embudo_store::columns::{fill, untyped};
/// assert!(fill("SELECT id, {{l.@name}} FROM lead l", untyped).starts_with("SELECT id, l.bot_step, l.estado_wa, "));
/// assert!(fill("VALUES (:id, {{:@name}})", untyped).starts_with("VALUES (:id, :bot_step, :estado_wa, "));
/// ```
pub fn fill(template: &str, type_name: fn(CellType) -> &'static str) -> String {
    fill_of(Perfil::COLUMNS, template, type_name)
}

/// Fills a statement's lists with other columns than the profile's.
pub fn fill_of(columns: &[Column], template: &str, type_name: fn(CellType) -> &'static str) -> String {
    let mut parts = template.split("{{");
    let mut sql = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (item, rest) = part.split_once("}}").expect("a list that is opened is closed");
        let items = columns
            .iter()
            .map(|column| item.replace("@name", column.name).replace("@type", type_name(column.holds)));
        sql += &items.collect::<Vec<_>>().join(", ");
        sql += rest;
    }
    sql
}

/// For statements that name no types.
pub fn untyped(_: CellType) -> &'static str {
    ""
}
