//! The public form as a browser without JavaScript walks it.

use embudo_testkit::{Engine, both_engines, tiny_jpeg};
use jiff::SignedDuration;

use crate::navegante::{BUENOS, Navegante, Pagina, con_archivos, oculto};

async fn the_whole_path_without_javascript(motor: Engine) {
    let n = Navegante::en(motor).await;
    let inicio = n.get("/?utm_source=buscador&utm_campaign=ba%C3%B1os&gclid=abc&otra=x").await.pagina(200);
    assert!(inicio.contains("¿Qué quieres reformar?") && inicio.contains("value=\"integral\""));
    assert_eq!(oculto(&inicio, "utm_campaign"), "baños");
    assert!(!inicio.contains("otra"));

    let metros = n.get("/f/reformas-pena/metros?tipo=bano&utm_source=buscador&gclid=abc").await.pagina(200);
    assert!(metros.contains("¿Cuántos metros tiene tu baño?") && metros.contains("5 m²"));
    assert!(metros.contains("Precio orientativo") && metros.contains("IVA del 10"));
    assert_eq!(oculto(&metros, "gclid"), "abc");

    let consulta = "tipo=bano&m2=5%2C5&utm_source=buscador&gclid=abc";
    let boleto = n.boleto(consulta).await;
    let mut campos = BUENOS.to_vec();
    campos.extend([("boleto", boleto.as_str()), ("tipo", "bano"), ("m2", "5.5"), ("comercial", "si")]);
    campos.extend([("utm_source", "buscador"), ("gclid", "abc"), ("web", "")]);
    let calidad = n.post("/f/reformas-pena/contacto", &campos).await.a();
    let base = calidad.strip_suffix("/calidad").unwrap().to_owned();
    assert!(n.get(&calidad).await.pagina(200).contains("<strong>Media</strong>"));

    let elegidas = [
        ("calidad", "media"),
        ("estructural", "no"),
        ("urgencia", "baja"),
        ("presupuesto", "6.000 €"),
        ("gustos", "Madera clara\r\ny luz"),
    ];
    let fotos = n.post(&calidad, &elegidas).await.a();
    assert_eq!(fotos, format!("{base}/fotos"));
    assert!(n.get(&fotos).await.pagina(200).contains("enctype=\"multipart/form-data\""));

    let foto = tiny_jpeg(1, 2_000);
    let (tipo, cuerpo) = con_archivos(&[
        ("foto-bano", Some("a.jpg"), &foto),
        ("foto-bano", Some(""), b""),
        ("nota-bano", None, "La ventana\r\nno se toca".as_bytes()),
        ("nota-cocina", None, b"  "),
    ]);
    let peticion = n.cliente.post(n.s().url(&fotos)).header("content-type", tipo).body(cuerpo);
    let resumen = n.s().enviar(peticion).await.a();
    let carta = n.get(&resumen).await.pagina(200);
    for parte in [
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
        assert!(carta.contains(parte), "{parte} in {carta}");
    }

    let mensajeria = format!("{base}/mensajeria");
    for _ in 0..2 {
        assert_eq!(n.post(&mensajeria, &[]).await.a(), format!("{base}/gracias?por=mensajeria"));
    }
    let recibidas = n.escena.receiver.received();
    assert_eq!(recibidas.len(), 1, "pressed twice, sent once");
    assert_eq!(recibidas[0].json()["telefono"], "+34612345678");
    assert!(
        n.get(&format!("{base}/gracias?por=mensajeria")).await.pagina(200).contains("Seguimos por WhatsApp")
    );
    n.escena.reloj.advance(SignedDuration::from_secs(61));
    n.post(&mensajeria, &[]).await.a();
    assert_eq!(n.escena.receiver.received().len(), 2, "a minute later it is another wish");
    for _ in 0..2 {
        n.post(&format!("{base}/llamada"), &[]).await.a();
    }

    let ficha = n.ficha(&base).await;
    let (lead, perfil) = (&ficha.lead, &ficha.lead.perfil);
    assert_eq!((lead.telefono_e164.as_str(), lead.provincia.as_deref()), ("+34612345678", Some("Madrid")));
    assert_eq!(perfil.canal_origen.unwrap().as_str(), "formulario_web");
    assert_eq!((perfil.tipo_reforma.unwrap().as_str(), perfil.m2_suelo), ("bano", Some(5.5)));
    assert_eq!((perfil.estructural, perfil.presupuesto_target_cents), (Some(false), Some(600_000)));
    assert_eq!(perfil.taste_text.as_deref(), Some("Madera clara\ny luz"));
    let par = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(lead.utm, [par("gclid", "abc"), par("utm_source", "buscador")]);
    assert_eq!((ficha.fotos.len(), ficha.notas[0].texto.as_str()), (1, "La ventana\nno se toca"));
    let llamadas = ficha.eventos.iter().filter(|e| e.tipo.as_str() == "llamada").count();
    assert_eq!(llamadas, 1);
    let consentido: Vec<_> = ficha
        .consentimientos
        .iter()
        .map(|c| (c.finalidad.as_str(), c.canal.as_deref(), c.otorgado, c.texto_version.as_str()))
        .collect();
    const VERSION: &str = "formulario-2026-11-15";
    assert_eq!(
        consentido,
        [
            ("informacion_privacidad", None, true, VERSION),
            ("comercial", Some("email"), true, VERSION),
            ("contacto", Some("mensajeria"), true, VERSION),
            ("contacto", Some("llamada"), true, VERSION),
        ]
    );
}

