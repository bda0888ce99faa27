//! People of a company cannot act as its clients: for them the client's pages are a preview. An acceptance by telephone
//! is recorded in the panel, with the person who recorded it.

use embudo_domain::audit::AuditAction;
use embudo_domain::event::EventKind;
use embudo_domain::presupuesto::PresupuestoState;
use embudo_domain::role::Role;
use embudo_domain::visita::VisitaState;
use embudo_domain::{LeadId, VisitaId};
use embudo_testkit::{Engine, both_engines};

use crate::panel_lead_desk::{log, person, signed};
use crate::panel_quotes::seller;
use crate::person::{Browser, PanelPage as _, a_visita, add, another_company};
use crate::quote_options::{a_quote, company, now};
use crate::visitor::hidden;

both_engines!(
    people_of_the_company_cannot_answer_a_quote,
    people_of_the_company_cannot_choose_a_visit,
    people_of_the_company_cannot_withdraw_consents,
    a_yes_by_telephone_is_written_down_by_who_may,
    a_yes_by_telephone_that_does_not_fit_is_refused,
);

const BANNER: &str = "Vista previa: así lo ve tu cliente";

async fn people_of_the_company_cannot_answer_a_quote(engine: Engine) {
    let (scene, _mailbox) = company(engine).await;
    let luis = seller(&scene).await;
    let (lead, quote, page) = a_quote(&scene, &luis).await;
    person(&scene, "Vera", Role::Lectura).await;
    let vera = signed(&scene, "Vera").await;
    // From the panel: people of the company get no pass of the client, whatever their role.
    let shown = vera.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert!(shown.contains(&format!("/panel/presupuestos/{}/pagina", quote.id)), "{shown}");
    assert!(!shown.contains("/p/"), "{shown}");
    let seen = vera.get(&format!("/panel/presupuestos/{}/pagina", quote.id)).await.panel(200);
    assert!(seen.contains(BANNER) && seen.contains("Aceptar el presupuesto"), "{seen}");
    assert!(!seen.contains("/p/"), "{seen}");
    // With the client's own link, in a browser that is signed in.
    for browser in [&vera, &luis] {
        let seen = browser.get(&page).await.text;
        assert!(seen.contains(BANNER) && seen.contains("<fieldset class=\"llano\" disabled>"), "{seen}");
        assert!(!seen.contains(&format!(" action=\"{page}")), "{seen}");
        let total = quote.document.impuesto.total.0.to_string();
        let yes = [("acepto", "si"), ("declaro", "si"), ("total", total.as_str())];
        for (place, fields) in [
            ("aceptar", &yes[..]),
            ("rechazar", &[]),
            ("visita", &[]),
            ("dudas", &[]),
            ("datos", &[("que", "borrado")]),
        ] {
            let refused = browser.post(&format!("{page}/{place}"), fields).await;
            assert_eq!(refused.status.as_u16(), 403, "{place}");
            assert!(refused.text.contains("Es una vista previa"), "{}", refused.text);
        }
    }
    assert_eq!(now(&scene, &quote).await, quote, "nothing was written");
    // A person of another company counts as a client, and so does everybody who is not signed in.
    let other = another_company(&scene).await;
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    let client = Browser::signed(&scene, "ajena@ejemplo.es").await;
    let seen = client.get(&page).await.text;
    assert!(!seen.contains(BANNER) && seen.contains(&format!("action=\"{page}/aceptar\"")), "{seen}");
    let total = hidden(&seen, "total");
    let yes = [("acepto", "si"), ("declaro", "si"), ("total", total.as_str())];
    client.post(&format!("{page}/aceptar"), &yes).await.to(&format!("{page}#resultado"));
    assert_eq!(now(&scene, &quote).await.state, PresupuestoState::Aceptado);
    // After the session has ended, the browser counts as a client's again.
    vera.post("/panel/salir", &[]).await;
    assert!(!vera.get(&page).await.text.contains(BANNER));
}

