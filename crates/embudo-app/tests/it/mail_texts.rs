//! The texts of mails: the quote for its client, and the notices for the company.

use embudo_app::WithLinks;
use embudo_delivery::Links;
use embudo_domain::Body;
use embudo_domain::brand::Brand;
use embudo_domain::color::Color;
use embudo_domain::job::JobKind;
use embudo_domain::lead::NewLead;
use embudo_domain::perfil::Perfil;
use embudo_store::lead_writes::UpdatePerfil;
use embudo_testkit::mailbox::{Message, Treatment};
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Receiver, Setup, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::stage::Stage;

const COMPANY_URL: &str = "https://leads.ejemplo.es";

fn with_address(m: &mut Setup) {
    let links = Links::new(b"un secreto de sobra largo");
    m.outbound.links = Some(WithLinks { links, public_url: COMPANY_URL.into() });
}

fn to(letters: &[Message], who: &str) -> Vec<Message> {
    letters.iter().filter(|c| c.to == [who]).cloned().collect()
}

/// The notices that the company got since the last call, by subject and text.
async fn heard(o: &Stage, time: SignedDuration) -> Vec<(String, String)> {
    let before = to(&o.mailbox.messages(), "obra@ejemplo.es").len();
    o.pass(time).await;
    let letters = to(&o.mailbox.messages(), "obra@ejemplo.es").split_off(before);
    letters.iter().map(|c| (c.subject(), c.part("text/plain").unwrap())).collect()
}

both_engines!(
    the_quote_comes_with_brand_total_and_a_button,
    a_quote_mail_without_brand_or_address_is_whole,
    notices_use_the_words_of_people_and_lead_to_the_quote,
    a_failure_names_the_thing_and_what_to_do,
    notices_lead_to_the_panel,
    the_company_hears_once_of_a_form,
    a_form_left_half_done_is_heard_of_after_a_while,
    a_name_of_a_million_characters_is_shortened,
);

async fn the_quote_comes_with_brand_total_and_a_button(engine: Engine) {
    let o = Stage::mails(engine, with_address).await;
    let brand =
        Brand { color: Color([0x7a, 0x3b, 0x1d]), telefono: Some("910 000 000".into()), ..Brand::default() };
    o.app.store.save_brand(o.empresa.id, brand).await.unwrap();
    let logo = embudo_app::logo(&embudo_testkit::jpeg(300, 100)).unwrap();
    o.app.store.save_logo(o.empresa.id, Some(logo)).await.unwrap();
    let lead = o
        .new_lead_with(
            json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "estructural": false }),
        )
        .await;
    o.ingest(lead, json!({ "finalizar": true })).await;
    let p = o.app.store.presupuestos(lead).await.unwrap().remove(0);
    let (url, total) = (o.app.quotes().page_url(p.id).unwrap(), p.document.figure());
    let letter = to(&o.mailbox.messages(), "ana@ejemplo.es").remove(0);

    assert_eq!(letter.subject(), format!("Tu presupuesto de reforma de baño, {}", p.number));
    let text = letter.part("text/plain").unwrap().replace("\r\n", "\n");
    let said_total = if p.document.pricing.range.is_some() { "Total orientativo" } else { "Total" };
    assert!(text.starts_with("Hola, Ana:\n\nAquí tienes tu presupuesto de reforma de baño"), "{text}");
    assert!(
        text.contains(&format!("{said_total}, impuestos incluidos: {total}\nVálido hasta el ")),
        "{text}"
    );
    assert!(text.contains(&format!("\n{url}\n")), "the address stands on a line of its own: {text}");
    assert!(text.contains("Reformas Peña\n910 000 000"), "{text}");

    let html = letter.part("text/html").unwrap();
    for this in [total.as_str(), "#7a3b1d", "cid:logo", "Ver el presupuesto", ">leads.ejemplo.es</a>"] {
        assert!(html.contains(this), "{this} in {html}");
    }
    assert_eq!(
        html.matches(&url).count(),
        html.matches(&format!("href=\"{url}\"")).count(),
        "no raw address: {html}"
    );
    assert!(letter.data.contains("Content-ID: <logo>") && letter.data.contains("multipart/related"));
    assert!(letter.data.contains("application/pdf"));
}

