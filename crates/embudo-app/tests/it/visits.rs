//! Visits: who gets which mail, once; who gets a slot; the effect on a lead's etapa; subscribed calendars.

use embudo_app::{
    Actor, Change, ClientChange, Conflicts, NewPerson, NewVisita, Tell, VisitWarning, WithLinks,
};
use embudo_delivery::Links;
use embudo_domain::audit::AuditAction;
use embudo_domain::contact::Email;
use embudo_domain::etapa::Etapa;
use embudo_domain::event::EventKind;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::role::{Membership, Role};
use embudo_domain::user::User;
use embudo_domain::visita::{Visita, VisitaError, VisitaState};
use embudo_domain::{LeadId, Timestamp, UserId};
use embudo_store::audit::AuditFilter;
use embudo_store::inbox::Viewer;
use embudo_store::outbox_admin::JobFilter;
use embudo_store::visits::VisitaChange;
use embudo_testkit::mailbox::Treatment;
use embudo_testkit::{Engine, Setup, both_engines};
use jiff::SignedDuration;

use crate::stage::Stage;

both_engines!(
    an_agreed_visit_is_mailed_with_an_invitation_and_moves_with_it,
    a_proposal_names_its_hours_and_is_overtaken_by_the_next,
    of_two_clients_one_gets_the_hour,
    a_client_changes_a_visit_until_the_limit,
    a_lead_leaves_its_etapa_when_the_visit_is_over,
    a_reminder_comes_the_day_before_at_a_decent_hour,
    a_calendar_is_followed_by_its_secret,
    a_worker_on_site_is_told_of_their_visits,
    who_is_taken_off_a_visit_is_told,
    who_knows_of_no_conflict_is_held_by_the_calendar,
    the_open_visit_is_the_next_one_or_has_hours_left,
    no_client_gets_an_hour_that_is_about_to_begin_or_was_not_offered,
    no_hours_are_offered_with_somebody_who_left,
    nobody_is_mailed_about_what_is_over,
    a_reminder_of_an_archived_lead_is_discarded,
    what_became_of_a_mail_to_the_client_is_in_the_events,
);

/// A Friday. The tests start on the Saturday before.
const START: &str = "2026-11-20T10:00:00Z";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn with_address(m: &mut Setup) {
    let links = Links::new(b"un secreto de sobra largo");
    m.outbound.links = Some(WithLinks { links, public_url: "https://leads.ejemplo.es".into() });
}

/// A stage whose only mails are those to clients and to the people who go to visits.
async fn stage(engine: Engine) -> Stage {
    Stage::client_mails(engine, with_address).await
}

async fn person(o: &Stage, name: &str) -> User {
    person_as(o, name, Role::Comercial).await
}

async fn person_as(o: &Stage, name: &str, role: Role) -> User {
    let person = NewPerson {
        nombre: name.into(),
        email: Email::parse(&format!("{name}@ejemplo.es")).unwrap(),
        is_admin: false,
        memberships: vec![Membership { empresa: o.empresa.id, role }],
        password: None,
    };
    o.app.access().create_person(person, &Actor::command()).await.unwrap()
}

fn prepare(o: &Stage, lead: LeadId, people: &[UserId]) -> Visita {
    o.app.visits().prepare(NewVisita {
        lead,
        empresa: o.empresa.id,
        minutes: 60,
        address: "Calle Mayor 1, 3.º B, Madrid".into(),
        people: people.to_vec(),
        notes: "Llamar al portero".into(),
    })
}

async fn keep(o: &Stage, before: Option<&Visita>, after: Visita) -> Visita {
    match o
        .app
        .visits()
        .keep(before, after, Conflicts::Override, Tell::Everybody, &Actor::command())
        .await
        .unwrap()
    {
        VisitaChange::Saved(visita) => visita,
        other => panic!("{other:?}"),
    }
}

async fn agreed(o: &Stage, lead: LeadId, people: &[UserId], start: &str) -> Visita {
    keep(o, None, prepare(o, lead, people).agree(at(start), o.app.now()).unwrap()).await
}

