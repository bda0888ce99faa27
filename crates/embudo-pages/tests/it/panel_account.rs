//! A person's own account: name, password, second factor, sessions, a forgotten password.

use embudo_app::{OutboundMail, WithLinks, authenticator_code};
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_delivery::{Links, Mail};
use embudo_domain::role::Role;
use embudo_testkit::{Engine, Mailbox, Scene, both_engines};
use jiff::SignedDuration;

use crate::person::{Browser, PASSWORD, PanelPage, add, panel};
use crate::visitor::hidden;

both_engines!(
    a_name_is_changed_and_never_code,
    a_new_password_ends_other_sessions,
    sessions_are_seen_and_ended,
    a_second_factor_is_asked_for_and_counts_once,
    recovery_codes_count_once,
    a_forgotten_password_is_chosen_anew_by_mail,
    without_mail_people_are_told_whom_to_ask,
    a_second_factor_that_comes_or_goes_ends_the_other_sessions,
    an_administrator_who_takes_the_second_factor_off_ends_all_sessions,
    asking_for_a_new_password_ends_no_invitation,
    an_invitation_is_mailed,
    a_reset_ends_the_calendars_address_and_is_told,
);

const NEW_PASSWORD: &str = "tejado lluvia piano 37";

async fn a_name_is_changed_and_never_code(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let odd = "<script>alert(1)</script>\"'";
    browser.post("/panel/cuenta", &[("nombre", odd)]).await.to("/panel/cuenta?hecho=nombre");
    for path in ["/panel/cuenta", "/panel/usuarios", "/panel/registro"] {
        let page = browser.get(path).await.panel(200);
        assert!(page.contains("&#60;script&#62;alert(1)"), "{path}: {page}");
        assert!(!page.contains("<script>alert"), "{path}");
    }
    let page = browser.post("/panel/cuenta", &[("nombre", "  ")]).await.panel(422);
    assert!(page.contains("Escribe un nombre"));
    let agent = browser.form("/panel/entrar", &[("correo", "ana@ejemplo.es"), ("clave", PASSWORD)]);
    let agent = agent.header("sec-fetch-site", "same-origin").header("user-agent", "<img src=x>");
    browser.send(agent).await.to("/panel");
    assert!(!browser.get("/panel/cuenta").await.panel(200).contains("<img"));
}

async fn a_new_password_ends_other_sessions(engine: Engine) {
    let scene = panel(engine).await;
    let (one, two) =
        (Browser::signed(&scene, "ana@ejemplo.es").await, Browser::signed(&scene, "ana@ejemplo.es").await);
    let change = async |old: &str, new: &str| {
        one.post("/panel/cuenta/clave", &[("actual", old), ("clave", new)]).await
    };
    assert!(change("no es esta", NEW_PASSWORD).await.panel(422).contains("Esa no es tu contraseña de ahora"));
    assert!(change(PASSWORD, "contraseña1234").await.panel(422).contains("primeras que se prueban"));
    two.get("/panel/cuenta").await.panel(200);
    change(PASSWORD, NEW_PASSWORD).await.to("/panel/cuenta?hecho=clave");
    one.get("/panel/cuenta").await.panel(200);
    two.get("/panel/cuenta").await.to("/panel/entrar?a=%2Fpanel%2Fcuenta");
    two.sign_in("ana@ejemplo.es", PASSWORD).await.panel(422);
    two.sign_in("ana@ejemplo.es", NEW_PASSWORD).await.to("/panel");
}

async fn sessions_are_seen_and_ended(engine: Engine) {
    let scene = panel(engine).await;
    add(&scene, "luis@ejemplo.es", Some(Role::Gestor), None).await;
    let one = Browser::signed(&scene, "ana@ejemplo.es").await;
    let two = Browser::signed(&scene, "ana@ejemplo.es").await;
    let three = Browser::signed(&scene, "ana@ejemplo.es").await;
    let foreign = Browser::signed(&scene, "luis@ejemplo.es").await;
    let ids = |page: &str| -> Vec<String> {
        let parts = page.split("action=\"/panel/cuenta/sesiones/").skip(1);
        parts.map(|part| part.split('"').next().unwrap().to_owned()).collect()
    };
    let others = ids(&one.get("/panel/cuenta").await.panel(200));
    assert_eq!(others.len(), 2);
    foreign.post(&format!("/panel/cuenta/sesiones/{}", others[0]), &[]).await.panel(404);
    one.post(&format!("/panel/cuenta/sesiones/{}", others[0]), &[]).await.to("/panel/cuenta?hecho=sesion");
    assert_eq!(ids(&one.get("/panel/cuenta").await.panel(200)).len(), 1);
    one.post("/panel/cuenta/sesiones", &[]).await.to("/panel/cuenta?hecho=sesiones");
    for ended in [&two, &three] {
        assert_eq!(ended.get("/panel/cuenta").await.status.as_u16(), 303);
    }
    foreign.get("/panel/cuenta").await.panel(200);
}

