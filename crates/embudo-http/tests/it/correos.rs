//! Mails to the company, and mails of which nobody knows whether they were taken.

use std::sync::Arc;

use embudo_app::{CorreoSalida, EnDuda};
use embudo_delivery::Correo;
use embudo_delivery::correo::{Ajustes, Tls};
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_store::cola::FiltroTrabajos;
use embudo_store::command::EmpresaPatch;
use embudo_testkit::mailbox::{Encryption, MailboxSetup, Treatment};
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Mailbox, ManualClock, Receiver, Server, Setup, both_engines};
use jiff::SignedDuration;
use serde_json::json;

pub struct Oficina {
    pub s: Server,
    pub buzon: Mailbox,
    pub reloj: Arc<ManualClock>,
}

impl Oficina {
    pub async fn en(motor: Engine, ajustar: impl FnOnce(&mut Setup)) -> Self {
        let buzon = Mailbox::arrancar().await;
        let reloj = Arc::new(ManualClock::default());
        let mut montaje = Setup::en(motor);
        montaje.reloj = reloj.clone();
        let (host, port) = (buzon.direccion.ip().to_string(), buzon.direccion.port());
        let cliente = Correo::new(Ajustes::new(host, port, Tls::None)).unwrap();
        montaje.outbound.correo =
            Some(CorreoSalida { cliente, from: "embudo@ejemplo.es".into(), from_name: None });
        ajustar(&mut montaje);
        let s = montaje.arrancar().await;
        let patch = EmpresaPatch { email_avisos: Some("obra@ejemplo.es".into()), ..EmpresaPatch::default() };
        s.app.store.update_empresa(s.empresa.id, patch).await.unwrap();
        Self { s, buzon, reloj }
    }

    /// The company wants no notices: the only mails are the clients'.
    async fn sin_avisos(motor: Engine, ajustar: impl FnOnce(&mut Setup)) -> Self {
        let o = Self::en(motor, ajustar).await;
        let patch = EmpresaPatch { avisos: Some(false), ..EmpresaPatch::default() };
        o.s.app.store.update_empresa(o.s.empresa.id, patch).await.unwrap();
        o
    }

    /// Finalizes a new lead; whether the mail with its quote was sent.
    async fn finalizar(&self) -> bool {
        let lead = self.s.lead().await;
        let ruta = format!("/api/leads/{lead}/ingesta");
        let r = self.s.post(&ruta, &json!({ "finalizar": true })).await.con(200);
        r["finalizado"]["emailEnviado"].as_bool().unwrap()
    }

    /// The latest mail to a client.
    async fn correo(&self) -> Trabajo {
        let filtro = FiltroTrabajos { tipo: Some(TipoTrabajo::CorreoCliente), ..FiltroTrabajos::default() };
        self.s.app.store.list_trabajos(filtro, None, 1).await.unwrap().remove(0)
    }

    pub async fn trabajar(&self, tiempo: SignedDuration) -> usize {
        self.reloj.advance(tiempo);
        self.s.app.worker().run_jobs().await.unwrap()
    }

    pub async fn estados(&self) -> Vec<EstadoTrabajo> {
        let todos = self.s.app.store.list_trabajos(FiltroTrabajos::default(), None, 10).await.unwrap();
        todos.iter().map(|t| t.estado).collect()
    }
}

both_engines!(
    the_company_hears_of_a_new_lead,
    a_company_without_address_or_wish_hears_nothing,
    the_company_hears_of_a_complete_profile_and_of_a_dead_signal,
    a_mail_refused_for_now_is_tried_again_and_one_refused_for_good_is_not,
    a_notice_in_doubt_is_sent_again,
    in_doubt_park_never_sends_two,
    in_doubt_retry_never_sends_none,
    a_process_that_died_while_sending_leaves_the_mail_in_doubt,
    a_changed_password_ends_no_mail,
    refused_recipients_hold_nobody_back,
    the_name_of_the_sender_is_the_operators,
    the_company_hears_of_an_overdue_step_once,
);

async fn the_company_hears_of_a_new_lead(motor: Engine) {
    let o = Oficina::en(motor, |_| {}).await;
    o.s.lead_with(json!({ "nombre": "Ana <b>\r\nBcc: x@y.es", "tipoReforma": "bano" })).await;
    assert_eq!(o.trabajar(SignedDuration::ZERO).await, 1);
    let carta = o.buzon.messages().remove(0);
    assert_eq!(
        (carta.from.as_str(), carta.to.as_slice()),
        ("embudo@ejemplo.es", ["obra@ejemplo.es".to_owned()].as_slice())
    );
    assert_eq!(carta.cabeceras().iter().filter(|c| c.to_lowercase().starts_with("bcc")).count(), 0);
    assert!(carta.cabecera("Message-ID").is_some() && carta.cabecera("Subject").is_some());
    assert_eq!(o.estados().await, [EstadoTrabajo::Hecho]);
}

