//! The inbox: lists, pages both ways, filters, counts; a company never sees another's.

use std::sync::Arc;
use std::time::Duration;

use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::conversacion::Rol;
use embudo_domain::etapa::Etapa;
use embudo_domain::job::JobKind;
use embudo_domain::next_action::{ANSWER_WITHIN, ActionKind};
use embudo_domain::perfil::{CanalOrigen, Perfil, Urgencia};
use embudo_domain::presupuesto::{Certainty, Character, Document, PresupuestoState};
use embudo_domain::watched_loop::Deadlines;
use embudo_domain::{LeadId, UserId, Zona};
use embudo_store::Store;
use embudo_store::desk::HandAction;
use embudo_store::inbox::{Assigned, InboxFilter, InboxSort, LeadAmount, PageStart, Reading, Viewer};
use embudo_store::leads::CreateLead;
use embudo_store::outbox::{JobAttemptEnd, JobOutcome};
use jiff::SignedDuration;
use uuid::Uuid;

use super::data::inbox::{LATE, anyone, audit_entry, ids, listed, next, other_company, page, project, row};
use super::data::outbox::{LENGTH, end, finish, make, of, process};
use super::data::presupuesto::{document, in_state, send, send_document};
use super::data::{a_lead, calificacion, create, empresa, new_lead, perfil, t, turno};

const ALL: [InboxSort; 3] = [InboxSort::NextAction(LATE), InboxSort::Activity, InboxSort::Created];

async fn company(store: &Arc<dyn Store>) -> Viewer {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("a default company");
    anyone(store).await
}

/// A lead of the default company, made at this moment.
async fn made(store: &Arc<dyn Store>, nombre: &str, at: i64) -> LeadId {
    create(store, CreateLead { at: t(at), ..new_lead(nombre) }).await
}

pub async fn a_lead_shows_what_is_known_of_it(store: Arc<dyn Store>) {
    let viewer = company(&store).await;
    let lead = made(&store, "Ana García", 1).await;
    store.append_turno(turno(lead, "¿Cuándo?", t(5))).await.expect("appended");
    let level = Calificacion { nivel: Some(Nivel::A), score: Some(91), ..Calificacion::default() };
    store.upsert_calificacion(calificacion(lead, level, t(6))).await.expect("qualified");
    let read = row(&store, &viewer, lead).await;
    assert_eq!(read.summary.lead.nombre, "Ana García");
    assert_eq!((read.summary.nivel, read.summary.score), (Some(Nivel::A), Some(91)));
    assert_eq!((read.etapa, read.etapa_since), (Etapa::EnConversacion, t(5)));
    assert_eq!((read.activity, read.client_wrote, read.last_rol), (t(5), Some(t(5)), Some(Rol::User)));
    assert_eq!(next(&read), Some((ActionKind::Answer, Some(t(5) + ANSWER_WITHIN))), "the client waits");
    assert_eq!((read.assigned, read.unread, read.principal), (None, true, None));
}

/// Each of the three orders can be paged forwards and backwards.
pub async fn every_order_is_paged_both_ways(store: Arc<dyn Store>) {
    let viewer = company(&store).await;
    let mut leads = Vec::new();
    for n in 0..7 {
        // Several leads have the same moment, so that the ids decide.
        let lead = made(&store, "Ana", n / 2).await;
        store.append_turno(turno(lead, "hola", t(100 + (n * 5) % 7))).await.expect("appended");
        leads.push(lead);
    }
    store.append_turno(answer(leads[3], 200)).await.expect("appended");
    project(&store).await;
    for sort in ALL {
        let whole = listed(&store, &viewer, InboxFilter::default(), sort).await;
        assert_eq!(whole.len(), 7, "{sort:?}");
        let (mut forward, mut from) = (Vec::new(), PageStart::Start);
        loop {
            let read = page(&store, &viewer, &InboxFilter::default(), sort, from, 3).await;
            forward.extend(read.rows.clone());
            assert_eq!(read.more, forward.len() < 7, "{sort:?}");
            if !read.more {
                break;
            }
            from = PageStart::After(read.rows.last().expect("a full page").place(sort));
        }
        assert_eq!(ids(&forward), whole, "{sort:?}");
        let before = PageStart::Before(forward[5].place(sort));
        let back = page(&store, &viewer, &InboxFilter::default(), sort, before, 3).await;
        assert_eq!((ids(&back.rows), back.more), (whole[2..5].to_vec(), true), "{sort:?}");
        let before = PageStart::Before(forward[2].place(sort));
        let back = page(&store, &viewer, &InboxFilter::default(), sort, before, 3).await;
        assert_eq!((ids(&back.rows), back.more), (whole[..2].to_vec(), false), "{sort:?}");
    }
    let by_action = listed(&store, &viewer, InboxFilter::default(), InboxSort::NextAction(LATE)).await;
    assert_eq!(by_action.last(), Some(&leads[3]), "who needs nobody comes last");
    let by_activity = listed(&store, &viewer, InboxFilter::default(), InboxSort::Activity).await;
    assert_eq!(by_activity.first(), Some(&leads[3]));
}

