//! Options on the quote's page: exactly the ticked options are agreed, to the cent, and only with a total that the
//! client saw.

use std::process::Command;

use embudo_app::{OutboundMail, Pass};
use embudo_delivery::Mail;
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_domain::LeadId;
use embudo_domain::presupuesto::{Presupuesto, PresupuestoState};
use embudo_store::empresas::EmpresaPatch;
use embudo_testkit::{Answered, Engine, Mailbox, Scene, both_engines};

use crate::panel_quotes::{a_draft, line, save, seller, sent, with_identity};
use crate::person::{Browser, PanelPage as _};
use crate::visitor::hidden;

both_engines!(
    page_pdf_and_api_agree_to_the_cent,
    ticked_options_are_accepted_and_told_everywhere,
    nothing_is_accepted_that_was_not_seen,
    forged_options_are_refused,
    an_early_start_is_asked_for_apart,
    a_draft_is_shown_with_nothing_to_press,
);

/// A company that is notified by mail, and a person who writes its quotes.
pub async fn company(engine: Engine) -> (Scene, Mailbox) {
    let mailbox = Mailbox::start().await;
    let (host, port) = (mailbox.address.ip().to_string(), mailbox.address.port());
    let scene = Scene::with(engine, |setup| {
        let cliente = Mail::new(SmtpSettings::new(host, port, Tls::None)).unwrap();
        setup.outbound.mail =
            Some(OutboundMail { client: cliente, from: "embudo@ejemplo.es".into(), from_name: None });
    })
    .await;
    let patch = EmpresaPatch { email_avisos: Some("obra@ejemplo.es".into()), ..EmpresaPatch::default() };
    scene.server.app.store.update_empresa(scene.server.empresa.id, patch).await.unwrap();
    with_identity(&scene).await;
    (scene, mailbox)
}

/// A draft of a bathroom and a kitchen with two options, discounts and payments.
async fn an_edited_draft(scene: &Scene, browser: &Browser<'_>) -> (LeadId, String) {
    let (lead, place) = a_draft(scene, browser).await;
    let room =
        [("nueva.tipo", "cocina"), ("nueva.m2", "9,5"), ("nueva.calidad", "premium"), ("accion", "estancia")];
    save(scene, browser, lead, &place, &room).await;
    for _ in 0..3 {
        save(scene, browser, lead, &place, &[("accion", "pago")]).await;
    }
    let of = async |n| line(scene, lead, n).await.id;
    let options = [format!("linea.{}.opcional", of(0).await), format!("linea.{}.opcional", of(2).await)];
    let off = format!("linea.{}.descuento", of(1).await);
    let fields = [
        (options[0].as_str(), "si"),
        (options[1].as_str(), "si"),
        (off.as_str(), "12,5"),
        ("descuento.tipo", "porcentaje"),
        ("descuento.valor", "3"),
        ("descuento.motivo", "cliente de siempre"),
        ("pago.0.porcentaje", "33,33"),
        ("pago.0.momento", "Al aceptar"),
        ("pago.1.porcentaje", "33,33"),
        ("pago.1.momento", "A mitad de obra"),
        ("pago.2.porcentaje", "33,34"),
        ("pago.2.momento", "Al terminar"),
        ("terminos.duracion", "tres semanas"),
        ("terminos.direccionObra", "Calle Sol 3, Madrid"),
        ("terminos.nifCliente", "12345678Z"),
        ("accion", "guardar"),
    ];
    let saved = save(scene, browser, lead, &place, &fields).await;
    saved.to(&format!("{place}?hecho=guardado"));
    (lead, place)
}

/// Sends such a draft. Returns the quote and the address of its page.
pub async fn a_quote(scene: &Scene, browser: &Browser<'_>) -> (LeadId, Presupuesto, String) {
    let (lead, place) = an_edited_draft(scene, browser).await;
    sent(scene, browser, lead, &place).await;
    scene.server.app.worker().run_jobs().await.unwrap();
    let quote = scene.server.app.store.presupuestos(lead).await.unwrap().remove(0);
    assert!(quote.pdf.is_some() && quote.document.options.len() == 2, "{:?}", quote.state);
    let page = format!("/p/{}", scene.server.app.outbound.passes.write(Pass::Presupuesto(quote.id), None));
    (lead, quote, page)
}

