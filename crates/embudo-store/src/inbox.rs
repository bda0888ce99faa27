//! The inbox: leads as people see them, listed, counted and searched.
//!
//! Every query names the companies whose leads the viewer may see. The result contains no other company's leads.

use std::cmp::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::calificacion::Nivel;
use embudo_domain::conversacion::Rol;
use embudo_domain::etapa::Etapa;
use embudo_domain::lead::LeadSummary;
use embudo_domain::money::Cents;
use embudo_domain::next_action::{NextAction, Outlook};
use embudo_domain::perfil::{CanalOrigen, Urgencia};
use embudo_domain::presupuesto::{Certainty, PresupuestoState};
use embudo_domain::search::Asked;
use embudo_domain::{EmpresaId, LeadId, Timestamp, UserId, Zona};

use crate::Result;
use crate::projected_lead::{Part, Standing};

/// The person who asks, and the companies whose leads they may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    pub who: UserId,
    pub empresas: Vec<EmpresaId>,
}

impl Viewer {
    pub fn may_see(&self, empresa: EmpresaId) -> bool {
        self.empresas.contains(&empresa)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assigned {
    To(UserId),
    Nobody,
}

/// Which leads; every condition that is set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxFilter {
    pub tipo_reforma: Option<Zona>,
    pub nivel: Option<Nivel>,
    pub canal_origen: Option<CanalOrigen>,
    pub viable: Option<bool>,
    pub urgencia: Option<Urgencia>,
    pub etapa: Option<Etapa>,
    pub assigned: Option<Assigned>,
    /// Created at this instant or later.
    pub since: Option<Timestamp>,
    /// Created before this instant.
    pub until: Option<Timestamp>,
    /// The value of `utm_campaign`.
    pub campaign: Option<String>,
    /// Only leads with news that the viewer has not seen.
    pub unread: bool,
    /// Without lost leads.
    pub open: bool,
}

impl InboxFilter {
    /// Whether no index finds the requested leads.
    pub fn walks(&self) -> bool {
        let Self {
            tipo_reforma,
            nivel,
            canal_origen,
            viable,
            urgencia,
            assigned,
            since,
            until,
            campaign,
            unread,
            // These conditions find the list, or hold for most of it.
            etapa: _,
            open: _,
        } = self;
        tipo_reforma.is_some()
            || nivel.is_some()
            || canal_origen.is_some()
            || viable.is_some()
            || urgencia.is_some()
            || assigned.is_some()
            || since.is_some()
            || until.is_some()
            || campaign.is_some()
            || *unread
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InboxSort {
    /// Leads that are due at this moment, then those that will be due, then those that wait, then those that need
    /// nobody. All pages of a list have the same moment, so that no lead is left out between two pages.
    NextAction(Timestamp),
    /// The last activity first.
    Activity,
    /// The newest lead first.
    Created,
}

impl InboxSort {
    /// The parts of the list, in their order. A list by activity or creation has one part.
    pub fn parts(self) -> &'static [Part] {
        match self {
            Self::NextAction(_) => &Part::ALL,
            Self::Activity | Self::Created => &[Part::Nothing],
        }
    }
}

/// A position in the list: its part, the values by which that part is sorted, and the lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub part: Part,
    /// Used only in the part with due leads.
    pub rank: i64,
    pub at: Timestamp,
    pub lead: LeadId,
}

impl Place {
    /// Compares in the order of the list.
    pub fn compare(&self, other: &Self) -> Ordering {
        let parts = self.part.cmp(&other.part);
        let within = (self.rank, self.at, self.lead).cmp(&(other.rank, other.at, other.lead));
        parts.then(if self.part.is_rising() { within } else { within.reverse() })
    }
}

/// How much of a list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    pub rows: u32,
    /// How many leads are read in one step where no index finds the requested ones; later steps read more.
    pub step: u32,
    /// How long reading may take.
    pub budget: Duration,
}

impl Reading {
    pub const fn rows(rows: u32) -> Self {
        Self { rows, step: 2_000, budget: Duration::from_millis(40) }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PageStart {
    #[default]
    Start,
    After(Place),
    Before(Place),
}

/// A lead as the list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct InboxRow {
    /// Without its `utm`.
    pub summary: LeadSummary,
    pub etapa: Etapa,
    pub etapa_since: Timestamp,
    pub assigned: Option<UserId>,
    pub activity: Timestamp,
    /// The time of the client's last turn.
    pub client_wrote: Option<Timestamp>,
    /// Who spoke last.
    pub last_rol: Option<Rol>,
    pub outlook: Outlook,
    pub standing: Standing,
    /// The text of the action that a person has set.
    pub action_text: Option<String>,
    pub archived_reason: Option<String>,
    pub unread: bool,
    /// The principal, if the lead is united.
    pub principal: Option<LeadId>,
}

impl InboxRow {
    /// The next action, as seen at this moment.
    pub fn next_action(&self, now: Timestamp) -> Option<NextAction> {
        self.outlook.at(now)
    }