async fn proposed(o: &Stage, lead: LeadId, people: &[UserId], hours: &[&str]) -> Visita {
    let hours: Vec<Timestamp> = hours.iter().map(|hour| at(hour)).collect();
    keep(o, None, prepare(o, lead, people).propose(&hours, o.app.now()).unwrap()).await
}

/// Runs the due jobs. Returns the new mails by recipient: subject, and the lines of the invitation.
async fn mailed(o: &Stage) -> Vec<(String, String, Vec<String>)> {
    let before = o.mailbox.messages().len();
    o.app.worker().run_jobs().await.unwrap();
    let lines = |text: String| text.replace("\r\n ", "").split("\r\n").map(str::to_owned).collect();
    let all = o.mailbox.messages();
    let told = |m: &embudo_testkit::mailbox::Message| {
        (m.to[0].clone(), m.subject(), m.part("text/calendar").map(lines).unwrap_or_default())
    };
    let mut mails: Vec<_> = all[before..].iter().map(told).collect();
    mails.sort();
    mails
}

fn has(lines: &[String], line: &str) -> bool {
    lines.iter().any(|of| of == line)
}

async fn mail_states(o: &Stage) -> Vec<JobState> {
    let filter = JobFilter { kind: Some(JobKind::VisitaMail), ..JobFilter::default() };
    o.jobs(filter).await.iter().map(|job| job.state).collect()
}

async fn an_agreed_visit_is_mailed_with_an_invitation_and_moves_with_it(engine: Engine) {
    let o = stage(engine).await;
    let (lead, eva) = (o.new_lead().await, person(&o, "eva").await);
    let visita = agreed(&o, lead, &[eva.id], START).await;
    let mails = mailed(&o).await;
    assert_eq!(mails.len(), 2, "{mails:?}");
    for (to, subject, lines) in &mails {
        assert!(subject.contains("vie 20 nov, 11:00"), "{subject}");
        for line in ["METHOD:REQUEST", "SEQUENCE:0", "DTSTART:20261120T100000Z", "DTEND:20261120T110000Z"] {
            assert!(has(lines, line), "{line} for {to}: {lines:?}");
        }
        assert!(has(lines, &format!("UID:{}@embudo", visita.id)));
        assert!(
            lines.iter().any(|l| l.starts_with("ATTENDEE") && l.contains("RSVP=FALSE") && l.ends_with(to))
        );
    }
    assert!(mails[0].0.starts_with("eva@") || mails[1].0.starts_with("eva@"));
    assert_eq!(mailed(&o).await, vec![], "each once");

    let moved =
        keep(&o, Some(&visita), visita.clone().agree(at("2026-11-20T11:00:00Z"), o.app.now()).unwrap()).await;
    let mails = mailed(&o).await;
    assert_eq!(mails.len(), 2);
    assert!(
        mails.iter().all(|(_, subject, lines)| subject.starts_with("Cambia") && has(lines, "SEQUENCE:1"))
    );

    let gone = keep(&o, Some(&moved), moved.clone().cancel(None, o.app.now()).unwrap()).await;
    let mails = mailed(&o).await;
    assert_eq!((mails.len(), gone.sequence), (2, 2));
    for (_, _, lines) in &mails {
        assert!(has(lines, "METHOD:CANCEL") && has(lines, "SEQUENCE:2") && has(lines, "STATUS:CANCELLED"));
        assert!(has(lines, &format!("UID:{}@embudo", visita.id)));
    }
    // There is no reminder of a visit that was moved or cancelled.
    o.clock.advance(SignedDuration::from_hours(7 * 24));
    assert_eq!(mailed(&o).await, vec![]);
    let states = mail_states(&o).await;
    assert_eq!(states.iter().filter(|state| **state == JobState::Discarded).count(), 2, "{states:?}");
    assert_eq!(o.events(lead, EventKind::Visita).await.len(), 3);
    let log = o.app.store.audit_log(AuditFilter::default(), None, 20).await.unwrap();
    let of = |action| log.iter().filter(|entry| entry.action == action).count();
    assert_eq!((of(AuditAction::VisitaCreated), of(AuditAction::VisitaChanged)), (1, 2));
    assert!(log.iter().all(|e| !format!("{e:?}").contains("Calle Mayor")), "no address in the log");
}

