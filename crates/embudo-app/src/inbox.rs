//! The inbox, where it takes more than one step: the search box, and all rows of a list.

use embudo_domain::search::Asked;
use embudo_store::inbox::{
    Found, InboxFilter, InboxRow, InboxSort, PageStart, Reading, SEARCH_BUDGET, Viewer,
};
use futures_util::Stream;
use futures_util::stream::try_unfold;

use crate::{App, AppError};

/// Rows that are read at once.
const CHUNK: u32 = 500;

#[derive(Clone, Copy)]
pub struct Inbox<'a> {
    pub(crate) app: &'a App,
}

impl Inbox<'_> {
    /// What the search box finds; nothing is found where nothing is asked for.
    pub async fn search(self, viewer: &Viewer, text: &str) -> Result<Found, AppError> {
        match Asked::parse(text) {
            Some(asked) => Ok(self.app.store.search(viewer, asked, SEARCH_BUDGET).await?),
            None => Ok(Found::default()),
        }
    }

    /// Every row of a list, some at a time, in its order. What changes its place meanwhile may be missed or come twice.
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
