//! What the public form asks back: areas, telephones, addresses and budgets that look like slips. And what it promises.

use embudo_domain::marca::Marca;
use embudo_testkit::{Engine, both_engines};

use crate::navegante::{BUENOS, Navegante, Pagina, oculto};
use embudo_testkit::Scene;

const CONTACTO: &str = "/f/reformas-pena/contacto";

async fn an_area_out_of_the_ordinary_is_asked_about(motor: Engine) {
    let n = Navegante::en(motor).await;
    for (m2, leidos) in [("1.200", "1.200 m²"), ("1000", "1.000 m²"), ("0,5", "0,5 m²")] {
        let pagina = n.get(&format!("{CONTACTO}?tipo=bano&m2={m2}")).await.pagina(422);
        assert!(
            pagina.contains(&format!("¿Seguro que son {leidos}?")) && pagina.contains("un baño"),
            "{pagina}"
        );
        assert!(pagina.contains("Comprueba una cosa antes de seguir:"));
        assert!(pagina.contains(&format!("value=\"{m2}\"")));
        let seguro = oculto(&pagina, "seguro").replace('=', "%3D");
        let insiste = n.get(&format!("{CONTACTO}?tipo=bano&m2={m2}&seguro={seguro}")).await.pagina(200);
        assert_eq!(oculto(&insiste, "m2"), leidos.trim_end_matches(" m²").replace('.', ""));
        // Another odd one is another question.
        n.get(&format!("{CONTACTO}?tipo=bano&m2=999&seguro={seguro}")).await.pagina(422);
    }
    for nada in ["0", "-5"] {
        let pagina = n.get(&format!("{CONTACTO}?tipo=bano&m2={nada}")).await.pagina(422);
        assert!(pagina.contains("más de 0") && !pagina.contains("con números"));
        assert!(pagina.contains("Revisa una cosa:"));
    }
    let base = n.alta().await;
    let metros = format!("{base}/metros");
    let pagina = n.post(&metros, &[("m2", "1.000")]).await.pagina(422);
    let seguro = oculto(&pagina, "seguro");
    n.post(&metros, &[("m2", "1.000"), ("seguro", &seguro)]).await.a();
    assert_eq!(n.ficha(&base).await.lead.perfil.m2_suelo, Some(1_000.0));
}

async fn the_first_button_of_every_form_goes_on(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    let paginas = [
        "/f/reformas-pena/metros?tipo=bano".to_owned(),
        format!("{CONTACTO}?tipo=bano"),
        format!("{base}/metros"),
        format!("{base}/contacto"),
        format!("{base}/calidad"),
    ];
    for ruta in paginas {
        let pagina = n.get(&ruta).await.pagina(200);
        let primero = pagina.split("<button").nth(1).unwrap().split("</button>").next().unwrap();
        assert!(primero.ends_with(">Continuar") && !primero.contains("name="), "{ruta}: {primero}");
    }
}

async fn slips_are_asked_about_once(motor: Engine) {
    let n = Navegante::en(motor).await;
    let boleto = n.boleto("tipo=bano").await;
    let mut campos = BUENOS.to_vec();
    campos[1] = ("telefono", "512 34 56 78");
    campos[2] = ("email", "ana@gmail.con");
    campos.extend([("boleto", boleto.as_str()), ("tipo", "bano")]);
    let pagina = n.post(CONTACTO, &campos).await.pagina(422);
    assert!(pagina.contains("Comprueba 2 cosas antes de seguir:"));
    assert!(pagina.contains("empiezan por 6, 7, 8 o 9") && pagina.contains("¿Querías decir ana@gmail.com?"));
    assert!(pagina.contains("name=\"email\" value=\"ana@gmail.com\""));
    let seguros: Vec<String> = pagina
        .split("name=\"seguro\" value=\"")
        .skip(1)
        .map(|p| p.split('"').next().unwrap().replace("&#61;", "="))
        .collect();
    assert_eq!(seguros.len(), 2);
    campos.extend(seguros.iter().map(|s| ("seguro", s.as_str())));
    let lugar = n.post(CONTACTO, &campos).await.a();
    let base = lugar.strip_suffix("/calidad").unwrap();
    assert_eq!(n.ficha(base).await.lead.email, "ana@gmail.con", "insisted on");
    // What the button of the suggestion sends comes after the box.
    campos.push(("email", "ana@gmail.com"));
    n.post(CONTACTO, &campos).await.a();
    assert_eq!(n.ficha(base).await.lead.email, "ana@gmail.com");

    let calidad = format!("{base}/calidad");
    let pagina = n.post(&calidad, &[("presupuesto", "0 €")]).await.pagina(422);
    assert!(pagina.contains("¿Seguro que son 0"), "{pagina}");
    let seguro = oculto(&pagina, "seguro");
    n.post(&calidad, &[("presupuesto", "0 €"), ("seguro", &seguro)]).await.a();
    assert_eq!(n.ficha(base).await.lead.perfil.presupuesto_target_cents, Some(0));
}

async fn missing_is_not_wrong(motor: Engine) {
    let n = Navegante::en(motor).await;
    let boleto = n.boleto("tipo=bano").await;
    let falta =
        n.post(CONTACTO, &[("boleto", &boleto), ("tipo", "bano"), ("nombre", "Ana")]).await.pagina(422);
    assert!(falta.contains("Faltan 2 cosas:"));
    let mal = [
        ("boleto", boleto.as_str()),
        ("tipo", "bano"),
        ("nombre", "Ana"),
        ("telefono", "61"),
        ("email", "x"),
    ];
    assert!(n.post(CONTACTO, &mal).await.pagina(422).contains("Revisa 2 cosas:"));
}

async fn the_end_promises_what_is_configured(motor: Engine) {
    let configurada = Navegante::en(motor).await;
    let base = configurada.alta().await;
    let marca = Marca { mensajeria: Some("Telegram".into()), ..Marca::default() };
    configurada.s().app.store.save_marca(configurada.s().empresa.id, marca).await.unwrap();
    assert!(configurada.get(&format!("{base}/resumen")).await.pagina(200).contains("Seguir por Telegram"));
    let gracias = configurada.get(&format!("{base}/gracias?por=mensajeria")).await.pagina(200);
    assert!(gracias.contains("Seguimos por Telegram") && gracias.contains("Te escribiremos al 612 34 56 78"));
    assert!(gracias.contains("te llegará el presupuesto por Telegram"), "no mail is configured: {gracias}");

    let nada = Scene::con(motor, |m| {
        (m.outbound.mensajeria, m.outbound.pdf, m.outbound.perfil) = (None, None, None);
    })
    .await;
    let n = Navegante::con(nada);
    let base = n.alta().await;
    let carta = n.get(&format!("{base}/resumen")).await.pagina(200);
    assert!(!carta.contains("WhatsApp") && !carta.contains("te enviaremos"), "{carta}");
    assert!(carta.contains("Prefiero que me llaméis"));
    for por in ["mensajeria", "llamada", ""] {
        let gracias = n.get(&format!("{base}/gracias?por={por}")).await.pagina(200);
        for promesa in ["Te escribiremos", "te llegará", "Hemos avisado", "Te llamaremos"] {
            assert!(!gracias.contains(promesa), "{por}: {promesa}");
        }
        assert!(gracias.contains("queda en manos de Reformas Peña"), "{gracias}");
    }
}

both_engines!(
    an_area_out_of_the_ordinary_is_asked_about,
    the_first_button_of_every_form_goes_on,
    slips_are_asked_about_once,
    missing_is_not_wrong,
    the_end_promises_what_is_configured,
);