async fn a_proposal_names_its_hours_and_is_overtaken_by_the_next(engine: Engine) {
    let o = stage(engine).await;
    let (lead, eva) = (o.new_lead().await, person(&o, "eva").await);
    let visita = proposed(&o, lead, &[eva.id], &[START, "2026-11-23T09:00:00Z"]).await;
    let again = visita.clone().propose(&[at("2026-11-24T09:00:00Z")], o.app.now()).unwrap();
    keep(&o, Some(&visita), again).await;
    let mails = mailed(&o).await;
    assert_eq!(mails.len(), 1, "the first was overtaken before it went out: {mails:?}");
    let text = o.mailbox.messages()[0].part("text/plain").unwrap();
    assert!(
        text.contains("martes 24 de noviembre de 2026, a las 10:00") && !text.contains("20 de noviembre"),
        "{text}"
    );
    assert!(text.contains("https://leads.ejemplo.es/v/"), "{text}");
    assert!(mails[0].2.is_empty(), "nothing is agreed, so nothing goes into a calendar");
}

async fn of_two_clients_one_gets_the_hour(engine: Engine) {
    let o = stage(engine).await;
    let eva = person(&o, "eva").await;
    let (one, two) = (o.new_lead().await, o.new_lead().await);
    let first = proposed(&o, one, &[eva.id], &[START, "2026-11-23T09:00:00Z"]).await;
    let second = proposed(&o, two, &[eva.id], &[START, "2026-11-23T12:00:00Z"]).await;
    let visits = o.app.visits();
    assert_eq!(visits.open_slots(&second).await.unwrap().len(), 2);
    assert_eq!(visits.open_visit(one).await.unwrap(), Some(first.clone()));
    assert_eq!(visits.open_visit(o.new_lead().await).await.unwrap(), None);
    let (a, b) = tokio::join!(
        visits.client_picks(&first, at(START), None),
        visits.client_picks(&second, at(START), None)
    );
    let ends = [a.unwrap(), b.unwrap()];
    assert_eq!(ends.iter().filter(|end| matches!(end, ClientChange::Done(_))).count(), 1, "{ends:?}");
    assert_eq!(ends.iter().filter(|end| **end == ClientChange::Taken).count(), 1, "{ends:?}");
    let loser = if ends[0] == ClientChange::Taken { &first } else { &second };
    let open = visits.open_slots(loser).await.unwrap();
    assert!(open.len() == 1 && !open.contains(&at(START)), "what is taken is offered no more");
    assert!(matches!(visits.client_picks(loser, open[0], None).await.unwrap(), ClientChange::Done(_)));
    // A person gets a warning, and may save the visit anyway.
    let third = prepare(&o, o.new_lead().await, &[eva.id]).agree(at(START), o.app.now()).unwrap();
    let zone = visits.zone(o.empresa.id).await.unwrap();
    let warnings = visits.warnings(&third, zone).await.unwrap();
    assert!(matches!(warnings.as_slice(), [(_, VisitWarning::Overlap(_))]), "{warnings:?}");
    keep(&o, None, third).await;
}

