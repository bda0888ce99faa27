//! `finalizar`: the quote is priced, drawn, stored and delivered, once.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use embudo_app::OutboundMail;
use embudo_delivery::Mail;
use embudo_delivery::fetch::{Fetcher, Rules};
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_domain::LeadId;
use embudo_domain::presupuesto::{Bounds, PresupuestoState};
use embudo_domain::rendition::RenditionOutcome;
use embudo_testkit::mailbox::Treatment;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Mailbox, ManualClock, Receiver, Server, Setup, both_engines, data_uri};
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

struct Stage {
    server: Server,
    mailbox: Mailbox,
    receiver: Receiver,
    clock: Arc<ManualClock>,
}

impl Stage {
    async fn at(engine: Engine) -> Self {
        Self::with(engine, |_| {}).await
    }

    async fn with(engine: Engine, change: impl FnOnce(&mut Setup)) -> Self {
        let (mailbox, receiver) = (Mailbox::start().await, Receiver::start().await);
        let clock = Arc::new(ManualClock::default());
        let mut setup = Setup::at(engine);
        setup.clock = clock.clone();
        let (host, port) = (mailbox.address.ip().to_string(), mailbox.address.port());
        let client = Mail::new(SmtpSettings::new(host, port, Tls::None)).unwrap();
        setup.outbound.mail =
            Some(OutboundMail { client, from: "embudo@ejemplo.es".into(), from_name: None });
        setup.outbound.pdf = Some(receiver.url().parse().unwrap());
        change(&mut setup);
        Self { server: setup.start().await, mailbox, receiver, clock }
    }

    async fn finalizar(&self, lead: &str, body: &Value) -> embudo_testkit::Answered {
        self.server.post(&format!("/api/leads/{lead}/ingesta"), body).await
    }

    /// What was sent so far: mails to the client and signals.
    fn left(&self) -> (usize, usize) {
        let letters = self.mailbox.messages().into_iter().filter(|c| c.to == ["ana@ejemplo.es"]).count();
        (letters, self.receiver.received().len())
    }
}

fn delivered() -> Value {
    json!({ "ok": true, "emailEnviado": true, "messagingSenal": true })
}

both_engines!(
    a_quote_is_drawn_stored_and_delivered,
    a_quote_says_what_became_of_its_deliveries,
    a_bare_lead_gets_a_quote_too_and_nothing_configured_is_simulated,
    the_same_content_is_the_same_quote_and_another_replaces_it,
    the_same_call_again_mails_nobody_twice,
    a_call_whose_mail_failed_is_not_a_repetition,
    sixteen_at_once_make_one_quote,
    bad_pictures_leave_a_reason_and_never_fail_the_quote,
    a_key_gives_the_first_answer_again,
    what_is_delivered_is_the_sealed_pdf,
    photos_are_made_ready_before_anybody_asks,
    what_does_not_fit_is_shortened_and_never_refused,
);

/// However much is sent, the document that is sealed and drawn is bounded, and its sums are those of all lines.
async fn what_does_not_fit_is_shortened_and_never_refused(engine: Engine) {
    let o = Stage::with(engine, |setup| setup.outbound.bounds = Bounds { lines: 5, text: 4_000 }).await;
    let known = json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media" });
    let lead = o.server.lead_with(known).await;
    let nota = format!("{}Fin.", "Una nota que no acaba nunca. ".repeat(20_000));
    let items =
        json!([{ "tipo": "texto", "texto": nota }, { "tipo": "texto", "texto": "a\n".repeat(50_000) }]);
    let r = o.finalizar(&lead, &json!({ "items": items, "finalizar": true })).await.with(200);
    assert_eq!((&r["notas"], &r["finalizado"]), (&json!(2), &delivered()));
    let quote = o.server.app.store.presupuestos(LeadId::parse(&lead).unwrap()).await.unwrap().remove(0);
    assert!(quote.pdf.is_some());
    let document = quote.document;
    let lines: Vec<_> = document.pricing.capitulos.iter().flat_map(|c| &c.lines).collect();
    assert_eq!(lines.len(), 5);
    assert!(lines[4].concepto.starts_with("Otras "), "{}", lines[4].concepto);
    assert_eq!(lines.iter().map(|l| l.importe.0).sum::<i64>(), document.impuesto.base.0);
    for nota in &document.notas {
        assert!(nota.text.ends_with('…') && nota.text.len() < 4_000, "{}", nota.text.len());
    }
    // All of the client's own words are kept.
    let record = o.server.app.store.record(LeadId::parse(&lead).unwrap()).await.unwrap();
    assert_eq!(record.notas[0].text, nota);
}

