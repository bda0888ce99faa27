//! Every table, row by row, in the same order and with the same values on both engines: the content of backups,
//! restores and copies.
//!
//! A row is the values of its columns, in the order of the columns' names. Values have SQLite's form: an instant is
//! microseconds since 1970, a day is its text, a flag is 0 or 1, an id is its bytes. Columns that only one engine has
//! ([`SQLITE_ONLY`], [`POSTGRES_ONLY`]) are made anew on the other. The engines' tests compare the lists here with the
//! existing tables.

use std::collections::BTreeMap;

use async_trait::async_trait;

use crate::Result;

/// A table and its key columns; rows are read in the order of the key, texts by their bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    pub name: &'static str,
    pub key: &'static [&'static str],
}

macro_rules! tables {
    ($($name:ident by $($key:ident)+;)+) => {
        /// All tables that are copied; those to which foreign keys of others refer come first.
        pub const TABLES: &[Table] = &[$(Table { name: stringify!($name), key: &[$(stringify!($key)),+] }),+];
    };
}

tables! {
    empresa by id;
    usuario by id;
    secreto by nombre;
    lead by id;
    lead_obra by lead_id;
    lead_etapa by lead_id;
    lead_gestion by lead_id;
    lead_union by lead_id;
    lead_leido by lead_id usuario_id;
    lead_actividad by lead_id;
    lead_busqueda by lead_id;
    lead_cifra by lead_id;
    cifra by empresa_id zona nivel dia;
    borrado by lead_id;
    presupuesto_bloqueado by lead_id id;
    respuesta_bloqueada by lead_id presupuesto_id n;
    lead_visto by lead_id dia usuario_id;
    pase_generacion by lead_id cosa_id;
    proyeccion by nombre;
    utm by lead_id nombre;
    consentimiento by n;
    turno by n;
    estado_historia by n;
    calificacion by lead_id;
    intento by n;
    foto by n;
    rendicion by lead_id foto_id;
    nota by n;
    nota_interna by n;
    mensaje by n;
    atencion by lead_id;
    evento by n;
    blob_marca by vez;
    idempotencia by ambito clave;
    trabajo by n;
    entrega by n;
    pausa by empresa_id tipo;
    presupuesto_serie by empresa_id anio;
    presupuesto by id;
    presupuesto_respuesta by n;
    presupuesto_entrega by n;
    borrador by lead_id;
    tarifa by n;
    marca by empresa_id;
    ajustes by empresa_id;
    slug_anterior by slug;
    clave_api by id;
    pertenencia by usuario_id empresa_id;
    totp by usuario_id;
    totp_codigo by usuario_id huella;
    sesion by id;
    recuperacion by huella;
    auditoria by id;
    aviso_persona by empresa_id usuario_id;
    agenda by usuario_id;
    dispositivo by id;
    visita by lead_id id;
    visita_persona by lead_id visita_id usuario_id;
}

/// Tables that are not copied: which migrations this database has, and what its processes lease or count at present.
pub const LEFT_OUT: &[&str] = &["arriendo", "conteo", "migracion"];

/// Columns that only SQLite has, by table: the number by which its trigram index finds a text.
pub const SQLITE_ONLY: &[(&str, &str)] = &[("lead_busqueda", "n")];

/// Columns that only PostgreSQL has. With these columns it recognises a write that is repeated after a doubtful commit,
/// or keeps rows apart.
pub const POSTGRES_ONLY: &[(&str, &str)] = &[("estado_historia", "comando"), ("evento", "id"), ("utm", "n")];

/// Columns that are the rowid on SQLite.
pub const ROWID: &[(&str, &str)] = &[("trabajo", "n")];

/// Which columns name blobs of the row's lead.
pub const BLOBS: &[(&str, &[&str])] = &[
    ("foto", &["bytes", "crudo"]),
    ("rendicion", &["copia", "impresion", "miniatura"]),
    ("presupuesto", &["pdf_huella", "aceptado_huella"]),
    ("presupuesto_bloqueado", &["pdf_huella", "aceptado_huella"]),
];

