//! Every manner of a mail server, and what an attempt says about it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use embudo_delivery::correo::{Adjunto, Ajustes, Correo, Fallo, Fase, Mensaje, Resultado, Tls};
use embudo_testkit::Certificate;
use embudo_testkit::mailbox::{Encryption, Mailbox, MailboxSetup, Treatment};

/// The only wait there is: where a test waits for our own clock to run out.
const CORTO: Duration = Duration::from_secs(1);

pub(crate) fn mensaje() -> Mensaje {
    Mensaje {
        id: "0190a1b2-presupuesto.7".into(),
        fecha: "2026-11-14T10:30:00Z".parse().unwrap(),
        from: "presupuestos@ejemplo.es".into(),
        from_name: Some("Reformas Peña".into()),
        reply_to: Some("oficina@ejemplo.es".into()),
        to: "ana@ejemplo.es".into(),
        asunto: "Tu presupuesto".into(),
        texto: "Hola, Ana:\r\n.\r\nadiós".into(),
        html: "<p>Hola, Ana</p>".into(),
        logo: None,
        adjunto: Some(Adjunto {
            filename: "presupuesto-7.pdf".into(),
            bytes: Bytes::from(vec![0x25; 200_000]),
        }),
    }
}

fn ajustes(buzon: &Mailbox, tls: Tls) -> Ajustes {
    let ca_pem = Some(buzon.ca_pem.clone().into_bytes());
    Ajustes { ca_pem, ..Ajustes::new("127.0.0.1", buzon.direccion.port(), tls) }
}

pub(crate) fn correo(buzon: &Mailbox, tls: Tls) -> Correo {
    Correo::new(ajustes(buzon, tls)).unwrap()
}

/// Makes one attempt that asks for nothing before its end.
pub(crate) async fn send(correo: &Correo, mensaje: &Mensaje) -> Resultado {
    correo.send(mensaje, async { Ok(()) }).await
}

async fn send_to(trato: Treatment) -> (Resultado, Mailbox) {
    let buzon = Mailbox::arrancar().await;
    buzon.treatments([trato]);
    (send(&correo(&buzon, Tls::None), &mensaje()).await, buzon)
}

#[track_caller]
fn temporal(resultado: Resultado) -> Fallo {
    let Resultado::Temporal(fallo) = resultado else { panic!("not temporary: {resultado:?}") };
    fallo
}

#[track_caller]
pub(crate) fn permanente(resultado: Resultado) -> Fallo {
    let Resultado::Permanente(fallo) = resultado else { panic!("not permanent: {resultado:?}") };
    fallo
}

#[track_caller]
fn dudoso(resultado: Resultado) -> Fallo {
    let Resultado::Dudoso(fallo) = resultado else { panic!("not doubtful: {resultado:?}") };
    assert_eq!(fallo.fase, Fase::Final);
    fallo
}

#[tokio::test]
async fn a_mail_arrives_whole() {
    let (resultado, buzon) = send_to(Treatment::Acepta).await;
    assert_eq!(resultado, Resultado::Enviado("250 2.0.0 aceptado".into()));
    let carta = buzon.await_messages(1).await.remove(0);
    assert_eq!((&*carta.from, &*carta.to), ("presupuestos@ejemplo.es", &["ana@ejemplo.es".to_owned()][..]));
    assert_eq!(carta.cabecera("Message-ID").unwrap(), "<0190a1b2-presupuesto.7@ejemplo.es>");
    assert_eq!(carta.cabecera("Date").unwrap(), "Sat, 14 Nov 2026 10:30:00 +0000");
    assert_eq!(carta.cabecera("Reply-To").unwrap(), "oficina@ejemplo.es");
    assert_eq!(carta.cabecera("Subject").unwrap(), "Tu presupuesto");
    assert!(carta.cabecera("From").unwrap().ends_with("<presupuestos@ejemplo.es>"));
    for parte in
        ["text/plain", "text/html", "application/pdf", "filename=\"presupuesto-7.pdf\"", "JSUlJSUl", "base64"]
    {
        assert!(carta.datos.contains(parte), "{parte}");
    }
    assert!(!carta.cifrada && carta.usuario.is_none());
}

#[tokio::test]
async fn the_message_id_is_the_same_on_every_attempt() {
    let buzon = Mailbox::arrancar().await;
    let correo = correo(&buzon, Tls::None);
    for _ in 0..2 {
        assert!(matches!(send(&correo, &mensaje()).await, Resultado::Enviado(_)));
    }
    let cartas = buzon.await_messages(2).await;
    assert_eq!(cartas[0].cabecera("Message-ID"), cartas[1].cabecera("Message-ID"));
    assert_eq!(cartas[1].conexion, 0, "the connection was kept");
}

