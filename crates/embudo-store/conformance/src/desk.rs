//! What people do with leads.

use std::sync::Arc;

use embudo_domain::etapa::Etapa;
use embudo_domain::next_action::ActionKind;
use embudo_domain::{NotaId, UserId};
use embudo_store::Store;
use embudo_store::desk::{HandAction, NotaInterna};
use embudo_store::inbox::{InboxFilter, InboxSort};
use embudo_store::leads::CreateLead;
use uuid::Uuid;

use super::data::inbox::{anyone, listed, other_company, project, row};
use super::data::{ODD_TEXT, a_lead, create, new_lead, nobody, other_lead, t, turno};

pub async fn leads_are_assigned_and_given_away(store: Arc<dyn Store>) {
    let (one, other) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    let (ana, bea) = (UserId(Uuid::new_v4()), UserId(Uuid::new_v4()));
    let mut changed = store.assign(&viewer, vec![one, other], Some(ana)).await.expect("assigned");
    changed.sort();
    let mut expected = vec![(one, None), (other, None)];
    expected.sort();
    assert_eq!(changed, expected);
    assert_eq!(store.assign(&viewer, vec![one], Some(bea)).await.expect("assigned"), [(one, Some(ana))]);
    assert_eq!(store.assign(&viewer, vec![one], Some(bea)).await.expect("answered"), []);
    assert_eq!(row(&store, &viewer, one).await.assigned, Some(bea));
    assert_eq!(store.assign(&viewer, vec![one, nobody()], None).await.expect("assigned"), [(one, Some(bea))]);
    assert_eq!(store.desk(&viewer, one).await.expect("it exists").assigned, None);
    assert_eq!(store.desk(&viewer, other).await.expect("it exists").assigned, Some(ana));
}

pub async fn an_action_by_hand_has_its_day(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let plan = HandAction { due: t(500), text: ODD_TEXT.into() };
    assert_eq!(store.set_action(&viewer, lead, Some(plan.clone())).await.expect("set"), None);
    let read = row(&store, &viewer, lead).await;
    let action = read.next_action.expect("it is to do");
    assert_eq!((action.kind, action.due), (ActionKind::ByHand, t(500)));
    assert_eq!(read.action_text.as_deref(), Some(ODD_TEXT));
    store.append_turno(turno(lead, "hola", t(100))).await.expect("appended");
    let action = row(&store, &viewer, lead).await.next_action.expect("it is to do");
    assert_eq!((action.kind, action.due), (ActionKind::Answer, t(100)), "what is due first is next");
    assert_eq!(store.set_action(&viewer, lead, None).await.expect("taken away"), Some(plan));
    assert_eq!(store.desk(&viewer, lead).await.expect("it exists").action, None);
}

pub async fn internal_notes_are_kept_in_order(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let notas: Vec<NotaInterna> = [ODD_TEXT, "segunda"]
        .iter()
        .zip([t(1), t(2)])
        .map(|(text, creada_en)| NotaInterna {
            id: NotaId(Uuid::new_v4()),
            author: viewer.who,
            text: (*text).to_owned(),
            creada_en,
        })
        .collect();
    for nota in &notas {
        let text = nota.text.clone();
        store.add_nota_interna(&viewer, lead, nota.id, text, nota.creada_en).await.expect("added");
    }
    assert_eq!(store.desk(&viewer, lead).await.expect("it exists").notas, notas);
    assert!(store.delete_nota_interna(&viewer, lead, notas[0].id).await.expect("removed"));
    assert!(!store.delete_nota_interna(&viewer, lead, notas[0].id).await.expect("answered"));
    assert_eq!(store.desk(&viewer, lead).await.expect("it exists").notas, notas[1..]);
}

/// Each person has read or not read for themselves, and what happens later is unread again.
pub async fn reading_is_each_persons_own(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (ana, bea) = (anyone(&store).await, anyone(&store).await);
    store.append_turno(turno(lead, "hola", t(5))).await.expect("appended");
    assert!(row(&store, &ana, lead).await.unread);
    store.mark_read(&ana, vec![lead], t(6)).await.expect("seen");
    assert!(!row(&store, &ana, lead).await.unread);
    assert!(row(&store, &bea, lead).await.unread);
    store.mark_read(&ana, vec![lead], t(3)).await.expect("an older look changes nothing");
    assert!(!row(&store, &ana, lead).await.unread);
    store.append_turno(turno(lead, "¿hola?", t(9))).await.expect("appended");
    assert!(row(&store, &ana, lead).await.unread);
    store.mark_read(&ana, vec![lead], t(10)).await.expect("seen");
    store.mark_unread(&ana, lead).await.expect("marked");
    assert!(row(&store, &ana, lead).await.unread);
}

