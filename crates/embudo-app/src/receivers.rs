//! The receivers of a company's signals: the company's own receiver if it has one, otherwise the server's.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use embudo_delivery::{OutgoingSignal, Secrets, WebhookAttempt};
use embudo_domain::connections::Connections;
use embudo_domain::job::{Destination, Job, JobKind};
use embudo_domain::{EmpresaId, LeadId};
use embudo_store::{Result, StoreError};
use url::Url;

use crate::App;

/// How long this process caches which signals have a company's own receiver.
const LIFE: Duration = Duration::from_secs(5);

/// A receiver of signals.
#[derive(Debug, Clone)]
pub enum Receiver {
    /// The server's own, from its settings.
    Server(Url),
    /// The company's own receiver. It was typed in the panel, so it is only reached through the egress guard.
    Own { url: String, secrets: Secrets },
}

impl Receiver {
    /// The receiver's host. Not the whole address, because that may contain a secret.
    pub fn host(&self) -> Option<String> {
        match self {
            Self::Server(url) => url.host_str().map(str::to_owned),
            Self::Own { url, .. } => host_of(url),
        }
    }

    pub fn is_own(&self) -> bool {
        matches!(self, Self::Own { .. })
    }
}

/// The host of an address that was typed.
pub fn host_of(url: &str) -> Option<String> {
    Url::parse(url).ok()?.host_str().map(str::to_owned)
}

/// The receiver of each of a company's signals.
#[derive(Debug, Clone)]
pub struct Receivers {
    of: [(Destination, Option<Receiver>); 5],
}

impl Receivers {
    pub fn of(&self, destination: Destination) -> Option<&Receiver> {
        self.of.iter().find(|(to, _)| *to == destination)?.1.as_ref()
    }

    /// Whether this destination has a receiver.
    pub fn has(&self, destination: Destination) -> bool {
        self.of(destination).is_some()
    }
}

/// The cached signals for which some company has its own receiver.
#[derive(Default)]
pub(crate) struct KnownReceivers(Mutex<Option<(Instant, BTreeSet<Destination>)>>);

impl App {
    /// The present receivers of a company's signals.
    pub async fn receivers(&self, empresa: EmpresaId) -> Result<Receivers> {
        Ok(self.receivers_by(&self.store.settings(empresa).await?.connections))
    }

    /// The receivers of all companies, if no company has a receiver of its own: then a signal needs no query. `None`:
    /// some company has one. A change by another process is seen within [`LIFE`].
    async fn common_receivers(&self) -> Result<Option<Receivers>> {
        let nobody_has_own = self.received_by_some().await?.is_empty();
        Ok(nobody_has_own.then(|| self.receivers_by(&Connections::default())))
    }

    async fn job_receivers(&self, job: &Job) -> Result<Receivers> {
        match self.common_receivers().await? {
            Some(common) => Ok(common),
            None => self.receivers(job.empresa).await,
        }
    }

    /// The receivers of signals about a lead. If the lead does not exist, the result does not matter.
    pub(crate) async fn receivers_for(&self, lead: LeadId) -> Result<Receivers> {
        if let Some(common) = self.common_receivers().await? {
            return Ok(common);
        }
        match self.store.lead_empresa(lead).await? {
            Some(empresa) => self.receivers(empresa).await,
            None => Ok(self.receivers_by(&Connections::default())),
        }
    }

    pub(crate) fn receivers_by(&self, connections: &Connections) -> Receivers {
        // This program wrote the stored secrets. A secret that cannot be read signs nothing.
        let secrets = Secrets::read(&connections.signing(self.now())).unwrap_or_default();
        let one = |to: Destination| match connections.own(to) {
            Some(url) => Some(Receiver::Own { url: url.to_owned(), secrets: secrets.clone() }),
            None => self.outbound.receiver(to).cloned().map(Receiver::Server),
        };
        Receivers { of: Connections::SIGNALS.map(|to| (to, one(to))) }
    }

    /// Whether there is a receiver for the events of a company (`None`: of the default company). If there is no
    /// receiver at all, the only query to the database is a check, every few seconds, whether that is still so.
    pub(crate) async fn receives_events(&self, empresa: Option<EmpresaId>) -> Result<bool> {
        if self.outbound.receiver(Destination::Events).is_some() {
            return Ok(true);
        }
        if !self.received_by_some().await?.contains(&Destination::Events) {
            return Ok(false);
        }
        let empresa = match empresa {
            Some(empresa) => Some(empresa),
            None => self.store.empresa_by_slug(None).await?.map(|empresa| empresa.id),
        };
        match empresa {
            Some(empresa) => Ok(self.receivers(empresa).await?.has(Destination::Events)),
            None => Ok(false),
        }
    }

    /// One attempt at a signal.
    pub(crate) async fn send_signal(&self, to: &Receiver, sending: OutgoingSignal) -> WebhookAttempt {
        let outbound = &self.outbound;
        match to {
            Receiver::Server(url) => outbound.webhooks.send(url, sending).await,
            Receiver::Own { url, secrets } => {
                outbound.webhooks.send_guarded(&outbound.fetches, url, secrets, sending).await
            }
        }
    }

    /// The receiver of a job's signal, or the reason why there is none.
    pub(crate) async fn receiver_of(&self, job: &Job) -> std::result::Result<Receiver, String> {
        let to = job.kind.destination().ok_or("no es una señal")?;
        let receivers = self.job_receivers(job).await.map_err(|error| error.to_string())?;
        let nobody = || format!("ya no hay nadie configurado que la reciba ({})", to.settings().join(", "));
        receivers.of(to).cloned().ok_or_else(nobody)
    }

    /// The kinds of job that have a receiver; the others are held until they have one.
    pub(crate) async fn sendable(&self) -> std::result::Result<Vec<JobKind>, StoreError> {
        let own = self.received_by_some().await?;
        let is_own = |kind: JobKind| kind.destination().is_some_and(|to| own.contains(&to));
        let can = |kind: &JobKind| self.outbound.sends(*kind) || is_own(*kind);
        Ok(JobKind::ALL.into_iter().filter(can).collect())
    }

    async fn received_by_some(&self) -> Result<BTreeSet<Destination>> {
        let known = self.known_receivers.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((at, own)) = known
            && at.elapsed() < LIFE
        {
            return Ok(own);
        }
        let own = self.store.own_receivers().await?;
        let now = Some((Instant::now(), own.clone()));
        *self.known_receivers.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
        Ok(own)
    }

    /// Makes the worker check again which kinds of jobs have a receiver.
    pub(crate) fn receivers_changed(&self) {
        *self.known_receivers.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.attempts.notify();
    }
}
