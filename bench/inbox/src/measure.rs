//! Measures the queries that the inbox and the API send to a store, each many times with different values.

use std::sync::Arc;
use std::time::{Duration, Instant};

use embudo_domain::calificacion::Nivel;
use embudo_domain::etapa::Etapa;
use embudo_domain::figures::Range;
use embudo_domain::perfil::EstadoWa;
use embudo_domain::search::{Asked, fold};
use embudo_domain::timeline::MomentKind;
use embudo_domain::visita::SpanishTimeZone;
use embudo_domain::{EmpresaId, LeadId, UserId, Zona};
use embudo_store::Store;
use embudo_store::inbox::{InboxFilter, InboxPage, InboxSort, PageStart, Reading, SEARCH_BUDGET, Viewer};
use embudo_store::leads::{Cursor, LeadFilter};
use embudo_store::sheet::TimelinePage;
use jiff::ToSpan as _;
use uuid::Uuid;

use crate::Failure;
use crate::data::{Draw, EMPRESA, Size, lead_id, telefono};

/// How long one thing took.
pub(crate) struct Measured {
    pub(crate) what: &'static str,
    pub(crate) median: Duration,
    pub(crate) p95: Duration,
}

const PAGE: u32 = 50;

struct Asking<'a> {
    store: &'a Arc<dyn Store>,
    viewer: Viewer,
    times: usize,
    measured: Vec<Measured>,
}

impl Asking<'_> {
    async fn each<F>(&mut self, what: &'static str, mut ask: impl FnMut(usize) -> F) -> Result<(), Failure>
    where
        F: Future<Output = Result<(), Failure>>,
    {
        ask(0).await?;
        let mut times = Vec::with_capacity(self.times);
        for n in 0..self.times {
            let begun = Instant::now();
            ask(n).await?;
            times.push(begun.elapsed());
        }
        times.sort_unstable();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        self.measured.push(Measured { what, median: at(0.5), p95: at(0.95) });
        Ok(())
    }

    async fn list(
        &mut self,
        what: &'static str,
        filter: InboxFilter,
        sort: InboxSort,
        from: PageStart,
    ) -> Result<(), Failure> {
        let (store, viewer) = (Arc::clone(self.store), self.viewer.clone());
        self.each(what, |_| {
            let (store, viewer, filter) = (Arc::clone(&store), viewer.clone(), filter.clone());
            async move { page(&store, &viewer, filter, sort, from).await.map(drop) }
        })
        .await
    }

    /// The queries of `GET /api/leads`.
    async fn api(
        &mut self,
        what: &'static str,
        filter: impl Fn(usize) -> LeadFilter,
        from: Option<Cursor>,
    ) -> Result<(), Failure> {
        let store = Arc::clone(self.store);
        self.each(what, |n| {
            let (store, filter) = (Arc::clone(&store), filter(n));
            async move { Ok(store.list_leads(filter, from, PAGE + 1).await.map(drop)?) }
        })
        .await
    }

    async fn search(&mut self, what: &'static str, texts: &[String]) -> Result<(), Failure> {
        let (store, viewer) = (Arc::clone(self.store), self.viewer.clone());
        self.each(what, |n| {
            let asked = Asked::parse(&texts[n % texts.len()]).expect("something is asked for");
            let (store, viewer) = (Arc::clone(&store), viewer.clone());
            async move {
                store.search(&viewer, asked, SEARCH_BUDGET).await?;
                Ok(())
            }
        })
        .await
    }
}

async fn page(
    store: &Arc<dyn Store>,
    viewer: &Viewer,
    filter: InboxFilter,
    sort: InboxSort,
    from: PageStart,
) -> Result<InboxPage, Failure> {
    Ok(store.inbox(viewer, filter, sort, from, Reading::rows(PAGE)).await?)
}

/// All queries of the page of a lead.
async fn lead_page(store: &Arc<dyn Store>, viewer: &Viewer, lead: LeadId) -> Result<(), Failure> {
    store.sheet(lead).await?;
    store.renditions(lead).await?;
    store.desk(viewer, lead).await?;
    store.inbox_rows(viewer, vec![lead]).await?;
    store.duplicates(viewer, vec![lead]).await?;
    store.outlook(vec![lead]).await?;
    store.count_news(viewer).await?;
    let page = TimelinePage { kinds: MomentKind::all().collect(), before: None, limit: 60 };
    store.timeline(vec![lead], page).await?;
    Ok(())
}

