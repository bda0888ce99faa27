//! Going back and forth in the public form: one person is one lead, and a change made from the summary leads back to
//! the summary.

use embudo_store::leads::LeadFilter;
use embudo_testkit::{Engine, both_engines};
use jiff::SignedDuration;

use crate::visitor::{ContactPage, GOOD, Page, Visitor, hidden};

const CONTACT: &str = "/f/reformas-pena/contacto";

async fn how_many(n: &Visitor) -> usize {
    n.server().app.store.list_leads(LeadFilter::default(), None, 10).await.unwrap().len()
}

async fn back_correct_continue_is_one_lead(engine: Engine) {
    let n = Visitor::at(engine).await;
    let ticket = hidden(&n.get("/f/reformas-pena").await.page(200), "boleto");
    let metros = format!("/f/reformas-pena/metros?tipo=bano&boleto={ticket}");
    assert_eq!(hidden(&n.get(&metros).await.page(200), "boleto"), ticket);
    let contact = format!("{CONTACT}?tipo=bano&boleto={ticket}&m2=5");
    let page = n.get(&contact).await;
    assert_eq!(page.header("cache-control"), Some("private, no-cache"), "going back shows what was typed");
    assert_eq!(page.header("x-robots-tag"), Some("noindex"));
    let page = ContactPage::of(&page.page(200));
    assert_eq!(page.ticket, ticket);
    n.scene.clock.advance(SignedDuration::from_secs(20));
    let send = async |changes: &[(&str, &str)]| {
        let mut fields = GOOD.to_vec();
        fields.extend(page.fields());
        fields.extend([("tipo", "bano"), ("m2", "5")]);
        fields.extend_from_slice(changes);
        n.post(CONTACT, &fields).await.redirect().strip_suffix("/calidad").unwrap().to_owned()
    };
    let base = send(&[]).await;
    // The page, loaded again, has the same ticket but another secret, and shows nothing of the lead.
    let again = n.get(&contact).await.page(200);
    assert_eq!(hidden(&again, "boleto"), ticket);
    assert_ne!(hidden(&again, "secreto"), page.secret);
    assert!(!again.contains("Ana"));
    // Back with the browser's button: the same page is sent again.
    let corrected = send(&[("telefono", "600 11 22 33")]).await;
    // Further back: another size, then another type whose size is not known.
    send(&[("m2", "7")]).await;
    assert_eq!(n.record(&base).await.lead.perfil.m2_suelo, Some(7.0));
    send(&[("tipo", "cocina"), ("m2", "")]).await;
    assert_eq!((how_many(&n).await, n.lead(&corrected)), (1, n.lead(&base)));
    let perfil = n.record(&base).await.lead.perfil;
    assert_eq!((perfil.tipo_reforma.unwrap().as_str(), perfil.m2_suelo), ("cocina", None));
    // An address that was passed on: the other person gets a page of their own, which creates another lead.
    let other = ContactPage::of(&again);
    let eva = [("nombre", "Eva Ruiz"), ("telefono", "655443322"), ("email", "eva@ejemplo.es")];
    let eva = [&eva[..], &other.fields()].concat();
    let own = send(&eva).await;
    assert_eq!(n.lead(&send(&eva).await), n.lead(&own));
    assert_eq!(how_many(&n).await, 2);
    assert_eq!(n.record(&base).await.lead.nombre, "Ana García");
}

