//! The public form against those who are not clients: programs, guessers, and too much of anything.

use embudo_door::BodyBudget;
use embudo_testkit::{Engine, both_engines};
use embudo_web::Quota;
use jiff::SignedDuration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::navegante::{BUENOS, Navegante, Pagina};
use embudo_testkit::Scene;

const CONTACTO: &str = "/f/reformas-pena/contacto";

async fn programs_are_told_what_everybody_is_told_and_nothing_is_kept(motor: Engine) {
    let n = Navegante::en(motor).await;
    let boleto = n.boleto("tipo=bano").await;
    let mut campos = BUENOS.to_vec();
    campos.extend([("boleto", boleto.as_str()), ("tipo", "bano"), ("web", "https://spam.es")]);
    let gracias = n.post(CONTACTO, &campos).await.a();
    assert!(n.get(&gracias).await.pagina(200).contains("¡Gracias!"));

    let prisa = n.get(&format!("{CONTACTO}?tipo=bano")).await.pagina(200);
    let prisa = crate::navegante::oculto(&prisa, "boleto");
    for (boleto, mensaje) in
        [(prisa.as_str(), "muy rápido"), ("", "mucho tiempo abierta"), ("AAAA", "mucho tiempo abierta")]
    {
        let mut campos = BUENOS.to_vec();
        campos.extend([("boleto", boleto), ("tipo", "bano")]);
        let pagina = n.post(CONTACTO, &campos).await.pagina(422);
        assert!(pagina.contains(mensaje) && pagina.contains("value=\"Ana García\""), "{pagina}");
    }
    assert!(n.s().app.store.list_leads(Default::default(), None, 10).await.unwrap().is_empty());

    // A person who was quick only has to press again; a page left open for days gets a new ticket.
    n.escena.reloj.advance(SignedDuration::from_secs(5));
    let mut campos = BUENOS.to_vec();
    campos.extend([("boleto", prisa.as_str()), ("tipo", "bano")]);
    n.post(CONTACTO, &campos).await.a();
    n.escena.reloj.advance(SignedDuration::from_hours(30));
    let pagina = n.post(CONTACTO, &campos).await.pagina(422);
    let nuevo = crate::navegante::oculto(&pagina, "boleto");
    n.escena.reloj.advance(SignedDuration::from_secs(5));
    campos[4] = ("boleto", nuevo.as_str());
    n.post(CONTACTO, &campos).await.a();
}

async fn there_is_a_measure_for_leads_and_photos(motor: Engine) {
    let escena = Scene::con(motor, |m| {
        m.web.quota = Quota { leads_per_hour: 2, fotos_per_hour: 3, leads_per_day: 4 };
        m.proxies = vec!["127.0.0.1".parse::<std::net::IpAddr>().unwrap().into()];
    })
    .await;
    let n = Navegante::con(escena);
    let enviar = async |desde: &str| {
        let boleto = n.boleto("tipo=bano").await;
        let mut campos = BUENOS.to_vec();
        campos.extend([("boleto", boleto.as_str()), ("tipo", "bano")]);
        n.s().enviar(n.peticion(CONTACTO, &campos).header("x-forwarded-for", desde)).await
    };
    let base = enviar("198.51.100.1").await.a();
    enviar("203.0.113.7, 198.51.100.1").await.a();
    let limitado = enviar("198.51.100.1").await;
    assert!(limitado.cabecera("retry-after").is_some_and(|s| s.parse::<u64>().unwrap() >= 60));
    let pagina = limitado.pagina(429);
    assert!(pagina.contains("Vamos a parar un momento") && pagina.contains("Reformas Peña"));
    for desde in ["198.51.100.2", "198.51.100.3"] {
        enviar(desde).await.a();
    }
    enviar("198.51.100.4").await.pagina(429);

    let subir = format!("{}/fotos/subir?zona=bano", base.strip_suffix("/calidad").unwrap());
    for semilla in 0..4 {
        let foto = embudo_testkit::tiny_jpeg(semilla, 500);
        let peticion = n.cliente.post(n.s().url(&subir)).header("accept", "application/json").body(foto);
        let r = n.s().enviar(peticion).await;
        assert_eq!(r.status.as_u16(), if semilla < 3 { 201 } else { 429 }, "{}", r.texto);
        if semilla == 3 {
            assert!(r.json()["texto"].as_str().unwrap().contains("Espera un poco"));
        }
    }
}

