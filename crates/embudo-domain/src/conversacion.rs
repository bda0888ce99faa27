//! A chat turn (contract §2.2).

use crate::body::{Body, Data};
use crate::perfil::EstadoWa;
use crate::schema::{Field, Kind};

enumeration! {
    Rol { User = "user", Assistant = "assistant", System = "system" }
}

/// One turn, with what it changes on the lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turno {
    pub rol: Rol,
    pub mensaje: String,
    pub media_type: Option<String>,
    pub media_url: Option<String>,
    /// Transcript of a voice note.
    pub transcripcion_audio: Option<String>,
    /// New message state of the lead.
    pub estado_wa: Option<EstadoWa>,
    /// New bot step of the lead.
    pub bot_step: Option<String>,
}

impl Body for Turno {
    const FIELD_TABLE: &'static [Field] = &[
        Field::required("rol", Kind::One(Rol::WORDS), "Quién habla.", r#""user""#),
        Field::required("mensaje", Kind::NonEmptyText, "Lo que dice.", r#""Hola, quiero reformar el baño""#),
        Field::optional("mediaType", Kind::Text, "Tipo de adjunto.", r#""audio""#),
        Field::optional("mediaUrl", Kind::Text, "Dónde está el adjunto.", r#""https://ejemplo.es/nota.ogg""#),
        Field::optional(
            "transcripcionAudio",
            Kind::Text,
            "Transcripción de una nota de voz.",
            r#""Quiero reformar el baño""#,
        ),
        Field::optional(
            "estadoWa",
            Kind::One(EstadoWa::WORDS),
            "Nuevo estado de mensajería del lead.",
            r#""leido""#,
        ),
        Field::optional("botStep", Kind::Text, "Nuevo paso del bot.", r#""pide_fotos""#),
    ];

    fn assemble(mut d: Data) -> Self {
        Self {
            rol: d.word("rol", Rol::parse).expect("required"),
            mensaje: d.text("mensaje").expect("required"),
            media_type: d.text("mediaType"),
            media_url: d.text("mediaUrl"),
            transcripcion_audio: d.text("transcripcionAudio"),
            estado_wa: d.word("estadoWa", EstadoWa::parse),
            bot_step: d.text("botStep"),
        }
    }
}