#[tokio::test]
async fn a_kept_connection_that_died_costs_nothing() {
    let buzon = Mailbox::arrancar().await;
    buzon.treatments([Treatment::ConfirmaYCierra]);
    let correo = correo(&buzon, Tls::None);
    for conexion in 0..2 {
        assert!(matches!(send(&correo, &mensaje()).await, Resultado::Enviado(_)));
        assert_eq!(buzon.await_messages(conexion + 1).await[conexion].conexion, conexion);
    }
}

#[tokio::test]
async fn starttls_and_tls_with_user_and_password() {
    for (cifrado, tls) in [(Encryption::Starttls, Tls::Starttls), (Encryption::Tls, Tls::Tls)] {
        for mecanismos in ["PLAIN LOGIN", "LOGIN"] {
            let credenciales = Some(("ana".to_owned(), "clave ñ".to_owned()));
            let montura =
                MailboxSetup { credenciales: credenciales.clone(), mecanismos, ..MailboxSetup::con(cifrado) };
            let buzon = montura.arrancar().await;
            let ajustes = Ajustes { credentials: credenciales, ..ajustes(&buzon, tls) };
            let correo = Correo::new(ajustes).unwrap();
            assert_eq!(correo.probar().await, Ok(()));
            assert_eq!(send(&correo, &mensaje()).await, Resultado::Enviado("250 2.0.0 aceptado".into()));
            let carta = &buzon.messages()[0];
            assert!(carta.cifrada && carta.usuario.as_deref() == Some("ana"));
        }
    }
}

#[tokio::test]
async fn a_wrong_password_is_tried_again_and_not_shown() {
    let credenciales = Some(("ana".to_owned(), "buena".to_owned()));
    let buzon = MailboxSetup { credenciales, ..MailboxSetup::con(Encryption::Tls) }.arrancar().await;
    let malas = Some(("ana".to_owned(), "mala-clave".to_owned()));
    let correo = Correo::new(Ajustes { credentials: malas, ..ajustes(&buzon, Tls::Tls) }).unwrap();
    let fallo = temporal(send(&correo, &mensaje()).await);
    assert_eq!((fallo.fase, fallo.codigo), (Fase::Autenticacion, Some(535)));
    assert!(
        fallo.texto.contains("credenciales incorrectas")
            && !format!("{correo:?}{fallo}").contains("mala-clave")
    );
    assert_eq!(correo.probar().await.unwrap_err(), fallo);
    assert_eq!(buzon.messages(), []);
}

#[tokio::test]
async fn a_certificate_that_is_not_good_sends_nothing() {
    for (cifrado, tls) in [(Encryption::Starttls, Tls::Starttls), (Encryption::Tls, Tls::Tls)] {
        let credenciales = Some(("ana".to_owned(), "clave".to_owned()));
        let montura = MailboxSetup { credenciales: credenciales.clone(), ..MailboxSetup::con(cifrado) };
        let buzon = montura.arrancar().await;
        let sin_ca = Ajustes { ca_pem: None, credentials: credenciales.clone(), ..ajustes(&buzon, tls) };
        let fallo = temporal(send(&Correo::new(sin_ca).unwrap(), &mensaje()).await);
        assert!(fallo.fase == Fase::Conexion && fallo.texto.contains("certificate"), "{fallo}");
        let otro_nombre =
            MailboxSetup { certificado: Certificate::para("otro.example"), ..MailboxSetup::con(cifrado) }
                .arrancar()
                .await;
        let fallo = temporal(send(&correo(&otro_nombre, tls), &mensaje()).await);
        assert!(fallo.fase == Fase::Conexion && fallo.texto.contains("certificate"), "{fallo}");
        assert_eq!((buzon.messages(), otro_nombre.messages()), (Vec::new(), Vec::new()));
    }
}

#[tokio::test]
async fn a_server_without_starttls_gets_nothing_where_it_is_demanded() {
    let buzon = Mailbox::arrancar().await;
    let fallo = temporal(send(&correo(&buzon, Tls::Starttls), &mensaje()).await);
    assert!(fallo.texto.contains("STARTTLS"), "{fallo}");
    assert_eq!(buzon.messages(), []);
}

