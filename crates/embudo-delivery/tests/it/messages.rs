//! What happens in a mail to texts that people write.

use bytes::Bytes;
use embudo_delivery::mail::{MailAttachment, MailMessage, MailOutcome, Phase, Tls};
use embudo_testkit::mailbox::{Encryption, Mailbox, MailboxSetup};

use crate::mailboxes::{mail, message, permanent, send};

#[tokio::test]
async fn letters_beyond_ascii_in_an_address() {
    let mailbox = Mailbox::start().await;
    let josé = MailMessage { to: "josé@peñíscola.es".into(), ..message() };
    assert!(matches!(send(&mail(&mailbox, Tls::None), &josé).await, MailOutcome::Sent(_)));
    assert_eq!(mailbox.messages()[0].to, ["josé@xn--pescola-8ya9a.es"]);
    let old = MailboxSetup { smtputf8: false, ..MailboxSetup::with(Encryption::Nothing) }.start().await;
    let failure = permanent(send(&mail(&old, Tls::None), &josé).await);
    assert!(failure.text.contains("SMTPUTF8"), "{failure}");
    let domain = MailMessage { to: "jose@peñíscola.es".into(), ..message() };
    assert!(matches!(send(&mail(&old, Tls::None), &domain).await, MailOutcome::Sent(_)));
}

#[tokio::test]
async fn a_mail_that_cannot_be_written_is_permanent() {
    let mailbox = Mailbox::start().await;
    let mail = mail(&mailbox, Tls::None);
    for bad in [
        MailMessage { to: "ana".into(), ..message() },
        MailMessage { to: "ana@ejemplo.es>\r\nRCPT TO:<b@y.es".into(), ..message() },
        MailMessage { from: "a b@ejemplo.es".into(), ..message() },
        MailMessage { reply_to: Some("x@y.es, z@y.es".into()), ..message() },
        MailMessage { id: "a@b>\r\nBcc: c@d.es".into(), ..message() },
    ] {
        assert_eq!(permanent(send(&mail, &bad).await).phase, Phase::Message);
    }
    assert_eq!(mailbox.messages(), []);
}

#[tokio::test]
async fn nothing_that_people_write_makes_a_header() {
    let mailbox = Mailbox::start().await;
    let mail = mail(&mailbox, Tls::None);
    let attacks = [
        "\r\nBcc: b@y.es",
        "\nBcc: b@y.es",
        "\rBcc: b@y.es",
        "\r\n\r\nBcc: b@y.es",
        "\u{85}Bcc: b@y.es",
        "\u{2028}Bcc: b@y.es",
        "\0\"><Bcc: b@y.es>",
    ];
    for (n, attack) in attacks.iter().enumerate() {
        let text = format!("Peña{attack}");
        let message = MailMessage {
            from_name: Some(text.clone()),
            subject: text.clone(),
            attachment: Some(MailAttachment { filename: text, bytes: Bytes::from_static(b"%PDF") }),
            calendar: None,
            ..message()
        };
        assert!(matches!(send(&mail, &message).await, MailOutcome::Sent(_)), "{attack:?}");
        let letter = mailbox.await_messages(n + 1).await.remove(n);
        assert_eq!(letter.to, ["ana@ejemplo.es"]);
        let names: Vec<String> =
            letter.headers().iter().map(|l| l.split(':').next().unwrap().to_owned()).collect();
        assert_eq!(
            names,
            ["Message-ID", "Date", "From", "To", "Subject", "Reply-To", "MIME-Version", "Content-Type"],
            "{attack:?}"
        );
        assert!(!letter.data.contains("\nBcc"), "{}", letter.data);
        assert!(letter.data.bytes().all(|b| b.is_ascii_graphic() || b" \t\r\n".contains(&b)), "{attack:?}");
    }
}

#[tokio::test]
async fn another_sender_is_shown_and_the_envelope_stays() {
    let mailbox = Mailbox::start().await;
    let mail = mail(&mailbox, Tls::None);
    for (shown, from, sender) in [
        (None, "presupuestos@ejemplo.es", None),
        (Some("hola@pena.es"), "hola@pena.es", Some("presupuestos@ejemplo.es")),
        (Some("presupuestos@ejemplo.es"), "presupuestos@ejemplo.es", None),
    ] {
        let message = MailMessage { shown_from: shown.map(Into::into), ..message() };
        assert!(matches!(send(&mail, &message).await, MailOutcome::Sent(_)), "{shown:?}");
        let letter = mailbox.messages().pop().unwrap();
        assert_eq!(letter.from, "presupuestos@ejemplo.es");
        assert!(letter.header("From").unwrap().contains(&format!("<{from}>")), "{shown:?}");
        assert_eq!(letter.header("Sender").as_deref(), sender, "{shown:?}");
    }
    let bad = MailMessage { shown_from: Some("a b@x.es".into()), ..message() };
    assert!(matches!(send(&mail, &bad).await, MailOutcome::Permanent(_)));
}
