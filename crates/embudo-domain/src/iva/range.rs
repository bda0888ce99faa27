//! The lowest and the highest price of a job for its client. The dearer job is not always the one with the larger base,
//! because each has its own rate.

use super::{FITS, Impuesto, Impuestos, TaxCase, TotalRange, total};
use crate::decimal::Percentage;
use crate::money::Cents;
use crate::pricing::{Range, Totals};
use crate::tarifa::Tarifa;

impl Impuestos {
    /// The range of a job that is priced by the table.
    pub(super) fn range(&self, sums: &[Totals], case: TaxCase, tarifa: &Tarifa) -> Option<TotalRange> {
        let ends: Vec<_> = sums.iter().map(|s| (s.base, self.rate(s, case))).collect();
        of_ends(&ends, tarifa.range_rounding).map(|(_, totals)| totals)
    }

    /// The range of a job that a person edited, room by room: the corners of each room, shifted by the amount by which
    /// the person made the job dearer or cheaper than the table. The range always includes the quote itself. A room
    /// about which nothing is unknown has one corner.
    pub(crate) fn range_of_rooms(
        &self,
        rooms: &[Vec<Totals>],
        moved: Cents,
        quoted: &Impuesto,
        case: TaxCase,
        tarifa: &Tarifa,
    ) -> Option<(Range, TotalRange)> {
        if rooms.iter().all(|corners| corners.len() <= 1) {
            return None;
        }
        let mut ends = match rooms {
            [one] => one.iter().map(|s| (s.base, self.rate(s, case))).collect(),
            several => self.outer_ends(several, case),
        };
        for (base, _) in &mut ends {
            *base = base.checked_add(moved).expect(FITS).max(Cents::ZERO);
        }
        ends.push((quoted.base, quoted.percentage));
        of_ends(&ends, tarifa.range_rounding)
    }

    /// Every room may be at any of its corners. There are too many combinations to try them all, so this takes their
    /// bounds: the lowest and the highest base of all rooms, each with the rates of the combinations with the least and
    /// with the most materials.
    fn outer_ends(&self, rooms: &[Vec<Totals>], case: TaxCase) -> Vec<(Cents, Percentage)> {
        let limit = self.materials_limit().unwrap_or_default();
        let combined = |corner: &dyn Fn(&[Totals]) -> Option<Totals>| {
            let zero = Totals { base: Cents::ZERO, partidas: Cents::ZERO, material: Cents::ZERO };
            rooms.iter().filter_map(|corners| corner(corners)).fold(zero, |a, b| Totals {
                base: a.base.checked_add(b.base).expect(FITS),
                partidas: a.partidas.checked_add(b.partidas).expect(FITS),
                material: a.material.checked_add(b.material).expect(FITS),
            })
        };
        let bases = [
            combined(&|c| c.iter().min_by_key(|t| t.base).copied()).base,
            combined(&|c| c.iter().max_by_key(|t| t.base).copied()).base,
        ];
        let rates = [
            self.rate(&combined(&|c| c.iter().min_by_key(|t| t.weight(limit)).copied()), case),
            self.rate(&combined(&|c| c.iter().max_by_key(|t| t.weight(limit)).copied()), case),
        ];
        bases.into_iter().flat_map(|base| rates.map(|rate| (base, rate))).collect()
    }

    fn rate(&self, totals: &Totals, case: TaxCase) -> Percentage {
        self.rule_of(totals, case).0.percentage
    }
}

/// The range of the bases, and the range of the totals at their rates, both rounded outwards.
fn of_ends(ends: &[(Cents, Percentage)], step: Cents) -> Option<(Range, TotalRange)> {
    let bases = Range::around(ends.iter().map(|e| e.0), step)?;
    let totals = ends.iter().map(|(base, rate)| total(*base, *rate).expect(FITS));
    let Range { minimum, maximum } = Range::around(totals, step)?;
    let (_, first) = *ends.first()?;
    let percentage = ends.iter().all(|e| e.1 == first).then_some(first);
    Some((bases, TotalRange { minimum, maximum, percentage }))
}
