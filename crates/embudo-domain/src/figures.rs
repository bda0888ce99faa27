//! The figures of a company: what each lead contributes to them, and their sums by day and month.
//!
//! A lead counts on the day on which it came in, a quote on the day on which it was issued or accepted, a loss on the
//! day of the loss. Days are days of the company's zone. A company may change its zone, so everything is counted in
//! both zones. The contribution of a lead is stored with the lead, so that it can be subtracted again: counting twice
//! changes nothing, and everything can be recounted.

mod range;
mod sums;
mod waits;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::etapa::Etapa;
use crate::money::Cents;
use crate::perfil::CanalOrigen;
use crate::presupuesto::{Document, Draft};
use crate::visita::SpanishTimeZone;
use crate::{EmpresaId, LeadId};

pub use range::{MAX_DAYS, Range, RangeMistake};
pub use sums::{MAX_NAMES, OTHERS, Share, Sums};
pub use waits::{Wait, WaitFigures};

enumeration! {
    /// How far a lead came at least once. A lead may have a later step without an earlier one.
    Step {
        /// We contacted the client, or tried to.
        Contacted = "contactado",
        /// The client wrote.
        Spoke = "hablado",
        Profile = "perfil",
        Quoted = "presupuestado",
        /// A visit was agreed.
        Visited = "visitado",
        Accepted = "aceptado",
        /// The lead is lost now.
        Lost = "perdido",
    }
}

impl Step {
    pub fn all() -> impl Iterator<Item = Self> {
        Self::WORDS.iter().filter_map(|word| Self::parse(word))
    }
}

enumeration! {
    /// The length of the period of a sum.
    Level { Day = "dia", Month = "mes" }
}

impl Level {
    pub const ALL: [Self; 2] = [Self::Day, Self::Month];

    /// The first day of the period that a day is in.
    pub fn of(self, day: Date) -> Date {
        match self {
            Self::Day => day,
            Self::Month => day.first_of_month(),
        }
    }
}

/// The period, the zone and the company of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Period {
    pub empresa: EmpresaId,
    pub zone: SpanishTimeZone,
    pub level: Level,
    /// Its first day.
    pub day: Date,
}

/// A quote that was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteFigures {
    pub issued: Timestamp,
    /// With tax.
    pub total: Cents,
    /// Whether the quote is orientative, so that its total is not binding.
    pub is_orientative: bool,
    pub accepted: Option<AcceptedFigures>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AcceptedFigures {
    pub at: Timestamp,
    /// The agreed amount, with tax and options.
    pub total: Cents,
    /// Before tax and options. `None` unless the cost of every line is known.
    pub margin: Option<MarginFigures>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarginFigures {
    pub base: Cents,
    pub margin: Cents,
}

impl MarginFigures {
    /// The margin of a quote, by the draft that it was made from. If one line has no cost, the margin is not known.
    pub fn of(draft: &Draft, document: &Document) -> Option<Self> {
        let margin = draft.margin(document).filter(|margin| margin.without_cost == 0)?;
        Some(Self { base: margin.base, margin: margin.margin })
    }
}

/// The facts about a lead from which its figures are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeadFigures {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub created: Timestamp,
    pub canal: Option<CanalOrigen>,
    pub campaign: Option<String>,
    pub etapa: Etapa,
    /// The lead is united with another one: only its quotes count.
    pub united: bool,
    /// When we first contacted the client, or tried to.
    pub contact: Option<Timestamp>,
    /// When the client first wrote.
    pub word: Option<Timestamp>,
    /// When we first contacted the client, or tried to, after that message.
    pub answer: Option<Timestamp>,
    pub profile: bool,
    pub visit: bool,
    /// When and why it was lost.
    pub lost: Option<(Timestamp, String)>,
    /// The issued quotes, the last version last.
    pub quotes: Vec<QuoteFigures>,
    /// The leads that are united with this one: the steps that they reached count for this lead.
    pub stands_for: Vec<LeadFigures>,
}

/// The maximum length of a counted name. A longer name is cut.
const MAX_NAME: usize = 80;

/// A name in one line, cut to the maximum length.
fn name(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_NAME).collect()
}

/// Numbers, by the name of what they count.
pub type Counts = BTreeMap<String, i64>;

/// What a lead counted for on a day.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct CountedDay {
    #[serde(rename = "m", with = "crate::day")]
    madrid: Date,
    #[serde(rename = "c", with = "crate::day")]
    canary: Date,
    #[serde(rename = "n")]
    counts: Counts,
}

impl CountedDay {
    fn of(at: Timestamp) -> Self {
        Self {
            madrid: SpanishTimeZone::Madrid.day(at),
            canary: SpanishTimeZone::Canary.day(at),
            counts: Counts::new(),
        }
    }

    fn in_zone(&self, zone: SpanishTimeZone) -> Date {
        match zone {
            SpanishTimeZone::Madrid => self.madrid,
            SpanishTimeZone::Canary => self.canary,
        }
    }
}

/// What a lead counted for, by day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counted(Vec<CountedDay>);

impl Counted {
    pub fn none() -> Self {
        Self::default()
    }

    fn count(&mut self, at: Timestamp, what: impl Into<String>, how_many: i64) {
        let day = CountedDay::of(at);
        let is_same = |known: &CountedDay| (known.madrid, known.canary) == (day.madrid, day.canary);
        let place = self.0.iter().position(is_same).unwrap_or_else(|| {
            self.0.push(day);
            self.0.len() - 1
        });
        *self.0[place].counts.entry(what.into()).or_default() += how_many;
    }

