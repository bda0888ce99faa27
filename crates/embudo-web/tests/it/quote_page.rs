//! The quote's page: what its client sees, and what comes of the answer.

use std::sync::Arc;

use embudo_app::{CorreoSalida, Pase};
use embudo_delivery::Correo;
use embudo_delivery::correo::{Ajustes, Tls};
use embudo_domain::LeadId;
use embudo_domain::presupuesto::{EstadoPresupuesto, Presupuesto};
use embudo_store::command::EmpresaPatch;
use embudo_testkit::{
    Answered, Engine, Mailbox, ManualClock, Receiver, Server, Setup, both_engines, data_uri,
};
use jiff::SignedDuration;
use reqwest::{Method, header, redirect};
use serde_json::{Value, json};

struct Casa {
    s: Server,
    buzon: Mailbox,
    mensajes: Receiver,
    reloj: Arc<ManualClock>,
    /// Follows no redirection.
    navegador: reqwest::Client,
}

impl Casa {
    async fn en(motor: Engine) -> Self {
        let (buzon, mensajes) = (Mailbox::arrancar().await, Receiver::arrancar().await);
        let reloj = Arc::new(ManualClock::default());
        let mut montaje = Setup::en(motor);
        montaje.reloj = reloj.clone();
        montaje.proxies = vec!["127.0.0.0/8".parse().unwrap()];
        let (host, port) = (buzon.direccion.ip().to_string(), buzon.direccion.port());
        let cliente = Correo::new(Ajustes::new(host, port, Tls::None)).unwrap();
        montaje.outbound.correo =
            Some(CorreoSalida { cliente, from: "embudo@ejemplo.es".into(), from_name: None });
        montaje.outbound.mensajeria = Some(mensajes.url().parse().unwrap());
        let s = montaje.arrancar().await;
        let patch = EmpresaPatch { email_avisos: Some("obra@ejemplo.es".into()), ..EmpresaPatch::default() };
        s.app.store.update_empresa(s.empresa.id, patch).await.unwrap();
        let navegador = reqwest::Client::builder().no_proxy().redirect(redirect::Policy::none());
        Self { s, buzon, mensajes, reloj, navegador: navegador.build().unwrap() }
    }

    /// A lead whose quote went out; its quotes, newest first.
    async fn presupuestar(&self, lead: &str, items: Value) -> Vec<Presupuesto> {
        let cuerpo = json!({ "items": items, "finalizar": true });
        self.s.post(&format!("/api/leads/{lead}/ingesta"), &cuerpo).await.con(200);
        self.s.app.store.presupuestos(LeadId::parse(lead).unwrap()).await.unwrap()
    }

    /// The usual lead with a pair of photos; its quote and the address of its page.
    async fn con_presupuesto(&self) -> (String, Presupuesto, String) {
        let lead =
            self.s.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5, "provincia": "Madrid" })).await;
        let foto = data_uri(&embudo_testkit::jpeg(640, 480));
        let items = json!([
            { "tipo": "foto", "imagen": foto, "momento": "antes" },
            { "tipo": "foto", "imagen": foto, "momento": "despues" },
            { "tipo": "texto", "texto": "Sin bidé, ¿puede ser?" },
        ]);
        let presupuesto = self.presupuestar(&lead, items).await.remove(0);
        let pagina = self.pagina(&presupuesto);
        (lead, presupuesto, pagina)
    }

    fn pagina(&self, presupuesto: &Presupuesto) -> String {
        format!("/p/{}", self.s.app.outbound.pases.escribir(Pase::Presupuesto(presupuesto.id), None))
    }

    async fn ver(&self, ruta: &str) -> Answered {
        self.s.enviar(self.navegador.get(self.s.url(ruta))).await
    }

    fn formulario(&self, ruta: &str, cuerpo: impl Into<String>) -> reqwest::RequestBuilder {
        let tipo = "application/x-www-form-urlencoded";
        let peticion = self.navegador.post(self.s.url(ruta)).header(header::CONTENT_TYPE, tipo);
        peticion.header("x-forwarded-for", "203.0.113.7").body(cuerpo.into())
    }

    async fn enviar(&self, ruta: &str, cuerpo: impl Into<String>) -> Answered {
        self.s.enviar(self.formulario(ruta, cuerpo).header("sec-fetch-site", "same-origin")).await
    }

    async fn leer(&self, p: &Presupuesto) -> Presupuesto {
        self.s.app.store.presupuesto(p.id).await.unwrap()
    }

    async fn eventos(&self, lead: &str, tipo: &str) -> usize {
        let ficha = self.s.ficha(lead).await;
        ficha["eventos"].as_array().unwrap().iter().filter(|e| e["tipo"] == tipo).count()
    }

    /// Mails to the company so far.
    async fn avisos(&self) -> usize {
        self.s.app.worker().run_jobs().await.unwrap();
        self.buzon.messages().iter().filter(|c| c.to == ["obra@ejemplo.es"]).count()
    }
}

