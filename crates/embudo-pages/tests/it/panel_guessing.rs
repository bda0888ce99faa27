//! Guessing is limited, whatever is guessed and from wherever.

use embudo_app::{Actor, Change};
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::role::Role;
use embudo_pages::LoginQuota;
use embudo_testkit::{Engine, PATIENCE, Scene, both_engines};
use jiff::SignedDuration;

use crate::person::{Browser, PASSWORD, PanelPage, add, panel};

both_engines!(
    passwords_are_guessed_ten_times_and_no_more,
    an_address_is_counted_whatever_it_says,
    codes_and_old_passwords_are_counted_too,
    looking_at_a_page_uses_up_nothing,
    strangers_lock_nobody_out_of_their_own_browser,
    a_known_browser_is_bounded_too,
    processes_count_together,
    links_are_counted_together_and_survive_a_restart,
    failed_sign_ins_leave_one_line_with_a_count,
);

async fn passwords_are_guessed_ten_times_and_no_more(engine: Engine) {
    let scene = Scene::with(engine, |m| {
        m.web.logins = LoginQuota { per_address: 1_000_000, ..LoginQuota::default() };
    })
    .await;
    add(&scene, "ana@ejemplo.es", Some(Role::Gestor), None).await;
    let browser = Browser::new(&scene);
    let mut answered = (0, 0);
    for n in 0..10_000 {
        let answer = browser.sign_in("ana@ejemplo.es", &format!("intento número {n} de muchos")).await;
        match answer.status.as_u16() {
            422 => answered.0 += 1,
            429 => answered.1 += 1,
            other => panic!("{other}"),
        }
    }
    assert_eq!(answered, (10, 9_990));
    let right = browser.sign_in("ana@ejemplo.es", PASSWORD).await;
    assert!(right.header("retry-after").is_some_and(|s| s.parse::<u64>().unwrap() >= 10));
    assert!(right.panel(429).contains("Demasiados intentos"), "the right one comes too late as well");
    let unknown = Browser::new(&scene);
    for n in 0..11 {
        let status = unknown.sign_in("nadie@ejemplo.es", "x").await.status.as_u16();
        assert_eq!(status, if n < 10 { 422 } else { 429 }, "an account that is not there is counted alike");
    }
    scene.clock.advance(SignedDuration::from_mins(31));
    browser.sign_in("ana@ejemplo.es", PASSWORD).await.to("/panel");
}

async fn an_address_is_counted_whatever_it_says(engine: Engine) {
    let scene = Scene::with(engine, |m| m.web.logins.per_address = 5).await;
    let browser = Browser::new(&scene);
    for n in 0..8 {
        let (email, forged) = (format!("persona{n}@ejemplo.es"), format!("198.51.100.{n}"));
        let form = browser.form("/panel/entrar", &[("correo", &email), ("clave", "x")]);
        let form = form.header("sec-fetch-site", "same-origin").header("x-forwarded-for", forged);
        assert_eq!(browser.send(form).await.status.as_u16(), if n < 5 { 422 } else { 429 }, "{n}");
    }
    let chosen = [("pase", "adivinado"), ("clave", "tejado lluvia piano 37")];
    assert_eq!(browser.post("/panel/recuperar/nueva", &chosen).await.status.as_u16(), 429);
    assert_eq!(browser.post("/panel/empezar", &chosen).await.status.as_u16(), 429);
}

/// Another site can make its visitors load these addresses as pictures.
async fn looking_at_a_page_uses_up_nothing(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::new(&scene);
    for n in 0..45 {
        for path in ["recuperar?pase=x", "empezar?pase=x", "entrar", "entrar/codigo", "recuperar"] {
            let picture = scene.server.cliente.get(scene.server.url(&format!("/panel/{path}")));
            let status =
                scene.server.send(picture.header("sec-fetch-site", "cross-site")).await.status.as_u16();
            assert_ne!(status, 429, "{path} {n}");
        }
        let form = browser.form("/panel/entrar", &[("correo", "ana@ejemplo.es"), ("clave", "x")]);
        let sent = browser.send(form.header("sec-fetch-site", "cross-site")).await;
        assert_eq!(sent.status.as_u16(), 403, "a form of another site does not get as far as being counted");
    }
    browser.sign_in("ana@ejemplo.es", PASSWORD).await.to("/panel");
}

fn few(setup: &mut embudo_testkit::Setup) {
    setup.web.logins = LoginQuota { per_account: 3, per_address: 6 };
}

