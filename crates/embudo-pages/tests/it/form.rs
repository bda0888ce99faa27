//! The public form, used by a browser without JavaScript.

use embudo_testkit::{Engine, both_engines, tiny_jpeg};
use jiff::SignedDuration;

use crate::visitor::{GOOD, Page, Visitor, hidden, with_files};

async fn the_whole_path_without_javascript(engine: Engine) {
    let n = Visitor::at(engine).await;
    let start = n.get("/?utm_source=buscador&utm_campaign=ba%C3%B1os&gclid=abc&otra=x").await.page(200);
    assert!(start.contains("¿Qué quieres reformar?") && start.contains("value=\"integral\""));
    assert_eq!(hidden(&start, "utm_campaign"), "baños");
    assert!(!start.contains("otra"));

    let metros = n.get("/f/reformas-pena/metros?tipo=bano&utm_source=buscador&gclid=abc").await.page(200);
    assert!(metros.contains("¿Cuántos metros tiene tu baño?") && metros.contains("5 m²"));
    assert!(metros.contains("Precio orientativo") && metros.contains("IVA del 10"));
    assert_eq!(hidden(&metros, "gclid"), "abc");

    let query = "tipo=bano&m2=5%2C5&utm_source=buscador&gclid=abc";
    let ticket = n.ticket(query).await;
    let mut fields = GOOD.to_vec();
    fields.extend([("boleto", ticket.as_str()), ("tipo", "bano"), ("m2", "5.5"), ("comercial", "si")]);
    fields.extend([("utm_source", "buscador"), ("gclid", "abc"), ("web", "")]);
    let calidad = n.post("/f/reformas-pena/contacto", &fields).await.redirect();
    let base = calidad.strip_suffix("/calidad").unwrap().to_owned();
    assert!(n.get(&calidad).await.page(200).contains("<strong>Media</strong>"));

    let chosen = [
        ("calidad", "media"),
        ("estructural", "no"),
        ("urgencia", "baja"),
        ("presupuesto", "6.000 €"),
        ("gustos", "Madera clara\r\ny luz"),
    ];
    let vivienda = n.post(&calidad, &chosen).await.redirect();
    assert_eq!(vivienda, format!("{base}/vivienda"));
    let page = n.get(&vivienda).await.page(200);
    assert!(
        page.contains("Sobre la vivienda")
            && page.contains("Paso 5 de 7")
            && !page.contains("name=\"banos\"")
    );
    let told = [
        ("esVivienda", "si"),
        ("contratante", "particular"),
        ("dosAnos", ""),
        ("planta", "3º"),
        ("ascensor", "no"),
    ];
    let fotos = n.post(&vivienda, &told).await.redirect();
    assert_eq!(fotos, format!("{base}/fotos"));
    assert!(n.get(&fotos).await.page(200).contains("enctype=\"multipart/form-data\""));

    let foto = tiny_jpeg(1, 2_000);
    let (kind, body) = with_files(&[
        ("foto-bano", Some("a.jpg"), &foto),
        ("foto-bano", Some(""), b""),
        ("nota-bano", None, "La ventana\r\nno se toca".as_bytes()),
        ("nota-cocina", None, b"  "),
    ]);
    let request = n.cliente.post(n.server().url(&fotos)).header("content-type", kind).body(body);
    let summary = n.server().send(request).await.redirect();
    let letter = n.get(&summary).await.page(200);
    for part in [
        "Hola, Ana:",
        "tu baño",
        "5,5 m²",
        "calidad <strong>media</strong>",
        "sin prisa",
        "6.000",
        "una foto y una nota",
        "ana@ejemplo.es",
        "612 34 56 78",
    ] {
        assert!(letter.contains(part), "{part} in {letter}");
    }

    assert!(letter.contains("Enviar mi solicitud"), "{letter}");
    assert_eq!(n.post(&format!("{base}/enviar"), &[]).await.redirect(), format!("{base}/gracias"));
    let thanks = n.get(&format!("{base}/gracias")).await.page(200);
    assert!(thanks.contains("¡Enviada! Gracias, Ana") && thanks.contains("Seguir por WhatsApp"), "{thanks}");
    let mensajeria = format!("{base}/mensajeria");
    for _ in 0..2 {
        assert_eq!(n.post(&mensajeria, &[]).await.redirect(), format!("{base}/gracias?por=mensajeria"));
    }
    let received_ones = n.scene.receiver.received();
    assert_eq!(received_ones.len(), 1, "pressed twice, sent once");
    assert_eq!(received_ones[0].json()["telefono"], "+34612345678");
    assert!(
        n.get(&format!("{base}/gracias?por=mensajeria")).await.page(200).contains("Seguimos por WhatsApp")
    );
    n.scene.clock.advance(SignedDuration::from_secs(61));
    n.post(&mensajeria, &[]).await.redirect();
    assert_eq!(n.scene.receiver.received().len(), 2, "a minute later it is another wish");
    for _ in 0..2 {
        n.post(&format!("{base}/llamada"), &[]).await.redirect();
    }

    let record = n.record(&base).await;
    let (lead, perfil) = (&record.lead, &record.lead.perfil);
    assert_eq!((lead.telefono_e164.as_str(), lead.provincia.as_deref()), ("+34612345678", Some("Madrid")));
    let obra = &lead.obra;
    assert_eq!(
        (obra.es_vivienda, obra.dos_anos, obra.planta, obra.ascensor),
        (Some(true), None, Some(3), Some(false))
    );
    assert_eq!(obra.contratante.unwrap().as_str(), "particular");
    assert_eq!(perfil.canal_origen.unwrap().as_str(), "formulario_web");
    assert_eq!((perfil.tipo_reforma.unwrap().as_str(), perfil.m2_suelo), ("bano", Some(5.5)));
    assert_eq!((perfil.estructural, perfil.presupuesto_target_cents), (Some(false), Some(600_000)));
    assert_eq!(perfil.taste_text.as_deref(), Some("Madera clara\ny luz"));
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(lead.utm, [pair("gclid", "abc"), pair("utm_source", "buscador")]);
    assert_eq!((record.fotos.len(), record.notas[0].text.as_str()), (1, "La ventana\nno se toca"));
    let calls = record.events.iter().filter(|e| e.kind.as_str() == "llamada").count();
    assert_eq!(calls, 1);
    let consented: Vec<_> = record
        .consentimientos
        .iter()
        .map(|c| (c.purpose.as_str(), c.channel.as_deref(), c.granted, c.texto_version.as_str()))
        .collect();
    const VERSION: &str = "formulario-2026-11-15";
    assert_eq!(
        consented,
        [
            ("informacion_privacidad", None, true, VERSION),
            ("comercial", Some("email"), true, VERSION),
            ("contacto", Some("mensajeria"), true, VERSION),
            ("contacto", Some("llamada"), true, VERSION),
        ]
    );
}

