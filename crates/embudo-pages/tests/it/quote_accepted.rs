//! After a client accepts a quote: a mail with a PDF of exactly what was accepted, which is stored like every other
//! PDF.

use embudo_app::{ClientAnswer, ClientWord, Reach};
use embudo_domain::job::JobKind;
use embudo_domain::presupuesto::Presupuesto;
use embudo_testkit::{Engine, Mailbox, Scene, both_engines};

use crate::panel_quotes::{a_draft, save, seller, sent, with_identity};
use crate::person::PanelPage as _;
use crate::quote_options::{a_quote, company, plain, printed};

both_engines!(
    the_client_gets_what_they_accepted_as_a_mail_with_its_pdf,
    a_quote_that_knows_little_prints_its_range_everywhere,
);

async fn accept(scene: &Scene, quote: &Presupuesto, option: usize) -> Presupuesto {
    let taken = quote.document.options[option].id.clone();
    let total = quote.document.with_options(&[&taken]).total;
    let word = ClientWord::Accepts { options: vec![taken], total, declared: true, early_start: false };
    scene.server.app.quotes().answer(quote, ClientAnswer { word, ip: None }).await.unwrap();
    scene.server.app.worker().run_jobs().await.unwrap();
    scene.server.app.store.presupuesto(quote.id).await.unwrap()
}

fn to_client(mailbox: &Mailbox) -> Vec<embudo_testkit::mailbox::Message> {
    mailbox.messages().into_iter().filter(|m| m.subject().starts_with("Has aceptado")).collect()
}

async fn the_client_gets_what_they_accepted_as_a_mail_with_its_pdf(engine: Engine) {
    let (scene, mailbox) = company(engine).await;
    let browser = seller(&scene).await;
    let (lead, quote, page) = a_quote(&scene, &browser).await;
    let accepted = accept(&scene, &quote, 1).await;
    let (d, acceptance) = (&quote.document, accepted.acceptance().unwrap());
    let total = plain(&acceptance.total.to_string());

    // One mail, with the options, the total, the day, the payments and the PDF.
    let mails = to_client(&mailbox);
    assert_eq!(mails.len(), 1);
    assert!(mails[0].subject().contains(&quote.number.to_string()), "{}", mails[0].subject());
    let text = plain(&mails[0].part("text/plain").unwrap());
    for part in [
        total.as_str(),
        &d.options[1].line.concepto,
        "Aceptado el ",
        "Plan de pagos",
        "Al aceptar".to_lowercase().as_str(),
    ] {
        assert!(text.contains(&plain(part)), "{part}: {text}");
    }
    for due in d.terms.payments_of(acceptance.total) {
        assert!(text.contains(&plain(&due.importe.to_string())), "{}: {text}", due.importe);
    }
    assert!(!text.contains(&d.options[0].line.concepto), "what was not ticked is not there: {text}");
    let name = format!("presupuesto-{}-aceptado.pdf", quote.number);
    assert!(mails[0].data.contains(&name), "it carries the PDF");

    // The PDF contains the moment of the acceptance, and its sums include the option.
    let pdf = accepted.accepted_pdf.expect("it is stored");
    assert_ne!(Some(pdf.digest), accepted.pdf.map(|pdf| pdf.digest));
    let bytes = scene.server.app.blobs.get(lead, &pdf.digest).await.unwrap();
    let paper = printed(&bytes);
    let with = d.with_options(&[&d.options[1].id]);
    for part in [with.total, with.base, with.impuesto.quota].map(|cents| plain(&cents.to_string())) {
        assert!(paper.contains(&part), "{part}: {paper}");
    }
    assert!(paper.contains("Aceptado el ") && paper.contains("Opciones elegidas"), "{paper}");
    assert!(!paper.contains("Suma al total"), "no option is left to be ticked: {paper}");
    assert!(!paper.contains(&plain(&d.impuesto.total.to_string())), "the former total is gone: {paper}");

    // The company and the client can download it, and the copy of the person's data contains it.
    let panel = format!("/panel/leads/{lead}/presupuestos/{}?aceptado", quote.number);
    assert!(browser.get(&format!("/panel/presupuestos/{}", quote.id)).await.panel(200).contains(&panel));
    for path in [panel, format!("{page}/pdf?aceptado")] {
        let file = browser.open(&path).await;
        assert_eq!(file.status().as_u16(), 200, "{path}");
        assert_eq!(file.bytes().await.unwrap(), bytes, "{path}");
    }
    let archive = scene.server.app.rights().archive(lead, Reach::Alone).await.unwrap();
    let runtime = tokio::runtime::Handle::current();
    let zip = tokio::task::spawn_blocking(move || {
        let mut zip = Vec::new();
        archive.write(&mut zip, &runtime).map(|()| zip)
    });
    let zip = zip.await.unwrap().unwrap();
    let holds = |name: &str| zip.windows(name.len()).any(|part| part == name.as_bytes());
    assert!(holds(&format!("presupuestos/{}-aceptado", quote.number)));

    // Accepting twice sends one mail.
    let again = ClientWord::Accepts {
        options: vec![d.options[1].id.clone()],
        total: acceptance.total,
        declared: true,
        early_start: false,
    };
    scene.server.app.quotes().answer(&accepted, ClientAnswer { word: again, ip: None }).await.unwrap();
    scene.server.app.worker().run_jobs().await.unwrap();
    assert_eq!(to_client(&mailbox).len(), 1);
    assert_eq!(JobKind::AcceptanceMail.label(), "Correo con lo aceptado");
}

async fn a_quote_that_knows_little_prints_its_range_everywhere(engine: Engine) {
    let (scene, mailbox) = company(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let unknown =
        [("estancia.1.m2", ""), ("estancia.1.calidad", ""), ("obra.provincia", ""), ("accion", "guardar")];
    save(&scene, &browser, lead, &place, &unknown).await.to(&format!("{place}?hecho=guardado"));
    let quote = sent(&scene, &browser, lead, &place).await;
    scene.server.app.worker().run_jobs().await.unwrap();
    let quote = scene.server.app.store.presupuesto(quote.id).await.unwrap();
    let range = plain(&quote.document.shown_range().expect("a range").figure());
    let total = plain(&quote.document.impuesto.total.to_string());
    let pass = scene.server.app.quotes().page_path(quote.id);
    let page = plain(&browser.get(&pass).await.text);
    let large = page.split("id=\"s-total\"").nth(1).unwrap();
    assert!(large.split("</p>").next().unwrap().contains(&range), "{large}");
    let pdf = scene.server.app.blobs.get(lead, &quote.pdf.unwrap().digest).await.unwrap();
    let paper = printed(&pdf);
    let (first, after) = (paper.find(&range).expect("the range"), paper.find(&total).expect("the total"));
    assert!(first < after, "the range comes first: {paper}");
    let mail = mailbox.messages().into_iter().find(|m| m.subject().starts_with("Tu presupuesto")).unwrap();
    let text = plain(&mail.part("text/plain").unwrap());
    assert!(text.contains(&format!("Total orientativo, impuestos incluidos: {range}")), "{text}");
    for path in ["/panel/presupuestos?estado=enviados".to_owned(), format!("/panel/leads/{lead}")] {
        let list = plain(&browser.get(&path).await.panel(200));
        assert!(list.contains(&range) && list.contains("orientativo"), "{path}: {list}");
    }
}
