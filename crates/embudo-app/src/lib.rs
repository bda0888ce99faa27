//! Use cases that take more than one step, the outbox worker, and housekeeping.
//!
//! A one-step command of the API goes from its handler straight to the [`Store`]. Use cases that need blobs and rows
//! together, send something, run in the background, or are done by a person are in this crate, one file each, by
//! subject ([`App::leads`], [`App::forms`] …). Only this crate builds audit log entries. Ids and times are made here
//! ([`App::id`], [`App::now`]) and nowhere else. This crate must not know HTTP, SQL or settings.

mod access;
mod attempt_pool;
mod blobs;
mod call_end;
mod changes;
mod circuit_breaker;
mod clock;
mod company_keys;
mod desk;
mod empresas;
mod error;
mod exports;
mod forms;
mod housekeeping;
mod inbox;
mod ingesta;
mod jobs;
mod leads;
mod letter;
mod limits;
mod machine;
mod notices;
mod outbound;
mod outbox_desk;
mod photos;
mod push_key;
mod quotes;
mod ready;
mod receivers;
mod reminders;
mod replies;
mod rights;
mod samples;
mod tarifas;
mod visit_letter;
mod visits;
mod worker;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use embudo_blobs::Blobs;
use embudo_domain::Timestamp;
use embudo_store::Store;
use embudo_supervisor::Supervisor;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

pub use access::{
    Access, AccessError, Actor, Attempt, Change, DEVICE_LIFE, Enrolment, FirstPerson, INVITE_LIFE,
    KnownDevice, NewPerson, OpenSession, Origin, RESET_LIFE, ResetError, SecondStep, SessionToken,
    SetUpError, SignIn, TotpChange, authenticator_code,
};
pub use call_end::CallEnd;
pub use changes::{ChangeStream, Changed, Changes};
pub use clock::{Clock, SystemClock};
pub use company_keys::CompanyKeys;
pub use desk::{Archiving, Desk, NotaRemoval, may_remove_nota, progress_label, work_label};
pub use embudo_delivery::{InvalidLink, InvalidPass, Pass, Passes};
pub use embudo_quote::{
    DrawingChild, Renderer, Template, child as quote_child, qr_sign_png, qr_sign_svg, qr_svg,
};
pub use empresas::{Empresas, checklist_of};
pub use error::AppError;
pub use exports::{ExportFormat, Exports};
pub use forms::{FormPasses, Forms, MessageWish, PASS_LIFE, PageSecret, Ticket, WhatFollows};
pub use housekeeping::{Housekeeping, MIN_BLOB_AGE, Orphans, Pace, Queue, Sweep};
pub use inbox::{Due, Inbox, Today};
pub use ingesta::{Aside, Ingestion, KnownBy};
use jobs::NewJobs;
pub use jobs::{Preview, PreviewedMail};
pub use leads::{Leads, ProfileSignal};
pub use limits::{Counted, Limits};
pub use outbound::{InDoubt, Outbound, OutboundMail, WithLinks};
pub use outbox_desk::{Hosts, OutboxDesk};
pub use photos::{FotoBytes, Photos, Received, Size};
pub use quotes::{
    ACCEPTANCE_TEXT, Beginning, ClientAnswer, ClientWord, CurrentDraft, Ingredients, Quotes, Sent, logo,
};
pub use receivers::{Receiver, Receivers, host_of};
pub use replies::{NewReply, NotSent, Replies, ReplyWays};
pub use rights::{Archive, ArchiveError, BlockedPart, DryRun, Erased, Forgotten, Reach, Rights};
pub use samples::Sampled;
pub use tarifas::{Comparison, NextTarifa, Tarifas};
pub use visits::{ClientChange, Conflicts, NewVisita, Offer, Tell, VisitWarning, Visits};
pub use worker::Worker;

/// The time zone of dates that do not depend on a company: mainland Spain.
const TIME_ZONE: &str = "Europe/Madrid";

/// The day of an instant in mainland Spain.
pub fn day_in_spain(at: Timestamp) -> Date {
    in_spain(at).date()
}

fn in_spain(at: Timestamp) -> DateTime {
    static MADRID: OnceLock<TimeZone> = OnceLock::new();
    let madrid = MADRID.get_or_init(|| TimeZone::get(TIME_ZONE).expect("the zones are built in"));
    madrid.to_datetime(at)
}

