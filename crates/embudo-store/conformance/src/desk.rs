//! What people do with leads.

use std::sync::Arc;

use embudo_domain::etapa::{Etapa, Progress};
use embudo_domain::next_action::{ANSWER_WITHIN, ActionKind};
use embudo_domain::nota::NotaInterna;
use embudo_domain::timeline::{Moment, MomentKind};
use embudo_domain::{LeadId, UserId};
use embudo_store::Store;
use embudo_store::audit::AuditFilter;
use embudo_store::desk::{HandAction, WorkState};
use embudo_store::edited::Edited;
use embudo_store::inbox::{InboxFilter, InboxSort, MAX_DUPLICATES, Viewer};
use embudo_store::leads::CreateLead;
use embudo_store::presupuestos::AnswerResult;
use embudo_store::sheet::TimelinePage;
use jiff::civil::date;
use uuid::Uuid;

use super::data::inbox::{
    LATE, anyone, audit_entry, listed, next, nota_interna, other_company, project, row,
};
use super::data::presupuesto::{answer, says, send};
use super::data::{ODD_TEXT, a_lead, create, new_lead, nobody, other_lead, record, t, turno, with_contact};

pub async fn leads_are_assigned_and_given_away(store: Arc<dyn Store>) {
    let (one, other) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    let (ana, bea) = (UserId(Uuid::new_v4()), UserId(Uuid::new_v4()));
    let mut changed =
        store.assign(&viewer, vec![one, other], Some(ana), audit_entry()).await.expect("assigned");
    changed.sort();
    let mut expected = vec![(one, None), (other, None)];
    expected.sort();
    assert_eq!(changed, expected);
    assert_eq!(
        store.assign(&viewer, vec![one], Some(bea), audit_entry()).await.expect("assigned"),
        [(one, Some(ana))]
    );
    assert_eq!(store.assign(&viewer, vec![one], Some(bea), audit_entry()).await.expect("answered"), []);
    assert_eq!(row(&store, &viewer, one).await.assigned, Some(bea));
    assert_eq!(
        store.assign(&viewer, vec![one, nobody()], None, audit_entry()).await.expect("assigned"),
        [(one, Some(bea))]
    );
    assert_eq!(store.desk(&viewer, one).await.expect("it exists").assigned, None);
    assert_eq!(store.desk(&viewer, other).await.expect("it exists").assigned, Some(ana));
}

/// Who is assigned to a lead can be asked without reading the lead. If two leads are united, the principal's assignment
/// counts for both.
pub async fn a_united_lead_is_whose_the_other_is(store: Arc<dyn Store>) {
    let (one, main) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    let (ana, bea) = (UserId(Uuid::new_v4()), UserId(Uuid::new_v4()));
    assert_eq!(store.assigned_to(one).await.expect("read"), None);
    store.assign(&viewer, vec![one], Some(ana), audit_entry()).await.expect("assigned");
    store.assign(&viewer, vec![main], Some(bea), audit_entry()).await.expect("assigned");
    assert_eq!(store.assigned_to(one).await.expect("read"), Some(ana));
    assert!(store.unite(&viewer, one, main, t(5), audit_entry()).await.expect("united"));
    assert_eq!(store.assigned_to(one).await.expect("read"), Some(bea));
    store.assign(&viewer, vec![main], None, audit_entry()).await.expect("given back");
    assert_eq!(store.assigned_to(one).await.expect("read"), None);
    assert_eq!(store.assigned_to(nobody()).await.expect("read"), None);
}

/// What a person does shows in their next list, whether or not the projector has run.
pub async fn what_a_person_does_shows_at_once(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let lost = InboxFilter { etapa: Some(Etapa::Perdido), ..InboxFilter::default() };
    store.archive(&viewer, vec![lead], "no".into(), t(5), audit_entry()).await.expect("archived");
    assert_eq!(listed(&store, &viewer, lost.clone(), InboxSort::NextAction(LATE)).await, [lead]);
    store.reopen(&viewer, lead, t(6), audit_entry()).await.expect("reopened");
    assert_eq!(listed(&store, &viewer, lost, InboxSort::NextAction(LATE)).await, []);
    assert!(store.touches().take().leads.contains_key(&lead), "and others are told");
}

