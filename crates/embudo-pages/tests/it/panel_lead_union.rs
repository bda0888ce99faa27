//! Two leads of one person: found, compared, united, shown as one, and separated again.

use embudo_domain::audit::AuditAction;
use embudo_domain::role::Role;
use embudo_domain::{LeadId, UserId};
use embudo_testkit::{Engine, Scene, both_engines, data_uri, jpeg};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::panel_lead_desk::{desk, log, person};
use crate::person::{Browser, PanelPage as _, a_visita, another_company};
use crate::visitor::hidden;

both_engines!(
    whoever_has_the_same_telephone_is_shown_and_compared,
    the_one_that_stands_for_both_shows_everything_of_both,
    a_united_lead_keeps_its_page_and_its_calls,
    what_cannot_be_united_is_refused,
);

async fn lead(scene: &Scene, nombre: &str, telefono: &str, email: &str) -> String {
    scene
        .server
        .lead_with(json!({ "nombre": nombre, "telefono": telefono, "email": email, "tipoReforma": "bano" }))
        .await
}

async fn say(scene: &Scene, lead: &str, text: &str) {
    scene.clock.advance(SignedDuration::from_secs(1));
    let turno: Value = json!({ "rol": "user", "mensaje": text });
    scene.server.post(&format!("/api/leads/{lead}/conversacion"), &turno).await.with(200);
}

async fn seller(scene: &Scene) -> Browser<'_> {
    person(scene, "Luis", Role::Comercial).await;
    Browser::signed(scene, "luis@ejemplo.es").await
}

async fn luis(scene: &Scene) -> UserId {
    let users = scene.server.app.store.list_users().await.unwrap();
    users.into_iter().find(|user| user.nombre == "Luis").unwrap().id
}

async fn unite(browser: &Browser<'_>, from: &str, with: &str, principal: &str) {
    let fields = [("con", with), ("principal", principal)];
    let united = browser.post(&format!("/panel/leads/{from}/unir"), &fields).await;
    united.to(&format!("/panel/leads/{principal}?hecho=unido#gestion"));
}

async fn whoever_has_the_same_telephone_is_shown_and_compared(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let one = lead(&scene, "Marta Ruiz", "612 00 00 01", "marta@ejemplo.es").await;
    let two = lead(&scene, "Marta R. <b>", "+34612000001", "otra@ejemplo.es").await;
    let mail = lead(&scene, "Marido", "612000009", "MARTA@ejemplo.es").await;
    let alone = lead(&scene, "Sola", "612000002", "sola@ejemplo.es").await;
    let seen = browser.get(&format!("/panel/leads/{one}")).await.panel(200);
    for shown in ["Puede ser la misma persona", "mismo teléfono", "mismo correo", "Marido", &mail] {
        assert!(seen.contains(shown), "{shown}: {seen}");
    }
    assert!(!seen.contains(&alone) && !seen.contains("<b>"), "{seen}");
    let link = format!("/panel/leads/{one}/unir?con={two}");
    assert!(seen.contains(&link), "{seen}");
    assert!(!browser.get(&format!("/panel/leads/{alone}")).await.panel(200).contains("Puede ser la misma"));
    let both = browser.get(&link).await.panel(200);
    for shown in [
        "Marta Ruiz",
        "otra@ejemplo.es",
        "612 00 00 01",
        "coincide",
        "Última actividad",
        "Quedarse con este",
        "quedarse con este",
    ] {
        let (both, shown) = (both.to_lowercase(), shown.to_lowercase());
        assert!(both.contains(&shown), "{shown}: {both}");
    }
    assert!(!both.contains("<b>"), "{both}");
    browser.get(&format!("/panel/leads/{one}/unir")).await.to(&format!("/panel/leads/{one}#gestion"));
    person(&scene, "Vera", Role::Lectura).await;
    let reads = Browser::signed(&scene, "vera@ejemplo.es").await;
    let both = reads.get(&link).await.panel(200);
    assert!(!both.contains("<button class=\"boton\""), "{both}");
}