async fn a_quote_mail_without_brand_or_address_is_whole(engine: Engine) {
    let o = Stage::mails(engine, |_| {}).await;
    let lead = o.new_lead_with(json!({ "nombre": "<b>Ana</b> & Cía" })).await;
    o.ingest(lead, json!({ "finalizar": true })).await;
    let letter = to(&o.mailbox.messages(), "ana@ejemplo.es").remove(0);
    let html = letter.part("text/html").unwrap();
    assert!(html.contains("&lt;b&gt;Ana&lt;/b&gt;") && html.contains("Reformas Peña"), "{html}");
    assert!(!html.contains("cid:") && !html.contains("<a "), "{html}");
    assert!(!letter.data.contains("multipart/related"));
}

async fn notices_use_the_words_of_people_and_lead_to_the_quote(engine: Engine) {
    let o = Stage::mails(engine, with_address).await;
    let lead = o
        .new_lead_with(
            json!({ "tipoReforma": "bano", "provincia": "Madrid", "m2Suelo": 4.5, "calidadGlobal": "basica",
        "urgencia": "alta", "presupuestoTarget": 650_000 }),
        )
        .await;
    let (subject, text) = heard(&o, SignedDuration::ZERO).await.remove(0);
    assert_eq!(subject, "Nuevo lead: Ana García (baño, Madrid)");
    for line in [
        "Reforma: Baño",
        "Superficie: 4,5 m²",
        "Calidad: básica",
        "Cuándo: cuanto antes",
        "Quiere gastar: 6.500\u{a0}€",
        "Teléfono: 612 34 56 78",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("bano") && !text.contains("alta"), "{text}");
    let items = json!([{ "tipo": "texto", "texto": "Sin bañera", "zona": "bano" }]);
    o.ingest(lead, json!({ "items": items, "finalizar": true })).await;
    o.ingest(lead, json!({ "perfilCompleto": true })).await;
    let (_, text) = heard(&o, SignedDuration::ZERO).await.remove(0);
    let presupuesto = o.record(lead).await.presupuestos[0].id;
    let page = o.app.quotes().page_url(presupuesto).unwrap();
    assert!(page.starts_with(COMPANY_URL) && text.contains(&page), "{text}");
    assert!(text.contains("Notas: Baño: Sin bañera"), "{text}");
    let html = to(&o.mailbox.messages(), "obra@ejemplo.es").pop().unwrap().part("text/html").unwrap();
    assert!(
        html.contains("href=\"tel:+34612345678\"") && html.contains(&format!("href=\"{page}\"")),
        "{html}"
    );
    let lead_page = format!("{COMPANY_URL}/panel/leads/{lead}");
    assert!(text.contains(&format!("Abrir el lead:\r\n{lead_page}\r\n")), "{text}");
    assert!(
        html.find(&lead_page).unwrap() < html.find(&page).unwrap(),
        "the lead's page comes first: {html}"
    );
    assert!(html.contains(&format!("{COMPANY_URL}/panel/empresa/avisos")), "{html}");
}

/// The notice about a failed delivery links to the job's page in the outbox. If the panel has an address, the notice
/// names no command.
async fn notices_lead_to_the_panel(engine: Engine) {
    let receiver = Receiver::start().await;
    receiver.always(Manner::state(410));
    let url = receiver.url().parse().unwrap();
    let o = Stage::mails(engine, |m| {
        with_address(m);
        m.outbound.perfil = Some(url);
    })
    .await;
    let lead = o.new_lead().await;
    o.ingest(lead, json!({ "perfilCompleto": true })).await;
    let notices = heard(&o, SignedDuration::ZERO).await;
    let (_, text) = notices.iter().find(|(subject, _)| subject.starts_with("Sin entregar")).unwrap();
    let jobs = o.jobs(Default::default()).await;
    let signal = jobs.iter().find(|job| job.kind == JobKind::Perfil).unwrap();
    assert!(text.contains(&format!("Abrir el lead:\r\n{COMPANY_URL}/panel/leads/{lead}\r\n")), "{text}");
    assert!(
        text.contains(&format!("Ver el envío:\r\n{COMPANY_URL}/panel/envios/{}\r\n", signal.id)),
        "{text}"
    );
    assert!(text.contains("repite el envío desde el panel") && !text.contains("embudo jobs"), "{text}");
}

