//! Questions of the public form about probable typing mistakes in areas, telephones, addresses and budgets. Also what
//! the form promises.

use embudo_domain::audit::AuditAction;
use embudo_domain::brand::Brand;
use embudo_testkit::{Engine, both_engines};

use crate::panel_empresa::{log, manager};
use crate::person::PanelPage as _;
use crate::visitor::{GOOD, Page, Visitor, hidden};
use embudo_testkit::Scene;

const CONTACT: &str = "/f/reformas-pena/contacto";

async fn an_area_out_of_the_ordinary_is_asked_about(engine: Engine) {
    let n = Visitor::at(engine).await;
    for (m2, parsed) in [("1.200", "1.200 m²"), ("1000", "1.000 m²"), ("0,5", "0,5 m²")] {
        let page = n.get(&format!("{CONTACT}?tipo=bano&m2={m2}")).await.page(422);
        assert!(page.contains(&format!("¿Seguro que son {parsed}?")) && page.contains("un baño"), "{page}");
        assert!(page.contains("Comprueba una cosa antes de seguir:"));
        assert!(page.contains(&format!("value=\"{m2}\"")));
        let secure = hidden(&page, "seguro").replace('=', "%3D");
        let insists = n.get(&format!("{CONTACT}?tipo=bano&m2={m2}&seguro={secure}")).await.page(200);
        assert_eq!(hidden(&insists, "m2"), parsed.trim_end_matches(" m²").replace('.', ""));
        // Another odd value is another question.
        n.get(&format!("{CONTACT}?tipo=bano&m2=999&seguro={secure}")).await.page(422);
    }
    for nothing in ["0", "-5"] {
        let page = n.get(&format!("{CONTACT}?tipo=bano&m2={nothing}")).await.page(422);
        assert!(page.contains("más de 0") && !page.contains("con números"));
        assert!(page.contains("Revisa una cosa:"));
    }
    let base = n.signup().await;
    let metros = format!("{base}/metros");
    let page = n.post(&metros, &[("m2", "1.000")]).await.page(422);
    let secure = hidden(&page, "seguro");
    n.post(&metros, &[("m2", "1.000"), ("seguro", &secure)]).await.redirect();
    assert_eq!(n.record(&base).await.lead.perfil.m2_suelo, Some(1_000.0));
}

async fn the_first_button_of_every_form_goes_on(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let pages = [
        "/f/reformas-pena/metros?tipo=bano".to_owned(),
        format!("{CONTACT}?tipo=bano"),
        format!("{base}/metros"),
        format!("{base}/contacto"),
        format!("{base}/calidad"),
    ];
    for path in pages {
        let page = n.get(&path).await.page(200);
        let first = page.split("<button").nth(1).unwrap().split("</button>").next().unwrap();
        assert!(first.ends_with(">Continuar") && !first.contains("name="), "{path}: {first}");
    }
}

async fn slips_are_asked_about_once(engine: Engine) {
    let n = Visitor::at(engine).await;
    let contact = n.contact("tipo=bano").await;
    let mut fields = GOOD.to_vec();
    fields[1] = ("telefono", "512 34 56 78");
    fields[2] = ("email", "ana@gmail.con");
    fields.extend(contact.fields());
    fields.push(("tipo", "bano"));
    let page = n.post(CONTACT, &fields).await.page(422);
    assert!(page.contains("Comprueba 2 cosas antes de seguir:"));
    assert!(page.contains("empiezan por 6, 7, 8 o 9") && page.contains("¿Querías decir ana@gmail.com?"));
    assert!(page.contains("name=\"email\" value=\"ana@gmail.com\""));
    let secure_ones: Vec<String> = page
        .split("name=\"seguro\" value=\"")
        .skip(1)
        .map(|p| p.split('"').next().unwrap().replace("&#61;", "="))
        .collect();
    assert_eq!(secure_ones.len(), 2);
    fields.extend(secure_ones.iter().map(|s| ("seguro", s.as_str())));
    let place = n.post(CONTACT, &fields).await.redirect();
    let base = place.strip_suffix("/calidad").unwrap();
    assert_eq!(n.record(base).await.lead.email, "ana@gmail.con", "insisted on");
    // The value of the suggestion's button comes after that of the box.
    fields.push(("email", "ana@gmail.com"));
    let lead = n.lead(base);
    let place = n.post(CONTACT, &fields).await.redirect();
    let base = place.strip_suffix("/calidad").unwrap();
    assert_eq!((n.lead(base), n.record(base).await.lead.email), (lead, "ana@gmail.com".to_owned()));

    let calidad = format!("{base}/calidad");
    let page = n.post(&calidad, &[("presupuesto", "0 €")]).await.page(422);
    assert!(page.contains("¿Seguro que son 0"), "{page}");
    let secure = hidden(&page, "seguro");
    n.post(&calidad, &[("presupuesto", "0 €"), ("seguro", &secure)]).await.redirect();
    assert_eq!(n.record(base).await.lead.perfil.presupuesto_target_cents, Some(0));
}