    /// Its place in a list.
    pub fn place(&self, sort: InboxSort) -> Place {
        let Standing { rank, due_from, part, key } = self.standing;
        let lead = self.summary.lead.id;
        let newest = |at| Place { part: Part::Nothing, rank: 0, at, lead };
        match (sort, rank) {
            (InboxSort::NextAction(now), Some(rank)) if due_from <= now => {
                Place { part: Part::Due, rank, at: due_from, lead }
            }
            (InboxSort::NextAction(_), _) => Place { part, rank: 0, at: key, lead },
            (InboxSort::Activity, _) => newest(self.activity),
            (InboxSort::Created, _) => newest(self.summary.lead.creado_en),
        }
    }
}

impl InboxPage {
    /// Where the next page of the list starts; `None` after the last page.
    pub fn next(&self, sort: InboxSort) -> Option<PageStart> {
        let last = self.rows.last().map(|row| row.place(sort));
        self.resume.or(last).filter(|_| self.more).map(PageStart::After)
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct InboxPage {
    /// In the order of the list, even if the page was read backwards.
    pub rows: Vec<InboxRow>,
    /// Whether there may be more leads in the direction that was asked for.
    pub more: bool,
    /// The time was over before the page was full: the next page starts here, and not at the last row.
    pub resume: Option<Place>,
}

/// The amount of a lead's current quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeadAmount {
    /// The lead; for a united lead its principal.
    pub lead: LeadId,
    pub state: PresupuestoState,
    pub version: u32,
    /// Including the chosen options, if the quote was accepted.
    pub total: Cents,
    /// An accepted amount is not an estimate any more.
    pub certainty: Certainty,
}

/// An agreed visit that begins soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpcomingVisit {
    /// The lead; for a united lead its principal.
    pub lead: LeadId,
    pub start: Timestamp,
}

/// The most visits of each company that are shown as upcoming.
pub const MAX_UPCOMING: u32 = 1_000;

/// How many leads are in an etapa.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EtapaCount {
    pub etapa: Etapa,
    /// At most [`MAX_COUNT`].
    pub leads: u32,
}

/// The board counts leads only up to this number, and then shows it with a «+».
pub const MAX_COUNT: u32 = 1_000;

/// News are counted among this many leads, those with the latest activity.
pub const LATEST: u32 = 200;

/// How a lead was found; the earlier variants come first in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundBy {
    /// The whole telephone, e-mail or quote number.
    Exact,
    /// The name, or a part of the e-mail or the telephone.
    Name,
    /// A written text.
    Text,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub row: InboxRow,
    pub by: FoundBy,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    pub hits: Vec<Hit>,
    /// Whether there may be more.
    pub more: bool,
}

/// The maximum of leads that a search returns.
pub const MAX_FOUND: usize = 50;
/// The maximum of possible duplicates that are shown for a lead.
pub const MAX_DUPLICATES: usize = 8;
/// How long a search may look through written texts.
pub const SEARCH_BUDGET: Duration = Duration::from_millis(40);

#[async_trait]
pub trait InboxStore: Send + Sync + 'static {
    /// One page of leads, without those that are united with a principal. If no index finds what the filter asks for,
    /// the leads are read in the order of the list for a limited time, and the page may then contain fewer leads than
    /// there are.
    async fn inbox(
        &self,
        viewer: &Viewer,
        filter: InboxFilter,
        sort: InboxSort,
        from: PageStart,
        reading: Reading,
    ) -> Result<InboxPage>;
    /// These leads as the list shows them, in no order; leads that the viewer may not see are left out.
    async fn inbox_rows(&self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<Vec<InboxRow>>;
    /// The amounts of the current quotes of these leads, and of the leads united with them; a lead without a quote is
    /// left out.
    async fn amounts(&self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<Vec<LeadAmount>>;
    /// How many leads are in each etapa, in the order of the board.
    async fn inbox_counts(&self, viewer: &Viewer, filter: InboxFilter) -> Result<Vec<EtapaCount>>;
    /// The viewer's agreed visits that begin before a moment and are not over, by their start: at most [`MAX_UPCOMING`]
    /// for each company.
    async fn upcoming_visits(
        &self,
        viewer: &Viewer,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<UpcomingVisit>>;
    /// Other leads of the same company with the telephone, the e-mail or the form's ticket of one of these leads, which
    /// belong to one person. A united lead is shown as its principal. At most [`MAX_DUPLICATES`], the oldest ones.
    async fn duplicates(&self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<Vec<InboxRow>>;
    /// How many leads have news for the viewer, among the [`LATEST`] of each company: fast enough for every page.
    async fn count_news(&self, viewer: &Viewer) -> Result<u32>;
    /// Searches leads: first by a whole telephone, e-mail or quote number, then by names, then in written texts, newest
    /// first, for as long as `budget` lasts.
    async fn search(&self, viewer: &Viewer, asked: Asked, budget: Duration) -> Result<Found>;
}
