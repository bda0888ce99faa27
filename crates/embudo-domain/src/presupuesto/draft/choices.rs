//! Which notes and photos are printed, as a person chooses. A choice that equals the default is not stored, so that it
//! follows later changes of the default.

use super::{Draft, FotoChoice};
use crate::brand::Brand;
use crate::foto::Foto;
use crate::lead::Lead;
use crate::nota::Nota;
use crate::presupuesto::document::{is_printed, is_shown};
use crate::{FotoId, NotaId};

impl Draft {
    /// Whether a note is printed.
    pub fn prints(&self, nota: &Nota, lead: &Lead, brand: &Brand) -> bool {
        !self.notas.left_out.contains(&nota.id)
            && (self.notas.shown.contains(&nota.id) || is_printed(nota, lead, brand))
    }

    /// Prints exactly the chosen ones of these notes.
    pub fn choose_notas(&mut self, chosen: &[NotaId], notas: &[Nota], lead: &Lead, brand: &Brand) {
        for nota in notas {
            let (is_wanted, is_usual) = (chosen.contains(&nota.id), is_printed(nota, lead, brand));
            self.notas.shown.retain(|id| *id != nota.id);
            self.notas.left_out.retain(|id| *id != nota.id);
            match (is_wanted, is_usual) {
                (true, false) => self.notas.shown.push(nota.id),
                (false, true) => self.notas.left_out.push(nota.id),
                _ => {}
            }
        }
    }
}

impl FotoChoice {
    /// The photos that can be printed, in the chosen order, and whether each of them is printed.
    pub fn arranged<'a>(&self, fotos: &'a [Foto]) -> Vec<(&'a Foto, bool)> {
        let place = |f: &Foto| self.order.iter().position(|id| *id == f.id).unwrap_or(usize::MAX);
        let mut all: Vec<&Foto> = fotos.iter().filter(|f| is_shown(&f.image)).collect();
        // The sort is stable: photos without a chosen place keep their order.
        all.sort_by_key(|f| place(f));
        all.into_iter().map(|f| (f, !self.left_out.contains(&f.id))).collect()
    }

    /// Sets the order of the photos and which of them are left out.
    pub fn arrange(&mut self, order: Vec<FotoId>, left_out: Vec<FotoId>, fotos: &[Foto]) {
        let usual = fotos.iter().filter(|f| is_shown(&f.image)).map(|f| f.id);
        let is_usual = usual.eq(order.iter().copied());
        self.order = if is_usual { Vec::new() } else { order };
        self.left_out = left_out;
    }
}
