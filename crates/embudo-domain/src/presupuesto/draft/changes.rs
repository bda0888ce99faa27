//! What somebody changed in a draft, for the audit log. Changes that concern money are written out with their values;
//! for all other changes only the name is written.

use super::super::terms::DiscountValue;
use super::{Adjustment, Discount, Draft, Room};
use crate::presupuesto::of_drafts;

/// The maximum number of changes that one log entry lists one by one.
const MOST: usize = 40;
/// The maximum length of the text of one change.
const LONGEST: usize = 200;

impl Draft {
    /// The changes since `before`, for the audit log. `None`: nothing changed.
    pub fn changes_since(&self, before: &Self) -> Option<String> {
        if self == before {
            return None;
        }
        let mut told: Vec<String> = of_drafts(before, self).iter().map(ToString::to_string).collect();
        told.extend(self.costs_since(before));
        let discount =
            |draft: &Self| draft.discount.as_ref().map_or_else(|| "ninguno".to_owned(), format_discount);
        if before.discount != self.discount {
            told.push(format!("Descuento: {} → {}", discount(before), discount(self)));
        }
        told.extend(self.adjustments_since(before));
        told.extend(self.others_since(before).map(str::to_owned));
        if told.is_empty() {
            told.push("Orden de las líneas".to_owned());
        }
        let more = told.len().saturating_sub(MOST);
        let mut told: Vec<String> = told.into_iter().take(MOST).map(shortened).collect();
        if more > 0 {
            told.push(format!("y {more} cambios más"));
        }
        Some(told.join("; "))
    }

    fn costs_since(&self, before: &Self) -> Vec<String> {
        let costs: std::collections::HashMap<_, _> =
            before.lines().map(|line| (line.id.as_str(), line.coste)).collect();
        let cost =
            |cost: Option<crate::money::Cents>| cost.map_or_else(|| "ninguno".to_owned(), |c| c.to_string());
        let changed = self.lines().filter_map(|line| {
            let old = costs.get(line.id.as_str()).copied().flatten();
            let (old, new) = (Some(old).filter(|old| *old != line.coste)?, line.coste);
            Some(format!("Coste de {}: {} → {}", line.concepto, cost(old), cost(new)))
        });
        changed.collect()
    }

    fn adjustments_since(&self, before: &Self) -> Vec<String> {
        let all = |draft: &Self| -> Vec<(u32, Adjustment)> {
            let of = |room: &Room| room.adjustments.iter().map(|a| (room.id, a.clone())).collect::<Vec<_>>();
            draft.rooms.iter().flat_map(of).collect()
        };
        let (old, new) = (all(before), all(self));
        let found = |list: &[(u32, Adjustment)], (room, one): &(u32, Adjustment)| {
            let twin = list.iter().find(|(id, other)| id == room && other.cause == one.cause);
            twin.map(|(_, other)| other.percentage)
        };
        let percentage =
            |p: Option<crate::decimal::Percentage>| p.map_or_else(|| "ninguno".to_owned(), |p| p.to_string());
        let mut told = Vec::new();
        for one in &new {
            let was = found(&old, one);
            if was != Some(one.1.percentage) {
                told.push(format!("{}: {} → {}", one.1.concepto, percentage(was), one.1.percentage));
            }
        }
        let gone = old.iter().filter(|one| found(&new, one).is_none());
        told.extend(gone.map(|(_, one)| format!("{}: {} → ninguno", one.concepto, one.percentage)));
        told
    }

    /// The names of everything else that changed.
    fn others_since(&self, before: &Self) -> impl Iterator<Item = &'static str> {
        let facts = |draft: &Self| -> Vec<_> { draft.rooms.iter().map(|room| room.facts).collect() };
        let names = |draft: &Self| -> Vec<_> {
            draft
                .rooms
                .iter()
                .map(|room| {
                    (room.nombre.clone(), room.capitulos.iter().map(|c| c.nombre.clone()).collect::<Vec<_>>())
                })
                .collect()
        };
        let all = [
            (before.tax != self.tax, "Respuestas sobre el impuesto"),
            (before.job != self.job || facts(before) != facts(self), "Datos de la obra"),
            (names(before) != names(self), "Estancias y capítulos"),
            (before.character != self.character, "Vinculante u orientativo"),
            (before.valid_days != self.valid_days, "Días de validez"),
            (before.terms != self.terms, "Textos, plazos y pagos"),
            (before.condiciones != self.condiciones, "Condiciones"),
            (before.fotos != self.fotos, "Fotos"),
            (before.notas != self.notas, "Notas"),
            (before.tarifa != self.tarifa, "Tarifa"),
        ];
        all.into_iter().filter_map(|(changed, name)| changed.then_some(name))
    }
}

pub(super) fn format_discount(discount: &Discount) -> String {
    match discount.value {
        DiscountValue::Percentage(percentage) => percentage.to_string(),
        DiscountValue::Amount(amount) => amount.to_string(),
    }
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::{Cantidad, Percentage};
    use crate::money::Cents;
    use crate::presupuesto::draft::{DraftChapter, DraftLine};
    use crate::tarifa::Unidad;

    fn line(id: &str, euros: i64) -> DraftLine {
        DraftLine {
            id: id.to_owned(),
            concepto: format!("Línea {id}"),
            cantidad: Cantidad::unidades(2),
            unidad: Unidad::M2,
            precio: Cents::euros(euros),
            ..DraftLine::default()
        }
    }

    fn draft(lines: Vec<DraftLine>) -> Draft {
        let capitulos = vec![DraftChapter { lines, ..DraftChapter::default() }];
        Draft { rooms: vec![Room { id: 1, capitulos, ..Room::default() }], ..Draft::default() }
    }

    #[test]
    fn prices_and_discounts_are_told_word_by_word() {
        let before = draft(vec![line("a", 100), line("b", 50)]);
        assert_eq!(before.changes_since(&before), None);
        let mut after = draft(vec![line("a", 90), line("c", 10)]);
        after.rooms[0].capitulos[0].lines[0].discount = Percentage(1_000);
        after.rooms[0].capitulos[0].lines[0].coste = Some(Cents::euros(40));
        let value = DiscountValue::Percentage(Percentage(500));
        after.discount = Some(Discount { value, reason: None });
        after.valid_days = Some(10);
        let told = after.changes_since(&before).expect("it changed").replace('\u{a0}', " ");
        for words in [
            "Línea a: 100,00 €, descuento del 0 % → 90,00 € por m², 10 %",
            "Línea c: nuevo",
            "Línea b: quitado",
            "Coste de Línea a: ninguno → 40,00 €",
            "Descuento: ninguno → 5 %",
            "Días de validez",
        ] {
            assert!(told.contains(words), "{words}: {told}");
        }
    }

    #[test]
    fn many_changes_are_counted() {
        let lines = |euros| (0..100).map(|n| line(&n.to_string(), euros)).collect::<Vec<_>>();
        let told = draft(lines(2)).changes_since(&draft(lines(1))).expect("it changed");
        assert!(told.ends_with("y 60 cambios más") && told.len() < 20_000, "{told}");
    }
}