async fn people_of_the_company_cannot_choose_a_visit(engine: Engine) {
    let (scene, _mailbox) = company(engine).await;
    let luis = person(&scene, "Luis", Role::Comercial).await;
    let browser = signed(&scene, "Luis").await;
    let lead = LeadId::parse(&scene.server.lead().await).unwrap();
    let id = VisitaId::parse(&a_visita(&scene, lead, vec![luis.id]).await).unwrap();
    let visita = scene.server.app.store.visita(id).await.unwrap().unwrap();
    let page = scene.server.app.visits().page_path(&visita);
    let seen = browser.get(&page).await.text;
    assert!(seen.contains(BANNER) && seen.contains("type=\"submit\" disabled"), "{seen}");
    let slot = visita.slots[0].as_second().to_string();
    for (place, fields) in [("elegir", &[("hora", slot.as_str())][..]), ("cancelar", &[])] {
        let refused = browser.post(&format!("{page}/{place}"), fields).await;
        assert_eq!(refused.status.as_u16(), 403, "{}", refused.text);
        assert!(refused.text.contains("Es una vista previa"));
    }
    let after = scene.server.app.store.visita(id).await.unwrap().unwrap();
    assert_eq!((after.state, after.revision), (VisitaState::Propuesta, visita.revision));
    let client = Browser::new(&scene);
    assert!(!client.get(&page).await.text.contains(BANNER));
    client.post(&format!("{page}/cancelar"), &[]).await.to(&format!("{page}?hecho=cancelada"));
}