async fn a_form_goes_on_where_it_was_left(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    assert_eq!(n.get(&base).await.redirect(), format!("{base}/calidad"));
    n.post(&format!("{base}/calidad"), &[("calidad", "premium"), ("presupuesto", "12 mil")]).await.redirect();
    assert_eq!(n.get(&base).await.redirect(), format!("{base}/vivienda"), "what decides the tax is asked");
    let again = n.get(&format!("{base}/calidad")).await.page(200);
    assert!(again.contains("value=\"premium\" checked") && again.contains("value=\"12 mil\""));
    let contact = n.get(&format!("{base}/contacto")).await.page(200);
    assert!(
        contact.contains("value=\"612-34-56-78\"")
            && contact.contains("<option data-codigo=\"28\" selected>Madrid")
    );
    assert!(!contact.contains("boleto"));
    let corrected = [("nombre", "Ana G."), ("telefono", "+34 600 11 22 33"), ("email", "ana@otro.es")];
    n.post(&format!("{base}/contacto"), &corrected).await.redirect();
    assert_eq!(
        n.post(&format!("{base}/tipo"), &[("tipo", "cocina")]).await.redirect(),
        format!("{base}/metros")
    );
    n.post(&format!("{base}/metros"), &[("m2", "11"), ("talla", "")]).await.redirect();
    // A person who had already reached the summary returns to it after a correction.
    let (kind, body) = with_files(&[("nota-cocina", None, b"Con isla")]);
    let nota =
        n.cliente.post(n.server().url(&format!("{base}/fotos"))).header("content-type", kind).body(body);
    assert_eq!(n.server().send(nota).await.redirect(), format!("{base}/resumen"));
    assert_eq!(n.get(&base).await.redirect(), format!("{base}/resumen"));
    assert_eq!(n.post(&format!("{base}/contacto"), &corrected).await.redirect(), format!("{base}/resumen"));
    let record = n.record(&base).await;
    assert_eq!(record.lead.telefono_e164, "+34600112233");
    assert_eq!(record.lead.provincia.as_deref(), Some("Madrid"), "what is left out stays");
    assert_eq!(record.lead.perfil.m2_suelo, Some(11.0));
    assert!(n.get(&format!("{base}/resumen")).await.page(200).contains("tu cocina"));
}

