//! The agreed work without prices, for the people on site.

use super::{ChosenOption, Document, PrintedOption};
use crate::decimal::Cantidad;
use crate::pricing::{CHOSEN, Capitulo, Line};
use crate::tarifa::Unidad;

/// A part of the work, named after a room or a zone, with what is done there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopePart {
    pub nombre: String,
    pub lines: Vec<ScopeLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeLine {
    pub concepto: String,
    /// What the client gets. `None` also if this text names a price.
    pub detail: Option<String>,
    pub cantidad: Cantidad,
    pub unidad: Unidad,
}

impl Document {
    /// The work of this quote with these options. Surcharges and the discount are money, not work.
    pub fn scope(&self, taken: &[ChosenOption]) -> Vec<ScopePart> {
        let is_work = |c: &&&Capitulo| !c.is_adjustments() && !c.is_discount();
        let mut parts: Vec<ScopePart> = Vec::new();
        for section in self.sections() {
            let lines = section.capitulos.iter().filter(is_work).flat_map(|c| &c.lines);
            parts.push(ScopePart { lines: lines.map(ScopeLine::of).collect(), nombre: section.nombre });
        }
        let is_taken = |option: &&PrintedOption| taken.iter().any(|t| t.id == option.id);
        let options = self.options.iter().filter(is_taken).map(|option| ScopeLine::of(&option.line));
        parts.push(ScopePart { nombre: CHOSEN.to_owned(), lines: options.collect() });
        parts.retain(|part| !part.lines.is_empty());
        parts
    }
}

impl ScopeLine {
    fn of(line: &Line) -> Self {
        Self {
            concepto: line.concepto.clone(),
            detail: line.detail.clone().filter(|detail| !detail.contains('€')),
            cantidad: line.cantidad,
            unidad: line.unidad,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Zona;
    use crate::lead::Lead;
    use crate::perfil::Perfil;
    use crate::presupuesto::tests::{base, lead};

    #[test]
    fn the_scope_has_every_line_of_work_and_the_options_that_were_taken() {
        let perfil = Perfil { tipo_reforma: Some(Zona::Bano), m2_suelo: Some(5.0), ..Perfil::default() };
        let mut document = Document::compose(&Lead { perfil, ..lead() }, &[], &[], base());
        let first = document.pricing.capitulos[0].lines[0].clone();
        let line = Line { concepto: "Mampara".to_owned(), ..first };
        let id = "una".to_owned();
        document.options = vec![PrintedOption {
            id: id.clone(),
            zona: Zona::Bano,
            room: None,
            capitulo: String::new(),
            line,
        }];
        let lines: usize = document.pricing.capitulos.iter().map(|c| c.lines.len()).sum();
        let without = document.scope(&[]);
        assert_eq!(without.iter().map(|part| part.lines.len()).sum::<usize>(), lines);
        let with = document.scope(&[ChosenOption { id, concepto: "Mampara".to_owned() }]);
        let last = with.last().expect("the options");
        assert_eq!((last.nombre.as_str(), last.lines[0].concepto.as_str()), (CHOSEN, "Mampara"));
        assert_eq!(with.len(), without.len() + 1);
    }
}
