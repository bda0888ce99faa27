//! Generates the rows of several years: people, what they said, photos, attempts, quotes and jobs. The rows are the
//! same on both engines.

use embudo_store::leads::search_text;
use uuid::Uuid;

use crate::cells::Cell::{self, At, Bool, Bytes, Id, Int, Null, Real, Text, Word};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) leads: usize,
    /// Chat turns of each lead.
    pub(crate) turns: usize,
}

/// A table, its columns and how many rows a lead has in it.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [&'static str],
    pub(crate) rows: fn(&mut Draw, usize, Size) -> Vec<Vec<Cell>>,
    /// A column that only PostgreSQL has.
    pub(crate) only_postgres: Option<&'static str>,
}

pub(crate) const EMPRESA: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001);
/// When the newest lead was created, and the time between one lead and the next, in microseconds.
const NOW: i64 = 1_794_652_200_000_000;
const APART: i64 = 10 * 60 * 1_000_000;
const MINUTE: i64 = 60 * 1_000_000;

const NAMES: [&str; 24] = [
    "Ana", "José", "María", "Carmen", "Antonio", "Manuel", "Begoña", "Iñaki", "Lucía", "Javier", "Marta",
    "Pablo", "Elena", "Sergio", "Rocío", "Álvaro", "Nuria", "Óscar", "Pilar", "Raúl", "Sonia", "Tomás",
    "Úrsula", "Víctor",
];
const SURNAMES: [&str; 30] = [
    "García",
    "Fernández",
    "López",
    "Martínez",
    "Sánchez",
    "Pérez",
    "Gómez",
    "Martín",
    "Jiménez",
    "Ruiz",
    "Hernández",
    "Díaz",
    "Moreno",
    "Muñoz",
    "Álvarez",
    "Romero",
    "Alonso",
    "Gutiérrez",
    "Navarro",
    "Torres",
    "Domínguez",
    "Vázquez",
    "Ramos",
    "Gil",
    "Ramírez",
    "Serrano",
    "Blanco",
    "Molina",
    "Morales",
    "Ortega",
];
const PROVINCES: [&str; 6] = ["Madrid", "Barcelona", "Valencia", "Sevilla", "Las Palmas", "Bizkaia"];
const ZONAS: [&str; 6] = ["cocina", "bano", "salon", "comedor", "integral", "otro"];
const SAID: [&str; 8] = [
    "Hola, buenas tardes. Queremos reformar la cocina entera: ahora mide unos doce metros y tiene la lavadora dentro.",
    "¿Cuándo podríais pasar a verla? Por las mañanas nos viene mejor, a partir de las diez.",
    "El baño es pequeño, unos cuatro metros, y queremos cambiar la bañera por un plato de ducha con mampara.",
    "Gracias. Os mando fotos en un momento, que ahora estoy en el trabajo.",
    "Perfecto. ¿Qué calidad te gustaría: básica, media o premium? Así te damos un precio orientativo.",
    "Nos gustaría suelo de gres imitación madera, paredes blancas y encimera de cuarzo claro.",
    "El presupuesto que tenemos pensado son unos doce mil euros, pero depende de lo que entre.",
    "Muy bien, queda anotado. Un compañero te llamará para confirmar la visita. ¡Un saludo!",
];

/// A small generator of our own, so that the data is the same on every machine.
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn until(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.until(of.len())]
    }

    fn id(&mut self) -> Cell {
        Id(Uuid::from_u64_pair(self.next(), self.next()))
    }
}

/// Later leads have larger ids, as real ones do.
pub(crate) fn lead_id(n: usize) -> Uuid {
    let mut draw = Draw::new(n as u64 + 1);
    Uuid::from_u128((0x0190_0000_0000_7000 + n as u128) << 64 | u128::from(draw.next()))
}

pub(crate) fn telefono(n: usize) -> String {
    format!("+346{:08}", (n * 7919) % 100_000_000)
}

fn email(n: usize) -> String {
    format!("persona{n}@ejemplo.es")
}

fn nombre(n: usize) -> String {
    let mut draw = Draw::new(n as u64 + 77);
    format!("{} {} {}", draw.one(&NAMES), draw.one(&SURNAMES), draw.one(&SURNAMES))
}

