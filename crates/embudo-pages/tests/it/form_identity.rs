//! Identity in the public form: an address of another person's form opens no data, and other sites cannot send a form.

use embudo_app::{Actor, Reach};
use embudo_domain::LeadId;
use embudo_domain::rights::ErasureReason;
use embudo_pages::Quota;
use embudo_store::leads::LeadFilter;
use embudo_testkit::{Answered, Engine, Scene, both_engines, tiny_jpeg};
use jiff::SignedDuration;

use crate::person::another_company;
use crate::visitor::{ContactPage, GOOD, Page, Visitor, hidden};

const CONTACT: &str = "/f/reformas-pena/contacto";

async fn leads(n: &Visitor) -> Vec<LeadId> {
    let all = n.server().app.store.list_leads(LeadFilter::default(), None, 10).await.unwrap();
    all.into_iter().map(|summary| summary.lead.id).collect()
}

/// Sends contact data. If a field occurs twice, the later value counts.
async fn send(n: &Visitor, fields: &[(&str, &str)]) -> Answered {
    let all = [&GOOD[..], &[("tipo", "bano")], fields].concat();
    n.post(CONTACT, &all).await
}

fn base(answer: Answered) -> String {
    answer.redirect().strip_suffix("/calidad").unwrap().to_owned()
}

/// A person who finds the address of a form, and knows who filled it in, gets no access to that lead.
async fn a_ticket_is_not_an_identity(engine: Engine) {
    let n = Visitor::at(engine).await;
    let page = n.contact("tipo=bano&m2=5").await;
    let own = base(send(&n, &page.fields()).await);
    let upload = n.cliente.post(n.server().url(&format!("{own}/fotos/subir?zona=bano")));
    let upload = upload.header("accept", "application/json").body(tiny_jpeg(1, 500));
    assert_eq!(n.server().send(upload).await.status.as_u16(), 201);
    let before = n.record(&own).await;

    let address = format!("{CONTACT}?tipo=bano&m2=5&boleto={}", page.ticket);
    let opened = ContactPage::of(&n.get(&address).await.page(200));
    let guessed = "A".repeat(page.secret.len());
    let telefono = ("telefono", "600 11 22 33");
    let stranger = [
        vec![("boleto", page.ticket.as_str()), telefono],
        vec![("boleto", page.ticket.as_str()), ("secreto", ""), telefono],
        vec![("boleto", page.ticket.as_str()), ("secreto", &guessed), telefono, ("email", "otra@persona.es")],
        [&opened.fields()[..], &[telefono]].concat(),
    ];
    for (nth, fields) in stranger.iter().enumerate() {
        let theirs = base(send(&n, fields).await);
        assert_ne!(n.lead(&theirs), n.lead(&own), "{fields:?}");
        assert_eq!(leads(&n).await.len(), nth + 2);
        let record = n.server().record(&n.lead(&theirs).to_string()).await;
        assert_eq!(record["posibleDuplicado"], true, "the same ticket");
        assert_eq!((record["telefono"].as_str(), record["fotos"][0].is_null()), (Some("600 11 22 33"), true));
    }
    let now = n.record(&own).await;
    assert_eq!((&now.lead, now.fotos.len()), (&before.lead, 1), "nothing of it was changed");
    // The page that created the lead can still correct it.
    assert_eq!(n.lead(&base(send(&n, &[&page.fields()[..], &[telefono]].concat()).await)), n.lead(&own));
    assert_eq!(n.record(&own).await.lead.telefono, "600 11 22 33");
}

async fn a_ticket_is_good_at_its_own_company(engine: Engine) {
    let n = Visitor::at(engine).await;
    let other = another_company(&n.scene).await;
    let contact = format!("/f/{}/contacto", other.slug);
    let page = n.contact("tipo=bano").await;
    let own = base(send(&n, &page.fields()).await);
    let shown = n.get(&format!("{contact}?tipo=bano&boleto={}", page.ticket)).await.page(200);
    assert_ne!(hidden(&shown, "boleto"), page.ticket, "it starts anew");
    let fields = [&GOOD[..], &[("nombre", "Otra"), ("tipo", "bano")], &page.fields()].concat();
    let again = n.post(&contact, &fields).await.page(422);
    assert!(again.contains("pulsa otra vez") && again.contains("value=\"Otra\""), "{again}");
    assert_eq!((leads(&n).await.len(), n.record(&own).await.lead.nombre.as_str()), (1, "Ana García"));
    let theirs = ContactPage::of(&again);
    assert_ne!(theirs.ticket, page.ticket);
    n.scene.clock.advance(SignedDuration::from_secs(5));
    let fields = [&GOOD[..], &[("tipo", "bano")], &theirs.fields()].concat();
    let place = n.post(&contact, &fields).await.redirect();
    assert!(place.starts_with(&format!("/f/{}/", other.slug)), "{place}");
    assert_eq!(n.record(place.strip_suffix("/calidad").unwrap()).await.lead.empresa.id, other.id);
}

async fn an_erased_lead_is_not_revived(engine: Engine) {
    let n = Visitor::at(engine).await;
    let page = n.contact("tipo=bano").await;
    let lead = n.lead(&base(send(&n, &page.fields()).await));
    let (rights, actor) = (n.server().app.rights(), Actor::command());
    rights.erase(lead, Reach::Alone, ErasureReason::Asked, &actor).await.unwrap();
    for _ in 0..2 {
        assert!(send(&n, &page.fields()).await.page(410).contains("Empezar de nuevo"));
    }
    assert_eq!(leads(&n).await, []);
    assert!(n.server().app.store.record(lead).await.is_err());
    // A new page creates a new lead.
    let page = n.contact(&format!("tipo=bano&boleto={}", page.ticket)).await;
    assert_ne!(n.lead(&base(send(&n, &page.fields()).await)), lead);
}

