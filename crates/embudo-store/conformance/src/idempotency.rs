//! The same call twice, one effect: for every command that takes a key.

use std::sync::Arc;

use embudo_domain::calificacion::Calificacion;
use embudo_domain::evento::TipoEvento;
use embudo_domain::perfil::Perfil;
use embudo_domain::{IntentoId, LeadId, Timestamp, TurnoId};
use tokio::task::JoinSet;

use super::data::{
    TEXTO_RARO, calificacion, clave, crear, empresa, evento, ficha, foto, ingesta, intento, micros, nadie,
    nota, nuevo_lead, outcome, perfil, record_evento, t, turno, un_lead,
};
use embudo_store::command::{
    AppendTurno, CreateLead, Ingest, RecordEvento, RecordIntento, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::query::FiltroLeads;
use embudo_store::{Finalizado, Hecho, Idempotencia, Outcome, Result, Store};

/// The commands that take a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Mandato {
    Lead,
    Turno,
    Perfil,
    Calificacion,
    Intento,
    Ingesta,
    Evento,
}

pub(super) const TODOS: [Mandato; 7] = [
    Mandato::Lead,
    Mandato::Turno,
    Mandato::Perfil,
    Mandato::Calificacion,
    Mandato::Intento,
    Mandato::Ingesta,
    Mandato::Evento,
];

/// Sends the command under a key; `n` makes its values, but not its body's hash, differ from another's.
pub(super) async fn mandar(
    store: &Arc<dyn Store>,
    mandato: Mandato,
    lead: LeadId,
    n: i64,
    clave: Idempotencia,
) -> Result<Hecho> {
    let en = clave.creada_en;
    let idempotencia = Some(clave);
    match mandato {
        Mandato::Lead => store.create_lead(CreateLead { en, idempotencia, ..nuevo_lead("Ana") }).await,
        Mandato::Turno => {
            store.append_turno(AppendTurno { idempotencia, ..turno(lead, &n.to_string(), en) }).await
        }
        Mandato::Perfil => {
            let sola = Perfil { bot_step: Some(n.to_string()), ..Default::default() };
            store.update_perfil(UpdatePerfil { idempotencia, ..perfil(lead, sola, en) }).await
        }
        Mandato::Calificacion => {
            let sola = Calificacion { score: Some(n), ..Default::default() };
            store
                .upsert_calificacion(UpsertCalificacion { idempotencia, ..calificacion(lead, sola, en) })
                .await
        }
        Mandato::Intento => {
            store.record_intento(RecordIntento { idempotencia, ..intento(lead, n, en) }).await
        }
        Mandato::Ingesta => {
            let notas = vec![nota(&n.to_string(), None)];
            store.ingest(Ingest { notas, idempotencia, ..ingesta(lead, vec![foto()], en) }).await
        }
        Mandato::Evento => {
            let e = evento(TipoEvento::Mensajeria, en);
            store.record_evento(RecordEvento { idempotencia, ..record_evento(lead, e) }).await
        }
    }
}

/// Everything a command could have changed.
pub(super) async fn estado(store: &Arc<dyn Store>, lead: LeadId) -> String {
    let leads = store.list_leads(FiltroLeads::default(), None, 1000).await.expect("a list").len();
    format!("{leads} {:?} {:?}", ficha(store, lead).await, store.historial(lead).await)
}

/// How often a command took effect on a fresh lead.
async fn efectos(store: &Arc<dyn Store>, mandato: Mandato, lead: LeadId) -> usize {
    let f = ficha(store, lead).await;
    match mandato {
        Mandato::Lead => {
            store.list_leads(FiltroLeads::default(), None, 1000).await.expect("a list").len() - 1
        }
        Mandato::Turno => f.conversacion.len(),
        Mandato::Perfil => store.historial(lead).await.expect("a history").len(),
        Mandato::Calificacion => usize::from(f.calificacion.is_some()),
        Mandato::Intento => f.intentos.len(),
        Mandato::Ingesta => {
            assert_eq!(f.fotos.len(), f.notas.len());
            f.fotos.len()
        }
        Mandato::Evento => f.eventos.iter().filter(|e| e.tipo == TipoEvento::Mensajeria).count(),
    }
}

