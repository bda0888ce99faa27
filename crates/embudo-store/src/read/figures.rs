//! The figures of the summary.

use async_trait::async_trait;
use embudo_domain::EmpresaId;
use embudo_domain::figures::{Level, Range, Sums};
use embudo_domain::visita::SpanishTimeZone;
use jiff::civil::Date;

use super::Reader;
use crate::Result;
use crate::figures::{MAX_WEEKS, Summary};
use crate::queries::figures;

#[async_trait]
pub trait FigureReads: Send + Sync + 'static {
    /// The sums of a company's leads by period, from the period that begins on one day to the one that begins on
    /// another, in order; periods in which nothing happened are left out.
    async fn sums(
        &self,
        empresa: EmpresaId,
        zone: SpanishTimeZone,
        level: Level,
        from: Date,
        to: Date,
    ) -> Result<Vec<(Date, Sums)>>;
    /// The figures of a range, as a whole, by month and by week.
    async fn summary(&self, empresa: EmpresaId, zone: SpanishTimeZone, range: Range) -> Result<Summary>;
}

#[async_trait]
impl<R: Reader> FigureReads for R {
    async fn sums(
        &self,
        empresa: EmpresaId,
        zone: SpanishTimeZone,
        level: Level,
        from: Date,
        to: Date,
    ) -> Result<Vec<(Date, Sums)>> {
        let mut sums = self.read(figures::sums(empresa, zone, level, from, to)).await?;
        sums.retain(|(_, sums)| !sums.is_empty());
        Ok(sums)
    }

    /// Whole months are read as such; days are read only for incomplete months and for the last weeks.
    async fn summary(&self, empresa: EmpresaId, zone: SpanishTimeZone, range: Range) -> Result<Summary> {
        let months = range.months();
        let whole: Vec<Date> = months.iter().copied().filter(|month| range.holds_month(*month)).collect();
        let by_month = match (whole.first(), whole.last()) {
            (Some(first), Some(last)) => self.sums(empresa, zone, Level::Month, *first, *last).await?,
            _ => Vec::new(),
        };
        let weeks = range.last_weeks(MAX_WEEKS);
        let partial = months.iter().filter(|month| !whole.contains(month)).map(|month| range.within(*month));
        let mut days = Vec::new();
        for stretch in joined(partial.chain(weeks.iter().copied()).collect()) {
            days.extend(self.sums(empresa, zone, Level::Day, stretch.from, stretch.to).await?);
        }
        let in_days = |range: &Range| {
            let within = days.iter().filter(|(day, _)| range.contains(*day));
            within.fold(Sums::default(), |sum, (_, one)| sum.with(one))
        };
        let month = |month: &Date| {
            let part = range.within(*month);
            let known = || by_month.iter().find(|(of, _)| of == month).map(|(_, sums)| sums.clone());
            let sums = if whole.contains(month) { known().unwrap_or_default() } else { in_days(&part) };
            (part, sums)
        };
        let months: Vec<(Range, Sums)> = months.iter().map(month).collect();
        Ok(Summary {
            zone,
            range,
            whole: months.iter().fold(Sums::default(), |sum, (_, one)| sum.with(one)),
            months,
            weeks: weeks.into_iter().map(|week| (week, in_days(&week))).collect(),
        })
    }
}

/// Merges ranges, so that each day is contained once.
fn joined(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by_key(|range| range.from);
    let mut joined: Vec<Range> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.from <= last.to.tomorrow().unwrap_or(last.to) => {
                last.to = last.to.max(range.to);
            }
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn days_are_read_once() {
        let range = |from, to| Range { from: date(2027, 1, from), to: date(2027, 1, to) };
        assert_eq!(
            joined(vec![range(20, 31), range(1, 3), range(18, 19), range(2, 3)]),
            [range(1, 3), range(18, 31)]
        );
        assert_eq!(joined(vec![]), []);
    }
}