async fn what_turns_out_to_be_no_photo_has_counted_before_it_was_read(motor: Engine) {
    let escena = Scene::con(motor, |m| {
        m.web.quota = Quota { fotos_per_hour: 2, ..Quota::default() };
    })
    .await;
    let n = Navegante::con(escena);
    let base = n.alta().await;
    let subir = async |cuerpo: Vec<u8>| {
        let url = n.s().url(&format!("{base}/fotos/subir?zona=bano"));
        n.s().enviar(n.cliente.post(url).header("accept", "application/json").body(cuerpo)).await
    };
    assert_eq!(subir(vec![b'x'; 100_000]).await.status.as_u16(), 422);
    assert_eq!(subir(vec![b'x'; 16 << 20]).await.status.as_u16(), 413);
    assert_eq!(subir(embudo_testkit::tiny_jpeg(1, 500)).await.status.as_u16(), 429);
    let (tipo, cuerpo) = crate::navegante::con_archivos(&[("nota-bano", None, b"hola")]);
    let url = n.s().url(&format!("{base}/fotos"));
    n.s().enviar(n.cliente.post(url).header("content-type", tipo).body(cuerpo)).await.pagina(429);
}

async fn what_strangers_send_takes_none_of_the_callers_memory(motor: Engine) {
    let (callers, strangers) = (BodyBudget::default(), BodyBudget::default());
    let (held, apart) = (callers.clone(), strangers.clone());
    let escena = Scene::con(motor, |m| {
        m.ajustes.body_budget = callers;
        m.web.body_budget = strangers;
    })
    .await;
    let n = Navegante::con(escena);
    let base = n.alta().await;
    let address = n.s().url("").trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut slow = TcpStream::connect(address).await.unwrap();
    let head = format!("POST {base}/fotos/subir HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000\r\n\r\n");
    slow.write_all(head.as_bytes()).await.unwrap();
    slow.write_all(&[b'x'; 200_000]).await.unwrap();
    while apart.held_bytes() < 200_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(held.held_bytes(), 0);
    drop(slow);
    while apart.held_bytes() > 0 {
        tokio::task::yield_now().await;
    }
}

async fn a_pass_opens_its_form_and_nothing_else(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    let pasos = ["", "/tipo", "/metros", "/contacto", "/calidad", "/fotos", "/resumen", "/gracias"];
    let mut falso = base.clone();
    let ultimo = if falso.ends_with('A') { "Q" } else { "A" };
    falso.replace_range(falso.len() - 1.., ultimo);
    let lead = n.lead(&base);
    let de_permisos = format!("/f/reformas-pena/{}", n.s().app.form_passes().to_consentimientos(lead));
    let sin_lead = format!("/f/reformas-pena/{}", n.boleto("tipo=bano").await);
    let otra_empresa = base.replace("reformas-pena", "otra");
    let con_id = format!("/f/reformas-pena/{lead}");
    for mala in [&falso, &de_permisos, &sin_lead, &otra_empresa, &con_id] {
        for paso in pasos {
            let pagina = n.get(&format!("{mala}{paso}")).await.pagina(404);
            assert!(!pagina.contains("Ana") && pagina.contains("Aquí no hay nada"), "{mala}{paso}");
        }
        for accion in ["/tipo", "/calidad", "/mensajeria", "/llamada", "/fotos/subir"] {
            n.post(&format!("{mala}{accion}"), &[("tipo", "bano")]).await.pagina(404);
        }
    }
    for desconocida in ["/f/", "/f/nadie", "/f/Reformas", "/f/reformas-pena/x/y/z/w", "/c/x", "/f/%00"] {
        n.get(desconocida).await.pagina(404);
    }
    n.get(&format!("{base}/mensajeria")).await.pagina(404);
    n.escena.reloj.advance(SignedDuration::from_hours(31 * 24));
    for paso in pasos {
        let pagina = n.get(&format!("{base}{paso}")).await.pagina(410);
        assert!(pagina.contains("Este enlace ha caducado") && !pagina.contains("Ana"));
    }
}