#[tokio::test]
async fn nobody_listens() {
    let ocupado = tokio::net::TcpSocket::new_v4().unwrap();
    ocupado.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let puerto = ocupado.local_addr().unwrap().port();
    let correo = Correo::new(Ajustes::new("127.0.0.1", puerto, Tls::None)).unwrap();
    assert_eq!(temporal(send(&correo, &mensaje()).await).fase, Fase::Conexion);
}

#[tokio::test]
async fn a_server_that_does_not_take_the_connection() {
    let sordo = crate::sordo().await;
    let ajustes = Ajustes::new("127.0.0.1", sordo.direccion.port(), Tls::None);
    let correo = Correo::new(Ajustes { connect_timeout: CORTO, ..ajustes }).unwrap();
    let fallo = temporal(send(&correo, &mensaje()).await);
    assert!(fallo.fase == Fase::Conexion && fallo.texto.contains("a tiempo"), "{fallo}");
}

#[tokio::test]
async fn resets_and_refusals_at_the_door() {
    let (resultado, _buzon) = send_to(Treatment::RstAlConectar).await;
    assert_eq!(temporal(resultado).fase, Fase::Conexion);
    let (resultado, _buzon) = send_to(Treatment::Saludo("421 4.3.2 cerrado por obras")).await;
    let fallo = temporal(resultado);
    assert_eq!((fallo.fase, fallo.codigo), (Fase::Conexion, Some(421)));
    let (resultado, _buzon) = send_to(Treatment::Saludo("554 5.7.1 no te conozco")).await;
    let fallo = temporal(resultado);
    assert_eq!(fallo.to_string(), "conexión: 554 5.7.1 no te conozco", "it speaks of us, not of this mail");
}

#[tokio::test]
async fn greylisting_waits_and_a_5xx_about_this_mail_ends() {
    for (trato, fase, codigo) in [
        (Treatment::Mail("550 5.1.0 remitente no"), Fase::Remitente, 550),
        (Treatment::Mail("451 4.3.0 ahora no"), Fase::Remitente, 451),
        (Treatment::Rcpt("450 4.2.0 greylisted"), Fase::Destinatario, 450),
        (Treatment::Data("421 4.3.2 me voy"), Fase::Contenido, 421),
        (Treatment::Fin("452 4.3.1 sin sitio"), Fase::Final, 452),
    ] {
        let (resultado, buzon) = send_to(trato).await;
        let fallo = temporal(resultado);
        assert_eq!((fallo.fase, fallo.codigo), (fase, Some(codigo)));
        assert_eq!(buzon.messages(), []);
    }
    for (trato, fase, codigo) in [
        (Treatment::Rcpt("550 5.1.1 no such user"), Fase::Destinatario, 550),
        (Treatment::Data("554 5.5.0 no"), Fase::Contenido, 554),
        (Treatment::Fin("554 5.6.0 spam"), Fase::Final, 554),
    ] {
        let (resultado, buzon) = send_to(trato).await;
        let fallo = permanente(resultado);
        assert_eq!((fallo.fase, fallo.codigo), (fase, Some(codigo)));
        assert!(fallo.texto.starts_with("5."), "the server's words are kept: {fallo}");
        assert_eq!(buzon.messages(), []);
    }
}

#[tokio::test]
async fn a_reply_of_several_lines_is_one_text() {
    let (resultado, _buzon) =
        send_to(Treatment::Rcpt("550-5.1.1 no existe\r\n550 5.1.1 pregunta en la oficina")).await;
    let texto = permanente(resultado).texto;
    assert!(texto.contains("no existe") && texto.contains("pregunta en la oficina"), "{texto}");
}

#[tokio::test]
async fn a_break_before_the_end_of_the_message_is_temporary() {
    // Much more than the sockets hold: our side is still writing when the server goes.
    let buzon = Mailbox::arrancar().await;
    buzon.treatments([Treatment::CierraEnContenido]);
    let adjunto = Adjunto { filename: "grande.pdf".into(), bytes: Bytes::from(vec![7; 10 << 20]) };
    let resultado = send(&correo(&buzon, Tls::None), &Mensaje { adjunto: Some(adjunto), ..mensaje() }).await;
    assert_eq!(temporal(resultado).fase, Fase::Contenido);
    assert_eq!(buzon.messages(), []);
}