/// Nothing is moved: both leads take calls, the list shows one, and undoing it leaves nothing behind.
pub async fn two_leads_are_united_and_separated(store: Arc<dyn Store>) {
    let (one, main) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    assert!(store.unite(&viewer, one, main, t(5)).await.expect("united"));
    project(&store).await;
    let list = |sort| listed(&store, &viewer, InboxFilter::default(), sort);
    assert_eq!(list(InboxSort::Activity).await, [main]);
    assert_eq!(list(InboxSort::Created).await, [main]);
    store.append_turno(turno(one, "hola", t(20))).await.expect("appended");
    let read = row(&store, &viewer, main).await;
    assert_eq!(read.activity, t(20), "what is said to one is said to both");
    assert_eq!(read.next_action.map(|action| action.kind), Some(ActionKind::Answer));
    let (of_one, of_main) =
        (store.desk(&viewer, one).await.expect("it"), store.desk(&viewer, main).await.expect("it"));
    assert_eq!((of_one.principal, of_main.united), (Some(main), vec![one]));
    assert_eq!((of_one.etapa, of_main.etapa), (Etapa::EnConversacion, Etapa::Nuevo));
    assert!(store.separate(&viewer, one).await.expect("separated"));
    assert!(!store.separate(&viewer, one).await.expect("answered"));
    project(&store).await;
    assert_eq!(list(InboxSort::Activity).await, [one, main]);
    let read = row(&store, &viewer, main).await;
    assert_eq!((read.activity, read.next_action), (t(0), None), "as if it had never been");
}

pub async fn what_cannot_be_united_is_left(store: Arc<dyn Store>) {
    let (a, b, c) = (a_lead(&store).await, other_lead(&store).await, other_lead(&store).await);
    let (other, _) = other_company(&store).await;
    let theirs = create(&store, CreateLead { empresa: Some(other.id), ..new_lead("Otra") }).await;
    let viewer = anyone(&store).await;
    assert!(!store.unite(&viewer, a, a, t(1)).await.expect("answered"), "with itself");
    assert!(!store.unite(&viewer, a, theirs, t(1)).await.expect("answered"), "with another company's");
    assert!(store.unite(&viewer, a, b, t(1)).await.expect("united"));
    assert!(!store.unite(&viewer, a, c, t(1)).await.expect("answered"), "twice");
    assert!(!store.unite(&viewer, c, a, t(1)).await.expect("answered"), "with one that another stands for");
    assert!(!store.unite(&viewer, b, c, t(1)).await.expect("answered"), "one that stands for another");
    assert!(store.unite(&viewer, c, b, t(1)).await.expect("united"), "a third one");
}

pub async fn another_companys_lead_is_not_there(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (_, theirs) = other_company(&store).await;
    let id = NotaId(Uuid::new_v4());
    assert_fails!(store.desk(&theirs, lead).await, LeadNotFound);
    assert_fails!(store.reopen(&theirs, lead, t(1)).await, LeadNotFound);
    assert_fails!(store.set_action(&theirs, lead, None).await, LeadNotFound);
    assert_fails!(store.add_nota_interna(&theirs, lead, id, "x".into(), t(1)).await, LeadNotFound);
    assert_fails!(store.delete_nota_interna(&theirs, lead, id).await, LeadNotFound);
    assert_fails!(store.mark_unread(&theirs, lead).await, LeadNotFound);
    assert_fails!(store.separate(&theirs, lead).await, LeadNotFound);
    assert_fails!(store.unite(&theirs, lead, nobody(), t(1)).await, LeadNotFound);
    assert_eq!(store.assign(&theirs, vec![lead], Some(theirs.who)).await.expect("answered"), []);
    assert_eq!(store.archive(&theirs, vec![lead], "x".into(), t(1)).await.expect("answered"), []);
    store.mark_read(&theirs, vec![lead], t(1)).await.expect("answered");
    let desk = store.desk(&anyone(&store).await, lead).await.expect("it exists");
    assert_eq!((desk.etapa, desk.assigned, desk.notas), (Etapa::Nuevo, None, vec![]));
}