/// Due leads come first, by urgency, score and age; then leads that will be due, by their moment; then leads that wait,
/// by their last activity; last the leads that need nobody. This holds on one page or on several, forwards and
/// backwards, in one etapa or in all. When time has passed, the same rows come in another order.
pub async fn what_is_due_comes_first(store: Arc<dyn Store>) {
    const HOUR: i64 = 3_600;
    let viewer = company(&store).await;
    let scored = async |lead: LeadId, score: i64| {
        let level = Calificacion { score: Some(score), ..Calificacion::default() };
        store.upsert_calificacion(calificacion(lead, level, t(20))).await.expect("qualified");
    };
    let urgent = || Perfil { urgencia: Some(Urgencia::Alta), ..Perfil::default() };
    let by_hand = async |nombre: &str, due: i64| {
        let lead = made(&store, nombre, 0).await;
        let plan = HandAction { due: t(due), text: nombre.to_owned() };
        store.set_action(&viewer, lead, None, Some(plan), audit_entry()).await.expect("set");
        lead
    };
    let said = async |nombre: &str, at: i64| {
        let lead = made(&store, nombre, 0).await;
        store.append_turno(answer(lead, at)).await.expect("appended");
        lead
    };
    let (tomorrow, tonight) = (by_hand("mañana", 30 * HOUR).await, by_hand("esta noche", 9 * HOUR).await);
    let (old, older) = (made(&store, "nueva", 10).await, made(&store, "más antigua", 5).await);
    let good = made(&store, "buena", 30).await;
    let hurry = made(&store, "urgente", 40).await;
    let (quiet, quieter) = (said("reciente", 600).await, said("menos", 500).await);
    let lost = made(&store, "perdida", 0).await;
    let watched = said("en el circuito", 700).await;
    scored(good, 90).await;
    // A score that comes late moves the lead.
    scored(hurry, 10).await;
    store.update_perfil(perfil(hurry, urgent(), t(50))).await.expect("updated");
    store.archive(&viewer, vec![lost], "x".into(), t(60), audit_entry()).await.expect("archived");
    let who = process();
    let id = make(&store, watched, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let renders = SignedDuration::from_hours(20);
    let deadlines = Deadlines { renders, ..Deadlines::default() };
    finish(&store, JobAttemptEnd { watched_loop: Some(deadlines), ..end(id, who, JobOutcome::Done, t(2)) })
        .await;
    project(&store).await;
    let moments = [
        (10, vec![hurry, older, old, good, tonight, tomorrow, watched, quiet, quieter, lost]),
        (HOUR, vec![hurry, good, older, old, tonight, tomorrow, watched, quiet, quieter, lost]),
        (10 * HOUR, vec![hurry, good, older, old, tonight, tomorrow, watched, quiet, quieter, lost]),
        // The loop is overdue, so the lead does not wait any more.
        (21 * HOUR, vec![hurry, good, older, old, tonight, watched, tomorrow, quiet, quieter, lost]),
    ];
    for (now, expected) in moments {
        let sort = InboxSort::NextAction(t(now));
        let all = InboxFilter::default();
        assert_eq!(listed(&store, &viewer, all.clone(), sort).await, expected, "{now}");
        for limit in [1, 3, 4] {
            let (mut forward, mut from) = (Vec::new(), PageStart::Start);
            let mut last = None;
            while let Some(next) = {
                let read = page(&store, &viewer, &all, sort, from, limit).await;
                forward.extend(ids(&read.rows));
                last = read.rows.last().map(|row| row.place(sort)).or(last);
                read.next(sort)
            } {
                from = next;
            }
            assert_eq!(forward, expected, "{now}, {limit} a page");
            let (mut backward, mut place) = (Vec::new(), last.expect("a last row"));
            loop {
                let read = page(&store, &viewer, &all, sort, PageStart::Before(place), limit).await;
                let Some(first) = read.rows.first() else { break };
                place = first.place(sort);
                backward.splice(0..0, ids(&read.rows));
            }
            assert_eq!(backward, expected[..expected.len() - 1], "{now}, {limit} a page, backwards");
        }
        let new = InboxFilter { etapa: Some(Etapa::Nuevo), ..all.clone() };
        let mut of_etapa = expected.clone();
        of_etapa.retain(|lead| [hurry, good, older, old, tonight, tomorrow].contains(lead));
        assert_eq!(listed(&store, &viewer, new, sort).await, of_etapa, "{now}, in one etapa");
        let open = InboxFilter { urgencia: Some(Urgencia::Alta), ..all };
        assert_eq!(listed(&store, &viewer, open, sort).await, [hurry], "{now}, looked for");
    }
}

fn answer(lead: LeadId, at: i64) -> embudo_store::lead_writes::AppendTurno {
    let mut command = turno(lead, "dígame", t(at));
    command.turno.rol = Rol::Assistant;
    command
}

pub async fn every_filter_finds_its_leads(store: Arc<dyn Store>) {
    let viewer = company(&store).await;
    let (one, other) = (made(&store, "Ana", 10).await, made(&store, "Bea", 20).await);
    let known = Perfil {
        tipo_reforma: Some(Zona::Bano),
        canal_origen: Some(CanalOrigen::Anuncio),
        viable: Some(true),
        urgencia: Some(Urgencia::Alta),
        ..Perfil::default()
    };
    store.update_perfil(perfil(one, known, t(11))).await.expect("updated");
    let level = Calificacion { nivel: Some(Nivel::B), ..Calificacion::default() };
    store.upsert_calificacion(calificacion(one, level, t(12))).await.expect("qualified");
    store.append_turno(turno(one, "hola", t(13))).await.expect("appended");
    store.assign(&viewer, vec![one], Some(viewer.who), audit_entry()).await.expect("assigned");
    let utm =
        vec![("utm_campaign".to_owned(), "banos".to_owned()), ("utm_source".to_owned(), "x".to_owned())];
    let third = create(&store, CreateLead { utm, at: t(30), ..new_lead("Cris") }).await;
    project(&store).await;
    store.mark_read(&viewer, vec![one, third], t(100)).await.expect("seen");
    store.archive(&viewer, vec![other], "x".into(), t(99), audit_entry()).await.expect("archived");
    project(&store).await;
    let all = InboxFilter::default;
    let cases = [
        (all(), vec![third, other, one]),
        (InboxFilter { tipo_reforma: Some(Zona::Bano), ..all() }, vec![one]),
        (InboxFilter { nivel: Some(Nivel::B), ..all() }, vec![one]),
        (InboxFilter { nivel: Some(Nivel::A), ..all() }, vec![]),
        (InboxFilter { canal_origen: Some(CanalOrigen::Anuncio), ..all() }, vec![one]),
        (InboxFilter { viable: Some(true), ..all() }, vec![one]),
        (InboxFilter { viable: Some(false), ..all() }, vec![]),
        (InboxFilter { urgencia: Some(Urgencia::Alta), ..all() }, vec![one]),
        (InboxFilter { etapa: Some(Etapa::EnConversacion), ..all() }, vec![one]),
        (InboxFilter { etapa: Some(Etapa::Nuevo), ..all() }, vec![third]),
        (InboxFilter { etapa: Some(Etapa::Visita), ..all() }, vec![]),
        (InboxFilter { open: true, ..all() }, vec![third, one]),
        (InboxFilter { assigned: Some(Assigned::To(viewer.who)), ..all() }, vec![one]),
        (InboxFilter { assigned: Some(Assigned::To(UserId(Uuid::new_v4()))), ..all() }, vec![]),
        (InboxFilter { assigned: Some(Assigned::Nobody), ..all() }, vec![third, other]),
        (InboxFilter { since: Some(t(20)), ..all() }, vec![third, other]),
        (InboxFilter { until: Some(t(20)), ..all() }, vec![one]),
        (InboxFilter { campaign: Some("banos".into()), ..all() }, vec![third]),
        (InboxFilter { campaign: Some("x".into()), ..all() }, vec![]),
        (InboxFilter { unread: true, ..all() }, vec![other]),
    ];
    for (filter, expected) in cases {
        let found = listed(&store, &viewer, filter.clone(), InboxSort::Created).await;
        assert_eq!(found, expected, "{filter:?}");
        for sort in ALL {
            let mut found = listed(&store, &viewer, filter.clone(), sort).await;
            let mut expected = expected.clone();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{filter:?} {sort:?}");
        }
        let counted = store.inbox_counts(&viewer, filter.clone()).await.expect("counted");
        let total: u32 = counted.iter().map(|count| count.leads).sum();
        assert_eq!(total as usize, expected.len(), "{filter:?}");
    }
}

/// Pages of two leads with a time limit of zero: each page says where it stopped, and continuing from there finds every
/// lead once, both ways.
pub async fn a_walk_whose_time_is_over_goes_on_where_it_stopped(store: Arc<dyn Store>) {
    let viewer = company(&store).await;
    let (other, _) = other_company(&store).await;
    let viewer = Viewer { empresas: [viewer.empresas, vec![other.id]].concat(), ..viewer };
    let mut urgent = Vec::new();
    for n in 0..24 {
        let empresa = (n % 3 == 0).then_some(other.id);
        let lead = create(&store, CreateLead { at: t(n), empresa, ..new_lead("Ana") }).await;
        if n % 8 == 1 {
            let known = Perfil { urgencia: Some(Urgencia::Alta), ..Perfil::default() };
            store.update_perfil(perfil(lead, known, t(n))).await.expect("updated");
            urgent.push(lead);
        }
    }
    project(&store).await;
    let filter = InboxFilter { urgencia: Some(Urgencia::Alta), ..InboxFilter::default() };
    let reading = Reading { step: 2, budget: Duration::ZERO, ..Reading::rows(50) };
    for sort in ALL {
        let whole = listed(&store, &viewer, filter.clone(), sort).await;
        assert_eq!(whole.len(), urgent.len(), "{sort:?}");
        let read =
            async |from| store.inbox(&viewer, filter.clone(), sort, from, reading).await.expect("a page");
        let (mut found, mut pages, mut from) = (Vec::new(), 0, PageStart::Start);
        loop {
            let page = read(from).await;
            pages += 1;
            found.extend(ids(&page.rows));
            assert_eq!(page.more, page.resume.is_some(), "{sort:?}");
            match page.resume {
                Some(place) => from = PageStart::After(place),
                None => break,
            }
        }
        assert_eq!(found, whole, "{sort:?}");
        assert!(pages > 3, "{sort:?}: {pages} pages");
        let last = store.inbox_rows(&viewer, vec![whole[2]]).await.expect("a list").remove(0);
        let (mut found, mut from) = (Vec::new(), PageStart::Before(last.place(sort)));
        loop {
            let page = read(from).await;
            found.splice(0..0, ids(&page.rows));
            match page.resume {
                Some(place) => from = PageStart::Before(place),
                None => break,
            }
        }
        assert_eq!(found, whole[..2], "{sort:?}");
    }
}

pub async fn the_board_counts_every_etapa(store: Arc<dyn Store>) {
    let viewer = company(&store).await;
    for n in 0..4 {
        let lead = made(&store, "Ana", n).await;
        if n > 0 {
            store.append_turno(turno(lead, "hola", t(n))).await.expect("appended");
        }
    }
    let counts = store.inbox_counts(&viewer, InboxFilter::default()).await.expect("counted");
    assert_eq!(counts.len(), Etapa::all().count());
    for count in counts {
        let expected = match count.etapa {
            Etapa::Nuevo => 1,
            Etapa::EnConversacion => 3,
            _ => 0,
        };
        assert_eq!(count.leads, expected, "{}", count.etapa);
    }
}

pub async fn nobody_sees_the_leads_of_another_company(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mine = anyone(&store).await;
    let (other, theirs) = other_company(&store).await;
    let their_lead = create(&store, CreateLead { empresa: Some(other.id), ..new_lead("Otra") }).await;
    project(&store).await;
    for sort in ALL {
        assert_eq!(listed(&store, &mine, InboxFilter::default(), sort).await, [lead]);
        assert_eq!(listed(&store, &theirs, InboxFilter::default(), sort).await, [their_lead]);
    }
    let both = anyone(&store).await;
    let all = listed(&store, &both, InboxFilter::default(), InboxSort::Created).await;
    assert_eq!(all.len(), 2, "a person may be in two");
    let nobody = Viewer { empresas: vec![], ..mine.clone() };
    assert!(listed(&store, &nobody, InboxFilter::default(), InboxSort::Created).await.is_empty());
    let rows = store.inbox_rows(&mine, vec![lead, their_lead]).await.expect("a list");
    assert_eq!(ids(&rows), [lead]);
    assert!(store.inbox_rows(&nobody, vec![lead]).await.expect("a list").is_empty());
    let counts = store.inbox_counts(&mine, InboxFilter::default()).await.expect("counted");
    assert_eq!(counts.iter().map(|count| count.leads).sum::<u32>(), 1);
}

/// An accepted quote counts before a sent one, and the newest of them; an estimate is shown with its range; a principal
/// also has the amounts of the leads united with it.
pub async fn amounts_are_those_of_the_quotes_that_count(store: Arc<dyn Store>) {
    let viewer = company(&store).await;
    let leads = [made(&store, "Ana", 1).await, made(&store, "Bea", 2).await, made(&store, "Eva", 3).await];
    let [sent, accepted, bare] = leads;
    let amounts = async |viewer: &Viewer, leads: &[LeadId]| {
        let mut amounts = store.amounts(viewer, leads.to_vec()).await.expect("read");
        amounts.sort_by_key(|amount| amount.lead);
        amounts
    };
    assert_eq!(amounts(&viewer, &leads).await, []);
    assert_eq!(amounts(&viewer, &[]).await, []);
    send(&store, sent, "x").await;
    let guessed = Document { decided: Some(Character::Orientative), ..document(&store, sent, "y").await };
    let open = send_document(&store, sent, guessed).await;
    let taken = in_state(&store, accepted, "x", PresupuestoState::Aceptado).await;
    let of = |amounts: &[LeadAmount], lead| amounts.iter().find(|amount| amount.lead == lead).copied();
    let found = amounts(&viewer, &leads).await;
    assert_eq!(found.len(), 2, "{found:?}");
    let newest = of(&found, sent).expect("it has a quote");
    assert_eq!((newest.version, newest.state), (2, PresupuestoState::Emitido));
    assert_eq!((newest.total, newest.certainty), (open.document.impuesto.total, open.summary().certainty));
    assert!(newest.certainty.is_orientative);
    let agreed = of(&found, accepted).expect("it has a quote");
    assert_eq!((agreed.state, agreed.total), (PresupuestoState::Aceptado, taken.document.impuesto.total));
    assert_eq!(agreed.certainty, Certainty::default(), "no estimate any more");
    assert!(store.unite(&viewer, sent, bare, t(71), audit_entry()).await.expect("united"));
    assert_eq!(amounts(&viewer, &[bare]).await, [LeadAmount { lead: bare, ..newest }]);
    let (_, theirs) = other_company(&store).await;
    assert_eq!(amounts(&theirs, &leads).await, []);
}

/// A lead that is not viable is listed, but without an action.
pub async fn what_is_not_viable_hides_its_action(store: Arc<dyn Store>) {
    let viewer = company(&store).await;
    let lead = made(&store, "Ana", 1).await;
    store.append_turno(turno(lead, "hola", t(5))).await.expect("appended");
    assert!(next(&row(&store, &viewer, lead).await).is_some());
    let not_viable = Perfil { viable: Some(false), ..Perfil::default() };
    store.update_perfil(perfil(lead, not_viable, t(6))).await.expect("updated");
    assert_eq!(next(&row(&store, &viewer, lead).await), None);
    let action = HandAction { due: t(50), text: "llamar".into() };
    store.set_action(&viewer, lead, None, Some(action), audit_entry()).await.expect("set");
    assert_eq!(next(&row(&store, &viewer, lead).await), None);
    let viable = Perfil { viable: Some(true), ..Perfil::default() };
    store.update_perfil(perfil(lead, viable, t(7))).await.expect("updated");
    let again = next(&row(&store, &viewer, lead).await);
    assert_eq!(again, Some((ActionKind::ByHand, Some(t(50)))), "shown again");
}

/// News are counted for each person; a lead that is lost, united with another one or of another company is no news.
pub async fn news_are_counted_for_each_person(store: Arc<dyn Store>) {
    let viewer = company(&store).await;
    let other = Viewer { who: UserId(Uuid::new_v4()), ..viewer.clone() };
    let (_, theirs) = other_company(&store).await;
    let leads = [made(&store, "Ana", 1).await, made(&store, "Bea", 2).await, made(&store, "Eva", 3).await];
    project(&store).await;
    let news = async |viewer: &Viewer| store.count_news(viewer).await.expect("counted");
    assert_eq!((news(&viewer).await, news(&other).await, news(&theirs).await), (3, 3, 0));
    store.mark_read(&viewer, leads[..2].to_vec(), t(50)).await.expect("seen");
    assert_eq!((news(&viewer).await, news(&other).await), (1, 3));
    store.append_turno(turno(leads[0], "hola", t(60))).await.expect("appended");
    project(&store).await;
    assert_eq!(news(&viewer).await, 2);
    store.archive(&other, vec![leads[2]], "no".into(), t(70), audit_entry()).await.expect("archived");
    assert!(store.unite(&other, leads[0], leads[1], t(71), audit_entry()).await.expect("united"));
    project(&store).await;
    assert_eq!(news(&other).await, 1, "one stands for two, and one is lost");
}
