//! How often the public may do what costs us something: new leads and photos per address, leads per company,
//! fetches of a calendar, changes of a visit.

use std::net::IpAddr;
use std::time::Duration;

use embudo_domain::{Digest, EmpresaId, Timestamp, VisitaId};
use embudo_door::{Limited, RateLimit, subscriber};

use super::Refusal;

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

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
#[derive(Debug)]
pub(crate) struct Quotas {
    leads: RateLimit<IpAddr>,
    fotos: RateLimit<IpAddr>,
    empresas: RateLimit<EmpresaId>,
    feeds: RateLimit<Digest>,
    visits: RateLimit<VisitaId>,
}

impl Quotas {
    pub fn new(quota: Quota) -> Self {
        Self {
            leads: RateLimit::new(quota.leads_per_hour, HOUR),
            fotos: RateLimit::new(quota.fotos_per_hour, HOUR),
            empresas: RateLimit::new(quota.leads_per_day, DAY),
            feeds: RateLimit::new(FEEDS_PER_HOUR, HOUR),
            visits: RateLimit::new(VISIT_CHANGES_PER_DAY, DAY),
        }
    }

    /// Counts a new lead, or says how long to wait.
    pub fn lead(&self, address: IpAddr, empresa: EmpresaId, now: Timestamp) -> Result<(), Refusal> {
        self.leads.record(subscriber(address), 1, since_epoch(now)).map_err(pause)?;
        self.empresas.record(empresa, 1, since_epoch(now)).map_err(pause)
    }

    /// Counts a fetch of somebody's calendar, or says how long to wait.
    pub fn feed(&self, mark: Digest, now: Timestamp) -> Result<(), Refusal> {
        self.feeds.record(mark, 1, since_epoch(now)).map_err(pause)
    }

    /// Counts a client's change of a visit, or says how long to wait.
    pub fn visit(&self, visita: VisitaId, now: Timestamp) -> Result<(), Refusal> {
        self.visits.record(visita, 1, since_epoch(now)).map_err(pause)
    }

    /// Counts photos, or says how long to wait.
    pub fn fotos(&self, address: IpAddr, count: u32, now: Timestamp) -> Result<(), Refusal> {
        self.fotos.record(subscriber(address), count, since_epoch(now)).map_err(pause)
    }
}

fn since_epoch(now: Timestamp) -> Duration {
    Duration::from_secs(u64::try_from(now.as_second()).unwrap_or(0))
}

/// People are not sent away for seconds, nor for longer than they would wait.
fn pause(limited: Limited) -> Refusal {
    Refusal::TooMuch(limited.retry_after_s.clamp(60, 3_600))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn ten_an_hour_and_then_a_pause() {
        let quotas = Quotas::new(Quota::default());
        let empresa = EmpresaId(uuid::Uuid::nil());
        let at = |s| Timestamp::from_second(s).expect("a moment");
        for _ in 0..10 {
            assert_eq!(quotas.lead(ip("192.0.2.1"), empresa, at(0)), Ok(()));
        }
        assert!(matches!(quotas.lead(ip("192.0.2.1"), empresa, at(1)), Err(Refusal::TooMuch(_))));
        assert_eq!(quotas.lead(ip("192.0.2.2"), empresa, at(1)), Ok(()), "others are not touched");
        assert!(quotas.lead(ip("192.0.2.1"), empresa, at(3_600)).is_err(), "the last hour still counts");
        assert_eq!(quotas.lead(ip("192.0.2.1"), empresa, at(3_600 + 1_800)), Ok(()));
    }

    #[test]
    fn a_company_has_its_day_and_photos_their_own_count() {
        let quotas = Quotas::new(Quota { leads_per_day: 2, fotos_per_hour: 5, ..Quota::default() });
        let empresa = EmpresaId(uuid::Uuid::nil());
        let now = Timestamp::UNIX_EPOCH;
        assert!(quotas.lead(ip("192.0.2.1"), empresa, now).is_ok());
        assert!(quotas.lead(ip("192.0.2.2"), empresa, now).is_ok());
        assert!(quotas.lead(ip("192.0.2.3"), empresa, now).is_err());
        assert!(quotas.fotos(ip("2001:db8::1"), 5, now).is_ok());
        assert!(quotas.fotos(ip("2001:db8::2"), 1, now).is_err(), "the same /64");
    }
}