async fn a_company_without_address_or_wish_hears_nothing(motor: Engine) {
    let o = Oficina::en(motor, |_| {}).await;
    for patch in [
        EmpresaPatch { avisos: Some(false), ..EmpresaPatch::default() },
        EmpresaPatch { avisos: Some(true), email_avisos: Some(String::new()), ..EmpresaPatch::default() },
    ] {
        o.s.app.store.update_empresa(o.s.empresa.id, patch).await.unwrap();
        o.s.lead().await;
        assert_eq!(o.trabajar(SignedDuration::ZERO).await, 0);
    }
}

async fn the_company_hears_of_a_complete_profile_and_of_a_dead_signal(motor: Engine) {
    let receptor = Receiver::arrancar().await;
    receptor.siempre(Manner::estado(410));
    let url = receptor.url().parse().unwrap();
    let o = Oficina::en(motor, |m| m.outbound.perfil = Some(url)).await;
    let lead = o.s.lead().await;
    o.s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "perfilCompleto": true })).await.con(200);
    o.trabajar(SignedDuration::ZERO).await;
    let asuntos: Vec<_> = o.buzon.messages().iter().map(|c| c.cabecera("Subject").unwrap()).collect();
    assert_eq!(asuntos.len(), 3, "new lead, profile, dead signal: {asuntos:?}");
}

async fn a_mail_refused_for_now_is_tried_again_and_one_refused_for_good_is_not(motor: Engine) {
    let o = Oficina::en(motor, |_| {}).await;
    o.buzon.treatments([Treatment::Rcpt("451 4.7.1 try later")]);
    o.s.lead().await;
    o.trabajar(SignedDuration::ZERO).await;
    assert_eq!(o.estados().await, [EstadoTrabajo::Pendiente]);
    o.trabajar(SignedDuration::from_secs(6)).await;
    assert_eq!((o.estados().await, o.buzon.messages().len()), (vec![EstadoTrabajo::Hecho], 1));
    o.buzon.treatments([Treatment::Rcpt("550 5.1.1 no such user")]);
    o.s.lead().await;
    o.trabajar(SignedDuration::ZERO).await;
    assert_eq!(o.estados().await[0], EstadoTrabajo::Muerto);
}

/// One that comes twice harms nobody.
async fn a_notice_in_doubt_is_sent_again(motor: Engine) {
    let o = Oficina::en(motor, |m| m.outbound.en_duda = EnDuda::Aparcar).await;
    o.buzon.treatments([Treatment::AceptaYCierra]);
    o.s.lead().await;
    o.trabajar(SignedDuration::ZERO).await;
    assert_eq!(o.estados().await, [EstadoTrabajo::Pendiente]);
    o.trabajar(SignedDuration::from_secs(6)).await;
    assert_eq!((o.estados().await, o.buzon.messages().len()), (vec![EstadoTrabajo::Hecho], 2));
}

async fn in_doubt_park_never_sends_two(motor: Engine) {
    let o = Oficina::sin_avisos(motor, |m| m.outbound.en_duda = EnDuda::Aparcar).await;
    o.buzon.treatments([Treatment::AceptaYCierra]);
    assert!(!o.finalizar().await);
    assert_eq!(o.correo().await.estado, EstadoTrabajo::Aparcado);
    assert_eq!(o.trabajar(SignedDuration::from_hours(100)).await, 0);
    assert_eq!(o.buzon.messages().len(), 1);
}

async fn in_doubt_retry_never_sends_none(motor: Engine) {
    let o = Oficina::sin_avisos(motor, |m| m.outbound.en_duda = EnDuda::Reintentar).await;
    o.buzon.treatments([Treatment::CierraTrasData]);
    assert!(!o.finalizar().await);
    o.trabajar(SignedDuration::from_secs(6)).await;
    assert_eq!((o.correo().await.estado, o.buzon.messages().len()), (EstadoTrabajo::Hecho, 1));
}

/// The server's no to the password is about us: every mail waits, and goes when it is put right.
async fn a_changed_password_ends_no_mail(motor: Engine) {
    let buena = Some(("ana".to_owned(), "nueva".to_owned()));
    let buzon =
        MailboxSetup { credenciales: buena, ..MailboxSetup::con(Encryption::Ninguno) }.arrancar().await;
    let port = buzon.direccion.port();
    let ajustes = Ajustes::new("127.0.0.1", port, Tls::None);
    let vieja = Ajustes { credentials: Some(("ana".into(), "vieja".into())), ..ajustes };
    let correo =
        CorreoSalida { cliente: Correo::new(vieja).unwrap(), from: "e@ejemplo.es".into(), from_name: None };
    let o = Oficina::sin_avisos(motor, |m| m.outbound.correo = Some(correo)).await;
    assert!(!o.finalizar().await);
    for _ in 0..3 {
        o.trabajar(SignedDuration::from_hours(1)).await;
    }
    let espera = o.correo().await;
    assert_eq!(espera.estado, EstadoTrabajo::Pendiente);
    assert!(espera.ultimo_error.unwrap().contains("535"));
}