async fn a_step_back_keeps_what_was_typed(engine: Engine) {
    let n = Visitor::at(engine).await;
    let ticket = n.ticket("tipo=bano&m2=5").await;
    let contact = n.get(&format!("{CONTACT}?tipo=bano&m2=5&boleto={ticket}")).await.page(200);
    let secret = hidden(&contact, "secreto");
    assert!(contact.contains("form=\"contacto\" formaction=\"/f/reformas-pena/metros\""));
    let mut fields = vec![("nombre", "Ana"), ("telefono", "6123"), ("email", ""), ("provincia", "Burgos")];
    fields.extend([("comercial", "si"), ("boleto", ticket.as_str()), ("secreto", secret.as_str())]);
    fields.extend([("tipo", "bano"), ("m2", "5")]);
    let metros = n.post("/f/reformas-pena/metros", &fields).await;
    assert_eq!(metros.header("cache-control"), Some("no-store"));
    let metros = metros.page(200);
    assert!(metros.contains("method=\"post\"") && metros.contains("value=\"5\""), "{metros}");
    assert_eq!(metros.matches(&secret).count(), 1, "in no address: {metros}");
    for (nombre, value) in &fields[..7] {
        assert_eq!(hidden(&metros, nombre), *value);
    }
    let returns = hidden(&metros, "vuelve");
    fields.pop();
    fields.push(("vuelve", &returns));
    let mut again = fields.clone();
    again.push(("m2", "muchos"));
    let wrong = n.post(CONTACT, &again).await.page(422);
    assert_eq!((hidden(&wrong, "nombre").as_str(), wrong.contains("con números")), ("Ana", true));
    fields.push(("m2", "7"));
    let page = n.post(CONTACT, &fields).await.page(200);
    assert!(page.contains("value=\"6123\"") && page.contains("<option data-codigo=\"09\" selected>Burgos"));
    assert!(page.contains("value=\"si\" checked") && !page.contains("class=\"error"));
    assert_eq!((hidden(&page, "m2"), hidden(&page, "boleto")), ("7".to_owned(), ticket.clone()));
    assert_eq!((hidden(&page, "secreto"), page.matches(&secret).count()), (secret.clone(), 1));
    assert_eq!(how_many(&n).await, 0, "nothing was sent yet");
}

