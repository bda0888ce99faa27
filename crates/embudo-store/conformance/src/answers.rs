//! Answers of clients to quotes: written with their evidence where the quote allows the answer; otherwise nothing is
//! written.

use std::sync::Arc;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::event::EventKind;
use embudo_domain::job::JobKind;
use embudo_domain::presupuesto::PresupuestoState::{Aceptado, Emitido, Preparing, Rechazado, Superseded};
use embudo_domain::presupuesto::{
    ByPhone, Character, ChosenOption, Document, Presupuesto, SignedAnswer, StoredPdf,
};
use embudo_domain::{Digest, PresupuestoId};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::access::entry;
use super::data::outbox::{job, lead_with_notices, own};
use super::data::presupuesto::{
    answer, asks, day, document, draft, in_state, incident, job_of, says, send, send_document, state_of,
    with_options,
};
use super::data::{ODD_TEXT, a_lead, event, long_text, other_lead, record, t};
use embudo_store::Store;
use embudo_store::audit::AuditFilter;
use embudo_store::presupuestos::{AnswerPresupuesto, AnswerResult, AskVisit, KeepAccepted};

/// An answer is stored together with the quote's state, the evidence, the event and the jobs.
pub async fn an_answer_is_written_whole(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let p = send(&store, lead, "x").await;
    let before = record(&store, lead).await;
    let notice = job(JobKind::EmpresaMail);
    let id = notice.id;
    let command = AnswerPresupuesto { jobs: vec![notice], ..says(&p, true, t(5)) };
    assert_eq!(answer(&store, command.clone()).await, AnswerResult::Done);
    let expected = Presupuesto { state: Aceptado, answer: Some(command.answer), ..p };
    assert_eq!(job_of(&store, &expected).await, expected);
    assert_eq!(store.presupuestos(lead).await.expect("a list"), vec![expected]);
    let after = record(&store, lead).await;
    assert_eq!(after.lead, before.lead);
    assert_eq!(after.events.last(), Some(&incident(true, t(5))));
    let notice = store.job(id).await.expect("made").0;
    assert_eq!((notice.lead, notice.creado_en, notice.proximo_en), (lead, t(5), t(5)));
}

/// Each state takes the answers that it allows; of all others nothing is written.
pub async fn each_state_answers_in_its_way(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let cases = [
        (Preparing, true, AnswerResult::DoesNotFit(Preparing)),
        (Preparing, false, AnswerResult::DoesNotFit(Preparing)),
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
        let before = (record(&store, lead).await, own(&store, lead).await);
        let jobs = vec![job(JobKind::Mensajeria)];
        let command = AnswerPresupuesto { jobs, ..says(&p, accepted, t(6)) };
        assert_eq!(answer(&store, command).await, expected, "{state} {accepted}");
        if expected == AnswerResult::Done {
            let remains = if accepted { Aceptado } else { Rechazado };
            assert_eq!(state_of(&store, &p).await, remains, "{state} {accepted}");
        } else {
            assert_eq!(job_of(&store, &p).await, p, "{state} {accepted}");
            assert_eq!((record(&store, lead).await, own(&store, lead).await), before, "{state} {accepted}");
        }
    }
}

/// A client who declined may accept later; the quote shows the last answer, the history both.
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

/// A quote can be answered until its last day, not later; an answer that was given in time stays valid.
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

/// An answer that names another PDF than the quote's is refused.
pub async fn another_pdf_is_refused(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send(&store, lead, "x").await;
    let mut command = says(&p, true, t(5));
    command.answer.pdf_sha256[31] ^= 1;
    assert_eq!(answer(&store, command).await, AnswerResult::Expired);
    assert_eq!(job_of(&store, &p).await, p);
    assert_eq!(record(&store, lead).await.events, vec![]);
}

