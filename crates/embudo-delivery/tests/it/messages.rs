//! What people write, and what becomes of it in a mail.

use bytes::Bytes;
use embudo_delivery::mail::{MailAttachment, MailOutcome, Mensaje, Phase, Tls};
use embudo_testkit::mailbox::{Encryption, Mailbox, MailboxSetup};

use crate::mailboxes::{mail, mensaje, permanent, send};

#[tokio::test]
async fn letters_beyond_ascii_in_an_address() {
    let mailbox = Mailbox::start().await;
    let josé = Mensaje { to: "josé@peñíscola.es".into(), ..mensaje() };
    assert!(matches!(send(&mail(&mailbox, Tls::None), &josé).await, MailOutcome::Sent(_)));
    assert_eq!(mailbox.messages()[0].to, ["josé@xn--pescola-8ya9a.es"]);
    let old = MailboxSetup { smtputf8: false, ..MailboxSetup::with(Encryption::Nothing) }.start().await;
    let failure = permanent(send(&mail(&old, Tls::None), &josé).await);
    assert!(failure.text.contains("SMTPUTF8"), "{failure}");
    let domain = Mensaje { to: "jose@peñíscola.es".into(), ..mensaje() };
    assert!(matches!(send(&mail(&old, Tls::None), &domain).await, MailOutcome::Sent(_)));
}

#[tokio::test]
async fn a_mail_that_cannot_be_written_is_permanent() {
    let mailbox = Mailbox::start().await;
    let mail = mail(&mailbox, Tls::None);
    for bad in [
        Mensaje { to: "ana".into(), ..mensaje() },
        Mensaje { to: "ana@ejemplo.es>\r\nRCPT TO:<b@y.es".into(), ..mensaje() },
        Mensaje { from: "a b@ejemplo.es".into(), ..mensaje() },
        Mensaje { reply_to: Some("x@y.es, z@y.es".into()), ..mensaje() },
        Mensaje { id: "a@b>\r\nBcc: c@d.es".into(), ..mensaje() },
    ] {
        assert_eq!(permanent(send(&mail, &bad).await).phase, Phase::Mensaje);
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
        let mensaje = Mensaje {
            from_name: Some(text.clone()),
            subject: text.clone(),
            attachment: Some(MailAttachment { filename: text, bytes: Bytes::from_static(b"%PDF") }),
            calendar: None,
            ..mensaje()
        };
        assert!(matches!(send(&mail, &mensaje).await, MailOutcome::Sent(_)), "{attack:?}");
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
        let message = Mensaje { shown_from: shown.map(Into::into), ..mensaje() };
        assert!(matches!(send(&mail, &message).await, MailOutcome::Sent(_)), "{shown:?}");
        let letter = mailbox.messages().pop().unwrap();
        assert_eq!(letter.from, "presupuestos@ejemplo.es");
        assert!(letter.header("From").unwrap().contains(&format!("<{from}>")), "{shown:?}");
        assert_eq!(letter.header("Sender").as_deref(), sender, "{shown:?}");
    }
    let bad = Mensaje { shown_from: Some("a b@x.es".into()), ..mensaje() };
    assert!(matches!(send(&mail, &bad).await, MailOutcome::Permanent(_)));
}
