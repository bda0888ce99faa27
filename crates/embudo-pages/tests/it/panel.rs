//! Set-up, sign-in and sessions.

use embudo_app::WithLinks;
use embudo_delivery::Links;
use embudo_domain::role::Role;
use embudo_testkit::{Engine, Scene, both_engines};
use jiff::SignedDuration;

use crate::person::{Browser, PASSWORD, PanelPage, add, panel};

both_engines!(
    the_first_administrator_comes_by_the_link,
    a_person_signs_in_and_out,
    an_unknown_person_and_a_wrong_password_look_the_same,
    a_planted_token_is_worth_nothing,
    forms_from_elsewhere_are_refused,
    sessions_end_by_their_time,
    a_device_of_ones_own_is_remembered,
    cookies_are_secure_behind_https,
    people_are_led_back_to_what_they_asked_for,
    light_or_dark_is_remembered,
);

async fn the_first_administrator_comes_by_the_link(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("panel-setup");
    std::fs::write(&file, "x").unwrap();
    let scene = Scene::with(engine, |m| m.web.set_up_file = Some(file.clone())).await;
    let browser = Browser::new(&scene);
    browser.get("/panel").await.to("/panel/empezar");
    browser.get("/panel/entrar").await.to("/panel/empezar");
    let without = browser.get("/panel/empezar").await.panel(200);
    assert!(without.contains("panel-setup") && !without.contains("<form"), "{without}");
    assert!(!browser.get("/panel/empezar?pase=falso").await.panel(404).contains("name=\"clave\""));

    let pass = scene.server.app.access().set_up_pass();
    let page = browser.get(&format!("/panel/empezar?pase={pass}")).await.panel(200);
    assert!(page.contains("name=\"clave\""));
    let send = async |pass: &str, email: &str, password: &str| {
        let fields = [("pase", pass), ("nombre", "Ana <b>"), ("correo", email), ("clave", password)];
        browser.post("/panel/empezar", &fields).await
    };
    let short = send(&pass, "ana@ejemplo.es", "corta").await.panel(422);
    assert!(short.contains("12 caracteres") && short.contains("value=\"Ana &#60;b&#62;\""), "{short}");
    assert!(send(&pass, "ana", PASSWORD).await.panel(422).contains("correo-error"));
    send("falso", "ana@ejemplo.es", PASSWORD).await.panel(404);
    assert!(file.exists() && !scene.server.app.store.any_user().await.unwrap());
    send(&pass, "ana@ejemplo.es", PASSWORD).await.to("/panel");
    assert!(!file.exists(), "the used link is gone");
    browser.get("/panel").await.to("/panel/leads");
    assert!(browser.get("/panel/cuenta").await.panel(200).contains("Administras el panel"));

    let late = Browser::new(&scene);
    late.get(&format!("/panel/empezar?pase={pass}")).await.to("/panel");
    let fields = [("pase", pass.as_str()), ("nombre", "Malo"), ("correo", "m@x.es"), ("clave", PASSWORD)];
    late.post("/panel/empezar", &fields).await.panel(404);
    assert_eq!(scene.server.app.store.list_users().await.unwrap().len(), 1);
}

async fn a_person_signs_in_and_out(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::new(&scene);
    browser.get("/panel").await.to("/panel/entrar");
    assert!(browser.get("/panel/entrar").await.panel(200).contains("Entra en el panel"));
    browser.sign_in(" ANA@ejemplo.es ", PASSWORD).await.to("/panel");
    browser.get("/panel/entrar").await.to("/panel");
    browser.get("/panel/cuenta").await.panel(200);
    let token = browser.token();
    browser.post("/panel/salir", &[]).await.to("/panel/entrar?aviso=fuera");
    assert_eq!(browser.token(), None);
    browser.set_token(token);
    browser.get("/panel/cuenta").await.to("/panel/entrar?a=%2Fpanel%2Fcuenta");
}

