//! A call that is sent twice under one key has one effect, for every command that takes a key.

use std::sync::Arc;

use embudo_domain::calificacion::Calificacion;
use embudo_domain::event::EventKind;
use embudo_domain::perfil::Perfil;
use embudo_domain::{IntentoId, LeadId, Timestamp, TurnoId};
use tokio::task::JoinSet;

use super::data::{
    ODD_TEXT, a_lead, calificacion, create, empresa, event, foto, ingesta, intento, key, micros, new_lead,
    nobody, nota, outcome, perfil, record, record_event, t, turno,
};
use embudo_store::lead_writes::{
    AppendTurno, Ingest, RecordEvent, RecordIntento, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::leads::CreateLead;
use embudo_store::leads::LeadFilter;
use embudo_store::{Done, FinalizarOutcome, Idempotency, Outcome, Result, Store, StoreError};

/// The commands that take a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Envelope {
    Lead,
    Turno,
    Perfil,
    Calificacion,
    Intento,
    Ingesta,
    Event,
}

pub(super) const ALL: [Envelope; 7] = [
    Envelope::Lead,
    Envelope::Turno,
    Envelope::Perfil,
    Envelope::Calificacion,
    Envelope::Intento,
    Envelope::Ingesta,
    Envelope::Event,
];

/// Sends the command under a key; `n` makes its values differ from other calls, but not the hash of its body.
pub(super) async fn send(
    store: &Arc<dyn Store>,
    envelope: Envelope,
    lead: LeadId,
    n: i64,
    key: Idempotency,
) -> Result<Done> {
    let at = key.creada_en;
    let idempotency = Some(key);
    match envelope {
        Envelope::Lead => store.create_lead(CreateLead { at, idempotency, ..new_lead("Ana") }).await,
        Envelope::Turno => {
            store.append_turno(AppendTurno { idempotency, ..turno(lead, &n.to_string(), at) }).await
        }
        Envelope::Perfil => {
            let alone = Perfil { bot_step: Some(n.to_string()), ..Default::default() };
            store.update_perfil(UpdatePerfil { idempotency, ..perfil(lead, alone, at) }).await
        }
        Envelope::Calificacion => {
            let alone = Calificacion { score: Some(n), ..Default::default() };
            store
                .upsert_calificacion(UpsertCalificacion { idempotency, ..calificacion(lead, alone, at) })
                .await
        }
        Envelope::Intento => {
            store.record_intento(RecordIntento { idempotency, ..intento(lead, n, at) }).await
        }
        Envelope::Ingesta => {
            let notas = vec![nota(&n.to_string(), None)];
            store.ingest(Ingest { notas, idempotency, ..ingesta(lead, vec![foto()], at) }).await
        }
        Envelope::Event => {
            let e = event(EventKind::Mensajeria, at);
            store.record_event(RecordEvent { idempotency, ..record_event(lead, e) }).await
        }
    }
}

/// Everything a command could have changed.
pub(super) async fn state(store: &Arc<dyn Store>, lead: LeadId) -> String {
    let leads = store.list_leads(LeadFilter::default(), None, 1000).await.expect("a list").len();
    format!("{leads} {:?} {:?}", record(store, lead).await, store.history(lead).await)
}

/// How often a command took effect on a fresh lead.
async fn effects(store: &Arc<dyn Store>, envelope: Envelope, lead: LeadId) -> usize {
    let f = record(store, lead).await;
    match envelope {
        Envelope::Lead => {
            store.list_leads(LeadFilter::default(), None, 1000).await.expect("a list").len() - 1
        }
        Envelope::Turno => f.conversacion.len(),
        Envelope::Perfil => store.history(lead).await.expect("a history").len(),
        Envelope::Calificacion => usize::from(f.calificacion.is_some()),
        Envelope::Intento => f.intentos.len(),
        Envelope::Ingesta => {
            assert_eq!(f.fotos.len(), f.notas.len());
            f.fotos.len()
        }
        Envelope::Event => f.events.iter().filter(|e| e.kind == EventKind::Mensajeria).count(),
    }
}