async fn people_of_the_company_cannot_withdraw_consents(engine: Engine) {
    let (scene, _mailbox) = company(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    let (luis, client) = (signed(&scene, "Luis").await, Browser::new(&scene));
    let lead = LeadId::parse(&scene.server.lead().await).unwrap();
    let pass = scene.server.app.form_passes().to_consentimientos(lead);
    for page in [format!("/c/{pass}"), format!("/r/{pass}")] {
        assert!(luis.get(&page).await.text.contains(BANNER));
        assert!(!client.get(&page).await.text.contains(BANNER));
        let refused = luis.post(&page, &[("que", "todo")]).await;
        assert_eq!(refused.status.as_u16(), 403, "{}", refused.text);
        assert_ne!(client.post(&page, &[("que", "todo")]).await.status.as_u16(), 403);
    }
}

async fn a_yes_by_telephone_is_written_down_by_who_may(engine: Engine) {
    let (scene, mailbox) = company(engine).await;
    let luis = seller(&scene).await;
    let (lead, quote, page) = a_quote(&scene, &luis).await;
    let place = format!("/panel/presupuestos/{}", quote.id);
    person(&scene, "Vera", Role::Lectura).await;
    let vera = signed(&scene, "Vera").await;
    assert_eq!(vera.get(&format!("{place}/aceptado")).await.status.as_u16(), 403);
    assert_eq!(vera.post(&format!("{place}/aceptado"), &[]).await.status.as_u16(), 403);
    assert!(luis.get(&place).await.panel(200).contains(&format!("{place}/aceptado")));
    let option = quote.document.options[0].id.clone();
    let base = [("opcion", option.as_str()), ("declaro", "si"), ("nota", "Llamó su <hija>.")];
    let first = luis.get(&format!("{place}/aceptado")).await.panel(200);
    let plain = hidden(&first, "total");
    // The total must be the one that was read to the client, with these options.
    let moved = [&base[..], &[("total", plain.as_str())]].concat();
    let again = luis.post(&format!("{place}/aceptado"), &moved).await.panel(409);
    assert!(again.contains("el total es"), "{again}");
    let asked = [&base[..], &[("hacer", "calcular")]].concat();
    let counted = luis.post(&format!("{place}/aceptado"), &asked).await.panel(200);
    let total = hidden(&counted, "total");
    assert_eq!(total, quote.document.with_options(&[&option]).total.0.to_string());
    assert_eq!(now(&scene, &quote).await, quote, "nothing was written so far");
    let yes = [&base[..], &[("total", total.as_str())]].concat();
    luis.post(&format!("{place}/aceptado"), &yes).await.to(&format!("{place}?hecho=aceptado"));
    luis.post(&format!("{place}/aceptado"), &yes).await.to(&place);
    // The person, the moment and the telephone are shown everywhere.
    let kept = now(&scene, &quote).await;
    let taken = kept.acceptance().unwrap();
    let by = taken.by_phone.unwrap();
    assert_eq!((by.who.as_str(), by.note.as_deref()), ("Ana García", Some("Llamó su <hija>.")));
    assert_eq!((taken.options.len(), taken.total.0.to_string()), (1, total));
    assert_eq!(log(&scene, AuditAction::QuoteAcceptedByPhone).await.len(), 1);
    let shown = luis.get(&place).await.panel(200);
    assert!(shown.contains("por teléfono") && shown.contains("Llamó su &#60;hija&#62;."), "{shown}");
    assert!(!shown.contains(&format!("{place}/aceptado")), "it is accepted already");
    let listed = luis.get("/panel/presupuestos?estado=aceptados").await.panel(200);
    assert!(listed.contains("aceptado por teléfono"), "{listed}");
    let history = luis.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert!(history.contains("aceptado por teléfono, lo apuntó Ana García"), "{history}");
    let record = scene.server.app.store.record(lead).await.unwrap();
    let event = record.events.iter().find(|e| e.kind == EventKind::PresupuestoAccepted).unwrap();
    let said = format!("{}, por teléfono: lo apuntó Ana García", quote.number);
    assert_eq!(event.detail.as_deref(), Some(said.as_str()));
    // The client sees that the quote is accepted, and how. The note stays inside the company.
    let client = Browser::new(&scene).get(&page).await.text;
    assert!(client.contains("Lo aceptaste por teléfono") && !client.contains("Llamó su"), "{client}");
    let api = scene.server.record(&lead.to_string()).await;
    assert_eq!(api["presupuestos"][0]["aceptacion"]["porTelefono"], true, "{api}");
    assert!(!api.to_string().contains("Llamó su"), "{api}");
    scene.server.app.worker().run_jobs().await.unwrap();
    let mails = mailbox.messages();
    let texts: Vec<_> = mails.iter().filter_map(|mail| mail.part("text/plain")).collect();
    assert!(texts.iter().any(|text| text.contains("lo apuntó Ana García")), "{texts:?}");
}

async fn a_yes_by_telephone_that_does_not_fit_is_refused(engine: Engine) {
    let (scene, _mailbox) = company(engine).await;
    let luis = seller(&scene).await;
    let (_, quote, _) = a_quote(&scene, &luis).await;
    let place = format!("/panel/presupuestos/{}/aceptado", quote.id);
    let total = quote.document.impuesto.total.0.to_string();
    let long = "x".repeat(501);
    let wrong = luis.post(&place, &[("total", &total), ("nota", &long)]).await.panel(422);
    assert!(wrong.contains("href=\"#nota\"") && wrong.contains("href=\"#declaro\""), "{wrong}");
    assert_eq!(now(&scene, &quote).await, quote);
    // Too late: the quote is no longer valid.
    scene.pass(jiff::SignedDuration::from_hours(24 * 90)).await;
    let luis = Browser::signed(&scene, "luis@ejemplo.es").await;
    let late = luis.get(&place).await.panel(200);
    assert!(late.contains("Ya no vale") && !late.contains("Apuntar que lo acepta"), "{late}");
    let yes = [("total", total.as_str()), ("declaro", "si")];
    assert!(luis.post(&place, &yes).await.panel(409).contains("No se ha apuntado"));
    assert_eq!(now(&scene, &quote).await.state, PresupuestoState::Emitido);
}
