//! A chat turn (contract §2.2).

use crate::cuerpo::{Cuerpo, Datos};
use crate::esquema::{Campo, Tipo};
use crate::perfil::EstadoWa;

enumeracion! {
    /// Who speaks.
    Rol { User = "user", Assistant = "assistant", System = "system" }
}

/// One turn, with what it changes on the lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turno {
    /// Who speaks.
    pub rol: Rol,
    /// What is said.
    pub mensaje: String,
    /// Kind of media.
    pub media_type: Option<String>,
    /// Where the media is.
    pub media_url: Option<String>,
    /// Transcript of a voice note.
    pub transcripcion_audio: Option<String>,
    /// New message state of the lead.
    pub estado_wa: Option<EstadoWa>,
    /// New bot step of the lead.
    pub bot_step: Option<String>,
}

impl Cuerpo for Turno {
    const CAMPOS: &'static [Campo] = &[
        Campo::requerido("rol", Tipo::Uno(Rol::PALABRAS), "Quién habla.", r#""user""#),
        Campo::requerido("mensaje", Tipo::TextoNoVacio, "Lo que dice.", r#""Hola, quiero reformar el baño""#),
        Campo::opcional("mediaType", Tipo::Texto, "Tipo de adjunto.", r#""audio""#),
        Campo::opcional(
            "mediaUrl",
            Tipo::Texto,
            "Dónde está el adjunto.",
            r#""https://ejemplo.es/nota.ogg""#,
        ),
        Campo::opcional(
            "transcripcionAudio",
            Tipo::Texto,
            "Transcripción de una nota de voz.",
            r#""Quiero reformar el baño""#,
        ),
        Campo::opcional(
            "estadoWa",
            Tipo::Uno(EstadoWa::PALABRAS),
            "Nuevo estado de mensajería del lead.",
            r#""leido""#,
        ),
        Campo::opcional("botStep", Tipo::Texto, "Nuevo paso del bot.", r#""pide_fotos""#),
    ];

    fn armar(mut d: Datos) -> Self {
        Self {
            rol: d.palabra("rol", Rol::parse).expect("required"),
            mensaje: d.texto("mensaje").expect("required"),
            media_type: d.texto("mediaType"),
            media_url: d.texto("mediaUrl"),
            transcripcion_audio: d.texto("transcripcionAudio"),
            estado_wa: d.palabra("estadoWa", EstadoWa::parse),
            bot_step: d.texto("botStep"),
        }
    }
}