async fn an_unknown_person_and_a_wrong_password_look_the_same(engine: Engine) {
    let scene = panel(engine).await;
    let away = add(&scene, "luis@ejemplo.es", Some(Role::Gestor), None).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let path = format!("/panel/usuarios/{}", away.id);
    admin.post(&path, &[("clave", PASSWORD)]).await.to(&format!("{path}?hecho"));

    let mut answers = Vec::new();
    for (email, password) in [
        ("ana@ejemplo.es", "otra cosa muy distinta"),
        ("nadie@ejemplo.es", PASSWORD),
        ("luis@ejemplo.es", PASSWORD),
        ("no es un correo", PASSWORD),
        ("ana@ejemplo.es", ""),
    ] {
        let browser = Browser::new(&scene);
        let page = browser.sign_in(email, password).await.panel(422);
        assert_eq!(browser.token(), None);
        assert!(!page.contains("otra cosa"), "a password never comes back");
        answers.push(page.replace(email, "X"));
    }
    assert!(answers.windows(2).all(|two| two[0] == two[1]), "{answers:#?}");
}

async fn a_planted_token_is_worth_nothing(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::new(&scene);
    browser.set_token(Some("plantado".into()));
    browser.sign_in("ana@ejemplo.es", PASSWORD).await.to("/panel");
    let first = browser.token().unwrap();
    assert_ne!(first, "plantado");
    browser.sign_in("ana@ejemplo.es", PASSWORD).await.to("/panel");
    let second = browser.token().unwrap();
    assert_ne!(first, second);
    for (token, stands) in [("plantado", false), (first.as_str(), false), (second.as_str(), true)] {
        let other = Browser::new(&scene);
        other.set_token(Some(token.to_owned()));
        let status = other.get("/panel/cuenta").await.status.as_u16();
        assert_eq!(status, if stands { 200 } else { 303 }, "{token}");
    }
}

async fn forms_from_elsewhere_are_refused(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let rename = || browser.form("/panel/cuenta", &[("nombre", "Malo")]);
    for refused in [
        rename(),
        rename().header("sec-fetch-site", "cross-site"),
        rename().header("sec-fetch-site", "same-site").header("origin", "http://otro.ejemplo.es"),
        rename().header("sec-fetch-site", "none"),
        rename().header("origin", "null"),
        rename().header("origin", "https://malo.es"),
        browser.form("/panel/entrar", &[("correo", "ana@ejemplo.es"), ("clave", PASSWORD)]),
        browser.form("/panel/salir", &[]).header("sec-fetch-site", "cross-site"),
    ] {
        assert!(browser.send(refused).await.panel(403).contains("No venía de esta página"));
    }
    let own = rename().header("origin", scene.server.url("")).send().await.unwrap();
    assert_eq!(own.status().as_u16(), 303, "a session is needed too, and the origin is ours");
    browser.send(rename().header("origin", scene.server.url(""))).await.to("/panel/cuenta?hecho=nombre");
}

async fn sessions_end_by_their_time(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let pass = |minutes| scene.clock.advance(SignedDuration::from_mins(minutes));
    pass(29);
    browser.get("/panel/cuenta").await.panel(200);
    pass(29);
    browser.get("/panel/cuenta").await.panel(200);
    pass(30);
    browser.get("/panel/cuenta").await.to("/panel/entrar?a=%2Fpanel%2Fcuenta");

    let busy = Browser::signed(&scene, "ana@ejemplo.es").await;
    for _ in 0..35 {
        pass(20);
        busy.get("/panel/cuenta").await.panel(200);
    }
    pass(20);
    busy.get("/panel/cuenta").await.to("/panel/entrar?a=%2Fpanel%2Fcuenta");
    assert!(scene.server.app.housekeeping().purge_expired().await.unwrap() >= 1, "what ended is deleted");
}

async fn a_device_of_ones_own_is_remembered(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::new(&scene);
    let fields = [("correo", "ana@ejemplo.es"), ("clave", PASSWORD), ("propio", "si")];
    let answer = browser.post("/panel/entrar", &fields).await;
    assert!(answer.header("set-cookie").unwrap().contains("Max-Age=2592000"));
    scene.clock.advance(SignedDuration::from_hours(29 * 24));
    assert!(browser.get("/panel/cuenta").await.panel(200).contains("dispositivo propio"));
    scene.clock.advance(SignedDuration::from_hours(24));
    browser.get("/panel/cuenta").await.to("/panel/entrar?a=%2Fpanel%2Fcuenta");
}

