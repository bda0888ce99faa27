//! Sums of what leads contribute.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Counts, Step, Wait, WaitFigures, waits};
use crate::etapa::Etapa;
use crate::money::Cents;

pub(super) const LEADS: &str = "leads";
pub(super) const ETAPA: &str = "etapa:";
pub(super) const STEP: &str = "paso:";
pub(super) const CANAL: &str = "canal:";
pub(super) const CANAL_ACCEPTED: &str = "canal aceptado:";
pub(super) const CAMPAIGN: &str = "campaña:";
pub(super) const CAMPAIGN_ACCEPTED: &str = "campaña aceptada:";
pub(super) const WAIT: &str = "espera:";
pub(super) const LOST: &str = "perdido:";
pub(super) const ISSUED: &str = "enviados";
pub(super) const ISSUED_CENTS: &str = "enviado céntimos";
pub(super) const ORIENTATIVE: &str = "orientativos";
pub(super) const ORIENTATIVE_CENTS: &str = "orientativo céntimos";
pub(super) const ACCEPTED: &str = "aceptados";
pub(super) const ACCEPTED_CENTS: &str = "aceptado céntimos";
pub(super) const MARGIN: &str = "márgenes";
pub(super) const MARGIN_BASE_CENTS: &str = "margen base céntimos";
pub(super) const MARGIN_CENTS: &str = "margen céntimos";

/// Kinds whose names come from outside. Without a limit on them, a sum could grow as large as the data that it sums up.
const OPEN: [&str; 3] = [CAMPAIGN, CAMPAIGN_ACCEPTED, LOST];

/// The maximum number of names of a kind in one sum. Further names are counted together.
pub const MAX_NAMES: usize = 60;

/// The name under which further names are counted together. No real name equals it, because names are trimmed.
pub const OTHERS: &str = " ";

/// The sums of a period.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sums(Counts);

impl Sums {
    /// Adds changes.
    pub fn change(&mut self, changes: &Counts) {
        changes.iter().for_each(|(what, n)| self.add(what, *n));
        self.0.retain(|_, n| *n != 0);
    }

    fn add(&mut self, what: &str, n: i64) {
        let Some(kind) = OPEN.into_iter().find(|kind| what.starts_with(kind)) else {
            *self.0.entry(what.to_owned()).or_default() += n;
            return;
        };
        let known = self.0.get(what).copied().unwrap_or(0);
        // A name for which there was no room was counted under `OTHERS`, so it is also subtracted there. Never subtract
        // more from a name than was added to it.
        let own = match known {
            0 if n > 0 && self.names(kind).count() >= MAX_NAMES => 0,
            known => n.max(-known),
        };
        *self.0.entry(what.to_owned()).or_default() += own;
        *self.0.entry(format!("{kind}{OTHERS}")).or_default() += n - own;
    }

