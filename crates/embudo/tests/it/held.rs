//! Jobs that wait for a setting, mails that were never sent, and signals that are too long: none is lost, and all are
//! reported.

use crate::client::{InFlight, call};
use crate::hook::{Hook, await_state, jobs, lead, perfil_completo};
use crate::place::Place;
use embudo_testkit::mailbox::Treatment;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Mailbox, data_uri, fake_jpeg};
use serde_json::json;

embudo_testkit::both_engines!(blocking: a_start_without_its_receiver_holds_the_jobs,
    a_mail_that_was_never_begun_is_not_in_doubt,
    a_mail_in_doubt_is_parked_and_told,
);

fn doctor(place: &Place, args: &[&str]) -> String {
    String::from_utf8(place.run(&[&["doctor"], args].concat()).stdout).unwrap()
}

fn a_start_without_its_receiver_holds_the_jobs(place: &Place) {
    let hook = Hook::new(Manner::state(500));
    let server = hook.serve(place);
    server.log.wait_for("PUBLIC_URL is not set: profile signals carry their photos inline");
    perfil_completo(&server);
    assert!(server.stop().0.success());
    let id = jobs(place, &[])[0]["id"].as_str().unwrap().to_owned();
    place.ok(&["jobs", "retry", &id]);

    let server = place.serve();
    server.log.wait_for("1 held (perfil) until PERFIL_WEBHOOK_URL is set");
    // This job can be sent, is due later than the held one, and is done: so the worker has looked at the held one.
    let other = lead(&server);
    let answer = call(&server, "POST", &format!("/api/leads/{other}/ingesta"), r#"{"finalizar":true}"#);
    assert_eq!(answer.json()["finalizado"]["ok"], true, "{}", answer.body);
    let told = doctor(place, &[]);
    assert!(
        told.contains("✗ failed          jobs")
            && told.contains("1 held (perfil) until PERFIL_WEBHOOK_URL is set"),
        "{told}"
    );
    assert!(server.stop().0.success());
    let held = await_state(place, &id, "pendiente");
    assert_eq!(held["intentos"], 1, "it cost no attempt: {held:#}");

    hook.receiver.always(Manner::Ok);
    let server = hook.serve(place);
    hook.requests(2);
    await_state(place, &id, "hecho");
    assert!(doctor(place, &["--set", &hook.perfil]).contains("none is dead, parked or held"));
    assert!(server.stop().0.success());
}

struct Mail {
    runtime: tokio::runtime::Runtime,
    mailbox: Mailbox,
    args: Vec<String>,
}

impl Mail {
    fn new() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let mailbox = runtime.block_on(Mailbox::start());
        let settings = [
            format!("SMTP_HOST={}", mailbox.address.ip()),
            format!("SMTP_PORT={}", mailbox.address.port()),
            "SMTP_TLS=none".to_owned(),
            "EMAIL_FROM=Obras Gil <embudo@ejemplo.es>".to_owned(),
        ];
        let args = settings.into_iter().flat_map(|s| ["--set".to_owned(), s]).collect();
        Self { runtime, mailbox, args }
    }

    fn args(&self) -> Vec<&str> {
        self.args.iter().map(String::as_str).collect()
    }
}

/// A server that accepts the connection and never answers does not have the mail, even if our process is killed
/// meanwhile.
fn a_mail_that_was_never_begun_is_not_in_doubt(place: &Place) {
    let mail = Mail::new();
    mail.mailbox.treatments([Treatment::NoGreeting]);
    let server = place.serve_with(&mail.args());
    let lead = lead(&server);
    let _waiting = InFlight::send(&server, &format!("/api/leads/{lead}/ingesta"), r#"{"finalizar":true}"#);
    mail.runtime.block_on(mail.mailbox.await_connections(1));
    server.signal("KILL");
    drop(server.end());
    assert_eq!(jobs(place, &["--kind", "correo_cliente"])[0]["enDuda"], false);

    let server = place.serve_with(&mail.args());
    let letters = mail.runtime.block_on(mail.mailbox.await_messages(1));
    assert!(letters[0].header("From").unwrap().contains("Obras Gil"));
    let id = jobs(place, &["--kind", "correo_cliente"])[0]["id"].as_str().unwrap().to_owned();
    await_state(place, &id, "hecho");
    assert!(server.stop().0.success());
    assert_eq!(mail.mailbox.messages().len(), 1);
}

/// The mail server has the mail and has not confirmed it when the process is killed: a person must decide, and `doctor`
/// reports it.
fn a_mail_in_doubt_is_parked_and_told(place: &Place) {
    let mail = Mail::new();
    mail.mailbox.treatments([Treatment::HangsAfterData]);
    let server = place.serve_with(&mail.args());
    let lead = lead(&server);
    let _waiting = InFlight::send(&server, &format!("/api/leads/{lead}/ingesta"), r#"{"finalizar":true}"#);
    mail.runtime.block_on(mail.mailbox.await_messages(1));
    server.signal("KILL");
    drop(server.end());
    let job = jobs(place, &["--kind", "correo_cliente"]).remove(0);
    assert_eq!(job["enDuda"], true, "{job:#}");

    let server = place.serve_with(&mail.args());
    await_state(place, job["id"].as_str().unwrap(), "aparcado");
    let told = doctor(place, &mail.args());
    assert!(told.contains("✗ failed          jobs") && told.contains("1 parked"), "{told}");
    assert!(told.contains("→ see embudo jobs list --state aparcado"), "{told}");
    assert!(server.stop().0.success());
    assert_eq!(mail.mailbox.messages().len(), 1, "never two");
}

#[test]
fn a_signal_that_is_too_long_is_told() {
    let place = Place::sqlite();
    let hook = Hook::new(Manner::state(500));
    let server = hook.serve(&place);
    let lead = lead(&server);
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(1, 13 << 20)) });
    let body = json!({ "items": [foto], "perfilCompleto": true }).to_string();
    let answer = call(&server, "POST", &format!("/api/leads/{lead}/ingesta"), &body);
    assert_eq!(answer.json()["perfilSenalado"], false, "{}", answer.body);
    let told = doctor(&place, &["--set", &hook.perfil]);
    assert!(told.contains("✗ failed          PUBLIC_URL") && told.contains("17,3 MB"), "{told}");
    assert!(server.stop().0.success());
    let told = doctor(&place, &["--set", &hook.perfil, "--set", "PUBLIC_URL=https://leads.example.com"]);
    assert!(told.contains("✓ ok              PUBLIC_URL"), "{told}");
}