fn made_at(n: usize, size: Size) -> i64 {
    NOW - (size.leads - n) as i64 * APART
}

/// The etapa of the n-th lead: a tenth of the leads was never spoken with, a quarter has a quote.
fn etapa(n: usize) -> &'static str {
    match n % 20 {
        0 | 1 => "nuevo",
        2..=9 => "en_conversacion",
        10..=12 => "perfil_completo",
        13 | 14 => "esperando_renders",
        15 | 16 => "presupuesto_enviado",
        17 => "aceptado",
        _ => "perdido",
    }
}

fn has_quote(n: usize) -> bool {
    n % 20 >= 15
}

pub(crate) const TABLES: &[Table] = &[
    Table {
        name: "lead",
        columns: &[
            "id",
            "empresa_id",
            "nombre",
            "telefono",
            "telefono_e164",
            "email",
            "email_normal",
            "provincia",
            "busqueda",
            "canal_origen",
            "viable",
            "tipo_reforma",
            "m2_suelo",
            "urgencia",
            "bucle_paso",
            "bucle_desde",
            "bucle_limite",
            "creado_en",
            "actualizado_en",
        ],
        rows: |draw, n, size| {
            let (nombre, telefono, email, at) = (nombre(n), telefono(n), email(n), made_at(n, size));
            let provincia = draw.one(&PROVINCES);
            let search = search_text(&nombre, &email, &telefono, Some(provincia));
            let (step, since, limit) = match etapa(n) {
                "esperando_renders" => (Word("esperando_renders"), At(at), At(at + 120 * MINUTE)),
                _ => (Null, Null, Null),
            };
            vec![vec![
                Id(lead_id(n)),
                Id(EMPRESA),
                Text(nombre),
                Text(telefono.clone()),
                Text(telefono),
                Text(email.clone()),
                Text(email),
                Word(provincia),
                Text(search),
                Word(draw.one(&["formulario_web", "anuncio", "referido", "messaging"])),
                if draw.until(10) == 0 { Bool(false) } else { Bool(true) },
                Word(draw.one(&ZONAS)),
                Real(draw.until(90) as f64),
                Word(draw.one(&["alta", "media", "baja"])),
                step,
                since,
                limit,
                At(at),
                At(at),
            ]]
        },
        only_postgres: None,
    },
    Table {
        name: "lead_etapa",
        columns: &["lead_id", "empresa_id", "etapa", "desde"],
        rows: |_, n, size| vec![vec![Id(lead_id(n)), Id(EMPRESA), Word(etapa(n)), At(made_at(n, size))]],
        only_postgres: None,
    },
    Table {
        name: "utm",
        columns: &["lead_id", "empresa_id", "nombre", "valor"],
        rows: |draw, n, _| {
            let campaign = draw.one(&["banos", "cocinas", "verano", "obra-completa"]);
            vec![vec![Id(lead_id(n)), Id(EMPRESA), Word("utm_campaign"), Word(campaign)]]
        },
        only_postgres: None,
    },
    Table {
        name: "calificacion",
        columns: &["lead_id", "empresa_id", "score", "nivel", "creado_en", "actualizado_en"],
        rows: |draw, n, size| {
            let at = made_at(n, size);
            let level = draw.one(&["A", "B", "C", "D"]);
            vec![vec![Id(lead_id(n)), Id(EMPRESA), Int(draw.until(100) as i64), Word(level), At(at), At(at)]]
        },
        only_postgres: None,
    },
    Table {
        name: "turno",
        columns: &["id", "empresa_id", "lead_id", "rol", "mensaje", "creado_en"],
        rows: |draw, n, size| {
            let turns = if etapa(n) == "nuevo" { 0 } else { size.turns };
            let row = |i: usize| {
                let rol = if i.is_multiple_of(2) { "user" } else { "assistant" };
                let said = draw.one(&SAID);
                // A word that few leads have, so that searches find something far back.
                let text = if draw.until(5_000) == 0 {
                    format!("{said} Azulejo hidráulico.")
                } else {
                    said.to_owned()
                };
                vec![
                    draw.id(),
                    Id(EMPRESA),
                    Id(lead_id(n)),
                    Word(rol),
                    Text(text),
                    At(made_at(n, size) + i as i64 * MINUTE),
                ]
            };
            (0..turns).map(row).collect()
        },
        only_postgres: None,
    },
    Table {
        name: "intento",
        columns: &[
            "id",
            "empresa_id",
            "lead_id",
            "canal",
            "numero_intento",
            "resultado",
            "completado",
            "creado_en",
        ],
        rows: |draw, n, size| {
            let row = vec![
                draw.id(),
                Id(EMPRESA),
                Id(lead_id(n)),
                Word("llamada"),
                Int(1),
                Word("no_contesta"),
                Bool(false),
                At(made_at(n, size) + 30 * MINUTE),
            ];
            if n % 2 == 0 { vec![row] } else { vec![] }
        },
        only_postgres: None,
    },
    Table {
        name: "evento",
        columns: &["id", "empresa_id", "lead_id", "tipo", "simulado", "ok", "creado_en"],
        rows: |draw, n, size| {
            let kind = if n % 20 >= 10 { "perfil_completo" } else { "mensajeria" };
            vec![vec![
                draw.id(),
                Id(EMPRESA),
                Id(lead_id(n)),
                Word(kind),
                Bool(false),
                Bool(true),
                At(made_at(n, size) + 40 * MINUTE),
            ]]
        },
        only_postgres: Some("id"),
    },
    Table {
        name: "nota",
        columns: &["id", "empresa_id", "lead_id", "texto", "zona", "creado_en"],
        rows: |draw, n, size| {
            let text = "La cocina da a un patio; prefieren muebles claros y que no haya obra en agosto.";
            vec![vec![
                draw.id(),
                Id(EMPRESA),
                Id(lead_id(n)),
                Word(text),
                Word("cocina"),
                At(made_at(n, size) + 20 * MINUTE),
            ]]
        },
        only_postgres: None,
    },
    Table {
        name: "foto",
        columns: &[
            "id",
            "empresa_id",
            "lead_id",
            "zona",
            "momento",
            "orden",
            "prefijo",
            "bytes",
            "creado_en",
        ],
        rows: |draw, n, size| {
            let row = |i: usize| {
                let bytes: Vec<u8> = (0..4).flat_map(|_| draw.next().to_le_bytes()).collect();
                vec![
                    draw.id(),
                    Id(EMPRESA),
                    Id(lead_id(n)),
                    Word("cocina"),
                    Word("antes"),
                    Real(i as f64),
                    Word("data:image/jpeg;base64,"),
                    Bytes(bytes),
                    At(made_at(n, size) + 25 * MINUTE),
                ]
            };
            (0..3).map(row).collect()
        },
        only_postgres: None,
    },
    Table {
        name: "presupuesto",
        columns: &[
            "id",
            "empresa_id",
            "lead_id",
            "anio",
            "orden",
            "version",
            "estado",
            "contenido",
            "total_cents",
            "emitido",
            "hasta",
            "creado_en",
            "emitido_en",
            "documento",
        ],
        rows: |draw, n, size| {
            if !has_quote(n) {
                return vec![];
            }
            let state = match etapa(n) {
                "presupuesto_enviado" => "emitido",
                "aceptado" => "aceptado",
                _ => "rechazado",
            };
            let at = made_at(n, size) + 60 * MINUTE;
            vec![vec![
                draw.id(),
                Id(EMPRESA),
                Id(lead_id(n)),
                Int(2026),
                Int(n as i64 + 1),
                Int(1),
                Word(state),
                Bytes(vec![0; 32]),
                Int(1_234_500),
                Word("2026-01-01"),
                Word("2026-02-01"),
                At(at),
                At(at),
                Word("{}"),
            ]]
        },
        only_postgres: None,
    },
    Table {
        name: "trabajo",
        columns: &[
            "id",
            "empresa_id",
            "lead_id",
            "tipo",
            "carga",
            "estado",
            "intentos",
            "proximo_en",
            "en_duda",
            "creado_en",
            "terminado_en",
        ],
        rows: |draw, n, size| {
            let at = made_at(n, size);
            vec![vec![
                draw.id(),
                Id(EMPRESA),
                Id(lead_id(n)),
                Word("correo_empresa"),
                Word("{}"),
                Word("hecho"),
                Int(1),
                At(at),
                Bool(false),
                At(at),
                At(at),
            ]]
        },
        only_postgres: None,
    },
];