/// The same key with the same body does nothing and gives the first outcome again.
pub async fn a_replay_gives_the_first_outcome(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for envelope in ALL {
        let scope = format!("POST {envelope:?}");
        let first = send(&store, envelope, lead, 1, key(&scope, "k", 1, t(1))).await;
        assert_eq!(first.expect("done"), Done::Now, "{envelope:?}");
        let before = state(&store, lead).await;
        for n in 2..4 {
            // The second caller brings another outcome; the stored one counts.
            let another = Idempotency { outcome: outcome("otra"), ..key(&scope, "k", 1, t(n)) };
            let done = send(&store, envelope, lead, n, another).await;
            assert_eq!(done.expect("replayed"), Done::Before(outcome("k")), "{envelope:?}");
        }
        assert_eq!(state(&store, lead).await, before, "{envelope:?}");
    }
}

/// Outcomes are stored whole, of every kind and with any text.
pub async fn outcomes_are_stored_whole(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let finalizado = FinalizarOutcome { presupuesto: true, mail_accepted: false, pdf_accepted: true };
    let outcomes = [
        Outcome::LeadCreated { id: lead },
        Outcome::TurnoAppended { id: TurnoId(lead.0) },
        Outcome::IntentoRecorded { id: IntentoId(lead.0) },
        Outcome::Ingested { fotos: 1, notas: 2, perfil_accepted: true, finalizado: Some(finalizado) },
        Outcome::Ingested { fotos: 0, notas: usize::MAX, perfil_accepted: false, finalizado: None },
        Outcome::MensajeriaStarted { accepted: true },
        Outcome::Done,
        outcome(ODD_TEXT),
        outcome(&"x".repeat(3_000_000)),
    ];
    for (n, outcome) in (0..).zip(outcomes) {
        let k = Idempotency { outcome: outcome.clone(), ..key("a", &format!("k{n}"), 1, t(1)) };
        send(&store, Envelope::Turno, lead, n, k.clone()).await.expect("done");
        let done = send(&store, Envelope::Turno, lead, n, k).await.expect("replayed");
        assert!(done == Done::Before(outcome));
    }
}

/// The same key with another body is refused, and nothing is done.
pub async fn another_body_is_refused(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for envelope in ALL {
        let scope = format!("POST {envelope:?}");
        send(&store, envelope, lead, 1, key(&scope, "k", 1, t(1))).await.expect("done");
        let before = state(&store, lead).await;
        assert_fails!(send(&store, envelope, lead, 2, key(&scope, "k", 2, t(2))).await, KeyReused);
        assert_eq!(state(&store, lead).await, before, "{envelope:?}");
    }
}

/// An expired key is free: another body may take it, and from then on that body counts.
pub async fn an_expired_key_is_free_again(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for envelope in ALL {
        let scope = format!("POST {envelope:?}");
        let first = key(&scope, "k", 1, t(1));
        let expires = first.expira_en;
        send(&store, envelope, lead, 1, first).await.expect("done");
        let still = micros(expires.as_microsecond() - 1);
        assert_fails!(send(&store, envelope, lead, 2, key(&scope, "k", 2, still)).await, KeyReused);
        let new = Idempotency { outcome: outcome("nueva"), ..key(&scope, "k", 2, expires) };
        let done = send(&store, envelope, lead, 2, new.clone()).await;
        assert_eq!(done.expect("done again"), Done::Now, "{envelope:?}");
        let done = send(&store, envelope, lead, 3, new).await;
        assert_eq!(done.expect("replayed"), Done::Before(outcome("nueva")), "{envelope:?}");
        assert_fails!(send(&store, envelope, lead, 3, key(&scope, "k", 1, expires)).await, KeyReused);
    }
}

/// A key counts within its method and path only; keys are compared exactly.
pub async fn a_key_counts_within_its_scope(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let length = "~".repeat(255);
    let pairs =
        [("a", "k"), ("b", "k"), ("A", "k"), ("a", "K"), ("a", "k "), ("a", "%"), ("a", "_"), ("ak", "x")];
    for (scope, k) in pairs.into_iter().chain([("a", length.as_str()), ("POST /api/leads/0190a1b2", "k")]) {
        let done = send(&store, Envelope::Turno, lead, 1, key(scope, k, 1, t(1))).await;
        assert_eq!(done.expect("done"), Done::Now, "{scope} {k}");
    }
    assert_eq!(record(&store, lead).await.conversacion.len(), 10);
}

/// A command that failed stores no key: sent again when it can succeed, it is done.
pub async fn a_failed_command_leaves_no_key(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    for envelope in ALL.into_iter().filter(|m| *m != Envelope::Lead) {
        let (lead, scope) = (nobody(), format!("POST {envelope:?}"));
        assert_fails!(send(&store, envelope, lead, 1, key(&scope, "k", 1, t(1))).await, LeadNotFound);
        create(&store, CreateLead { id: lead, ..new_lead("Ana") }).await;
        let done = send(&store, envelope, lead, 2, key(&scope, "k", 2, t(2))).await;
        assert_eq!(done.expect("done"), Done::Now, "{envelope:?}");
        assert_eq!(effects(&store, envelope, lead).await, 1);
    }
}

