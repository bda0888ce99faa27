//! Mails to the company, and mails for which it is not known whether the server accepted them.

use embudo_app::{InDoubt, OutboundMail};
use embudo_delivery::Mail;
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_domain::job::{JobKind, JobState};
use embudo_store::empresas::EmpresaPatch;
use embudo_testkit::mailbox::{Encryption, MailboxSetup, Treatment};
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Receiver, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::stage::{Stage, render};

both_engines!(
    the_company_hears_of_a_new_lead,
    a_company_without_address_or_wish_hears_nothing,
    the_company_hears_of_a_complete_profile_and_of_a_dead_signal,
    a_mail_refused_for_now_is_tried_again_and_one_refused_for_good_is_not,
    a_mail_that_waits_carries_the_link_that_opens,
    a_notice_in_doubt_is_sent_again,
    in_doubt_park_never_sends_two,
    in_doubt_retry_never_sends_none,
    a_process_that_died_while_sending_leaves_the_mail_in_doubt,
    a_changed_password_ends_no_mail,
    refused_recipients_hold_nobody_back,
    the_name_of_the_sender_is_the_operators,
    the_company_hears_of_an_overdue_step_once,
);

async fn the_company_hears_of_a_new_lead(engine: Engine) {
    let o = Stage::mails(engine, |_| {}).await;
    o.new_lead_with(json!({ "nombre": "Ana <b>\r\nBcc: x@y.es", "tipoReforma": "bano" })).await;
    assert_eq!(o.pass(SignedDuration::ZERO).await, 1);
    let letter = o.mailbox.messages().remove(0);
    assert_eq!(
        (letter.from.as_str(), letter.to.as_slice()),
        ("embudo@ejemplo.es", ["obra@ejemplo.es".to_owned()].as_slice())
    );
    assert_eq!(letter.headers().iter().filter(|c| c.to_lowercase().starts_with("bcc")).count(), 0);
    assert!(letter.header("Message-ID").is_some() && letter.header("Subject").is_some());
    assert_eq!(o.states().await, [JobState::Done]);
}

async fn a_company_without_address_or_wish_hears_nothing(engine: Engine) {
    let o = Stage::mails(engine, |_| {}).await;
    for patch in [
        EmpresaPatch { notices: Some(false), ..EmpresaPatch::default() },
        EmpresaPatch { notices: Some(true), email_avisos: Some(String::new()), ..EmpresaPatch::default() },
    ] {
        o.wants(patch).await;
        o.new_lead().await;
        assert_eq!(o.pass(SignedDuration::ZERO).await, 0);
    }
}

async fn the_company_hears_of_a_complete_profile_and_of_a_dead_signal(engine: Engine) {
    let receiver = Receiver::start().await;
    receiver.always(Manner::state(410));
    let url = receiver.url().parse().unwrap();
    let o = Stage::mails(engine, |m| m.outbound.perfil = Some(url)).await;
    let lead = o.new_lead().await;
    o.ingest(lead, json!({ "perfilCompleto": true })).await;
    o.pass(SignedDuration::ZERO).await;
    let subjects: Vec<_> = o.mailbox.messages().iter().map(|c| c.header("Subject").unwrap()).collect();
    assert_eq!(subjects.len(), 3, "new lead, profile, dead signal: {subjects:?}");
}

async fn a_mail_refused_for_now_is_tried_again_and_one_refused_for_good_is_not(engine: Engine) {
    let o = Stage::mails(engine, |_| {}).await;
    o.mailbox.treatments([Treatment::Rcpt("451 4.7.1 try later")]);
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(o.states().await, [JobState::Pending]);
    o.pass(SignedDuration::from_secs(6)).await;
    assert_eq!((o.states().await, o.mailbox.messages().len()), (vec![JobState::Done], 1));
    o.mailbox.treatments([Treatment::Rcpt("550 5.1.1 no such user")]);
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(o.states().await[0], JobState::Dead);
}