/// The same key with the same body does nothing and gives the first outcome again.
pub async fn a_replay_gives_the_first_outcome(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for mandato in TODOS {
        let ambito = format!("POST {mandato:?}");
        let primera = mandar(&store, mandato, lead, 1, clave(&ambito, "k", 1, t(1))).await;
        assert_eq!(primera.expect("done"), Hecho::Ahora, "{mandato:?}");
        let antes = estado(&store, lead).await;
        for n in 2..4 {
            // The second caller brings its own idea of the outcome; the stored one counts.
            let otra = Idempotencia { outcome: outcome("otra"), ..clave(&ambito, "k", 1, t(n)) };
            let hecho = mandar(&store, mandato, lead, n, otra).await;
            assert_eq!(hecho.expect("replayed"), Hecho::Antes(outcome("k")), "{mandato:?}");
        }
        assert_eq!(estado(&store, lead).await, antes, "{mandato:?}");
    }
}

/// Outcomes are stored whole, of every kind and with any text.
pub async fn outcomes_are_stored_whole(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let finalizado = Finalizado { presupuesto: true, correo_accepted: false, pdf_accepted: true };
    let outcomes = [
        Outcome::LeadCreated { id: lead },
        Outcome::TurnoAppended { id: TurnoId(lead.0) },
        Outcome::IntentoRecorded { id: IntentoId(lead.0) },
        Outcome::Ingested { fotos: 1, notas: 2, perfil_accepted: true, finalizado: Some(finalizado) },
        Outcome::Ingested { fotos: 0, notas: usize::MAX, perfil_accepted: false, finalizado: None },
        Outcome::MensajeriaStarted { accepted: true },
        Outcome::Done,
        outcome(TEXTO_RARO),
        outcome(&"x".repeat(3_000_000)),
    ];
    for (n, outcome) in (0..).zip(outcomes) {
        let k = Idempotencia { outcome: outcome.clone(), ..clave("a", &format!("k{n}"), 1, t(1)) };
        mandar(&store, Mandato::Turno, lead, n, k.clone()).await.expect("done");
        let hecho = mandar(&store, Mandato::Turno, lead, n, k).await.expect("replayed");
        assert!(hecho == Hecho::Antes(outcome));
    }
}

/// The same key with another body is refused, and nothing is done.
pub async fn another_body_is_refused(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for mandato in TODOS {
        let ambito = format!("POST {mandato:?}");
        mandar(&store, mandato, lead, 1, clave(&ambito, "k", 1, t(1))).await.expect("done");
        let antes = estado(&store, lead).await;
        assert_fails!(mandar(&store, mandato, lead, 2, clave(&ambito, "k", 2, t(2))).await, KeyReused);
        assert_eq!(estado(&store, lead).await, antes, "{mandato:?}");
    }
}

/// A key that expired is free: another body may take it, and from then on that one counts.
pub async fn an_expired_key_is_free_again(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for mandato in TODOS {
        let ambito = format!("POST {mandato:?}");
        let primera = clave(&ambito, "k", 1, t(1));
        let expira = primera.expira_en;
        mandar(&store, mandato, lead, 1, primera).await.expect("done");
        let aun = micros(expira.as_microsecond() - 1);
        assert_fails!(mandar(&store, mandato, lead, 2, clave(&ambito, "k", 2, aun)).await, KeyReused);
        let nueva = Idempotencia { outcome: outcome("nueva"), ..clave(&ambito, "k", 2, expira) };
        let hecho = mandar(&store, mandato, lead, 2, nueva.clone()).await;
        assert_eq!(hecho.expect("done again"), Hecho::Ahora, "{mandato:?}");
        let hecho = mandar(&store, mandato, lead, 3, nueva).await;
        assert_eq!(hecho.expect("replayed"), Hecho::Antes(outcome("nueva")), "{mandato:?}");
        assert_fails!(mandar(&store, mandato, lead, 3, clave(&ambito, "k", 1, expira)).await, KeyReused);
    }
}

/// A key counts within its method and path only; keys are compared exactly.
pub async fn a_key_counts_within_its_scope(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let largo = "~".repeat(255);
    let pares =
        [("a", "k"), ("b", "k"), ("A", "k"), ("a", "K"), ("a", "k "), ("a", "%"), ("a", "_"), ("ak", "x")];
    for (ambito, k) in pares.into_iter().chain([("a", largo.as_str()), ("POST /api/leads/0190a1b2", "k")]) {
        let hecho = mandar(&store, Mandato::Turno, lead, 1, clave(ambito, k, 1, t(1))).await;
        assert_eq!(hecho.expect("done"), Hecho::Ahora, "{ambito} {k}");
    }
    assert_eq!(ficha(&store, lead).await.conversacion.len(), 10);
}