#[track_caller]
fn es(r: &Answered, status: u16) {
    assert_eq!(r.status.as_u16(), status, "{}", r.texto);
}

both_engines!(
    a_quote_is_shown_accepted_and_told_to_the_company,
    declining_takes_a_reason_and_can_be_taken_back,
    an_expired_quote_says_so_and_a_new_one_can_be_asked_for,
    a_superseded_quote_leads_to_the_current_one,
    only_a_pass_to_a_quote_opens_it,
    other_sites_cannot_answer_for_the_client,
    pages_and_files_carry_their_headers,
    hostile_names_stay_names,
    photos_of_others_are_not_there,
    a_question_is_one_signal_a_minute,
);

async fn a_quote_is_shown_accepted_and_told_to_the_company(motor: Engine) {
    let c = Casa::en(motor).await;
    let (lead, p, pagina) = c.con_presupuesto().await;
    let html = c.ver(&pagina).await;
    es(&html, 200);
    let total = p.documento.impuesto.total.to_string();
    for texto in [p.numero.to_string().as_str(), "Ana García", "Sin bidé", &total, "Imagen generada por IA"]
    {
        assert!(html.texto.contains(texto), "{texto}");
    }
    for condicion in &p.documento.condiciones {
        assert!(html.texto.contains(condicion.as_str()), "{condicion}");
    }
    let antes = c.avisos().await;

    let sin_marcar = c.enviar(&format!("{pagina}/aceptar"), "").await;
    es(&sin_marcar, 422);
    assert!(sin_marcar.texto.contains("Marca la casilla"));
    assert_eq!(c.leer(&p).await.estado, EstadoPresupuesto::Emitido);

    for _ in 0..2 {
        let r = c.enviar(&format!("{pagina}/aceptar"), "acepto=si").await;
        es(&r, 303);
        assert_eq!(r.cabecera("location"), Some(format!("{pagina}#resultado").as_str()));
    }
    let aceptado = c.leer(&p).await;
    assert_eq!(aceptado.estado, EstadoPresupuesto::Aceptado);
    let respuesta = aceptado.respuesta.unwrap();
    assert_eq!(respuesta.ip.as_deref(), Some("203.0.113.7"));
    assert_eq!(respuesta.texto_version, embudo_app::TEXTO_ACEPTACION);
    assert_eq!(respuesta.pdf_sha256, p.pdf.unwrap().sha256);
    assert_eq!(c.eventos(&lead, "presupuesto_aceptado").await, 1);
    assert_eq!(c.avisos().await, antes + 1);

    let html = c.ver(&pagina).await.texto;
    // The clock of the test says 10:30 in Greenwich.
    assert!(html.contains("Lo aceptaste el 14 de noviembre de 2026 a las 11:30"), "{html}");
    assert!(!html.contains("/aceptar") && !html.contains("/rechazar"));
    // What came of it stands before everything else, with its evidence.
    let place = |words: &str| html.find(words).unwrap_or_else(|| panic!("{words} in {html}"));
    assert!(place("id=\"resultado\"") < place("Huella del PDF"));
    assert!(place("Huella del PDF") < place("class=\"hoja\""));

    let tarde = c.enviar(&format!("{pagina}/rechazar"), "motivo=caro").await;
    es(&tarde, 409);
    assert!(tarde.texto.contains("ya está aceptado"));
    assert_eq!(c.leer(&p).await.estado, EstadoPresupuesto::Aceptado);
    assert_eq!(c.eventos(&lead, "presupuesto_rechazado").await, 0);
}