async fn the_one_that_stands_for_both_shows_everything_of_both(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let main = lead(&scene, "Marta Ruiz", "612000001", "marta@ejemplo.es").await;
    let other = lead(&scene, "Marta otra vez", "612000001", "otra@ejemplo.es").await;
    say(&scene, &main, "desde el primero").await;
    say(&scene, &other, "desde el segundo").await;
    let foto = json!({ "items": [{ "tipo": "foto", "imagen": data_uri(&jpeg(64, 48)) }], "finalizar": true });
    scene.server.post(&format!("/api/leads/{other}/ingesta"), &foto).await.with(200);
    let once = hidden(&browser.get(&format!("/panel/leads/{other}")).await.panel(200), "vez");
    browser
        .post(&format!("/panel/leads/{other}/notas"), &[("vez", &once), ("nota", "nota del segundo")])
        .await;
    for n in 0..70 {
        let of = if n % 2 == 0 { &main } else { &other };
        say(&scene, of, &format!("mensaje largo {n}.")).await;
    }
    let visit = a_visita(&scene, LeadId::parse(&other).unwrap(), vec![luis(&scene).await]).await;
    unite(&browser, &main, &other, &main).await;
    unite(&browser, &main, &other, &main).await;
    assert_eq!(log(&scene, AuditAction::LeadUnited).await.len(), 1, "pressed twice it is one press");

    let page = format!("/panel/leads/{main}");
    let seen = browser.get(&page).await.panel(200);
    assert!(seen.contains("Leads unidos a este") && !seen.contains("Puede ser la misma persona"), "{seen}");
    let record = scene.server.app.store.record(LeadId::parse(&other).unwrap()).await.unwrap();
    let number = record.presupuestos[0].number.to_string();
    let notes = browser.get(&format!("{page}?ver=internas")).await.panel(200);
    assert!(notes.contains("nota del segundo"), "{notes}");
    for shown in [
        "lead de Marta otra vez, ",
        &format!("/panel/leads/{other}/fotos/{}", record.fotos[0].id),
        &format!("/panel/leads/{other}/presupuestos/{number}"),
        &format!("/panel/leads/{other}/separar"),
        &format!("/panel/visitas/{visit}"),
    ] {
        assert!(seen.contains(shown), "{shown}: {seen}");
    }
    // The chats of both leads are merged, with pages, and each line occurs once.
    let (mut path, mut all, mut pages) = (format!("{page}?ver=conversacion"), String::new(), 0);
    loop {
        let seen = browser.get(&path).await.panel(200);
        pages += 1;
        let older = seen.split("<a class=\"boton-2\" href=\"").find(|part| part.contains("antes="));
        let next =
            older.map(|link| link.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&"));
        all.push_str(&seen);
        match next {
            Some(next) => path = next.split('#').next().unwrap().to_owned(),
            None => break,
        }
    }
    assert!(pages >= 2, "{pages}");
    assert_eq!(all.matches("desde el primero").count(), 1);
    assert_eq!(all.matches("desde el segundo").count(), 1);
    for n in 0..70 {
        assert_eq!(all.matches(&format!("mensaje largo {n}.")).count(), 1, "{n}");
    }
    // The inbox shows only one of them.
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
    let list = browser.get("/panel/leads").await.panel(200);
    assert!(list.contains(&format!("lead-{main}")) && !list.contains(&format!("lead-{other}")), "{list}");
}

async fn a_united_lead_keeps_its_page_and_its_calls(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let main = lead(&scene, "Marta Ruiz", "612000001", "marta@ejemplo.es").await;
    let other = lead(&scene, "Marta otra vez", "612000001", "otra@ejemplo.es").await;
    unite(&browser, &other, &main, &main).await;
    say(&scene, &other, "sigo escribiendo al segundo").await;
    let own = browser.get(&format!("/panel/leads/{other}")).await.panel(200);
    assert!(own.contains("Este lead está unido a") && own.contains(&format!("href=\"/panel/leads/{main}\"")));
    assert!(own.contains("sigo escribiendo al segundo") && !own.contains("Puede ser la misma persona"));
    let both = browser.get(&format!("/panel/leads/{main}")).await.panel(200);
    assert!(both.contains("sigo escribiendo al segundo"), "{both}");
    for _ in 0..2 {
        let answer = browser.post(&format!("/panel/leads/{other}/separar"), &[]).await;
        assert_eq!(answer.status.as_u16(), 303);
    }
    let entries = log(&scene, AuditAction::LeadSeparated).await;
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].before.as_deref(), Some(format!("con {main}").as_str()));
    assert_eq!(desk(&scene, &other).await.principal, None);
    let both = browser.get(&format!("/panel/leads/{main}")).await.panel(200);
    assert!(!both.contains("sigo escribiendo al segundo") && both.contains("Puede ser la misma persona"));
}

async fn what_cannot_be_united_is_refused(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let a = lead(&scene, "A", "612000001", "a@ejemplo.es").await;
    let b = lead(&scene, "B", "612000001", "b@ejemplo.es").await;
    let c = lead(&scene, "C", "612000001", "c@ejemplo.es").await;
    let other = another_company(&scene).await;
    let fields = json!({ "telefono": "612000001", "tenantId": other.id });
    let foreign = scene.server.lead_with(fields).await;
    let place = format!("/panel/leads/{a}/unir");
    for con in [&foreign, &a, crate::NOBODY] {
        browser.get(&format!("{place}?con={con}")).await.panel(404);
        browser.post(&place, &[("con", con), ("principal", &a)]).await.panel(404);
    }
    browser.post(&place, &[("con", &b), ("principal", &c)]).await.panel(422);
    unite(&browser, &a, &b, &a).await;
    let full = browser.get(&format!("/panel/leads/{c}/unir?con={a}")).await.panel(200);
    assert!(full.contains("El otro ya representa a más leads"), "{full}");
    let refused = browser.post(&format!("/panel/leads/{c}/unir"), &[("con", &a), ("principal", &c)]).await;
    assert!(refused.panel(422).contains("ya está unido"));
    let refused = browser.post(&format!("/panel/leads/{c}/unir"), &[("con", &b), ("principal", &b)]).await;
    assert!(refused.panel(422).contains("ya está unido"));
    unite(&browser, &c, &a, &a).await;
    assert_eq!(desk(&scene, &a).await.united.len(), 2);
}