/// The chosen options are kept, with their total and what was asked and declared with them.
pub async fn the_options_that_were_taken_are_kept(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send_document(&store, lead, with_options(document(&store, lead, "x").await, 3)).await;
    let options = p.document.choose(&["opcion-2", "opcion-0"]).expect("they are its own");
    assert_eq!(options.iter().map(|o| o.id.as_str()).collect::<Vec<_>>(), ["opcion-0", "opcion-2"]);
    let total = p.document.with_options(&options).total;
    assert!(total > p.document.impuesto.total);
    let mut command = says(&p, true, t(5));
    command.answer.options = options.clone();
    command.answer.total = Some(total);
    command.answer.early_start = Some("2026.1".into());
    assert_eq!(answer(&store, command.clone()).await, AnswerResult::Done);
    let kept = job_of(&store, &p).await;
    assert_eq!(kept.answer, Some(command.answer));
    let taken = kept.acceptance().expect("accepted");
    assert_eq!(
        (taken.total, &taken.options, taken.declared, taken.early_start),
        (total, &options, true, true)
    );
    let record = record(&store, lead).await;
    assert_eq!(record.presupuestos[0].accepted, Some(taken));
    assert_eq!(record.presupuestos[0].total, p.document.impuesto.total, "what it says stays");
}

/// An answer that a person of the company wrote down shows that person on every read, and is audited together with the
/// answer; a refused answer is not audited.
pub async fn an_acceptance_by_telephone_says_who_wrote_it_down(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send(&store, lead, "x").await;
    let by = ByPhone { who: "Marta Gil".into(), note: Some("Llamó a las diez.".into()) };
    let mut command = says(&p, true, t(5));
    command.answer.by_phone = Some(by.clone());
    let told = || Some(AuditEntry { action: AuditAction::QuoteAcceptedByPhone, ..entry(None, 5) });
    command.audit = told();
    assert_eq!(answer(&store, command.clone()).await, AnswerResult::Done);
    assert_eq!(job_of(&store, &p).await.answer, Some(command.answer.clone()));
    let record = record(&store, lead).await;
    let taken = record.presupuestos[0].accepted.clone().expect("accepted");
    assert_eq!(taken.by_phone, Some(by));
    command.audit = told();
    assert_eq!(answer(&store, command).await, AnswerResult::Repeated);
    let log = store.audit_log(AuditFilter::default(), None, 50).await.expect("read");
    let lines = log.iter().filter(|line| line.action == AuditAction::QuoteAcceptedByPhone);
    assert_eq!(lines.count(), 1, "what changes nothing is not told");
}

/// An answer is refused if it does not name what the client saw: other options than the quote's, or another total than
/// these options have.
pub async fn another_total_is_refused(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send_document(&store, lead, with_options(document(&store, lead, "x").await, 2)).await;
    let own = p.document.choose(&["opcion-1"]).expect("it is its own");
    let forged = ChosenOption { id: "opcion-9".into(), concepto: "Nada".into() };
    let with = |options: &[ChosenOption], total| {
        let mut command = says(&p, true, t(5));
        (command.answer.options, command.answer.total) = (options.to_vec(), total);
        command
    };
    let (all, plain) = (p.document.with_options(&own).total, p.document.impuesto.total);
    let twice = [own[0].clone(), own[0].clone(), own[0].clone()];
    let cases = [
        (with(&[forged], Some(plain)), AnswerResult::OtherOptions),
        (with(&twice, Some(all)), AnswerResult::OtherOptions),
        (with(&own, Some(plain)), AnswerResult::OtherTotal),
        (with(&[], Some(all)), AnswerResult::OtherTotal),
        (with(&own, None), AnswerResult::OtherTotal),
    ];
    for (command, expected) in cases {
        assert_eq!(answer(&store, command).await, expected);
    }
    assert_eq!(job_of(&store, &p).await, p);
    assert_eq!(record(&store, lead).await.events, vec![]);
    assert_eq!(answer(&store, with(&own, Some(all))).await, AnswerResult::Done);
}