async fn cookies_are_secure_behind_https(engine: Engine) {
    let scene = Scene::with(engine, |m| {
        m.proxies = vec!["127.0.0.1".parse::<std::net::IpAddr>().unwrap().into()];
        let links = Links::new(b"secreto");
        m.outbound.links = Some(WithLinks { links, public_url: "https://obras.es".into() });
    })
    .await;
    add(&scene, "ana@ejemplo.es", Some(Role::Administrador), None).await;
    let browser = Browser::new(&scene);
    let fields = [("correo", "ana@ejemplo.es"), ("clave", PASSWORD)];
    let request = browser.form("/panel/entrar", &fields).header("host", "obras.es");
    let request = request.header("origin", "https://obras.es").header("x-forwarded-proto", "https");
    let answer = browser.send(request).await;
    let cookie = answer.header("set-cookie").unwrap().to_owned();
    assert!(cookie.starts_with("__Host-embudo=") && cookie.contains("; Secure"), "{cookie}");
    assert!(cookie.contains("; Path=/;") && !cookie.contains("Domain") && !cookie.contains("Max-Age"));
    assert!(answer.header("strict-transport-security").is_some());
    let token = cookie.split(['=', ';']).nth(1).unwrap();
    let ask = async |cookie: String| {
        let request = scene.server.cliente.get(scene.server.url("/panel/cuenta")).header("host", "obras.es");
        scene.server.send(request.header("x-forwarded-proto", "https").header("cookie", cookie)).await
    };
    ask(format!("__Host-embudo={token}")).await.panel(200);
    let plain = ask(format!("embudo-sesion={token}")).await;
    assert!(plain.text.contains("Entra en el panel"), "a cookie that others could plant is not believed");
}

async fn people_are_led_back_to_what_they_asked_for(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::new(&scene);
    browser.get("/panel/registro?persona=x").await.to("/panel/entrar?a=%2Fpanel%2Fregistro%3Fpersona%3Dx");
    let page = browser.get("/panel/entrar?a=%2Fpanel%2Fregistro%3Fpersona%3Dx").await.panel(200);
    assert!(page.contains("name=\"a\" value=\"/panel/registro?persona=x\""), "{page}");
    for (asked, place) in [
        ("/panel/registro", "/panel/registro"),
        ("/panel/leads/x?ver=notas#historia", "/panel/leads/x?ver=notas#historia"),
        ("//malo.es", "/panel"),
        ("https://x", "/panel"),
        ("/panel/..//malo.es", "/panel"),
        ("/panel/%2e%2e/%2Fmalo.es", "/panel"),
        ("/panel/\\malo.es", "/panel"),
        ("/panel/\r\nSet-Cookie: a=b", "/panel"),
        ("javascript:alert(1)", "/panel"),
    ] {
        let fields = [("correo", "ana@ejemplo.es"), ("clave", PASSWORD), ("a", asked)];
        Browser::new(&scene).post("/panel/entrar", &fields).await.to(place);
    }
    assert!(browser.get("/panel/nada").await.panel(404).contains("Ir al panel"));
}

async fn light_or_dark_is_remembered(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::new(&scene);
    let answer = browser.post("/panel/tema", &[("tema", "oscuro"), ("a", "/panel/entrar")]).await;
    assert!(answer.header("set-cookie").unwrap().starts_with("embudo-tema=oscuro; Path=/panel;"));
    answer.to("/panel/entrar");
    let request =
        scene.server.cliente.get(scene.server.url("/panel/entrar")).header("cookie", "embudo-tema=oscuro");
    assert!(scene.server.send(request).await.panel(200).contains("<html lang=\"es\" data-tema=\"oscuro\">"));
    let odd =
        scene.server.cliente.get(scene.server.url("/panel/entrar")).header("cookie", "embudo-tema=\"><b>");
    assert!(scene.server.send(odd).await.panel(200).contains("<html lang=\"es\">"));
}
