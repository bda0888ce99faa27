//! A lead's qualification (contract §2.4): one per lead, and a later call keeps what it leaves out.

use crate::cuerpo::{Cuerpo, Datos, exigir_alguno};
use crate::errores::Invalido;
use crate::esquema::{Campo, Tipo};

enumeracion! {
    /// How good a lead is.
    Nivel { A = "A", B = "B", C = "C", D = "D" }
}

/// What one call says of the qualification; also the whole of it once stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Calificacion {
    /// 0 to 100.
    pub score: Option<i64>,
    /// The level.
    pub nivel: Option<Nivel>,
    /// A free object, as the text that was sent.
    pub criterios: Option<String>,
    /// The agent's notes.
    pub notas_agente: Option<String>,
}

impl Cuerpo for Calificacion {
    const CAMPOS: &'static [Campo] = &[
        Campo::opcional("score", Tipo::Entero { min: 0, max: 100 }, "Puntuación de 0 a 100.", "82"),
        Campo::opcional("nivel", Tipo::Uno(Nivel::PALABRAS), "Nivel del lead.", r#""A""#),
        Campo::opcional(
            "criterios",
            Tipo::ObjetoLibre,
            "Objeto libre; vuelve tal como se envió.",
            r#"{"presupuesto":"alto","plazo":"1 mes"}"#,
        ),
        Campo::opcional("notasAgente", Tipo::Texto, "Notas del agente.", r#""Muy decidida""#),
    ];

    fn reglas(d: &Datos, mal: &mut Invalido) {
        exigir_alguno(d, mal);
    }

    fn armar(mut d: Datos) -> Self {
        Self {
            score: d.entero("score"),
            nivel: d.palabra("nivel", Nivel::parse),
            criterios: d.texto("criterios"),
            notas_agente: d.texto("notasAgente"),
        }
    }
}