async fn bodies_that_make_no_sense_are_refused_as_pages(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    let fotos = format!("{base}/fotos");
    n.post(&fotos, &[("nota-bano", "x")]).await.pagina(400);
    let (tipo, mut cuerpo) = crate::navegante::con_archivos(&[("nota-bano", None, b"hola")]);
    cuerpo.truncate(cuerpo.len() / 2);
    let roto = n.cliente.post(n.s().url(&fotos)).header("content-type", tipo).body(cuerpo);
    n.s().enviar(roto).await.pagina(400);
    let largo = "x".repeat(70_000);
    n.post(CONTACTO, &[("nombre", &largo)]).await.pagina(413);
    let raros =
        [("nombre", "\u{0}\u{7}"), ("telefono", "\u{0}"), ("email", "a\u{0}@b.es"), ("tipo", "\u{0}")];
    n.post(CONTACTO, &raros).await.pagina(422);
    n.post(&format!("{base}/calidad"), &[("gustos", "a\u{0}b")]).await.a();
    assert_eq!(n.ficha(&base).await.lead.perfil.taste_text.as_deref(), Some("ab"));
}

async fn a_form_of_countless_parts_is_refused_at_once_and_notes_do_not_pile_up(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    let fotos = format!("{base}/fotos");
    let parte = b"--l\r\nContent-Disposition: form-data; name=\"nota-bano\"\r\n\r\nx\r\n";
    let mut cuerpo = parte.repeat(60_000);
    cuerpo.extend_from_slice(b"--l--\r\n");
    let tipo = "multipart/form-data; boundary=l";
    let enviar =
        |cuerpo: Vec<u8>| n.cliente.post(n.s().url(&fotos)).header("content-type", tipo).body(cuerpo);
    let antes = std::time::Instant::now();
    n.s().enviar(enviar(cuerpo)).await.pagina(413);
    assert!(antes.elapsed() < std::time::Duration::from_secs(5), "{:?}", antes.elapsed());
    assert!(n.ficha(&base).await.notas.is_empty());
    // However often notes are sent, a zone has one.
    for vez in 0..20 {
        let mut cuerpo = Vec::new();
        for zona in ["bano", "cocina", "bano", "nada"] {
            let cabeza =
                format!("--l\r\nContent-Disposition: form-data; name=\"nota-{zona}\"\r\n\r\nnota {vez}\r\n");
            cuerpo.extend_from_slice(cabeza.as_bytes());
        }
        cuerpo.extend_from_slice(b"--l--\r\n");
        n.s().enviar(enviar(cuerpo)).await.a();
    }
    let textos: Vec<_> = n.ficha(&base).await.notas.into_iter().map(|n| n.texto).collect();
    assert_eq!(textos, ["nota 19", "nota 19"]);
    // One that is too long is neither kept nor thrown back whole.
    let mut larga = parte.to_vec();
    larga.splice(larga.len() - 3..larga.len() - 2, b"y".repeat(2_000_000));
    larga.extend_from_slice(b"--l--\r\n");
    let pagina = n.s().enviar(enviar(larga)).await.pagina(422);
    assert!(pagina.contains("Esa nota es muy larga") && pagina.len() < 100_000, "{}", pagina.len());
    assert!(pagina.contains("href=\"#nota-bano\"") && pagina.contains("id=\"nota-bano-error\""));
    assert_eq!(n.ficha(&base).await.notas.len(), 2);
}

async fn a_pass_is_no_ticket(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    let pase = base.rsplit('/').next().unwrap();
    let mut campos = BUENOS.to_vec();
    campos.extend([("boleto", pase), ("tipo", "bano")]);
    for horas in [0, 25] {
        n.escena.reloj.advance(SignedDuration::from_hours(horas));
        let pagina = n.post(CONTACTO, &campos).await.pagina(422);
        assert!(pagina.contains("value=\"Ana García\"") && !pagina.contains(pase));
    }
    assert_eq!(n.s().app.store.list_leads(Default::default(), None, 10).await.unwrap().len(), 1);
}

both_engines!(
    a_form_of_countless_parts_is_refused_at_once_and_notes_do_not_pile_up,
    a_pass_is_no_ticket,
    programs_are_told_what_everybody_is_told_and_nothing_is_kept,
    there_is_a_measure_for_leads_and_photos,
    what_turns_out_to_be_no_photo_has_counted_before_it_was_read,
    what_strangers_send_takes_none_of_the_callers_memory,
    a_pass_opens_its_form_and_nothing_else,
    bodies_that_make_no_sense_are_refused_as_pages,
);