async fn missing_is_not_wrong(engine: Engine) {
    let n = Visitor::at(engine).await;
    let ticket = n.ticket("tipo=bano").await;
    let missing =
        n.post(CONTACT, &[("boleto", &ticket), ("tipo", "bano"), ("nombre", "Ana")]).await.page(422);
    assert!(missing.contains("Faltan 2 cosas:"));
    let wrong = [
        ("boleto", ticket.as_str()),
        ("tipo", "bano"),
        ("nombre", "Ana"),
        ("telefono", "61"),
        ("email", "x"),
    ];
    assert!(n.post(CONTACT, &wrong).await.page(422).contains("Revisa 2 cosas:"));
}

async fn the_end_promises_what_is_configured(engine: Engine) {
    let configured = Visitor::at(engine).await;
    let base = configured.signup().await;
    let brand = Brand { mensajeria: Some("Telegram".into()), ..Brand::default() };
    configured.server().app.store.save_brand(configured.server().empresa.id, brand).await.unwrap();
    assert_eq!(
        configured.get(&format!("{base}/gracias")).await.redirect(),
        format!("{base}/resumen"),
        "not sent yet"
    );
    configured.post(&format!("{base}/enviar"), &[]).await.redirect();
    assert!(configured.get(&format!("{base}/gracias")).await.page(200).contains("Seguir por Telegram"));
    let thanks = configured.get(&format!("{base}/gracias?por=mensajeria")).await.page(200);
    assert!(thanks.contains("Seguimos por Telegram") && thanks.contains("Te escribiremos al 612 34 56 78"));
    assert!(thanks.contains("te llegará el presupuesto por Telegram"), "no mail is configured: {thanks}");

    let nothing = Scene::with(engine, |m| {
        (m.outbound.mensajeria, m.outbound.pdf, m.outbound.perfil) = (None, None, None);
    })
    .await;
    let n = Visitor::with(nothing);
    let base = n.signup().await;
    let letter = n.get(&format!("{base}/resumen")).await.page(200);
    assert!(!letter.contains("WhatsApp") && !letter.contains("te enviaremos"), "{letter}");
    assert!(letter.contains("Enviar mi solicitud"));
    n.post(&format!("{base}/enviar"), &[]).await.redirect();
    assert!(n.get(&format!("{base}/resumen")).await.page(200).contains("Ya nos la enviaste"));
    assert!(n.get(&format!("{base}/gracias")).await.page(200).contains("Prefiero que me llaméis"));
    for by in ["mensajeria", "llamada", ""] {
        let thanks = n.get(&format!("{base}/gracias?por={by}")).await.page(200);
        for promise in ["Te escribiremos", "te llegará", "Hemos avisado", "Te llamaremos"] {
            assert!(!thanks.contains(promise), "{by}: {promise}");
        }
        assert!(
            thanks.contains("Reformas Peña verá tu solicitud y se pondrá en contacto contigo."),
            "{thanks}"
        );
    }
}

async fn what_the_company_does_not_want_to_know_is_not_asked(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let step = format!("{base}/calidad");
    let asked = async || {
        let page = n.get(&step).await.page(200);
        ["urgencia", "presupuesto", "gustos"].map(|name| page.contains(&format!("name=\"{name}\"")))
    };
    assert_eq!(asked().await, [true; 3]);
    let said = [("calidad", "basica"), ("estructural", "no"), ("presupuesto", "6.000"), ("gustos", "madera")];
    n.post(&step, &said).await.redirect();

    let browser = manager(&n.scene).await;
    let page = browser.get("/panel/empresa/formulario").await.panel(200);
    let version = hidden(page.split("id=\"preguntas\"").nth(1).unwrap(), "version");
    // As browsers send them: the value of a ticked box comes after its hidden «no».
    let mut boxes = vec![("version", version.as_str()), ("gustos", "no"), ("gustos", "si")];
    boxes.extend([("urgencia", "no"), ("presupuesto", "no"), ("comercial", "no")]);
    let path = "/panel/empresa/formulario/preguntas";
    browser.post(path, &boxes).await.to("/panel/empresa/formulario?preguntas");
    assert_eq!(asked().await, [false, false, true]);
    assert!(!n.get(&format!("{CONTACT}?tipo=bano")).await.page(200).contains("name=\"comercial\""));
    let told = log(&n.scene, AuditAction::SettingsChanged).await.remove(0).after.unwrap();
    assert_eq!(
        told,
        "Para cuándo: No; Si tiene una cifra en mente: No; Si quiere recibir ofertas por correo: No"
    );
    // Another person's change of another box is kept.
    browser.post(path, &[("version", &version), ("urgencia", "no"), ("urgencia", "si")]).await;
    assert_eq!(asked().await, [false, false, true]);

    // Answers that a form does not ask for are kept; answers that it asks for are deleted if they are empty.
    n.post(&step, &[("calidad", "media"), ("estructural", "no"), ("gustos", "")]).await.redirect();
    let perfil = n.record(&base).await.lead.perfil;
    assert_eq!((perfil.presupuesto_declarado.as_deref(), perfil.taste_text), (Some("6.000"), None));
}

both_engines!(
    what_the_company_does_not_want_to_know_is_not_asked,
    an_area_out_of_the_ordinary_is_asked_about,
    the_first_button_of_every_form_goes_on,
    slips_are_asked_about_once,
    missing_is_not_wrong,
    the_end_promises_what_is_configured,
);