/// The number of the first migration, which is the whole schema of its time. Databases of this version are taken over
/// as they are; older ones were never released.
pub const BASELINE: i32 = 21;

/// The error text for an older database.
pub fn too_old(version: i64) -> String {
    format!(
        "the database has version {version} of the tables, from before the first release; this program takes over version {BASELINE} and \
         later: open it once with the last program before the release, or start with another database"
    )
}

/// The number in the list of migrations that marks a database as being filled: it must not be used yet.
pub const UNFINISHED: i32 = i32::MAX;

/// The error text for a database with the mark [`UNFINISHED`].
pub const UNFINISHED_WORDS: &str = "a copy or a restore into this database has not come to its end: run the same command again, \
     or name another database";

/// The error text for a database whose tables have another version than this program's.
pub const OTHER_VERSION_WORDS: &str = "another version of Embudo began to fill this database: go on with that version, \
     or empty the database and begin anew";

/// The error text for a database that is not empty.
pub const OCCUPIED_WORDS: &str =
    "the database is not empty, and nothing in it is overwritten: name a new one, or empty this one first";

/// The value of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    /// Approximately how many bytes it takes.
    pub fn weight(&self) -> usize {
        16 + match self {
            Self::Null | Self::Int(_) | Self::Real(_) => 0,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

/// The values of a row, by the names of its columns in their order.
pub type Row = Vec<Value>;

/// The names of every table's columns, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape(pub BTreeMap<&'static str, Vec<String>>);

impl Shape {
    pub fn columns(&self, table: &Table) -> &[String] {
        self.0.get(table.name).map_or(&[], Vec::as_slice)
    }

    /// The index of a column's value in a row.
    pub fn position(&self, table: &Table, column: &str) -> Option<usize> {
        self.columns(table).iter().position(|name| name == column)
    }
}

/// The maximum of rows that are handed over together.
pub const SLICE_ROWS: usize = 2_000;
/// Approximately the maximum of bytes that are handed over together.
pub const SLICE_BYTES: usize = 4 << 20;

/// All tables as of one moment, whatever is written meanwhile.
#[async_trait]
pub trait TableReader: Send {
    fn shape(&self) -> &Shape;
    async fn count(&mut self, table: &'static Table) -> Result<u64>;
    /// Begins to read a table, from its first row.
    async fn open(&mut self, table: &'static Table) -> Result<()>;
    /// The next rows of the table that is being read; empty at its end.
    async fn next(&mut self) -> Result<Vec<Row>>;
}

/// A database that is being filled. Nobody can use it until [`TableWriter::finish`].
#[async_trait]
pub trait TableWriter: Send {
    fn shape(&self) -> &Shape;
    /// Adds rows, all or none.
    async fn append(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<()>;
    /// Empties every table.
    async fn clear(&mut self) -> Result<()>;
    /// Completes what only this engine has (an index, the next serial numbers), and allows the database to be used.
    async fn finish(self: Box<Self>) -> Result<()>;
}

/// The state of a database that is to be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    Empty,
    /// An earlier run began to fill it and did not finish.
    Begun,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_that_names_a_blob_is_known() {
        let in_use = include_str!("../sql/blob_marca/in_use.sql");
        let named: usize = BLOBS.iter().map(|(_, columns)| columns.len()).sum();
        assert_eq!(
            in_use.matches("= :huella").count(),
            named,
            "in_use.sql asks for as many columns as BLOBS has"
        );
        for (table, columns) in BLOBS {
            let (_, after) =
                in_use.split_once(&format!("FROM {table}")).expect("in_use.sql asks for the table");
            for column in *columns {
                assert!(after.contains(&format!("{column} = :huella")), "{table}.{column}");
            }
        }
    }

    #[test]
    fn a_table_stands_once() {
        for (n, table) in TABLES.iter().enumerate() {
            assert!(TABLES[..n].iter().all(|other| other.name != table.name), "{}", table.name);
            assert!(!LEFT_OUT.contains(&table.name));
        }
    }
}
