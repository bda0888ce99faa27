//! The inbox, read company by company: each company has an order of its own, and a person rarely belongs to more than
//! one.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use embudo_domain::etapa::Etapa;
use embudo_domain::search::Asked;
use embudo_domain::{EmpresaId, LeadId, Timestamp};

use super::duplicates::duplicates;
use super::inbox_rows::inbox_rows;
use super::search::search;
use super::{Reader, first, last_serial};
use crate::desk::LeadDesk;
use crate::inbox::{
    Assigned, EtapaCount, Found, InboxFilter, InboxPage, InboxRow, InboxSort, InboxStore, LATEST, LeadAmount,
    MAX_COUNT, MAX_UPCOMING, PageStart, Place, Reading, UpcomingVisit, Viewer,
};
use crate::projection::{LeadChange, TableCursor, Tail};
use crate::queries::inbox::{Page, Way};
use crate::queries::{Reach, desk as queries, etapa, inbox as pages, projection, quote, visit};
use crate::touches::Touch;
use crate::{Result, StoreError};

/// Up to this many leads are sorted after they are found; if there are more, reading in the order of the list fills the
/// page soon.
const FEW: u32 = 1_500;

/// The maximum of leads that are read in one step where no index finds the requested ones.
const LONGEST_STEP: u32 = 16_000;

async fn inbox(
    reader: &impl Reader,
    viewer: &Viewer,
    filter: &InboxFilter,
    sort: InboxSort,
    from: PageStart,
    reading: Reading,
) -> Result<InboxPage> {
    let deadline = Instant::now() + reading.budget;
    let (is_backward, beyond) = match from {
        PageStart::Start => (false, None),
        PageStart::After(place) => (false, Some(place)),
        PageStart::Before(place) => (true, Some(place)),
    };
    let before = |a: &Place, b: &Place| {
        let order = a.compare(b);
        if is_backward { order.reverse() } else { order }
    };
    let (mut rows, mut resume) = (Vec::new(), None::<Place>);
    for empresa in &viewer.empresas {
        let way = way(reader, *empresa, filter, sort).await?;
        let (who, limit) = (viewer.who, reading.rows.saturating_add(1));
        let (part, until) = (sort.parts()[0], None);
        let page = Page {
            empresa: *empresa,
            who,
            filter,
            sort,
            part,
            backward: is_backward,
            beyond,
            until,
            limit,
            way,
        };
        let (found, stopped) = company(reader, page, reading.step, deadline).await?;
        rows.extend(found);
        resume = resume.into_iter().chain(stopped).min_by(before);
    }
    rows.sort_by(|a: &InboxRow, b| before(&a.place(sort), &b.place(sort)));
    // Rows beyond the position where reading of one company stopped are dropped, because that company may have other
    // rows before them.
    if let Some(resume) = &resume {
        rows.retain(|row| before(&row.place(sort), resume).is_le());
    }
    let is_full = rows.len() > reading.rows as usize;
    rows.truncate(reading.rows as usize);
    if is_backward {
        rows.reverse();
    }
    let resume = resume.filter(|_| !is_full);
    Ok(InboxPage { rows, more: is_full || resume.is_some(), resume })
}

/// Reads the rows of one company, one part of the list after the other. If the deadline passes before the page is full,
/// also returns the place where reading stopped.
async fn company(
    reader: &impl Reader,
    page: Page<'_>,
    step: u32,
    deadline: Instant,
) -> Result<(Vec<InboxRow>, Option<Place>)> {
    let mut parts = page.sort.parts().to_vec();
    if page.backward {
        parts.reverse();
    }
    let mut rows: Vec<InboxRow> = Vec::new();
    for part in parts.into_iter().skip_while(|part| page.beyond.is_some_and(|place| place.part != *part)) {
        let beyond = page.beyond.filter(|place| place.part == part);
        let limit = page.limit - rows.len() as u32;
        let (found, stopped) = one_part(reader, Page { part, beyond, limit, ..page }, step, deadline).await?;
        rows.extend(found);
        if stopped.is_some() || rows.len() >= page.limit as usize {
            return Ok((rows, stopped));
        }
    }
    Ok((rows, None))
}