pub async fn now(scene: &Scene, quote: &Presupuesto) -> Presupuesto {
    scene.server.app.store.presupuesto(quote.id).await.unwrap()
}

#[track_caller]
fn is(answer: &Answered, status: u16) {
    assert_eq!(answer.status.as_u16(), status, "{}", answer.text);
}

/// The text with uniform spaces.
pub fn plain(text: &str) -> String {
    text.replace(['\u{a0}', '\u{202f}'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn printed(pdf: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pdf");
    std::fs::write(&path, pdf).unwrap();
    let read = Command::new("pdftotext").arg("-layout").arg(&path).arg("-").output();
    plain(&String::from_utf8(read.expect("these tests need poppler-utils").stdout).unwrap())
}

async fn page_pdf_and_api_agree_to_the_cent(engine: Engine) {
    let (scene, _mailbox) = company(engine).await;
    let browser = seller(&scene).await;
    let (lead, quote, page) = a_quote(&scene, &browser).await;
    let d = &quote.document;
    let html = plain(&Browser::new(&scene).get(&page).await.text);
    let file = reqwest::get(scene.server.url(&format!("{page}/pdf"))).await.unwrap().bytes().await.unwrap();
    let paper = printed(&file);
    let record = scene.server.record(&lead.to_string()).await;
    assert_eq!(record["presupuestos"][0]["totalCents"], d.impuesto.total.0);
    assert!(record["presupuestos"][0]["aceptacion"].is_null());
    let lines = || d.pricing.capitulos.iter().flat_map(|c| &c.lines);
    assert_eq!(lines().map(|l| l.importe.0).sum::<i64>(), d.impuesto.base.0);
    assert_eq!(d.sections().iter().map(|s| s.total.0).sum::<i64>(), d.impuesto.base.0);
    let mut amounts = vec![d.impuesto.base, d.impuesto.quota, d.impuesto.total];
    amounts.extend(d.sections().iter().filter(|s| !s.capitulos.is_empty()).map(|s| s.total));
    amounts.extend(d.pricing.capitulos.iter().map(|c| c.total));
    amounts.extend(lines().map(|l| l.importe));
    amounts.extend(d.options.iter().flat_map(|o| [o.line.importe, d.option_price(o)]));
    let payments = d.terms.payments_of(d.impuesto.total);
    assert_eq!(payments.iter().map(|due| due.importe.0).sum::<i64>(), d.impuesto.total.0);
    amounts.extend(payments.iter().map(|due| due.importe));
    for amount in amounts {
        let amount = plain(&amount.to_string());
        assert!(html.contains(&amount), "{amount} on the page: {html}");
        assert!(paper.contains(&amount), "{amount} in the PDF: {paper}");
    }
    for words in ["tres semanas", "Calle Sol 3, Madrid", "12345678Z", "Al aceptar", "cliente de siempre"] {
        assert!(html.contains(words) && paper.contains(words), "{words}");
    }
    for text in &d.legal {
        assert!(html.contains(&plain(&text.title)), "{}", text.title);
    }
    assert!(
        !d.legal.is_empty() && html.contains("Precio vinculante.") && paper.contains("Precio vinculante")
    );
    let ids: Vec<&str> = d.options.iter().map(|o| o.id.as_str()).collect();
    for chosen in [&ids[..1], &ids[1..], &ids[..]] {
        let query: Vec<String> = chosen.iter().map(|id| format!("opcion={id}")).collect();
        let html = Browser::new(&scene).get(&format!("{page}?{}", query.join("&"))).await.text;
        let with = d.with_options(chosen);
        assert!(with.total > d.impuesto.total);
        assert_eq!(hidden(&html, "total"), with.total.0.to_string());
        for amount in [with.total, with.base, with.impuesto.quota] {
            assert!(html.contains(&amount.to_string()), "{amount}");
        }
        assert!(
            !html.contains(&d.impuesto.total.to_string())
                || d.legal
                    .iter()
                    .any(|t| t.paragraphs.iter().any(|p| p.contains(&d.impuesto.total.to_string())))
        );
    }
}

async fn ticked_options_are_accepted_and_told_everywhere(engine: Engine) {
    let (scene, mailbox) = company(engine).await;
    let browser = seller(&scene).await;
    let (lead, quote, page) = a_quote(&scene, &browser).await;
    let d = &quote.document;
    let taken = &d.options[1];
    let total = d.with_options(&[&taken.id]).total;
    let cents = total.0.to_string();
    let form = [("acepto", "si"), ("declaro", "si"), ("opcion", &taken.id), ("total", &cents)];
    for _ in 0..2 {
        let answer = Browser::new(&scene).post(&format!("{page}/aceptar"), &form).await;
        is(&answer, 303);
    }
    let accepted = now(&scene, &quote).await;
    assert_eq!(accepted.state, PresupuestoState::Aceptado);
    let acceptance = accepted.acceptance().unwrap();
    assert_eq!((acceptance.total, acceptance.declared, acceptance.early_start), (total, true, false));
    assert_eq!(acceptance.options, d.choose(&[&taken.id]).unwrap());
    let words = &acceptance.options[0].concepto;
    assert!(words.contains(&taken.line.concepto) && words.len() > taken.line.concepto.len(), "with its room");

    let html = Browser::new(&scene).get(&page).await.text;
    assert!(html.contains("Total aceptado") && html.contains(&total.to_string()) && html.contains("Elegida"));
    assert!(!html.contains("name=\"opcion\"") && !html.contains("/aceptar"));
    // Other options are a different answer, and the first answer stays.
    let other = [("acepto", "si"), ("declaro", "si"), ("total", &d.impuesto.total.0.to_string())];
    let late = Browser::new(&scene).post(&format!("{page}/aceptar"), &other).await;
    is(&late, 409);
    assert!(late.text.contains("ya está aceptado, tal como lo ves"), "{}", late.text);

    let sealed = browser.get(&format!("/panel/presupuestos/{}", quote.id)).await.panel(200);
    for text in ["Lo que ha aceptado", &total.to_string(), "elegida", "declaración para el tipo reducido"] {
        assert!(sealed.contains(text), "{text}: {sealed}");
    }
    let own = browser.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert!(own.contains("Aceptado por") && own.contains("declaración del tipo reducido hecha"), "{own}");
    let list = browser.get("/panel/presupuestos?estado=aceptados").await.panel(200);
    assert!(list.contains(&total.to_string()), "{list}");
    let record = scene.server.record(&lead.to_string()).await;
    let told = &record["presupuestos"][0]["aceptacion"];
    assert_eq!((&told["totalCents"], &told["declaracion"]), (&total.0.into(), &true.into()));
    assert_eq!(told["opciones"][0].as_str().unwrap(), words);
    scene.server.app.worker().run_jobs().await.unwrap();
    let mails = mailbox.messages();
    let notices: Vec<_> = mails.iter().filter(|m| m.subject().contains("aceptado: ")).collect();
    assert_eq!(notices.len(), 1, "told once");
    let text = notices[0].part("text/plain").unwrap();
    assert!(plain(&text).contains(&plain(&total.to_string())) && text.contains("con la opción"), "{text}");
    assert!(text.contains("declaración para el tipo reducido"), "{text}");
}

/// Without JavaScript the client learns the total only by asking for it. An answer with another total is shown again.
async fn nothing_is_accepted_that_was_not_seen(engine: Engine) {
    let (scene, _mailbox) = company(engine).await;
    let browser = seller(&scene).await;
    let (_, quote, page) = a_quote(&scene, &browser).await;
    let d = &quote.document;
    let id = d.options[0].id.as_str();
    let (seen, total) = (d.impuesto.total.0.to_string(), d.with_options(&[id]).total);
    for said in [seen.as_str(), "", "1", "-5", "99999999999999999999999", "muchos", "1e3"] {
        let form = [("acepto", "si"), ("declaro", "si"), ("opcion", id), ("total", said)];
        let again = Browser::new(&scene).post(&format!("{page}/aceptar"), &form).await;
        is(&again, 409);
        assert!(again.text.contains("El total cambia a") && again.text.contains(&total.to_string()));
        assert_eq!(hidden(&again.text, "total"), total.0.to_string());
        assert!(again.text.contains(&format!("value=\"{id}\" checked")), "what was ticked stays");
        assert_eq!(now(&scene, &quote).await.state, PresupuestoState::Emitido);
    }
    let unmarked = [("opcion", id), ("total", &total.0.to_string())];
    let unmarked = Browser::new(&scene).post(&format!("{page}/aceptar"), &unmarked).await;
    is(&unmarked, 422);
    assert!(unmarked.text.contains(&format!("value=\"{id}\" checked")));
    // An older page, which had no options, did not send a total.
    is(
        &Browser::new(&scene).post(&format!("{page}/aceptar"), &[("acepto", "si"), ("declaro", "si")]).await,
        303,
    );
    assert_eq!(now(&scene, &quote).await.acceptance().unwrap().total, d.impuesto.total);
}

async fn forged_options_are_refused(engine: Engine) {
    let (scene, _mailbox) = company(engine).await;
    let browser = seller(&scene).await;
    let (_, quote, page) = a_quote(&scene, &browser).await;
    let (_, other, _) = a_quote(&scene, &browser).await;
    let (own, foreign) = (quote.document.options[0].id.as_str(), other.document.options[0].id.clone());
    let total = quote.document.with_options(&[own]).total.0.to_string();
    let long = "x".repeat(20_000);
    let mut cases: Vec<Vec<&str>> =
        vec![vec!["otra"], vec![own, "<script>"], vec![""], vec![own; 3], vec![&long], vec![own; 3_000]];
    if !quote.document.options.iter().any(|o| o.id == foreign) {
        cases.push(vec![&foreign]);
    }
    for ids in cases {
        let mut form = vec![("acepto", "si"), ("declaro", "si"), ("total", total.as_str())];
        form.extend(ids.iter().map(|id| ("opcion", *id)));
        let refused = Browser::new(&scene).post(&format!("{page}/aceptar"), &form).await;
        if ids.len() > 1_000 {
            is(&refused, 413);
        } else {
            is(&refused, 422);
            assert!(refused.text.contains("no es de este presupuesto") && !refused.text.contains("<script>"));
        }
        let query: Vec<String> = ids.iter().take(50).map(|id| format!("opcion={id}")).collect();
        let query = query.join("&").replace('<', "%3C").replace('>', "%3E");
        let shown = Browser::new(&scene)
            .get(&format!("{page}?{}", query.chars().take(4_000).collect::<String>()))
            .await;
        is(&shown, 200);
    }
    assert_eq!(now(&scene, &quote).await.state, PresupuestoState::Emitido);
    // An option that is named twice counts once.
    let form = [("acepto", "si"), ("declaro", "si"), ("total", &total), ("opcion", own), ("opcion", own)];
    is(&Browser::new(&scene).post(&format!("{page}/aceptar"), &form).await, 303);
    assert_eq!(now(&scene, &quote).await.acceptance().unwrap().options.len(), 1);
}

async fn an_early_start_is_asked_for_apart(engine: Engine) {
    let (scene, _mailbox) = company(engine).await;
    let browser = seller(&scene).await;
    let (_, quote, page) = a_quote(&scene, &browser).await;
    let text = quote.document.early_start().expect("the start is open").clone();
    let html = Browser::new(&scene).get(&page).await.text;
    let tick = html.split("name=\"inicio\"").nth(1).expect("a box of its own");
    assert!(
        !tick.split('>').next().unwrap().contains("checked")
            && !tick.split('>').next().unwrap().contains("required")
    );
    let form = [("acepto", "si"), ("declaro", "si"), ("inicio", "si")];
    is(&Browser::new(&scene).post(&format!("{page}/aceptar"), &form).await, 303);
    let answer = now(&scene, &quote).await.answer.unwrap();
    assert_eq!(answer.early_start, Some(text.version));
    assert!(Browser::new(&scene).get(&page).await.text.contains("Lo pediste al aceptar"));
    let sealed = browser.get(&format!("/panel/presupuestos/{}", quote.id)).await.panel(200);
    assert!(sealed.contains("antes de que pase el plazo de desistimiento"), "{sealed}");
}

async fn a_draft_is_shown_with_nothing_to_press(engine: Engine) {
    let (scene, _mailbox) = company(engine).await;
    let browser = seller(&scene).await;
    let (_, place) = an_edited_draft(&scene, &browser).await;
    let html = browser.get(&format!("{place}/pagina")).await.text;
    for text in
        ["Así lo verá tu cliente", "Opciones", "Forma de pago", "Textos legales", "Aceptar el presupuesto"]
    {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert!(!html.contains("action=") && !html.contains("/dudas"), "{html}");
    let (boxes, disabled) = (html.matches("name=\"opcion\"").count(), html.matches(" disabled>").count());
    assert!(boxes == 2 && disabled >= 4, "{boxes} {disabled}");
}
