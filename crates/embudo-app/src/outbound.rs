//! The settings for everything that the server sends: receivers, mail, and the rules for sending.

use std::time::Duration;

use embudo_delivery::fetch::Fetcher;
use embudo_delivery::{Links, Mail, Passes, Webhooks};
use embudo_domain::ProcessId;
use embudo_domain::connections::Sender;
use embudo_domain::job::{Destination, JobKind};
use embudo_domain::presupuesto::Bounds;
use embudo_domain::watched_loop::Deadlines;
use embudo_quote::{Renderer, Template};
use embudo_store::outbox::Lease;
use jiff::SignedDuration;
use url::Url;

/// How long a lease lasts without a heartbeat. Other processes poll every few seconds, so they take over the job of a
/// dead process well within 30 s.
const LEASE: Duration = Duration::from_secs(20);

/// Receivers, mail, and the rules around them.
pub struct Outbound {
    /// The id of this process. It stays the same after a restart, so that the process finds its own jobs again.
    pub process: ProcessId,
    /// The client for signals.
    pub webhooks: Webhooks,
    /// The receiver of profile signals.
    pub perfil: Option<Url>,
    pub mensajeria: Option<Url>,
    /// The receiver of quotes by messaging.
    pub pdf: Option<Url>,
    /// The receiver of replies that people write by messaging.
    pub reply: Option<Url>,
    /// The receiver of events about leads.
    pub events: Option<Url>,
    pub mail: Option<OutboundMail>,
    /// Makes links that replace photos in signals. `None`: signals contain the photos themselves.
    pub links: Option<WithLinks>,
    /// Passes to forms and quotes.
    pub passes: Passes,
    /// Fetches photos that were given by their address.
    pub fetches: Fetcher,
    pub renderer: Renderer,
    /// The operator's own template for quotes.
    pub template: Option<Template>,
    /// The maximum size of a quote.
    pub bounds: Bounds,
    /// For how long, after everything of a first `finalizar` without a key was delivered, the same bytes count as the
    /// same call. Zero: never.
    pub replay: SignedDuration,
    /// What to do with a mail if it is not known whether the server accepted it.
    pub en_duda: InDoubt,
    /// The deadlines of the watched loop.
    pub deadlines: Deadlines,
    /// How many profile signals are sent again automatically when renders do not arrive.
    pub resignals: u32,
    /// How long a request waits for the first attempt at the jobs that it caused.
    pub wait: Duration,
    /// How long ended jobs and their logs are kept.
    pub save: SignedDuration,
}

/// The mail server and the sender.
pub struct OutboundMail {
    pub client: Mail,
    /// The sender's address.
    pub from: String,
    /// The sender's name on every mail; if absent, the company's name.
    pub from_name: Option<String>,
}

impl OutboundMail {
    /// The sender of mails to the company and its people: the installation.
    pub(crate) fn own_sender(&self) -> Sender {
        let nombre = self.from_name.clone().or_else(|| Some("Embudo".to_owned()));
        Sender { nombre, ..Sender::default() }
    }
}

/// Links to photos, under this server's public address.
pub struct WithLinks {
    /// Makes and checks the links.
    pub links: Links,
    /// The public address, without a slash at its end.
    pub public_url: String,
}

/// The policy for mails in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InDoubt {
    /// Never send a second mail: a person decides.
    Park,
    /// Never lose a mail: it is sent again.
    Retry,
}

impl Outbound {
    /// Nothing is configured: signals and mails are simulated.
    pub fn none(webhooks: Webhooks, fetches: Fetcher) -> Self {
        Self {
            process: ProcessId(uuid::Uuid::now_v7()),
            webhooks,
            perfil: None,
            mensajeria: None,
            pdf: None,
            reply: None,
            events: None,
            mail: None,
            links: None,
            passes: Passes::new(uuid::Uuid::new_v4().as_bytes()),
            fetches,
            renderer: Renderer::new(),
            template: None,
            bounds: Bounds::default(),
            replay: SignedDuration::from_secs(60),
            en_duda: InDoubt::Park,
            deadlines: Deadlines::default(),
            resignals: 0,
            wait: Duration::from_secs(10),
            save: SignedDuration::from_hours(30 * 24),
        }
    }

    /// Whether the server is configured to send jobs of a kind. A company may also connect a receiver of its own.
    pub fn sends(&self, kind: JobKind) -> bool {
        match kind {
            JobKind::Presupuesto | JobKind::Acceptance | JobKind::PushNotice => true,
            kind if kind.is_mail() => self.mail.is_some(),
            kind => kind.destination().is_some_and(|to| self.receiver(to).is_some()),
        }
    }

    /// The destinations to which anything can be sent.
    pub fn destinations(&self) -> Vec<Destination> {
        let sends = |to: &Destination| to.kinds().into_iter().any(|kind| self.sends(kind));
        Destination::ALL.into_iter().filter(sends).collect()
    }

    /// The server's own receiver of a signal.
    pub(crate) fn receiver(&self, destination: Destination) -> Option<&Url> {
        match destination {
            Destination::Perfil => self.perfil.as_ref(),
            Destination::Mensajeria => self.mensajeria.as_ref(),
            Destination::Pdf => self.pdf.as_ref(),
            Destination::Reply => self.reply.as_ref(),
            Destination::Events => self.events.as_ref(),
            Destination::Mail => None,
        }
    }

    pub(crate) fn lease(&self) -> Lease {
        Lease { who: self.process, lasts: LEASE }
    }
}