/// Turns the second factor on. Returns the secret and the recovery codes.
pub async fn with_totp(scene: &Scene, browser: &Browser<'_>) -> (String, Vec<String>) {
    let page = browser.get("/panel/cuenta/segundo-factor").await.panel(200);
    let secret = hidden(&page, "secreto");
    let code = authenticator_code(&secret, scene.server.app.now()).unwrap();
    let send = async |code: &str, password: &str| {
        let fields = [("secreto", secret.as_str()), ("codigo", code), ("clave", password)];
        browser.post("/panel/cuenta/segundo-factor", &fields).await
    };
    let wrong = send("000000", PASSWORD).await.panel(422);
    assert!(wrong.contains("Ese código no vale") && hidden(&wrong, "secreto") == secret);
    assert!(send(&code, "no es esta").await.panel(422).contains("Esa no es tu contraseña"));
    let page = send(&code, PASSWORD).await.panel(200);
    let codes = page.split("<li><code>").skip(1).map(|p| p.split('<').next().unwrap().to_owned()).collect();
    (secret, codes)
}

async fn a_second_factor_is_asked_for_and_counts_once(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let (secret, codes) = with_totp(&scene, &browser).await;
    assert_eq!(codes.len(), 10);
    let used = authenticator_code(&secret, scene.server.app.now()).unwrap();

    let other = Browser::new(&scene);
    other.sign_in("ana@ejemplo.es", PASSWORD).await.to("/panel/entrar/codigo?a=%2Fpanel");
    let halfway = other.token().unwrap();
    assert_eq!(other.get("/panel/cuenta").await.status.as_u16(), 303, "halfway opens nothing");
    assert!(other.get("/panel/entrar/codigo").await.panel(200).contains("seis cifras"));
    let enter = async |code: &str| other.post("/panel/entrar/codigo", &[("codigo", code)]).await;
    assert!(
        enter(&used).await.panel(422).contains("Ese código no vale"),
        "the code that turned it on is used up"
    );
    scene.clock.advance(SignedDuration::from_secs(30));
    let code = authenticator_code(&secret, scene.server.app.now()).unwrap();
    enter(&code).await.to("/panel");
    assert_ne!(other.token().unwrap(), halfway, "a new token");
    other.get("/panel/cuenta").await.panel(200);

    let replay = Browser::new(&scene);
    replay.sign_in("ana@ejemplo.es", PASSWORD).await;
    assert_eq!(replay.post("/panel/entrar/codigo", &[("codigo", &code)]).await.status.as_u16(), 422);
    replay.set_token(Some(halfway));
    replay.post("/panel/entrar/codigo", &[("codigo", &code)]).await.to("/panel/entrar");

    let slow = Browser::new(&scene);
    slow.sign_in("ana@ejemplo.es", PASSWORD).await;
    scene.clock.advance(SignedDuration::from_mins(10));
    let late = authenticator_code(&secret, scene.server.app.now()).unwrap();
    slow.post("/panel/entrar/codigo", &[("codigo", &late)]).await.to("/panel/entrar");

    let off = other.post("/panel/cuenta/segundo-factor/quitar", &[("clave", PASSWORD)]).await;
    off.to("/panel/cuenta?hecho=sin-segundo-factor");
    scene.clock.advance(SignedDuration::from_mins(31));
    Browser::new(&scene).sign_in("ana@ejemplo.es", PASSWORD).await.to("/panel");
}

async fn recovery_codes_count_once(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let (_, codes) = with_totp(&scene, &browser).await;
    let enter = async |code: &str| {
        let other = Browser::new(&scene);
        other.sign_in("ana@ejemplo.es", PASSWORD).await;
        other.post("/panel/entrar/codigo", &[("codigo", code)]).await.status.as_u16()
    };
    assert_eq!(enter(&codes[0].to_uppercase().replace('-', " ")).await, 303);
    assert_eq!(enter(&codes[0]).await, 422);
    assert!(browser.get("/panel/cuenta").await.panel(200).contains("Te quedan 9 códigos"));
    let page = browser.post("/panel/cuenta/segundo-factor/codigos", &[("clave", PASSWORD)]).await.panel(200);
    assert_eq!(page.matches("<li><code>").count(), 10);
    scene.clock.advance(SignedDuration::from_mins(31));
    assert_eq!(enter(&codes[1]).await, 422, "renewed ones replace the old");
}

