//! A contact attempt (contract §2.5).

use crate::cuerpo::{Cuerpo, Datos};
use crate::esquema::{Campo, MAX_ENTERO, Tipo};

enumeracion! {
    /// By which channel the lead was tried.
    Canal { Formulario = "formulario", Messaging = "messaging", Llamada = "llamada" }
}

enumeracion! {
    /// How the attempt went.
    Resultado {
        Exitoso = "exitoso",
        NoContesta = "no_contesta",
        Ocupado = "ocupado",
        Rechaza = "rechaza",
        ErrorTecnico = "error_tecnico",
    }
}

/// One attempt. The same number twice is two attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intento {
    /// The channel.
    pub canal: Canal,
    /// 1 or more.
    pub numero_intento: i64,
    /// How it went.
    pub resultado: Option<Resultado>,
    /// Whether it was completed.
    pub completado: bool,
    /// How long it took, in seconds.
    pub duracion_seg: Option<i64>,
    /// Notes.
    pub notas: Option<String>,
    /// A free object, as the text that was sent.
    pub metadata: Option<String>,
}

impl Cuerpo for Intento {
    const CAMPOS: &'static [Campo] = &[
        Campo::requerido("canal", Tipo::Uno(Canal::PALABRAS), "Canal del intento.", r#""llamada""#),
        Campo::requerido(
            "numeroIntento",
            Tipo::Entero { min: 1, max: MAX_ENTERO },
            "Número de intento, desde 1.",
            "1",
        ),
        Campo::opcional("resultado", Tipo::Uno(Resultado::PALABRAS), "Cómo fue.", r#""no_contesta""#),
        Campo::opcional("completado", Tipo::Booleano, "Si se completó; por defecto false.", "false"),
        Campo::opcional(
            "duracionSeg",
            Tipo::Entero { min: 0, max: MAX_ENTERO },
            "Duración en segundos.",
            "35",
        ),
        Campo::opcional("notas", Tipo::Texto, "Notas.", r#""Salta el buzón""#),
        Campo::opcional(
            "metadata",
            Tipo::ObjetoLibre,
            "Objeto libre, por ejemplo con el id externo de la llamada; vuelve tal como se envió.",
            r#"{"llamadaId":"c-1027"}"#,
        ),
    ];

    fn armar(mut d: Datos) -> Self {
        Self {
            canal: d.palabra("canal", Canal::parse).expect("required"),
            numero_intento: d.entero("numeroIntento").expect("required"),
            resultado: d.palabra("resultado", Resultado::parse),
            completado: d.booleano("completado").unwrap_or(false),
            duracion_seg: d.entero("duracionSeg"),
            notas: d.texto("notas"),
            metadata: d.texto("metadata"),
        }
    }
}