/// A link that was mailed to a mistyped address is revoked when the address is corrected. The link that the person is
/// using stays valid.
async fn another_email_revokes_the_other_passes(engine: Engine) {
    let n = Visitor::at(engine).await;
    let page = n.contact("tipo=bano").await;
    let mailed = base(send(&n, &page.fields()).await);
    let status = async |base: &str| n.get(&format!("{base}/calidad")).await.status.as_u16();
    let corrected = |email| [&page.fields()[..], &[("email", email)]].concat();

    // However often the same page is sent again, its sender gets a valid link.
    for email in ["ana@uno.es", "ana@dos.es"] {
        let in_hand = base(send(&n, &corrected(email)).await);
        assert_eq!((status(&mailed).await, status(&in_hand).await), (410, 200), "{email}");
        assert_eq!(n.lead(&in_hand), n.lead(&mailed));
    }

    // Corrected through a pass: that pass stays valid, but the page does not.
    let passes = n.server().app.form_passes();
    let pass = || format!("/f/reformas-pena/{}", passes.to_form(n.lead(&mailed)));
    let elsewhere = pass();
    n.scene.clock.advance(SignedDuration::from_secs(60));
    let in_hand = pass();
    assert_ne!(in_hand, elsewhere);
    let contact = format!("{in_hand}/contacto");
    let same = [&GOOD[..], &[("email", "ANA@dos.es"), ("nombre", "Ana G.")]].concat();
    assert_eq!(n.post(&contact, &same).await.redirect(), format!("{in_hand}/calidad"));
    assert_eq!(status(&elsewhere).await, 200, "only another address revokes");
    for email in ["ana@tres.es", "ana@cuatro.es"] {
        let fields = [&GOOD[..], &[("email", email)]].concat();
        assert_eq!(n.post(&contact, &fields).await.redirect(), format!("{in_hand}/calidad"));
        assert_eq!((status(&elsewhere).await, status(&in_hand).await), (410, 200), "{email}");
        assert_eq!(status(&pass()).await, 200, "links that are made from now on open");
    }
    send(&n, &page.fields()).await.page(410);
    assert_eq!(n.record(&in_hand).await.lead.email, "ana@cuatro.es");
    assert_eq!(leads(&n).await.len(), 1);
}

/// Another site could make its visitors use up a company's quota, each from an address of their own.
async fn forms_that_other_sites_send_are_refused(engine: Engine) {
    let scene = Scene::with(engine, |m| {
        m.web.quota = Quota { leads_per_hour: 3, fotos_per_hour: 1, leads_per_day: 3 };
    })
    .await;
    let n = Visitor::with(scene);
    let own = n.signup().await;
    let before = n.record(&own).await;
    let permissions = format!("/c/{}", n.server().app.form_passes().to_consentimientos(n.lead(&own)));
    let page = n.contact("tipo=bano").await;
    let fields =
        [&GOOD[..], &page.fields(), &[("tipo", "cocina"), ("que", "todo"), ("nombre", "Eva")]].concat();
    let steps = [
        "tipo",
        "metros",
        "contacto",
        "calidad",
        "vivienda",
        "fotos",
        "fotos/subir",
        "mensajeria",
        "llamada",
    ];
    let mut places: Vec<String> = steps.map(|step| format!("{own}/{step}")).to_vec();
    places.push(format!("{own}/fotos/{}/borrar", n.lead(&own)));
    places.extend([CONTACT.to_owned(), "/f/reformas-pena/metros".to_owned(), permissions]);
    for place in &places {
        for (header, value) in [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("origin", "https://otra.ejemplo.es"),
            ("origin", "null"),
        ] {
            let refused = n.server().send(n.request(place, &fields).header(header, value)).await;
            assert!(refused.page(403).contains("solo aceptamos formularios enviados desde aquí"), "{place}");
        }
    }
    assert_eq!(n.record(&own).await, before);
    assert_eq!(leads(&n).await.len(), 1);

    // Forms of our own pages count, also in a browser that sends only its origin, and in a frame on another site.
    let origin = n.server().url("");
    let ours = [("origin", origin.trim_end_matches('/')), ("sec-fetch-site", "same-origin")];
    for (header, value) in ours {
        let sent = n.server().send(n.request(CONTACT, &fields).header(header, value)).await;
        assert_eq!(
            n.record(&base(sent)).await.lead.nombre,
            "Eva",
            "nothing was charged for what was refused"
        );
    }
    // Mail programs stop reminders from their own servers (RFC 8058).
    let reminders = format!("/r/{}", n.server().app.form_passes().to_consentimientos(n.lead(&own)));
    let one_click = n.request(&reminders, &[("List-Unsubscribe", "One-Click")]);
    let done = n.server().send(one_click.header("sec-fetch-site", "cross-site")).await;
    assert!(done.status.is_success() || done.status.is_redirection(), "{}", done.status);
}

both_engines!(
    a_ticket_is_not_an_identity,
    a_ticket_is_good_at_its_own_company,
    an_erased_lead_is_not_revived,
    another_email_revokes_the_other_passes,
    forms_that_other_sites_send_are_refused,
);