/// A server that sends mail.
async fn with_mail(engine: Engine, mailbox: &Mailbox) -> Scene {
    Scene::with(engine, |m| {
        let smtp = SmtpSettings::new(mailbox.address.ip().to_string(), mailbox.address.port(), Tls::None);
        let cliente = Mail::new(smtp).unwrap();
        m.outbound.mail =
            Some(OutboundMail { client: cliente, from: "embudo@ejemplo.es".into(), from_name: None });
        let links = Links::new(b"secreto");
        m.outbound.links = Some(WithLinks { links, public_url: "https://obras.es".into() });
    })
    .await
}

/// The path of the link in a mail.
fn link_in(letter: &embudo_testkit::mailbox::Message) -> String {
    let text = letter.part("text/plain").unwrap();
    let start = text.find("https://obras.es").unwrap() + "https://obras.es".len();
    text[start..].split_whitespace().next().unwrap().to_owned()
}

async fn a_second_factor_that_comes_or_goes_ends_the_other_sessions(engine: Engine) {
    let scene = panel(engine).await;
    let (one, two) =
        (Browser::signed(&scene, "ana@ejemplo.es").await, Browser::signed(&scene, "ana@ejemplo.es").await);
    let (_, codes) = with_totp(&scene, &one).await;
    assert_eq!(two.get("/panel/cuenta").await.status.as_u16(), 303, "it came without the second factor");
    one.get("/panel/cuenta").await.panel(200);
    two.sign_in("ana@ejemplo.es", PASSWORD).await;
    two.post("/panel/entrar/codigo", &[("codigo", &codes[0])]).await.to("/panel");
    one.post("/panel/cuenta/segundo-factor/codigos", &[("clave", PASSWORD)]).await.panel(200);
    two.get("/panel/cuenta").await.panel(200);
    let off = one.post("/panel/cuenta/segundo-factor/quitar", &[("clave", PASSWORD)]).await;
    off.to("/panel/cuenta?hecho=sin-segundo-factor");
    assert_eq!(two.get("/panel/cuenta").await.status.as_u16(), 303);
    one.get("/panel/cuenta").await.panel(200);
}

async fn an_administrator_who_takes_the_second_factor_off_ends_all_sessions(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let scene = with_mail(engine, &mailbox).await;
    add(&scene, "ana@ejemplo.es", Some(Role::Administrador), None).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Gestor), None).await;
    let browser = Browser::signed(&scene, "luis@ejemplo.es").await;
    with_totp(&scene, &browser).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let path = format!("/panel/usuarios/{}", luis.id);
    let fields = [
        ("activo", "si"),
        ("rol-reformas-pena", "gestor"),
        ("sin-segundo-factor", "si"),
        ("clave", PASSWORD),
    ];
    admin.post(&path, &fields).await.to(&format!("{path}?hecho"));
    assert_eq!(browser.get("/panel/cuenta").await.status.as_u16(), 303);
    admin.get("/panel/cuenta").await.panel(200);
    let mut told: Vec<String> =
        mailbox.await_messages(2).await.iter().map(embudo_testkit::mailbox::Message::subject).collect();
    told.sort();
    assert_eq!(told, ["Has activado el segundo factor", "Tu cuenta ya no tiene segundo factor"]);
}

/// A stranger who knows the e-mail address of an invited person cannot cancel the invitation.
async fn asking_for_a_new_password_ends_no_invitation(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let scene = with_mail(engine, &mailbox).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Gestor), None).await;
    let invited = scene.server.app.access().invite(&luis, &embudo_app::Actor::command()).await.unwrap();
    let browser = Browser::new(&scene);
    browser.post("/panel/recuperar", &[("correo", "luis@ejemplo.es")]).await.panel(200);
    let asked = link_in(&mailbox.await_messages(1).await[0]);
    browser.get(&invited).await.panel(200);
    let pass = hidden(&browser.get(&asked).await.panel(200), "pase");
    browser
        .post("/panel/recuperar/nueva", &[("pase", &pass), ("clave", NEW_PASSWORD)])
        .await
        .to("/panel/entrar?aviso=clave");
    browser.get(&invited).await.panel(410);
}