/// Eight clients with a wrong address say nothing about the server: the ninth's retry is not held back.
async fn refused_recipients_hold_nobody_back(motor: Engine) {
    let o = Oficina::sin_avisos(motor, |_| {}).await;
    o.buzon.treatments([Treatment::Mail("451 4.3.0 ahora no")]);
    assert!(!o.finalizar().await);
    for n in 0..8 {
        let no = if n % 2 == 0 { "550 5.1.1 no such user" } else { "450 4.2.0 greylisted" };
        o.buzon.treatments([Treatment::Rcpt(no)]);
        assert!(!o.finalizar().await);
    }
    o.buzon.siempre(Treatment::Acepta);
    o.trabajar(SignedDuration::from_secs(6)).await;
    assert_eq!(o.buzon.messages().len(), 5, "the one that waited, and the greylisted");
}

async fn the_name_of_the_sender_is_the_operators(motor: Engine) {
    // «Reformas Peña» is written encoded.
    for (name, del_cliente, del_aviso) in
        [(None, "=?utf-8?", "Embudo"), (Some("Obras Gil".to_owned()), "Obras Gil", "Obras Gil")]
    {
        let o = Oficina::en(motor, |m| m.outbound.correo.as_mut().unwrap().from_name = name).await;
        assert!(o.finalizar().await);
        o.trabajar(SignedDuration::ZERO).await;
        let cartas = o.buzon.messages();
        assert_eq!(cartas.len(), 2, "to the client and to the company");
        for carta in cartas {
            let esperado = if carta.to == ["obra@ejemplo.es"] { del_aviso } else { del_cliente };
            let from = carta.cabecera("From").unwrap();
            assert!(from.contains(esperado) && from.contains("<embudo@ejemplo.es>"), "{from}");
        }
    }
}

/// A 200 and then nothing: the company hears of it when the time is up, once for renders and once for `finalizar`.
async fn the_company_hears_of_an_overdue_step_once(motor: Engine) {
    let receptor = Receiver::arrancar().await;
    let url = receptor.url().parse().unwrap();
    let o = Oficina::en(motor, |m| m.outbound.perfil = Some(url)).await;
    // A name that is written in a header as it is.
    let lead = o.s.lead_with(json!({ "nombre": "Ana Gil" })).await;
    let ruta = format!("/api/leads/{lead}/ingesta");
    o.s.post(&ruta, &json!({ "perfilCompleto": true })).await.con(200);
    o.trabajar(SignedDuration::ZERO).await;
    let tardanzas = || {
        let asuntos = o.buzon.messages().into_iter().map(|c| c.cabecera("Subject").unwrap());
        asuntos.filter(|a| a.contains("atascado")).collect::<Vec<_>>()
    };
    let dos_horas = SignedDuration::from_mins(121);
    for esperadas in [1, 1] {
        o.reloj.advance(dos_horas);
        o.s.app.housekeeping().watch_loops().await.unwrap();
        o.trabajar(SignedDuration::ZERO).await;
        assert_eq!(tardanzas().len(), esperadas);
    }
    let render = json!({ "tipo": "foto", "imagen": "https://ejemplo.es/r.jpg", "momento": "despues" });
    o.s.post(&ruta, &json!({ "items": [render] })).await.con(200);
    o.reloj.advance(dos_horas);
    o.s.app.housekeeping().watch_loops().await.unwrap();
    o.trabajar(SignedDuration::ZERO).await;
    assert_eq!(tardanzas().len(), 2);
    assert_eq!(receptor.received().len(), 1, "nothing is signalled again by itself");
}

async fn a_process_that_died_while_sending_leaves_the_mail_in_doubt(motor: Engine) {
    for (politica, estado, cartas) in
        [(EnDuda::Aparcar, EstadoTrabajo::Aparcado, 0), (EnDuda::Reintentar, EstadoTrabajo::Hecho, 1)]
    {
        let o = Oficina::sin_avisos(motor, |m| m.outbound.en_duda = politica).await;
        o.buzon.treatments([Treatment::Mail("451 4.3.0 ahora no")]);
        assert!(!o.finalizar().await);
        // Another process takes the job, is about to send the mail's last line, and dies.
        let store = &o.s.app.store;
        o.reloj.advance(SignedDuration::from_secs(6));
        let otro = embudo_domain::ProcesoId(o.s.app.id());
        let arriendo = embudo_store::cola::Arriendo { quien: otro, dura: std::time::Duration::from_secs(60) };
        let cupo =
            embudo_store::cola::Cupo { tipo: TipoTrabajo::CorreoCliente, cuantos: 1, solo_primeros: false };
        let tomado = store.claim(vec![cupo], arriendo, o.s.app.ahora()).await.unwrap().remove(0);
        assert!(store.begin_send(tomado.id, otro).await.unwrap());
        assert_eq!(o.trabajar(SignedDuration::ZERO).await, 0, "its lease is respected");
        store.release(otro).await.unwrap();
        o.trabajar(SignedDuration::ZERO).await;
        assert_eq!((o.correo().await.estado, o.buzon.messages().len()), (estado, cartas));
    }
}
