//! What mails say: the quote to its client, and what the company hears.

use embudo_app::ConEnlaces;
use embudo_delivery::Enlaces;
use embudo_domain::Cuerpo;
use embudo_domain::LeadId;
use embudo_domain::color::Color;
use embudo_domain::lead::NuevoLead;
use embudo_domain::marca::Marca;
use embudo_testkit::mailbox::{Message, Treatment};
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Receiver, Setup, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::correos::Oficina;

const CASA: &str = "https://leads.ejemplo.es";

fn with_address(m: &mut Setup) {
    let enlaces = Enlaces::new(b"un secreto de sobra largo");
    m.outbound.enlaces = Some(ConEnlaces { enlaces, public_url: CASA.into() });
}

fn to(cartas: &[Message], quien: &str) -> Vec<Message> {
    cartas.iter().filter(|c| c.to == [quien]).cloned().collect()
}

/// What the company was told since it was asked last, by subject and text.
async fn heard(o: &Oficina, tiempo: SignedDuration) -> Vec<(String, String)> {
    let antes = to(&o.buzon.messages(), "obra@ejemplo.es").len();
    o.trabajar(tiempo).await;
    let cartas = to(&o.buzon.messages(), "obra@ejemplo.es").split_off(antes);
    cartas.iter().map(|c| (c.asunto(), c.parte("text/plain").unwrap())).collect()
}

both_engines!(
    the_quote_comes_with_brand_total_and_a_button,
    a_quote_mail_without_brand_or_address_is_whole,
    notices_use_the_words_of_people_and_lead_to_the_quote,
    a_failure_names_the_thing_and_what_to_do,
    the_company_hears_once_of_a_form,
    a_form_left_half_done_is_heard_of_after_a_while,
);

async fn the_quote_comes_with_brand_total_and_a_button(motor: Engine) {
    let o = Oficina::en(motor, with_address).await;
    let marca =
        Marca { color: Color([0x7a, 0x3b, 0x1d]), telefono: Some("910 000 000".into()), ..Marca::default() };
    o.s.app.store.save_marca(o.s.empresa.id, marca).await.unwrap();
    let logo = embudo_app::logo(&embudo_testkit::jpeg(300, 100)).unwrap();
    o.s.app.store.save_logo(o.s.empresa.id, Some(logo)).await.unwrap();
    let lead =
        o.s.lead_with(
            json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "estructural": false }),
        )
        .await;
    o.s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.con(200);
    let p = o.s.app.store.presupuestos(LeadId::parse(&lead).unwrap()).await.unwrap().remove(0);
    let (url, total) = (o.s.app.quotes().page_url(p.id).unwrap(), p.documento.impuesto.total.to_string());
    let carta = to(&o.buzon.messages(), "ana@ejemplo.es").remove(0);

    assert_eq!(carta.asunto(), format!("Tu presupuesto de reforma de baño, {}", p.numero));
    let texto = carta.parte("text/plain").unwrap().replace("\r\n", "\n");
    let total_dicho = if p.documento.calculo.rango.is_some() { "Total orientativo" } else { "Total" };
    assert!(texto.starts_with("Hola, Ana:\n\nAquí tienes tu presupuesto de reforma de baño"), "{texto}");
    assert!(
        texto.contains(&format!("{total_dicho}, impuestos incluidos: {total}\nVálido hasta el ")),
        "{texto}"
    );
    assert!(texto.contains(&format!("\n{url}\n")), "the address stands on a line of its own: {texto}");
    assert!(texto.contains("Reformas Peña\n910 000 000"), "{texto}");

    let html = carta.parte("text/html").unwrap();
    for esto in [total.as_str(), "#7a3b1d", "cid:logo", "Ver el presupuesto", ">leads.ejemplo.es</a>"] {
        assert!(html.contains(esto), "{esto} in {html}");
    }
    assert_eq!(
        html.matches(&url).count(),
        html.matches(&format!("href=\"{url}\"")).count(),
        "no raw address: {html}"
    );
    assert!(carta.datos.contains("Content-ID: <logo>") && carta.datos.contains("multipart/related"));
    assert!(carta.datos.contains("application/pdf"));
}

async fn a_quote_mail_without_brand_or_address_is_whole(motor: Engine) {
    let o = Oficina::en(motor, |_| {}).await;
    let lead = o.s.lead_with(json!({ "nombre": "<b>Ana</b> & Cía" })).await;
    o.s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.con(200);
    let carta = to(&o.buzon.messages(), "ana@ejemplo.es").remove(0);
    let html = carta.parte("text/html").unwrap();
    assert!(html.contains("&lt;b&gt;Ana&lt;/b&gt;") && html.contains("Reformas Peña"), "{html}");
    assert!(!html.contains("cid:") && !html.contains("<a "), "{html}");
    assert!(!carta.datos.contains("multipart/related"));
}