async fn a_form_goes_on_where_it_was_left(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    assert_eq!(n.get(&base).await.a(), format!("{base}/calidad"));
    n.post(&format!("{base}/calidad"), &[("calidad", "premium"), ("presupuesto", "12 mil")]).await.a();
    assert_eq!(n.get(&base).await.a(), format!("{base}/fotos"));
    let otra_vez = n.get(&format!("{base}/calidad")).await.pagina(200);
    assert!(otra_vez.contains("value=\"premium\" checked") && otra_vez.contains("value=\"12 mil\""));
    let contacto = n.get(&format!("{base}/contacto")).await.pagina(200);
    assert!(contacto.contains("value=\"612-34-56-78\"") && contacto.contains("<option selected>Madrid"));
    assert!(!contacto.contains("boleto"));
    let corregidos = [("nombre", "Ana G."), ("telefono", "+34 600 11 22 33"), ("email", "ana@otro.es")];
    n.post(&format!("{base}/contacto"), &corregidos).await.a();
    assert_eq!(n.post(&format!("{base}/tipo"), &[("tipo", "cocina")]).await.a(), format!("{base}/metros"));
    n.post(&format!("{base}/metros"), &[("m2", "11"), ("talla", "")]).await.a();
    // Whoever had come as far as the letter goes back there after a correction.
    let (tipo, cuerpo) = con_archivos(&[("nota-cocina", None, b"Con isla")]);
    let nota = n.cliente.post(n.s().url(&format!("{base}/fotos"))).header("content-type", tipo).body(cuerpo);
    assert_eq!(n.s().enviar(nota).await.a(), format!("{base}/resumen"));
    assert_eq!(n.get(&base).await.a(), format!("{base}/resumen"));
    assert_eq!(n.post(&format!("{base}/contacto"), &corregidos).await.a(), format!("{base}/resumen"));
    let ficha = n.ficha(&base).await;
    assert_eq!(ficha.lead.telefono_e164, "+34600112233");
    assert_eq!(ficha.lead.provincia.as_deref(), Some("Madrid"), "what is left out stays");
    assert_eq!(ficha.lead.perfil.m2_suelo, Some(11.0));
    assert!(n.get(&format!("{base}/resumen")).await.pagina(200).contains("tu cocina"));
}

