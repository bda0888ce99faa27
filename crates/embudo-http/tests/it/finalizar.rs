//! `finalizar`: the quote is priced, drawn, stored and delivered, once.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use embudo_app::CorreoSalida;
use embudo_delivery::Correo;
use embudo_delivery::correo::{Ajustes, Tls};
use embudo_delivery::descarga::{Descargas, Reglas};
use embudo_domain::LeadId;
use embudo_domain::presupuesto::EstadoPresupuesto;
use embudo_domain::rendicion::Resultado;
use embudo_testkit::mailbox::Treatment;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Mailbox, ManualClock, Receiver, Server, Setup, both_engines, data_uri};
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

struct Obra {
    s: Server,
    buzon: Mailbox,
    receptor: Receiver,
    reloj: Arc<ManualClock>,
}

impl Obra {
    async fn en(motor: Engine) -> Self {
        Self::con(motor, |_| {}).await
    }

    async fn con(motor: Engine, cambio: impl FnOnce(&mut Setup)) -> Self {
        let (buzon, receptor) = (Mailbox::arrancar().await, Receiver::arrancar().await);
        let reloj = Arc::new(ManualClock::default());
        let mut montaje = Setup::en(motor);
        montaje.reloj = reloj.clone();
        let (host, port) = (buzon.direccion.ip().to_string(), buzon.direccion.port());
        let cliente = Correo::new(Ajustes::new(host, port, Tls::None)).unwrap();
        montaje.outbound.correo =
            Some(CorreoSalida { cliente, from: "embudo@ejemplo.es".into(), from_name: None });
        montaje.outbound.pdf = Some(receptor.url().parse().unwrap());
        cambio(&mut montaje);
        Self { s: montaje.arrancar().await, buzon, receptor, reloj }
    }

    async fn finalizar(&self, lead: &str, cuerpo: &Value) -> embudo_testkit::Answered {
        self.s.post(&format!("/api/leads/{lead}/ingesta"), cuerpo).await
    }

    /// What left the house so far: mails to the client and signals.
    fn salieron(&self) -> (usize, usize) {
        let cartas = self.buzon.messages().into_iter().filter(|c| c.to == ["ana@ejemplo.es"]).count();
        (cartas, self.receptor.received().len())
    }
}

fn entregado() -> Value {
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
);