/// Reads the rows of one part of the list. If the deadline passes before the page is full, also returns the place where
/// reading stopped.
async fn one_part(
    reader: &impl Reader,
    page: Page<'_>,
    step: u32,
    deadline: Instant,
) -> Result<(Vec<InboxRow>, Option<Place>)> {
    let query = pages::list(&page);
    if query.reach() == Reach::Found {
        return Ok((reader.read(query).await?, None));
    }
    let (mut rows, mut beyond, mut many) = (Vec::new(), page.beyond, step);
    loop {
        let step = Page { beyond, limit: page.limit - rows.len() as u32, ..page };
        let until = first(reader, pages::further(&step, many)).await?;
        let until = until.map(|place| Place { part: page.part, ..place });
        rows.extend(reader.read(pages::list(&Page { until, ..step })).await?);
        let Some(end) = until.filter(|_| rows.len() < page.limit as usize) else { return Ok((rows, None)) };
        if Instant::now() >= deadline {
            return Ok((rows, Some(end)));
        }
        beyond = Some(end);
        many = (many * 2).min(LONGEST_STEP);
    }
}

async fn way(reader: &impl Reader, empresa: EmpresaId, filter: &InboxFilter, sort: InboxSort) -> Result<Way> {
    if let Some(Assigned::To(person)) = filter.assigned
        && first(reader, pages::has_assigned(empresa, person, FEW)).await? == Some(false)
    {
        return Ok(Way::Assigned);
    }
    if let Some(etapa) = filter.etapa
        && !matches!(sort, InboxSort::NextAction(_))
        && first(reader, pages::has_etapa(empresa, etapa, FEW)).await? == Some(false)
    {
        return Ok(Way::Etapa);
    }
    Ok(Way::Order)
}

async fn inbox_counts(
    reader: &impl Reader,
    viewer: &Viewer,
    filter: &InboxFilter,
) -> Result<Vec<EtapaCount>> {
    let mut counts = Vec::new();
    for etapa in Etapa::all().filter(|etapa| filter.etapa.is_none_or(|only| only == *etapa)) {
        let mut leads = 0;
        for empresa in &viewer.empresas {
            let left = MAX_COUNT - leads;
            if left > 0 {
                let count = pages::count(*empresa, viewer.who, filter, etapa, left);
                leads += first(reader, count).await?.unwrap_or(0);
            }
        }
        counts.push(EtapaCount { etapa, leads });
    }
    Ok(counts)
}

async fn count_news(reader: &impl Reader, viewer: &Viewer) -> Result<u32> {
    let mut leads = 0;
    for empresa in &viewer.empresas {
        leads += first(reader, pages::news(*empresa, viewer.who, LATEST)).await?.unwrap_or(0);
    }
    Ok(leads)
}

/// One query for the unions and one for the quotes, whatever the number of leads.
async fn amounts(reader: &impl Reader, viewer: &Viewer, leads: &[LeadId]) -> Result<Vec<LeadAmount>> {
    if leads.is_empty() || viewer.empresas.is_empty() {
        return Ok(Vec::new());
    }
    let united = reader.read(projection::united(leads)).await?;
    let all: Vec<LeadId> = leads.iter().copied().chain(united.iter().map(|(lead, _)| *lead)).collect();
    let mut found = reader.read(quote::amounts(&viewer.empresas, &all)).await?;
    // The lead's own quotes come before those of leads united with it.
    found.sort_by_key(|amount| {
        let is_others = !leads.contains(&amount.lead);
        (amount.state.precedence(), is_others, std::cmp::Reverse(amount.version))
    });
    let mut current: Vec<LeadAmount> = Vec::new();
    for mut amount in found {
        if let Some((_, principal)) = united.iter().find(|(lead, _)| *lead == amount.lead) {
            amount.lead = *principal;
        }
        if !current.iter().any(|known| known.lead == amount.lead) {
            current.push(amount);
        }
    }
    Ok(current)
}

