//! Visits: kept as the domain defines, one hour of a person for one client only, and the lead's etapa changes with
//! them.

use std::sync::Arc;

use embudo_domain::etapa::Etapa;
use embudo_domain::event::EventKind;
use embudo_domain::next_action::ActionKind;
use embudo_domain::visita::{Agenda, Cancelled, DaysOff, Visita, VisitaState};
use embudo_domain::{Digest, LeadId, Timestamp, UserId, VisitaId};
use embudo_store::credentials::{LinkKind, NewReset, SetPassword, UseReset};
use embudo_store::visits::{Claim, SaveVisita, VisitaChange};
use embudo_store::{Store, StoreError};
use jiff::SignedDuration;
use jiff::civil::date;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::access::{a_session, a_user, entry};
use super::data::inbox::{anyone, audit_entry, etapa, next, other_company, row};
use super::data::{ODD_TEXT, a_lead, event, other_lead, record, t};

const HOUR: i64 = 3_600;
const BUFFER: SignedDuration = SignedDuration::from_mins(30);

/// A visit that is proposed for these hours.
async fn proposed(store: &Arc<dyn Store>, lead: LeadId, people: &[UserId], hours: &[i64]) -> Visita {
    let visita = proposal(store, lead, people, hours).await;
    saved(store, save(visita, None)).await
}

pub(crate) async fn proposal(
    store: &Arc<dyn Store>,
    lead: LeadId,
    people: &[UserId],
    hours: &[i64],
) -> Visita {
    Visita {
        id: VisitaId(Uuid::new_v4()),
        lead,
        empresa: record(store, lead).await.lead.empresa.id,
        state: VisitaState::Propuesta,
        revision: 1,
        sequence: 0,
        slots: hours.iter().map(|hour| t(hour * HOUR)).collect(),
        start: None,
        minutes: 60,
        address: ODD_TEXT.to_owned(),
        people: people.to_vec(),
        notes: ODD_TEXT.to_owned(),
        measurements: String::new(),
        creada_en: t(1),
        cambiada_en: t(1),
        cancelled: None,
    }
}

pub(crate) fn save(visita: Visita, seen: Option<i64>) -> SaveVisita {
    let (claim, at) = (Claim::Free(BUFFER), visita.cambiada_en);
    SaveVisita { visita, seen, claim, event: None, jobs: Vec::new(), audit: None, at }
}

async fn change(store: &Arc<dyn Store>, command: SaveVisita) -> VisitaChange {
    store.save_visita(command).await.expect("saved")
}

async fn saved(store: &Arc<dyn Store>, command: SaveVisita) -> Visita {
    match change(store, command).await {
        VisitaChange::Saved(visita) => visita,
        other => panic!("{other:?}"),
    }
}

fn picked(visita: &Visita, hour: i64, now: Timestamp) -> SaveVisita {
    let agreed = visita.clone().pick(t(hour * HOUR), now).expect("it is among the slots");
    save(agreed, Some(visita.revision))
}