async fn a_quote_is_drawn_stored_and_delivered(motor: Engine) {
    let o = Obra::en(motor).await;
    let lead = o.s.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media" })).await;
    let foto = data_uri(&embudo_testkit::jpeg(640, 480));
    let items = json!([
        { "tipo": "foto", "imagen": foto, "momento": "antes" },
        { "tipo": "foto", "imagen": foto, "momento": "despues" },
        { "tipo": "texto", "texto": "Sin bidé, ¿puede ser? 🛁" },
    ]);
    let r = o.finalizar(&lead, &json!({ "items": items, "finalizar": true })).await.con(200);
    assert_eq!((&r["fotos"], &r["notas"], &r["finalizado"]), (&json!(2), &json!(1), &entregado()));

    let recibida = o.receptor.received().remove(0).json();
    assert_eq!(recibida["filename"], format!("presupuesto-{}.pdf", o.numero(1)));
    let pdf = STANDARD.decode(recibida["pdfBase64"].as_str().unwrap()).unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    let carta = o.buzon.messages().into_iter().find(|c| c.to == ["ana@ejemplo.es"]).unwrap();
    assert!(carta.datos.contains("application/pdf"));

    let ficha = o.s.ficha(&lead).await;
    let presupuesto = &ficha["presupuestos"][0];
    assert_eq!((&presupuesto["estado"], &presupuesto["version"]), (&json!("emitido"), &json!(1)));
    let bajado = o.s.peticion(Method::GET, presupuesto["href"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(bajado.headers()["content-type"], "application/pdf");
    let bajado = bajado.bytes().await.unwrap();
    assert_eq!(bajado, pdf, "the same bytes by messaging and by the API");
    let tipos: Vec<&str> =
        ficha["eventos"].as_array().unwrap().iter().map(|e| e["tipo"].as_str().unwrap()).collect();
    for tipo in ["finalizar", "presupuesto", "correo_cliente", "pdf"] {
        assert!(tipos.contains(&tipo), "{tipo} in {tipos:?}");
    }
    for otro in ["2026-9999.pdf", "x.pdf", "2026-0001", "presupuesto.pdf"] {
        o.s.get(&format!("/api/leads/{lead}/presupuestos/{otro}")).await.con(404);
    }
}

/// Two finalizations that run at once draw different bytes, here because only one of them gets the photo: the one that is done first
/// is kept, and both deliver that one.
async fn what_is_delivered_is_the_sealed_pdf(motor: Engine) {
    let fotos = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = fotos.local_addr().unwrap();
    let reglas = Reglas::con(vec![host.to_string().parse().unwrap()]);
    let o = Obra::con(motor, |montaje| montaje.outbound.descargas = Descargas::new(reglas).unwrap()).await;
    let lead = o.s.lead().await;
    let foto = json!([{ "tipo": "foto", "imagen": format!("http://{host}/cocina.jpg") }]);

    let (con_foto, sin_nada) =
        (json!({ "items": foto, "finalizar": true }), json!({ "items": [], "finalizar": true }));
    let primera = o.finalizar(&lead, &con_foto);
    let segunda = async {
        let (mut espera, _) = fotos.accept().await.unwrap();
        let niega = async {
            let (mut otra, _) = fotos.accept().await.unwrap();
            otra.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        };
        let (segunda, ()) = tokio::join!(o.finalizar(&lead, &sin_nada), niega);
        let jpeg = embudo_testkit::jpeg(640, 480);
        let cabeza = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", jpeg.len());
        espera.write_all(&[cabeza.as_bytes(), &jpeg].concat()).await.unwrap();
        segunda
    };
    let (primera, segunda) = tokio::join!(primera, segunda);
    assert_eq!(
        (&primera.con(200)["finalizado"], &segunda.con(200)["finalizado"]),
        (&entregado(), &entregado())
    );

    let ficha = o.s.ficha(&lead).await;
    assert_eq!(ficha["presupuestos"].as_array().unwrap().len(), 1, "one quote");
    let href = ficha["presupuestos"][0]["href"].as_str().unwrap();
    let sellado = o.s.peticion(Method::GET, href).send().await.unwrap().bytes().await.unwrap();
    let base64 = STANDARD.encode(&sellado);
    let recibidas = o.receptor.received();
    assert_eq!(recibidas.len(), 2);
    assert!(recibidas.iter().all(|r| r.json()["pdfBase64"] == base64), "both signals carry the sealed PDF");
    let cartas: Vec<_> = o.buzon.messages().into_iter().filter(|c| c.to == ["ana@ejemplo.es"]).collect();
    assert_eq!(cartas.len(), 2);
    for carta in cartas {
        let plano: String = carta.datos.split_whitespace().collect();
        assert!(plano.contains(&base64), "both mails carry the sealed PDF");
    }
}

/// The deliveries of a lead's newest quote, without their moments.
async fn entregas(s: &Server, lead: &str) -> Value {
    let ficha = s.ficha(lead).await;
    let todas = ficha["presupuestos"][0]["entregas"].as_array().unwrap().iter();
    todas.map(|e| json!([e["canal"], e["estado"]])).collect()
}

async fn a_quote_says_what_became_of_its_deliveries(motor: Engine) {
    let o = Obra::en(motor).await;
    let lead = o.s.lead().await;
    o.buzon.treatments([Treatment::Rcpt("451 4.7.1 try later")]);
    o.receptor.manners([Manner::estado(410)]);
    o.finalizar(&lead, &json!({ "finalizar": true })).await.con(200);
    assert_eq!(entregas(&o.s, &lead).await, json!([["email", "pendiente"], ["messaging", "fallida"]]));
    assert_eq!(o.s.ficha(&lead).await["presupuestos"][0]["estado"], "emitido");
    o.reloj.advance(SignedDuration::from_secs(6));
    o.s.app.worker().run_jobs().await.unwrap();
    assert_eq!(entregas(&o.s, &lead).await, json!([["email", "entregada"], ["messaging", "fallida"]]));
    // Ended jobs are purged one day; what became of the quote is not forgotten.
    o.reloj.advance(SignedDuration::from_hours(31 * 24));
    assert!(o.s.app.housekeeping().purge_expired().await.unwrap() >= 3);
    assert_eq!(entregas(&o.s, &lead).await, json!([["email", "entregada"], ["messaging", "fallida"]]));
}

async fn a_bare_lead_gets_a_quote_too_and_nothing_configured_is_simulated(motor: Engine) {
    let s = Server::arrancar(motor).await;
    let lead = s.lead().await;
    let r = s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.con(200);
    let esperado = json!({ "ok": true, "emailEnviado": false, "messagingSenal": false });
    assert_eq!(r["finalizado"], esperado);
    let ficha = s.ficha(&lead).await;
    let simulados = ficha["eventos"].as_array().unwrap().iter().filter(|e| e["simulado"] == true).count();
    assert_eq!(simulados, 2, "{}", ficha["eventos"]);
    assert_eq!(ficha["presupuestos"].as_array().unwrap().len(), 1);
    assert_eq!(entregas(&s, &lead).await, json!([["email", "simulada"], ["messaging", "simulada"]]));
}

async fn the_same_content_is_the_same_quote_and_another_replaces_it(motor: Engine) {
    let o = Obra::en(motor).await;
    let lead = o.s.lead().await;
    o.finalizar(&lead, &json!({ "finalizar": true })).await.con(200);
    // Other bytes, the same content: the same quote goes out again.
    o.finalizar(&lead, &json!({ "finalizar": true, "items": [] })).await.con(200);
    assert_eq!(o.salieron(), (2, 2));
    let nombres: Vec<Value> = o.receptor.received().iter().map(|r| r.json()["filename"].clone()).collect();
    assert_eq!(nombres[0], nombres[1]);
    let nota = json!([{ "tipo": "texto", "texto": "Y una ducha" }]);
    o.finalizar(&lead, &json!({ "finalizar": true, "items": nota })).await.con(200);
    let id = LeadId::parse(&lead).unwrap();
    let todos = o.s.app.store.presupuestos(id).await.unwrap();
    let estados: Vec<_> = todos.iter().map(|p| (p.version, p.numero.orden(), p.estado)).collect();
    assert_eq!(estados, [(2, 2, EstadoPresupuesto::Emitido), (1, 1, EstadoPresupuesto::Sustituido)]);
}

async fn the_same_call_again_mails_nobody_twice(motor: Engine) {
    let o = Obra::en(motor).await;
    let lead = o.s.lead().await;
    let nota = json!([{ "tipo": "texto", "texto": "Con ducha" }]);
    let cuerpo = json!({ "finalizar": true, "items": nota });
    let primera = o.finalizar(&lead, &cuerpo).await;
    assert!(primera.cabecera("idempotency-replayed").is_none());
    let primera = primera.con(200);
    let segunda = o.finalizar(&lead, &cuerpo).await;
    assert_eq!(segunda.cabecera("idempotency-replayed"), Some("true"));
    assert_eq!((segunda.con(200), o.salieron()), (primera, (1, 1)));
    assert_eq!(o.s.ficha(&lead).await["notas"].as_array().unwrap().len(), 1, "nothing saved");
    // Another lead, or another minute, is another call.
    let otro = o.s.lead().await;
    o.finalizar(&otro, &cuerpo).await.con(200);
    o.reloj.advance(SignedDuration::from_secs(61));
    let tercera = o.finalizar(&lead, &cuerpo).await;
    assert!(tercera.cabecera("idempotency-replayed").is_none());
    tercera.con(200);
    assert_eq!(o.salieron(), (3, 3));
}

async fn a_call_whose_mail_failed_is_not_a_repetition(motor: Engine) {
    let o = Obra::en(motor).await;
    let lead = o.s.lead().await;
    o.buzon.treatments([Treatment::Rcpt("451 4.7.1 try later")]);
    let cuerpo = json!({ "finalizar": true });
    let r = o.finalizar(&lead, &cuerpo).await.con(200);
    assert_eq!(r["finalizado"], json!({ "ok": true, "emailEnviado": false, "messagingSenal": true }));
    let r = o.finalizar(&lead, &cuerpo).await;
    assert!(r.cabecera("idempotency-replayed").is_none());
    assert_eq!(r.con(200)["finalizado"], entregado());
    // The newer mail took the place of the one that waited.
    o.reloj.advance(SignedDuration::from_hours(1));
    o.s.app.worker().run_jobs().await.unwrap();
    assert_eq!(o.salieron(), (1, 2));
}

async fn sixteen_at_once_make_one_quote(motor: Engine) {
    let o = Obra::en(motor).await;
    let lead = o.s.lead().await;
    let cuerpo = json!({ "finalizar": true, "items": [{ "tipo": "texto", "texto": "a la vez" }] });
    let todas = futures_util::future::join_all((0..16).map(|_| o.finalizar(&lead, &cuerpo))).await;
    let repetidas = todas.iter().filter(|r| r.cabecera("idempotency-replayed").is_some()).count();
    for r in todas {
        assert_eq!(r.con(200)["finalizado"], entregado());
    }
    assert_eq!((repetidas, o.salieron()), (15, (1, 1)));
    let ficha = o.s.ficha(&lead).await;
    assert_eq!(ficha["notas"].as_array().unwrap().len(), 1);
    assert_eq!(ficha["presupuestos"].as_array().unwrap().len(), 1);
}

async fn bad_pictures_leave_a_reason_and_never_fail_the_quote(motor: Engine) {
    let o = Obra::en(motor).await;
    let lead = o.s.lead().await;
    let imagenes = [
        data_uri(b"no es una imagen"),
        data_uri(&embudo_testkit::jpeg(64, 64)[..200]),
        "data:image/svg+xml;base64,PHN2Zy8+".to_owned(),
        "data:image/png;base64,%%%".replace("%%%", "AA=A"),
        o.receptor.url(),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://[::1]/foto.jpg".to_owned(),
        "http://no-existe.invalid/foto.jpg".to_owned(),
    ];
    let items: Vec<Value> = imagenes.iter().map(|i| json!({ "tipo": "foto", "imagen": i })).collect();
    let antes = o.receptor.received().len();
    let r = o.finalizar(&lead, &json!({ "finalizar": true, "items": items })).await.con(200);
    assert_eq!(r["finalizado"], entregado());
    assert_eq!(o.receptor.received().len() - antes, 1, "the signal, and no fetch of a private address");
    let id = LeadId::parse(&lead).unwrap();
    let rendiciones = o.s.app.store.rendiciones(id).await.unwrap();
    assert!(rendiciones.len() >= imagenes.len() - 1, "{rendiciones:?}");
    // The company reads which and why; the client's documents are silent about it.
    let ficha = o.s.ficha(&lead).await;
    let eventos = ficha["eventos"].as_array().unwrap().iter().filter(|e| e["tipo"] == "fotos");
    let detalles: Vec<&str> = eventos.map(|e| e["detalle"].as_str().unwrap()).collect();
    let [detalle] = detalles[..] else { panic!("{detalles:?}") };
    assert!(detalle.starts_with(&format!("Varias fotos quedan fuera del presupuesto {}: n.º 1 (estancia, antes): no es una imagen; n.º 2 (estancia, antes): la imagen está dañada; n.º 3", o.numero(1))), "{detalle}");
    let documento = o.s.app.store.presupuestos(id).await.unwrap().remove(0).documento;
    assert!(!documento.fotos.is_empty(), "what was asked for is sealed, whatever can be shown of it");
}

async fn a_key_gives_the_first_answer_again(motor: Engine) {
    let o = Obra::en(motor).await;
    let lead = o.s.lead().await;
    let ruta = format!("/api/leads/{lead}/ingesta");
    let cuerpo = json!({ "finalizar": true });
    let primera = o.s.post_keyed(&ruta, "k-1", &cuerpo).await.con(200);
    o.reloj.advance(SignedDuration::from_hours(2));
    let segunda = o.s.post_keyed(&ruta, "k-1", &cuerpo).await;
    assert_eq!(segunda.cabecera("idempotency-replayed"), Some("true"));
    assert_eq!((segunda.con(200), o.salieron()), (primera, (1, 1)));
}

async fn photos_are_made_ready_before_anybody_asks(motor: Engine) {
    let s = Server::arrancar(motor).await;
    let lead = s.lead().await;
    let app = s.app.clone();
    let taller = tokio::spawn(async move { app.photos().keep_ready().await });
    let foto = data_uri(&embudo_testkit::jpeg(1600, 1200));
    let items = json!([{ "tipo": "foto", "imagen": foto }]);
    s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": items })).await.con(200);
    let id = LeadId::parse(&lead).unwrap();
    let limite = std::time::Instant::now() + std::time::Duration::from_secs(30);
    let hecha = loop {
        if let Some(hecha) = s.app.store.rendiciones(id).await.unwrap().pop() {
            break hecha;
        }
        assert!(std::time::Instant::now() < limite, "the photo was not made ready");
        tokio::task::yield_now().await;
    };
    taller.abort();
    let Resultado::Hecha(derivadas) = hecha.resultado else { panic!("{hecha:?}") };
    assert_eq!((derivadas.ancho, derivadas.alto), (800, 600));
    // The sweep knows what was made of a photo, and lets it go with the photo.
    let barrido = s.app.housekeeping().sweep_blobs(std::time::Duration::ZERO).await.unwrap();
    assert_eq!((barrido.vistos, barrido.borrados), (3, 0));
    s.app.store.delete_foto(id, hecha.foto).await.unwrap();
    assert_eq!(s.app.housekeeping().sweep_blobs(std::time::Duration::ZERO).await.unwrap().borrados, 3);
}

impl Obra {
    fn numero(&self, orden: u32) -> String {
        format!("{}-{orden:04}", self.s.app.hoy().year())
    }
}