/// What people decided about a lead that the viewer may see.
pub async fn desk(reader: &impl Reader, viewer: &Viewer, lead: LeadId) -> Result<LeadDesk> {
    let found = first(reader, queries::get(&[lead])).await?.filter(|desk| viewer.may_see(desk.empresa));
    let desk = found.ok_or(StoreError::LeadNotFound)?;
    let standing = first(reader, etapa::standing(lead)).await?.ok_or(StoreError::LeadNotFound)?;
    let united = reader.read(projection::united(&[lead])).await?;
    let mut united: Vec<LeadId> = united.into_iter().map(|(lead, _)| lead).collect();
    united.sort();
    Ok(LeadDesk { facts: standing.facts, united, ..desk })
}

pub async fn owners(reader: &impl Reader, leads: &[LeadId]) -> Result<Vec<LeadChange>> {
    match leads.is_empty() {
        true => Ok(Vec::new()),
        false => reader.read(projection::owners(leads)).await,
    }
}

/// How far before the cursors' times the tail searches: the clocks of several processes differ, and a lead may be
/// committed some time after the time in its row.
const SLACK: jiff::SignedDuration = jiff::SignedDuration::from_mins(10);

/// The rows that were appended after the cursors, and the new cursors. The cursors are read first: rows that are
/// appended in between are read the next time.
pub async fn tail(reader: &impl Reader, now: Timestamp) -> Result<Tail> {
    let known = reader.read(projection::cursors()).await?;
    let (mut cursors, mut moved) = (Vec::new(), Vec::new());
    for table in projection::TABLES {
        let last = last_serial(reader, table).await?;
        let cursor = known.iter().find(|cursor| cursor.table == table).cloned();
        // Before the first run there are no cursors; then the caller projects every lead.
        let cursor = cursor.unwrap_or(TableCursor { table, read: last, seen: last, seen_at: now });
        moved.push(cursor.clone().moved(last, now));
        cursors.push(cursor);
    }
    let since = cursors.iter().map(|cursor| cursor.seen_at).min().unwrap_or(now) - SLACK;
    let leads = reader.read(projection::tail(&cursors, since)).await?;
    let touches = leads.into_iter().map(|lead| (lead, Touch::anew())).collect();
    Ok(Tail { touches, cursors: moved, since, is_first: known.is_empty() })
}

#[async_trait]
impl<R: Reader> InboxStore for R {
    async fn inbox(
        &self,
        viewer: &Viewer,
        filter: InboxFilter,
        sort: InboxSort,
        from: PageStart,
        reading: Reading,
    ) -> Result<InboxPage> {
        inbox(self, viewer, &filter, sort, from, reading).await
    }

    async fn inbox_rows(&self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<Vec<InboxRow>> {
        inbox_rows(self, viewer, &leads).await
    }

    async fn amounts(&self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<Vec<LeadAmount>> {
        amounts(self, viewer, &leads).await
    }

    async fn inbox_counts(&self, viewer: &Viewer, filter: InboxFilter) -> Result<Vec<EtapaCount>> {
        inbox_counts(self, viewer, &filter).await
    }

    async fn upcoming_visits(
        &self,
        viewer: &Viewer,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<UpcomingVisit>> {
        let mut upcoming = Vec::new();
        for empresa in &viewer.empresas {
            upcoming.extend(self.read(visit::upcoming(*empresa, now, until, MAX_UPCOMING)).await?);
        }
        upcoming.sort_by_key(|visit| visit.start);
        Ok(upcoming)
    }

    async fn duplicates(&self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<Vec<InboxRow>> {
        duplicates(self, viewer, &leads).await
    }

    async fn count_news(&self, viewer: &Viewer) -> Result<u32> {
        count_news(self, viewer).await
    }

    async fn search(&self, viewer: &Viewer, asked: Asked, budget: Duration) -> Result<Found> {
        search(self, viewer, &asked, budget).await
    }
}