async fn what_is_wrong_is_said_beside_it_and_nothing_typed_is_lost(engine: Engine) {
    let n = Visitor::at(engine).await;
    let ticket = n.ticket("tipo=salon&utm_source=x").await;
    let fields = [
        ("boleto", ticket.as_str()),
        ("tipo", "salon"),
        ("utm_source", "x"),
        ("nombre", "Ana <b>"),
        ("telefono", "6123"),
        ("email", "ana@"),
        ("provincia", "Burgos"),
        ("comercial", "si"),
    ];
    let page = n.post("/f/reformas-pena/contacto", &fields).await.page(422);
    assert!(page.contains("<title>Error: "));
    assert!(page.contains("role=\"alert\"") && page.contains("href=\"#telefono\""));
    assert!(page.contains("Faltan cifras: un teléfono español tiene 9 y has escrito 4."));
    assert!(page.contains("id=\"email-error\"") && !page.contains("id=\"nombre-error\""));
    let telefono = page.split("id=\"telefono\"").nth(1).unwrap().split('>').next().unwrap();
    assert!(telefono.contains("value=\"6123\"") && telefono.contains("aria-invalid=\"true\""), "{telefono}");
    assert!(telefono.contains("autofocus") && telefono.contains("telefono-error"), "{telefono}");
    assert_eq!(page.matches("autofocus").count(), 1);
    assert!(page.contains("&#60;b&#62;") && !page.contains("<b>"));
    assert!(
        page.contains("<option data-codigo=\"09\" selected>Burgos") && page.contains("value=\"si\" checked")
    );
    assert_eq!((hidden(&page, "boleto"), hidden(&page, "utm_source")), (ticket, "x".to_owned()));

    assert!(n.get("/f/reformas-pena/metros").await.page(422).contains("Elige una de las opciones"));
    let metros = n.get("/f/reformas-pena/contacto?tipo=salon&m2=muchos").await.page(422);
    assert!(metros.contains("value=\"muchos\"") && metros.contains("con números"));
    let base = n.signup().await;
    let calidad =
        n.post(&format!("{base}/calidad"), &[("presupuesto", "bastante"), ("gustos", "luz")]).await.page(422);
    assert!(calidad.contains("value=\"bastante\"") && calidad.contains(">luz</textarea>"));
    assert!(n.post(&format!("{base}/metros"), &[("m2", "x")]).await.page(422).contains("value=\"x\""));
}

async fn sending_twice_is_one_lead_with_the_later_data(engine: Engine) {
    let n = Visitor::at(engine).await;
    let page = n.contact("tipo=bano").await;
    let mut fields = GOOD.to_vec();
    fields.extend(page.fields());
    fields.push(("tipo", "bano"));
    let one = n.post("/f/reformas-pena/contacto", &fields).await.redirect();
    fields[2] = ("email", "ana.garcia@ejemplo.es");
    let two = n.post("/f/reformas-pena/contacto", &fields).await.redirect();
    let base = |place: &str| place.strip_suffix("/calidad").unwrap().to_owned();
    assert_eq!(n.lead(&base(&one)), n.lead(&base(&two)));
    assert_eq!(n.record(&base(&one)).await.lead.email, "ana.garcia@ejemplo.es");
    let all = n.server().app.store.list_leads(Default::default(), None, 10).await.unwrap();
    assert_eq!(all.len(), 1);
    // The response is the same for a known person and for an unknown one.
    assert!(n.signup().await.starts_with("/f/reformas-pena/"));
}

async fn consents_are_withdrawn_as_easily_as_given(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    n.post(&format!("{base}/mensajeria"), &[]).await.redirect();
    let thanks = n.get(&format!("{base}/gracias")).await.page(200);
    let permissions = thanks.split("href=\"/c/").nth(1).unwrap().split('"').next().unwrap();
    let permissions = format!("/c/{permissions}");
    let page = n.get(&permissions).await.page(200);
    assert!(page.contains("por WhatsApp") && !page.contains("ofertas"));
    let done = n.post(&permissions, &[("que", "contacto-mensajeria")]).await.redirect();
    assert!(n.get(&done).await.page(200).contains("queda anotado"));
    n.post(&permissions, &[("que", "todo")]).await.redirect();
    let record = n.record(&base).await;
    let last = record.consentimientos.last().unwrap();
    assert_eq!((last.channel.as_deref(), last.granted), (Some("mensajeria"), false));
    assert_eq!(record.consentimientos.len(), 4, "withdrawing what is withdrawn writes nothing");
    n.get(&base.replace("/f/reformas-pena", "/c")).await.page(404);
}

both_engines!(
    the_whole_path_without_javascript,
    a_form_goes_on_where_it_was_left,
    what_is_wrong_is_said_beside_it_and_nothing_typed_is_lost,
    sending_twice_is_one_lead_with_the_later_data,
    consents_are_withdrawn_as_easily_as_given,
);
