//! Going back and forth in the public form: one person is one lead, and a change made from the letter leads back to it.

use embudo_store::query::FiltroLeads;
use embudo_testkit::{Engine, both_engines};
use jiff::SignedDuration;

use crate::navegante::{BUENOS, Navegante, Pagina, oculto};

const CONTACTO: &str = "/f/reformas-pena/contacto";

async fn cuantos(n: &Navegante) -> usize {
    n.s().app.store.list_leads(FiltroLeads::default(), None, 10).await.unwrap().len()
}

async fn back_correct_continue_is_one_lead(motor: Engine) {
    let n = Navegante::en(motor).await;
    let boleto = oculto(&n.get("/f/reformas-pena").await.pagina(200), "boleto");
    let metros = format!("/f/reformas-pena/metros?tipo=bano&boleto={boleto}");
    assert_eq!(oculto(&n.get(&metros).await.pagina(200), "boleto"), boleto);
    let contacto = format!("{CONTACTO}?tipo=bano&boleto={boleto}&m2=5");
    let pagina = n.get(&contacto).await;
    assert_eq!(pagina.cabecera("cache-control"), Some("no-cache"), "going back shows what was typed");
    assert_eq!(pagina.cabecera("x-robots-tag"), Some("noindex"));
    assert_eq!(oculto(&pagina.pagina(200), "boleto"), boleto);
    n.escena.reloj.advance(SignedDuration::from_secs(20));
    let enviar = async |cambios: &[(&str, &str)]| {
        let mut campos = BUENOS.to_vec();
        campos.extend([("boleto", boleto.as_str()), ("tipo", "bano"), ("m2", "5")]);
        campos.extend_from_slice(cambios);
        n.post(CONTACTO, &campos).await.a().strip_suffix("/calidad").unwrap().to_owned()
    };
    let base = enviar(&[]).await;
    // Back by the browser's button: the page asked for again carries the same ticket, and shows nothing of the lead.
    let otra_vez = n.get(&contacto).await.pagina(200);
    assert_eq!(oculto(&otra_vez, "boleto"), boleto);
    assert!(!otra_vez.contains("Ana"));
    let corregida = enviar(&[("telefono", "600 11 22 33")]).await;
    // Further back: another size, then another type of which the size is not known.
    enviar(&[("m2", "7")]).await;
    assert_eq!(n.ficha(&base).await.lead.perfil.m2_suelo, Some(7.0));
    enviar(&[("tipo", "cocina"), ("m2", "")]).await;
    assert_eq!((cuantos(&n).await, n.lead(&corregida)), (1, n.lead(&base)));
    let perfil = n.ficha(&base).await.lead.perfil;
    assert_eq!((perfil.tipo_reforma.unwrap().as_str(), perfil.m2_suelo), ("cocina", None));
    // An address that was passed on: somebody else is somebody else, once.
    let eva = [("nombre", "Eva Ruiz"), ("telefono", "655443322"), ("email", "eva@ejemplo.es")];
    let suya = enviar(&eva).await;
    assert_eq!(n.lead(&enviar(&eva).await), n.lead(&suya));
    assert_eq!(cuantos(&n).await, 2);
    assert_eq!(n.ficha(&base).await.lead.nombre, "Ana García");
}

async fn a_step_back_keeps_what_was_typed(motor: Engine) {
    let n = Navegante::en(motor).await;
    let boleto = n.boleto("tipo=bano&m2=5").await;
    let contacto = n.get(&format!("{CONTACTO}?tipo=bano&m2=5&boleto={boleto}")).await.pagina(200);
    assert!(contacto.contains("form=\"contacto\" formaction=\"/f/reformas-pena/metros\""));
    let mut campos = vec![("nombre", "Ana"), ("telefono", "6123"), ("email", ""), ("provincia", "Burgos")];
    campos.extend([("comercial", "si"), ("boleto", boleto.as_str()), ("tipo", "bano"), ("m2", "5")]);
    let metros = n.post("/f/reformas-pena/metros", &campos).await;
    assert_eq!(metros.cabecera("cache-control"), Some("no-store"));
    let metros = metros.pagina(200);
    assert!(metros.contains("method=\"post\"") && metros.contains("value=\"5\""), "{metros}");
    for (nombre, valor) in &campos[..6] {
        assert_eq!(oculto(&metros, nombre), *valor);
    }
    let vuelve = oculto(&metros, "vuelve");
    campos.pop();
    campos.push(("vuelve", &vuelve));
    let mut otra_vez = campos.clone();
    otra_vez.push(("m2", "muchos"));
    let mal = n.post(CONTACTO, &otra_vez).await.pagina(422);
    assert_eq!((oculto(&mal, "nombre").as_str(), mal.contains("con números")), ("Ana", true));
    campos.push(("m2", "7"));
    let pagina = n.post(CONTACTO, &campos).await.pagina(200);
    assert!(pagina.contains("value=\"6123\"") && pagina.contains("<option selected>Burgos"));
    assert!(pagina.contains("value=\"si\" checked") && !pagina.contains("class=\"error"));
    assert_eq!((oculto(&pagina, "m2"), oculto(&pagina, "boleto")), ("7".to_owned(), boleto.clone()));
    assert_eq!(cuantos(&n).await, 0, "nothing was sent yet");
}