    /// The sums of both, with every name that either of them has.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        for (what, n) in &other.0 {
            match self.0.get_mut(what) {
                Some(sum) => *sum += n,
                None => drop(self.0.insert(what.clone(), *n)),
            }
        }
        self
    }

    fn get(&self, what: &str) -> i64 {
        self.0.get(what).copied().unwrap_or(0)
    }

    /// The names of a kind with their counts, without `OTHERS`.
    fn names<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = (&'a str, i64)> {
        let named =
            self.0.range(kind.to_owned()..).map_while(move |(what, n)| Some((what.strip_prefix(kind)?, *n)));
        named.filter(|(name, n)| *name != OTHERS && *n != 0)
    }

    /// The number of leads that came in.
    pub fn leads(&self) -> i64 {
        self.get(LEADS)
    }

    /// How many of these leads are in this etapa now.
    pub fn etapa(&self, etapa: Etapa) -> i64 {
        self.get(&format!("{ETAPA}{etapa}"))
    }

    /// How many of these leads reached this step.
    pub fn step(&self, step: Step) -> i64 {
        self.get(&format!("{STEP}{step}"))
    }

    /// Leads by channel, and how many of them accepted, the largest number first. An empty name: the channel is not
    /// known.
    pub fn canales(&self) -> Vec<Share> {
        self.shares(CANAL, CANAL_ACCEPTED)
    }

    /// Leads by campaign, in the same form. The last row, [`OTHERS`], counts all campaigns that have no row of their
    /// own.
    pub fn campaigns(&self) -> Vec<Share> {
        let mut shares = self.shares(CAMPAIGN, CAMPAIGN_ACCEPTED);
        let told: i64 = shares.iter().map(|share| share.accepted).sum();
        let leads = self.get(&format!("{CAMPAIGN}{OTHERS}"));
        if leads > 0 {
            let accepted = (self.step(Step::Accepted) - told).max(0);
            shares.push(Share { name: OTHERS.to_owned(), leads, accepted });
        }
        shares
    }

    fn shares(&self, kind: &str, accepted: &str) -> Vec<Share> {
        let of = |(name, leads): (&str, i64)| {
            let accepted = self.get(&format!("{accepted}{name}"));
            Share { name: name.to_owned(), leads, accepted }
        };
        let mut shares: Vec<Share> = self.names(kind).map(of).collect();
        shares.sort_by(|a, b| b.leads.cmp(&a.leads).then_with(|| a.name.cmp(&b.name)));
        shares
    }

    /// Leads that were lost in the period, by reason, the largest number first. The last row may be [`OTHERS`].
    pub fn lost(&self) -> Vec<(String, i64)> {
        let mut reasons: Vec<(String, i64)> =
            self.names(LOST).map(|(reason, n)| (reason.to_owned(), n)).collect();
        reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let others = self.get(&format!("{LOST}{OTHERS}"));
        reasons.extend((others > 0).then(|| (OTHERS.to_owned(), others)));
        reasons
    }

    /// How long leads waited.
    pub fn wait(&self, wait: Wait) -> WaitFigures {
        let kind = format!("{WAIT}{wait}:");
        let counted = self.names(&kind).filter_map(|(bucket, n)| Some((bucket.parse().ok()?, n)));
        waits::figures(&counted.collect::<BTreeMap<u32, i64>>())
    }

    /// The number of quotes issued in the period, and their total with tax.
    pub fn issued(&self) -> (i64, Cents) {
        (self.get(ISSUED), Cents(self.get(ISSUED_CENTS)))
    }

    /// The number of orientative quotes among them, and their total.
    pub fn orientative(&self) -> (i64, Cents) {
        (self.get(ORIENTATIVE), Cents(self.get(ORIENTATIVE_CENTS)))
    }

    /// The number of quotes accepted in the period, and their total with tax and options.
    pub fn accepted(&self) -> (i64, Cents) {
        (self.get(ACCEPTED), Cents(self.get(ACCEPTED_CENTS)))
    }

    /// Of the accepted quotes, those with a cost for every line: their number, their sum before tax, and their margin.
    pub fn margin(&self) -> (i64, Cents, Cents) {
        (self.get(MARGIN), Cents(self.get(MARGIN_BASE_CENTS)), Cents(self.get(MARGIN_CENTS)))
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(|n| *n == 0)
    }
}

/// The leads of one channel or campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    pub name: String,
    pub leads: i64,
    pub accepted: i64,
}

impl Share {
    /// At most `how_many` shares; all further ones are added up as [`OTHERS`].
    pub fn top(mut shares: Vec<Self>, how_many: usize) -> Vec<Self> {
        let others: Vec<Self> = shares.extract_if(.., |share| share.name == OTHERS).collect();
        let cut = shares.len().min(how_many);
        let rest = shares.split_off(cut).into_iter().chain(others);
        let rest = rest.fold((0, 0), |sum, share| (sum.0 + share.leads, sum.1 + share.accepted));
        if rest != (0, 0) {
            shares.push(Self { name: OTHERS.to_owned(), leads: rest.0, accepted: rest.1 });
        }
        shares
    }
}
