//! An application with its receivers and a clock that tests move by hand.

use std::ops::Deref;
use std::sync::Arc;

use embudo_app::{OutboundMail, PageSecret, Ticket};
use embudo_delivery::Mail;
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_domain::LeadId;
use embudo_domain::event::EventKind;
use embudo_domain::job::{Job, JobKind, JobState};
use embudo_domain::lead::NewLead;
use embudo_store::empresas::EmpresaPatch;
use embudo_store::outbox_admin::JobFilter;
use embudo_store::{FinalizarOutcome, Outcome};
use embudo_testkit::{Engine, Mailbox, ManualClock, OnEngine, Receiver, Setup, TestApp};
use jiff::SignedDuration;
use serde_json::{Value, json};

pub const DAY: SignedDuration = SignedDuration::from_hours(24);

pub struct Stage {
    test_app: TestApp,
    pub receiver: Receiver,
    pub mailbox: Mailbox,
    pub clock: Arc<ManualClock>,
}

impl Deref for Stage {
    type Target = TestApp;

    fn deref(&self) -> &TestApp {
        &self.test_app
    }
}

impl OnEngine for Stage {
    async fn on(engine: Engine) -> Self {
        Self::signals(engine, |_| {}).await
    }
}

impl Stage {
    /// The three signals go to the receiver; no mail is sent.
    pub async fn signals(engine: Engine, adjust: impl FnOnce(&mut Setup)) -> Self {
        Self::open(engine, |setup, receiver, _| {
            let url = Some(receiver.url().parse().unwrap());
            setup.outbound.perfil = url.clone();
            setup.outbound.mensajeria = url.clone();
            setup.outbound.pdf = url;
            adjust(setup);
        })
        .await
    }

    /// Mails go to the mailbox, and the company wants notices; no signal is sent.
    pub async fn mails(engine: Engine, adjust: impl FnOnce(&mut Setup)) -> Self {
        let stage = Self::open(engine, |setup, _, mailbox| {
            setup.outbound.mail = Some(mail_to(mailbox));
            adjust(setup);
        })
        .await;
        stage
            .wants(EmpresaPatch { email_avisos: Some("obra@ejemplo.es".into()), ..EmpresaPatch::default() })
            .await;
        stage
    }

    /// Like [`Self::mails`], but the company wants no notices: the only mails are those to clients.
    pub async fn client_mails(engine: Engine, adjust: impl FnOnce(&mut Setup)) -> Self {
        let stage = Self::mails(engine, adjust).await;
        stage.wants(EmpresaPatch { notices: Some(false), ..EmpresaPatch::default() }).await;
        stage
    }

    /// A page of the form that asks for contact data.
    pub fn form_page(&self) -> (Ticket, PageSecret) {
        let (passes, empresa) = (self.app.form_passes(), self.empresa.id);
        let ticket = passes.read_ticket(&passes.new_ticket(empresa), empresa).unwrap();
        (ticket, PageSecret::random())
    }

    /// The lead of a person who sent such a page.
    pub async fn sign_up(&self, new: NewLead) -> LeadId {
        let (ticket, secret) = self.form_page();
        self.app.forms().sign_up(ticket, &secret, new).await.unwrap().unwrap()
    }

    async fn open(engine: Engine, adjust: impl FnOnce(&mut Setup, &Receiver, &Mailbox)) -> Self {
        let (receiver, mailbox) = (Receiver::start().await, Mailbox::start().await);
        let clock = Arc::new(ManualClock::default());
        let mut setup = Setup::at(engine);
        setup.clock = clock.clone();
        adjust(&mut setup, &receiver, &mailbox);
        Self { test_app: setup.app().await, receiver, mailbox, clock }
    }

    pub async fn wants(&self, patch: EmpresaPatch) {
        self.app.store.update_empresa(self.empresa.id, patch).await.unwrap();
    }

    /// Reports a complete profile; returns whether its signal was accepted.
    pub async fn complete_perfil(&self, lead: LeadId) -> bool {
        perfil_accepted(&self.ingest(lead, json!({ "perfilCompleto": true })).await)
    }

    /// Requests the quote.
    pub async fn finalizar(&self, lead: LeadId) -> FinalizarOutcome {
        match self.ingest(lead, json!({ "finalizar": true })).await {
            Outcome::Ingested { finalizado: Some(finalizado), .. } => finalizado,
            other => panic!("{other:?}"),
        }
    }

    /// Moves the clock and runs the due jobs.
    pub async fn pass(&self, time: SignedDuration) -> usize {
        self.clock.advance(time);
        self.app.worker().run_jobs().await.unwrap()
    }

    pub async fn jobs(&self, filter: JobFilter) -> Vec<Job> {
        self.app.store.list_jobs(filter, None, 100).await.unwrap()
    }

    /// How many jobs are in this state.
    pub async fn jobs_in(&self, state: JobState) -> usize {
        self.jobs(JobFilter { state: Some(state), ..JobFilter::default() }).await.len()
    }

    /// The states of all jobs, newest first.
    pub async fn states(&self) -> Vec<JobState> {
        self.jobs(JobFilter::default()).await.iter().map(|t| t.state).collect()
    }

    /// The latest mail to a client.
    pub async fn client_mail(&self) -> Job {
        let filter = JobFilter { kind: Some(JobKind::ClientMail), ..JobFilter::default() };
        self.jobs(filter).await.remove(0)
    }

    /// The ids of all signals that arrived, in order.
    pub fn signal_ids(&self) -> Vec<String> {
        self.receiver.received().iter().map(|r| r.header("webhook-id").unwrap().to_owned()).collect()
    }

    /// Finalizes a new lead; returns whether the mail with its quote was accepted.
    pub async fn mailed_quote(&self) -> bool {
        self.finalizar(self.new_lead().await).await.mail_accepted
    }

    /// The events of one kind in a lead's history: whether each went well, and whether it was simulated.
    pub async fn events(&self, lead: LeadId, kind: EventKind) -> Vec<(bool, bool)> {
        let record = self.record(lead).await;
        record.events.iter().filter(|e| e.kind == kind).map(|e| (e.ok, e.simulated)).collect()
    }
}

/// Mail through this mailbox.
pub fn mail_to(mailbox: &Mailbox) -> OutboundMail {
    let settings = SmtpSettings::new(mailbox.address.ip().to_string(), mailbox.address.port(), Tls::None);
    OutboundMail { client: Mail::new(settings).unwrap(), from: "embudo@ejemplo.es".into(), from_name: None }
}

pub fn perfil_accepted(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Ingested { perfil_accepted: true, .. })
}

/// A rendered photo of the finished work, as the external workflow sends it.
pub fn render() -> Value {
    json!({ "tipo": "foto", "imagen": "https://127.0.0.1:1/r.jpg", "momento": "despues" })
}
