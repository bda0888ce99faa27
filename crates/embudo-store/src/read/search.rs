//! The search box.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use embudo_domain::search::{Asked, fold};
use embudo_domain::{EmpresaId, LeadId, Timestamp};

use super::inbox_rows::inbox_rows;
use super::{Reader, last_serial};
use crate::Result;
use crate::inbox::{Found, FoundBy, Hit, MAX_FOUND, Viewer};
use crate::queries::search::{Written, WrittenIn};
use crate::queries::{inbox, search as queries};

/// How many serial numbers are read at once: few at first, because the searched text is often new.
const FIRST_PART: i64 = 500;
const LARGEST_PART: i64 = 2_000;
/// How many leads' names are read at once where trigrams do not help.
const NAMES: u32 = 2_000;

/// Leads in the order in which they are shown.
#[derive(Default)]
struct Hits {
    order: Vec<(LeadId, FoundBy)>,
    more: bool,
}

impl Hits {
    fn is_full(&self) -> bool {
        self.order.len() >= MAX_FOUND
    }

    fn contains(&self, lead: LeadId) -> bool {
        self.order.iter().any(|(known, _)| *known == lead)
    }

    /// Adds leads up to the maximum; a further lead is not added and sets `more`.
    fn add(&mut self, leads: impl IntoIterator<Item = LeadId>, by: FoundBy) {
        for lead in leads {
            if self.contains(lead) {
                continue;
            }
            if self.is_full() {
                self.more = true;
                return;
            }
            self.order.push((lead, by));
        }
    }
}

pub async fn search(reader: &impl Reader, viewer: &Viewer, asked: &Asked, budget: Duration) -> Result<Found> {
    let deadline = Instant::now() + budget;
    let mut hits = Hits::default();
    if viewer.empresas.is_empty() {
        return Ok(Found::default());
    }
    hits.add(exact(reader, viewer, asked).await?, FoundBy::Exact);
    if !hits.is_full() {
        names(reader, viewer, asked, deadline, &mut hits).await?;
    }
    if !hits.is_full() {
        search_texts(reader, viewer, asked, deadline, &mut hits).await?;
    }
    let leads: Vec<LeadId> = hits.order.iter().map(|(lead, _)| *lead).collect();
    let rows = inbox_rows(reader, viewer, &leads).await?;
    let mut rows: HashMap<LeadId, _> = rows.into_iter().map(|row| (row.summary.lead.id, row)).collect();
    let shown = hits.order.iter().filter_map(|(lead, by)| Some(Hit { row: rows.remove(lead)?, by: *by }));
    Ok(Found { hits: shown.collect(), more: hits.more })
}

/// Finds leads by texts that identify one lead or few.
async fn exact(reader: &impl Reader, viewer: &Viewer, asked: &Asked) -> Result<Vec<LeadId>> {
    let (empresas, limit) = (&viewer.empresas, MAX_FOUND as u32 + 1);
    let mut found = Vec::new();
    if let Some(e164) = &asked.telefono {
        found.extend(reader.read(inbox::by_telefono(empresas, e164, limit)).await?);
    }
    if let Some(email) = &asked.email {
        found.extend(reader.read(inbox::by_email(empresas, email, limit)).await?);
    }
    if let Some(number) = asked.number {
        found.extend(reader.read(inbox::by_number(empresas, number)).await?);
    }
    Ok(found)
}

async fn names<R: Reader>(
    reader: &R,
    viewer: &Viewer,
    asked: &Asked,
    deadline: Instant,
    hits: &mut Hits,
) -> Result<()> {
    for empresa in &viewer.empresas {
        if asked.indexed().next().is_some() {
            let limit = MAX_FOUND as u32 + 1;
            let mut found = reader.read(queries::names(R::TRIGRAMS, *empresa, asked, limit)).await?;
            found.sort_unstable_by(|a, b| b.cmp(a));
            hits.add(found.into_iter().map(|(_, lead)| lead), FoundBy::Name);
            continue;
        }
        let mut after = None;
        while !hits.more {
            let part = reader.read(queries::newest(*empresa, after, NAMES)).await?;
            let Some(last) = part.last() else { break };
            after = Some((last.at, last.lead));
            let found = part.iter().filter(|written| holds(written, asked)).map(|written| written.lead);
            hits.add(found, FoundBy::Name);
            if Instant::now() >= deadline {
                hits.more = true;
            }
        }
    }
    Ok(())
}

fn holds(written: &Written, asked: &Asked) -> bool {
    written.texts.iter().flatten().any(|text| asked.matches(&fold(text)))
}

/// Searches the written texts, beginning with the newest, table by table, until there are enough leads or the time is
/// over. The newest part of each table is searched even after the deadline, so that a busy server finds the last
/// messages.
async fn search_texts(
    reader: &impl Reader,
    viewer: &Viewer,
    asked: &Asked,
    deadline: Instant,
    hits: &mut Hits,
) -> Result<()> {
    let mut newest: HashMap<LeadId, Timestamp> = HashMap::new();
    let room = MAX_FOUND - hits.order.len();
    'tables: for table in WrittenIn::ALL {
        let mut high = last_serial(reader, table.table()).await?;
        let mut size = FIRST_PART;
        while high > 0 {
            if newest.len() > room {
                hits.more = true;
                break 'tables;
            }
            if size > FIRST_PART && Instant::now() >= deadline {
                hits.more = true;
                break;
            }
            let low = (high - size).max(0);
            for empresa in &viewer.empresas {
                for (lead, at) in part(reader, table, *empresa, low, high, asked).await? {
                    // A lead that was found already takes no room.
                    if hits.contains(lead) {
                        continue;
                    }
                    let known = newest.entry(lead).or_insert(at);
                    *known = at.max(*known);
                }
            }
            (high, size) = (low, (size * 2).min(LARGEST_PART));
        }
    }
    let mut found: Vec<(Timestamp, LeadId)> = newest.into_iter().map(|(lead, at)| (at, lead)).collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    hits.add(found.into_iter().map(|(_, lead)| lead), FoundBy::Text);
    Ok(())
}

async fn part(
    reader: &impl Reader,
    table: WrittenIn,
    empresa: EmpresaId,
    low: i64,
    high: i64,
    asked: &Asked,
) -> Result<Vec<(LeadId, Timestamp)>> {
    let rows = reader.read(queries::part(table, empresa, low, high)).await?;
    Ok(rows.iter().filter(|row| holds(row, asked)).map(|row| (row.lead, row.at)).collect())
}