pub async fn a_visit_is_kept_as_it_is(store: Arc<dyn Store>) {
    let (lead, person, other) = (a_lead(&store).await, a_user(&store).await, a_user(&store).await);
    let made = proposed(&store, lead, &[person, other], &[10, 20]).await;
    assert_eq!(made.revision, 1);
    assert_eq!(store.visita(made.id).await.expect("read"), Some(made.clone()));
    assert_eq!(store.visitas_of(lead, 10).await.expect("read"), vec![made.clone()]);
    assert_eq!(store.visita(VisitaId(Uuid::new_v4())).await.expect("read"), None);
    assert_eq!(store.proposed_visits(made.empresa, 10).await.expect("read")[0].visita, made);
    assert_eq!(store.calendar_of(person, t(0)).await.expect("read"), vec![], "nobody knows when");
    let command = SaveVisita {
        event: Some(event(EventKind::Visita, t(5))),
        audit: Some(entry(None, 5)),
        ..picked(&made, 10, t(5))
    };
    let agreed = saved(&store, command.clone()).await;
    assert_eq!((agreed.revision, agreed.start), (2, Some(t(10 * HOUR))));
    assert_eq!(
        change(&store, command).await,
        VisitaChange::Saved(agreed.clone()),
        "a commit in doubt, again"
    );
    assert_eq!(change(&store, picked(&made, 20, t(6))).await, VisitaChange::Stale(agreed.clone()));
    assert_eq!(store.proposed_visits(made.empresa, 10).await.expect("read"), vec![]);
    let listed = store.calendar(made.empresa, t(10 * HOUR), t(10 * HOUR + 1)).await.expect("read");
    assert_eq!((listed.len(), &listed[0].visita), (1, &agreed));
    assert_eq!(listed[0].nombre, record(&store, lead).await.lead.nombre);
    assert_eq!(store.calendar(made.empresa, t(0), t(10 * HOUR)).await.expect("read"), vec![]);
    for user in [person, other] {
        assert_eq!(store.calendar_of(user, t(0)).await.expect("read")[0].visita, agreed);
        assert_eq!(store.calendar_of(user, t(11 * HOUR)).await.expect("read"), vec![], "it is over");
    }
    assert!(record(&store, lead).await.events.iter().any(|event| event.kind == EventKind::Visita));
    let nobody = Visita { lead: LeadId(Uuid::new_v4()), ..agreed.clone() };
    assert!(matches!(store.save_visita(save(nobody, None)).await, Err(StoreError::LeadNotFound)));
    let unknown = Visita { id: VisitaId(Uuid::new_v4()), ..agreed };
    assert_eq!(change(&store, save(unknown, Some(1))).await, VisitaChange::Gone);
}

pub async fn an_hour_of_a_person_is_for_one_client(store: Arc<dyn Store>) {
    let (person, other) = (a_user(&store).await, a_user(&store).await);
    let (one, two) = (a_lead(&store).await, other_lead(&store).await);
    let first = proposed(&store, one, &[person], &[10, 12]).await;
    let second = proposed(&store, two, &[other, person], &[10, 11, 12]).await;
    let first = saved(&store, picked(&first, 10, t(5))).await;
    for hour in [10, 11] {
        // The second visit leaves less than the required buffer in between.
        let taken = change(&store, picked(&second, hour, t(6))).await;
        assert!(
            matches!(&taken, VisitaChange::Taken(busy) if busy[0].visita == first.id),
            "{hour}: {taken:?}"
        );
    }
    assert_eq!(store.visita(second.id).await.expect("read"), Some(second.clone()), "nothing was written");
    let busy = store.busy(&[person, other], t(0), t(20 * HOUR)).await.expect("read");
    assert_eq!(busy.iter().map(|busy| busy.visita).collect::<Vec<_>>(), [first.id]);
    // A person may override the check.
    let anyway = SaveVisita { claim: Claim::Anyway, ..picked(&second, 10, t(6)) };
    let second = saved(&store, anyway).await;
    // A cancelled visit frees its hour; a visit never conflicts with itself.
    let gone = saved(
        &store,
        save(second.clone().cancel(Some(other), t(7)).expect("cancelled"), Some(second.revision)),
    )
    .await;
    assert_eq!(gone.cancelled, Some(Cancelled { at: t(7), by: Some(other) }));
    assert_eq!(store.visita(gone.id).await.expect("read"), Some(gone.clone()), "by whom is kept");
    assert_eq!(store.busy(&[other], t(0), t(20 * HOUR)).await.expect("read"), vec![]);
    assert_eq!(gone.sequence, 1);
    let moved = first.clone().agree(t(10 * HOUR + 600), t(8)).expect("moved");
    assert_eq!(saved(&store, save(moved, Some(first.revision))).await.sequence, 1);
}

pub async fn of_many_who_want_one_hour_one_gets_it(store: Arc<dyn Store>) {
    let (person, other) = (a_user(&store).await, a_user(&store).await);
    a_lead(&store).await;
    let mut visits = Vec::new();
    for n in 0..8 {
        let lead = other_lead(&store).await;
        // The people come in either order, so that their locks are requested in either order.
        let people = if n % 2 == 0 { [person, other] } else { [other, person] };
        visits.push(proposed(&store, lead, &people, &[10]).await);
    }
    let mut racers = JoinSet::new();
    for visita in &visits {
        let (store, command) = (Arc::clone(&store), picked(visita, 10, t(5)));
        racers.spawn(async move { store.save_visita(command).await.expect("answered") });
    }
    let ends = racers.join_all().await;
    assert_eq!(ends.iter().filter(|end| matches!(end, VisitaChange::Saved(_))).count(), 1, "{ends:?}");
    assert_eq!(ends.iter().filter(|end| matches!(end, VisitaChange::Taken(_))).count(), 7);
    assert_eq!(store.busy(&[person], t(0), t(20 * HOUR)).await.expect("read").len(), 1);
}

