//! Guessing is bounded, whatever is guessed and wherever from.

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::role::Role;
use embudo_testkit::{Engine, Scene, both_engines};
use embudo_web::LoginQuota;
use jiff::SignedDuration;

use crate::person::{Browser, PASSWORD, PanelPage, add, panel};

both_engines!(
    passwords_are_guessed_ten_times_and_no_more,
    an_address_is_counted_whatever_it_says,
    codes_and_old_passwords_are_counted_too,
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
    assert_eq!(browser.get("/panel/recuperar?pase=adivinado").await.status.as_u16(), 429);
    assert_eq!(browser.get("/panel/empezar?pase=adivinado").await.status.as_u16(), 429);
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
}

/// Waits until the log has so many lines of these.
async fn logged(scene: &Scene, action: AuditAction, lines: usize) -> Vec<AuditEntry> {
    let reading = async {
        loop {
            let all = scene.s.app.store.audit_log(Default::default(), None, 1_000).await.unwrap();
            let found: Vec<_> = all.into_iter().filter(|entry| entry.action == action).collect();
            if found.len() >= lines {
                return found;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), reading).await.expect("written down")
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
    assert_eq!(scene.s.app.access().write_failures().await.unwrap(), 3);
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
    let all = scene.s.app.store.audit_log(Default::default(), None, 1_000).await.unwrap();
    assert!(!format!("{all:?}").contains(PASSWORD), "nothing that was typed");

    scene.clock.advance(SignedDuration::from_mins(31));
    browser.sign_in("ana@ejemplo.es", PASSWORD).await.to("/panel");
    let page = browser.get("/panel/registro").await.panel(200);
    assert!(page.contains("No pudo entrar: ana@ejemplo.es") && page.contains("10 intentos"), "{page}");

    // The second factor likewise.
    let setup = browser.get("/panel/cuenta/segundo-factor").await.panel(200);
    let secret = crate::visitor::hidden(&setup, "secreto");
    let code = embudo_app::authenticator_code(&secret, scene.s.app.now()).unwrap();
    let on = [("secreto", secret.as_str()), ("codigo", &code), ("clave", PASSWORD)];
    browser.post("/panel/cuenta/segundo-factor", &on).await.panel(200);
    let other = Browser::new(&scene);
    other.sign_in("ana@ejemplo.es", PASSWORD).await;
    for _ in 0..12 {
        other.post("/panel/entrar/codigo", &[("codigo", "000000")]).await;
    }
    logged(&scene, AuditAction::CodeFailed, 1).await;
    logged(&scene, AuditAction::LockedOut, 2).await;
    scene.s.app.access().write_failures().await.unwrap();
    let codes = logged(&scene, AuditAction::CodeFailed, 1).await;
    assert_eq!(codes.len(), 1);
    assert_eq!(codes[0].object.as_deref(), Some("ana@ejemplo.es"));
    assert!(codes[0].after.as_deref().unwrap().ends_with("intentos"), "{codes:?}");
}
