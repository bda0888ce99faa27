//! A contact attempt (contract §2.5).

use crate::body::{Body, Data};
use crate::schema::{Field, Kind, MAX_INTEGER};

enumeration! {
    /// The channel of the attempt.
    Channel { Form = "formulario", Messaging = "messaging", Call = "llamada" }
}

labels! {
    Channel { Form => "Formulario web", Messaging => "Mensajería", Call => "Llamada" }
}

enumeration! {
    /// How the attempt went.
    IntentoResult {
        Exitoso = "exitoso",
        NoContesta = "no_contesta",
        Ocupado = "ocupado",
        Rechaza = "rechaza",
        ErrorTecnico = "error_tecnico",
    }
}

labels! {
    IntentoResult {
        Exitoso => "Hablamos",
        NoContesta => "No contesta",
        Ocupado => "Comunica",
        Rechaza => "Rechaza la llamada",
        ErrorTecnico => "Fallo técnico",
    }
}

/// One attempt. Two attempts with the same number are still two attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intento {
    pub channel: Channel,
    pub numero_intento: i64,
    pub result: Option<IntentoResult>,
    /// Whether it was completed.
    pub completed: bool,
    /// How long it took, in seconds.
    pub duracion_seg: Option<i64>,
    pub notas: Option<String>,
    /// A free object, as the text that was sent.
    pub metadata: Option<String>,
}

impl Intento {
    /// Whether somebody spoke with the client. After that nobody needs to call, and no reminder is sent. An attempt
    /// without a result counts if it was completed. `lead_actividad/facts.sql` has the same rule.
    pub fn reached_client(&self) -> bool {
        match self.result {
            Some(IntentoResult::Exitoso | IntentoResult::Rechaza) => true,
            Some(IntentoResult::NoContesta | IntentoResult::Ocupado | IntentoResult::ErrorTecnico) => false,
            None => self.completed,
        }
    }
}

impl Body for Intento {
    const FIELD_TABLE: &'static [Field] = &[
        Field::required("canal", Kind::One(Channel::WORDS), "Canal del intento.", r#""llamada""#),
        Field::required(
            "numeroIntento",
            Kind::Integer { min: 1, max: MAX_INTEGER },
            "Número de intento, desde 1.",
            "1",
        ),
        Field::optional("resultado", Kind::One(IntentoResult::WORDS), "Cómo fue.", r#""no_contesta""#),
        Field::optional("completado", Kind::Boolean, "Si se completó; por defecto false.", "false"),
        Field::optional(
            "duracionSeg",
            Kind::Integer { min: 0, max: MAX_INTEGER },
            "Duración en segundos.",
            "35",
        ),
        Field::optional("notas", Kind::Text, "Notas.", r#""Salta el buzón""#),
        Field::optional(
            "metadata",
            Kind::FreeObject,
            "Objeto libre, por ejemplo con el id externo de la llamada; vuelve tal como se envió.",
            r#"{"llamadaId":"c-1027"}"#,
        ),
    ];

    fn assemble(mut d: Data) -> Self {
        Self {
            channel: d.word("canal", Channel::parse).expect("required"),
            numero_intento: d.integer("numeroIntento").expect("required"),
            result: d.word("resultado", IntentoResult::parse),
            completed: d.boolean("completado").unwrap_or(false),
            duracion_seg: d.integer("duracionSeg"),
            notas: d.text("notas"),
            metadata: d.text("metadata"),
        }
    }
}
