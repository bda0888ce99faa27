//! Mails to the company, and mails of which nobody knows whether they were taken.

use std::sync::Arc;

use embudo_app::{CorreoSalida, EnDuda};
use embudo_delivery::Correo;
use embudo_delivery::correo::{Ajustes, Tls};
use embudo_domain::trabajo::EstadoTrabajo;
use embudo_store::cola::FiltroTrabajos;
use embudo_store::command::EmpresaPatch;
use embudo_testkit::buzon::Trato;
use embudo_testkit::receptor::Manera;
use embudo_testkit::{Buzon, Montaje, Motor, Receptor, RelojManual, Servidor};
use jiff::SignedDuration;
use serde_json::json;

struct Oficina {
    s: Servidor,
    buzon: Buzon,
    reloj: Arc<RelojManual>,
}

impl Oficina {
    async fn en(motor: Motor, ajustar: impl FnOnce(&mut Montaje)) -> Self {
        let buzon = Buzon::arrancar().await;
        let reloj = Arc::new(RelojManual::default());
        let mut montaje = Montaje::en(motor);
        montaje.reloj = reloj.clone();
        let (host, port) = (buzon.direccion.ip().to_string(), buzon.direccion.port());
        let cliente = Correo::new(Ajustes::new(host, port, Tls::None)).unwrap();
        montaje.salidas.correo = Some(CorreoSalida { cliente, from: "embudo@ejemplo.es".into() });
        ajustar(&mut montaje);
        let s = montaje.arrancar().await;
        let patch = EmpresaPatch { email_avisos: Some("obra@ejemplo.es".into()), ..EmpresaPatch::default() };
        s.app.store.update_empresa(s.empresa.id, patch).await.unwrap();
        Self { s, buzon, reloj }
    }

    async fn trabajar(&self, tiempo: SignedDuration) -> usize {
        self.reloj.adelantar(tiempo);
        self.s.app.run_jobs().await.unwrap()
    }

    async fn estados(&self) -> Vec<EstadoTrabajo> {
        let todos = self.s.app.store.list_trabajos(FiltroTrabajos::default(), None, 10).await.unwrap();
        todos.iter().map(|t| t.estado).collect()
    }
}

embudo_testkit::en_cada_motor!(
    the_company_hears_of_a_new_lead,
    a_company_without_address_or_wish_hears_nothing,
    the_company_hears_of_a_complete_profile_and_of_a_dead_signal,
    a_mail_refused_for_now_is_tried_again_and_one_refused_for_good_is_not,
    in_doubt_park_never_sends_two,
    in_doubt_retry_never_sends_none,
    a_process_that_died_while_sending_leaves_the_mail_in_doubt,
);

async fn the_company_hears_of_a_new_lead(motor: Motor) {
    let o = Oficina::en(motor, |_| {}).await;
    o.s.lead_con(json!({ "nombre": "Ana <b>\r\nBcc: x@y.es", "tipoReforma": "bano" })).await;
    assert_eq!(o.trabajar(SignedDuration::ZERO).await, 1);
    let carta = o.buzon.cartas().remove(0);
    assert_eq!(
        (carta.from.as_str(), carta.to.as_slice()),
        ("embudo@ejemplo.es", ["obra@ejemplo.es".to_owned()].as_slice())
    );
    assert_eq!(carta.cabeceras().iter().filter(|c| c.to_lowercase().starts_with("bcc")).count(), 0);
    assert!(carta.cabecera("Message-ID").is_some() && carta.cabecera("Subject").is_some());
    assert_eq!(o.estados().await, [EstadoTrabajo::Hecho]);
}