/// The application: its storage, its clock and its outbound settings, with its use cases by subject. Clones are handles
/// to the same application.
#[derive(Clone)]
pub struct App {
    pub store: Arc<dyn Store>,
    pub blobs: Blobs,
    pub outbound: Arc<Outbound>,
    /// The tasks that run in the background.
    pub supervisor: Supervisor,
    changes: Changes,
    clock: Arc<dyn Clock>,
    attempts: Arc<attempt_pool::AttemptPool>,
    photo_queue: Arc<photos::PhotoQueue>,
    readiness: Arc<ready::Readiness>,
    passwords: Arc<access::Passwords>,
    failures: Arc<access::Failures>,
    keyring: Arc<company_keys::Keyring>,
    pauses: Arc<jobs::Pauses>,
    known_receivers: Arc<receivers::KnownReceivers>,
    known_push_key: Arc<push_key::KnownPushKey>,
    seen: Arc<rights::SeenQueue>,
    generations: Arc<rights::Generations>,
    counts: Arc<limits::SharedCounts>,
    /// Whether everything that was written before the start is projected.
    is_caught_up: Arc<AtomicBool>,
}

impl App {
    /// An application on this storage, with the system's clock.
    pub fn new(store: Arc<dyn Store>, blobs: Blobs, outbound: Outbound) -> Self {
        Self::with_clock(store, blobs, outbound, Arc::new(SystemClock))
    }

    /// An application with the caller's own clock.
    pub fn with_clock(
        store: Arc<dyn Store>,
        blobs: Blobs,
        outbound: Outbound,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            blobs,
            outbound: Arc::new(outbound),
            supervisor: Supervisor::default(),
            changes: Changes::default(),
            clock,
            attempts: Arc::default(),
            photo_queue: Arc::default(),
            readiness: Arc::default(),
            passwords: Arc::default(),
            failures: Arc::default(),
            keyring: Arc::default(),
            pauses: Arc::default(),
            known_receivers: Arc::default(),
            known_push_key: Arc::default(),
            seen: Arc::default(),
            generations: Arc::default(),
            counts: Arc::default(),
            is_caught_up: Arc::default(),
        }
    }

    /// The same application with password hashes that cost nothing and protect nothing. Only for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_cheap_passwords(self) -> Self {
        Self { passwords: Arc::new(access::Passwords::cheap()), ..self }
    }

    /// The present time, rounded to the microsecond that both engines store.
    pub fn now(&self) -> Timestamp {
        embudo_domain::date::to_micros(self.clock.now())
    }

    /// Today in mainland Spain.
    pub fn today(&self) -> Date {
        day_in_spain(self.now())
    }

    /// A new id; later ones sort after earlier ones.
    pub fn id(&self) -> uuid::Uuid {
        uuid::Uuid::now_v7()
    }

    pub fn access(&self) -> Access<'_> {
        Access { app: self }
    }

    pub fn empresas(&self) -> Empresas<'_> {
        Empresas { app: self }
    }

    pub fn tarifas(&self) -> Tarifas<'_> {
        Tarifas { app: self }
    }

    pub fn company_keys(&self) -> CompanyKeys<'_> {
        CompanyKeys { app: self }
    }

    pub fn leads(&self) -> Leads<'_> {
        Leads { app: self }
    }

    pub fn limits(&self) -> Limits<'_> {
        Limits { app: self }
    }

    pub fn ingesta(&self) -> Ingestion<'_> {
        Ingestion { app: self }
    }

    pub fn forms(&self) -> Forms<'_> {
        Forms { app: self }
    }

    pub fn form_passes(&self) -> FormPasses<'_> {
        FormPasses { app: self }
    }

    /// The broadcast of leads that change.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    pub fn desk(&self) -> Desk<'_> {
        Desk { app: self }
    }

    pub fn exports(&self) -> Exports<'_> {
        Exports { app: self }
    }

    pub fn inbox(&self) -> Inbox<'_> {
        Inbox { app: self }
    }

    pub fn photos(&self) -> Photos<'_> {
        Photos { app: self }
    }

    pub fn quotes(&self) -> Quotes<'_> {
        Quotes { app: self }
    }

    pub fn visits(&self) -> Visits<'_> {
        Visits { app: self }
    }

    pub fn replies(&self) -> Replies<'_> {
        Replies { app: self }
    }

    pub fn rights(&self) -> Rights<'_> {
        Rights { app: self }
    }

    pub fn outbox(&self) -> OutboxDesk<'_> {
        OutboxDesk { app: self }
    }

    pub(crate) fn jobs(&self) -> NewJobs<'_> {
        NewJobs { app: self }
    }

    pub fn worker(&self) -> Worker<'_> {
        Worker { app: self }
    }

    pub fn housekeeping(&self) -> Housekeeping<'_> {
        Housekeeping { app: self }
    }
}