async fn strangers_lock_nobody_out_of_their_own_browser(engine: Engine) {
    let scene = Scene::with(engine, few).await;
    add(&scene, "ana@ejemplo.es", Some(Role::Gestor), None).await;
    let marta = add(&scene, "marta@ejemplo.es", Some(Role::Gestor), None).await;
    let (known, martas) =
        (Browser::signed(&scene, "ana@ejemplo.es").await, Browser::signed(&scene, "marta@ejemplo.es").await);
    known.post("/panel/salir", &[]).await.to("/panel/entrar?aviso=fuera");
    martas.post("/panel/salir", &[]).await.to("/panel/entrar?aviso=fuera");
    scene.clock.advance(SignedDuration::from_mins(31));

    // From the same address, first at Ana's account, then at any account.
    let stranger = Browser::new(&scene);
    let tries = ["ana", "ana", "ana", "ana", "a", "b", "c"];
    let mut answers = Vec::new();
    for name in tries {
        answers.push(stranger.sign_in(&format!("{name}@ejemplo.es"), "adivino").await.status.as_u16());
    }
    assert_eq!(answers, [422, 422, 422, 429, 422, 422, 429]);
    let ana = async |browser: &Browser<'_>, password: &str| {
        browser.sign_in("ana@ejemplo.es", password).await.status.as_u16()
    };
    assert_eq!(ana(&stranger, PASSWORD).await, 429);

    let forged = Browser::new(&scene);
    let mut changed = known.device().expect("known since the sign-in");
    changed.replace_range(5..6, if &changed[5..6] == "A" { "B" } else { "A" });
    forged.set_device(Some(changed));
    assert_eq!(ana(&forged, PASSWORD).await, 429, "a forged cookie is none");
    assert_eq!(ana(&martas, PASSWORD).await, 429, "Marta's browser is not Ana's");
    martas.sign_in("marta@ejemplo.es", PASSWORD).await.to("/panel");
    let change = Change { is_admin: false, is_active: false, memberships: Vec::new() };
    scene.server.app.access().change_person(marta.id, change, &Actor::command()).await.unwrap();
    let hers = martas.device().unwrap();
    assert!(
        scene.server.app.access().known_device(&hers).await.unwrap().is_none(),
        "she may not sign in any more"
    );

    assert_eq!(ana(&known, "se me olvidó").await, 422);
    assert_eq!(ana(&known, PASSWORD).await, 303, "strangers at the account and at the address harm nobody");
    let reset = known.post("/panel/recuperar", &[("correo", "ana@ejemplo.es")]).await;
    assert_eq!(reset.status.as_u16(), 200);
}

async fn a_known_browser_is_bounded_too(engine: Engine) {
    let scene = Scene::with(engine, few).await;
    for email in ["ana@ejemplo.es", "marta@ejemplo.es"] {
        add(&scene, email, Some(Role::Gestor), None).await;
    }
    let known = Browser::signed(&scene, "ana@ejemplo.es").await;
    scene.clock.advance(SignedDuration::from_mins(31));
    let mut answers = Vec::new();
    for name in ["ana", "ana", "ana", "ana", "marta", "marta", "marta"] {
        answers.push(known.sign_in(&format!("{name}@ejemplo.es"), "adivino").await.status.as_u16());
    }
    assert_eq!(answers, [422, 422, 422, 429, 422, 422, 429], "its account, and all accounts together");
    let other = Browser::new(&scene);
    other.sign_in("ana@ejemplo.es", PASSWORD).await.to("/panel");
    scene.clock.advance(SignedDuration::from_hours(181 * 24));
    for n in 0..4 {
        let status = known.sign_in("ana@ejemplo.es", "adivino").await.status.as_u16();
        let status_elsewhere = other.sign_in("ana@ejemplo.es", "adivino").await.status.as_u16();
        let expected = if n < 2 { [422, if n < 1 { 422 } else { 429 }] } else { [429, 429] };
        assert_eq!([status, status_elsewhere], expected, "{n}: after half a year both are strangers");
    }
}

/// Three processes behind a load balancer: the eleventh attempt is refused, at whichever process it arrives.
async fn processes_count_together(engine: Engine) {
    let scene = panel(engine).await;
    let beside = async || {
        let mut setup = embudo_testkit::Setup::at(engine);
        setup.clock = scene.clock.clone();
        setup.start_beside(&scene.server).await
    };
    let (second, third) = (beside().await, beside().await);
    let servers = [&scene.server, &second, &third];
    let mut answers = Vec::new();
    for n in 0..13 {
        let server = servers[n % 3];
        answers.push(Browser::at(server).sign_in("ana@ejemplo.es", "adivino").await.status.as_u16());
        server.app.limits().flush().await.unwrap();
        scene.clock.advance(SignedDuration::from_secs(1));
    }
    assert_eq!(answers[..10], [422; 10]);
    assert_eq!(answers[10..], [429; 3]);
}

async fn links_are_counted_together_and_survive_a_restart(engine: Engine) {
    let scene = panel(engine).await;
    let ask = async |server: &embudo_testkit::Server| {
        Browser::at(server).post("/panel/recuperar", &[("correo", "ana@ejemplo.es")]).await.status.as_u16()
    };
    for _ in 0..3 {
        assert_eq!(ask(&scene.server).await, 200);
    }
    assert_eq!(scene.server.app.limits().flush().await.unwrap(), 2, "one of the address, one of the account");
    let mut setup = embudo_testkit::Setup::at(engine);
    setup.clock = scene.clock.clone();
    let restarted = setup.start_beside(&scene.server).await;
    assert_eq!(ask(&restarted).await, 429);
    scene.clock.advance(SignedDuration::from_mins(31));
    assert_eq!(ask(&restarted).await, 200);
    // Links that can no longer be used are purged.
    scene.clock.advance(SignedDuration::from_hours(1));
    assert_eq!(scene.server.app.housekeeping().purge_expired().await.unwrap(), 2);
}