async fn a_changed_mind_about_offers_is_written_down(motor: Engine) {
    let n = Navegante::en(motor).await;
    let boleto = n.boleto("tipo=bano").await;
    let mut base = String::new();
    for comercial in ["si", "si", "", "", "si"] {
        let mut campos = BUENOS.to_vec();
        campos.extend([("boleto", boleto.as_str()), ("tipo", "bano"), ("comercial", comercial)]);
        let lugar = n.post(CONTACTO, &campos).await.a();
        base = lugar.strip_suffix("/calidad").unwrap().to_owned();
    }
    let ficha = n.ficha(&base).await;
    let comercial = ficha.consentimientos.iter().filter(|c| c.finalidad == "comercial");
    assert_eq!(comercial.map(|c| c.otorgado).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(ficha.consentimientos.iter().filter(|c| c.finalidad == "informacion_privacidad").count(), 1);
}

async fn a_change_from_the_letter_leads_back_to_it(motor: Engine) {
    let n = Navegante::en(motor).await;
    // Somebody who answered no more than they had to.
    let base = n.alta().await;
    let resumen = format!("{base}/resumen");
    let carta = n.get(&resumen).await.pagina(200);
    let mut datos = BUENOS.to_vec();
    datos[0] = ("nombre", "Ana G.");
    let pasos: [(&str, &[(&str, &str)]); 4] = [
        ("contacto", &datos),
        ("metros", &[("m2", "6")]),
        ("calidad", &[("calidad", "media")]),
        ("tipo", &[("tipo", "bano")]),
    ];
    for (paso, campos) in pasos {
        let ruta = format!("{base}/{paso}?desde=resumen");
        assert!(carta.contains(&format!("href=\"{ruta}\"")), "{paso}");
        let pagina = n.get(&ruta).await.pagina(200);
        assert!(pagina.contains(&format!("action=\"{ruta}\"")), "{paso}");
        assert!(pagina.contains(&format!("class=\"atras\" href=\"{resumen}\"")) || paso == "tipo", "{paso}");
        assert_eq!(n.post(&ruta, campos).await.a(), resumen, "{paso}");
    }
    // Another type asks for its size first.
    let tipo = format!("{base}/tipo?desde=resumen");
    assert_eq!(n.post(&tipo, &[("tipo", "cocina")]).await.a(), format!("{base}/metros?desde=resumen"));
    assert_eq!(n.ficha(&base).await.lead.perfil.m2_suelo, None, "the bathroom's size is not the kitchen's");
    let metros = format!("{base}/metros?desde=resumen");
    assert!(n.get(&metros).await.pagina(200).contains(
        "name=\"m2\" type=\"text\" inputmode=\"decimal\" autocomplete=\"off\" maxlength=\"9\" value=\"\""
    ));
    assert_eq!(n.post(&metros, &[("no-se", "1"), ("m2", "")]).await.a(), resumen);
}

async fn what_is_emptied_is_taken_back(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    let calidad = format!("{base}/calidad");
    let todo =
        [("calidad", "media"), ("estructural", "si"), ("presupuesto", "9.000"), ("gustos", "Madera clara")];
    n.post(&calidad, &todo).await.a();
    n.post(&calidad, &[("calidad", "media"), ("estructural", ""), ("presupuesto", ""), ("gustos", "")])
        .await
        .a();
    let perfil = n.ficha(&base).await.lead.perfil;
    assert_eq!((perfil.estructural, perfil.taste_text), (None, None));
    assert_eq!((perfil.presupuesto_target_cents, perfil.presupuesto_declarado), (None, None));
    assert!(perfil.calidad_global.is_some());
    n.post(&format!("{base}/metros"), &[("m2", "6"), ("no-se", "1")]).await.a();
    assert_eq!(n.ficha(&base).await.lead.perfil.m2_suelo, None);
}

both_engines!(
    a_step_back_keeps_what_was_typed,
    back_correct_continue_is_one_lead,
    a_changed_mind_about_offers_is_written_down,
    a_change_from_the_letter_leads_back_to_it,
    what_is_emptied_is_taken_back,
);