pub async fn an_action_by_hand_has_its_day(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let plan = HandAction { due: t(500), text: ODD_TEXT.into() };
    let set = |seen, action| store.set_action(&viewer, lead, seen, action, audit_entry());
    assert_eq!(set(None, Some(plan.clone())).await.expect("set"), Edited::Saved);
    let read = row(&store, &viewer, lead).await;
    let by_hand = Some((ActionKind::ByHand, Some(t(500))));
    assert_eq!(next(&read), by_hand);
    assert_eq!(read.action_text.as_deref(), Some(ODD_TEXT));
    store.append_turno(turno(lead, "hola", t(100))).await.expect("appended");
    assert_eq!(next(&row(&store, &viewer, lead).await), by_hand, "a person knows better");
    assert_eq!(set(Some(plan), None).await.expect("taken away"), Edited::Saved);
    let answer = Some((ActionKind::Answer, Some(t(100) + ANSWER_WITHIN)));
    assert_eq!(next(&row(&store, &viewer, lead).await), answer);
    assert_eq!(store.desk(&viewer, lead).await.expect("it exists").action, None);
}

/// Work goes on once a quote was accepted. The decision can be taken back, and it comes back with a lead that was
/// archived meanwhile.
pub async fn accepted_work_goes_on_as_people_say(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let none = WorkState::default();
    let begun =
        WorkState { start: Some(date(2026, 12, 1)), days: Some(21), progress: Some(Progress::EnObra) };
    let done = WorkState { progress: Some(Progress::Terminado), ..begun };
    let set = |seen, work, at| store.set_work(&viewer, lead, seen, work, at, audit_entry());
    let stands = async || {
        let desk = store.desk(&viewer, lead).await.expect("it exists");
        (desk.etapa, desk.work)
    };
    assert_eq!(set(none, begun, t(1)).await.expect("answered"), Edited::Stale, "nothing was accepted");
    let p = send(&store, lead, "x").await;
    assert_eq!(answer(&store, says(&p, true, t(5))).await, AnswerResult::Done);
    assert_eq!(stands().await, (Etapa::Aceptado, none));
    assert_eq!(set(none, begun, t(6)).await.expect("set"), Edited::Saved);
    assert_eq!(stands().await, (Etapa::EnObra, begun));
    assert_eq!(row(&store, &viewer, lead).await.etapa, Etapa::EnObra);
    assert_eq!(set(none, done, t(7)).await.expect("answered"), Edited::Stale);
    assert_eq!(set(none, begun, t(7)).await.expect("answered"), Edited::Same);
    assert_eq!(set(begun, done, t(8)).await.expect("set"), Edited::Saved);
    assert_eq!(stands().await, (Etapa::Terminado, done));
    let only = InboxFilter { etapa: Some(Etapa::Terminado), ..InboxFilter::default() };
    assert_eq!(listed(&store, &viewer, only, InboxSort::NextAction(LATE)).await, [lead]);
    store.append_turno(turno(lead, "hola", t(9))).await.expect("appended");
    store.archive(&viewer, vec![lead], "x".into(), t(10), audit_entry()).await.expect("archived");
    assert_eq!(stands().await.0, Etapa::Perdido);
    assert_eq!(store.reopen(&viewer, lead, t(11), audit_entry()).await.expect("reopened"), Etapa::Terminado);
    assert_eq!(set(done, none, t(12)).await.expect("taken back"), Edited::Saved);
    assert_eq!(stands().await, (Etapa::Aceptado, none));
    let (_, theirs) = other_company(&store).await;
    assert_fails!(store.set_work(&theirs, lead, none, begun, t(13), audit_entry()).await, LeadNotFound);
}

