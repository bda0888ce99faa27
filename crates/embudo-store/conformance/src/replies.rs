//! What people write to clients, and who answers instead of the bot.

use std::sync::Arc;

use embudo_domain::conversacion::Rol;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::next_action::ActionKind;
use embudo_domain::reply::{Reply, ReplyChannel, ReplyState};
use embudo_domain::timeline::{Moment, MomentKind};
use embudo_domain::{JobId, LeadId, ReplyId, Timestamp, UserId};
use embudo_store::edited::Edited;
use embudo_store::inbox::Viewer;
use embudo_store::lead_writes::AppendTurno;
use embudo_store::outbox::{JobOutcome, Lease, NewJob};
use embudo_store::replies::{TakeOver, WriteReply};
use embudo_store::sheet::TimelinePage;
use embudo_store::{Done, Idempotency, Store};
use uuid::Uuid;

use super::data::access::entry;
use super::data::inbox::{anyone, audit_entry, found, other_company, row};
use super::data::outbox::{LENGTH, end, finish, job, job_of, process, state, take};
use super::data::{ODD_TEXT, a_lead, key, other_lead, record, t, turno};

const DAY: i64 = 24 * 60 * 60;

/// A reply of the viewer's by this channel, with the job that sends it.
pub fn new_reply(
    viewer: &Viewer,
    lead: LeadId,
    channel: ReplyChannel,
    text: &str,
    at: Timestamp,
) -> WriteReply {
    let id = ReplyId(Uuid::new_v4());
    let (kind, expires) = match channel {
        ReplyChannel::Messaging => (Some(JobKind::Reply), Some(t(DAY))),
        ReplyChannel::Mail => (Some(JobKind::ReplyMail), None),
        ReplyChannel::WhatsApp => (None, None),
    };
    let reply = Reply {
        id,
        lead,
        channel,
        text: text.to_owned(),
        author: viewer.who,
        author_name: "Ana".to_owned(),
        creado_en: at,
        expires,
        confirmed: None,
        job: None,
        job_ended: None,
    };
    let job = kind.map(|kind| NewJob { id: JobId(id.0), ..job(kind) });
    WriteReply { reply, job, audit: audit_entry() }
}

async fn reply(store: &Arc<dyn Store>, id: ReplyId) -> Reply {
    store.reply(id).await.expect("read").expect("it is there")
}

/// A turn that the workflow records under this key.
fn recorded(lead: LeadId, key_text: &str, rol: Rol, at: Timestamp) -> AppendTurno {
    let mut command = turno(lead, "Te llamo a las cinco", at);
    command.turno.rol = rol;
    let scope = format!("POST /api/leads/{lead}/conversacion");
    AppendTurno { idempotency: Some(keyed(&scope, key_text, at)), ..command }
}

fn keyed(scope: &str, text: &str, at: Timestamp) -> Idempotency {
    key(scope, text, 1, at)
}

async fn has_to_answer(store: &Arc<dyn Store>, viewer: &Viewer, lead: LeadId) -> bool {
    row(store, viewer, lead)
        .await
        .next_action(t(1_000_000))
        .is_some_and(|action| action.kind == ActionKind::Answer)
}

pub async fn a_reply_is_written_once_and_takes_over(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let command = new_reply(&viewer, lead, ReplyChannel::Mail, ODD_TEXT, t(10));
    assert!(store.write_reply(&viewer, command.clone()).await.expect("written"));
    assert!(!store.write_reply(&viewer, command.clone()).await.expect("answered"), "the same form twice");
    let expected = Reply { job: Some(JobState::Pending), ..command.reply.clone() };
    assert_eq!(reply(&store, command.reply.id).await, expected);
    assert_eq!(store.replies_of(lead).await.expect("read"), [expected]);
    let sent = take(&store, process(), t(10)).await;
    assert_eq!(sent.iter().map(|job| job.id).collect::<Vec<_>>(), [JobId(command.reply.id.0)]);
    let attended = store.attention(lead, t(11)).await.expect("read").expect("somebody answers");
    assert_eq!((attended.who, attended.since), (viewer.who, t(10)));
    assert_eq!(store.attention(lead, t(10 + DAY)).await.expect("read"), None, "a day later nobody does");
    assert!(!found(&store, &viewer, "te llamo").await.hits.iter().any(|hit| hit.row.summary.lead.id == lead));
    let plain = new_reply(&viewer, lead, ReplyChannel::Mail, "Te llamo mañana", t(20));
    assert!(store.write_reply(&viewer, plain).await.expect("written"));
    assert!(found(&store, &viewer, "te llamo").await.hits.iter().any(|hit| hit.row.summary.lead.id == lead));
    let attended = store.attention(lead, t(21)).await.expect("read").expect("somebody answers");
    assert_eq!((attended.since, attended.last), (t(10), t(20)), "since the first");
    let all = TimelinePage { kinds: vec![MomentKind::Reply], before: None, limit: 9 };
    let texts: Vec<String> =
        store.timeline(vec![lead], all).await.expect("read").into_iter().map(text).collect();
    assert_eq!(texts, ["Te llamo mañana", ODD_TEXT]);
}