#[tokio::test]
async fn a_break_between_the_end_and_the_reply_is_doubtful() {
    let (resultado, buzon) = send_to(Treatment::AceptaYCierra).await;
    assert_eq!(dudoso(resultado).texto, "el servidor cerró la conexión sin contestar");
    assert_eq!(buzon.messages().len(), 1, "the server did take it");
    let (resultado, buzon) = send_to(Treatment::CierraTrasData).await;
    dudoso(resultado);
    assert_eq!(buzon.messages().len(), 0, "the server did not");
    for rara in ["354 sigue", "hola", "999 x"] {
        let (resultado, _buzon) = send_to(Treatment::Fin(rara)).await;
        dudoso(resultado);
    }
}

#[tokio::test]
async fn the_same_under_tls() {
    for trato in [Treatment::AceptaYCierra, Treatment::CierraTrasData] {
        let buzon = MailboxSetup::con(Encryption::Tls).arrancar().await;
        buzon.treatments([trato]);
        dudoso(send(&correo(&buzon, Tls::Tls), &mensaje()).await);
    }
}

#[tokio::test]
async fn a_bare_code_is_a_reply() {
    let (resultado, _buzon) = send_to(Treatment::Fin("250")).await;
    assert!(matches!(resultado, Resultado::Enviado(_)), "{resultado:?}");
}

async fn send_impatiently(trato: Treatment, ajustar: impl FnOnce(&mut Ajustes)) -> (Resultado, Mailbox) {
    let buzon = Mailbox::arrancar().await;
    buzon.treatments([trato]);
    let mut ajustes = ajustes(&buzon, Tls::None);
    ajustar(&mut ajustes);
    (send(&Correo::new(ajustes).unwrap(), &mensaje()).await, buzon)
}

#[tokio::test]
async fn a_server_that_hangs_after_the_message_is_doubtful_and_before_it_temporary() {
    let each_reply: fn(&mut Ajustes) = |a| a.reply_timeout = CORTO;
    let in_all: fn(&mut Ajustes) = |a| a.conversation_timeout = CORTO;
    for ajustar in [each_reply, in_all] {
        let (resultado, buzon) = send_impatiently(Treatment::CuelgaTrasData, ajustar).await;
        assert!(dudoso(resultado).texto.contains("en 1 s"));
        buzon.soltar();
        assert_eq!(buzon.await_messages(1).await.len(), 1);
        let (resultado, _buzon) = send_impatiently(Treatment::SinSaludo, ajustar).await;
        assert!(temporal(resultado).texto.contains("en 1 s"), "the greeting too has its time");
    }
}

#[tokio::test]
async fn what_must_be_done_before_the_last_line_is_done_then_and_only_then() {
    for (trato, llega) in [
        (Treatment::SinSaludo, false),
        (Treatment::Mail("451 4.3.0 ahora no"), false),
        (Treatment::Rcpt("550 5.1.1 no such user"), false),
        (Treatment::Acepta, true),
        (Treatment::AceptaYCierra, true),
    ] {
        let buzon = Mailbox::arrancar().await;
        buzon.treatments([trato.clone()]);
        let ajustes = Ajustes { reply_timeout: CORTO, ..ajustes(&buzon, Tls::None) };
        let veces = AtomicUsize::new(0);
        let antes = async {
            assert_eq!(buzon.messages(), [], "the server does not have it yet");
            veces.fetch_add(1, Ordering::SeqCst);
            Ok(())
        };
        Correo::new(ajustes).unwrap().send(&mensaje(), antes).await;
        assert_eq!(veces.into_inner(), usize::from(llega), "{trato:?}");
    }
}

#[tokio::test]
async fn a_mail_whose_last_line_may_not_be_sent_is_not_taken() {
    for (cifrado, tls) in [(Encryption::Ninguno, Tls::None), (Encryption::Tls, Tls::Tls)] {
        let buzon = MailboxSetup::con(cifrado).arrancar().await;
        let correo = correo(&buzon, tls);
        let fallo = temporal(correo.send(&mensaje(), async { Err("no se pudo apuntar".to_owned()) }).await);
        assert_eq!((fallo.fase, &*fallo.texto), (Fase::Contenido, "no se pudo apuntar"));
        assert!(matches!(send(&correo, &mensaje()).await, Resultado::Enviado(_)));
        let cartas = buzon.messages();
        assert_eq!((cartas.len(), cartas[0].conexion), (1, 1), "the cut one is gone, with its connection");
    }
}

#[tokio::test]
async fn a_ca_file_that_is_none_is_a_settings_error() {
    let ajustes = Ajustes { ca_pem: Some(b"hola".to_vec()), ..Ajustes::new("mail.example", 465, Tls::Tls) };
    assert!(Correo::new(ajustes).unwrap_err().to_string().contains("PEM"));
}