async fn a_client_changes_a_visit_until_the_limit(engine: Engine) {
    let o = stage(engine).await;
    let (lead, eva) = (o.new_lead().await, person(&o, "eva").await);
    let visits = o.app.visits();
    let visita = proposed(&o, lead, &[eva.id], &[START]).await;
    let never = visits.client_picks(&visita, at("2026-11-21T10:00:00Z"), None).await.unwrap();
    assert_eq!(never, ClientChange::Refused(VisitaError::NotProposed));
    let ClientChange::Done(visita) = visits.client_picks(&visita, at(START), None).await.unwrap() else {
        panic!()
    };
    assert_eq!(
        visits.client_picks(&visita, at(START), None).await.unwrap(),
        ClientChange::Done(visita.clone()),
        "twice"
    );
    let zone = visits.zone(o.empresa.id).await.unwrap();
    let free = visits.slots_to_move(&visita).await.unwrap();
    let day = SignedDuration::from_hours(24);
    assert!(free.iter().all(|slot| o.app.now().duration_until(*slot) >= day), "it can be changed once more");
    let mut days: Vec<_> = free.iter().map(|slot| zone.day(*slot)).collect();
    days.dedup();
    assert!(days.len() >= 10 && free.len() >= 30, "{days:?}");
    // The same hour on the day before is too soon.
    let too_soon = visits.client_picks(&visita, free[0] - day, None).await.unwrap();
    assert_eq!(too_soon, ClientChange::Refused(VisitaError::NotProposed));
    assert_eq!(visits.why_not_move(&visita, free[0]).await.unwrap(), None);
    let sunday = visits.client_picks(&visita, at("2026-11-22T10:00:00Z"), None).await.unwrap();
    assert_eq!(sunday, ClientChange::Refused(VisitaError::NotProposed), "nobody works then");
    // The client's page showed an agreed hour that is not the present one.
    let outdated = visits.client_picks(&visita, free[0], Some(free[1])).await.unwrap();
    assert_eq!(outdated, ClientChange::Stale(visita.clone()));
    let seen = visita.start;
    let ClientChange::Done(moved) = visits.client_picks(&visita, free[0], seen).await.unwrap() else {
        panic!()
    };
    assert_eq!((moved.start, moved.sequence), (Some(free[0]), 1));
    let stale = visits.client_cancels(&visita).await.unwrap();
    assert_eq!(stale, ClientChange::Stale(moved.clone()));
    let late = moved.start.unwrap().duration_since(o.app.now()) - SignedDuration::from_hours(23);
    o.clock.advance(late);
    assert_eq!(visits.client_cancels(&moved).await.unwrap(), ClientChange::Refused(VisitaError::TooLate));
    o.clock.advance(SignedDuration::from_secs(-7_200));
    let ClientChange::Done(gone) = visits.client_cancels(&moved).await.unwrap() else { panic!() };
    assert_eq!(gone.state, VisitaState::Cancelada);
}

async fn etapa(o: &Stage, lead: LeadId) -> Etapa {
    let viewer = Viewer { who: UserId(o.app.id()), empresas: vec![o.empresa.id] };
    o.app.store.desk(&viewer, lead).await.unwrap().etapa
}

async fn a_lead_leaves_its_etapa_when_the_visit_is_over(engine: Engine) {
    let o = stage(engine).await;
    let (lead, eva) = (o.new_lead().await, person(&o, "eva").await);
    agreed(&o, lead, &[eva.id], START).await;
    assert_eq!(etapa(&o, lead).await, Etapa::Visita);
    assert_eq!(o.app.housekeeping().pass_visits().await.unwrap(), 0);
    o.clock.advance(SignedDuration::from_hours(7 * 24));
    assert_eq!(o.app.housekeeping().pass_visits().await.unwrap(), 1);
    assert_eq!(o.app.housekeeping().pass_visits().await.unwrap(), 0, "once");
    assert_eq!(etapa(&o, lead).await, Etapa::Nuevo);
}

async fn a_reminder_comes_the_day_before_at_a_decent_hour(engine: Engine) {
    let o = stage(engine).await;
    let (lead, eva) = (o.new_lead().await, person(&o, "eva").await);
    agreed(&o, lead, &[eva.id], START).await;
    mailed(&o).await;
    let day_before = at(START) - SignedDuration::from_hours(24);
    o.clock.advance(o.app.now().duration_until(day_before) - SignedDuration::from_secs(1));
    assert_eq!(mailed(&o).await, vec![]);
    // The server was unavailable until the night: no mails are sent at night.
    o.clock.advance(SignedDuration::from_hours(12));
    assert_eq!(mailed(&o).await, vec![]);
    o.clock.advance(SignedDuration::from_hours(11));
    let mails = mailed(&o).await;
    assert_eq!(mails.len(), 1, "{:?}", mail_states(&o).await);
    assert!(mails[0].1.starts_with("Te recordamos"), "{mails:?}");
    let text = o.mailbox.messages().last().unwrap().part("text/plain").unwrap();
    assert!(text.contains("Vamos a verte el viernes 20 de noviembre de 2026, a las 11:00."), "{text}");
    assert_eq!(mailed(&o).await, vec![]);
    // A visit that is agreed for tomorrow morning has no reminder.
    let soon = at(START) + SignedDuration::from_hours(20);
    let lead = o.new_lead().await;
    agreed(&o, lead, &[eva.id], &soon.to_string()).await;
    mailed(&o).await;
    assert!(!mail_states(&o).await.contains(&JobState::Pending));
}