fn text(entry: embudo_store::sheet::TimelineEntry) -> String {
    match entry.moment {
        Moment::Reply(reply) => reply.text,
        other => panic!("{other:?} is no reply"),
    }
}

pub async fn a_reply_waits_until_its_turn_is_recorded(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let command = new_reply(&viewer, lead, ReplyChannel::Messaging, "Te llamo a las cinco", t(10));
    let id = command.reply.id;
    store.write_reply(&viewer, command).await.expect("written");
    assert_eq!(reply(&store, id).await.state(t(11)), ReplyState::Pending);
    let who = process();
    take(&store, who, t(11)).await;
    finish(&store, end(JobId(id.0), who, JobOutcome::Done, t(12))).await;
    assert_eq!(reply(&store, id).await.state(t(13)), ReplyState::Handed);
    assert_eq!(reply(&store, id).await.state(t(12 + 600)), ReplyState::Unconfirmed);
    let turn = recorded(lead, &id.to_string(), Rol::Assistant, t(14));
    assert_eq!(store.append_turno(turn.clone()).await.expect("appended"), Done::Now);
    assert!(matches!(store.append_turno(turn).await.expect("answered"), Done::Before(_)));
    let confirmed = reply(&store, id).await;
    assert_eq!((confirmed.confirmed, confirmed.state(t(900))), (Some(t(14)), ReplyState::Confirmed));
    assert_eq!(record(&store, lead).await.conversacion.len(), 1, "the API reads the turn");
    let kinds = vec![MomentKind::Turno, MomentKind::Reply];
    let page = TimelinePage { kinds, before: None, limit: 9 };
    let line = store.timeline(vec![lead], page).await.expect("read");
    assert_eq!(line.len(), 1, "the panel shows it once");
    assert_eq!(line[0].moment.kind(), MomentKind::Reply, "with its author");
}

pub async fn a_recorded_turn_ends_a_job_that_waits(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let who = process();
    let [waits, held] =
        ["Una", "Otra"].map(|text| new_reply(&viewer, lead, ReplyChannel::Messaging, text, t(10)));
    let (one, other) = (waits.reply.id, held.reply.id);
    store.write_reply(&viewer, waits).await.expect("written");
    let turn = recorded(lead, &one.to_string().to_uppercase(), Rol::Assistant, t(12));
    store.append_turno(turn).await.expect("appended");
    let job = job_of(&store, JobId(one.0)).await;
    assert_eq!((job.state, job.terminado_en), (JobState::Done, Some(t(12))), "its answer was lost");
    store.write_reply(&viewer, held).await.expect("written");
    let lease = Lease { who, lasts: LENGTH };
    assert_eq!(store.claim(super::data::outbox::of_all(), lease, t(13)).await.expect("claimed").len(), 1);
    store.append_turno(recorded(lead, &other.to_string(), Rol::Assistant, t(14))).await.expect("appended");
    assert_eq!(state(&store, JobId(other.0)).await, JobState::Pending, "it is being tried");
    finish(&store, end(JobId(other.0), who, JobOutcome::Dead, t(15))).await;
    assert_eq!(reply(&store, other).await.state(t(16)), ReplyState::Confirmed, "whatever was answered");
}

