//! Several processes on one server: each process receives the others' changes of leads, and never its own.

use crate::common::Base;
use embudo_domain::{EmpresaId, LeadId, UserId};
use embudo_store::prelude::*;
use embudo_store::projection::{Heard, LeadChange};
use uuid::Uuid;

fn change(n: u128) -> LeadChange {
    LeadChange { lead: LeadId(Uuid::from_u128(n)), empresa: EmpresaId(Uuid::from_u128(1)) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leads_that_change_are_told_to_the_other_processes() {
    let base = Base::new().await;
    let [one, two, three] = [base.store().await, base.store().await, base.store().await];
    for store in [&one, &two, &three] {
        assert_eq!(
            store.changes_told().await,
            Heard::Everything,
            "a process that begins to listen has missed something"
        );
    }
    one.tell_changes(Heard::Leads(vec![change(1), change(2)]));
    for store in [&two, &three] {
        assert_eq!(store.changes_told().await, Heard::Leads(vec![change(1), change(2)]));
    }
    let people = Heard::People(vec![UserId(Uuid::from_u128(3)), UserId(Uuid::from_u128(4))]);
    one.tell_changes(people.clone());
    for store in [&two, &three] {
        assert_eq!(store.changes_told().await, people, "their streams end there too");
    }
    two.tell_changes(Heard::Everything);
    assert_eq!(one.changes_told().await, Heard::Everything, "and nothing of its own before");
    assert_eq!(three.changes_told().await, Heard::Everything);
}

/// Many changes are sent in one notification; too many are sent as "everything".
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_gathers_is_told_together() {
    let base = Base::new().await;
    let [one, two] = [base.store().await, base.store().await];
    assert_eq!(two.changes_told().await, Heard::Everything);
    one.tell_changes(Heard::Leads((0..500).map(change).collect()));
    assert_eq!(two.changes_told().await, Heard::Everything);
}