async fn a_calendar_is_followed_by_its_secret(engine: Engine) {
    let o = stage(engine).await;
    let (lead, eva, ana) = (o.new_lead().await, person(&o, "eva").await, person(&o, "ana").await);
    let visita = agreed(&o, lead, &[eva.id], START).await;
    let visits = o.app.visits();
    let feed_of = async |secret: &str| match visits.feed_owner(secret).await.unwrap() {
        Some(owner) => visits.feed(owner).await.unwrap(),
        None => None,
    };
    assert_eq!(feed_of("adivinada").await, None);
    let secret = visits.renew_feed(&eva, &Actor::command()).await.unwrap();
    let feed = feed_of(&secret).await.unwrap();
    assert!(feed.contains(&format!("UID:{}@embudo", visita.id)), "{feed}");
    assert!(!feed.contains("ATTENDEE") && !feed.contains("METHOD"), "nobody is asked for anything: {feed}");
    let hers = visits.renew_feed(&ana, &Actor::command()).await.unwrap();
    assert!(!feed_of(&hers).await.unwrap().contains("VEVENT"), "nobody sees another's");
    let next = visits.renew_feed(&eva, &Actor::command()).await.unwrap();
    assert_eq!(feed_of(&secret).await, None, "the old address is dead");
    visits.stop_feed(&eva, &Actor::command()).await.unwrap();
    assert_eq!(feed_of(&next).await, None);
}

async fn a_worker_on_site_is_told_of_their_visits(engine: Engine) {
    let o = stage(engine).await;
    let (lead, other) = (o.new_lead().await, o.new_lead().await);
    let (eva, paco) = (person(&o, "eva").await, person_as(&o, "paco", Role::Obra).await);
    mailed(&o).await;
    let visita = agreed(&o, lead, &[paco.id], START).await;
    agreed(&o, other, &[eva.id], START).await;
    let told = mailed(&o).await;
    assert_eq!(told.iter().filter(|(to, ..)| to == "paco@ejemplo.es").count(), 1, "{told:?}");
    let all = o.mailbox.messages();
    let own = all.iter().find(|message| message.to[0] == "paco@ejemplo.es").unwrap();
    let text = own.part("text/plain").unwrap();
    assert!(text.contains("Llamar al portero") && !text.contains('€'), "{text}");
    let feed = o.app.visits().feed(paco.id).await.unwrap().unwrap();
    assert!(feed.contains(&visita.id.to_string()) && feed.matches("BEGIN:VEVENT").count() == 1, "{feed}");
    assert!(o.app.visits().takes_part(paco.id, lead).await.unwrap());
    assert!(!o.app.visits().takes_part(paco.id, other).await.unwrap());
}

async fn who_is_taken_off_a_visit_is_told(engine: Engine) {
    let o = stage(engine).await;
    let (lead, eva, ana) = (o.new_lead().await, person(&o, "eva").await, person(&o, "ana").await);
    let visita = agreed(&o, lead, &[eva.id], START).await;
    mailed(&o).await;
    let other = Visita { people: vec![ana.id], ..visita.clone() }.details_changed(o.app.now());
    keep(&o, Some(&visita), other).await;
    let mails = mailed(&o).await;
    let of = |who: &str| mails.iter().find(|(to, ..)| to.starts_with(who)).cloned().unwrap();
    assert!(has(&of("eva@").2, "METHOD:CANCEL") && has(&of("eva@").2, "SEQUENCE:1"), "{mails:?}");
    assert!(!of("eva@").2.iter().any(|line| line.starts_with("STATUS")), "it goes on: {mails:?}");
    assert!(of("eva@").1.starts_with("Ya no vas a la visita a "), "{mails:?}");
    let hers = o.mailbox.messages().into_iter().rfind(|m| m.to[0].starts_with("eva@")).unwrap();
    let text = hers.part("text/plain").unwrap();
    assert!(text.contains("Ya no vas a la visita del viernes 20") && !text.contains("se cancela"), "{text}");
    assert!(has(&of("ana@").2, "METHOD:REQUEST") && has(&of("ana@").2, "STATUS:CONFIRMED"));
    assert_eq!(mails.len(), 3, "the client is told too");
}