pub async fn only_its_own_lead_and_only_the_assistant_record_it(store: Arc<dyn Store>) {
    let (lead, other) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    let command = new_reply(&viewer, lead, ReplyChannel::Messaging, "Hola", t(10));
    let mail = new_reply(&viewer, lead, ReplyChannel::Mail, "Hola", t(10));
    let (id, by_mail) = (command.reply.id, mail.reply.id);
    store.write_reply(&viewer, command).await.expect("written");
    store.write_reply(&viewer, mail).await.expect("written");
    for turn in [
        recorded(other, &id.to_string(), Rol::Assistant, t(12)),
        recorded(lead, &id.to_string(), Rol::User, t(12)),
        recorded(lead, &by_mail.to_string(), Rol::Assistant, t(12)),
        recorded(lead, &Uuid::new_v4().to_string(), Rol::Assistant, t(12)),
        recorded(lead, "x", Rol::Assistant, t(12)),
    ] {
        assert_eq!(store.append_turno(turn).await.expect("appended"), Done::Now);
    }
    for id in [id, by_mail] {
        assert_eq!(reply(&store, id).await.confirmed, None);
        assert_eq!(state(&store, JobId(id.0)).await, JobState::Pending);
    }
}

/// A reply that is being sent counts as an answer; a reply that did not arrive does not.
pub async fn a_reply_answers_the_client_unless_it_fails(store: Arc<dyn Store>) {
    let viewer_of = anyone(&store).await;
    for (channel, result, is_answer) in [
        (ReplyChannel::Mail, None, true),
        (ReplyChannel::Mail, Some(JobOutcome::Done), true),
        (ReplyChannel::Mail, Some(JobOutcome::Parked), true),
        (ReplyChannel::Mail, Some(JobOutcome::Dead), false),
        (ReplyChannel::Messaging, None, true),
        (ReplyChannel::Messaging, Some(JobOutcome::Retry(t(90))), true),
        (ReplyChannel::Messaging, Some(JobOutcome::Done), true),
        (ReplyChannel::Messaging, Some(JobOutcome::Expired), false),
        (ReplyChannel::Messaging, Some(JobOutcome::Dead), false),
    ] {
        let lead = a_lead(&store).await;
        let viewer = if viewer_of.empresas.is_empty() { anyone(&store).await } else { viewer_of.clone() };
        store.append_turno(turno(lead, "¿Seguís ahí?", t(5))).await.expect("appended");
        assert!(has_to_answer(&store, &viewer, lead).await);
        let command = new_reply(&viewer, lead, channel, "Sí", t(10));
        let id = JobId(command.reply.id.0);
        store.write_reply(&viewer, command).await.expect("written");
        assert!(!has_to_answer(&store, &viewer, lead).await, "it is on its way");
        if let Some(result) = result {
            let who = process();
            take(&store, who, t(11)).await;
            finish(&store, end(id, who, result, t(12))).await;
        }
        assert_eq!(has_to_answer(&store, &viewer, lead).await, !is_answer, "{channel} {result:?}");
        store.append_turno(turno(lead, "¿Y bien?", t(20))).await.expect("appended");
        assert!(has_to_answer(&store, &viewer, lead).await, "the client wrote again");
        // Claims the jobs of this lead, so that the next round does not get them.
        take(&store, process(), t(100)).await;
    }
}

pub async fn a_reply_by_hand_counts_once_it_was_sent(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    store.append_turno(turno(lead, "Hola", t(5))).await.expect("appended");
    let [sent, dropped] =
        ["Una", "Otra"].map(|text| new_reply(&viewer, lead, ReplyChannel::WhatsApp, text, t(10)));
    for command in [&sent, &dropped] {
        store.write_reply(&viewer, command.clone()).await.expect("written");
    }
    assert_eq!(store.prepared_replies(lead).await.expect("read").len(), 2);
    assert!(has_to_answer(&store, &viewer, lead).await, "nobody sent it yet");
    let mark = |id, was_sent| store.mark_reply(&viewer, lead, id, was_sent, entry(None, 70));
    assert!(mark(dropped.reply.id, false).await.expect("dropped"));
    assert_eq!(store.reply(dropped.reply.id).await.expect("read"), None);
    assert!(mark(sent.reply.id, true).await.expect("marked"));
    assert!(!mark(sent.reply.id, true).await.expect("answered"), "it was marked before");
    assert!(!mark(sent.reply.id, false).await.expect("answered"), "and is not taken back");
    assert_eq!(reply(&store, sent.reply.id).await.state(t(99)), ReplyState::Confirmed);
    assert!(!has_to_answer(&store, &viewer, lead).await);
    assert!(store.prepared_replies(lead).await.expect("read").is_empty());
    let mail = new_reply(&viewer, lead, ReplyChannel::Mail, "x", t(11));
    store.write_reply(&viewer, mail.clone()).await.expect("written");
    assert!(!mark(mail.reply.id, true).await.expect("answered"), "a mail is sent by us");
}

