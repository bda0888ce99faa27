//! Drafts: equal content is one quote, numbers have no gaps, a newer quote supersedes older ones.

use std::collections::BTreeSet;
use std::sync::Arc;

use embudo_domain::presupuesto::PresupuestoState::{Aceptado, Emitido, Preparing, Rechazado, Superseded};
use embudo_domain::presupuesto::{PresupuestoNumber, Validity};
use embudo_domain::{LeadId, PresupuestoId};
use jiff::civil::date;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::presupuesto::{
    TODAY, add_presupuesto, complete, day, document, draft, draft_it, in_state, job_of, send, state_of,
    summary,
};
use super::data::{
    ODD_TEXT, a_lead, create, empresa, extreme_instants, long_text, new_lead, nobody, other_lead, record, t,
};
use embudo_store::leads::CreateLead;
use embudo_store::presupuestos::NewPresupuesto;
use embudo_store::{Store, StoreError};

/// A draft is the first quote of its lead, and reads back word for word; the lead itself does not change.
pub async fn a_draft_reads_back_whole(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let before = record(&store, lead).await.lead;
    let document = document(&store, lead, ODD_TEXT).await;
    let command = draft(lead, document.clone(), TODAY, t(1));
    let p = store.add_presupuesto(command.clone()).await.expect("drafted");
    assert_eq!((p.id, p.lead, p.empresa), (command.id, lead, before.empresa.id));
    assert_eq!((p.number.to_string(), p.version, p.state), ("2026-0001".to_owned(), 1, Preparing));
    assert_eq!((p.content, p.validity), (document.digest(), Validity { issued: TODAY, until: day(30) }));
    assert_eq!((p.pdf, p.creado_en, p.emitido_en, &p.answer), (None, t(1), None, &None));
    assert_eq!(p.document, document);
    assert_eq!(job_of(&store, &p).await, p);
    assert_eq!(store.presupuestos(lead).await.expect("a list"), vec![p.clone()]);
    let after = record(&store, lead).await;
    assert_eq!((after.lead, after.presupuestos), (before, vec![p.summary()]));
    assert_eq!(after.events, vec![]);
}

/// Drafting the same content while the last quote is valid returns that quote, whatever its state, and nothing is
/// written.
pub async fn equal_content_is_one_quote(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for state in [Preparing, Emitido, Aceptado, Rechazado] {
        let lead = other_lead(&store).await;
        let p = in_state(&store, lead, "igual", state).await;
        let before = record(&store, lead).await;
        for issued in [TODAY, day(1), day(30)] {
            assert_eq!(draft_it(&store, lead, "igual", issued).await, p, "{state}");
        }
        assert_eq!(record(&store, lead).await, before, "{state}");
    }
}

/// Other content makes a new quote, which supersedes the old one; the content of a superseded quote makes a
/// new quote again.
pub async fn other_content_takes_the_place(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let one = add_presupuesto(&store, lead, "a").await;
    let two = add_presupuesto(&store, lead, "b").await;
    let three = add_presupuesto(&store, lead, "a").await;
    assert_eq!(three.content, one.content);
    assert!(two.id != one.id && three.id != one.id);
    let expected = [("2026-0001", 1, Superseded), ("2026-0002", 2, Superseded), ("2026-0003", 3, Preparing)];
    assert_eq!(summary(&store, lead).await, expected.map(|(n, v, e)| (n.to_owned(), v, e)));
    assert_eq!(job_of(&store, &one).await.document, one.document, "what it says stays");
}

/// An accepted quote is a contract: it stays beside a newer one. All others are superseded.
pub async fn an_accepted_quote_stays(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for state in [Preparing, Emitido, Rechazado, Aceptado] {
        let lead = other_lead(&store).await;
        let p = in_state(&store, lead, "primero", state).await;
        for nota in ["segundo", "tercero"] {
            add_presupuesto(&store, lead, nota).await;
        }
        let remains = if state == Aceptado { Aceptado } else { Superseded };
        assert_eq!(state_of(&store, &p).await, remains);
        let states: Vec<_> = summary(&store, lead).await.into_iter().map(|(_, v, e)| (v, e)).collect();
        assert_eq!(states, [(1, remains), (2, Superseded), (3, Preparing)]);
    }
}

/// Equal content whose validity is over makes a new quote; on its last day it is still valid.
pub async fn expired_content_is_a_new_quote(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let one = send(&store, lead, "igual").await;
    assert_eq!(draft_it(&store, lead, "igual", one.validity.until).await.id, one.id);
    let two = draft_it(&store, lead, "igual", day(31)).await;
    assert_eq!((two.number.orden(), two.version, two.content), (2, 2, one.content));
    assert_eq!(two.validity, Validity::new(day(31), 30));
    assert_eq!(state_of(&store, &one).await, Superseded);
}

