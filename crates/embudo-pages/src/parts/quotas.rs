//! How often the public may do what costs us something: new leads and photos per address, leads per company, fetches of
//! a calendar, changes of a visit. All processes count together, but for calendars: programs fetch those often, and
//! each process bounds what it costs it.

use std::net::IpAddr;
use std::time::Duration;

use embudo_app::{App, Counted};
use embudo_domain::{Digest, EmpresaId, Timestamp, VisitaId};
use embudo_server::{RateLimit, subscriber};

use super::Refusal;

const HOUR: Duration = Duration::from_hours(1);

/// The quotas of the form; 0 is none at all.
#[derive(Debug, Clone, Copy)]
pub struct Quota {
    /// New leads an hour from one address.
    pub leads_per_hour: u32,
    /// Photos an hour from one address.
    pub fotos_per_hour: u32,
    /// New leads a day for one company.
    pub leads_per_day: u32,
}

impl Default for Quota {
    fn default() -> Self {
        Self { leads_per_hour: 10, fotos_per_hour: 60, leads_per_day: 500 }
    }
}

/// How often one calendar may be fetched in an hour: programs ask every few minutes at most.
const FEEDS_PER_HOUR: u32 = 120;

/// How often the holder of a pass may change a visit in a day: each change is mailed to all who go.
const VISIT_CHANGES_PER_DAY: u32 = 10;

/// What was done so far.
pub(crate) struct Quotas {
    app: App,
    quota: Quota,
    feeds: RateLimit<Digest>,
}

impl Quotas {
    pub fn new(app: App, quota: Quota) -> Self {
        Self { app, quota, feeds: RateLimit::new(FEEDS_PER_HOUR, HOUR) }
    }

    /// Counts a new lead, or says how long to wait.
    pub async fn lead(&self, address: IpAddr, empresa: EmpresaId) -> Result<(), Refusal> {
        self.count(Counted::FormLead, &network(address), 1, self.quota.leads_per_hour).await?;
        self.count(Counted::FormEmpresa, empresa.0.as_bytes(), 1, self.quota.leads_per_day).await
    }

    /// Counts a fetch of somebody's calendar, or says how long to wait.
    pub fn feed(&self, address: Digest, now: Timestamp) -> Result<(), Refusal> {
        let at = Duration::from_secs(u64::try_from(now.as_second()).unwrap_or(0));
        self.feeds.record(address, 1, at).map_err(|limited| pause(limited.retry_after_s))
    }

    /// Counts a client's change of a visit, or says how long to wait.
    pub async fn visit(&self, visita: VisitaId) -> Result<(), Refusal> {
        self.count(Counted::VisitChange, visita.0.as_bytes(), 1, VISIT_CHANGES_PER_DAY).await
    }

    /// Counts photos, or says how long to wait.
    pub async fn fotos(&self, address: IpAddr, count: u32) -> Result<(), Refusal> {
        self.count(Counted::FormFoto, &network(address), count, self.quota.fotos_per_hour).await
    }

    async fn count(&self, kind: Counted, subject: &[u8], count: u32, limit: u32) -> Result<(), Refusal> {
        self.app.limits().count(kind, subject, count, limit).await.map_err(pause)
    }
}

/// Whom an address is counted as.
pub(crate) fn network(address: IpAddr) -> Vec<u8> {
    match subscriber(address) {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets().to_vec(),
    }
}

/// People are not sent away for seconds, nor for longer than they would wait.
fn pause(wait_s: u64) -> Refusal {
    Refusal::TooMuch(wait_s.clamp(60, 3_600))
}
