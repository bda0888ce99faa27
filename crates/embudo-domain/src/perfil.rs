//! What is known of the work that a lead wants, and its partial update (contract §2.3): only the fields sent are written.

use jiff::Timestamp;
use serde::ser::SerializeMap;

use crate::Zona;
use crate::body::{Body, Data, require_any};
use crate::columns::{Cell, Column, Stored, field, stored_words};
use crate::errors::Invalid;
use crate::number::PlainNumber;
use crate::schema::Field;

enumeration! {
    /// Delivery state of the messages. No order among them is a rule: what is sent is written.
    EstadoWa {
        NotSent = "sin_enviar",
        Enviado = "enviado",
        Entregado = "entregado",
        Leido = "leido",
        Fallido = "fallido",
    }
}

enumeration! {
    /// Where the lead came from.
    CanalOrigen {
        WebForm = "formulario_web",
        Messaging = "messaging",
        Call = "llamada",
        Referido = "referido",
        Anuncio = "anuncio",
    }
}

enumeration! {
    Calidad { Basica = "basica", Media = "media", Premium = "premium" }
}

enumeration! {
    Urgencia { Alta = "alta", Media = "media", Baja = "baja" }
}

stored_words!(EstadoWa, CanalOrigen, Calidad, Urgencia);

/// The one list of the profile's fields, in the specification's order: column and type, name on the wire, meaning, example as JSON.
/// The struct, the table of the body, the databases' columns, binding and reading, the record of the API and its document all
/// come from it.
macro_rules! perfil {
    ($($name:ident: $type:ty, $wire:literal, $doc:literal, $example:literal;)+) => {
        /// The lead's own fields; `None` is "not sent" in a patch and "not known" in a record.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct Perfil {
            $(pub $name: Option<$type>,)+
        }

        const FIELDS: usize = [$($wire),+].len();

        /// The fields of the profile, shared with the creation of a lead.
        pub(crate) const FIELD_TABLE: [Field; FIELDS] =
            [$(Field::optional($wire, <$type as Stored>::KIND, $doc, $example)),+];

        impl Perfil {
            /// Its columns, in the order of [`Self::cells`].
            pub const COLUMNS: &'static [Column; FIELDS] = &[$(Column {
                name: stringify!($name),
                kind: <$type as Stored>::KIND,
                holds: <$type as Stored>::HOLDS,
            }),+];

            pub fn cells(&self) -> [Option<Cell<'_>>; FIELDS] {
                [$(self.$name.as_ref().map(Stored::cell)),+]
            }

            /// Reads it back, column by column in their order; `damaged` is the error of a cell that nothing could have written.
            pub fn from_cells<'r, E>(
                mut read: impl FnMut(&'static Column) -> Result<Option<Cell<'r>>, E>,
                damaged: impl Fn(&'static Column) -> E,
            ) -> Result<Self, E> {
                let [$($name),+] = Self::COLUMNS;
                Ok(Self { $($name: field($name, &mut read, &damaged)?,)+ })
            }

            /// Writes the fields that `over` knows over its own.
            pub fn overlay(&mut self, over: &Self) {
                $(if over.$name.is_some() { self.$name.clone_from(&over.$name); })+
            }

            /// The field of this name on the wire, if there is one and it is known.
            pub fn cell(&self, wire: &str) -> Option<Cell<'_>> {
                match wire {
                    $($wire => self.$name.as_ref().map(Stored::cell),)+
                    _ => None,
                }
            }

            /// Takes one field over as it is in `from`, known or not.
            pub fn take_over(&mut self, wire: &str, from: &Self) {
                match wire {
                    $($wire => self.$name.clone_from(&from.$name),)+
                    _ => {}
                }
            }

            pub(crate) fn assemble(d: &mut Data) -> Self {
                Self { $($name: Stored::take(d, $wire),)+ }
            }
        }
    };
}

perfil! {
    bot_step: String, "botStep", "Paso actual del bot.", r#""pide_fotos""#;
    estado_wa: EstadoWa, "estadoWa", "Estado de mensajería.", r#""entregado""#;
    canal_origen: CanalOrigen, "canalOrigen", "Canal de origen.", r#""messaging""#;
    viable: bool, "viable", "Si el lead es viable.", "true";
    espacio: String, "espacio", "Espacio, tal como lo dijo.", r#""el baño de arriba""#;
    rango_m2: String, "rangoM2", "Metros, tal como los dijo.", r#""4-6""#;
    estilo: String, "estilo", "Estilo, tal como lo dijo.", r#""nórdico""#;
    presupuesto_declarado: String, "presupuestoDeclarado", "Presupuesto, tal como lo dijo.", r#""unos 6.000""#;
    fotos_solicitadas_at: Timestamp, "fotosSolicitadasAt",
        "Cuándo se pidieron fotos. RFC 3339 con Z o desfase; se guarda en UTC.", r#""2026-11-14T10:30:00Z""#;
    tipo_reforma: Zona, "tipoReforma", "Tipo de reforma.", r#""bano""#;
    m2_suelo: f64, "m2Suelo", "Superficie de suelo en m².", "5.5";
    calidad_global: Calidad, "calidadGlobal", "Calidad.", r#""media""#;
    urgencia: Urgencia, "urgencia", "Urgencia.", r#""alta""#;
    presupuesto_target_cents: i64, "presupuestoTarget", "Presupuesto objetivo en céntimos.", "650000";
    taste_text: String, "tasteText", "Preferencias en texto libre.", r#""Madera clara y mucha luz""#;
    estructural: bool, "estructural", "Si hay obra estructural.", "false";
}

impl Perfil {
    /// Its fields, in the specification's order.
    pub fn fields() -> &'static [Field] {
        &FIELD_TABLE
    }

    /// About how much its texts take.
    pub fn bytes(&self) -> usize {
        let texts = self.cells().into_iter().flatten();
        texts.map(|cell| if let Cell::Text(text) = cell { text.len() } else { 0 }).sum()
    }

    /// As it is read back: every field by its name on the wire, `null` where it is not known.
    pub fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        for (field, cell) in FIELD_TABLE.iter().zip(self.cells()) {
            map.serialize_key(field.nombre)?;
            match cell {
                None => map.serialize_value(&())?,
                Some(Cell::Text(text)) => map.serialize_value(text)?,
                Some(Cell::Boolean(flag)) => map.serialize_value(&flag)?,
                Some(Cell::Number(n)) => map.serialize_value(&PlainNumber(n))?,
                Some(Cell::Integer(n)) => map.serialize_value(&n)?,
                Some(Cell::Instant(t)) => map.serialize_value(&t.to_string())?,
            }
        }
        Ok(())
    }
}

/// What one call changes, with the names of the fields it sent.
#[derive(Debug, Clone, PartialEq)]
pub struct PerfilPatch {
    pub perfil: Perfil,
    /// Their request names, in the specification's order.
    pub sent: Vec<&'static str>,
}

impl Body for PerfilPatch {
    const FIELD_TABLE: &'static [Field] = &FIELD_TABLE;

    fn rules(d: &Data, wrong: &mut Invalid) {
        require_any(d, wrong);
    }

    fn assemble(mut d: Data) -> Self {
        let sent = d.sent();
        Self { perfil: Perfil::assemble(&mut d), sent }
    }
}