/// A lead that is refused for its company stores no key either.
pub async fn a_refused_lead_leaves_no_key(store: Arc<dyn Store>) {
    let with_key =
        |body| CreateLead { idempotency: Some(key("POST /api/leads", "k", body, t(1))), ..new_lead("Ana") };
    assert_fails!(store.create_lead(with_key(1)).await, EmpresaNotFound);
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    assert_eq!(store.create_lead(with_key(2)).await.expect("created"), Done::Now);
}

async fn race(store: &Arc<dyn Store>, envelope: Envelope, lead: LeadId, at: Timestamp) -> usize {
    let mut tasks = JoinSet::new();
    for n in 1..=16 {
        let (store, k) = (Arc::clone(store), key(&format!("POST {envelope:?}"), "k", 1, at));
        tasks.spawn(async move { send(&store, envelope, lead, n, k).await });
    }
    let facts: Vec<Done> = tasks.join_all().await.into_iter().map(|h| h.expect("done or replayed")).collect();
    let now = facts.iter().filter(|h| **h == Done::Now).count();
    let before = facts.iter().filter(|h| **h == Done::Before(outcome("k"))).count();
    assert_eq!(now + before, 16, "{envelope:?}");
    now
}

/// Sixteen racers with one key have one effect and fifteen replays; the same again when that key has expired.
pub async fn racers_with_one_key_have_one_effect(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for envelope in ALL {
        assert_eq!(race(&store, envelope, lead, t(1)).await, 1, "{envelope:?}");
        assert_eq!(effects(&store, envelope, lead).await, 1, "{envelope:?}");
        assert_eq!(race(&store, envelope, lead, t(1000)).await, 1, "{envelope:?} after expiry");
        let two = if envelope == Envelope::Calificacion { 1 } else { 2 };
        assert_eq!(effects(&store, envelope, lead).await, two, "{envelope:?} after expiry");
    }
}

/// The purge deletes only expired keys, and not more than the given number.
pub async fn the_purge_deletes_only_expired_keys(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let with = |n: i64, expira_en| Idempotency { expira_en, ..key("a", &format!("k{n}"), 1, t(1)) };
    let cut = t(500);
    let (before, after) = (micros(cut.as_microsecond() - 1), micros(cut.as_microsecond() + 1));
    for n in 0..7 {
        let k = with(n, if n < 5 { before } else { after });
        send(&store, Envelope::Turno, lead, n, k).await.expect("done");
    }
    assert_eq!(store.purge_idempotency(t(2), 100).await.expect("purged"), 0);
    assert_eq!(store.purge_idempotency(cut, 0).await.expect("purged"), 0);
    assert_eq!(store.purge_idempotency(cut, 2).await.expect("purged"), 2);
    assert_eq!(store.purge_idempotency(cut, 100).await.expect("purged"), 3);
    assert_eq!(store.purge_idempotency(cut, 100).await.expect("purged"), 0);
    for n in 0..7 {
        // A call with an earlier time shows whether the row still exists.
        let done = send(&store, Envelope::Turno, lead, n, with(n, after)).await.expect("answered");
        assert_eq!(done == Done::Now, n < 5, "k{n}");
    }
}

/// A call may store only its key, so that a later call can ask whether it was made before and with which body.
pub async fn a_key_can_be_kept_alone(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let keep = async |lead, body, at| {
        let idempotency = Some(key("numero", "a", body, at));
        store.record_event(RecordEvent { lead, event: None, jobs: Vec::new(), at, idempotency }).await
    };
    assert!(matches!(keep(nobody(), 1, t(0)).await, Err(StoreError::LeadNotFound)));
    assert_eq!(keep(lead, 1, t(0)).await.expect("kept"), Done::Now);
    assert_eq!(keep(lead, 1, t(1)).await.expect("known"), Done::Before(outcome("a")));
    assert!(matches!(keep(lead, 2, t(1)).await, Err(StoreError::KeyReused)));
    assert_eq!(keep(lead, 2, t(200)).await.expect("its time is over"), Done::Now);
    assert!(record(&store, lead).await.events.is_empty());
}