async fn who_knows_of_no_conflict_is_held_by_the_calendar(engine: Engine) {
    let o = stage(engine).await;
    let (eva, ana) = (person(&o, "eva").await, person(&o, "ana").await);
    let (one, two) = (o.new_lead().await, o.new_lead().await);
    let (visits, actor) = (o.app.visits(), Actor::command());
    let first = agreed(&o, one, &[eva.id], START).await;
    let heed = async |before: Option<&Visita>, after: Visita| {
        visits.keep(before, after, Conflicts::Heed, Tell::People, &actor).await.unwrap()
    };
    let is_taken =
        |end: &VisitaChange| matches!(end, VisitaChange::Taken(busy) if busy[0].visita == first.id);
    let clash = prepare(&o, two, &[eva.id]).agree(at(START), o.app.now()).unwrap();
    assert!(is_taken(&heed(None, clash).await));
    assert!(o.app.store.visitas_of(two, 10).await.unwrap().is_empty(), "nothing was written");
    // Another person, length or hour is checked for conflicts like a new visit. A change that takes no other time is
    // not.
    let before = at(START) - SignedDuration::from_mins(120);
    let second = prepare(&o, two, &[ana.id]).agree(before, o.app.now()).unwrap();
    let VisitaChange::Saved(second) = heed(None, second).await else { panic!() };
    let with = Visita { people: vec![eva.id], ..second.clone() }.details_changed(o.app.now());
    let VisitaChange::Saved(second) = heed(Some(&second), with).await else { panic!() };
    let longer = Visita { minutes: 100, ..second.clone() }.details_changed(o.app.now());
    assert!(is_taken(&heed(Some(&second), longer.clone()).await));
    let later = second.clone().agree(before + SignedDuration::from_mins(40), o.app.now()).unwrap();
    assert!(is_taken(&heed(Some(&second), later).await));
    let second = keep(&o, Some(&second), longer).await;
    let elsewhere = Visita { address: "Otra calle".into(), ..second.clone() }.details_changed(o.app.now());
    assert!(matches!(heed(Some(&second), elsewhere).await, VisitaChange::Saved(_)), "it was overridden once");
}

async fn the_open_visit_is_the_next_one_or_has_hours_left(engine: Engine) {
    let o = stage(engine).await;
    let (lead, eva) = (o.new_lead().await, person(&o, "eva").await);
    let open = async || o.app.visits().open_visit(lead).await.unwrap().map(|visita| visita.id);
    let first = proposed(&o, lead, &[eva.id], &["2026-11-16T09:00:00Z"]).await;
    assert_eq!(open().await, Some(first.id));
    o.clock.advance(SignedDuration::from_hours(3 * 24));
    assert_eq!(open().await, None, "its only hour has passed");
    let second = proposed(&o, lead, &[eva.id], &[START]).await;
    // This visit was changed last, and it has no slot left to choose.
    let notes = Visita { notes: "x".into(), cambiada_en: o.app.now(), ..first.clone() };
    o.clock.advance(SignedDuration::from_secs(1));
    let first = keep(&o, Some(&first), notes).await;
    assert_eq!(open().await, Some(second.id));
    let next = agreed(&o, lead, &[eva.id], "2026-11-23T09:00:00Z").await;
    keep(&o, Some(&first), Visita { notes: "y".into(), ..first.clone() }).await;
    assert_eq!(open().await, Some(next.id), "what is agreed goes first");
    // A person of the company says that another lead is the same person. This gives its client no access.
    let (other, viewer) = (o.new_lead().await, Viewer { who: eva.id, empresas: vec![o.empresa.id] });
    assert_eq!(o.app.visits().open_visit(other).await.unwrap(), None);
    let audit = o.app.access().audit(&Actor::command(), AuditAction::LeadUnited);
    o.app.store.unite(&viewer, other, lead, o.app.now(), audit).await.unwrap();
    assert_eq!(o.app.visits().open_visit(other).await.unwrap(), None);
    assert_eq!(open().await, Some(next.id));
}

