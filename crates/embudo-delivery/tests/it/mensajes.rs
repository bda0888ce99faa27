//! What people write, and what becomes of it in a mail.

use bytes::Bytes;
use embudo_delivery::correo::{Adjunto, Fase, Mensaje, Resultado, Tls};
use embudo_testkit::mailbox::{Encryption, Mailbox, MailboxSetup};

use crate::buzones::{correo, mensaje, permanente, send};

#[tokio::test]
async fn letters_beyond_ascii_in_an_address() {
    let buzon = Mailbox::arrancar().await;
    let josé = Mensaje { to: "josé@peñíscola.es".into(), ..mensaje() };
    assert!(matches!(send(&correo(&buzon, Tls::None), &josé).await, Resultado::Enviado(_)));
    assert_eq!(buzon.messages()[0].to, ["josé@xn--pescola-8ya9a.es"]);
    let viejo = MailboxSetup { smtputf8: false, ..MailboxSetup::con(Encryption::Ninguno) }.arrancar().await;
    let fallo = permanente(send(&correo(&viejo, Tls::None), &josé).await);
    assert!(fallo.texto.contains("SMTPUTF8"), "{fallo}");
    let dominio = Mensaje { to: "jose@peñíscola.es".into(), ..mensaje() };
    assert!(matches!(send(&correo(&viejo, Tls::None), &dominio).await, Resultado::Enviado(_)));
}

#[tokio::test]
async fn a_mail_that_cannot_be_written_is_permanent() {
    let buzon = Mailbox::arrancar().await;
    let correo = correo(&buzon, Tls::None);
    for malo in [
        Mensaje { to: "ana".into(), ..mensaje() },
        Mensaje { to: "ana@ejemplo.es>\r\nRCPT TO:<b@y.es".into(), ..mensaje() },
        Mensaje { from: "a b@ejemplo.es".into(), ..mensaje() },
        Mensaje { reply_to: Some("x@y.es, z@y.es".into()), ..mensaje() },
        Mensaje { id: "a@b>\r\nBcc: c@d.es".into(), ..mensaje() },
    ] {
        assert_eq!(permanente(send(&correo, &malo).await).fase, Fase::Mensaje);
    }
    assert_eq!(buzon.messages(), []);
}

#[tokio::test]
async fn nothing_that_people_write_makes_a_header() {
    let buzon = Mailbox::arrancar().await;
    let correo = correo(&buzon, Tls::None);
    let ataques = [
        "\r\nBcc: b@y.es",
        "\nBcc: b@y.es",
        "\rBcc: b@y.es",
        "\r\n\r\nBcc: b@y.es",
        "\u{85}Bcc: b@y.es",
        "\u{2028}Bcc: b@y.es",
        "\0\"><Bcc: b@y.es>",
    ];
    for (n, ataque) in ataques.iter().enumerate() {
        let texto = format!("Peña{ataque}");
        let mensaje = Mensaje {
            from_name: Some(texto.clone()),
            asunto: texto.clone(),
            adjunto: Some(Adjunto { filename: texto, bytes: Bytes::from_static(b"%PDF") }),
            ..mensaje()
        };
        assert!(matches!(send(&correo, &mensaje).await, Resultado::Enviado(_)), "{ataque:?}");
        let carta = buzon.await_messages(n + 1).await.remove(n);
        assert_eq!(carta.to, ["ana@ejemplo.es"]);
        let nombres: Vec<String> =
            carta.cabeceras().iter().map(|l| l.split(':').next().unwrap().to_owned()).collect();
        assert_eq!(
            nombres,
            ["Message-ID", "Date", "From", "To", "Subject", "Reply-To", "MIME-Version", "Content-Type"],
            "{ataque:?}"
        );
        assert!(!carta.datos.contains("\nBcc"), "{}", carta.datos);
        assert!(carta.datos.bytes().all(|b| b.is_ascii_graphic() || b" \t\r\n".contains(&b)), "{ataque:?}");
    }
}