/// Links are made when a mail is sent: a link from when the mail was ordered may have been revoked.
async fn a_mail_that_waits_carries_the_link_that_opens(engine: Engine) {
    let o = Stage::client_mails(engine, |m| {
        let links = embudo_delivery::Links::new(b"secreto");
        m.outbound.links = Some(embudo_app::WithLinks { links, public_url: "https://obras.es".into() });
    })
    .await;
    o.mailbox.treatments([Treatment::Rcpt("451 4.7.1 try later")]);
    let lead = o.new_lead().await;
    assert!(!o.finalizar(lead).await.mail_accepted);
    let quote = o.record(lead).await.presupuestos.remove(0);
    let before = o.app.quotes().page_url(quote.id).unwrap();
    o.app.rights().revoke_quotes(lead, &embudo_app::Actor::command()).await.unwrap();
    let after = o.app.quotes().page_url(quote.id).unwrap();
    o.pass(SignedDuration::from_secs(6)).await;
    let text = o.mailbox.messages().remove(0).part("text/plain").unwrap();
    assert!(text.contains(&after) && !text.contains(&format!("{before}\n")), "{text}");
    assert!(!o.client_mail().await.payload.contains("/p/"), "none is kept");
}

/// A notice that arrives twice does no harm.
async fn a_notice_in_doubt_is_sent_again(engine: Engine) {
    let o = Stage::mails(engine, |m| m.outbound.en_duda = InDoubt::Park).await;
    o.mailbox.treatments([Treatment::AcceptsAndCloses]);
    o.new_lead().await;
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(o.states().await, [JobState::Pending]);
    o.pass(SignedDuration::from_secs(6)).await;
    assert_eq!((o.states().await, o.mailbox.messages().len()), (vec![JobState::Done], 2));
}

async fn in_doubt_park_never_sends_two(engine: Engine) {
    let o = Stage::client_mails(engine, |m| m.outbound.en_duda = InDoubt::Park).await;
    o.mailbox.treatments([Treatment::AcceptsAndCloses]);
    assert!(!o.mailed_quote().await);
    assert_eq!(o.client_mail().await.state, JobState::Parked);
    assert_eq!(o.pass(SignedDuration::from_hours(100)).await, 0);
    assert_eq!(o.mailbox.messages().len(), 1);
}

async fn in_doubt_retry_never_sends_none(engine: Engine) {
    let o = Stage::client_mails(engine, |m| m.outbound.en_duda = InDoubt::Retry).await;
    o.mailbox.treatments([Treatment::ClosesAfterData]);
    assert!(!o.mailed_quote().await);
    o.pass(SignedDuration::from_secs(6)).await;
    assert_eq!((o.client_mail().await.state, o.mailbox.messages().len()), (JobState::Done, 1));
}

/// If the server refuses our password, the fault is ours: every mail waits, and is sent once the password is corrected.
async fn a_changed_password_ends_no_mail(engine: Engine) {
    let good = Some(("ana".to_owned(), "nueva".to_owned()));
    let mailbox = MailboxSetup { credentials: good, ..MailboxSetup::with(Encryption::Nothing) }.start().await;
    let port = mailbox.address.port();
    let settings = SmtpSettings::new("127.0.0.1", port, Tls::None);
    let old = SmtpSettings { credentials: Some(("ana".into(), "vieja".into())), ..settings };
    let mail = OutboundMail { client: Mail::new(old).unwrap(), from: "e@ejemplo.es".into(), from_name: None };
    let o = Stage::client_mails(engine, |m| m.outbound.mail = Some(mail)).await;
    assert!(!o.mailed_quote().await);
    for _ in 0..3 {
        o.pass(SignedDuration::from_hours(1)).await;
    }
    let wait = o.client_mail().await;
    assert_eq!(wait.state, JobState::Pending);
    assert!(wait.ultimo_error.unwrap().contains("535"));
}

/// Eight clients with a wrong address say nothing about the state of the server: the retry for the ninth is not held
/// back.
async fn refused_recipients_hold_nobody_back(engine: Engine) {
    let o = Stage::client_mails(engine, |_| {}).await;
    o.mailbox.treatments([Treatment::Mail("451 4.3.0 ahora no")]);
    assert!(!o.mailed_quote().await);
    for n in 0..8 {
        let no = if n % 2 == 0 { "550 5.1.1 no such user" } else { "450 4.2.0 greylisted" };
        o.mailbox.treatments([Treatment::Rcpt(no)]);
        assert!(!o.mailed_quote().await);
    }
    o.mailbox.always(Treatment::Accepts);
    o.pass(SignedDuration::from_secs(6)).await;
    assert_eq!(o.mailbox.messages().len(), 5, "the one that waited, and the greylisted");
}