pub(crate) async fn all(store: &Arc<dyn Store>, size: Size, times: usize) -> Result<Vec<Measured>, Failure> {
    let viewer = Viewer { who: UserId(Uuid::from_u128(9)), empresas: vec![EmpresaId(EMPRESA)] };
    let mut draw = Draw::new(5);
    let mut some = |many: usize| (0..many).map(|_| draw.until(size.leads)).collect::<Vec<_>>();
    let read: Vec<LeadId> = some(200).into_iter().map(|n| LeadId(lead_id(n))).collect();
    let now = jiff::Timestamp::from_microsecond(1_794_700_000_000_000)?;
    store.mark_read(&viewer, read, now).await?;
    let opened: Vec<LeadId> = some(50).into_iter().map(|n| LeadId(lead_id(n))).collect();
    let phones: Vec<String> = some(50).into_iter().map(telefono).collect();
    let numbers: Vec<String> = some(50).into_iter().map(|n| format!("2026-{:04}", n + 1)).collect();
    let middle = page(store, &viewer, InboxFilter::default(), InboxSort::Activity, PageStart::Start).await?;
    let middle = middle.rows.last().map(|row| row.place(InboxSort::Activity)).ok_or("no leads")?;
    let half = embudo_store::inbox::Place {
        at: middle.at - jiff::SignedDuration::from_mins(size.leads as i64 * 5),
        ..middle
    };
    let mut asking = Asking { store, viewer: viewer.clone(), times, measured: Vec::new() };
    let all = InboxFilter::default;

    asking.list("list by next action", all(), InboxSort::NextAction(now), PageStart::Start).await?;
    asking.list("list by activity", all(), InboxSort::Activity, PageStart::Start).await?;
    asking.list("list by creation", all(), InboxSort::Created, PageStart::Start).await?;
    asking.list("a page in the middle", all(), InboxSort::Activity, PageStart::After(half)).await?;
    asking.list("the page before it", all(), InboxSort::Activity, PageStart::Before(half)).await?;
    let frequent = InboxFilter { etapa: Some(Etapa::EnConversacion), ..all() };
    asking.list("a frequent etapa", frequent, InboxSort::NextAction(now), PageStart::Start).await?;
    let empty = InboxFilter { etapa: Some(Etapa::Visita), ..all() };
    asking.list("an empty etapa", empty, InboxSort::NextAction(now), PageStart::Start).await?;
    let kind = InboxFilter { tipo_reforma: Some(Zona::Bano), nivel: Some(Nivel::A), open: true, ..all() };
    asking.list("type, level, open", kind, InboxSort::Activity, PageStart::Start).await?;
    let campaign = InboxFilter { campaign: Some("verano".into()), ..all() };
    asking.list("a campaign", campaign, InboxSort::Activity, PageStart::Start).await?;
    asking
        .list("unread", InboxFilter { unread: true, ..all() }, InboxSort::Activity, PageStart::Start)
        .await?;
    let (of_store, who) = (Arc::clone(store), viewer.clone());
    asking
        .each("counts of the board", |_| {
            let (store, viewer) = (Arc::clone(&of_store), who.clone());
            async move {
                store.inbox_counts(&viewer, InboxFilter::default()).await?;
                Ok(())
            }
        })
        .await?;
    let (of_store, who) = (Arc::clone(store), viewer.clone());
    let pages = opened.clone();
    asking
        .each("a lead's page", |n| {
            let (store, viewer, lead) = (Arc::clone(&of_store), who.clone(), pages[n % pages.len()]);
            async move { lead_page(&store, &viewer, lead).await }
        })
        .await?;
    let today = SpanishTimeZone::Madrid.day(now);
    let three_years = Range { from: today.saturating_sub(3.years()), to: today };
    for (what, range) in [
        ("summary of this month", Range::this_month(today)),
        ("summary of 90 days", Range::ninety_days(today)),
        ("summary of three years", three_years),
    ] {
        let of_store = Arc::clone(store);
        asking
            .each(what, |_| {
                let store = Arc::clone(&of_store);
                async move {
                    let summary = store.summary(EmpresaId(EMPRESA), SpanishTimeZone::Madrid, range).await?;
                    if summary.whole.leads() == 0 { Err("no leads".into()) } else { Ok(()) }
                }
            })
            .await?;
    }
    asking.search("search: a telephone", &phones).await?;
    asking.search("search: a quote's number", &numbers).await?;
    asking.search("search: a frequent name", &["garcia".into(), "maria".into(), "lopez".into()]).await?;
    asking.search("search: two names", &["ursula ortega".into(), "begoña gil".into()]).await?;
    asking.search("search: two letters", &["gi".into(), "ru".into()]).await?;
    asking.search("search: a word that was said", &["mampara".into(), "encimera".into()]).await?;
    asking.search("search: a rare word", &["hidraulico".into()]).await?;
    asking.search("search: nothing", &["xilofono".into()]).await?;
    of_the_api(&mut asking, size, &opened, &phones).await?;
    Ok(asking.measured)
}

async fn of_the_api(
    asking: &mut Asking<'_>,
    size: Size,
    opened: &[LeadId],
    phones: &[String],
) -> Result<(), Failure> {
    let text = |text: &str| LeadFilter { text: Some(fold(text)), ..LeadFilter::default() };
    asking.api("API: newest leads", |_| LeadFilter::default(), None).await?;
    let page = asking.store.list_leads(LeadFilter::default(), None, 1).await?;
    let newest = page.first().ok_or("no leads")?;
    let at = newest.lead.creado_en - jiff::SignedDuration::from_mins(size.leads as i64 * 5);
    let middle = Cursor { creado_en: at, id: newest.lead.id };
    asking.api("API: a page in the middle", |_| LeadFilter::default(), Some(middle)).await?;
    let by_phone = |n: usize| LeadFilter {
        telefono_e164: Some(phones[n % phones.len()].clone()),
        ..LeadFilter::default()
    };
    asking.api("API: a telephone", by_phone, None).await?;
    let nivel = LeadFilter { nivel: Some(Nivel::A), ..LeadFilter::default() };
    asking.api("API: a level", |_| nivel.clone(), None).await?;
    let never = LeadFilter { estado_wa: Some(EstadoWa::Fallido), ..LeadFilter::default() };
    asking.api("API: a state that nobody has", |_| never.clone(), None).await?;
    asking.api("API search: a frequent name", |_| text("garcía"), None).await?;
    asking.api("API search: two names", |_| text("úrsula ortega"), None).await?;
    asking.api("API search: two letters", |_| text("gi"), None).await?;
    asking.api("API search: nothing", |_| text("xilófono"), None).await?;
    let (store, opened) = (Arc::clone(asking.store), opened.to_vec());
    asking
        .each("API: a lead's record", |n| {
            let (store, lead) = (Arc::clone(&store), opened[n % opened.len()]);
            async move { Ok(store.record(lead).await.map(drop)?) }
        })
        .await
}
