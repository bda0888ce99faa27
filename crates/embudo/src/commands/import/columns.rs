//! What the columns of a spreadsheet mean: guessed from their headings, or given by `--map`.

use embudo_domain::body::Body as _;
use embudo_domain::lead::NewLead;
use embudo_domain::schema::{Field, Kind};
use embudo_domain::search::fold;
use serde_json::{Map, Value, json};

/// Usual headings, by the field that they mean.
const USUAL: &[(&str, &[&str])] = &[
    ("nombre", &["name", "cliente", "nombrecompleto", "nombreyapellidos", "contacto", "nombrecliente"]),
    ("telefono", &["tel", "tlf", "tfno", "movil", "telefonomovil", "celular", "phone", "mobile"]),
    ("email", &["correo", "mail", "correoelectronico", "emailaddress"]),
    ("provincia", &["province", "region"]),
    ("m2Suelo", &["m2", "metros", "superficie"]),
    ("tipoReforma", &["reforma", "tipo", "tipodereforma"]),
    ("canalOrigen", &["canal", "origen", "fuente"]),
    ("codigoPostal", &["cp"]),
];

/// What a column contains: a field of the lead, or a `utm_…` parameter of the campaign.
enum Meaning {
    Field(&'static Field),
    Utm(String),
}

/// The columns of a file.
pub struct Columns {
    headings: Vec<String>,
    meanings: Vec<Option<Meaning>>,
}

impl Columns {
    /// Reads the headings, and in `said` the arguments of `--map`. Every required field must have a column, and no
    /// field may have two.
    pub fn of(headings: &[String], said: &[String]) -> Result<Self, String> {
        let mut meanings: Vec<Option<Meaning>> = headings.iter().map(|heading| guess(heading)).collect();
        for pair in said {
            let (heading, name) =
                pair.rsplit_once('=').ok_or_else(|| format!("--map: «{pair}» is not HEADING=FIELD"))?;
            let at = headings.iter().position(|h| plain(h) == plain(heading));
            let at = at.ok_or_else(|| {
                format!("--map: no column is headed «{heading}»; there are: {}", headings.join(", "))
            })?;
            meanings[at] = match name {
                "-" => None,
                name => Some(named(name).ok_or_else(|| {
                    let known: Vec<&str> = fields().map(|field| field.nombre).collect();
                    format!("--map: there is no field «{name}»; there are: {}", known.join(", "))
                })?),
            };
        }
        let columns = Self { headings: headings.to_vec(), meanings };
        for field in fields() {
            match columns.at(field.nombre).count() {
                0 if field.required => {
                    let (name, headings) = (field.nombre, headings.join(", "));
                    return Err(format!(
                        "no column is the {name}: say which with --map HEADING={name}; there are: {headings}"
                    ));
                }
                0 | 1 => {}
                _ => {
                    let twice: Vec<&str> = columns.at(field.nombre).collect();
                    let (name, twice) = (field.nombre, twice.join(", "));
                    return Err(format!(
                        "several columns are the {name} ({twice}): leave one out with --map HEADING=-"
                    ));
                }
            }
        }
        Ok(columns)
    }

    /// The number of columns.
    pub fn len(&self) -> usize {
        self.headings.len()
    }

    fn at(&self, name: &str) -> impl Iterator<Item = &str> {
        let columns = self.headings.iter().zip(&self.meanings);
        let own = columns
            .filter(move |(_, meaning)| matches!(meaning, Some(Meaning::Field(f)) if f.nombre == name));
        own.map(|(heading, _)| heading.as_str())
    }

    /// The heading of the column for a field, or the field's own name.
    pub fn heading<'c>(&'c self, field: &'c str) -> &'c str {
        self.at(field).next().unwrap_or(field)
    }

    /// A line as the body of the call that creates a lead. Values that cannot be read stay as they are, so that the
    /// API's rules refuse them.
    pub fn body(&self, cells: &[String]) -> Value {
        let (mut body, mut utm) = (Map::new(), Map::new());
        for (cell, meaning) in cells.iter().zip(&self.meanings) {
            let cell = cell.trim();
            match meaning {
                _ if cell.is_empty() => {}
                Some(Meaning::Field(field)) => {
                    drop(body.insert(field.nombre.to_owned(), value(field.kind, cell)));
                }
                Some(Meaning::Utm(name)) => drop(utm.insert(name.clone(), json!(cell))),
                None => {}
            }
        }
        if !utm.is_empty() {
            body.insert("utm".to_owned(), Value::Object(utm));
        }
        Value::Object(body)
    }