/// A client can decline an orientative quote or ask for a visit, but never accept it; a binding one needs no visit.
pub async fn an_orientative_quote_asks_for_a_visit(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let orientative = |d: Document| Document { decided: Some(Character::Orientative), ..d };
    let p = send_document(&store, lead, orientative(document(&store, lead, "x").await)).await;
    assert_eq!(answer(&store, says(&p, true, t(4))).await, AnswerResult::IsOrientative);
    let notice = job(JobKind::EmpresaMail);
    let id = notice.id;
    let command = AskVisit { jobs: vec![notice], ..asks(&p, Some(ODD_TEXT), t(5)) };
    assert_eq!(store.ask_visit(command.clone()).await.expect("asked"), AnswerResult::Done);
    let expected = Presupuesto { visit: Some(command.request.clone()), ..p.clone() };
    assert_eq!(job_of(&store, &p).await, expected);
    let after = record(&store, lead).await;
    assert_eq!(after.events.last(), Some(&event(EventKind::AskedVisit, t(5))));
    assert_eq!(after.presupuestos[0].visit, Some(command.request));
    assert_eq!(store.job(id).await.expect("made").0.lead, lead);
    // A visit is asked for only once, unless the client declines and then asks again.
    let again = |at| AskVisit { jobs: vec![job(JobKind::EmpresaMail)], ..asks(&p, None, at) };
    assert_eq!(store.ask_visit(again(t(6))).await.expect("answered"), AnswerResult::Repeated);
    assert_eq!(record(&store, lead).await.events, after.events);
    assert_eq!(answer(&store, says(&p, false, t(7))).await, AnswerResult::Done);
    let late = AskVisit { today: day(31), ..again(t(8)) };
    assert_eq!(store.ask_visit(late).await.expect("answered"), AnswerResult::Expired);
    assert_eq!(store.ask_visit(again(t(9))).await.expect("asked"), AnswerResult::Done);
    assert_eq!(job_of(&store, &p).await.open_visit().map(|visit| visit.at), Some(t(9)));
    let other = other_lead(&store).await;
    let binding = send(&store, other, "x").await;
    let answered = store.ask_visit(asks(&binding, None, t(5))).await.expect("answered");
    assert_eq!(answered, AnswerResult::IsBinding);
    let unknown = AskVisit { id: PresupuestoId(Uuid::new_v4()), ..asks(&p, None, t(5)) };
    assert_fails!(store.ask_visit(unknown).await, PresupuestoNotFound);
}

/// Of sixteen racing acceptances one is written down, and the others are answered as repeated.
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

/// A client accepts while a newer quote is drafted: either the acceptance stands, or the client learns that the quote
/// was superseded.
pub async fn a_newer_quote_and_an_answer_never_both_win(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for _ in 0..10 {
        let lead = other_lead(&store).await;
        let p = send(&store, lead, "x").await;
        let new = draft(lead, document(&store, lead, "y").await, day(0), t(6));
        let (s1, s2, command) = (Arc::clone(&store), Arc::clone(&store), says(&p, true, t(6)));
        let accepts = tokio::spawn(async move { answer(&s1, command).await });
        let drafts = tokio::spawn(async move { s2.add_presupuesto(new).await });
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
            declaracion: Some("iva_reducido 2026.1".into()),
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

/// The PDF of an acceptance is kept once, only of an accepted quote, and its blob is in use afterwards.
pub async fn the_paper_of_an_acceptance_is_kept(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send(&store, lead, "x").await;
    let pdf = |text: &[u8]| StoredPdf { digest: Digest::of(text), sha256: [7; 32], bytes: 5 };
    let keep = |text: &[u8]| KeepAccepted { id: p.id, pdf: pdf(text), swept: Vec::new() };
    assert_fails!(store.keep_accepted(keep(b"first")).await, PresupuestoNotFound);
    assert_eq!(answer(&store, says(&p, true, t(5))).await, AnswerResult::Done);
    assert_eq!(job_of(&store, &p).await.accepted_pdf, None);
    store.keep_accepted(keep(b"first")).await.expect("kept");
    store.keep_accepted(keep(b"second")).await.expect("the first one stays");
    assert_eq!(job_of(&store, &p).await.accepted_pdf, Some(pdf(b"first")));
    let summary = record(&store, lead).await.presupuestos.remove(0);
    assert_eq!((summary.accepted_pdf, summary.pdf), (Some(pdf(b"first")), p.pdf));
    let unknown = KeepAccepted { id: PresupuestoId(Uuid::new_v4()), ..keep(b"first") };
    assert_fails!(store.keep_accepted(unknown).await, PresupuestoNotFound);
}