/// An expired reply is ended, also where nobody tries it because its destination is paused.
pub async fn a_reply_that_is_over_is_ended(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    store.append_turno(turno(lead, "Hola", t(5))).await.expect("appended");
    let [one, tried] =
        ["Una", "Otra"].map(|text| new_reply(&viewer, lead, ReplyChannel::Messaging, text, t(10)));
    store.write_reply(&viewer, tried.clone()).await.expect("written");
    take(&store, process(), t(11)).await;
    store.write_reply(&viewer, one.clone()).await.expect("written");
    assert_eq!(store.expire_replies(t(DAY - 1), 9).await.expect("looked"), []);
    assert_eq!(store.expire_replies(t(DAY), 9).await.expect("ended"), [lead]);
    assert_eq!(store.expire_replies(t(DAY), 9).await.expect("looked"), []);
    let job = job_of(&store, JobId(one.reply.id.0)).await;
    assert_eq!((job.state, job.terminado_en), (JobState::Expired, Some(t(DAY))));
    assert_eq!(state(&store, JobId(tried.reply.id.0)).await, JobState::Pending, "it is being tried");
    assert!(store.touches().take().leads.contains_key(&lead), "it is to be answered again");
}

pub async fn what_became_of_it_outlives_its_job(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let command = new_reply(&viewer, lead, ReplyChannel::Mail, "Hola", t(10));
    let id = command.reply.id;
    store.write_reply(&viewer, command).await.expect("written");
    let who = process();
    take(&store, who, t(11)).await;
    finish(&store, end(JobId(id.0), who, JobOutcome::Done, t(12))).await;
    assert_eq!(store.purge_jobs(t(100), 9).await.expect("purged"), 1);
    assert_eq!(reply(&store, id).await.state(t(200)), ReplyState::Sent);
}

pub async fn a_conversation_is_taken_over_and_given_back(store: Arc<dyn Store>) {
    let (lead, main) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    let (ana, bea) = (Some(viewer.who), Some(UserId(Uuid::new_v4())));
    let take = async |seen, to, at| {
        let command = TakeOver { lead, seen, to, at, audit: audit_entry() };
        store.take_over(&viewer, command).await.expect("answered")
    };
    let who = async |at| store.attention(lead, at).await.expect("read").map(|attention| attention.who);
    assert_eq!(who(t(1)).await, None);
    assert_eq!(take(None, ana, t(1)).await, Edited::Saved);
    assert_eq!(take(None, ana, t(2)).await, Edited::Same);
    assert_eq!(take(None, bea, t(2)).await, Edited::Stale, "somebody else was first");
    assert_eq!(take(ana, bea, t(3)).await, Edited::Saved);
    assert_eq!(who(t(4)).await, bea);
    assert_eq!(take(bea, None, t(5)).await, Edited::Saved);
    assert_eq!(who(t(6)).await, None);
    assert_eq!(take(None, ana, t(10)).await, Edited::Saved);
    assert_eq!(take(None, bea, t(10 + DAY)).await, Edited::Saved, "who left a day ago is not asked");
    assert!(store.unite(&viewer, lead, main, t(20), audit_entry()).await.expect("united"));
    let attended = store.attention(main, t(11 + DAY)).await.expect("read").map(|attention| attention.who);
    assert_eq!(attended, bea, "it is one person");
}

pub async fn another_companys_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let own = anyone(&store).await;
    let (_, viewer) = other_company(&store).await;
    let command = new_reply(&own, lead, ReplyChannel::WhatsApp, "Hola", t(10));
    assert_fails!(store.write_reply(&viewer, command.clone()).await, LeadNotFound);
    store.write_reply(&own, command.clone()).await.expect("written");
    assert_fails!(store.mark_reply(&viewer, lead, command.reply.id, true, audit_entry()).await, LeadNotFound);
    let over = TakeOver { lead, seen: Some(own.who), to: None, at: t(11), audit: audit_entry() };
    assert_fails!(store.take_over(&viewer, over).await, LeadNotFound);
    assert!(store.attention(lead, t(11)).await.expect("read").is_some());
}