async fn the_name_of_the_sender_is_the_operators(engine: Engine) {
    // «Reformas Peña» is not ASCII, so the header is encoded.
    for (name, of_cliente, of_notice) in
        [(None, "=?utf-8?", "Embudo"), (Some("Obras Gil".to_owned()), "Obras Gil", "Obras Gil")]
    {
        let o = Stage::mails(engine, |m| m.outbound.mail.as_mut().unwrap().from_name = name).await;
        assert!(o.mailed_quote().await);
        o.pass(SignedDuration::ZERO).await;
        let letters = o.mailbox.messages();
        assert_eq!(letters.len(), 2, "to the client and to the company");
        for letter in letters {
            let expected = if letter.to == ["obra@ejemplo.es"] { of_notice } else { of_cliente };
            let from = letter.header("From").unwrap();
            assert!(from.contains(expected) && from.contains("<embudo@ejemplo.es>"), "{from}");
        }
    }
}

/// The receiver answers 200, and nothing follows: the company is notified when the deadline passes, once for the
/// renders and once for `finalizar`.
async fn the_company_hears_of_an_overdue_step_once(engine: Engine) {
    let receiver = Receiver::start().await;
    let url = receiver.url().parse().unwrap();
    let o = Stage::mails(engine, |m| m.outbound.perfil = Some(url)).await;
    // A name in ASCII, which the header contains unencoded.
    let lead = o.new_lead_with(json!({ "nombre": "Ana Gil" })).await;
    o.ingest(lead, json!({ "perfilCompleto": true })).await;
    o.pass(SignedDuration::ZERO).await;
    let delays = || {
        let subjects = o.mailbox.messages().into_iter().map(|c| c.header("Subject").unwrap());
        subjects.filter(|a| a.contains("atascado")).collect::<Vec<_>>()
    };
    let two_hours = SignedDuration::from_mins(121);
    for expected_ones in [1, 1] {
        o.clock.advance(two_hours);
        o.app.housekeeping().watch_loops().await.unwrap();
        o.pass(SignedDuration::ZERO).await;
        assert_eq!(delays().len(), expected_ones);
    }
    o.ingest(lead, json!({ "items": [render()] })).await;
    o.clock.advance(two_hours);
    o.app.housekeeping().watch_loops().await.unwrap();
    o.pass(SignedDuration::ZERO).await;
    assert_eq!(delays().len(), 2);
    assert_eq!(receiver.received().len(), 1, "nothing is signalled again by itself");
}

async fn a_process_that_died_while_sending_leaves_the_mail_in_doubt(engine: Engine) {
    for (policy, state, letters) in
        [(InDoubt::Park, JobState::Parked, 0), (InDoubt::Retry, JobState::Done, 1)]
    {
        let o = Stage::client_mails(engine, |m| m.outbound.en_duda = policy).await;
        o.mailbox.treatments([Treatment::Mail("451 4.3.0 ahora no")]);
        assert!(!o.mailed_quote().await);
        // Another process claims the job, is about to send the last line of the mail, and dies.
        let store = &o.app.store;
        o.clock.advance(SignedDuration::from_secs(6));
        let other = embudo_domain::ProcessId(o.app.id());
        let lease = embudo_store::outbox::Lease { who: other, lasts: std::time::Duration::from_secs(60) };
        let allotment = embudo_store::outbox::Allotment {
            kind: JobKind::ClientMail,
            how_many: 1,
            first_attempts_only: false,
        };
        let taken = store.claim(vec![allotment], lease, o.app.now()).await.unwrap().remove(0);
        assert!(store.begin_send(taken.id, other).await.unwrap());
        assert_eq!(o.pass(SignedDuration::ZERO).await, 0, "its lease is respected");
        store.release(other).await.unwrap();
        o.pass(SignedDuration::ZERO).await;
        assert_eq!((o.client_mail().await.state, o.mailbox.messages().len()), (state, letters));
    }
}