async fn no_client_gets_an_hour_that_is_about_to_begin_or_was_not_offered(engine: Engine) {
    let o = stage(engine).await;
    let (lead, eva) = (o.new_lead().await, person(&o, "eva").await);
    let visits = o.app.visits();
    let slots = ["2026-11-16T12:00:00Z", START].map(at);
    let visita = proposed(&o, lead, &[eva.id], &["2026-11-16T12:00:00Z", START]).await;
    o.clock.advance(o.app.now().duration_until(slots[0]) - SignedDuration::from_mins(119));
    assert_eq!(visits.open_slots(&visita).await.unwrap(), slots, "as it was typed");
    o.clock.advance(SignedDuration::from_mins(119));
    assert_eq!(visits.open_slots(&visita).await.unwrap(), [slots[1]], "until it begins");
    let gone = visits.client_picks(&visita, slots[0], None).await.unwrap();
    assert_eq!(gone, ClientChange::Refused(VisitaError::OutOfReach));
    o.clock.advance(SignedDuration::from_mins(-119));
    let ClientChange::Done(visita) = visits.client_picks(&visita, slots[1], None).await.unwrap() else {
        panic!()
    };
    for (odd, why) in [
        ("2026-11-18T10:07:33Z", "between two"),
        ("2026-11-18T10:15:00Z", "off the grid"),
        ("2026-11-17T09:30:00Z", "too soon to be changed once more"),
        ("2026-12-28T10:00:00Z", "beyond what is searched"),
    ] {
        let end = visits.client_picks(&visita, at(odd), None).await.unwrap();
        assert_eq!(end, ClientChange::Refused(VisitaError::NotProposed), "{odd}: {why}");
    }
    let moved = visits.client_picks(&visita, at("2026-11-18T10:30:00Z"), None).await.unwrap();
    assert!(matches!(moved, ClientChange::Done(_)), "{moved:?}");
}

async fn no_hours_are_offered_with_somebody_who_left(engine: Engine) {
    let o = stage(engine).await;
    let (lead, eva, ana) = (o.new_lead().await, person(&o, "eva").await, person(&o, "ana").await);
    let visits = o.app.visits();
    let zone = visits.zone(o.empresa.id).await.unwrap();
    let first = proposed(&o, lead, &[ana.id, eva.id], &[START]).await;
    let second = agreed(&o, o.new_lead().await, &[eva.id], "2026-11-25T09:00:00Z").await;
    assert_eq!(visits.gone(&first).await.unwrap(), vec![]);
    let none = Change { is_admin: false, is_active: true, memberships: Vec::new() };
    o.app.access().change_person(eva.id, none, &Actor::command()).await.unwrap();
    assert_eq!(visits.gone(&first).await.unwrap(), [eva.id]);
    assert_eq!(visits.open_slots(&first).await.unwrap(), vec![]);
    assert_eq!(visits.slots_to_move(&second).await.unwrap(), vec![]);
    assert_eq!(visits.open_visit(lead).await.unwrap(), None);
    assert_eq!(visits.client_picks(&first, at(START), None).await.unwrap(), ClientChange::Unattended);
    let elsewhere = at("2026-11-25T11:00:00Z");
    assert_eq!(visits.client_picks(&second, elsewhere, None).await.unwrap(), ClientChange::Unattended);
    let warnings = visits.warnings(&second, zone).await.unwrap();
    assert!(warnings.iter().any(|(_, warning)| *warning == VisitWarning::Gone(eva.id)), "{warnings:?}");
    // A client may still cancel it, and other visits are not affected.
    assert!(matches!(visits.client_cancels(&second).await.unwrap(), ClientChange::Done(_)));
    let first = keep(&o, Some(&first), Visita { people: vec![ana.id], ..first.clone() }).await;
    assert!(matches!(visits.client_picks(&first, at(START), None).await.unwrap(), ClientChange::Done(_)));
}