/// Accepted work appears on the days that it takes, and only on its first day without a number of days. A lead without
/// an acceptance and an archived one do not appear.
pub async fn accepted_work_is_in_the_calendar(store: Arc<dyn Store>) {
    let (lead, other) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    let empresa = viewer.empresas[0];
    let works = async |from, to| store.works(empresa, from, to).await.expect("read");
    for (n, lead) in [lead, other].into_iter().enumerate() {
        let p = send(&store, lead, "x").await;
        assert_eq!(answer(&store, says(&p, true, t(5 + n as i64))).await, AnswerResult::Done);
    }
    let (first, none) = (date(2026, 12, 1), WorkState::default());
    assert_eq!(works(first, date(2027, 1, 1)).await, []);
    let long = WorkState { start: Some(first), days: Some(21), progress: None };
    let short = WorkState { start: Some(date(2026, 12, 10)), days: None, progress: Some(Progress::EnObra) };
    store.set_work(&viewer, lead, none, long, t(8), audit_entry()).await.expect("set");
    store.set_work(&viewer, other, none, short, t(8), audit_entry()).await.expect("set");
    store.assign(&viewer, vec![other], Some(viewer.who), audit_entry()).await.expect("assigned");
    let both = works(date(2026, 11, 1), date(2027, 1, 1)).await;
    assert_eq!(both.iter().map(|work| work.lead).collect::<Vec<_>>(), [lead, other]);
    assert_eq!((both[0].first, both[0].last), (first, date(2026, 12, 21)));
    assert_eq!((both[1].first, both[1].last), (date(2026, 12, 10), date(2026, 12, 10)));
    assert_eq!((both[0].etapa, both[1].etapa), (Etapa::Aceptado, Etapa::EnObra));
    assert_eq!((both[0].assigned, both[1].assigned), (None, Some(viewer.who)));
    assert_eq!(both[0].nombre, record(&store, lead).await.lead.nombre);
    let on = async |day: jiff::civil::Date| works(day, day.tomorrow().expect("in range")).await.len();
    assert_eq!((on(date(2026, 12, 10)).await, on(date(2026, 12, 21)).await), (2, 1));
    assert_eq!((on(date(2026, 12, 22)).await, on(date(2026, 11, 30)).await), (0, 0));
    store.archive(&viewer, vec![lead], "x".into(), t(9), audit_entry()).await.expect("archived");
    assert_eq!(on(date(2026, 12, 21)).await, 0);
    let (_, theirs) = other_company(&store).await;
    assert_eq!(store.works(theirs.empresas[0], first, date(2027, 1, 1)).await.expect("read"), []);
}

