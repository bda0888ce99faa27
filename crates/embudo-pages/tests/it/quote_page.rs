//! The quote's page: what the client sees, and the results of the client's answers.

use std::sync::Arc;

use embudo_app::{OutboundMail, Pass};
use embudo_delivery::Mail;
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_domain::LeadId;
use embudo_domain::presupuesto::{Presupuesto, PresupuestoState};
use embudo_store::empresas::EmpresaPatch;
use embudo_testkit::{
    Answered, Engine, Mailbox, ManualClock, Receiver, Server, Setup, both_engines, data_uri,
};
use jiff::SignedDuration;
use reqwest::{Method, header, redirect};
use serde_json::{Value, json};

struct Company {
    server: Server,
    mailbox: Mailbox,
    messages: Receiver,
    clock: Arc<ManualClock>,
    browser: reqwest::Client,
}

impl Company {
    async fn at(engine: Engine) -> Self {
        let (mailbox, messages) = (Mailbox::start().await, Receiver::start().await);
        let clock = Arc::new(ManualClock::default());
        let mut setup = Setup::at(engine);
        setup.clock = clock.clone();
        setup.proxies = vec!["127.0.0.0/8".parse().unwrap()];
        let (host, port) = (mailbox.address.ip().to_string(), mailbox.address.port());
        let cliente = Mail::new(SmtpSettings::new(host, port, Tls::None)).unwrap();
        setup.outbound.mail =
            Some(OutboundMail { client: cliente, from: "embudo@ejemplo.es".into(), from_name: None });
        setup.outbound.mensajeria = Some(messages.url().parse().unwrap());
        let server = setup.start().await;
        let patch = EmpresaPatch { email_avisos: Some("obra@ejemplo.es".into()), ..EmpresaPatch::default() };
        server.app.store.update_empresa(server.empresa.id, patch).await.unwrap();
        let browser = reqwest::Client::builder().no_proxy().redirect(redirect::Policy::none());
        Self { server, mailbox, messages, clock, browser: browser.build().unwrap() }
    }

    /// Has a quote sent to this lead. Returns the lead's quotes, newest first.
    async fn quote(&self, lead: &str, items: Value) -> Vec<Presupuesto> {
        let body = json!({ "items": items, "finalizar": true });
        self.server.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
        self.server.app.store.presupuestos(LeadId::parse(lead).unwrap()).await.unwrap()
    }

    /// The default lead with a pair of photos. Returns its quote and the address of the quote's page.
    async fn with_presupuesto(&self) -> (String, Presupuesto, String) {
        let lead =
            self.server.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" })).await;
        let foto = data_uri(&embudo_testkit::jpeg(640, 480));
        let items = json!([
            { "tipo": "foto", "imagen": foto, "momento": "antes" },
            { "tipo": "foto", "imagen": foto, "momento": "despues" },
            { "tipo": "texto", "texto": "Sin bidé, ¿puede ser?" },
        ]);
        let presupuesto = self.quote(&lead, items).await.remove(0);
        let page = self.page(&presupuesto);
        (lead, presupuesto, page)
    }

    fn page(&self, presupuesto: &Presupuesto) -> String {
        self.server.app.quotes().page_path(presupuesto.id)
    }

    async fn show(&self, path: &str) -> Answered {
        self.server.send(self.browser.get(self.server.url(path))).await
    }

    fn form(&self, path: &str, body: impl Into<String>) -> reqwest::RequestBuilder {
        let kind = "application/x-www-form-urlencoded";
        let request = self.browser.post(self.server.url(path)).header(header::CONTENT_TYPE, kind);
        request.header("x-forwarded-for", "203.0.113.7").body(body.into())
    }

    async fn send(&self, path: &str, body: impl Into<String>) -> Answered {
        self.server.send(self.form(path, body).header("sec-fetch-site", "same-origin")).await
    }

    async fn read(&self, p: &Presupuesto) -> Presupuesto {
        self.server.app.store.presupuesto(p.id).await.unwrap()
    }

    async fn events(&self, lead: &str, kind: &str) -> usize {
        let record = self.server.record(lead).await;
        record["eventos"].as_array().unwrap().iter().filter(|e| e["tipo"] == kind).count()
    }

    /// The number of mails to the company so far.
    async fn notices(&self) -> usize {
        self.server.app.worker().run_jobs().await.unwrap();
        self.mailbox.messages().iter().filter(|c| c.to == ["obra@ejemplo.es"]).count()
    }
}

#[track_caller]
fn is(r: &Answered, status: u16) {
    assert_eq!(r.status.as_u16(), status, "{}", r.text);
}

