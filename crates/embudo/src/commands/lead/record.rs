//! A lead's record as readable text. It is made from the API's answer, by the names in it.

use crate::logging::clean;
use embudo_domain::Body;
use embudo_domain::perfil::PerfilPatch;
use serde_json::Value;

/// The lead's own fields, with their labels. A field of the profile without a label is shown under its own name.
const FIELD_TABLE: &[(&str, &str)] = &[
    ("/id", "id"),
    ("/empresa/nombre", "company"),
    ("/nombre", "name"),
    ("/telefonoE164", "telephone"),
    ("/email", "email"),
    ("/provincia", "province"),
    ("/creadoEn", "created"),
    ("/canalOrigen", "channel"),
    ("/estadoWa", "estadoWa"),
    ("/botStep", "botStep"),
    ("/viable", "viable"),
    ("/tipoReforma", "job"),
    ("/espacio", "space"),
    ("/rangoM2", "rangoM2"),
    ("/m2Suelo", "m2Suelo"),
    ("/estilo", "style"),
    ("/calidadGlobal", "quality"),
    ("/urgencia", "urgency"),
    ("/presupuestoDeclarado", "declared budget"),
    ("/presupuestoTarget", "target (cents)"),
    ("/fotosSolicitadasAt", "photos asked for"),
    ("/tasteText", "taste"),
    ("/estructural", "structural"),
    ("/calificacion/nivel", "level"),
    ("/calificacion/score", "score"),
    ("/calificacion/notasAgente", "agent's notes"),
    ("/duplicadoDe", "perhaps the same as"),
];

/// The lists of a record, each with its label and the fields of one line.
const LISTS: &[(&str, &str, &[&str])] = &[
    ("fotos", "photos", &["creadaEn", "orden", "momento", "zona", "id"]),
    ("notas", "notes", &["creadaEn", "zona", "texto"]),
    ("conversacion", "conversation", &["creadoEn", "rol", "mensaje"]),
    ("intentos", "attempts", &["creadoEn", "canal", "numeroIntento", "resultado", "notas"]),
    ("eventos", "events", &["creadoEn", "tipo", "ok", "detalle"]),
    ("consentimientos", "consents", &["finalidad", "otorgado", "textoVersion"]),
];

/// The whole record; fields without a value are left out.
pub fn text(lead: &Value) -> String {
    let labelled = FIELD_TABLE.iter().filter_map(|(at, label)| Some((*label, shown(lead.pointer(at)?)?)));
    let unlabelled = PerfilPatch::FIELD_TABLE.iter().map(|c| c.nombre);
    let unlabelled =
        unlabelled.filter(|name| FIELD_TABLE.iter().all(|(at, _)| at.strip_prefix('/') != Some(name)));
    let unlabelled = unlabelled.filter_map(|name| Some((name, shown(&lead[name])?)));
    let known: Vec<(&str, String)> = labelled.chain(unlabelled).collect();
    let width = known.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    let mut text: String = known.iter().map(|(label, value)| format!("{label:width$}  {value}\n")).collect();
    for (name, label, fields) in LISTS {
        let items = lead[name].as_array().map(Vec::as_slice).unwrap_or_default();
        if items.is_empty() {
            continue;
        }
        text += &format!("\n{label} ({})\n", items.len());
        for item in items {
            let cells: Vec<String> = fields.iter().filter_map(|field| cell(field, &item[field])).collect();
            text += &format!("  {}\n", cells.join("  "));
        }
    }
    text
}

/// An instant to the minute.
pub fn minute(time: &str) -> String {
    time.get(..16).unwrap_or(time).replace('T', " ")
}

fn cell(field: &str, value: &Value) -> Option<String> {
    let text = shown(value)?;
    Some(if field.starts_with("cread") { minute(&text) } else { text })
}

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Bool(true) => Some("yes".to_owned()),
        Value::Bool(false) => Some("no".to_owned()),
        Value::String(text) => Some(clean(text)),
        Value::Array(list) if list.is_empty() => None,
        Value::Array(list) => Some(list.iter().filter_map(shown).collect::<Vec<_>>().join(", ")),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_record_shows_what_is_known_and_nothing_can_move_the_cursor() {
        let lead = json!({
            "id": "1", "nombre": "Ana\u{1b}[2J", "empresa": {"nombre": "Mi empresa"}, "viable": false, "provincia": null,
            "calificacion": {"nivel": "A", "score": 90}, "duplicadoDe": [], "fotos": [],
            "conversacion": [{"rol": "user", "mensaje": "Hola\nsí", "creadoEn": "2026-11-14T10:30:00.5Z"}],
        });
        let expected = "id       1\ncompany  Mi empresa\nname     Ana\u{fffd}[2J\nviable   no\nlevel    A\nscore    90\n\n\
                        conversation (1)\n  2026-11-14 10:30  user  Hola\u{fffd}sí\n";
        assert_eq!(text(&lead), expected);
    }
}
