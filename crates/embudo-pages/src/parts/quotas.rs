//! Limits on public actions that cost us something: new leads and photos for each address, leads for each company,
//! downloads of a calendar, changes of a visit. All processes share their counts, except those of calendars: programs
//! download calendars often, and each process needs to limit only its own cost.

use std::net::IpAddr;
use std::time::Duration;

use embudo_app::{App, Counted};
use embudo_domain::{Digest, EmpresaId, Timestamp, VisitaId};
use embudo_server::{RateLimit, subscriber};

use super::Refusal;

const HOUR: Duration = Duration::from_hours(1);

/// The quotas of the form. A quota of 0 allows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Quota {
    /// New leads from one address in an hour.
    pub leads_per_hour: u32,
    /// New photos from one address in an hour.
    pub fotos_per_hour: u32,
    /// New leads of one company in a day.
    pub leads_per_day: u32,
}

impl Default for Quota {
    fn default() -> Self {
        Self { leads_per_hour: 10, fotos_per_hour: 60, leads_per_day: 500 }
    }
}

/// How often one calendar may be downloaded in an hour. Programs normally download it every few minutes at most.
const FEEDS_PER_HOUR: u32 = 120;

/// How often the holder of a pass may change a visit in a day. Each change is mailed to everybody who goes on the
/// visit.
const VISIT_CHANGES_PER_DAY: u32 = 10;

/// The quotas and their counters.
pub(crate) struct Quotas {
    app: App,
    quota: Quota,
    feeds: RateLimit<Digest>,
}

impl Quotas {
    pub fn new(app: App, quota: Quota) -> Self {
        Self { app, quota, feeds: RateLimit::new(FEEDS_PER_HOUR, HOUR) }
    }

    /// Counts a new lead. Refuses it with the time to wait if the quota is used up.
    pub async fn lead(&self, address: IpAddr, empresa: EmpresaId) -> Result<(), Refusal> {
        self.count(Counted::FormLead, &network(address), 1, self.quota.leads_per_hour).await?;
        self.count(Counted::FormEmpresa, empresa.0.as_bytes(), 1, self.quota.leads_per_day).await
    }

    /// Counts a download of a calendar. Refuses it with the time to wait if the quota is used up.
    pub fn feed(&self, address: Digest, now: Timestamp) -> Result<(), Refusal> {
        let at = Duration::from_secs(u64::try_from(now.as_second()).unwrap_or(0));
        self.feeds.record(address, 1, at).map_err(|limited| pause(limited.retry_after_s))
    }

    /// Counts a client's change of a visit. Refuses it with the time to wait if the quota is used up.
    pub async fn visit(&self, visita: VisitaId) -> Result<(), Refusal> {
        self.count(Counted::VisitChange, visita.0.as_bytes(), 1, VISIT_CHANGES_PER_DAY).await
    }

    /// Counts photos. Refuses them with the time to wait if the quota is used up.
    pub async fn fotos(&self, address: IpAddr, count: u32) -> Result<(), Refusal> {
        self.count(Counted::FormFoto, &network(address), count, self.quota.fotos_per_hour).await
    }

    async fn count(&self, kind: Counted, subject: &[u8], count: u32, limit: u32) -> Result<(), Refusal> {
        self.app.limits().count(kind, subject, count, limit).await.map_err(pause)
    }
}

/// The bytes under which an address is counted: for IPv6 its /64, which one subscriber gets.
pub(crate) fn network(address: IpAddr) -> Vec<u8> {
    match subscriber(address) {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets().to_vec(),
    }
}

/// The refusal, with a waiting time between one minute and one hour.
fn pause(wait_s: u64) -> Refusal {
    Refusal::TooMuch(wait_s.clamp(60, 3_600))
}