async fn what_is_wrong_is_said_beside_it_and_nothing_typed_is_lost(motor: Engine) {
    let n = Navegante::en(motor).await;
    let boleto = n.boleto("tipo=salon&utm_source=x").await;
    let campos = [
        ("boleto", boleto.as_str()),
        ("tipo", "salon"),
        ("utm_source", "x"),
        ("nombre", "Ana <b>"),
        ("telefono", "6123"),
        ("email", "ana@"),
        ("provincia", "Burgos"),
        ("comercial", "si"),
    ];
    let pagina = n.post("/f/reformas-pena/contacto", &campos).await.pagina(422);
    assert!(pagina.contains("<title>Error: "));
    assert!(pagina.contains("role=\"alert\"") && pagina.contains("href=\"#telefono\""));
    assert!(pagina.contains("Faltan cifras: un teléfono español tiene 9 y has escrito 4."));
    assert!(pagina.contains("id=\"email-error\"") && !pagina.contains("id=\"nombre-error\""));
    let telefono = pagina.split("id=\"telefono\"").nth(1).unwrap().split('>').next().unwrap();
    assert!(telefono.contains("value=\"6123\"") && telefono.contains("aria-invalid=\"true\""), "{telefono}");
    assert!(telefono.contains("autofocus") && telefono.contains("telefono-error"), "{telefono}");
    assert_eq!(pagina.matches("autofocus").count(), 1);
    assert!(pagina.contains("&#60;b&#62;") && !pagina.contains("<b>"));
    assert!(pagina.contains("<option selected>Burgos") && pagina.contains("value=\"si\" checked"));
    assert_eq!((oculto(&pagina, "boleto"), oculto(&pagina, "utm_source")), (boleto, "x".to_owned()));

    assert!(n.get("/f/reformas-pena/metros").await.pagina(422).contains("Elige una de las opciones"));
    let metros = n.get("/f/reformas-pena/contacto?tipo=salon&m2=muchos").await.pagina(422);
    assert!(metros.contains("value=\"muchos\"") && metros.contains("con números"));
    let base = n.alta().await;
    let calidad = n
        .post(&format!("{base}/calidad"), &[("presupuesto", "bastante"), ("gustos", "luz")])
        .await
        .pagina(422);
    assert!(calidad.contains("value=\"bastante\"") && calidad.contains(">luz</textarea>"));
    assert!(n.post(&format!("{base}/metros"), &[("m2", "x")]).await.pagina(422).contains("value=\"x\""));
}

async fn sending_twice_is_one_lead_with_the_later_data(motor: Engine) {
    let n = Navegante::en(motor).await;
    let boleto = n.boleto("tipo=bano").await;
    let mut campos = BUENOS.to_vec();
    campos.extend([("boleto", boleto.as_str()), ("tipo", "bano")]);
    let uno = n.post("/f/reformas-pena/contacto", &campos).await.a();
    campos[2] = ("email", "ana.garcia@ejemplo.es");
    let dos = n.post("/f/reformas-pena/contacto", &campos).await.a();
    let base = |lugar: &str| lugar.strip_suffix("/calidad").unwrap().to_owned();
    assert_eq!(n.lead(&base(&uno)), n.lead(&base(&dos)));
    assert_eq!(n.ficha(&base(&uno)).await.lead.email, "ana.garcia@ejemplo.es");
    let todos = n.s().app.store.list_leads(Default::default(), None, 10).await.unwrap();
    assert_eq!(todos.len(), 1);
    // Somebody who is known already is told the same as somebody who is not.
    assert!(n.alta().await.starts_with("/f/reformas-pena/"));
}

async fn consents_are_withdrawn_as_easily_as_given(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    n.post(&format!("{base}/mensajeria"), &[]).await.a();
    let gracias = n.get(&format!("{base}/gracias")).await.pagina(200);
    let permisos = gracias.split("href=\"/c/").nth(1).unwrap().split('"').next().unwrap();
    let permisos = format!("/c/{permisos}");
    let pagina = n.get(&permisos).await.pagina(200);
    assert!(pagina.contains("por WhatsApp") && !pagina.contains("ofertas"));
    let hecho = n.post(&permisos, &[("que", "contacto-mensajeria")]).await.a();
    assert!(n.get(&hecho).await.pagina(200).contains("queda anotado"));
    n.post(&permisos, &[("que", "todo")]).await.a();
    let ficha = n.ficha(&base).await;
    let ultimo = ficha.consentimientos.last().unwrap();
    assert_eq!((ultimo.canal.as_deref(), ultimo.otorgado), (Some("mensajeria"), false));
    assert_eq!(ficha.consentimientos.len(), 4, "withdrawing what is withdrawn writes nothing");
    n.get(&base.replace("/f/reformas-pena", "/c")).await.pagina(404);
}

both_engines!(
    the_whole_path_without_javascript,
    a_form_goes_on_where_it_was_left,
    what_is_wrong_is_said_beside_it_and_nothing_typed_is_lost,
    sending_twice_is_one_lead_with_the_later_data,
    consents_are_withdrawn_as_easily_as_given,
);
