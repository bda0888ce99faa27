//! The inbox: leads as people see them, listed, counted and searched.
//!
//! Every question names the companies whose leads the viewer may see. No other company's leads are in an answer.

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

/// Who asks, and whose leads they may see.
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
    /// Only what the viewer has not seen since something happened to it.
    pub unread: bool,
    /// Without those that are lost.
    pub open: bool,
}

impl InboxFilter {
    /// Whether no index finds what is asked for.
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
            // By these the list is found, or most of it is open.
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
    /// What is due at this moment, then what will be, then what waits, then what needs nobody. All pages of a list have
    /// the same moment, so that nothing is left out between two of them.
    NextAction(Timestamp),
    /// The last activity first.
    Activity,
    /// The newest lead first.
    Created,
}

impl InboxSort {
    /// The parts of the list, in their order. Other orders have one part, which falls from the newest on.
    pub fn parts(self) -> &'static [Part] {
        match self {
            Self::NextAction(_) => &Part::ALL,
            Self::Activity | Self::Created => &[Part::Nothing],
        }
    }
}

/// A place in the list: its part, the values that it is sorted by there, and the lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub part: Part,
    /// Only among what is due.
    pub rank: i64,
    pub at: Timestamp,
    pub lead: LeadId,
}

impl Place {
    /// In the order of the list.
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
    /// Leads that are looked at in one go where no index finds what is asked for; more each time.
    pub step: u32,
    /// How long that may take.
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
    /// The last turn of the client's.
    pub client_wrote: Option<Timestamp>,
    /// Who spoke last.
    pub last_rol: Option<Rol>,
    pub outlook: Outlook,
    pub standing: Standing,
    /// What a person wrote about the action that they set.
    pub action_text: Option<String>,
    pub archived_reason: Option<String>,
    pub unread: bool,
    /// The lead that stands for this one.
    pub principal: Option<LeadId>,
}

impl InboxRow {
    /// What is to do next at a moment.
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
    /// Where the list goes on after this page.
    pub fn next(&self, sort: InboxSort) -> Option<PageStart> {
        let last = self.rows.last().map(|row| row.place(sort));
        self.resume.or(last).filter(|_| self.more).map(PageStart::After)
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct InboxPage {
    /// In the order of the list, whichever way it was turned.
    pub rows: Vec<InboxRow>,
    /// There may be more in the direction asked.
    pub more: bool,
    /// The time was over before the page was full: the next one begins here, and not at the last row.
    pub resume: Option<Place>,
}

/// What the current quote of a lead comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeadAmount {
    /// Or the one that stands for it.
    pub lead: LeadId,
    pub state: PresupuestoState,
    pub version: u32,
    /// With what was chosen, where it was accepted.
    pub total: Cents,
    /// What was accepted is no estimate any more.
    pub certainty: Certainty,
}

/// An agreed visit that begins soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpcomingVisit {
    /// Or the one that stands for it.
    pub lead: LeadId,
    pub start: Timestamp,
}

/// The most visits that are shown as upcoming.
pub const MAX_UPCOMING: u32 = 1_000;

/// How many leads stand in an etapa.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EtapaCount {
    pub etapa: Etapa,
    /// At most [`MAX_COUNT`].
    pub leads: u32,
}

/// Nobody counts further on a board; one more than that means «more».
pub const MAX_COUNT: u32 = 1_000;

/// News are counted among this many leads, those where something happened last.
pub const LATEST: u32 = 200;

/// By what a lead was found; what is found earlier stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundBy {
    /// The whole telephone, e-mail or quote number.
    Exact,
    /// Name, or part of the e-mail or the telephone.
    Name,
    /// Something that was written.
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
    /// There may be more.
    pub more: bool,
}

/// The most leads that a search finds.
pub const MAX_FOUND: usize = 50;
/// The most possible duplicates that are shown of a lead.
pub const MAX_DUPLICATES: usize = 8;
/// How long it may look through what was written.
pub const SEARCH_BUDGET: Duration = Duration::from_millis(40);

#[async_trait]
pub trait InboxStore: Send + Sync + 'static {
    /// One page of the leads that nobody united with another one. Where no index finds what the filter asks for, it is
    /// looked for in the order of the list for some time, and the page may hold less than there is.
    async fn inbox(
        &self,
        viewer: &Viewer,
        filter: InboxFilter,
        sort: InboxSort,
        from: PageStart,
        reading: Reading,
    ) -> Result<InboxPage>;
    /// These leads as the list shows them, in no order; those that the viewer may not see are left out.
    async fn inbox_rows(&self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<Vec<InboxRow>>;
    /// What the current quotes of these leads come to, and of those that they stand for; a lead without a quote is left
    /// out.
    async fn amounts(&self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<Vec<LeadAmount>>;
    /// How many leads stand in each etapa, in the order of the board.
    async fn inbox_counts(&self, viewer: &Viewer, filter: InboxFilter) -> Result<Vec<EtapaCount>>;
    /// The viewer's agreed visits that begin before a moment and are not over, by when they begin: at most
    /// [`MAX_UPCOMING`] of each company.
    async fn upcoming_visits(
        &self,
        viewer: &Viewer,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<UpcomingVisit>>;
    /// Other leads of the same company with the telephone or the e-mail of one of these, which are one person; a lead
    /// that another one stands for is shown as that one. The oldest [`MAX_DUPLICATES`].
    async fn duplicates(&self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<Vec<InboxRow>>;
    /// How many leads have news for the viewer, among the [`LATEST`] of each company: cheap enough for every page.
    async fn count_news(&self, viewer: &Viewer) -> Result<u32>;
    /// Leads that something is known of: a whole telephone, e-mail or quote number first, then names, then what was
    /// written, newest first, for as long as `budget` lasts.
    async fn search(&self, viewer: &Viewer, asked: Asked, budget: Duration) -> Result<Found>;
}
