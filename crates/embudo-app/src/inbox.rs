//! The parts of the inbox that take more than one step: the search box, all rows of a list, and the actions of today.

use embudo_domain::next_action::ActionKind;
use embudo_domain::search::Asked;
use embudo_domain::visita::SpanishTimeZone;
use embudo_domain::{EmpresaId, Timestamp, UserId};
use embudo_store::inbox::{
    Found, InboxFilter, InboxRow, InboxSort, PageStart, Reading, SEARCH_BUDGET, Viewer,
};
use futures_util::Stream;
use futures_util::stream::try_unfold;

use crate::{App, AppError};

/// The number of rows read at once.
const CHUNK: u32 = 500;

/// What a person should do before the day ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Today {
    pub until: Timestamp,
    /// First the actions that are due now, then those that will be due today.
    pub due: Vec<Due>,
    pub more: bool,
    /// Agreed visits that are not over, in the order of their start.
    pub visits: Vec<(InboxRow, Timestamp)>,
}

/// A lead that needs an action today.
#[derive(Debug, Clone, PartialEq)]
pub struct Due {
    pub row: InboxRow,
    pub kind: ActionKind,
    pub at: Timestamp,
    /// Whether the action is due now.
    pub is_due: bool,
}

#[derive(Clone, Copy)]
pub struct Inbox<'a> {
    pub(crate) app: &'a App,
}

impl Inbox<'_> {
    /// What the search box finds. An empty search finds nothing.
    pub async fn search(self, viewer: &Viewer, text: &str) -> Result<Found, AppError> {
        match Asked::parse(text) {
            Some(asked) => Ok(self.app.store.search(viewer, asked, SEARCH_BUDGET).await?),
            None => Ok(Found::default()),
        }
    }

    /// The actions of today in these companies, at most `most`: until midnight in the company's zone, or in Madrid for
    /// several companies.
    pub async fn today(self, empresas: Vec<EmpresaId>, most: u32) -> Result<Today, AppError> {
        let now = self.app.now();
        let zone = match empresas.as_slice() {
            [one] => self.app.visits().zone(*one).await?,
            _ => SpanishTimeZone::Madrid,
        };
        let until = zone.day(now).tomorrow().map_or(Timestamp::MAX, |day| zone.begins(day));
        if empresas.is_empty() {
            return Ok(Today { until, due: Vec::new(), more: false, visits: Vec::new() });
        }
        let viewer = Viewer { who: UserId(uuid::Uuid::nil()), empresas };
        // One row more shows whether there are more.
        let (sort, reading) = (InboxSort::NextAction(now), Reading::rows(most.saturating_add(1)));
        let from = PageStart::Start;
        let page = self.app.store.inbox(&viewer, InboxFilter::default(), sort, from, reading).await?;
        let rows = page.rows.into_iter();
        let mut due: Vec<Due> = rows.map_while(|row| due_before(row, now, until)).collect();
        let more = due.len() > most as usize;
        due.truncate(most as usize);
        let mut upcoming = self.app.store.upcoming_visits(&viewer, now, until).await?;
        upcoming.truncate(most as usize);
        let leads = upcoming.iter().map(|visit| visit.lead).collect();
        let known = self.app.store.inbox_rows(&viewer, leads).await?;
        let row_of = |lead| known.iter().find(|row| row.summary.lead.id == lead).cloned();
        let visits = upcoming.iter().filter_map(|visit| Some((row_of(visit.lead)?, visit.start))).collect();
        Ok(Today { until, due, more, visits })
    }

    /// Every row of a list, read in pages, in its order. A row whose position changes meanwhile may be missed or come
    /// twice.
    pub fn export(
        self,
        viewer: Viewer,
        filter: InboxFilter,
        sort: InboxSort,
    ) -> impl Stream<Item = Result<Vec<InboxRow>, AppError>> + Send + use<> {
        let app = self.app.clone();
        try_unfold(Some(PageStart::Start), move |from| {
            let (app, viewer, filter) = (app.clone(), viewer.clone(), filter.clone());
            async move {
                let Some(from) = from else { return Ok(None) };
                let page = app.store.inbox(&viewer, filter, sort, from, Reading::rows(CHUNK)).await?;
                let next = page.next(sort);
                Ok(Some((page.rows, next)))
            }
        })
    }
}

/// The row as an action of today, if its next action is due before `until`.
fn due_before(row: InboxRow, now: Timestamp, until: Timestamp) -> Option<Due> {
    let at = row.outlook.due_from().filter(|at| *at < until)?;
    let kind = row.outlook.at(at.max(now))?.kind;
    Some(Due { row, kind, at, is_due: at <= now })
}
