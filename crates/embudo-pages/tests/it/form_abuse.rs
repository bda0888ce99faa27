//! The public form and people who are not clients: programs, guessers, and requests that exceed a limit.

use embudo_domain::event::EventKind;
use embudo_pages::Quota;
use embudo_server::BodyBudget;
use embudo_testkit::{Engine, both_engines};
use jiff::SignedDuration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::visitor::{GOOD, Page, Visitor};
use embudo_testkit::Scene;

const CONTACT: &str = "/f/reformas-pena/contacto";

async fn programs_are_told_what_everybody_is_told_and_nothing_is_kept(engine: Engine) {
    let n = Visitor::at(engine).await;
    let ticket = n.ticket("tipo=bano").await;
    let mut fields = GOOD.to_vec();
    fields.extend([("boleto", ticket.as_str()), ("tipo", "bano"), ("web", "https://spam.es")]);
    let thanks = n.post(CONTACT, &fields).await.redirect();
    assert!(n.get(&thanks).await.page(200).contains("¡Gracias!"));

    let hurry = n.get(&format!("{CONTACT}?tipo=bano")).await.page(200);
    let hurry = crate::visitor::hidden(&hurry, "boleto");
    for (ticket, mensaje) in
        [(hurry.as_str(), "muy rápido"), ("", "mucho tiempo abierta"), ("AAAA", "mucho tiempo abierta")]
    {
        let mut fields = GOOD.to_vec();
        fields.extend([("boleto", ticket), ("tipo", "bano")]);
        let page = n.post(CONTACT, &fields).await.page(422);
        assert!(page.contains(mensaje) && page.contains("value=\"Ana García\""), "{page}");
    }
    assert!(n.server().app.store.list_leads(Default::default(), None, 10).await.unwrap().is_empty());

    // A person who was too quick only has to press again. A page that was open for days gets a new ticket.
    n.scene.clock.advance(SignedDuration::from_secs(5));
    let mut fields = GOOD.to_vec();
    fields.extend([("boleto", hurry.as_str()), ("tipo", "bano")]);
    n.post(CONTACT, &fields).await.redirect();
    n.scene.clock.advance(SignedDuration::from_hours(30));
    let page = n.post(CONTACT, &fields).await.page(422);
    let new = crate::visitor::hidden(&page, "boleto");
    n.scene.clock.advance(SignedDuration::from_secs(5));
    fields[4] = ("boleto", new.as_str());
    n.post(CONTACT, &fields).await.redirect();
}

async fn there_is_a_measure_for_leads_and_photos(engine: Engine) {
    let scene = Scene::with(engine, |m| {
        m.web.quota = Quota { leads_per_hour: 2, fotos_per_hour: 3, leads_per_day: 4 };
        m.proxies = vec!["127.0.0.1".parse::<std::net::IpAddr>().unwrap().into()];
    })
    .await;
    let n = Visitor::with(scene);
    let send = async |since: &str| {
        let ticket = n.ticket("tipo=bano").await;
        let mut fields = GOOD.to_vec();
        fields.extend([("boleto", ticket.as_str()), ("tipo", "bano")]);
        n.server().send(n.request(CONTACT, &fields).header("x-forwarded-for", since)).await
    };
    let base = send("198.51.100.1").await.redirect();
    send("203.0.113.7, 198.51.100.1").await.redirect();
    let limited = send("198.51.100.1").await;
    assert!(limited.header("retry-after").is_some_and(|s| s.parse::<u64>().unwrap() >= 60));
    let page = limited.page(429);
    assert!(page.contains("Vamos a parar un momento") && page.contains("Reformas Peña"));
    for since in ["198.51.100.2", "198.51.100.3"] {
        send(since).await.redirect();
    }
    send("198.51.100.4").await.page(429);

    let upload = format!("{}/fotos/subir?zona=bano", base.strip_suffix("/calidad").unwrap());
    for seed in 0..4 {
        let foto = embudo_testkit::tiny_jpeg(seed, 500);
        let request = n.cliente.post(n.server().url(&upload)).header("accept", "application/json").body(foto);
        let r = n.server().send(request).await;
        assert_eq!(r.status.as_u16(), if seed < 3 { 201 } else { 429 }, "{}", r.text);
        if seed == 3 {
            assert!(r.json()["texto"].as_str().unwrap().contains("Espera un poco"));
        }
    }
}

