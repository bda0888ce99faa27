//! Reminders to clients: the settings of the company, and how clients stop them.

use embudo_app::{OutboundMail, WithLinks};
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_delivery::{Links, Mail};
use embudo_domain::LeadId;
use embudo_domain::audit::AuditAction;
use embudo_domain::reminders::{ReminderSettings, SHIPPED};
use embudo_domain::settings::Settings;
use embudo_testkit::{Engine, Mailbox, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::panel_empresa::{log, manager};
use crate::person::PanelPage as _;
use crate::visitor::{Page as _, Visitor, hidden};

both_engines!(
    reminders_are_set_by_their_rules,
    a_stale_form_shows_what_stands,
    a_client_ends_them_with_one_press,
    a_mailed_link_ends_them_and_the_panel_shows_it,
);

const PATH: &str = "/panel/empresa/recordatorios";

async fn reminders(scene: &Scene) -> ReminderSettings {
    scene.server.app.store.settings(scene.server.empresa.id).await.unwrap().reminders
}

async fn reminders_are_set_by_their_rules(engine: Engine) {
    let scene = Scene::at(engine).await;
    let other = Settings { review: true, ..Settings::default() };
    scene.server.app.store.save_settings(scene.server.empresa.id, other).await.unwrap();
    let browser = manager(&scene).await;
    let page = browser.get(PATH).await.panel(200);
    assert!(page.contains("El servidor no tiene correo") && page.contains("Hace unos días"), "{page}");
    assert!(!page.contains("checked"), "off until somebody wants them");
    let version = hidden(&page, "version");
    let send = async |fields: &[(&str, &str)]| {
        let all: Vec<_> = [("version", version.as_str())].into_iter().chain(fields.iter().copied()).collect();
        browser.post(PATH, &all).await
    };
    let long = "x".repeat(1_001);
    for (fields, told) in [
        (&[("dias1", "0")][..], "Un número de días, de 1 a 60."),
        (&[("dias1", "tres")], "Un número de días"),
        (&[("dias1", "61")], "Un número de días"),
        (&[("dias2", "3")], "pon más días"),
        (&[("texto3", "Se perdería")], "Pon los días: sin ellos este recordatorio no sale"),
        (&[("texto1", "")], "Escribe qué dice"),
        (&[("texto2", long.as_str())], "demasiado largo"),
        (&[("presupuestos", "si"), ("dias1", ""), ("dias2", "")], "Pon los días"),
        (&[("horas", "0")], "Un número de horas, de 1 a 168."),
        (&[("horas", "")], "Un número de horas"),
        (&[("textoFormulario", "")], "Escribe qué dice"),
    ] {
        let page = send(fields).await.panel(422);
        assert!(page.contains(told), "{told} in {page}");
    }
    assert_eq!(reminders(&scene).await, ReminderSettings::default());
    assert_eq!(log(&scene, AuditAction::RemindersSet).await.len(), 0);
    let fields = [
        ("presupuestos", "no"),
        ("presupuestos", "si"),
        ("dias1", "2"),
        ("texto1", "Hola.\r\n\r\n<script>alert(1)</script>"),
        ("dias2", ""),
        ("dias3", "10"),
        ("formulario", "no"),
        ("horas", "48"),
    ];
    send(&fields).await.to("/panel/empresa/recordatorios?hecho");
    let now = reminders(&scene).await;
    let steps: Vec<_> = now.quotes.steps().into_iter().map(|step| (step.days, step.text)).collect();
    let evil = "Hola.\n\n<script>alert(1)</script>".to_owned();
    assert_eq!(steps, [(2, evil), (10, SHIPPED[2].1.to_owned())]);
    assert!(now.quotes.since().is_some() && now.form.since().is_none());
    assert_eq!(now.form.hours(), 48);
    assert!(
        scene.server.app.store.settings(scene.server.empresa.id).await.unwrap().review,
        "what else is set stays"
    );
    let page = browser.get(&format!("{PATH}?hecho")).await.panel(200);
    assert!(!page.contains("<script>alert") && page.contains("Guardado."), "{page}");
    let entries = log(&scene, AuditAction::RemindersSet).await;
    assert_eq!(entries.len(), 1);
    let (before, after) = (entries[0].before.as_deref().unwrap(), entries[0].after.as_deref().unwrap());
    assert!(
        after.starts_with(
            "Presupuestos sin respuesta, Recordar al cliente su presupuesto: Sí; \
             Recordatorio 1, Días después de enviarlo: 2; Recordatorio 1, Qué dice: Hola."
        ),
        "{after}"
    );
    for (told, side) in [
        ("Recordatorio 2, Días después de enviarlo: 7", before),
        ("Recordatorio 2, Días después de enviarlo: (vacío)", after),
        ("Horas después de dejar sus datos: 24", before),
        ("Horas después de dejar sus datos: 48", after),
    ] {
        assert!(side.contains(told), "{told} in {side}");
    }
    assert!(!after.contains("Invitar a terminar"), "what stays is not told: {after}");
    // Sending the form unchanged changes nothing and logs nothing.
    let version = hidden(&page, "version");
    browser.post(PATH, &[("version", &version)]).await.to("/panel/empresa/recordatorios?hecho");
    assert_eq!((log(&scene, AuditAction::RemindersSet).await.len(), reminders(&scene).await), (1, now));
}

async fn a_stale_form_shows_what_stands(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let version = hidden(&browser.get(PATH).await.panel(200), "version");
    browser
        .post(PATH, &[("version", &version), ("dias1", "4")])
        .await
        .to("/panel/empresa/recordatorios?hecho");
    let page = browser.post(PATH, &[("version", &version), ("dias1", "5")]).await.panel(409);
    assert!(
        page.contains("Ahora pone</strong> <bdi>4</bdi>")
            && page.contains("Tú escribiste</strong> <bdi>5</bdi>")
            && page.contains("value=\"5\""),
        "{page}"
    );
    // Changes of other fields are merged.
    browser
        .post(PATH, &[("version", &version), ("horas", "12")])
        .await
        .to("/panel/empresa/recordatorios?hecho");
    let now = reminders(&scene).await;
    assert_eq!((now.quotes.steps()[0].days, now.form.hours()), (4, 12));
}

async fn a_client_ends_them_with_one_press(engine: Engine) {
    let n = Visitor::at(engine).await;
    let lead = LeadId::parse(&n.server().lead_with(json!({})).await).unwrap();
    let passes = n.server().app.form_passes();
    let path = format!("/r/{}", passes.to_consentimientos(lead));
    for _ in 0..2 {
        assert!(
            n.get(&path).await.page(200).contains("No quiero más recordatorios</button>"),
            "looking is nothing"
        );
    }
    assert_eq!(n.server().app.store.consentimientos(lead).await.unwrap(), vec![]);
    // As a mail program sends it.
    for _ in 0..2 {
        let page = n.post(&path, &[("List-Unsubscribe", "One-Click")]).await.page(200);
        assert!(page.contains("no te enviaremos más recordatorios"), "{page}");
    }
    let ledger = n.server().app.store.consentimientos(lead).await.unwrap();
    assert_eq!(
        ledger.iter().map(|c| (c.purpose.as_str(), c.granted)).collect::<Vec<_>>(),
        [("recordatorios", false)]
    );
    assert!(n.get(&path).await.page(200).contains("no te enviaremos más"));
    for wrong in [format!("/r/{}", passes.to_form(lead)), "/r/x".to_owned(), format!("{path}x")] {
        assert_eq!(n.get(&wrong).await.status.as_u16(), 404, "{wrong}");
        assert_eq!(n.post(&wrong, &[]).await.status.as_u16(), 404, "{wrong}");
    }
}

async fn a_mailed_link_ends_them_and_the_panel_shows_it(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let scene = Scene::with(engine, |m| {
        let smtp = SmtpSettings::new(mailbox.address.ip().to_string(), mailbox.address.port(), Tls::None);
        let cliente = Mail::new(smtp).unwrap();
        m.outbound.mail =
            Some(OutboundMail { client: cliente, from: "embudo@ejemplo.es".into(), from_name: None });
        let links = Links::new(b"un secreto que nadie adivina jamas");
        m.outbound.links = Some(WithLinks { links, public_url: "https://leads.pena.es".into() });
    })
    .await;
    let browser = manager(&scene).await;
    let version = hidden(&browser.get(PATH).await.panel(200), "version");
    let on = [("version", version.as_str()), ("presupuestos", "si")];
    browser.post(PATH, &on).await.to("/panel/empresa/recordatorios?hecho");
    scene.clock.advance(SignedDuration::from_secs(5));
    let lead = scene.server.lead_with(json!({})).await;
    scene
        .server
        .post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": [], "finalizar": true }))
        .await
        .with(200);
    scene.clock.advance(SignedDuration::from_hours(72));
    assert_eq!(scene.server.app.housekeeping().plan_reminders().await.unwrap(), 1);
    scene.pass(SignedDuration::ZERO).await;
    let mail =
        mailbox.messages().into_iter().find(|m| m.subject().starts_with("Recordatorio")).expect("a reminder");
    let text = mail.part("text/plain").unwrap();
    let path = |start: &str| {
        let line = text.lines().find(|line| line.contains(start)).expect("a link").trim();
        line.strip_prefix("https://leads.pena.es").unwrap().to_owned()
    };
    assert_eq!(scene.server.get(&path("/p/")).await.status.as_u16(), 200);
    assert_eq!(scene.server.get(&path("/r/")).await.status.as_u16(), 200);
    let page = manager_page(&scene, &format!("/panel/leads/{lead}")).await;
    assert!(page.contains("Recordatorio al cliente"), "{page}");
    let page = manager_page(&scene, "/panel/envios?ver=todos").await;
    assert!(page.contains("Recordatorio al cliente"), "{page}");
}

async fn manager_page(scene: &Scene, path: &str) -> String {
    crate::person::Browser::signed(scene, "marta@ejemplo.es").await.get(path).await.panel(200)
}