async fn a_failure_names_the_thing_and_what_to_do(engine: Engine) {
    let receiver = Receiver::start().await;
    receiver.always(Manner::state(410));
    let url = receiver.url().parse().unwrap();
    let o = Stage::mails(engine, |m| m.outbound.pdf = Some(url)).await;
    let lead = o.new_lead().await;
    heard(&o, SignedDuration::ZERO).await;
    o.mailbox.treatments([Treatment::Rcpt("550 5.1.1 no such user")]);
    o.ingest(lead, json!({ "finalizar": true })).await;
    let mut notices = heard(&o, SignedDuration::ZERO).await;
    notices.sort();
    let number = o.record(lead).await.presupuestos[0].number;
    let subjects: Vec<_> = notices.iter().map(|(subject, _)| subject.clone()).collect();
    assert_eq!(
        subjects,
        [
            format!("Sin entregar: el presupuesto {number} por correo a ana@ejemplo.es. Ana García"),
            format!("Sin entregar: el presupuesto {number} por mensaje. Ana García"),
        ]
    );
    for (_, text) in &notices {
        assert!(text.contains("y no se va a repetir solo.") && text.contains("embudo jobs retry "), "{text}");
        assert!(!text.contains("todos los intentos"), "it was tried once: {text}");
    }
    assert!(
        notices[0].1.contains("550") && notices[0].1.contains("Comprueba con el cliente"),
        "{}",
        notices[0].1
    );
    assert!(notices[1].1.contains("MESSAGING_WEBHOOK_URL"), "{}", notices[1].1);
}

fn from_form() -> NewLead {
    let body = json!({ "nombre": "Ana García", "telefono": "612345678", "email": "ana@ejemplo.es", "tipoReforma": "bano" });
    NewLead::read(body.to_string().as_bytes()).unwrap()
}

async fn the_company_hears_once_of_a_form(engine: Engine) {
    let o = Stage::mails(engine, |_| {}).await;
    let lead = o.sign_up(from_form()).await;
    assert_eq!(heard(&o, SignedDuration::from_mins(20)).await, [], "the person is still at it");
    let perfil = Perfil { m2_suelo: Some(6.0), ..Perfil::default() };
    o.app
        .store
        .update_perfil(UpdatePerfil {
            lead,
            perfil,
            m2_is_estimate: false,
            at: o.app.now(),
            idempotency: None,
        })
        .await
        .unwrap();
    for _ in 0..2 {
        o.app.forms().completed(lead).await.unwrap();
    }
    let notices = heard(&o, SignedDuration::ZERO).await;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(notices[0].0, "Presupuesto por revisar: Ana García (baño)", "nobody gets the signal");
    assert!(
        notices[0].1.contains("Superficie: 6 m²"),
        "with what came after the contact data: {}",
        notices[0].1
    );
    assert_eq!(heard(&o, SignedDuration::from_hours(2)).await, [], "once is enough");
}

async fn a_form_left_half_done_is_heard_of_after_a_while(engine: Engine) {
    let o = Stage::mails(engine, |_| {}).await;
    let (ticket, secret) = o.form_page();
    let lead = o.app.forms().sign_up(ticket, &secret, from_form()).await.unwrap().unwrap();
    // The answer was lost, so the form is sent again.
    assert_eq!(o.app.forms().sign_up(ticket, &secret, from_form()).await.unwrap(), Some(lead));
    assert_eq!(heard(&o, SignedDuration::from_mins(29)).await, []);
    let notices = heard(&o, SignedDuration::from_mins(2)).await;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(notices[0].0, "Formulario a medias: Ana García (baño)");
    // Asking for a call later causes a new notice.
    o.app.forms().ask_for_call(lead, "v1").await.unwrap();
    let notices = heard(&o, SignedDuration::ZERO).await;
    assert_eq!(
        notices.iter().map(|(subject, _)| subject.as_str()).collect::<Vec<_>>(),
        ["Pide que le llames: Ana García (baño)"]
    );
}

async fn a_name_of_a_million_characters_is_shortened(engine: Engine) {
    let o = Stage::mails(engine, with_address).await;
    let long = |start: &str| format!("{start}{}", "ñ".repeat(1_000_000));
    let facts = json!({ "nombre": long("Ana"), "provincia": long("Soria"), "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media" });
    let lead = o.new_lead_with(facts).await;
    let (subject, text) = heard(&o, SignedDuration::ZERO).await.remove(0);
    assert!(subject.starts_with("Nuevo lead: Anañ") && subject.chars().count() < 300, "{subject}");
    assert!(text.contains("…") && text.len() < 5_000, "{}", text.len());
    o.ingest(lead, json!({ "finalizar": true })).await;
    // A busy machine may take longer than the call waits.
    let mut known = 1;
    let letter = loop {
        let mails = o.mailbox.await_messages(known).await;
        match to(&mails, "ana@ejemplo.es").pop() {
            Some(letter) => break letter,
            None => known = mails.len() + 1,
        }
    };
    for part in ["text/plain", "text/html"] {
        let text = letter.part(part).unwrap();
        assert!(text.contains("Hola, Anañ") && text.len() < 20_000, "{part}: {}", text.len());
    }
}