    /// Which column is read as which field.
    pub fn shown(&self) -> String {
        let line = |(heading, meaning): (&String, &Option<Meaning>)| match meaning {
            Some(Meaning::Field(field)) => format!("«{heading}» → {}\n", field.nombre),
            Some(Meaning::Utm(name)) => format!("«{heading}» → utm.{name}\n"),
            None => format!("«{heading}» is left out\n"),
        };
        self.headings.iter().zip(&self.meanings).map(line).collect()
    }
}

/// The fields that a cell can hold.
fn fields() -> impl Iterator<Item = &'static Field> {
    let fits = |field: &&Field| {
        !matches!(
            field.kind,
            Kind::Id | Kind::TextMap | Kind::Consentimientos | Kind::Items | Kind::FreeObject | Kind::Image
        )
    };
    NewLead::FIELD_TABLE.iter().filter(fits)
}

fn named(name: &str) -> Option<Meaning> {
    if name.to_ascii_lowercase().starts_with("utm_") {
        return Some(Meaning::Utm(name.to_ascii_lowercase()));
    }
    fields().find(|field| plain(field.nombre) == plain(name)).map(Meaning::Field)
}

fn guess(heading: &str) -> Option<Meaning> {
    let heading = heading.trim();
    named(heading).or_else(|| {
        let (name, _) = USUAL.iter().find(|(_, usual)| usual.contains(&plain(heading).as_str()))?;
        named(name)
    })
}

/// Only the letters and digits, in lower case and without accents.
fn plain(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

fn value(kind: Kind, cell: &str) -> Value {
    let number = || cell.replace(',', ".").parse::<f64>().ok().filter(|n| n.is_finite());
    match kind {
        Kind::Boolean => match plain(cell).as_str() {
            "si" | "true" | "verdadero" | "1" | "x" => json!(true),
            "no" | "false" | "falso" | "0" => json!(false),
            _ => json!(cell),
        },
        Kind::Integer { .. } => cell.parse::<i64>().map_or_else(|_| json!(cell), |n| json!(n)),
        Kind::Positive | Kind::Orden => number().map_or_else(|| json!(cell), |n| json!(n)),
        Kind::One(words) => {
            json!(words.iter().find(|word| plain(word) == plain(cell)).copied().unwrap_or(cell))
        }
        _ => json!(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(headings: &[&str], said: &[&str]) -> Result<Columns, String> {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        Columns::of(&owned(headings), &owned(said))
    }

    #[test]
    fn usual_headings_are_understood_and_others_can_be_said() {
        let found = columns(&["Cliente", "Móvil", "Correo electrónico", "Notas", "utm_source"], &[]).unwrap();
        let cells = ["Ana", "612345678", "ana@ejemplo.es", "x", "buscador"].map(str::to_owned);
        let expected = json!({"nombre": "Ana", "telefono": "612345678", "email": "ana@ejemplo.es", "utm": {"utm_source": "buscador"}});
        assert_eq!(found.body(&cells), expected);
        assert!(found.shown().contains("«Notas» is left out"), "{}", found.shown());

        let error = columns(&["Cliente", "A", "Correo"], &[]).err().unwrap();
        assert!(
            error.contains("no column is the telefono") && error.contains("Cliente, A, Correo"),
            "{error}"
        );
        assert!(columns(&["Cliente", "A", "Correo"], &["A=telefono"]).is_ok());
        let error = columns(&["Cliente", "Móvil", "Teléfono", "Correo"], &[]).err().unwrap();
        assert!(error.contains("several columns are the telefono (Móvil, Teléfono)"), "{error}");
        assert!(columns(&["Cliente", "Móvil", "Teléfono", "Correo"], &["Móvil=-"]).is_ok());
        for wrong in ["A", "B=telefono", "A=zapatos"] {
            assert!(columns(&["Cliente", "A", "Correo"], &[wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn cells_are_read_as_people_write_them() {
        let found =
            columns(&["nombre", "telefono", "email", "m2", "estructural", "Tipo de reforma"], &[]).unwrap();
        let cells = ["Ana", "1", "e", "12,5", "Sí", "Baño"].map(str::to_owned);
        let body = found.body(&cells);
        assert_eq!(
            (&body["m2Suelo"], &body["estructural"], &body["tipoReforma"]),
            (&json!(12.5), &json!(true), &json!("bano"))
        );
        let cells = ["Ana", "1", "e", "muchos", "quizá", ""].map(str::to_owned);
        let body = found.body(&cells);
        assert_eq!((&body["m2Suelo"], &body["estructural"]), (&json!("muchos"), &json!("quizá")));
        assert_eq!(body.get("tipoReforma"), None);
    }
}