both_engines!(
    a_quote_is_shown_accepted_and_told_to_the_company,
    what_was_answered_decides_the_rate,
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

async fn a_quote_is_shown_accepted_and_told_to_the_company(engine: Engine) {
    let c = Company::at(engine).await;
    let (lead, p, page) = c.with_presupuesto().await;
    let html = c.show(&page).await;
    is(&html, 200);
    let total = p.document.impuesto.total.to_string();
    for text in [p.number.to_string().as_str(), "Ana García", "Sin bidé", &total, "Imagen generada por IA"]
    {
        assert!(html.text.contains(text), "{text}");
    }
    for condicion in &p.document.condiciones {
        assert!(html.text.contains(condicion.as_str()), "{condicion}");
    }
    let notices_before = c.notices().await;

    let unmarked = c.send(&format!("{page}/aceptar"), "").await;
    is(&unmarked, 422);
    assert!(unmarked.text.contains("Marca la casilla"));
    // The facts that the reduced rate depends on are unknown, so the client must declare them.
    let undeclared = c.send(&format!("{page}/aceptar"), "acepto=si").await;
    is(&undeclared, 422);
    assert!(
        undeclared.text.contains("id=\"declaro-error\"") && !undeclared.text.contains("id=\"acepto-error\"")
    );
    assert_eq!(c.read(&p).await.state, PresupuestoState::Emitido);

    for _ in 0..2 {
        let r = c.send(&format!("{page}/aceptar"), "acepto=si&declaro=si").await;
        is(&r, 303);
        assert_eq!(r.header("location"), Some(format!("{page}#resultado").as_str()));
    }
    let accepted = c.read(&p).await;
    assert_eq!(accepted.state, PresupuestoState::Aceptado);
    let answer = accepted.answer.unwrap();
    assert_eq!(answer.ip.as_deref(), Some("203.0.113.7"));
    assert_eq!(answer.texto_version, embudo_app::ACCEPTANCE_TEXT);
    let rule = &p.document.impuesto;
    assert_eq!(answer.declaracion, Some(format!("{} {}", rule.rule, rule.version)));
    assert_eq!(answer.pdf_sha256, p.pdf.unwrap().sha256);
    assert_eq!(c.events(&lead, "presupuesto_aceptado").await, 1);
    assert_eq!(c.notices().await, notices_before + 1);

    let html = c.show(&page).await.text;
    // The test's clock shows 10:30 in UTC.
    assert!(html.contains("Lo aceptaste el 14 de noviembre de 2026 a las 11:30"), "{html}");
    assert!(!html.contains("/aceptar") && !html.contains("/rechazar"));
    // The result comes before everything else on the page, with its evidence.
    let place = |words: &str| html.find(words).unwrap_or_else(|| panic!("{words} in {html}"));
    assert!(place("id=\"resultado\"") < place("Huella del PDF"));
    assert!(place("Huella del PDF") < place("class=\"hoja\""));

    let late = c.send(&format!("{page}/rechazar"), "motivo=caro").await;
    is(&late, 409);
    assert!(late.text.contains("ya está aceptado"));
    assert_eq!(c.read(&p).await.state, PresupuestoState::Aceptado);
    assert_eq!(c.events(&lead, "presupuesto_rechazado").await, 0);
}

/// A client who answered before has nothing to declare. A company or business premises never get the reduced rate.
async fn what_was_answered_decides_the_rate(engine: Engine) {
    let c = Company::at(engine).await;
    let quote = async |known: Value| {
        let lead = c
            .server
            .lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media" }))
            .await;
        let path = format!("/api/leads/{lead}");
        c.server.send(c.server.request(Method::PATCH, &path).body(known.to_string())).await.with(200);
        c.quote(&lead, json!([{ "tipo": "texto", "texto": "Hola" }])).await.remove(0)
    };
    let all =
        json!({ "esVivienda": true, "contratante": "comunidad", "dosAnos": true, "codigoPostal": "28013" });
    let known = quote(all).await;
    assert_eq!(known.document.impuesto.percentage.to_string().replace('\u{a0}', " "), "10 %");
    assert_eq!(known.document.cliente.provincia.as_deref(), Some("Madrid"));
    let page = c.page(&known);
    assert!(!c.show(&page).await.text.contains("name=\"declaro\""));
    is(&c.send(&format!("{page}/aceptar"), "acepto=si").await, 303);
    assert_eq!(c.read(&known).await.answer.unwrap().declaracion, None);
    for denied in
        [json!({ "esVivienda": false }), json!({ "contratante": "empresa" }), json!({ "dosAnos": false })]
    {
        let general = quote(denied.clone()).await;
        assert_eq!(
            general.document.impuesto.percentage.to_string().replace('\u{a0}', " "),
            "21 %",
            "{denied}"
        );
        assert!(!c.show(&c.page(&general)).await.text.contains("name=\"declaro\""), "{denied}");
    }
    let carried = quote(json!({ "planta": 4, "ascensor": false })).await;
    let lifted = quote(json!({ "planta": 4, "ascensor": true })).await;
    assert!(carried.document.pricing.base > lifted.document.pricing.base);
}

async fn declining_takes_a_reason_and_can_be_taken_back(engine: Engine) {
    let c = Company::at(engine).await;
    let (lead, p, page) = c.with_presupuesto().await;
    let length = c.send(&format!("{page}/rechazar"), format!("motivo={}", "a".repeat(2_001))).await;
    is(&length, 422);
    assert!(length.text.contains(&"a".repeat(2_001)), "what was typed is not lost");
    is(&c.send(&format!("{page}/rechazar"), "motivo=Muy+caro%0D%0A%3Cb%3E").await, 303);
    is(&c.send(&format!("{page}/rechazar"), "motivo=otra+vez").await, 303);
    let rejected = c.read(&p).await;
    assert_eq!(rejected.state, PresupuestoState::Rechazado);
    assert_eq!(rejected.answer.unwrap().reason.as_deref(), Some("Muy caro\n<b>"));
    assert_eq!(c.events(&lead, "presupuesto_rechazado").await, 1);
    let html = c.show(&page).await.text;
    assert!(
        html.contains("Nos dijiste que no el 14 de noviembre de 2026") && html.contains("Muy caro\n&#60;b")
    );
    assert!(html.contains("/aceptar\"") && !html.contains("/rechazar\""));
    is(&c.send(&format!("{page}/aceptar"), "acepto=si&declaro=si").await, 303);
    assert_eq!(c.read(&p).await.state, PresupuestoState::Aceptado);
}

async fn an_expired_quote_says_so_and_a_new_one_can_be_asked_for(engine: Engine) {
    let c = Company::at(engine).await;
    let (_, p, page) = c.with_presupuesto().await;
    c.clock.advance(SignedDuration::from_hours(31 * 24));
    let html = c.show(&page).await.text;
    assert!(html.contains("Este presupuesto ha caducado") && html.contains("Pedir un presupuesto nuevo"));
    assert!(!html.contains("/aceptar\""));
    let r = c.send(&format!("{page}/aceptar"), "acepto=si&declaro=si").await;
    is(&r, 409);
    assert!(r.text.contains("ya no vale"));
    assert_eq!(c.read(&p).await.state, PresupuestoState::Emitido);
}

async fn a_superseded_quote_leads_to_the_current_one(engine: Engine) {
    let c = Company::at(engine).await;
    let (lead, old, page) = c.with_presupuesto().await;
    let items = json!([{ "tipo": "texto", "texto": "Mejor con bañera" }]);
    let new = c.quote(&lead, items).await.remove(0);
    assert_ne!(new.id, old.id);
    let html = c.show(&page).await.text;
    assert!(html.contains("Hay un presupuesto más reciente"));
    assert!(html.contains(&format!("href=\"{}\"", c.page(&new))), "{html}");
    is(&c.send(&format!("{page}/aceptar"), "acepto=si&declaro=si").await, 409);
    assert_eq!(c.read(&old).await.state, PresupuestoState::Superseded);
    is(&c.send(&format!("{}/aceptar", c.page(&new)), "acepto=si&declaro=si").await, 303);
}

async fn only_a_pass_to_a_quote_opens_it(engine: Engine) {
    let c = Company::at(engine).await;
    let (lead, p, page) = c.with_presupuesto().await;
    let passes = &c.server.app.outbound.passes;
    let lead = LeadId::parse(&lead).unwrap();
    let unknown = Pass::Presupuesto(embudo_domain::PresupuestoId(uuid::Uuid::from_u128(1)));
    let mut bad_ones: Vec<String> = [Pass::Form(lead), Pass::Consentimientos(lead), unknown]
        .into_iter()
        .map(|pass| format!("/p/{}", passes.write(pass, None)))
        .collect();
    bad_ones.extend([format!("{}A", page), "/p/x".into(), "/p/%FF".into(), format!("/p/{}", p.id)]);
    for bad in bad_ones {
        for rest in ["", "/pdf", "/nada"] {
            let r = c.show(&format!("{bad}{rest}")).await;
            is(&r, 404);
            assert!(r.header("content-type").unwrap().starts_with("text/html"), "{bad}{rest}");
        }
        is(&c.send(&format!("{bad}/aceptar"), "acepto=si&declaro=si").await, 404);
    }
    assert_eq!(c.read(&p).await.state, PresupuestoState::Emitido);
}

async fn other_sites_cannot_answer_for_the_client(engine: Engine) {
    let c = Company::at(engine).await;
    let (_, p, page) = c.with_presupuesto().await;
    for (header, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://malo.es"),
        ("origin", "null"),
    ] {
        for action in ["aceptar", "rechazar", "dudas"] {
            let request = c.form(&format!("{page}/{action}"), "acepto=si&declaro=si").header(header, value);
            let r = c.server.send(request).await;
            is(&r, 403);
            assert!(r.text.contains("No hemos guardado nada"));
        }
    }
    assert_eq!((c.read(&p).await.state, c.messages.received().len()), (PresupuestoState::Emitido, 0));
    let own = c.form(&format!("{page}/aceptar"), "acepto=si&declaro=si").header("origin", c.server.url(""));
    is(&c.server.send(own).await, 303);
}

async fn pages_and_files_carry_their_headers(engine: Engine) {
    let c = Company::at(engine).await;
    let (_, p, page) = c.with_presupuesto().await;
    let r = c.show(&page).await;
    let csp = r.header("content-security-policy").unwrap();
    assert!(
        csp.contains("default-src 'none'") && csp.contains("script-src 'self'") && !csp.contains("unsafe")
    );
    for (nombre, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "same-origin"),
        ("x-robots-tag", "noindex"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(r.header(nombre), Some(value));
    }
    assert!(!r.text.contains(" style=") && !r.text.contains("<style"));
    assert_eq!(r.text.matches("<script").count(), 1);

    let pdf = c.browser.get(c.server.url(&format!("{page}/pdf"))).send().await.unwrap();
    assert_eq!(pdf.headers()["content-type"], "application/pdf");
    let nombre = format!("attachment; filename=\"presupuesto-{}.pdf\"", p.number);
    assert_eq!(pdf.headers()["content-disposition"], nombre.as_str());
    assert_eq!(pdf.headers()["x-robots-tag"], "noindex");
    assert_eq!(pdf.bytes().await.unwrap().len() as u64, p.pdf.unwrap().bytes);

    let foto = format!("{page}/fotos/{}", p.document.fotos[0].id);
    assert!(r.text.contains(&foto));
    let foto = c.browser.get(c.server.url(&foto)).send().await.unwrap();
    assert_eq!(
        (foto.status().as_u16(), &foto.headers()["content-type"]),
        (200, &"image/jpeg".parse().unwrap())
    );
    assert!(foto.headers()["cache-control"].to_str().unwrap().starts_with("private"));
    assert!(foto.bytes().await.unwrap().starts_with(&[0xFF, 0xD8]));
    let method = c.server.send(c.browser.request(Method::DELETE, c.server.url(&page))).await;
    assert!(
        method.status.is_client_error() && method.header("content-type").unwrap().starts_with("text/html")
    );
}

async fn hostile_names_stay_names(engine: Engine) {
    let c = Company::at(engine).await;
    let bad = "<script>alert(1)</script>\"'><img src=x>";
    let lead = c.server.lead_with(json!({ "nombre": bad, "provincia": bad })).await;
    let p = c.quote(&lead, json!([{ "tipo": "texto", "texto": bad }])).await.remove(0);
    let html = c.show(&c.page(&p)).await;
    is(&html, 200);
    assert!(!html.text.contains("<script>") && !html.text.contains("<img src=x>"));
    assert!(html.text.contains("alert(1)"));
}

async fn photos_of_others_are_not_there(engine: Engine) {
    let c = Company::at(engine).await;
    let (_, foreign, _) = c.with_presupuesto().await;
    let (lead, p, page) = c.with_presupuesto().await;
    let another = json!({ "items": [{ "tipo": "foto", "imagen": data_uri(&embudo_testkit::jpeg(320, 240)), "momento": "antes" }] });
    c.server.post(&format!("/api/leads/{lead}/ingesta"), &another).await.with(200);
    let record = c.server.record(&lead).await;
    let after = record["fotos"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    let own: Vec<_> = p.document.fotos.iter().map(|f| f.id.to_string()).collect();
    assert!(!own.contains(&after));
    for foto in [foreign.document.fotos[0].id.to_string(), after, crate::NOBODY.to_owned(), "x".to_owned()] {
        is(&c.show(&format!("{page}/fotos/{foto}")).await, 404);
    }
}

async fn a_question_is_one_signal_a_minute(engine: Engine) {
    let c = Company::at(engine).await;
    let (lead, _, page) = c.with_presupuesto().await;
    for _ in 0..2 {
        let r = c.send(&format!("{page}/dudas"), "").await;
        is(&r, 303);
        assert_eq!(r.header("location"), Some(format!("{page}?dudas=enviadas#dudas").as_str()));
    }
    assert_eq!(c.messages.received().len(), 1);
    assert_eq!(c.messages.received()[0].json()["leadId"], lead);
    let html = c.show(&format!("{page}?dudas=enviadas")).await.text;
    assert!(html.contains("te escribimos al") && html.contains("612 34 56 78"));
}
