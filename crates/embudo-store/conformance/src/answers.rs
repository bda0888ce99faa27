//! What clients say of quotes: written with its evidence where the quote allows it, and nothing otherwise.

use std::sync::Arc;

use embudo_domain::PresupuestoId;
use embudo_domain::job::JobKind;
use embudo_domain::presupuesto::PresupuestoState::{Aceptado, Borrador, Emitido, Rechazado, Superseded};
use embudo_domain::presupuesto::{Presupuesto, SignedAnswer};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::outbox::{job, lead_with_notices, own};
use super::data::presupuesto::{
    answer, day, document, draft, in_state, incident, job_of, says, send, state_of,
};
use super::data::{ODD_TEXT, a_lead, long_text, other_lead, record, t};
use embudo_store::Store;
use embudo_store::presupuestos::{AnswerPresupuesto, AnswerResult};

/// State, evidence, event and jobs come together.
pub async fn an_answer_is_written_whole(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let p = send(&store, lead, "x").await;
    let antes = record(&store, lead).await;
    let notice = job(JobKind::EmpresaMail);
    let id = notice.id;
    let command = AnswerPresupuesto { jobs: vec![notice], ..says(&p, true, t(5)) };
    assert_eq!(answer(&store, command.clone()).await, AnswerResult::Done);
    let expected = Presupuesto { state: Aceptado, answer: Some(command.answer), ..p };
    assert_eq!(job_of(&store, &expected).await, expected);
    assert_eq!(store.presupuestos(lead).await.expect("a list"), vec![expected]);
    let after = record(&store, lead).await;
    assert_eq!(after.lead, antes.lead);
    assert_eq!(after.events.last(), Some(&incident(true, t(5))));
    let notice = store.job(id).await.expect("made").0;
    assert_eq!((notice.lead, notice.creado_en, notice.proximo_en), (lead, t(5), t(5)));
}

/// Each state takes the answers that it can take; of the others nothing is written.
pub async fn each_state_answers_in_its_way(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let cases = [
        (Borrador, true, AnswerResult::DoesNotFit(Borrador)),
        (Borrador, false, AnswerResult::DoesNotFit(Borrador)),
        (Emitido, true, AnswerResult::Done),
        (Emitido, false, AnswerResult::Done),
        (Rechazado, true, AnswerResult::Done),
        (Rechazado, false, AnswerResult::Repeated),
        (Aceptado, true, AnswerResult::Repeated),
        (Aceptado, false, AnswerResult::DoesNotFit(Aceptado)),
        (Superseded, true, AnswerResult::DoesNotFit(Superseded)),
        (Superseded, false, AnswerResult::DoesNotFit(Superseded)),
    ];
    for (state, accepted, expected) in cases {
        let lead = other_lead(&store).await;
        let p = in_state(&store, lead, "x", state).await;
        let antes = (record(&store, lead).await, own(&store, lead).await);
        let jobs = vec![job(JobKind::Mensajeria)];
        let command = AnswerPresupuesto { jobs, ..says(&p, accepted, t(6)) };
        assert_eq!(answer(&store, command).await, expected, "{state} {accepted}");
        if expected == AnswerResult::Done {
            let remains = if accepted { Aceptado } else { Rechazado };
            assert_eq!(state_of(&store, &p).await, remains, "{state} {accepted}");
        } else {
            assert_eq!(job_of(&store, &p).await, p, "{state} {accepted}");
            assert_eq!((record(&store, lead).await, own(&store, lead).await), antes, "{state} {accepted}");
        }
    }
}

/// A client who declined may accept later; the quote shows the last answer, history both.
pub async fn a_client_may_change_their_mind(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send(&store, lead, "x").await;
    for (accepted, at) in [(false, t(5)), (true, t(4))] {
        assert_eq!(answer(&store, says(&p, accepted, at)).await, AnswerResult::Done);
        let answer = job_of(&store, &p).await.answer.expect("answered");
        assert_eq!((answer.accepted, answer.at), (accepted, at), "the last one, whatever its clock says");
    }
    assert_eq!(record(&store, lead).await.events.len(), 2);
}

