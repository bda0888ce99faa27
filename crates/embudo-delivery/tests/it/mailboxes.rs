//! Mail servers that behave in all kinds of ways, and what an attempt reports about them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use embudo_delivery::mail::{
    Failure, Mail, MailAttachment, MailMessage, MailOutcome, Phase, SmtpSettings, Tls,
};
use embudo_testkit::Certificate;
use embudo_testkit::mailbox::{Encryption, Mailbox, MailboxSetup, Treatment};

/// The only real wait in these tests: where a test waits for one of our own time-outs.
const SHORT: Duration = Duration::from_secs(1);

pub(crate) fn message() -> MailMessage {
    MailMessage {
        id: "0190a1b2-presupuesto.7".into(),
        date: "2026-11-14T10:30:00Z".parse().unwrap(),
        from: "presupuestos@ejemplo.es".into(),
        shown_from: None,
        from_name: Some("Reformas Peña".into()),
        reply_to: Some("oficina@ejemplo.es".into()),
        to: "ana@ejemplo.es".into(),
        subject: "Tu presupuesto".into(),
        text: "Hola, Ana:\r\n.\r\nadiós".into(),
        html: "<p>Hola, Ana</p>".into(),
        logo: None,
        attachment: Some(MailAttachment {
            filename: "presupuesto-7.pdf".into(),
            bytes: Bytes::from(vec![0x25; 200_000]),
        }),
        unsubscribe: None,
        calendar: None,
    }
}

fn settings(mailbox: &Mailbox, tls: Tls) -> SmtpSettings {
    let ca_pem = Some(mailbox.ca_pem.clone().into_bytes());
    SmtpSettings { ca_pem, ..SmtpSettings::new("127.0.0.1", mailbox.address.port(), tls) }
}

pub(crate) fn mail(mailbox: &Mailbox, tls: Tls) -> Mail {
    Mail::new(settings(mailbox, tls)).unwrap()
}

/// Makes one attempt with nothing to do before its last line.
pub(crate) async fn send(mail: &Mail, message: &MailMessage) -> MailOutcome {
    mail.send(message, async { Ok(()) }).await
}

async fn send_to(manner: Treatment) -> (MailOutcome, Mailbox) {
    let mailbox = Mailbox::start().await;
    mailbox.treatments([manner]);
    (send(&mail(&mailbox, Tls::None), &message()).await, mailbox)
}

#[track_caller]
fn temporary(result: MailOutcome) -> Failure {
    let MailOutcome::Temporary(failure) = result else { panic!("not temporary: {result:?}") };
    failure
}

#[track_caller]
pub(crate) fn permanent(result: MailOutcome) -> Failure {
    let MailOutcome::Permanent(failure) = result else { panic!("not permanent: {result:?}") };
    failure
}

#[track_caller]
fn doubtful(result: MailOutcome) -> Failure {
    let MailOutcome::Doubtful(failure) = result else { panic!("not doubtful: {result:?}") };
    assert_eq!(failure.phase, Phase::Final);
    failure
}

#[tokio::test]
async fn a_mail_arrives_whole() {
    let (result, mailbox) = send_to(Treatment::Accepts).await;
    assert_eq!(result, MailOutcome::Sent("250 2.0.0 aceptado".into()));
    let letter = mailbox.await_messages(1).await.remove(0);
    assert_eq!((&*letter.from, &*letter.to), ("presupuestos@ejemplo.es", &["ana@ejemplo.es".to_owned()][..]));
    assert_eq!(letter.header("Message-ID").unwrap(), "<0190a1b2-presupuesto.7@ejemplo.es>");
    assert_eq!(letter.header("Date").unwrap(), "Sat, 14 Nov 2026 10:30:00 +0000");
    assert_eq!(letter.header("Reply-To").unwrap(), "oficina@ejemplo.es");
    assert_eq!(letter.header("Subject").unwrap(), "Tu presupuesto");
    assert!(letter.header("From").unwrap().ends_with("<presupuestos@ejemplo.es>"));
    for part in
        ["text/plain", "text/html", "application/pdf", "filename=\"presupuesto-7.pdf\"", "JSUlJSUl", "base64"]
    {
        assert!(letter.data.contains(part), "{part}");
    }
    assert!(!letter.encrypted && letter.user.is_none());
}