/// If mail is configured, the person gets the link by mail; the administrator sees it as well.
async fn an_invitation_is_mailed(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let scene = with_mail(engine, &mailbox).await;
    add(&scene, "ana@ejemplo.es", Some(Role::Administrador), None).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let fields = [
        ("nombre", "Luis Pérez"),
        ("correo", "luis@ejemplo.es"),
        ("rol-reformas-pena", "comercial"),
        ("clave", PASSWORD),
    ];
    let page = admin.post("/panel/usuarios", &fields).await.panel(200);
    assert!(page.contains("Se lo mandamos por correo a <strong>luis@ejemplo.es</strong>"), "{page}");
    let letter = mailbox.await_messages(1).await.remove(0);
    assert_eq!(letter.subject(), "Te invitan al panel");
    assert!(letter.part("text/plain").unwrap().contains("siete días"));
    let link = link_in(&letter);
    assert!(page.contains(&link), "{link} in {page}");
    let luis = Browser::new(&scene);
    let pass = hidden(&luis.get(&link).await.panel(200), "pase");
    let chosen = [("pase", pass.as_str()), ("clave", NEW_PASSWORD)];
    luis.post("/panel/recuperar/nueva", &chosen).await.to("/panel/entrar?aviso=clave");
}

async fn a_reset_ends_the_calendars_address_and_is_told(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let scene = with_mail(engine, &mailbox).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Comercial), None).await;
    let secret = scene.server.app.visits().renew_feed(&luis, &embudo_app::Actor::command()).await.unwrap();
    let (feed, browser) = (format!("/calendario/{secret}.ics"), Browser::new(&scene));
    assert_eq!(browser.get(&feed).await.status.as_u16(), 200);
    let link = scene.server.app.access().invite(&luis, &embudo_app::Actor::command()).await.unwrap();
    let pass = hidden(&browser.get(&link).await.panel(200), "pase");
    let chosen = [("pase", pass.as_str()), ("clave", NEW_PASSWORD)];
    let told = "/panel/entrar?aviso=clave-calendario";
    browser.post("/panel/recuperar/nueva", &chosen).await.to(told);
    assert!(browser.get(told).await.panel(200).contains("La dirección de tu calendario ya no abre nada"));
    assert_eq!(browser.get(&feed).await.status.as_u16(), 404);
    let letter = mailbox.await_messages(1).await.remove(0);
    assert_eq!(letter.subject(), "Tu contraseña ha cambiado");
    let text = letter.part("text/plain").unwrap();
    assert!(text.contains("la dirección de tu calendario") && text.contains("127.0.0.1"), "{text}");
    assert!(!text.contains("pase=") && !text.contains(".ics"), "{text}");
}

async fn a_forgotten_password_is_chosen_anew_by_mail(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let scene = with_mail(engine, &mailbox).await;
    add(&scene, "ana@ejemplo.es", Some(Role::Gestor), None).await;
    let signed = Browser::signed(&scene, "ana@ejemplo.es").await;
    let browser = Browser::new(&scene);
    assert!(browser.get("/panel/recuperar").await.panel(200).contains("Enviar el enlace"));
    let known = browser.post("/panel/recuperar", &[("correo", "Ana@ejemplo.es")]).await.panel(200);
    let unknown = browser.post("/panel/recuperar", &[("correo", "nadie@ejemplo.es")]).await.panel(200);
    assert_eq!(known, unknown);

    let letter = mailbox.await_messages(1).await.remove(0);
    assert_eq!(letter.subject(), "Elige una contraseña nueva");
    let path = link_in(&letter);
    let page = browser.get(&path).await.panel(200);
    let pass = hidden(&page, "pase");
    let choose = async |password: &str| {
        browser.post("/panel/recuperar/nueva", &[("pase", &pass), ("clave", password)]).await
    };
    assert!(choose("corta").await.panel(422).contains("12 caracteres"));
    choose(NEW_PASSWORD).await.to("/panel/entrar?aviso=clave");
    assert_eq!(signed.get("/panel/cuenta").await.status.as_u16(), 303, "every session ended");
    browser.sign_in("ana@ejemplo.es", NEW_PASSWORD).await.to("/panel");
    choose("otra cosa muy distinta 9").await.panel(410);
    assert!(browser.get(&path).await.panel(410).contains("ya no vale"));

    assert_eq!(mailbox.await_messages(2).await[1].subject(), "Tu contraseña ha cambiado");
    browser.post("/panel/recuperar", &[("correo", "ana@ejemplo.es")]).await.panel(200);
    let path = link_in(&mailbox.await_messages(3).await[2]);
    browser.get(&path).await.panel(200);
    scene.clock.advance(SignedDuration::from_hours(1));
    browser.get(&path).await.panel(410);
    assert_eq!(mailbox.messages().len(), 3, "nobody else was written to");
}

async fn without_mail_people_are_told_whom_to_ask(engine: Engine) {
    let scene = panel(engine).await;
    let page = Browser::new(&scene).get("/panel/recuperar").await.panel(200);
    assert!(page.contains("embudo usuario reset") && !page.contains("<form"), "{page}");
}