async fn declining_takes_a_reason_and_can_be_taken_back(motor: Engine) {
    let c = Casa::en(motor).await;
    let (lead, p, pagina) = c.con_presupuesto().await;
    let largo = c.enviar(&format!("{pagina}/rechazar"), format!("motivo={}", "a".repeat(2_001))).await;
    es(&largo, 422);
    assert!(largo.texto.contains(&"a".repeat(2_001)), "what was typed is not lost");
    es(&c.enviar(&format!("{pagina}/rechazar"), "motivo=Muy+caro%0D%0A%3Cb%3E").await, 303);
    es(&c.enviar(&format!("{pagina}/rechazar"), "motivo=otra+vez").await, 303);
    let rechazado = c.leer(&p).await;
    assert_eq!(rechazado.estado, EstadoPresupuesto::Rechazado);
    assert_eq!(rechazado.respuesta.unwrap().motivo.as_deref(), Some("Muy caro\n<b>"));
    assert_eq!(c.eventos(&lead, "presupuesto_rechazado").await, 1);
    let html = c.ver(&pagina).await.texto;
    assert!(
        html.contains("Nos dijiste que no el 14 de noviembre de 2026") && html.contains("Muy caro\n&#60;b")
    );
    assert!(html.contains("/aceptar\"") && !html.contains("/rechazar\""));
    es(&c.enviar(&format!("{pagina}/aceptar"), "acepto=si").await, 303);
    assert_eq!(c.leer(&p).await.estado, EstadoPresupuesto::Aceptado);
}

async fn an_expired_quote_says_so_and_a_new_one_can_be_asked_for(motor: Engine) {
    let c = Casa::en(motor).await;
    let (_, p, pagina) = c.con_presupuesto().await;
    c.reloj.advance(SignedDuration::from_hours(31 * 24));
    let html = c.ver(&pagina).await.texto;
    assert!(html.contains("Este presupuesto ha caducado") && html.contains("Pedir un presupuesto nuevo"));
    assert!(!html.contains("/aceptar\""));
    let r = c.enviar(&format!("{pagina}/aceptar"), "acepto=si").await;
    es(&r, 409);
    assert!(r.texto.contains("ya no vale"));
    assert_eq!(c.leer(&p).await.estado, EstadoPresupuesto::Emitido);
}

async fn a_superseded_quote_leads_to_the_current_one(motor: Engine) {
    let c = Casa::en(motor).await;
    let (lead, viejo, pagina) = c.con_presupuesto().await;
    let items = json!([{ "tipo": "texto", "texto": "Mejor con bañera" }]);
    let nuevo = c.presupuestar(&lead, items).await.remove(0);
    assert_ne!(nuevo.id, viejo.id);
    let html = c.ver(&pagina).await.texto;
    assert!(html.contains("Hay un presupuesto más reciente"));
    assert!(html.contains(&format!("href=\"{}\"", c.pagina(&nuevo))), "{html}");
    es(&c.enviar(&format!("{pagina}/aceptar"), "acepto=si").await, 409);
    assert_eq!(c.leer(&viejo).await.estado, EstadoPresupuesto::Sustituido);
    es(&c.enviar(&format!("{}/aceptar", c.pagina(&nuevo)), "acepto=si").await, 303);
}

async fn only_a_pass_to_a_quote_opens_it(motor: Engine) {
    let c = Casa::en(motor).await;
    let (lead, p, pagina) = c.con_presupuesto().await;
    let pases = &c.s.app.outbound.pases;
    let lead = LeadId::parse(&lead).unwrap();
    let desconocido = Pase::Presupuesto(embudo_domain::PresupuestoId(uuid::Uuid::from_u128(1)));
    let mut malas: Vec<String> = [Pase::Formulario(lead), Pase::Consentimientos(lead), desconocido]
        .into_iter()
        .map(|pase| format!("/p/{}", pases.escribir(pase, None)))
        .collect();
    malas.extend([format!("{}A", pagina), "/p/x".into(), "/p/%FF".into(), format!("/p/{}", p.id)]);
    for mala in malas {
        for resto in ["", "/pdf", "/nada"] {
            let r = c.ver(&format!("{mala}{resto}")).await;
            es(&r, 404);
            assert!(r.cabecera("content-type").unwrap().starts_with("text/html"), "{mala}{resto}");
        }
        es(&c.enviar(&format!("{mala}/aceptar"), "acepto=si").await, 404);
    }
    assert_eq!(c.leer(&p).await.estado, EstadoPresupuesto::Emitido);
}

async fn other_sites_cannot_answer_for_the_client(motor: Engine) {
    let c = Casa::en(motor).await;
    let (_, p, pagina) = c.con_presupuesto().await;
    for (cabecera, valor) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://malo.es"),
        ("origin", "null"),
    ] {
        for accion in ["aceptar", "rechazar", "dudas"] {
            let peticion = c.formulario(&format!("{pagina}/{accion}"), "acepto=si").header(cabecera, valor);
            let r = c.s.enviar(peticion).await;
            es(&r, 403);
            assert!(r.texto.contains("No hemos guardado nada"));
        }
    }
    assert_eq!((c.leer(&p).await.estado, c.mensajes.received().len()), (EstadoPresupuesto::Emitido, 0));
    let propia = c.formulario(&format!("{pagina}/aceptar"), "acepto=si").header("origin", c.s.url(""));
    es(&c.s.enviar(propia).await, 303);
}

