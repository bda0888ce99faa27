//! Jobs are made with the data that causes them: in the same transaction as that data, or not at all.

use std::sync::Arc;

use embudo_domain::event::EventKind;
use embudo_domain::ingesta::Momento;
use embudo_domain::job::{Job, JobKind, JobState};
use embudo_domain::signal::{MensajeriaSignal, PerfilSignal};
use embudo_domain::watched_loop::Deadlines;
use embudo_domain::{Digest, EmpresaId, JobId, LeadId, Zona};
use uuid::Uuid;

use super::data::outbox::{job, job_of, lead_with_notices, make, only_jobs, own, process, take};
use super::data::{
    ODD_TEXT, a_lead, create, empresa, event, extreme_instants, foto, foto_n, foto_of, ingesta, key,
    long_text, new_lead, nobody, nota, other_lead, perfil_completo, record, t, without_trace,
};
use embudo_store::empresas::EmpresaPatch;
use embudo_store::lead_writes::{Ingest, NewFoto, RecordEvent};
use embudo_store::leads::CreateLead;
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::outbox_admin::JobFilter;
use embudo_store::{Done, Store};

/// Every command that makes jobs makes them complete: with the lead, its company, pending, and due at the command's
/// moment.
pub async fn a_new_job_reads_back(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let company = empresa("Otra casa");
    store.create_empresa(company.clone(), t(0)).await.expect("created");
    let text =
        |payload: &str| NewJob { payload: NewPayload::Text(payload.into()), ..job(JobKind::ClientMail) };
    let odd = format!(r#"{{"z": 1.0, "a":"{ODD_TEXT}"}}"#);
    let (one, two, three) = (text(&odd), job(JobKind::Mensajeria), job(JobKind::Pdf));
    let payloads = [(one.id, one.kind, t(1)), (two.id, two.kind, t(2)), (three.id, three.kind, t(3))];
    let new = CreateLead { empresa: Some(company.id), jobs: vec![one], at: t(1), ..new_lead("Ana") };
    let lead = create(&store, new).await;
    store.ingest(Ingest { jobs: vec![two], ..ingesta(lead, vec![], t(2)) }).await.expect("saved");
    let with_event =
        RecordEvent { event: Some(event(EventKind::Pdf, t(9))), ..only_jobs(lead, vec![three], t(3)) };
    store.record_event(with_event).await.expect("recorded");
    for (id, kind, at) in payloads {
        let (read, deliveries) = store.job(id).await.expect("it was made");
        let expected = Job {
            id,
            lead,
            empresa: company.id,
            kind,
            payload: if kind == JobKind::ClientMail { odd.clone() } else { read.payload.clone() },
            state: JobState::Pending,
            intentos: 0,
            proximo_en: at,
            en_duda: false,
            ultimo_error: None,
            creado_en: at,
            terminado_en: None,
            repeats: None,
        };
        assert_eq!((read, deliveries), (expected, vec![]));
    }
    assert_eq!(record(&store, lead).await.events, vec![event(EventKind::Pdf, t(9))]);
}

/// A job's payload may be long, and its moments are exact.
pub async fn long_loads_and_times_are_exact(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for at in extreme_instants() {
        let length = long_text(300_000);
        let new = NewJob { payload: NewPayload::Text(length.clone()), ..job(JobKind::ClientMail) };
        let id = make(&store, lead, new, at).await;
        let read = job_of(&store, id).await;
        assert!(read.payload == length);
        assert_eq!((read.creado_en, read.proximo_en), (at, at));
    }
}

/// A profile signal contains the items of the call that makes it, photos by number, and equals the record after that
/// call.
pub async fn a_profile_holds_the_items_of_its_call(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa(ODD_TEXT), t(0)).await.expect("ensured");
    let new =
        CreateLead { provincia: Some(ODD_TEXT.into()), perfil: perfil_completo(), ..new_lead("José 👷") };
    let lead = create(&store, new).await;
    store.ingest(ingesta(lead, vec![foto_n(9.0), foto_n(2.5)], t(1))).await.expect("saved");
    let before = record(&store, lead).await;
    let (a, b) = (foto_n(3.0), foto());
    let after = NewFoto { momento: Momento::After, zona: Some(Zona::Cocina), ..foto_n(-1.0) };
    let signal = job(JobKind::Perfil);
    let id = signal.id;
    let expected_ones = [after.id, before.fotos[0].id, a.id, before.fotos[1].id, b.id];
    let command = Ingest {
        notas: vec![nota(ODD_TEXT, None), nota("m", Some(Zona::Other))],
        jobs: vec![signal],
        ..ingesta(lead, vec![a, after, b], t(2))
    };
    store.ingest(command).await.expect("saved");
    let read: PerfilSignal = serde_json::from_str(&job_of(&store, id).await.payload).expect("a profile");
    assert_eq!(read, PerfilSignal::from(&record(&store, lead).await));
    assert_eq!(read.fotos().collect::<Vec<_>>(), expected_ones);
    let zonas: Vec<_> = read.zonas.iter().map(|z| (z.zona, z.notas.len())).collect();
    assert_eq!(zonas, [(Zona::Cocina, 0), (Zona::Bano, 1), (Zona::Other, 1)]);

    // What comes later changes the lead, not the signal.
    store.ingest(ingesta(lead, vec![foto()], t(3))).await.expect("saved");
    let again: PerfilSignal = serde_json::from_str(&job_of(&store, id).await.payload).expect("a profile");
    assert_eq!(again, read);
}