/// On its last day a quote can be answered, later not; what was answered in time stays so.
pub async fn it_can_be_too_late(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send(&store, lead, "x").await;
    let the = |today, accepted| AnswerPresupuesto { today, ..says(&p, accepted, t(5)) };
    for accepted in [true, false] {
        assert_eq!(answer(&store, the(day(31), accepted)).await, AnswerResult::Expired);
    }
    assert_eq!(job_of(&store, &p).await, p);
    assert_eq!(answer(&store, the(day(30), true)).await, AnswerResult::Done);
    assert_eq!(answer(&store, the(day(31), true)).await, AnswerResult::Repeated);
    assert_eq!(answer(&store, the(day(31), false)).await, AnswerResult::DoesNotFit(Aceptado));
    assert_eq!(record(&store, lead).await.events.len(), 1);
}

/// Whoever saw another PDF answered another quote.
pub async fn another_pdf_is_refused(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send(&store, lead, "x").await;
    let mut command = says(&p, true, t(5));
    command.answer.pdf_sha256[31] ^= 1;
    assert_eq!(answer(&store, command).await, AnswerResult::Expired);
    assert_eq!(job_of(&store, &p).await, p);
    assert_eq!(record(&store, lead).await.events, vec![]);
}

/// Of sixteen who accept at once one is written down, and the others are told that it was.
pub async fn racers_answer_once(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send(&store, lead, "x").await;
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let jobs = vec![job(JobKind::Mensajeria)];
        let command = AnswerPresupuesto { jobs, ..says(&p, true, t(5)) };
        let store = Arc::clone(&store);
        tasks.spawn(async move { answer(&store, command).await });
    }
    let all = tasks.join_all().await;
    assert_eq!(all.iter().filter(|c| **c == AnswerResult::Done).count(), 1);
    assert_eq!(all.iter().filter(|c| **c == AnswerResult::Repeated).count(), 15);
    assert_eq!((record(&store, lead).await.events.len(), own(&store, lead).await.len()), (1, 2));
}

/// A client who accepts while a newer quote is drafted: either the contract stands, or they learn that it was superseded.
pub async fn a_newer_quote_and_an_answer_never_both_win(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for _ in 0..10 {
        let lead = other_lead(&store).await;
        let p = send(&store, lead, "x").await;
        let new = draft(lead, document(&store, lead, "y").await, day(0), t(6));
        let (s1, s2, command) = (Arc::clone(&store), Arc::clone(&store), says(&p, true, t(6)));
        let accepts = tokio::spawn(async move { answer(&s1, command).await });
        let drafts = tokio::spawn(async move { s2.draft_presupuesto(new).await });
        let answer_result = accepts.await.expect("no panic");
        assert_eq!(drafts.await.expect("no panic").expect("drafted").version, 2);
        match state_of(&store, &p).await {
            Aceptado => assert_eq!(answer_result, AnswerResult::Done),
            other => assert_eq!((other, answer_result), (Superseded, AnswerResult::DoesNotFit(Superseded))),
        }
    }
}

/// Every word of the evidence survives.
pub async fn strange_and_long_texts_survive(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for (n, text) in [ODD_TEXT.to_owned(), String::new(), long_text(1 << 20)].into_iter().enumerate() {
        let p = send(&store, lead, &n.to_string()).await;
        let mut command = says(&p, false, t(5));
        command.answer = SignedAnswer {
            reason: Some(text.clone()),
            ip: Some(text.clone()),
            texto_version: text,
            ..command.answer
        };
        assert_eq!(answer(&store, command.clone()).await, AnswerResult::Done);
        assert!(job_of(&store, &p).await.answer == Some(command.answer));
    }
}

pub async fn an_unknown_quote_is_not_found(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send(&store, lead, "x").await;
    let command = AnswerPresupuesto { id: PresupuestoId(Uuid::new_v4()), ..says(&p, true, t(5)) };
    assert_fails!(store.answer_presupuesto(command).await, PresupuestoNotFound);
}
