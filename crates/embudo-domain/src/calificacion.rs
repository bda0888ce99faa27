//! A lead's qualification (contract §2.4). A lead has one. A later call keeps the fields that it leaves out.

use crate::body::{Body, Data, require_any};
use crate::errors::Invalid;
use crate::schema::{Field, Kind};

enumeration! {
    /// How good a lead is.
    Nivel { A = "A", B = "B", C = "C", D = "D" }
}

/// The qualification as one call sends it. The stored qualification has the same type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Calificacion {
    pub score: Option<i64>,
    pub nivel: Option<Nivel>,
    /// A free object, as the text that was sent.
    pub criterios: Option<String>,
    /// The agent's notes.
    pub notas_agente: Option<String>,
}

impl Body for Calificacion {
    const FIELD_TABLE: &'static [Field] = &[
        Field::optional("score", Kind::Integer { min: 0, max: 100 }, "Puntuación de 0 a 100.", "82"),
        Field::optional("nivel", Kind::One(Nivel::WORDS), "Nivel del lead.", r#""A""#),
        Field::optional(
            "criterios",
            Kind::FreeObject,
            "Objeto libre; vuelve tal como se envió.",
            r#"{"presupuesto":"alto","plazo":"1 mes"}"#,
        ),
        Field::optional("notasAgente", Kind::Text, "Notas del agente.", r#""Muy decidida""#),
    ];

    fn rules(d: &Data, wrong: &mut Invalid) {
        require_any(d, wrong);
    }

    fn assemble(mut d: Data) -> Self {
        Self {
            score: d.integer("score"),
            nivel: d.word("nivel", Nivel::parse),
            criterios: d.text("criterios"),
            notas_agente: d.text("notasAgente"),
        }
    }
}