#[tokio::test]
async fn the_message_id_is_the_same_on_every_attempt() {
    let mailbox = Mailbox::start().await;
    let mail = mail(&mailbox, Tls::None);
    for _ in 0..2 {
        assert!(matches!(send(&mail, &message()).await, MailOutcome::Sent(_)));
    }
    let letters = mailbox.await_messages(2).await;
    assert_eq!(letters[0].header("Message-ID"), letters[1].header("Message-ID"));
    assert_eq!(letters[1].connection, 0, "the connection was kept");
}

#[tokio::test]
async fn a_kept_connection_that_died_costs_nothing() {
    let mailbox = Mailbox::start().await;
    mailbox.treatments([Treatment::ConfirmsAndCloses]);
    let mail = mail(&mailbox, Tls::None);
    for connection in 0..2 {
        assert!(matches!(send(&mail, &message()).await, MailOutcome::Sent(_)));
        assert_eq!(mailbox.await_messages(connection + 1).await[connection].connection, connection);
    }
}

#[tokio::test]
async fn starttls_and_tls_with_user_and_password() {
    for (encryption, tls) in [(Encryption::Starttls, Tls::Starttls), (Encryption::Tls, Tls::Tls)] {
        for mechanisms in ["PLAIN LOGIN", "LOGIN"] {
            let credentials = Some(("ana".to_owned(), "clave ñ".to_owned()));
            let mount = MailboxSetup {
                credentials: credentials.clone(),
                mechanisms,
                ..MailboxSetup::with(encryption)
            };
            let mailbox = mount.start().await;
            let settings = SmtpSettings { credentials, ..settings(&mailbox, tls) };
            let mail = Mail::new(settings).unwrap();
            assert_eq!(mail.probe().await, Ok(()));
            assert_eq!(send(&mail, &message()).await, MailOutcome::Sent("250 2.0.0 aceptado".into()));
            let letter = &mailbox.messages()[0];
            assert!(letter.encrypted && letter.user.as_deref() == Some("ana"));
        }
    }
}

#[tokio::test]
async fn a_wrong_password_is_tried_again_and_not_shown() {
    let credentials = Some(("ana".to_owned(), "buena".to_owned()));
    let mailbox = MailboxSetup { credentials, ..MailboxSetup::with(Encryption::Tls) }.start().await;
    let bad_ones = Some(("ana".to_owned(), "mala-clave".to_owned()));
    let mail = Mail::new(SmtpSettings { credentials: bad_ones, ..settings(&mailbox, Tls::Tls) }).unwrap();
    let failure = temporary(send(&mail, &message()).await);
    assert_eq!((failure.phase, failure.code), (Phase::Authentication, Some(535)));
    assert!(
        failure.text.contains("credenciales incorrectas")
            && !format!("{mail:?}{failure}").contains("mala-clave")
    );
    assert_eq!(mail.probe().await.unwrap_err(), failure);
    assert_eq!(mailbox.messages(), []);
}

#[tokio::test]
async fn a_certificate_that_is_not_good_sends_nothing() {
    for (encryption, tls) in [(Encryption::Starttls, Tls::Starttls), (Encryption::Tls, Tls::Tls)] {
        let credentials = Some(("ana".to_owned(), "clave".to_owned()));
        let mount = MailboxSetup { credentials: credentials.clone(), ..MailboxSetup::with(encryption) };
        let mailbox = mount.start().await;
        let without_ca =
            SmtpSettings { ca_pem: None, credentials: credentials.clone(), ..settings(&mailbox, tls) };
        let failure = temporary(send(&Mail::new(without_ca).unwrap(), &message()).await);
        assert!(failure.phase == Phase::Connection && failure.text.contains("certificate"), "{failure}");
        let other_name =
            MailboxSetup { certificate: Certificate::for_("otro.example"), ..MailboxSetup::with(encryption) }
                .start()
                .await;
        let failure = temporary(send(&mail(&other_name, tls), &message()).await);
        assert!(failure.phase == Phase::Connection && failure.text.contains("certificate"), "{failure}");
        assert_eq!((mailbox.messages(), other_name.messages()), (Vec::new(), Vec::new()));
    }
}

#[tokio::test]
async fn a_server_without_starttls_gets_nothing_where_it_is_demanded() {
    let mailbox = Mailbox::start().await;
    let failure = temporary(send(&mail(&mailbox, Tls::Starttls), &message()).await);
    assert!(failure.text.contains("STARTTLS"), "{failure}");
    assert_eq!(mailbox.messages(), []);
}