async fn what_turns_out_to_be_no_photo_has_counted_before_it_was_read(engine: Engine) {
    let scene = Scene::with(engine, |m| {
        m.web.quota = Quota { fotos_per_hour: 2, ..Quota::default() };
    })
    .await;
    let n = Visitor::with(scene);
    let base = n.signup().await;
    let upload = async |body: Vec<u8>| {
        let url = n.server().url(&format!("{base}/fotos/subir?zona=bano"));
        n.server().send(n.cliente.post(url).header("accept", "application/json").body(body)).await
    };
    assert_eq!(upload(vec![b'x'; 100_000]).await.status.as_u16(), 422);
    assert_eq!(upload(vec![b'x'; 16 << 20]).await.status.as_u16(), 413);
    assert_eq!(upload(embudo_testkit::tiny_jpeg(1, 500)).await.status.as_u16(), 429);
    let (kind, body) = crate::visitor::with_files(&[("nota-bano", None, b"hola")]);
    let url = n.server().url(&format!("{base}/fotos"));
    n.server().send(n.cliente.post(url).header("content-type", kind).body(body)).await.page(429);
}

async fn what_strangers_send_takes_none_of_the_callers_memory(engine: Engine) {
    let (callers, strangers) = (BodyBudget::default(), BodyBudget::default());
    let (held, apart) = (callers.clone(), strangers.clone());
    let scene = Scene::with(engine, |m| {
        m.settings.body_budget = callers;
        m.web.body_budget = strangers;
    })
    .await;
    let n = Visitor::with(scene);
    let base = n.signup().await;
    let address = n.server().url("").trim_start_matches("http://").trim_end_matches('/').to_owned();
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

async fn a_pass_opens_its_form_and_nothing_else(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let steps =
        ["", "/tipo", "/metros", "/contacto", "/calidad", "/vivienda", "/fotos", "/resumen", "/gracias"];
    let mut false_ = base.clone();
    let last = if false_.ends_with('A') { "Q" } else { "A" };
    false_.replace_range(false_.len() - 1.., last);
    let lead = n.lead(&base);
    let of_permissions =
        format!("/f/reformas-pena/{}", n.server().app.form_passes().to_consentimientos(lead));
    let without_lead = format!("/f/reformas-pena/{}", n.ticket("tipo=bano").await);
    let other_empresa = base.replace("reformas-pena", "otra");
    let with_id = format!("/f/reformas-pena/{lead}");
    for bad in [&false_, &of_permissions, &without_lead, &other_empresa, &with_id] {
        for step in steps {
            let page = n.get(&format!("{bad}{step}")).await.page(404);
            assert!(!page.contains("Ana") && page.contains("Aquí no hay nada"), "{bad}{step}");
        }
        for action in ["/tipo", "/calidad", "/vivienda", "/enviar", "/mensajeria", "/llamada", "/fotos/subir"]
        {
            n.post(&format!("{bad}{action}"), &[("tipo", "bano")]).await.page(404);
        }
    }
    for unknown in ["/f/", "/f/nadie", "/f/Reformas", "/f/reformas-pena/x/y/z/w", "/c/x", "/r/x/y", "/f/%00"]
    {
        n.get(unknown).await.page(404);
    }
    n.get(&format!("{base}/mensajeria")).await.page(404);
    n.scene.clock.advance(SignedDuration::from_hours(31 * 24));
    for step in steps {
        let page = n.get(&format!("{base}{step}")).await.page(410);
        assert!(page.contains("Este enlace ha caducado") && !page.contains("Ana"));
    }
}

async fn bodies_that_make_no_sense_are_refused_as_pages(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let fotos = format!("{base}/fotos");
    n.post(&fotos, &[("nota-bano", "x")]).await.page(400);
    let (kind, mut body) = crate::visitor::with_files(&[("nota-bano", None, b"hola")]);
    body.truncate(body.len() / 2);
    let broken = n.cliente.post(n.server().url(&fotos)).header("content-type", kind).body(body);
    n.server().send(broken).await.page(400);
    let length = "x".repeat(70_000);
    n.post(CONTACT, &[("nombre", &length)]).await.page(413);
    let odd = [("nombre", "\u{0}\u{7}"), ("telefono", "\u{0}"), ("email", "a\u{0}@b.es"), ("tipo", "\u{0}")];
    n.post(CONTACT, &odd).await.page(422);
    n.post(&format!("{base}/calidad"), &[("gustos", "a\u{0}b")]).await.redirect();
    assert_eq!(n.record(&base).await.lead.perfil.taste_text.as_deref(), Some("ab"));
}

async fn a_form_of_countless_parts_is_refused_at_once_and_notes_do_not_pile_up(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let fotos = format!("{base}/fotos");
    let part = b"--l\r\nContent-Disposition: form-data; name=\"nota-bano\"\r\n\r\nx\r\n";
    let mut body = part.repeat(60_000);
    body.extend_from_slice(b"--l--\r\n");
    let kind = "multipart/form-data; boundary=l";
    let send = |body: Vec<u8>| n.cliente.post(n.server().url(&fotos)).header("content-type", kind).body(body);
    n.server().send(send(body)).await.page(413);
    assert!(n.record(&base).await.notas.is_empty());
    // However often notes are sent, each zone has only one note.
    for nth in 0..20 {
        let mut body = Vec::new();
        for zona in ["bano", "cocina", "bano", "nada"] {
            let head =
                format!("--l\r\nContent-Disposition: form-data; name=\"nota-{zona}\"\r\n\r\nnota {nth}\r\n");
            body.extend_from_slice(head.as_bytes());
        }
        body.extend_from_slice(b"--l--\r\n");
        n.server().send(send(body)).await.redirect();
    }
    let texts: Vec<_> = n.record(&base).await.notas.into_iter().map(|n| n.text).collect();
    assert_eq!(texts, ["nota 19", "nota 19"]);
    // A note that is too long is not saved, and only its beginning is shown again.
    let mut long = part.to_vec();
    long.splice(long.len() - 3..long.len() - 2, b"y".repeat(2_000_000));
    long.extend_from_slice(b"--l--\r\n");
    let page = n.server().send(send(long)).await.page(422);
    assert!(page.contains("Esa nota es muy larga") && page.len() < 100_000, "{}", page.len());
    assert!(page.contains("href=\"#nota-bano\"") && page.contains("id=\"nota-bano-error\""));
    assert_eq!(n.record(&base).await.notas.len(), 2);
}

async fn a_pass_is_no_ticket(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let pass = base.rsplit('/').next().unwrap();
    let mut fields = GOOD.to_vec();
    fields.extend([("boleto", pass), ("tipo", "bano")]);
    for hours in [0, 25] {
        n.scene.clock.advance(SignedDuration::from_hours(hours));
        let page = n.post(CONTACT, &fields).await.page(422);
        assert!(page.contains("value=\"Ana García\"") && !page.contains(pass));
    }
    assert_eq!(n.server().app.store.list_leads(Default::default(), None, 10).await.unwrap().len(), 1);
}

fn telephones(n: &Visitor) -> Vec<String> {
    let received = n.scene.receiver.received();
    received.iter().filter_map(|r| Some(r.json()["telefono"].as_str()?.to_owned())).collect()
}

async fn waiting(n: &Visitor, base: &str) -> usize {
    let events = n.record(base).await.events;
    events.iter().filter(|e| e.kind == EventKind::MensajeriaWaits).count()
}

/// A visitor can type the telephone of anybody. Correcting the telephone sends no message to the new number.
async fn a_corrected_number_is_saved_and_its_message_waits(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let go_on = async || n.post(&format!("{base}/mensajeria"), &[]).await.redirect();
    let correct = async |telephone: &str| {
        let mut fields = GOOD.to_vec();
        fields[1] = ("telefono", telephone);
        n.post(&format!("{base}/contacto"), &fields).await.redirect();
    };
    assert!(go_on().await.ends_with("/gracias?por=mensajeria"));
    for number in ["622222222", "633333333", "644444444"] {
        n.scene.clock.advance(SignedDuration::from_mins(20));
        correct(number).await;
        assert_eq!(n.record(&base).await.lead.telefono_e164, format!("+34{number}"), "saved at once");
        let thanks = n.get(&go_on().await).await.page(200);
        assert!(thanks.contains("una persona de Reformas Peña lo comprueba"), "{thanks}");
        assert!(!thanks.contains("Te escribiremos"), "nothing is promised: {thanks}");
    }
    n.server().app.worker().run_jobs().await.unwrap();
    assert_eq!(telephones(&n), ["+34612345678"]);
    assert_eq!(waiting(&n, &base).await, 1, "told once");

    // With the first number messages go out again. People of the company, and programs with a key, may use any number.
    correct("612345678").await;
    assert!(go_on().await.ends_with("/gracias?por=mensajeria"));
    correct("644444444").await;
    for _ in 0..7 {
        let path = format!("/api/leads/{}/mensajeria", n.lead(&base));
        assert_eq!(n.server().post_text(&path, "").await.with(200)["senal"], true);
    }
    assert_eq!(telephones(&n)[1], "+34612345678");
    assert_eq!(telephones(&n)[2..], ["+34644444444"; 7]);
    // After a day the number belongs to the lead.
    n.scene.clock.advance(SignedDuration::from_hours(25));
    assert!(go_on().await.ends_with("/gracias?por=mensajeria"));
}

/// Pressing a button twice within a minute counts once.
async fn a_double_press_counts_once(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    for k in 0..5 {
        for _ in 0..2 {
            let place = n.post(&format!("{base}/mensajeria"), &[]).await.redirect();
            assert!(place.ends_with("/gracias?por=mensajeria"), "{k}: {place}");
        }
        n.scene.clock.advance(SignedDuration::from_mins(20));
    }
    let place = n.post(&format!("{base}/mensajeria"), &[]).await.redirect();
    assert!(!place.ends_with("/gracias?por=mensajeria"), "the sixth waits: {place}");
    assert_eq!(telephones(&n).len(), 5);
}

async fn messages_are_counted_by_telephone_and_by_address(engine: Engine) {
    let scene = Scene::with(engine, |m| {
        m.proxies = vec!["127.0.0.1".parse::<std::net::IpAddr>().unwrap().into()];
    })
    .await;
    let n = Visitor::with(scene);
    let message = async |telephone: &str, since: &str| {
        let ticket = n.ticket("tipo=bano").await;
        let mut fields = GOOD.to_vec();
        fields[1] = ("telefono", telephone);
        fields.extend([("boleto", ticket.as_str()), ("tipo", "bano")]);
        let form = n.request(CONTACT, &fields).header("x-forwarded-for", since);
        let base = n.server().send(form).await.redirect().strip_suffix("/calidad").unwrap().to_owned();
        let wish = n.request(&format!("{base}/mensajeria"), &[]).header("x-forwarded-for", since);
        n.server().send(wish).await.redirect().ends_with("por=mensajeria")
    };
    // One telephone, from many addresses.
    for k in 0..7 {
        assert_eq!(message("655 555 555", &format!("198.51.100.{k}")).await, k < 5, "{k}");
    }
    // Many telephones, from one subscriber.
    for k in 0..7 {
        let (telephone, since) = (format!("6666666{k}0"), format!("2001:db8::{k}"));
        assert_eq!(message(&telephone, &since).await, k < 5, "{k}");
    }
    assert!(message("677 777 777", "198.51.100.99").await, "others are not touched");
    assert_eq!(telephones(&n).len(), 11);
}

/// After a day the lead may have another number, which has not received a message yet.
async fn messages_are_counted_by_lead(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let wish =
        async || n.post(&format!("{base}/mensajeria"), &[]).await.redirect().ends_with("por=mensajeria");
    let pass = |minutes| n.scene.clock.advance(SignedDuration::from_mins(minutes));
    for k in 0..5 {
        assert!(wish().await, "{k}");
        pass(20);
    }
    pass(24 * 60);
    let mut fields = GOOD.to_vec();
    fields[1] = ("telefono", "655 555 555");
    n.post(&format!("{base}/contacto"), &fields).await.redirect();
    let mut more = 0;
    while wish().await {
        more += 1;
        pass(20);
    }
    assert!((1..5).contains(&more), "{more}: those of the day before still count");
}

async fn processes_count_leads_and_messages_together(engine: Engine) {
    let quota = Quota { leads_per_hour: 2, ..Quota::default() };
    let one = Visitor::with(Scene::with(engine, |m| m.web.quota = quota).await);
    let mut setup = embudo_testkit::Setup::at(engine);
    (setup.clock, setup.web.quota) = (one.scene.clock.clone(), quota);
    setup.outbound.mensajeria = Some(one.scene.receiver.url().parse().unwrap());
    let two = setup.start_beside(one.server()).await;
    let send = async |server: &embudo_testkit::Server| {
        let ticket = one.ticket("tipo=bano").await;
        let mut fields = GOOD.to_vec();
        fields.extend([("boleto", ticket.as_str()), ("tipo", "bano")]);
        let request = one.request(CONTACT, &fields).build().unwrap();
        let (kind, body) = (request.headers()["content-type"].clone(), request.body().unwrap().as_bytes());
        let body = body.unwrap().to_vec();
        let request = one.cliente.post(server.url(CONTACT)).header("content-type", kind).body(body);
        let answer = server.send(request).await;
        server.app.limits().flush().await.unwrap();
        answer
    };
    let base = send(one.server()).await.redirect();
    send(&two).await.redirect();
    send(one.server()).await.page(429);
    send(&two).await.page(429);
    // Each process also counts the messages that the other one allowed.
    let wish = format!("{}/mensajeria", base.strip_suffix("/calidad").unwrap());
    for n in 0..7 {
        let server = [one.server(), &two][n % 2];
        let place = server.send(one.cliente.post(server.url(&wish))).await.redirect();
        assert_eq!(place.ends_with("por=mensajeria"), n < 5, "{n}");
        server.app.limits().flush().await.unwrap();
        one.scene.clock.advance(SignedDuration::from_secs(61));
    }
}

both_engines!(
    a_corrected_number_is_saved_and_its_message_waits,
    a_double_press_counts_once,
    messages_are_counted_by_telephone_and_by_address,
    messages_are_counted_by_lead,
    processes_count_leads_and_messages_together,
    a_form_of_countless_parts_is_refused_at_once_and_notes_do_not_pile_up,
    a_pass_is_no_ticket,
    programs_are_told_what_everybody_is_told_and_nothing_is_kept,
    there_is_a_measure_for_leads_and_photos,
    what_turns_out_to_be_no_photo_has_counted_before_it_was_read,
    what_strangers_send_takes_none_of_the_callers_memory,
    a_pass_opens_its_form_and_nothing_else,
    bodies_that_make_no_sense_are_refused_as_pages,
);