async fn a_changed_mind_about_offers_is_written_down(engine: Engine) {
    let n = Visitor::at(engine).await;
    let page = n.contact("tipo=bano").await;
    let mut base = String::new();
    for comercial in ["si", "si", "", "", "si"] {
        let mut fields = GOOD.to_vec();
        fields.extend(page.fields());
        fields.extend([("tipo", "bano"), ("comercial", comercial)]);
        let place = n.post(CONTACT, &fields).await.redirect();
        base = place.strip_suffix("/calidad").unwrap().to_owned();
    }
    let record = n.record(&base).await;
    let comercial = record.consentimientos.iter().filter(|c| c.purpose == "comercial");
    assert_eq!(comercial.map(|c| c.granted).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(record.consentimientos.iter().filter(|c| c.purpose == "informacion_privacidad").count(), 1);
}

async fn a_change_from_the_letter_leads_back_to_it(engine: Engine) {
    let n = Visitor::at(engine).await;
    // This person answered only the required questions.
    let base = n.signup().await;
    let summary = format!("{base}/resumen");
    let letter = n.get(&summary).await.page(200);
    let mut data = GOOD.to_vec();
    data[0] = ("nombre", "Ana G.");
    let steps: [(&str, &[(&str, &str)]); 4] = [
        ("contacto", &data),
        ("metros", &[("m2", "6")]),
        ("calidad", &[("calidad", "media")]),
        ("tipo", &[("tipo", "bano")]),
    ];
    for (step, fields) in steps {
        let path = format!("{base}/{step}?desde=resumen");
        assert!(letter.contains(&format!("href=\"{path}\"")), "{step}");
        let page = n.get(&path).await.page(200);
        assert!(page.contains(&format!("action=\"{path}\"")), "{step}");
        assert!(page.contains(&format!("class=\"atras\" href=\"{summary}\"")) || step == "tipo", "{step}");
        assert_eq!(n.post(&path, fields).await.redirect(), summary, "{step}");
    }
    // Another type asks for its size first.
    let kind = format!("{base}/tipo?desde=resumen");
    assert_eq!(n.post(&kind, &[("tipo", "cocina")]).await.redirect(), format!("{base}/metros?desde=resumen"));
    assert_eq!(n.record(&base).await.lead.perfil.m2_suelo, None, "the bathroom's size is not the kitchen's");
    let metros = format!("{base}/metros?desde=resumen");
    assert!(n.get(&metros).await.page(200).contains(
        "name=\"m2\" type=\"text\" inputmode=\"decimal\" autocomplete=\"off\" maxlength=\"9\" value=\"\""
    ));
    assert_eq!(n.post(&metros, &[("no-se", "1"), ("m2", "")]).await.redirect(), summary);
}

async fn what_is_emptied_is_taken_back(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let calidad = format!("{base}/calidad");
    let all =
        [("calidad", "media"), ("estructural", "si"), ("presupuesto", "9.000"), ("gustos", "Madera clara")];
    n.post(&calidad, &all).await.redirect();
    n.post(&calidad, &[("calidad", "media"), ("estructural", ""), ("presupuesto", ""), ("gustos", "")])
        .await
        .redirect();
    let perfil = n.record(&base).await.lead.perfil;
    assert_eq!((perfil.estructural, perfil.taste_text), (None, None));
    assert_eq!((perfil.presupuesto_target_cents, perfil.presupuesto_declarado), (None, None));
    assert!(perfil.calidad_global.is_some());
    n.post(&format!("{base}/metros"), &[("m2", "6"), ("no-se", "1")]).await.redirect();
    assert_eq!(n.record(&base).await.lead.perfil.m2_suelo, None);
}

/// «No lo sé» deletes an answer, an error keeps what was typed, and answers that were not asked for stay.
async fn what_is_not_known_of_the_home_is_taken_back(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let contact = format!("{base}/contacto");
    let mut fields = vec![("nombre", "Ana"), ("telefono", "612-34-56-78"), ("email", "ana@ejemplo.es")];
    fields.extend([("codigoPostal", "46001"), ("provincia", "Madrid")]);
    n.post(&contact, &fields).await.redirect();
    let lead = n.record(&base).await.lead;
    assert_eq!(
        (lead.provincia.as_deref(), lead.obra.codigo_postal.unwrap().as_str()),
        (Some("Valencia"), "46001")
    );

    n.post(&format!("{base}/tipo"), &[("tipo", "integral")]).await.redirect();
    let vivienda = format!("{base}/vivienda");
    assert!(n.get(&vivienda).await.page(200).contains("name=\"banos\""));
    let all = [
        ("esVivienda", "no"),
        ("contratante", "empresa"),
        ("dosAnos", "si"),
        ("banos", "2"),
        ("planta", "bajo"),
    ];
    n.post(&vivienda, &all).await.redirect();
    let range = n.get(&format!("{base}/resumen")).await.page(200);
    assert!(range.contains("IVA del 21"), "business premises are never at 10 %: {range}");
    let wrong = [("esVivienda", "si"), ("planta", "muy alta"), ("banos", "dos")];
    let page = n.post(&vivienda, &wrong).await.page(422);
    assert!(page.contains("value=\"muy alta\"") && page.contains("Revisa 2 cosas:"), "{page}");
    n.post(&vivienda, &[("esVivienda", ""), ("contratante", ""), ("dosAnos", "si"), ("planta", "")])
        .await
        .redirect();
    let obra = n.record(&base).await.lead.obra;
    assert_eq!((obra.es_vivienda, obra.contratante, obra.planta), (None, None, None));
    assert_eq!((obra.dos_anos, obra.banos), (Some(true), Some(2)), "what was not in the form stays");
    assert!(obra.codigo_postal.is_some());
}

/// The questions that decide the tax come before the photos, also for a person who comes back.
async fn who_comes_back_is_asked_what_decides_the_tax(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    assert_eq!(n.get(&base).await.redirect(), format!("{base}/calidad"));
    n.post(&format!("{base}/calidad"), &[("calidad", "media")]).await.redirect();
    assert_eq!(n.get(&base).await.redirect(), format!("{base}/vivienda"));
    n.post(&format!("{base}/vivienda"), &[("esVivienda", "no")]).await.redirect();
    assert_eq!(n.get(&base).await.redirect(), format!("{base}/fotos"));
}

both_engines!(
    who_comes_back_is_asked_what_decides_the_tax,
    what_is_not_known_of_the_home_is_taken_back,
    a_step_back_keeps_what_was_typed,
    back_correct_continue_is_one_lead,
    a_changed_mind_about_offers_is_written_down,
    a_change_from_the_letter_leads_back_to_it,
    what_is_emptied_is_taken_back,
);