async fn a_quote_is_drawn_stored_and_delivered(engine: Engine) {
    let o = Stage::at(engine).await;
    let lead =
        o.server.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media" })).await;
    let foto = data_uri(&embudo_testkit::jpeg(640, 480));
    let items = json!([
        { "tipo": "foto", "imagen": foto, "momento": "antes" },
        { "tipo": "foto", "imagen": foto, "momento": "despues" },
        { "tipo": "texto", "texto": "Sin bidé, ¿puede ser? 🛁" },
    ]);
    let r = o.finalizar(&lead, &json!({ "items": items, "finalizar": true })).await.with(200);
    assert_eq!((&r["fotos"], &r["notas"], &r["finalizado"]), (&json!(2), &json!(1), &delivered()));

    let received = o.receiver.received().remove(0).json();
    assert_eq!(received["filename"], format!("presupuesto-{}.pdf", o.number(1)));
    let pdf = STANDARD.decode(received["pdfBase64"].as_str().unwrap()).unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    let letter = o.mailbox.messages().into_iter().find(|c| c.to == ["ana@ejemplo.es"]).unwrap();
    assert!(letter.data.contains("application/pdf"));

    let record = o.server.record(&lead).await;
    let presupuesto = &record["presupuestos"][0];
    assert_eq!((&presupuesto["estado"], &presupuesto["version"]), (&json!("emitido"), &json!(1)));
    let lowered = o.server.request(Method::GET, presupuesto["href"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(lowered.headers()["content-type"], "application/pdf");
    let lowered = lowered.bytes().await.unwrap();
    assert_eq!(lowered, pdf, "the same bytes by messaging and by the API");
    let kinds: Vec<&str> =
        record["eventos"].as_array().unwrap().iter().map(|e| e["tipo"].as_str().unwrap()).collect();
    for kind in ["finalizar", "presupuesto", "correo_cliente", "pdf"] {
        assert!(kinds.contains(&kind), "{kind} in {kinds:?}");
    }
    for other in ["2026-9999.pdf", "x.pdf", "2026-0001", "presupuesto.pdf"] {
        o.server.get(&format!("/api/leads/{lead}/presupuestos/{other}")).await.with(404);
    }
}

/// Two finalizations that run at once draw different PDFs, here because only one of them gets the photo. The PDF that
/// is finished first is stored, and both calls deliver it.
async fn what_is_delivered_is_the_sealed_pdf(engine: Engine) {
    let fotos = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = fotos.local_addr().unwrap();
    let rules = Rules::with(vec![host.to_string().parse().unwrap()]);
    let o = Stage::with(engine, |setup| setup.outbound.fetches = Fetcher::new(rules).unwrap()).await;
    let lead = o.server.lead().await;
    let foto = json!([{ "tipo": "foto", "imagen": format!("http://{host}/cocina.jpg") }]);

    let (with_foto, with_nothing) =
        (json!({ "items": foto, "finalizar": true }), json!({ "items": [], "finalizar": true }));
    let first = o.finalizar(&lead, &with_foto);
    let second = async {
        let (mut wait, _) = fotos.accept().await.unwrap();
        let denies = async {
            let (mut another, _) = fotos.accept().await.unwrap();
            another.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        };
        let (second, ()) = tokio::join!(o.finalizar(&lead, &with_nothing), denies);
        let jpeg = embudo_testkit::jpeg(640, 480);
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", jpeg.len());
        wait.write_all(&[head.as_bytes(), &jpeg].concat()).await.unwrap();
        second
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!(
        (&first.with(200)["finalizado"], &second.with(200)["finalizado"]),
        (&delivered(), &delivered())
    );

    let record = o.server.record(&lead).await;
    assert_eq!(record["presupuestos"].as_array().unwrap().len(), 1, "one quote");
    let href = record["presupuestos"][0]["href"].as_str().unwrap();
    let sealed = o.server.request(Method::GET, href).send().await.unwrap().bytes().await.unwrap();
    let base64 = STANDARD.encode(&sealed);
    let received_ones = o.receiver.received();
    assert_eq!(received_ones.len(), 2);
    assert!(
        received_ones.iter().all(|r| r.json()["pdfBase64"] == base64),
        "both signals carry the sealed PDF"
    );
    let letters: Vec<_> = o.mailbox.messages().into_iter().filter(|c| c.to == ["ana@ejemplo.es"]).collect();
    assert_eq!(letters.len(), 2);
    for letter in letters {
        let flat: String = letter.data.split_whitespace().collect();
        assert!(flat.contains(&base64), "both mails carry the sealed PDF");
    }
}

/// The deliveries of a lead's newest quote, without their times.
async fn deliveries(s: &Server, lead: &str) -> Value {
    let record = s.record(lead).await;
    let all = record["presupuestos"][0]["entregas"].as_array().unwrap().iter();
    all.map(|e| json!([e["canal"], e["estado"]])).collect()
}

async fn a_quote_says_what_became_of_its_deliveries(engine: Engine) {
    let o = Stage::at(engine).await;
    let lead = o.server.lead().await;
    o.mailbox.treatments([Treatment::Rcpt("451 4.7.1 try later")]);
    o.receiver.manners([Manner::state(410)]);
    o.finalizar(&lead, &json!({ "finalizar": true })).await.with(200);
    assert_eq!(deliveries(&o.server, &lead).await, json!([["email", "pendiente"], ["messaging", "fallida"]]));
    assert_eq!(o.server.record(&lead).await["presupuestos"][0]["estado"], "emitido");
    o.clock.advance(SignedDuration::from_secs(6));
    o.server.app.worker().run_jobs().await.unwrap();
    assert_eq!(deliveries(&o.server, &lead).await, json!([["email", "entregada"], ["messaging", "fallida"]]));
    // Ended jobs are purged later; the state of the quote's deliveries is still known.
    o.clock.advance(SignedDuration::from_hours(31 * 24));
    assert!(o.server.app.housekeeping().purge_expired().await.unwrap() >= 3);
    assert_eq!(deliveries(&o.server, &lead).await, json!([["email", "entregada"], ["messaging", "fallida"]]));
}

async fn a_bare_lead_gets_a_quote_too_and_nothing_configured_is_simulated(engine: Engine) {
    let s = Server::start(engine).await;
    let lead = s.lead().await;
    let r = s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let expected = json!({ "ok": true, "emailEnviado": false, "messagingSenal": false });
    assert_eq!(r["finalizado"], expected);
    let record = s.record(&lead).await;
    let simulated_ones =
        record["eventos"].as_array().unwrap().iter().filter(|e| e["simulado"] == true).count();
    assert_eq!(simulated_ones, 2, "{}", record["eventos"]);
    assert_eq!(record["presupuestos"].as_array().unwrap().len(), 1);
    assert_eq!(deliveries(&s, &lead).await, json!([["email", "simulada"], ["messaging", "simulada"]]));
}

async fn the_same_content_is_the_same_quote_and_another_replaces_it(engine: Engine) {
    let o = Stage::at(engine).await;
    let lead = o.server.lead().await;
    o.finalizar(&lead, &json!({ "finalizar": true })).await.with(200);
    // Other bytes, the same content: the same quote goes out again.
    o.finalizar(&lead, &json!({ "finalizar": true, "items": [] })).await.with(200);
    assert_eq!(o.left(), (2, 2));
    let names: Vec<Value> = o.receiver.received().iter().map(|r| r.json()["filename"].clone()).collect();
    assert_eq!(names[0], names[1]);
    let nota = json!([{ "tipo": "texto", "texto": "Y una ducha" }]);
    o.finalizar(&lead, &json!({ "finalizar": true, "items": nota })).await.with(200);
    let id = LeadId::parse(&lead).unwrap();
    let all = o.server.app.store.presupuestos(id).await.unwrap();
    let states: Vec<_> = all.iter().map(|p| (p.version, p.number.orden(), p.state)).collect();
    assert_eq!(states, [(2, 2, PresupuestoState::Emitido), (1, 1, PresupuestoState::Superseded)]);
}

async fn the_same_call_again_mails_nobody_twice(engine: Engine) {
    let o = Stage::at(engine).await;
    let lead = o.server.lead().await;
    let nota = json!([{ "tipo": "texto", "texto": "Con ducha" }]);
    let body = json!({ "finalizar": true, "items": nota });
    let first = o.finalizar(&lead, &body).await;
    assert!(first.header("idempotency-replayed").is_none());
    let first = first.with(200);
    let second = o.finalizar(&lead, &body).await;
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    assert_eq!((second.with(200), o.left()), (first, (1, 1)));
    assert_eq!(o.server.record(&lead).await["notas"].as_array().unwrap().len(), 1, "nothing saved");
    // Another lead, or another minute, is another call.
    let other = o.server.lead().await;
    o.finalizar(&other, &body).await.with(200);
    o.clock.advance(SignedDuration::from_secs(61));
    let third = o.finalizar(&lead, &body).await;
    assert!(third.header("idempotency-replayed").is_none());
    third.with(200);
    assert_eq!(o.left(), (3, 3));
}

async fn a_call_whose_mail_failed_is_not_a_repetition(engine: Engine) {
    let o = Stage::at(engine).await;
    let lead = o.server.lead().await;
    o.mailbox.treatments([Treatment::Rcpt("451 4.7.1 try later")]);
    let body = json!({ "finalizar": true });
    let r = o.finalizar(&lead, &body).await.with(200);
    assert_eq!(r["finalizado"], json!({ "ok": true, "emailEnviado": false, "messagingSenal": true }));
    let r = o.finalizar(&lead, &body).await;
    assert!(r.header("idempotency-replayed").is_none());
    assert_eq!(r.with(200)["finalizado"], delivered());
    // The newer mail replaced the one that waited.
    o.clock.advance(SignedDuration::from_hours(1));
    o.server.app.worker().run_jobs().await.unwrap();
    assert_eq!(o.left(), (1, 2));
}

async fn sixteen_at_once_make_one_quote(engine: Engine) {
    let o = Stage::at(engine).await;
    let lead = o.server.lead().await;
    let body = json!({ "finalizar": true, "items": [{ "tipo": "texto", "texto": "a la vez" }] });
    let all = futures_util::future::join_all((0..16).map(|_| o.finalizar(&lead, &body))).await;
    let repeated = all.iter().filter(|r| r.header("idempotency-replayed").is_some()).count();
    for r in all {
        assert_eq!(r.with(200)["finalizado"], delivered());
    }
    assert_eq!((repeated, o.left()), (15, (1, 1)));
    let record = o.server.record(&lead).await;
    assert_eq!(record["notas"].as_array().unwrap().len(), 1);
    assert_eq!(record["presupuestos"].as_array().unwrap().len(), 1);
}

async fn bad_pictures_leave_a_reason_and_never_fail_the_quote(engine: Engine) {
    let o = Stage::at(engine).await;
    let lead = o.server.lead().await;
    let images = [
        data_uri(b"no es una imagen"),
        data_uri(&embudo_testkit::jpeg(64, 64)[..200]),
        "data:image/svg+xml;base64,PHN2Zy8+".to_owned(),
        "data:image/png;base64,%%%".replace("%%%", "AA=A"),
        o.receiver.url(),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://[::1]/foto.jpg".to_owned(),
        "http://no-existe.invalid/foto.jpg".to_owned(),
    ];
    let items: Vec<Value> = images.iter().map(|i| json!({ "tipo": "foto", "imagen": i })).collect();
    let before = o.receiver.received().len();
    let r = o.finalizar(&lead, &json!({ "finalizar": true, "items": items })).await.with(200);
    assert_eq!(r["finalizado"], delivered());
    assert_eq!(o.receiver.received().len() - before, 1, "the signal, and no fetch of a private address");
    let id = LeadId::parse(&lead).unwrap();
    let renditions = o.server.app.store.renditions(id).await.unwrap();
    assert!(renditions.len() >= images.len() - 1, "{renditions:?}");
    // The company can read which photos are missing and why; the client's documents do not mention it.
    let record = o.server.record(&lead).await;
    let events = record["eventos"].as_array().unwrap().iter().filter(|e| e["tipo"] == "fotos");
    let details: Vec<&str> = events.map(|e| e["detalle"].as_str().unwrap()).collect();
    let [detail] = details[..] else { panic!("{details:?}") };
    assert!(detail.starts_with(&format!("Varias fotos quedan fuera del presupuesto {}: n.º 1 (estancia, antes): no es una imagen; n.º 2 (estancia, antes): la imagen está dañada; n.º 3", o.number(1))), "{detail}");
    let document = o.server.app.store.presupuestos(id).await.unwrap().remove(0).document;
    assert!(!document.fotos.is_empty(), "what was asked for is sealed, whatever can be shown of it");
}

async fn a_key_gives_the_first_answer_again(engine: Engine) {
    let o = Stage::at(engine).await;
    let lead = o.server.lead().await;
    let path = format!("/api/leads/{lead}/ingesta");
    let body = json!({ "finalizar": true });
    let first = o.server.post_keyed(&path, "k-1", &body).await.with(200);
    o.clock.advance(SignedDuration::from_hours(2));
    let second = o.server.post_keyed(&path, "k-1", &body).await;
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    assert_eq!((second.with(200), o.left()), (first, (1, 1)));
}

async fn photos_are_made_ready_before_anybody_asks(engine: Engine) {
    let s = Server::start(engine).await;
    let lead = s.lead().await;
    let app = s.app.clone();
    let studio = tokio::spawn(async move { app.photos().keep_ready().await });
    let foto = data_uri(&embudo_testkit::jpeg(1600, 1200));
    let items = json!([{ "tipo": "foto", "imagen": foto }]);
    s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": items })).await.with(200);
    let id = LeadId::parse(&lead).unwrap();
    let limit = std::time::Instant::now() + embudo_testkit::PATIENCE;
    let done = loop {
        if let Some(done) = s.app.store.renditions(id).await.unwrap().pop() {
            break done;
        }
        assert!(std::time::Instant::now() < limit, "the photo was not made ready");
        tokio::task::yield_now().await;
    };
    studio.abort();
    let RenditionOutcome::Done(derived) = done.result else { panic!("{done:?}") };
    assert_eq!((derived.width, derived.height), (800, 600));
    // The sweep knows which files were made from a photo, and deletes them when the photo is gone.
    let sweep = s.app.housekeeping().sweep_blobs(std::time::Duration::ZERO).await.unwrap();
    assert_eq!((sweep.seen, sweep.deleted), (3, 0));
    s.app.store.delete_foto(id, done.foto, s.app.now()).await.unwrap();
    assert_eq!(s.app.housekeeping().sweep_blobs(std::time::Duration::ZERO).await.unwrap().deleted, 3);
}

impl Stage {
    fn number(&self, orden: u32) -> String {
        format!("{}-{orden:04}", self.server.app.today().year())
    }
}