/// A person who overrides the check always gets the hour. Of those who use the check, one gets the hour if they came
/// first, and nobody afterwards.
pub async fn who_overrides_races_with_who_asks(store: Arc<dyn Store>) {
    let (person, other) = (a_user(&store).await, a_user(&store).await);
    a_lead(&store).await;
    for round in 1..=4 {
        let hour = 10 * round;
        let mut racers = JoinSet::new();
        for n in 0..4 {
            let lead = other_lead(&store).await;
            let people = if n % 2 == 0 { [person, other] } else { [other, person] };
            let visita = proposed(&store, lead, &people, &[hour]).await;
            let claim = if n == 0 { Claim::Anyway } else { Claim::Free(BUFFER) };
            let (store, command) = (Arc::clone(&store), SaveVisita { claim, ..picked(&visita, hour, t(5)) });
            racers.spawn(async move { (claim, store.save_visita(command).await.expect("answered")) });
        }
        let ends = racers.join_all().await;
        let saved = |of: Claim| {
            ends.iter().filter(|(claim, end)| *claim == of && matches!(end, VisitaChange::Saved(_))).count()
        };
        assert_eq!(saved(Claim::Anyway), 1, "{ends:?}");
        assert!(saved(Claim::Free(BUFFER)) <= 1, "{ends:?}");
        let taken = ends.iter().filter(|(_, end)| matches!(end, VisitaChange::Taken(_))).count();
        assert_eq!(saved(Claim::Anyway) + saved(Claim::Free(BUFFER)) + taken, 4, "{ends:?}");
        let late = proposed(&store, other_lead(&store).await, &[person], &[hour]).await;
        let end = change(&store, picked(&late, hour, t(5))).await;
        assert!(matches!(end, VisitaChange::Taken(_)), "who overrode is seen: {end:?}");
    }
}

pub async fn a_changed_length_or_person_is_claimed_too(store: Arc<dyn Store>) {
    let (person, other) = (a_user(&store).await, a_user(&store).await);
    let (one, two) = (a_lead(&store).await, other_lead(&store).await);
    let first = proposed(&store, one, &[person], &[10]).await;
    let first = saved(&store, picked(&first, 10, t(5))).await;
    let second = proposed(&store, two, &[other], &[9]).await;
    let second = saved(&store, picked(&second, 9, t(5))).await;
    let with = Visita { people: vec![other, person], ..second.clone() }.details_changed(t(6));
    let end = change(&store, save(with.clone(), Some(second.revision))).await;
    assert!(matches!(&end, VisitaChange::Taken(busy) if busy[0].visita == first.id), "{end:?}");
    let longer = Visita { minutes: 120, ..second.clone() }.details_changed(t(6));
    let second = saved(&store, save(longer, Some(second.revision))).await;
    let anyway = Visita { people: with.people, ..second.clone() }.details_changed(t(7));
    let command = SaveVisita { claim: Claim::Anyway, ..save(anyway, Some(second.revision)) };
    assert_eq!(saved(&store, command).await.people.len(), 2);
}