/// Every company counts for itself, and every year begins with one; the versions of a lead's quotes continue.
pub async fn numbers_are_per_company_and_year(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let another = empresa("Reformas Dos");
    store.create_empresa(another.clone(), t(0)).await.expect("created");
    let own = CreateLead { empresa: Some(another.id), ..new_lead("Luis") };
    let own = create(&store, own).await;
    let (year_end, new_year) = (date(2026, 12, 31), date(2027, 1, 1));
    let mut numbers = Vec::new();
    for (of, issued) in [
        (lead, TODAY),
        (own, TODAY),
        (lead, year_end),
        (lead, new_year),
        (own, new_year),
        (own, new_year),
        (lead, TODAY),
        (lead, new_year),
    ] {
        let nota = numbers.len().to_string();
        let p = draft_it(&store, of, &nota, issued).await;
        assert_eq!(p.empresa == another.id, of == own);
        numbers.push((p.number.to_string(), p.version));
    }
    let expected_ones = [
        ("2026-0001", 1),
        ("2026-0001", 1),
        ("2026-0002", 2),
        ("2027-0001", 3),
        ("2027-0001", 2),
        ("2027-0002", 3),
        ("2026-0003", 4),
        ("2027-0002", 5),
    ];
    assert_eq!(numbers, expected_ones.map(|(n, v)| (n.to_owned(), v)));
}

/// Sixteen leads of one company at once get the numbers from 1 to 16.
pub async fn concurrent_drafts_have_no_gaps(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let lead = other_lead(&store).await;
        let command = draft(lead, document(&store, lead, "x").await, TODAY, t(1));
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.add_presupuesto(command).await.expect("drafted").number.orden() });
    }
    let numbers: BTreeSet<u32> = tasks.join_all().await.into_iter().collect();
    assert_eq!(numbers, (1..=16).collect());
}

/// Sixteen drafts of one lead at once with the same content are one quote.
pub async fn concurrent_equal_drafts_are_one(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let document = document(&store, lead, "x").await;
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let command = draft(lead, document.clone(), TODAY, t(1));
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.add_presupuesto(command).await.expect("drafted").id });
    }
    let ids: BTreeSet<PresupuestoId> = tasks.join_all().await.into_iter().collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(summary(&store, lead).await, [("2026-0001".to_owned(), 1, Preparing)]);
    assert_eq!(add_presupuesto(&store, other_lead(&store).await, "x").await.number.orden(), 2);
}

/// Sixteen drafts of one lead at once with different content are sixteen quotes, and the last one is in force.
pub async fn concurrent_drafts_of_one_lead_follow_each_other(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut tasks = JoinSet::new();
    for n in 0..16 {
        let command = draft(lead, document(&store, lead, &n.to_string()).await, TODAY, t(1));
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.add_presupuesto(command).await.expect("drafted").version });
    }
    let versions: BTreeSet<u32> = tasks.join_all().await.into_iter().collect();
    assert_eq!(versions, (1..=16).collect());
    let state = |n| if n == 16 { Preparing } else { Superseded };
    let expected: Vec<_> = (1..=16).map(|n| (format!("2026-{n:04}"), n, state(n))).collect();
    assert_eq!(summary(&store, lead).await, expected);
}

/// A draft that fails gives its number back and supersedes nothing.
pub async fn a_failed_draft_leaves_no_gap(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let one = add_presupuesto(&store, lead, "a").await;
    let document = document(&store, lead, "b").await;
    let good = draft(lead, document.clone(), TODAY, t(2));
    // An id that is taken already is noticed only after everything else is written.
    let repeated = NewPresupuesto { id: one.id, ..good.clone() };
    let without_year = NewPresupuesto { validity: Validity::new(date(999, 1, 1), 30), ..good.clone() };
    for bad in [repeated, without_year] {
        match store.add_presupuesto(bad).await {
            Err(StoreError::Internal(_)) => {}
            other => panic!("expected Internal, got {other:?}"),
        }
        assert_eq!(store.presupuestos(lead).await.expect("a list"), vec![one.clone()]);
    }
    assert_fails!(
        store.add_presupuesto(NewPresupuesto { lead: nobody(), ..good.clone() }).await,
        LeadNotFound
    );
    let two = store.add_presupuesto(good).await.expect("drafted");
    assert_eq!((two.number, two.version), (PresupuestoNumber::new(2026, 2).expect("a number"), 2));
}

/// A document of more than a megabyte survives, and so does the one after it.
pub async fn big_documents_survive(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let length = long_text(1 << 20);
    let p = add_presupuesto(&store, lead, &length).await;
    complete(&store, &p).await;
    assert!(job_of(&store, &p).await.document == p.document);
    assert_eq!(add_presupuesto(&store, lead, &length).await.id, p.id);
    assert_eq!(add_presupuesto(&store, lead, &format!("{length}.")).await.version, 2);
}

/// Instants are kept to the microsecond.
pub async fn times_are_exact(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for at in extreme_instants() {
        let command = draft(lead, document(&store, lead, &at.to_string()).await, TODAY, at);
        let p = store.add_presupuesto(command).await.expect("drafted");
        assert_eq!((p.creado_en, job_of(&store, &p).await.creado_en), (at, at));
    }
}

/// A quote that does not exist is not found; a lead may have no quotes.
pub async fn what_is_unknown_is_not_found(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    assert_eq!(store.presupuestos(lead).await.expect("a list"), vec![]);
    assert_fails!(store.presupuestos(nobody()).await, LeadNotFound);
    assert_fails!(store.presupuesto(PresupuestoId(Uuid::new_v4())).await, PresupuestoNotFound);
    let LeadId(id) = lead;
    assert_fails!(store.presupuesto(PresupuestoId(id)).await, PresupuestoNotFound);
}