async fn notices_use_the_words_of_people_and_lead_to_the_quote(motor: Engine) {
    let o = Oficina::en(motor, with_address).await;
    let lead =
        o.s.lead_with(
            json!({ "tipoReforma": "bano", "provincia": "Madrid", "m2Suelo": 4.5, "calidadGlobal": "basica",
        "urgencia": "alta", "presupuestoTarget": 650_000 }),
        )
        .await;
    let (asunto, texto) = heard(&o, SignedDuration::ZERO).await.remove(0);
    assert_eq!(asunto, "Nuevo lead: Ana García (baño, Madrid)");
    for linea in [
        "Reforma: Baño",
        "Superficie: 4,5 m²",
        "Calidad: básica",
        "Cuándo: cuanto antes",
        "Quiere gastar: 6.500\u{a0}€",
        "Teléfono: 612 34 56 78",
    ] {
        assert!(texto.contains(linea), "{linea} in {texto}");
    }
    assert!(!texto.contains("bano") && !texto.contains("alta"), "{texto}");
    let items = json!([{ "tipo": "texto", "texto": "Sin bañera", "zona": "bano" }]);
    o.s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": items, "finalizar": true }))
        .await
        .con(200);
    o.s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "perfilCompleto": true })).await.con(200);
    let (_, texto) = heard(&o, SignedDuration::ZERO).await.remove(0);
    let pagina = o.s.ficha(&lead).await["presupuestos"][0]["pagina"].as_str().unwrap().to_owned();
    assert!(pagina.starts_with(CASA) && texto.contains(&pagina), "{texto}");
    assert!(texto.contains("Notas: Baño: Sin bañera"), "{texto}");
    let html = to(&o.buzon.messages(), "obra@ejemplo.es").pop().unwrap().parte("text/html").unwrap();
    assert!(
        html.contains("href=\"tel:+34612345678\"") && html.contains(&format!("href=\"{pagina}\"")),
        "{html}"
    );
}

async fn a_failure_names_the_thing_and_what_to_do(motor: Engine) {
    let receptor = Receiver::arrancar().await;
    receptor.siempre(Manner::estado(410));
    let url = receptor.url().parse().unwrap();
    let o = Oficina::en(motor, |m| m.outbound.pdf = Some(url)).await;
    let lead = o.s.lead().await;
    heard(&o, SignedDuration::ZERO).await;
    o.buzon.treatments([Treatment::Rcpt("550 5.1.1 no such user")]);
    o.s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.con(200);
    let mut avisos = heard(&o, SignedDuration::ZERO).await;
    avisos.sort();
    let numero = o.s.ficha(&lead).await["presupuestos"][0]["numero"].as_str().unwrap().to_owned();
    let asuntos: Vec<_> = avisos.iter().map(|(asunto, _)| asunto.clone()).collect();
    assert_eq!(
        asuntos,
        [
            format!("Sin entregar: el presupuesto {numero} por correo a ana@ejemplo.es. Ana García"),
            format!("Sin entregar: el presupuesto {numero} por mensaje. Ana García"),
        ]
    );
    for (_, texto) in &avisos {
        assert!(
            texto.contains("y no se va a repetir solo.") && texto.contains("embudo jobs retry "),
            "{texto}"
        );
        assert!(!texto.contains("todos los intentos"), "it was tried once: {texto}");
    }
    assert!(
        avisos[0].1.contains("550") && avisos[0].1.contains("Comprueba con el cliente"),
        "{}",
        avisos[0].1
    );
    assert!(avisos[1].1.contains("MESSAGING_WEBHOOK_URL"), "{}", avisos[1].1);
}

fn from_form() -> (LeadId, NuevoLead) {
    let cuerpo = json!({ "nombre": "Ana García", "telefono": "612345678", "email": "ana@ejemplo.es", "tipoReforma": "bano" });
    (LeadId(uuid::Uuid::now_v7()), NuevoLead::read(cuerpo.to_string().as_bytes()).unwrap())
}

async fn the_company_hears_once_of_a_form(motor: Engine) {
    let o = Oficina::en(motor, |_| {}).await;
    let (lead, nuevo) = from_form();
    o.s.app.forms().sign_up(lead, nuevo).await.unwrap();
    assert_eq!(heard(&o, SignedDuration::from_mins(20)).await, [], "the person is still at it");
    o.s.post(&format!("/api/leads/{lead}/perfil"), &json!({ "m2Suelo": 6 })).await.con(200);
    for _ in 0..2 {
        o.s.app.forms().completed(lead).await.unwrap();
    }
    let avisos = heard(&o, SignedDuration::ZERO).await;
    assert_eq!(avisos.len(), 1, "{avisos:?}");
    assert_eq!(avisos[0].0, "Formulario completo: Ana García (baño)");
    assert!(
        avisos[0].1.contains("Superficie: 6 m²"),
        "with what came after the contact data: {}",
        avisos[0].1
    );
    assert_eq!(heard(&o, SignedDuration::from_hours(2)).await, [], "once is enough");
}

async fn a_form_left_half_done_is_heard_of_after_a_while(motor: Engine) {
    let o = Oficina::en(motor, |_| {}).await;
    let (lead, nuevo) = from_form();
    o.s.app.forms().sign_up(lead, nuevo.clone()).await.unwrap();
    // The answer was lost, and the form is sent again.
    o.s.app.forms().sign_up(lead, nuevo).await.unwrap();
    assert_eq!(heard(&o, SignedDuration::from_mins(29)).await, []);
    let avisos = heard(&o, SignedDuration::from_mins(2)).await;
    assert_eq!(avisos.len(), 1, "{avisos:?}");
    assert_eq!(avisos[0].0, "Formulario a medias: Ana García (baño)");
    // Asking for a call later is news.
    o.s.app.forms().ask_for_call(lead, "v1").await.unwrap();
    let avisos = heard(&o, SignedDuration::ZERO).await;
    assert_eq!(
        avisos.iter().map(|(asunto, _)| asunto.as_str()).collect::<Vec<_>>(),
        ["Pide que le llames: Ana García (baño)"]
    );
}