async fn codes_and_old_passwords_are_counted_too(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let mut last = 0;
    for _ in 0..11 {
        let fields = [("actual", "no es esta"), ("clave", "tejado lluvia piano 37")];
        last = browser.post("/panel/cuenta/clave", &fields).await.status.as_u16();
    }
    assert_eq!(last, 429);
    let off = browser.post("/panel/cuenta/segundo-factor/quitar", &[("clave", PASSWORD)]).await;
    assert_eq!(off.status.as_u16(), 429, "one count for all that asks for the password again");
    scene.server.app.access().write_failures().await.unwrap();
    let lines = logged(&scene, AuditAction::PasswordFailed, 1).await;
    assert_eq!((lines.len(), lines[0].who.as_str()), (1, "Ana García"), "{lines:?}");
    assert_eq!(lines[0].after.as_deref(), Some("10 intentos"));
}

/// Waits until the log has this number of entries of this action.
async fn logged(scene: &Scene, action: AuditAction, lines: usize) -> Vec<AuditEntry> {
    let reading = async {
        loop {
            let all = scene.server.app.store.audit_log(Default::default(), None, 1_000).await.unwrap();
            let found: Vec<_> = all.into_iter().filter(|entry| entry.action == action).collect();
            if found.len() >= lines {
                return found;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("written down")
}

async fn failed_sign_ins_leave_one_line_with_a_count(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::new(&scene);
    for n in 0..14 {
        browser.sign_in("ana@ejemplo.es", &format!("intento {n}")).await;
    }
    for n in 0..3 {
        browser.sign_in(&format!("{PASSWORD} {n}"), "en el otro campo").await;
    }
    let known = logged(&scene, AuditAction::SignInFailed, 2).await;
    logged(&scene, AuditAction::LockedOut, 1).await;
    assert_eq!(known.len(), 2, "one of the account, one of the address: {known:?}");
    assert_eq!(scene.server.app.access().write_failures().await.unwrap(), 3);
    let failed = logged(&scene, AuditAction::SignInFailed, 2).await;
    let of = |object: Option<&str>| {
        let line = failed.iter().find(|line| line.object.as_deref() == object).unwrap();
        (line.after.clone().unwrap(), line.user, line.ip.unwrap().to_string())
    };
    assert_eq!(of(Some("ana@ejemplo.es")), ("10 intentos".to_owned(), None, "127.0.0.1".to_owned()));
    assert_eq!(of(None), ("3 intentos".to_owned(), None, "127.0.0.1".to_owned()));
    let locked = logged(&scene, AuditAction::LockedOut, 1).await;
    assert_eq!(locked.len(), 1);
    assert_eq!(locked[0].object.as_deref(), Some("ana@ejemplo.es"));
    assert_eq!(locked[0].after.as_deref(), Some("4 intentos"));
    let all = scene.server.app.store.audit_log(Default::default(), None, 1_000).await.unwrap();
    assert!(!format!("{all:?}").contains(PASSWORD), "nothing that was typed");

    scene.clock.advance(SignedDuration::from_mins(31));
    browser.sign_in("ana@ejemplo.es", PASSWORD).await.to("/panel");
    let page = browser.get("/panel/registro").await.panel(200);
    assert!(page.contains("No pudo entrar: ana@ejemplo.es") && page.contains("10 intentos"), "{page}");

    // The same holds for the second factor.
    let setup = browser.get("/panel/cuenta/segundo-factor").await.panel(200);
    let secret = crate::visitor::hidden(&setup, "secreto");
    let code = embudo_app::authenticator_code(&secret, scene.server.app.now()).unwrap();
    let on = [("secreto", secret.as_str()), ("codigo", &code), ("clave", PASSWORD)];
    browser.post("/panel/cuenta/segundo-factor", &on).await.panel(200);
    let other = Browser::new(&scene);
    other.sign_in("ana@ejemplo.es", PASSWORD).await;
    for _ in 0..12 {
        other.post("/panel/entrar/codigo", &[("codigo", "000000")]).await;
    }
    logged(&scene, AuditAction::CodeFailed, 1).await;
    logged(&scene, AuditAction::LockedOut, 2).await;
    scene.server.app.access().write_failures().await.unwrap();
    let codes = logged(&scene, AuditAction::CodeFailed, 1).await;
    assert_eq!(codes.len(), 1);
    assert_eq!(codes[0].object.as_deref(), Some("ana@ejemplo.es"));
    assert!(codes[0].after.as_deref().unwrap().ends_with("intentos"), "{codes:?}");
}