/// A command that failed leaves no key: sent again when it can succeed, it is done.
pub async fn a_failed_command_leaves_no_key(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    for mandato in TODOS.into_iter().filter(|m| *m != Mandato::Lead) {
        let (lead, ambito) = (nadie(), format!("POST {mandato:?}"));
        assert_fails!(mandar(&store, mandato, lead, 1, clave(&ambito, "k", 1, t(1))).await, LeadNotFound);
        crear(&store, CreateLead { id: lead, ..nuevo_lead("Ana") }).await;
        let hecho = mandar(&store, mandato, lead, 2, clave(&ambito, "k", 2, t(2))).await;
        assert_eq!(hecho.expect("done"), Hecho::Ahora, "{mandato:?}");
        assert_eq!(efectos(&store, mandato, lead).await, 1);
    }
}

/// A lead refused for its company leaves no key either.
pub async fn a_refused_lead_leaves_no_key(store: Arc<dyn Store>) {
    let con_clave = |cuerpo| CreateLead {
        idempotencia: Some(clave("POST /api/leads", "k", cuerpo, t(1))),
        ..nuevo_lead("Ana")
    };
    assert_fails!(store.create_lead(con_clave(1)).await, EmpresaNotFound);
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    assert_eq!(store.create_lead(con_clave(2)).await.expect("created"), Hecho::Ahora);
}

async fn carrera(store: &Arc<dyn Store>, mandato: Mandato, lead: LeadId, en: Timestamp) -> usize {
    let mut tareas = JoinSet::new();
    for n in 1..=16 {
        let (store, k) = (Arc::clone(store), clave(&format!("POST {mandato:?}"), "k", 1, en));
        tareas.spawn(async move { mandar(&store, mandato, lead, n, k).await });
    }
    let hechos: Vec<Hecho> =
        tareas.join_all().await.into_iter().map(|h| h.expect("done or replayed")).collect();
    let ahora = hechos.iter().filter(|h| **h == Hecho::Ahora).count();
    let antes = hechos.iter().filter(|h| **h == Hecho::Antes(outcome("k"))).count();
    assert_eq!(ahora + antes, 16, "{mandato:?}");
    ahora
}

/// Sixteen racers with one key have one effect and fifteen replays; so again when that key has expired.
pub async fn racers_with_one_key_have_one_effect(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for mandato in TODOS {
        assert_eq!(carrera(&store, mandato, lead, t(1)).await, 1, "{mandato:?}");
        assert_eq!(efectos(&store, mandato, lead).await, 1, "{mandato:?}");
        assert_eq!(carrera(&store, mandato, lead, t(1000)).await, 1, "{mandato:?} after expiry");
        let dos = if mandato == Mandato::Calificacion { 1 } else { 2 };
        assert_eq!(efectos(&store, mandato, lead).await, dos, "{mandato:?} after expiry");
    }
}

/// The purge deletes only keys that expired, and at most as many as it is told.
pub async fn the_purge_deletes_only_expired_keys(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let con = |n: i64, expira_en| Idempotencia { expira_en, ..clave("a", &format!("k{n}"), 1, t(1)) };
    let corte = t(500);
    let (antes, despues) = (micros(corte.as_microsecond() - 1), micros(corte.as_microsecond() + 1));
    for n in 0..7 {
        let k = con(n, if n < 5 { antes } else { despues });
        mandar(&store, Mandato::Turno, lead, n, k).await.expect("done");
    }
    assert_eq!(store.purge_idempotencia(t(2), 100).await.expect("purged"), 0);
    assert_eq!(store.purge_idempotencia(corte, 0).await.expect("purged"), 0);
    assert_eq!(store.purge_idempotencia(corte, 2).await.expect("purged"), 2);
    assert_eq!(store.purge_idempotencia(corte, 100).await.expect("purged"), 3);
    assert_eq!(store.purge_idempotencia(corte, 100).await.expect("purged"), 0);
    for n in 0..7 {
        // A caller whose clock still shows an earlier time sees whether the row is there.
        let hecho = mandar(&store, Mandato::Turno, lead, n, con(n, despues)).await.expect("answered");
        assert_eq!(hecho == Hecho::Ahora, n < 5, "k{n}");
    }
}
