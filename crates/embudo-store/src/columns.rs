//! Fills SQL templates: a list in a template is repeated for each column.

use embudo_domain::columns::{CellType, Column};
use embudo_domain::perfil::Perfil;

/// Fills a statement's lists of profile columns. The text between `{{` and `}}` is repeated for each column, separated
/// by commas: `@name` is replaced by the column, whose parameter has the same name, and `@type` by its type as
/// `type_name` writes it.
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

/// The `type_name` for statements that name no types.
pub fn untyped(_: CellType) -> &'static str {
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_repeated_for_each_column() {
        let sql = fill("SELECT id, {{l.@name}} FROM lead l", untyped);
        assert!(
            sql.starts_with("SELECT id, l.bot_step, l.estado_wa, ") && sql.ends_with(" FROM lead l"),
            "{sql}"
        );
        let sql = fill("VALUES (:id, {{:@name}})", untyped);
        assert!(sql.starts_with("VALUES (:id, :bot_step, :estado_wa, ") && sql.ends_with(')'), "{sql}");
    }
}