/// After the undo everything is as before: no mark that the lead was reopened, and the same date since which it is in
/// its etapa. The log has an entry about each lead.
pub async fn archiving_is_undone_without_a_trace(store: Arc<dyn Store>) {
    let (one, other, third) = (a_lead(&store).await, other_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    store.append_turno(turno(one, "hola", t(3))).await.expect("appended");
    let stands = async |lead| store.desk(&viewer, lead).await.expect("it exists");
    let before = (stands(one).await, stands(other).await);
    store.archive(&viewer, vec![third], "antes".into(), t(9), audit_entry()).await.expect("archived");
    let leads = vec![one, other, third];
    let mut done =
        store.archive(&viewer, leads, "precio".into(), t(10), audit_entry()).await.expect("archived");
    done.sort();
    let mut both = vec![one, other];
    both.sort();
    assert_eq!(done, both);
    let undo = |viewer: Viewer, of| {
        let store = Arc::clone(&store);
        async move { store.undo_archive(&viewer, of, t(20), audit_entry()).await.expect("answered") }
    };
    let somebody = Viewer { who: UserId(Uuid::new_v4()), ..viewer.clone() };
    let (_, theirs) = other_company(&store).await;
    let elsewhere = Viewer { who: viewer.who, ..theirs };
    assert_eq!(undo(somebody, t(10)).await, [], "another person's");
    assert_eq!(undo(elsewhere, t(10)).await, [], "another company's");
    assert_eq!(undo(viewer.clone(), t(11)).await, [], "nothing was archived then");
    let mut undone = undo(viewer.clone(), t(10)).await;
    undone.sort();
    assert_eq!(undone, both);
    assert_eq!((stands(one).await, stands(other).await), before);
    assert_eq!(stands(third).await.etapa, Etapa::Perdido, "it was archived before");
    assert_eq!(undo(viewer.clone(), t(10)).await, [], "once");
    let log = store.audit_log(AuditFilter::default(), None, 50).await.expect("a log");
    let told = |lead: LeadId| {
        let of = log.iter().filter(|entry| entry.object == Some(lead.to_string()));
        of.filter(|entry| entry.before.as_deref() == Some("precio")).count()
    };
    assert_eq!((told(one), told(other), told(third)), (1, 1, 0));
    // What happened between archiving and undoing counts from its own time.
    store.archive(&viewer, vec![other], "otra".into(), t(30), audit_entry()).await.expect("archived");
    store.append_turno(turno(other, "hola", t(31))).await.expect("appended");
    assert_eq!(undo(viewer.clone(), t(30)).await, [other]);
    assert_eq!((stands(other).await.etapa, stands(other).await.etapa_since), (Etapa::EnConversacion, t(20)));
    // Undoing an archive leaves out a lead that was reopened by hand in between.
    store.archive(&viewer, vec![one], "otra".into(), t(40), audit_entry()).await.expect("archived");
    store.reopen(&viewer, one, t(41), audit_entry()).await.expect("reopened");
    assert_eq!(undo(viewer, t(40)).await, []);
}

/// A change that another person made since is not overwritten, and a value that is the same already is not written
/// again.
pub async fn nobody_overwrites_another_unseen(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let (ana, bea) = (Some(UserId(Uuid::new_v4())), Some(UserId(Uuid::new_v4())));
    let give = |seen, to| store.hand_over(&viewer, lead, seen, to, audit_entry());
    assert_eq!(give(None, ana).await.expect("given"), Edited::Saved);
    assert_eq!(give(None, bea).await.expect("answered"), Edited::Stale);
    assert_eq!(give(None, ana).await.expect("answered"), Edited::Same);
    assert_eq!(store.desk(&viewer, lead).await.expect("it exists").assigned, ana);
    assert_eq!(give(ana, None).await.expect("given"), Edited::Saved);
    let plan = |text: &str| Some(HandAction { due: t(500), text: text.to_owned() });
    let set = |seen, action| store.set_action(&viewer, lead, seen, action, audit_entry());
    assert_eq!(set(None, plan("llamar")).await.expect("set"), Edited::Saved);
    assert_eq!(set(None, plan("medir")).await.expect("answered"), Edited::Stale);
    assert_eq!(set(plan("medir"), None).await.expect("answered"), Edited::Stale);
    assert_eq!(set(None, plan("llamar")).await.expect("answered"), Edited::Same);
    assert_eq!(store.desk(&viewer, lead).await.expect("it exists").action, plan("llamar"));
}

/// Each change writes one entry about its lead; a change without effect writes none.
pub async fn what_people_do_is_in_the_log(store: Arc<dyn Store>) {
    let (one, other) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    let nota = nota_interna(&viewer, "x", t(1));
    for _ in 0..2 {
        store.assign(&viewer, vec![one, other], Some(viewer.who), audit_entry()).await.expect("assigned");
        store.hand_over(&viewer, one, Some(viewer.who), None, audit_entry()).await.expect("given");
        store.archive(&viewer, vec![one], "x".into(), t(2), audit_entry()).await.expect("archived");
        store.add_nota_interna(&viewer, one, nota.clone(), audit_entry()).await.expect("added");
        store.unite(&viewer, one, other, t(3), audit_entry()).await.expect("united");
    }
    let log = async || {
        let log = store.audit_log(AuditFilter::default(), None, 50).await.expect("a log");
        log.into_iter().filter_map(|entry| entry.object).collect::<Vec<_>>()
    };
    let (several, own) = ("2 leads".to_owned(), one.to_string());
    let mut told_of = log().await;
    told_of.sort();
    let mut expected = vec![several, own.clone(), own.clone(), own.clone(), own.clone(), own.clone(), own];
    expected.sort();
    assert_eq!(told_of, expected, "the second time only one was somebody else's, and was given away again");
    for _ in 0..2 {
        store.reopen(&viewer, one, t(4), audit_entry()).await.expect("reopened");
        store.delete_nota_interna(&viewer, one, nota.id, audit_entry()).await.expect("removed");
        store.separate(&viewer, one, audit_entry()).await.expect("separated");
    }
    assert_eq!(log().await.len(), 7 + 3);
}

pub async fn internal_notes_are_kept_in_order(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let notas: Vec<_> =
        [(ODD_TEXT, t(1)), ("segunda", t(2))].map(|(text, at)| nota_interna(&viewer, text, at)).into();
    for nota in &notas {
        assert!(store.add_nota_interna(&viewer, lead, nota.clone(), audit_entry()).await.expect("added"));
    }
    assert!(!store.add_nota_interna(&viewer, lead, notas[1].clone(), audit_entry()).await.expect("answered"));
    let line = async || {
        let kinds = vec![MomentKind::NotaInterna];
        let asked = TimelinePage { kinds, before: None, limit: 10 };
        let entries = store.timeline(vec![lead], asked).await.expect("a page");
        entries.into_iter().rev().map(|entry| entry.moment).collect::<Vec<_>>()
    };
    let moments = |notas: &[NotaInterna]| notas.iter().cloned().map(Moment::NotaInterna).collect::<Vec<_>>();
    assert_eq!(line().await, moments(&notas));
    assert_eq!(store.nota_interna(lead, notas[0].id).await.expect("read"), Some(notas[0].clone()));
    assert_eq!(store.nota_interna(nobody(), notas[0].id).await.expect("read"), None, "another lead's");
    assert!(store.delete_nota_interna(&viewer, lead, notas[0].id, audit_entry()).await.expect("removed"));
    assert!(!store.delete_nota_interna(&viewer, lead, notas[0].id, audit_entry()).await.expect("answered"));
    assert_eq!(store.nota_interna(lead, notas[0].id).await.expect("read"), None);
    assert_eq!(line().await, moments(&notas[1..]));
}

/// Internal notes appear in the timeline at their time, and in its pages; never in the record that the API shows.
pub async fn internal_notes_stand_on_the_line(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    for (n, text) in ["una", "dos"].into_iter().enumerate() {
        store.append_turno(turno(lead, text, t(10 + n as i64))).await.expect("appended");
        let nota = nota_interna(&viewer, text, t(10));
        store.add_nota_interna(&viewer, lead, nota, audit_entry()).await.expect("added");
    }
    let page = async |before, limit| {
        let asked = TimelinePage { kinds: MomentKind::all().collect(), before, limit };
        store.timeline(vec![lead], asked).await.expect("a page")
    };
    let whole = page(None, 10).await;
    let said = whole.iter().map(|entry| match &entry.moment {
        Moment::Turno(turno) => format!("turno {}", turno.mensaje),
        Moment::NotaInterna(nota) => format!("nota {}", nota.text),
        other => panic!("nothing else was written: {other:?}"),
    });
    assert_eq!(said.collect::<Vec<_>>(), ["turno dos", "turno una", "nota dos", "nota una"]);
    let first = page(None, 3).await;
    let rest = page(first.last().map(|entry| entry.cursor), 3).await;
    assert_eq!([first, rest].concat(), whole);
    let record = record(&store, lead).await;
    assert_eq!((record.notas, record.events), (vec![], vec![]));
}

/// The next action does not wait for the projector, and leads of one person have one action.
pub async fn the_next_action_is_known_at_once(store: Arc<dyn Store>) {
    let (one, main) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    let next = async |leads: &[LeadId]| {
        let action = store.outlook(leads.to_vec()).await.expect("read").at(LATE);
        action.map(|action| (action.kind, action.due))
    };
    let contact = Some((ActionKind::Contact, Some(t(0) + ANSWER_WITHIN)));
    assert_eq!(next(&[main]).await, contact);
    assert_eq!(next(&[nobody()]).await, None);
    store.append_turno(turno(one, "hola", t(20))).await.expect("appended");
    assert_eq!(next(&[main, one]).await, Some((ActionKind::Answer, Some(t(20) + ANSWER_WITHIN))));
    assert_eq!(next(&[main]).await, contact);
    let plan = Some(HandAction { due: t(500), text: "medir".into() });
    store.set_action(&viewer, main, None, plan, audit_entry()).await.expect("set");
    assert_eq!(next(&[main, one]).await, Some((ActionKind::ByHand, Some(t(500)))));
    store.archive(&viewer, vec![main], "x".into(), t(30), audit_entry()).await.expect("archived");
    assert_eq!(next(&[main, one]).await, None, "the one that stands for both is lost");
}

/// Leads of one company with the same telephone or e-mail are possible duplicates. A united lead shows as its
/// principal, and never as itself.
pub async fn possible_duplicates_are_found(store: Arc<dyn Store>) {
    let person = |telefono: &str, mail: &str| with_contact(LeadId(Uuid::new_v4()), "Ana", telefono, mail);
    a_lead(&store).await;
    let a = create(&store, person("611000001", "a@x.es")).await;
    let b = create(&store, person("611000001", "b@x.es")).await;
    let c = create(&store, person("611000003", "B@x.es")).await;
    let (other, theirs) = other_company(&store).await;
    let foreign = CreateLead { empresa: Some(other.id), ..person("611000001", "a@x.es") };
    create(&store, foreign).await;
    let viewer = anyone(&store).await;
    let found = async |viewer: &Viewer, leads: &[LeadId]| {
        let rows = store.duplicates(viewer, leads.to_vec()).await.expect("read");
        let mut found: Vec<_> = rows.iter().map(|row| row.summary.lead.id).collect();
        found.sort();
        found
    };
    let sorted = |mut leads: Vec<LeadId>| {
        leads.sort();
        leads
    };
    assert_eq!(found(&viewer, &[a]).await, [b]);
    assert_eq!(found(&viewer, &[b]).await, sorted(vec![a, c]));
    assert_eq!(found(&theirs, &[a]).await, [], "not theirs to see");
    assert!(store.unite(&viewer, b, a, t(5), audit_entry()).await.expect("united"));
    assert_eq!(found(&viewer, &[a, b]).await, [c], "a lead that is like one of them is like both");
    assert_eq!(found(&viewer, &[c]).await, [a], "the one that stands for it");
    assert_eq!(found(&viewer, &[]).await, []);
    for _ in 0..MAX_DUPLICATES {
        create(&store, person("611000003", "d@x.es")).await;
    }
    assert_eq!(found(&viewer, &[c]).await.len(), MAX_DUPLICATES);
}

/// Each person has their own read leads, and a lead is unread again when something happens later.
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

/// Uniting moves no data: both leads take calls, the list shows one, and undoing it leaves nothing behind.
pub async fn two_leads_are_united_and_separated(store: Arc<dyn Store>) {
    let (one, main) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    assert!(store.unite(&viewer, one, main, t(5), audit_entry()).await.expect("united"));
    project(&store).await;
    let list = |sort| listed(&store, &viewer, InboxFilter::default(), sort);
    assert_eq!(list(InboxSort::Activity).await, [main]);
    assert_eq!(list(InboxSort::Created).await, [main]);
    store.append_turno(turno(one, "hola", t(20))).await.expect("appended");
    let read = row(&store, &viewer, main).await;
    assert_eq!(read.activity, t(20), "what is said to one is said to both");
    assert_eq!(next(&read).map(|(kind, _)| kind), Some(ActionKind::Answer));
    let (of_one, of_main) =
        (store.desk(&viewer, one).await.expect("it"), store.desk(&viewer, main).await.expect("it"));
    assert_eq!((of_one.principal, of_main.united), (Some(main), vec![one]));
    assert_eq!((of_one.etapa, of_main.etapa), (Etapa::EnConversacion, Etapa::Nuevo));
    assert!(store.separate(&viewer, one, audit_entry()).await.expect("separated"));
    assert!(!store.separate(&viewer, one, audit_entry()).await.expect("answered"));
    project(&store).await;
    assert_eq!(list(InboxSort::Activity).await, [one, main]);
    let read = row(&store, &viewer, main).await;
    let contact = Some((ActionKind::Contact, Some(t(0) + ANSWER_WITHIN)));
    assert_eq!((read.activity, next(&read)), (t(0), contact), "as if it had never been");
}

pub async fn what_cannot_be_united_is_left(store: Arc<dyn Store>) {
    let (a, b, c) = (a_lead(&store).await, other_lead(&store).await, other_lead(&store).await);
    let (other, _) = other_company(&store).await;
    let theirs = create(&store, CreateLead { empresa: Some(other.id), ..new_lead("Otra") }).await;
    let viewer = anyone(&store).await;
    assert!(!store.unite(&viewer, a, a, t(1), audit_entry()).await.expect("answered"), "with itself");
    assert!(
        !store.unite(&viewer, a, theirs, t(1), audit_entry()).await.expect("answered"),
        "with another company's"
    );
    assert!(store.unite(&viewer, a, b, t(1), audit_entry()).await.expect("united"));
    assert!(!store.unite(&viewer, a, c, t(1), audit_entry()).await.expect("answered"), "twice");
    assert!(
        !store.unite(&viewer, c, a, t(1), audit_entry()).await.expect("answered"),
        "with one that another stands for"
    );
    assert!(
        !store.unite(&viewer, b, c, t(1), audit_entry()).await.expect("answered"),
        "one that stands for another"
    );
    assert!(store.unite(&viewer, c, b, t(1), audit_entry()).await.expect("united"), "a third one");
}

pub async fn another_companys_lead_is_not_there(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (_, theirs) = other_company(&store).await;
    let nota = nota_interna(&theirs, "x", t(1));
    let id = nota.id;
    assert_fails!(store.desk(&theirs, lead).await, LeadNotFound);
    assert_fails!(store.reopen(&theirs, lead, t(1), audit_entry()).await, LeadNotFound);
    assert_fails!(store.set_action(&theirs, lead, None, None, audit_entry()).await, LeadNotFound);
    assert_fails!(store.hand_over(&theirs, lead, None, Some(theirs.who), audit_entry()).await, LeadNotFound);
    assert_fails!(store.add_nota_interna(&theirs, lead, nota, audit_entry()).await, LeadNotFound);
    assert_fails!(store.delete_nota_interna(&theirs, lead, id, audit_entry()).await, LeadNotFound);
    assert_fails!(store.mark_unread(&theirs, lead).await, LeadNotFound);
    assert_fails!(store.separate(&theirs, lead, audit_entry()).await, LeadNotFound);
    assert_fails!(store.unite(&theirs, lead, nobody(), t(1), audit_entry()).await, LeadNotFound);
    assert_eq!(
        store.assign(&theirs, vec![lead], Some(theirs.who), audit_entry()).await.expect("answered"),
        []
    );
    assert_eq!(
        store.archive(&theirs, vec![lead], "x".into(), t(1), audit_entry()).await.expect("answered"),
        []
    );
    store.mark_read(&theirs, vec![lead], t(1)).await.expect("answered");
    let desk = store.desk(&anyone(&store).await, lead).await.expect("it exists");
    assert_eq!((desk.etapa, desk.assigned), (Etapa::Nuevo, None));
    assert_eq!(store.nota_interna(lead, id).await.expect("read"), None);
    assert_eq!(store.audit_log(AuditFilter::default(), None, 10).await.expect("a log"), []);
}