#[tokio::test]
async fn nobody_listens() {
    let busy = tokio::net::TcpSocket::new_v4().unwrap();
    busy.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = busy.local_addr().unwrap().port();
    let mail = Mail::new(SmtpSettings::new("127.0.0.1", port, Tls::None)).unwrap();
    assert_eq!(temporary(send(&mail, &message()).await).phase, Phase::Connection);
}

#[tokio::test]
async fn a_server_that_does_not_take_the_connection() {
    let deaf = crate::deaf().await;
    let settings = SmtpSettings::new("127.0.0.1", deaf.address.port(), Tls::None);
    let mail = Mail::new(SmtpSettings { connect_timeout: SHORT, ..settings }).unwrap();
    let failure = temporary(send(&mail, &message()).await);
    assert!(failure.phase == Phase::Connection && failure.text.contains("a tiempo"), "{failure}");
}

#[tokio::test]
async fn resets_and_refusals_at_the_door() {
    let (result, _mailbox) = send_to(Treatment::RstOnConnect).await;
    assert_eq!(temporary(result).phase, Phase::Connection);
    let (result, _mailbox) = send_to(Treatment::Greeting("421 4.3.2 cerrado por obras")).await;
    let failure = temporary(result);
    assert_eq!((failure.phase, failure.code), (Phase::Connection, Some(421)));
    let (result, _mailbox) = send_to(Treatment::Greeting("554 5.7.1 no te conozco")).await;
    let failure = temporary(result);
    assert_eq!(failure.to_string(), "conexión: 554 5.7.1 no te conozco", "it speaks of us, not of this mail");
}

#[tokio::test]
async fn greylisting_waits_and_a_5xx_about_this_mail_ends() {
    for (manner, phase, code) in [
        (Treatment::Mail("550 5.1.0 remitente no"), Phase::Sender, 550),
        (Treatment::Mail("451 4.3.0 ahora no"), Phase::Sender, 451),
        (Treatment::Rcpt("450 4.2.0 greylisted"), Phase::Recipient, 450),
        (Treatment::Data("421 4.3.2 me voy"), Phase::Content, 421),
        (Treatment::End("452 4.3.1 sin sitio"), Phase::Final, 452),
    ] {
        let (result, mailbox) = send_to(manner).await;
        let failure = temporary(result);
        assert_eq!((failure.phase, failure.code), (phase, Some(code)));
        assert_eq!(mailbox.messages(), []);
    }
    for (manner, phase, code) in [
        (Treatment::Rcpt("550 5.1.1 no such user"), Phase::Recipient, 550),
        (Treatment::Data("554 5.5.0 no"), Phase::Content, 554),
        (Treatment::End("554 5.6.0 spam"), Phase::Final, 554),
    ] {
        let (result, mailbox) = send_to(manner).await;
        let failure = permanent(result);
        assert_eq!((failure.phase, failure.code), (phase, Some(code)));
        assert!(failure.text.starts_with("5."), "the server's words are kept: {failure}");
        assert_eq!(mailbox.messages(), []);
    }
}

#[tokio::test]
async fn a_reply_of_several_lines_is_one_text() {
    let (result, _mailbox) =
        send_to(Treatment::Rcpt("550-5.1.1 no existe\r\n550 5.1.1 pregunta en la oficina")).await;
    let text = permanent(result).text;
    assert!(text.contains("no existe") && text.contains("pregunta en la oficina"), "{text}");
}

#[tokio::test]
async fn a_break_before_the_end_of_the_message_is_temporary() {
    // Much more than the sockets can buffer: our side is still writing when the server closes.
    let mailbox = Mailbox::start().await;
    mailbox.treatments([Treatment::ClosesInContent]);
    let attachment = MailAttachment { filename: "grande.pdf".into(), bytes: Bytes::from(vec![7; 10 << 20]) };
    let result =
        send(&mail(&mailbox, Tls::None), &MailMessage { attachment: Some(attachment), ..message() }).await;
    assert_eq!(temporary(result).phase, Phase::Content);
    assert_eq!(mailbox.messages(), []);
}

