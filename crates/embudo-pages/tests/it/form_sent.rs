//! Sending the form with its button: what this starts, and the mail to the client.

use embudo_app::{OutboundMail, WithLinks};
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_delivery::{Links, Mail};
use embudo_domain::job::{Job, JobKind};
use embudo_domain::settings::{AnswerTime, FormEnd, Settings};
use embudo_store::outbox_admin::JobFilter;
use embudo_testkit::{Engine, Mailbox, Scene, both_engines};
use jiff::SignedDuration;

use crate::visitor::{Page as _, Visitor};

both_engines!(
    nothing_is_set_off_before_it_is_sent,
    the_client_gets_a_link_to_change_the_answers,
    a_stranger_gets_few_receipts,
    the_end_says_when,
);

async fn with_mail(engine: Engine, mailbox: &Mailbox) -> Visitor {
    let scene = Scene::with(engine, |m| {
        let smtp = SmtpSettings::new(mailbox.address.ip().to_string(), mailbox.address.port(), Tls::None);
        let client = Mail::new(smtp).unwrap();
        m.outbound.mail = Some(OutboundMail { client, from: "embudo@ejemplo.es".into(), from_name: None });
        let links = Links::new(b"secreto");
        m.outbound.links = Some(WithLinks { links, public_url: "https://obras.es".into() });
    });
    Visitor::with(scene.await)
}

async fn jobs(n: &Visitor, kind: JobKind) -> Vec<Job> {
    let filter = JobFilter { kind: Some(kind), ..JobFilter::default() };
    n.server().app.store.list_jobs(filter, None, 100).await.unwrap()
}

async fn settings(n: &Visitor, settings: Settings) {
    n.server().app.store.save_settings(n.server().empresa.id, settings).await.unwrap();
}

async fn nothing_is_set_off_before_it_is_sent(engine: Engine) {
    let n = Visitor::at(engine).await;
    settings(&n, Settings { form_end: Some(FormEnd::Quote), ..Settings::default() }).await;
    let base = n.signup().await;
    n.post(&format!("{base}/calidad"), &[("calidad", "media")]).await.redirect();
    n.get(&format!("{base}/resumen")).await.page(200);
    assert_eq!(jobs(&n, JobKind::Presupuesto).await.len(), 0, "the letter is only read");
    for _ in 0..2 {
        assert_eq!(n.post(&format!("{base}/enviar"), &[]).await.redirect(), format!("{base}/gracias"));
    }
    assert_eq!(jobs(&n, JobKind::Presupuesto).await.len(), 1, "sent twice is once");
    assert_eq!(jobs(&n, JobKind::FormReceipt).await.len(), 0, "no mail is configured");
}

async fn the_client_gets_a_link_to_change_the_answers(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let n = with_mail(engine, &mailbox).await;
    let base = n.signup().await;
    for _ in 0..2 {
        n.post(&format!("{base}/enviar"), &[]).await.redirect();
    }
    let thanks = n.get(&format!("{base}/gracias")).await.page(200);
    assert!(thanks.contains("Te mandamos un correo a ana@ejemplo.es"), "{thanks}");
    n.scene.clock.advance(SignedDuration::from_secs(1));
    n.server().app.worker().run_jobs().await.unwrap();
    let letter = mailbox.await_messages(1).await.remove(0);
    assert_eq!(letter.subject(), "Hemos recibido tu solicitud, Reformas Peña");
    let text = letter.part("text/plain").unwrap();
    let link = text.split("https://obras.es").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let page = n.get(&link).await.page(200);
    assert!(page.contains("Ya nos la enviaste") && page.contains("tu baño"), "{page}");
    let own = link.strip_suffix("/resumen").unwrap();
    n.post(&format!("{own}/metros?desde=resumen"), &[("m2", "8")]).await.redirect();
    assert_eq!(n.record(&base).await.lead.perfil.m2_suelo, Some(8.0));
    assert_eq!(jobs(&n, JobKind::FormReceipt).await.len(), 1, "one form is one receipt");

    // A corrected address gets a mail of its own. The link in the first mail is no longer valid.
    let corrected = [("nombre", "Ana"), ("telefono", "612345678"), ("email", "ana@otro.es")];
    n.post(&format!("{base}/contacto"), &corrected).await.redirect();
    assert_eq!(n.get(&link).await.status.as_u16(), 410);
    n.post(&format!("{base}/enviar"), &[]).await.redirect();
    n.server().app.worker().run_jobs().await.unwrap();
    assert_eq!(mailbox.await_messages(2).await[1].to, ["ana@otro.es"]);
}

/// A visitor can type the address of anybody.
async fn a_stranger_gets_few_receipts(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let n = with_mail(engine, &mailbox).await;
    for k in 0..5 {
        let base = n.signup().await;
        n.post(&format!("{base}/enviar"), &[]).await.redirect();
        let thanks = n.get(&format!("{base}/gracias")).await.page(200);
        assert_eq!(thanks.contains("Te mandamos un correo"), k < 3, "{k}: {thanks}");
    }
    assert_eq!(jobs(&n, JobKind::FormReceipt).await.len(), 3, "from all leads together");
    n.scene.clock.advance(SignedDuration::from_hours(49));
    let base = n.signup().await;
    for address in ["a@b.es", "c@d.es", "e@f.es", "g@h.es", "i@j.es"] {
        let corrected = [("nombre", "Ana"), ("telefono", "612345678"), ("email", address)];
        n.post(&format!("{base}/contacto"), &corrected).await.redirect();
        n.post(&format!("{base}/enviar"), &[]).await.redirect();
    }
    assert_eq!(jobs(&n, JobKind::FormReceipt).await.len(), 6, "from one lead to many addresses");
}

async fn the_end_says_when(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let n = with_mail(engine, &mailbox).await;
    let base = n.signup().await;
    n.post(&format!("{base}/enviar"), &[]).await.redirect();
    let cases = [
        (Some(FormEnd::Quote), false, None, "Tu presupuesto te llegará a ana@ejemplo.es en unos minutos."),
        (
            Some(FormEnd::Quote),
            true,
            Some(AnswerTime::Day),
            "Reformas Peña revisa tu presupuesto y te lo envía a ana@ejemplo.es en un día laborable.",
        ),
        (
            Some(FormEnd::Draft),
            false,
            None,
            "Reformas Peña revisa tu presupuesto y te lo envía a ana@ejemplo.es.",
        ),
        (
            Some(FormEnd::Nothing),
            false,
            Some(AnswerTime::Week),
            "Reformas Peña verá tu solicitud y se pondrá en contacto contigo en una semana.",
        ),
    ];
    for (form_end, review, answer_time, promise) in cases {
        settings(&n, Settings { form_end, review, answer_time, ..Settings::default() }).await;
        let thanks = n.get(&format!("{base}/gracias")).await.page(200);
        assert!(thanks.contains(promise), "{promise} in {thanks}");
    }
}