pub async fn an_agreed_visit_moves_its_lead_until_it_has_passed(store: Arc<dyn Store>) {
    let (lead, person) = (a_lead(&store).await, a_user(&store).await);
    let viewer = anyone(&store).await;
    let visita = proposed(&store, lead, &[person], &[10]).await;
    assert_eq!(etapa(&store, lead).await, Etapa::Nuevo, "nothing is agreed");
    let agreed = saved(&store, picked(&visita, 10, t(5))).await;
    assert_eq!(etapa(&store, lead).await, Etapa::Visita);
    let waits_for_it = Some((ActionKind::WaitVisit, None));
    assert_eq!(next(&row(&store, &viewer, lead).await), waits_for_it);
    store.archive(&viewer, vec![lead], "no".to_owned(), t(6), audit_entry()).await.expect("archived");
    assert_eq!(etapa(&store, lead).await, Etapa::Perdido);
    assert_eq!(store.reopen(&viewer, lead, t(7), audit_entry()).await.expect("reopened"), Etapa::Visita);
    let over = t(11 * HOUR);
    assert_eq!(store.passed_visits(t(11 * HOUR - 1), 10).await.expect("read"), vec![]);
    store.pass_visits(lead, t(11 * HOUR - 1)).await.expect("passed");
    assert_eq!(etapa(&store, lead).await, Etapa::Visita, "it goes on");
    assert_eq!(store.passed_visits(over, 10).await.expect("read"), [lead]);
    store.pass_visits(lead, over).await.expect("passed");
    assert_eq!(etapa(&store, lead).await, Etapa::Nuevo);
    assert_eq!(store.passed_visits(over, 10).await.expect("read"), vec![], "looked at once");
    let waits = Some((ActionKind::WaitBot, None));
    assert_eq!(next(&row(&store, &viewer, lead).await), waits, "it is over");
    let done = agreed.clone().end_as(VisitaState::Realizada, over).expect("made");
    saved(&store, save(done, Some(agreed.revision))).await;
    assert_eq!(next(&row(&store, &viewer, lead).await), Some((ActionKind::WaitBot, None)));
}

/// Agreed visits are listed from before they begin until they are over; the visit of a united lead is listed for its
/// principal.
pub async fn agreed_visits_are_told_while_they_are_near(store: Arc<dyn Store>) {
    let (one, other, person) = (a_lead(&store).await, other_lead(&store).await, a_user(&store).await);
    let viewer = anyone(&store).await;
    let upcoming = async |now: i64, hours: i64| {
        let found = store.upcoming_visits(&viewer, t(now), t(now + hours * HOUR)).await.expect("read");
        found.into_iter().map(|visit| (visit.lead, visit.start)).collect::<Vec<_>>()
    };
    let first = proposed(&store, one, &[person], &[10]).await;
    assert_eq!(upcoming(0, 48).await, [], "nothing is agreed");
    let first = saved(&store, picked(&first, 10, t(5))).await;
    let second = proposed(&store, other, &[person], &[30]).await;
    saved(&store, picked(&second, 30, t(6))).await;
    assert_eq!(upcoming(0, 48).await, [(one, t(10 * HOUR)), (other, t(30 * HOUR))]);
    assert_eq!(upcoming(0, 20).await, [(one, t(10 * HOUR))]);
    assert_eq!(upcoming(11 * HOUR - 1, 8).await, [(one, t(10 * HOUR))], "it goes on");
    assert_eq!(upcoming(11 * HOUR, 8).await, [], "it is over");
    assert!(store.unite(&viewer, one, other, t(7), audit_entry()).await.expect("united"));
    assert_eq!(upcoming(0, 20).await, [(other, t(10 * HOUR))]);
    let (_, theirs) = other_company(&store).await;
    assert_eq!(store.upcoming_visits(&theirs, t(0), t(48 * HOUR)).await.expect("read"), []);
    saved(&store, save(first.clone().cancel(None, t(8)).expect("cancelled"), Some(first.revision))).await;
    assert_eq!(upcoming(0, 20).await, []);
}

pub async fn cancelling_takes_the_etapa_back(store: Arc<dyn Store>) {
    let (lead, person) = (a_lead(&store).await, a_user(&store).await);
    let visita = proposed(&store, lead, &[person], &[10]).await;
    let agreed = saved(&store, picked(&visita, 10, t(5))).await;
    let gone = agreed.clone().cancel(None, t(6)).expect("cancelled");
    saved(&store, save(gone, Some(agreed.revision))).await;
    assert_eq!(etapa(&store, lead).await, Etapa::Nuevo);
    let waits = next(&row(&store, &anyone(&store).await, lead).await);
    assert_eq!(waits, Some((ActionKind::WaitBot, None)));
    assert_eq!(store.calendar_of(person, t(0)).await.expect("read").len(), 1, "a calendar is told of it");
}