async fn pages_and_files_carry_their_headers(motor: Engine) {
    let c = Casa::en(motor).await;
    let (_, p, pagina) = c.con_presupuesto().await;
    let r = c.ver(&pagina).await;
    let csp = r.cabecera("content-security-policy").unwrap();
    assert!(
        csp.contains("default-src 'none'") && csp.contains("script-src 'self'") && !csp.contains("unsafe")
    );
    for (nombre, valor) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "same-origin"),
        ("x-robots-tag", "noindex"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(r.cabecera(nombre), Some(valor));
    }
    assert!(!r.texto.contains(" style=") && !r.texto.contains("<style"));
    assert_eq!(r.texto.matches("<script").count(), 1);

    let pdf = c.navegador.get(c.s.url(&format!("{pagina}/pdf"))).send().await.unwrap();
    assert_eq!(pdf.headers()["content-type"], "application/pdf");
    let nombre = format!("attachment; filename=\"presupuesto-{}.pdf\"", p.numero);
    assert_eq!(pdf.headers()["content-disposition"], nombre.as_str());
    assert_eq!(pdf.headers()["x-robots-tag"], "noindex");
    assert_eq!(pdf.bytes().await.unwrap().len() as u64, p.pdf.unwrap().bytes);

    let foto = format!("{pagina}/fotos/{}", p.documento.fotos[0].id);
    assert!(r.texto.contains(&foto));
    let foto = c.navegador.get(c.s.url(&foto)).send().await.unwrap();
    assert_eq!(
        (foto.status().as_u16(), &foto.headers()["content-type"]),
        (200, &"image/jpeg".parse().unwrap())
    );
    assert!(foto.headers()["cache-control"].to_str().unwrap().starts_with("private"));
    assert!(foto.bytes().await.unwrap().starts_with(&[0xFF, 0xD8]));
    let metodo = c.s.enviar(c.navegador.request(Method::DELETE, c.s.url(&pagina))).await;
    assert!(
        metodo.status.is_client_error() && metodo.cabecera("content-type").unwrap().starts_with("text/html")
    );
}

async fn hostile_names_stay_names(motor: Engine) {
    let c = Casa::en(motor).await;
    let malo = "<script>alert(1)</script>\"'><img src=x>";
    let lead = c.s.lead_with(json!({ "nombre": malo, "provincia": malo })).await;
    let p = c.presupuestar(&lead, json!([{ "tipo": "texto", "texto": malo }])).await.remove(0);
    let html = c.ver(&c.pagina(&p)).await;
    es(&html, 200);
    assert!(!html.texto.contains("<script>") && !html.texto.contains("<img src=x>"));
    assert!(html.texto.contains("alert(1)"));
}

async fn photos_of_others_are_not_there(motor: Engine) {
    let c = Casa::en(motor).await;
    let (_, ajeno, _) = c.con_presupuesto().await;
    let (lead, p, pagina) = c.con_presupuesto().await;
    let otra = json!({ "items": [{ "tipo": "foto", "imagen": data_uri(&embudo_testkit::jpeg(320, 240)), "momento": "antes" }] });
    c.s.post(&format!("/api/leads/{lead}/ingesta"), &otra).await.con(200);
    let ficha = c.s.ficha(&lead).await;
    let despues = ficha["fotos"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    let suyas: Vec<_> = p.documento.fotos.iter().map(|f| f.id.to_string()).collect();
    assert!(!suyas.contains(&despues));
    for foto in [ajeno.documento.fotos[0].id.to_string(), despues, crate::NADIE.to_owned(), "x".to_owned()] {
        es(&c.ver(&format!("{pagina}/fotos/{foto}")).await, 404);
    }
}

async fn a_question_is_one_signal_a_minute(motor: Engine) {
    let c = Casa::en(motor).await;
    let (lead, _, pagina) = c.con_presupuesto().await;
    for _ in 0..2 {
        let r = c.enviar(&format!("{pagina}/dudas"), "").await;
        es(&r, 303);
        assert_eq!(r.cabecera("location"), Some(format!("{pagina}?dudas=enviadas#dudas").as_str()));
    }
    assert_eq!(c.mensajes.received().len(), 1);
    assert_eq!(c.mensajes.received()[0].json()["leadId"], lead);
    let html = c.ver(&format!("{pagina}?dudas=enviadas")).await.texto;
    assert!(html.contains("te escribimos al") && html.contains("612 34 56 78"));
}