#[tokio::test]
async fn a_break_between_the_end_and_the_reply_is_doubtful() {
    let (result, mailbox) = send_to(Treatment::AcceptsAndCloses).await;
    assert_eq!(doubtful(result).text, "el servidor cerró la conexión sin contestar");
    assert_eq!(mailbox.messages().len(), 1, "the server did take it");
    let (result, mailbox) = send_to(Treatment::ClosesAfterData).await;
    doubtful(result);
    assert_eq!(mailbox.messages().len(), 0, "the server did not");
    for odd in ["354 sigue", "hola", "999 x"] {
        let (result, _mailbox) = send_to(Treatment::End(odd)).await;
        doubtful(result);
    }
}

#[tokio::test]
async fn the_same_under_tls() {
    for manner in [Treatment::AcceptsAndCloses, Treatment::ClosesAfterData] {
        let mailbox = MailboxSetup::with(Encryption::Tls).start().await;
        mailbox.treatments([manner]);
        doubtful(send(&mail(&mailbox, Tls::Tls), &message()).await);
    }
}

#[tokio::test]
async fn a_bare_code_is_a_reply() {
    let (result, _mailbox) = send_to(Treatment::End("250")).await;
    assert!(matches!(result, MailOutcome::Sent(_)), "{result:?}");
}

async fn send_impatiently(
    manner: Treatment,
    adjust: impl FnOnce(&mut SmtpSettings),
) -> (MailOutcome, Mailbox) {
    let mailbox = Mailbox::start().await;
    mailbox.treatments([manner]);
    let mut settings = settings(&mailbox, Tls::None);
    adjust(&mut settings);
    (send(&Mail::new(settings).unwrap(), &message()).await, mailbox)
}

#[tokio::test]
async fn a_server_that_hangs_after_the_message_is_doubtful_and_before_it_temporary() {
    let each_reply: fn(&mut SmtpSettings) = |a| a.reply_timeout = SHORT;
    let in_all: fn(&mut SmtpSettings) = |a| a.conversation_timeout = SHORT;
    for adjust in [each_reply, in_all] {
        let (result, mailbox) = send_impatiently(Treatment::HangsAfterData, adjust).await;
        assert!(doubtful(result).text.contains("en 1 s"));
        mailbox.release();
        assert_eq!(mailbox.await_messages(1).await.len(), 1);
        let (result, _mailbox) = send_impatiently(Treatment::NoGreeting, adjust).await;
        assert!(temporary(result).text.contains("en 1 s"), "the greeting too has its time");
    }
}

#[tokio::test]
async fn what_must_be_done_before_the_last_line_is_done_then_and_only_then() {
    for (manner, arrives) in [
        (Treatment::NoGreeting, false),
        (Treatment::Mail("451 4.3.0 ahora no"), false),
        (Treatment::Rcpt("550 5.1.1 no such user"), false),
        (Treatment::Accepts, true),
        (Treatment::AcceptsAndCloses, true),
    ] {
        let mailbox = Mailbox::start().await;
        mailbox.treatments([manner.clone()]);
        let settings = SmtpSettings { reply_timeout: SHORT, ..settings(&mailbox, Tls::None) };
        let times = AtomicUsize::new(0);
        let before = async {
            assert_eq!(mailbox.messages(), [], "the server does not have it yet");
            times.fetch_add(1, Ordering::SeqCst);
            Ok(())
        };
        Mail::new(settings).unwrap().send(&message(), before).await;
        assert_eq!(times.into_inner(), usize::from(arrives), "{manner:?}");
    }
}

#[tokio::test]
async fn a_mail_whose_last_line_may_not_be_sent_is_not_taken() {
    for (encryption, tls) in [(Encryption::Nothing, Tls::None), (Encryption::Tls, Tls::Tls)] {
        let mailbox = MailboxSetup::with(encryption).start().await;
        let mail = mail(&mailbox, tls);
        let failure = temporary(mail.send(&message(), async { Err("no se pudo apuntar".to_owned()) }).await);
        assert_eq!((failure.phase, &*failure.text), (Phase::Content, "no se pudo apuntar"));
        assert!(matches!(send(&mail, &message()).await, MailOutcome::Sent(_)));
        let letters = mailbox.messages();
        assert_eq!(
            (letters.len(), letters[0].connection),
            (1, 1),
            "the cut one is gone, with its connection"
        );
    }
}

#[tokio::test]
async fn a_ca_file_that_is_none_is_a_settings_error() {
    let settings =
        SmtpSettings { ca_pem: Some(b"hola".to_vec()), ..SmtpSettings::new("mail.example", 465, Tls::Tls) };
    assert!(Mail::new(settings).unwrap_err().to_string().contains("PEM"));
}