async fn a_company_without_address_or_wish_hears_nothing(motor: Motor) {
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

async fn the_company_hears_of_a_complete_profile_and_of_a_dead_signal(motor: Motor) {
    let receptor = Receptor::arrancar().await;
    receptor.siempre(Manera::estado(410));
    let url = receptor.url().parse().unwrap();
    let o = Oficina::en(motor, |m| m.salidas.perfil = Some(url)).await;
    let lead = o.s.lead().await;
    o.s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "perfilCompleto": true })).await.con(200);
    o.trabajar(SignedDuration::ZERO).await;
    let asuntos: Vec<_> = o.buzon.cartas().iter().map(|c| c.cabecera("Subject").unwrap()).collect();
    assert_eq!(asuntos.len(), 3, "new lead, profile, dead signal: {asuntos:?}");
}

async fn a_mail_refused_for_now_is_tried_again_and_one_refused_for_good_is_not(motor: Motor) {
    let o = Oficina::en(motor, |_| {}).await;
    o.buzon.tratos([Trato::Rcpt("451 4.7.1 try later")]);
    o.s.lead().await;
    o.trabajar(SignedDuration::ZERO).await;
    assert_eq!(o.estados().await, [EstadoTrabajo::Pendiente]);
    o.trabajar(SignedDuration::from_secs(6)).await;
    assert_eq!((o.estados().await, o.buzon.cartas().len()), (vec![EstadoTrabajo::Hecho], 1));
    o.buzon.tratos([Trato::Rcpt("550 5.1.1 no such user")]);
    o.s.lead().await;
    o.trabajar(SignedDuration::ZERO).await;
    assert_eq!(o.estados().await[0], EstadoTrabajo::Muerto);
}

async fn in_doubt_park_never_sends_two(motor: Motor) {
    let o = Oficina::en(motor, |m| m.salidas.en_duda = EnDuda::Aparcar).await;
    o.buzon.tratos([Trato::AceptaYCierra]);
    o.s.lead().await;
    o.trabajar(SignedDuration::ZERO).await;
    assert_eq!(o.estados().await, [EstadoTrabajo::Aparcado]);
    assert_eq!(o.trabajar(SignedDuration::from_hours(100)).await, 0);
    assert_eq!(o.buzon.cartas().len(), 1);
}

async fn in_doubt_retry_never_sends_none(motor: Motor) {
    let o = Oficina::en(motor, |m| m.salidas.en_duda = EnDuda::Reintentar).await;
    o.buzon.tratos([Trato::CierraTrasData]);
    o.s.lead().await;
    o.trabajar(SignedDuration::ZERO).await;
    o.trabajar(SignedDuration::from_secs(6)).await;
    assert_eq!((o.estados().await, o.buzon.cartas().len()), (vec![EstadoTrabajo::Hecho], 1));
}

async fn a_process_that_died_while_sending_leaves_the_mail_in_doubt(motor: Motor) {
    for (politica, estado, cartas) in
        [(EnDuda::Aparcar, EstadoTrabajo::Aparcado, 0), (EnDuda::Reintentar, EstadoTrabajo::Hecho, 1)]
    {
        let o = Oficina::en(motor, |m| m.salidas.en_duda = politica).await;
        o.s.lead().await;
        // Another process takes the job, is about to hand the mail over, and dies.
        let store = &o.s.app.store;
        let otro = embudo_domain::ProcesoId(o.s.app.id());
        let arriendo = embudo_store::cola::Arriendo { quien: otro, dura: std::time::Duration::from_secs(60) };
        let cupo = embudo_store::cola::Cupo {
            tipo: embudo_domain::trabajo::TipoTrabajo::CorreoEmpresa,
            cuantos: 1,
            solo_primeros: false,
        };
        let tomado = store.claim(vec![cupo], arriendo, o.s.app.ahora()).await.unwrap().remove(0);
        assert!(store.begin_send(tomado.id, otro).await.unwrap());
        assert_eq!(o.trabajar(SignedDuration::ZERO).await, 0, "its lease is respected");
        store.release(otro).await.unwrap();
        o.trabajar(SignedDuration::ZERO).await;
        assert_eq!((o.estados().await, o.buzon.cartas().len()), (vec![estado], cartas));
    }
}