pub async fn hours_are_each_persons_own(store: Arc<dyn Store>) {
    let (person, other) = (a_user(&store).await, a_user(&store).await);
    let usual = store.agendas(&[person, other]).await.expect("read");
    assert_eq!(
        usual.iter().map(|kept| (kept.user, kept.revision)).collect::<Vec<_>>(),
        [(person, 0), (other, 0)]
    );
    assert_eq!(usual[0].agenda, Agenda::default());
    let off = DaysOff { from: date(2027, 8, 1), to: date(2027, 8, 31) };
    let own = Agenda { buffer: 45, days_off: vec![off], ..Agenda::default() };
    assert!(store.save_agenda(person, 0, own.clone(), entry(Some(person), 1)).await.expect("saved"));
    assert!(!store.save_agenda(person, 0, Agenda::default(), entry(Some(person), 2)).await.expect("stale"));
    let kept = store.agendas(&[other, person]).await.expect("read");
    assert_eq!((&kept[1].agenda, kept[1].revision, &kept[0].agenda), (&own, 1, &Agenda::default()));
    assert!(store.save_agenda(person, 1, Agenda::default(), entry(Some(person), 3)).await.expect("saved"));
}

pub async fn a_calendar_is_followed_by_one_secret(store: Arc<dyn Store>) {
    let (person, other) = (a_user(&store).await, a_user(&store).await);
    let [one, two] = ["uno", "dos"].map(|secret| Digest::of(secret.as_bytes()));
    assert_eq!(store.feed_owner(one).await.expect("read"), None);
    store.set_feed(person, Some(one), t(1), entry(Some(person), 1)).await.expect("set");
    store.set_feed(other, Some(two), t(1), entry(Some(other), 1)).await.expect("set");
    assert_eq!(store.feed_owner(one).await.expect("read"), Some(person));
    assert_eq!(store.agendas(&[person]).await.expect("read")[0].feed, Some((one, t(1))));
    let three = Digest::of(b"tres");
    store.set_feed(person, Some(three), t(2), entry(Some(person), 2)).await.expect("set");
    assert_eq!(store.feed_owner(one).await.expect("read"), None, "the old address is dead");
    assert_eq!(store.feed_owner(three).await.expect("read"), Some(person));
    store.set_feed(person, None, t(3), entry(Some(person), 3)).await.expect("unset");
    assert_eq!(store.feed_owner(three).await.expect("read"), None);
    assert_eq!(store.agendas(&[person]).await.expect("read")[0].feed, None);
    assert_eq!(store.feed_owner(two).await.expect("read"), Some(other));
}

/// A password reset, by link or by an operator, ends the calendar's address; a password that its person changes does
/// not.
pub async fn a_reset_ends_the_calendars_secret(store: Arc<dyn Store>) {
    let (person, other) = (a_user(&store).await, a_user(&store).await);
    let kept = a_session(&store, person, "esta").await;
    let [one, two] = ["uno", "dos"].map(|secret| Digest::of(secret.as_bytes()));
    store.set_feed(person, Some(one), t(1), entry(Some(person), 1)).await.expect("set");
    store.set_feed(other, Some(two), t(1), entry(Some(other), 1)).await.expect("set");
    let audit = entry(Some(person), 2);
    let command = SetPassword { user: person, password: "$a".into(), keep: Some(kept.id), audit };
    store.set_password(command.clone()).await.expect("written");
    assert_eq!(store.feed_owner(one).await.expect("read"), Some(person));
    let given = SetPassword { keep: None, audit: entry(Some(person), 3), ..command };
    store.set_password(given).await.expect("written");
    assert_eq!(store.feed_owner(one).await.expect("read"), None);
    store.set_feed(person, Some(one), t(4), entry(Some(person), 4)).await.expect("set");
    let (digest, kind) = (Digest::of(b"enlace"), LinkKind::Reset);
    let audit = entry(Some(person), 5);
    let link = NewReset { digest, user: person, kind, expira_en: t(60), at: t(5), audit };
    store.create_reset(link).await.expect("made");
    let used = UseReset { digest, password: "$b".into(), at: t(6), audit: entry(None, 6) };
    assert_eq!(store.use_reset(used).await.expect("used"), Some(person));
    assert_eq!(store.feed_owner(one).await.expect("read"), None);
    assert_eq!(store.feed_owner(two).await.expect("read"), Some(other));
}