async fn nobody_is_mailed_about_what_is_over(engine: Engine) {
    let o = stage(engine).await;
    let (eva, ana) = (person(&o, "eva").await, person(&o, "ana").await);
    let week = SignedDuration::from_hours(7 * 24);
    // The server was unavailable until the visit was over.
    agreed(&o, o.new_lead().await, &[eva.id], START).await;
    let proposal = proposed(&o, o.new_lead().await, &[eva.id], &[START]).await;
    let visita = agreed(&o, o.new_lead().await, &[ana.id], START).await;
    let moved = agreed(&o, o.new_lead().await, &[ana.id], "2026-11-20T16:00:00Z").await;
    o.clock.advance(week);
    assert_eq!(mailed(&o).await, vec![]);
    assert!(mail_states(&o).await.iter().all(|state| *state == JobState::Discarded));
    assert_eq!(proposal.state, VisitaState::Propuesta);
    // Changing or cancelling the visit afterwards changes no calendar.
    let jobs = mail_states(&o).await.len();
    let other = Visita { people: vec![eva.id], minutes: 30, ..visita.clone() }.details_changed(o.app.now());
    let visita = keep(&o, Some(&visita), other).await;
    keep(&o, Some(&visita), visita.clone().cancel(None, o.app.now()).unwrap()).await;
    assert_eq!(mail_states(&o).await.len(), jobs, "no mail was made");
    // A visit where nobody was there is agreed again: this is mailed.
    keep(&o, Some(&moved), moved.clone().agree(at("2026-11-27T10:00:00Z"), o.app.now()).unwrap()).await;
    assert_eq!(mailed(&o).await.len(), 2);
}

async fn a_reminder_of_an_archived_lead_is_discarded(engine: Engine) {
    let o = stage(engine).await;
    let (lead, eva) = (o.new_lead().await, person(&o, "eva").await);
    agreed(&o, lead, &[eva.id], START).await;
    assert_eq!(mailed(&o).await.len(), 2);
    let viewer = Viewer { who: eva.id, empresas: vec![o.empresa.id] };
    let audit = o.app.access().audit(&Actor::command(), AuditAction::LeadsArchived);
    o.app.store.archive(&viewer, vec![lead], "lejos".into(), o.app.now(), audit).await.unwrap();
    o.clock.advance(o.app.now().duration_until(at(START)) - SignedDuration::from_hours(23));
    assert_eq!(mailed(&o).await, vec![]);
    assert_eq!(mail_states(&o).await.iter().filter(|state| **state == JobState::Discarded).count(), 1);
}

/// Mails to the people who go there are not in the events; the outbox shows them.
async fn what_became_of_a_mail_to_the_client_is_in_the_events(engine: Engine) {
    let o = stage(engine).await;
    let lead = o.new_lead().await;
    let visita = agreed(&o, lead, &[], START).await;
    mailed(&o).await;
    assert_eq!(o.events(lead, EventKind::VisitaMail).await, [(true, false)]);
    o.mailbox.treatments([Treatment::Rcpt("550 5.1.1 no such user")]);
    keep(&o, Some(&visita), visita.clone().cancel(None, o.app.now()).unwrap()).await;
    assert_eq!(mailed(&o).await, vec![], "it died");
    let events = o.record(lead).await.events;
    let told: Vec<_> = events.iter().filter(|e| e.kind == EventKind::VisitaMail && !e.ok).collect();
    assert_eq!(told.len(), 1, "{events:?}");
    let detail = told[0].detail.as_deref().unwrap();
    assert!(detail.contains("550") && detail.ends_with("no se repite"), "{detail}");

    let (other, eva) = (o.new_lead().await, person(&o, "eva").await);
    let visita = agreed(&o, other, &[eva.id], START).await;
    mailed(&o).await;
    keep(&o, Some(&visita), visita.clone().cancel(None, o.app.now()).unwrap()).await;
    mailed(&o).await;
    assert_eq!(o.events(other, EventKind::VisitaMail).await.len(), 2, "one for each mail to the client");
}