/// The signals of a new lead contain what it was created with; the start of a conversation has the contact data.
pub async fn a_new_leads_signals_say_what_it_has(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    for perfil in [Default::default(), perfil_completo()] {
        let (signal, start) = (job(JobKind::Perfil), job(JobKind::Mensajeria));
        let (one, two) = (signal.id, start.id);
        let new = CreateLead { perfil, jobs: vec![signal, start], ..new_lead(ODD_TEXT) };
        let lead = create(&store, new).await;
        let f = record(&store, lead).await;
        let read: PerfilSignal = serde_json::from_str(&job_of(&store, one).await.payload).expect("a profile");
        assert_eq!(read, PerfilSignal::from(&f));
        let read: MensajeriaSignal =
            serde_json::from_str(&job_of(&store, two).await.payload).expect("a start");
        assert_eq!(read, MensajeriaSignal::from(&f.lead));
    }
}

/// A command that fails or is a replay makes no job.
pub async fn a_command_that_fails_makes_none(store: Arc<dyn Store>) {
    let (lead, absent) = (a_lead(&store).await, nobody());
    let one = || vec![job(JobKind::Perfil), job(JobKind::Mensajeria)];
    let command = Ingest { jobs: one(), ..ingesta(absent, vec![foto()], t(1)) };
    assert_fails!(store.ingest(command).await, LeadNotFound);
    assert_fails!(store.record_event(only_jobs(absent, one(), t(1))).await, LeadNotFound);
    without_trace(&store, absent).await;
    let orphan = CreateLead { empresa: Some(EmpresaId(Uuid::new_v4())), jobs: one(), ..new_lead("Ana") };
    assert_fails!(store.create_lead(orphan).await, EmpresaNotFound);
    let blob = Digest::of(b"barrido");
    assert!(store.mark_blob(lead, blob, t(1)).await.expect("answered").is_some());
    let command = Ingest { jobs: one(), ..ingesta(lead, vec![foto_of(blob)], t(1)) };
    assert_fails!(store.ingest(command).await, BlobMarked);
    assert_eq!(all(&store).await, vec![]);

    for n in 0..3 {
        let idempotency = Some(key("POST ingesta", "k", u8::from(n == 2), t(1)));
        let done = store.ingest(Ingest { jobs: one(), idempotency, ..ingesta(lead, vec![], t(1)) }).await;
        let idempotency = Some(key("POST mensajeria", "k", u8::from(n == 2), t(1)));
        let command = RecordEvent { idempotency, ..only_jobs(lead, vec![], t(1)) };
        let other = store.record_event(RecordEvent { jobs: one(), ..command }).await;
        if n == 2 {
            assert_fails!(done, KeyReused);
            assert_fails!(other, KeyReused);
        } else {
            assert_eq!(done.expect("answered") == Done::Now, n == 0);
            assert_eq!(other.expect("answered") == Done::Now, n == 0);
        }
    }
    assert_eq!(all(&store).await.len(), 4);
}

async fn all(store: &Arc<dyn Store>) -> Vec<JobId> {
    let list = store.list_jobs(JobFilter::default(), None, 1000).await.expect("a list");
    list.into_iter().map(|t| t.id).collect()
}

/// A notice to the company is made only while the company has an address and wants notices, by whatever command; other
/// jobs of the same command are made all the same.
pub async fn a_company_gets_the_notices_it_wants(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let company = record(&store, lead).await.lead.empresa.id;
    let changes = [
        (None, None, false),
        (Some("a@x.es"), None, true),
        (None, Some(false), false),
        (None, Some(true), true),
        (Some(""), None, false),
        (Some("b@x.es"), Some(false), false),
    ];
    for (n, (email, notices, wants)) in (1..).zip(changes) {
        let email_avisos = email.map(str::to_owned);
        let patch = EmpresaPatch { email_avisos, notices, ..Default::default() };
        store.update_empresa(company, patch).await.expect("changed");
        let before = all(&store).await.len();
        let pair = || vec![job(JobKind::EmpresaMail), job(JobKind::Mensajeria)];
        create(&store, CreateLead { jobs: pair(), ..new_lead("Eva") }).await;
        store.ingest(Ingest { jobs: pair(), ..ingesta(lead, vec![], t(n)) }).await.expect("saved");
        store.record_event(only_jobs(lead, pair(), t(n))).await.expect("recorded");
        assert_eq!(all(&store).await.len() - before, if wants { 6 } else { 3 }, "{n}");
    }
}

/// Each company's wish for notices counts for its own leads only.
pub async fn notices_are_the_leads_own_companys(store: Arc<dyn Store>) {
    let with = lead_with_notices(&store).await;
    let company = empresa("Sin avisos");
    store.create_empresa(company.clone(), t(0)).await.expect("created");
    let without = create(&store, CreateLead { empresa: Some(company.id), ..new_lead("Eva") }).await;
    for (lead, how_many) in [(with, 1), (without, 0)] {
        let notice = vec![job(JobKind::EmpresaMail)];
        store.record_event(only_jobs(lead, notice, t(1))).await.expect("recorded");
        assert_eq!(own(&store, lead).await.len(), how_many);
    }
}

/// Making jobs starts no loop and changes nothing else of the lead.
pub async fn jobs_leave_the_lead_alone(store: Arc<dyn Store>) {
    let lead: LeadId = a_lead(&store).await;
    let before = record(&store, lead).await;
    let all: Vec<NewJob> = JobKind::ALL.into_iter().map(job).collect();
    store.record_event(only_jobs(lead, all, t(5))).await.expect("recorded");
    take(&store, process(), t(5)).await;
    let command =
        Ingest { deadlines: Deadlines::default(), ..ingesta(other_lead(&store).await, vec![], t(6)) };
    store.ingest(command).await.expect("saved");
    assert_eq!(record(&store, lead).await, before);
}