    /// Adds to `changes` the difference between this and `before`, for every sum that the lead is part of.
    pub fn changes(&self, before: &Self, empresa: EmpresaId, changes: &mut BTreeMap<Period, Counts>) {
        if self == before {
            return;
        }
        for (counted, sign) in [(before, -1), (self, 1)] {
            for day in &counted.0 {
                for (zone, level) in
                    SpanishTimeZone::ALL.into_iter().flat_map(|zone| Level::ALL.map(|level| (zone, level)))
                {
                    let period = Period { empresa, zone, level, day: level.of(day.in_zone(zone)) };
                    let sum = changes.entry(period).or_default();
                    day.counts.iter().for_each(|(what, n)| *sum.entry(what.clone()).or_default() += sign * n);
                }
            }
        }
        changes.values_mut().for_each(|counts| counts.retain(|_, n| *n != 0));
        changes.retain(|_, counts| !counts.is_empty());
    }
}

impl LeadFigures {
    /// Whether the first contact is known. Once known, the first contact and the first answer never change.
    pub fn is_contacted(&self) -> bool {
        self.first(|one| one.contact).is_some()
    }

    pub fn is_answered(&self) -> bool {
        self.first_answer().is_some()
    }

    /// When something first happened to this lead or to a lead that is united with it.
    fn first(&self, of: fn(&Self) -> Option<Timestamp>) -> Option<Timestamp> {
        std::iter::once(self).chain(&self.stands_for).filter_map(of).min()
    }

    fn first_answer(&self) -> Option<Timestamp> {
        let word = self.first(|one| one.word)?;
        let answers = std::iter::once(self).chain(&self.stands_for).filter_map(|one| one.answer);
        answers.filter(|at| *at >= word).min()
    }

    fn holds(&self, step: Step) -> bool {
        let others = || step != Step::Lost && self.stands_for.iter().any(|other| other.holds(step));
        others()
            || match step {
                Step::Contacted => self.contact.is_some(),
                Step::Spoke => self.word.is_some(),
                Step::Profile => self.profile,
                Step::Quoted => !self.quotes.is_empty(),
                Step::Visited => self.visit,
                Step::Accepted => self.quotes.iter().any(|quote| quote.accepted.is_some()),
                Step::Lost => self.etapa == Etapa::Perdido,
            }
    }

    /// The duration of a wait, if both of its ends are known.
    fn wait(&self, wait: Wait) -> Option<i64> {
        let first = self.quotes.iter().map(|quote| quote.issued).min();
        let accepted = self.quotes.iter().rev().find_map(|quote| Some((quote.issued, quote.accepted?.at)));
        let (from, to) = match wait {
            Wait::Contact => (self.created, self.first(|one| one.contact)?),
            Wait::Answer => (self.first(|one| one.word)?, self.first_answer()?),
            Wait::Quote => (self.created, first?),
            Wait::Decision => accepted?,
        };
        Some(to.duration_since(from).as_secs().max(0))
    }

    /// What the lead counts for.
    pub fn counted(&self) -> Counted {
        let mut counted = Counted::none();
        if !self.united {
            self.count_lead(&mut counted);
        }
        // Of several versions the client holds the last one.
        if let Some(last) = self.quotes.last() {
            counted.count(last.issued, sums::ISSUED, 1);
            counted.count(last.issued, sums::ISSUED_CENTS, last.total.0);
            if last.is_orientative {
                counted.count(last.issued, sums::ORIENTATIVE, 1);
                counted.count(last.issued, sums::ORIENTATIVE_CENTS, last.total.0);
            }
        }
        // Of several accepted quotes the last one is in force.
        if let Some(accepted) = self.quotes.iter().rev().find_map(|quote| quote.accepted) {
            counted.count(accepted.at, sums::ACCEPTED, 1);
            counted.count(accepted.at, sums::ACCEPTED_CENTS, accepted.total.0);
            if let Some(known) = accepted.margin {
                counted.count(accepted.at, sums::MARGIN, 1);
                counted.count(accepted.at, sums::MARGIN_BASE_CENTS, known.base.0);
                counted.count(accepted.at, sums::MARGIN_CENTS, known.margin.0);
            }
        }
        counted.0.iter_mut().for_each(|day| day.counts.retain(|_, n| *n != 0));
        counted.0.sort();
        counted
    }

    fn count_lead(&self, counted: &mut Counted) {
        let mut count = |what: String| counted.count(self.created, what, 1);
        count(sums::LEADS.to_owned());
        count(format!("{}{}", sums::ETAPA, self.etapa));
        let canal = self.canal.map_or("", CanalOrigen::as_str);
        let campaign = name(self.campaign.as_deref().unwrap_or_default());
        count(format!("{}{canal}", sums::CANAL));
        count(format!("{}{campaign}", sums::CAMPAIGN));
        for step in Step::all().filter(|step| self.holds(*step)) {
            count(format!("{}{step}", sums::STEP));
        }
        if self.holds(Step::Accepted) {
            count(format!("{}{canal}", sums::CANAL_ACCEPTED));
            count(format!("{}{campaign}", sums::CAMPAIGN_ACCEPTED));
        }
        for (wait, secs) in Wait::all().filter_map(|wait| Some((wait, self.wait(wait)?))) {
            count(format!("{}{wait}:{}", sums::WAIT, waits::bucket(secs)));
        }
        if let Some((at, reason)) = &self.lost {
            counted.count(*at, format!("{}{}", sums::LOST, name(reason)), 1);
        }
    }
}
