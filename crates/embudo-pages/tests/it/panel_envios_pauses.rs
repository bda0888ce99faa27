//! A destination that is paused in the panel sends nothing until it is resumed, whatever creates jobs for it.

use embudo_domain::audit::AuditAction;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::role::Role;
use embudo_testkit::{Engine, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::panel_envios::{done, newest, office, state};
use crate::person::{Browser, PanelPage, add, another_company};

both_engines!(
    a_paused_destination_sends_nothing_until_it_is_resumed,
    finalizar_answers_while_mail_is_paused,
    a_pause_is_the_companys_own,
    an_odd_form_changes_nothing,
);

async fn a_paused_destination_sends_nothing_until_it_is_resumed(engine: Engine) {
    let (scene, _mailbox) = office(engine).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    let set = async |action: &str| {
        marta.post("/panel/envios/destinos", &[("destino", "perfil"), ("accion", action)]).await
    };
    set("pausar").await.to("/panel/envios?hecho=pausa");
    let lead = scene.server.lead().await;
    assert!(!scene.complete_perfil(&lead).await, "not accepted yet");
    let job = newest(&scene, JobKind::Perfil).await;
    assert!(job.is_held() && job.intentos == 0);
    for _ in 0..3 {
        scene.pass(SignedDuration::from_mins(5)).await;
    }
    assert_eq!(scene.receiver.received().len(), 0);
    let list = marta.get("/panel/envios").await.panel(200);
    for words in ["En pausa", "Reanudar", "por Ana García", "/panel/envios?estado=en_pausa"] {
        assert!(list.contains(words), "{words} in {list}");
    }
    assert!(!list.contains("chapa"), "nothing failed");
    let page = marta.get(&format!("/panel/envios/{}", job.id)).await.panel(200);
    assert!(page.contains("al reanudar el destino") && page.contains("Reanudar el destino"), "{page}");
    // Other destinations are not affected.
    scene.server.post_text(&format!("/api/leads/{lead}/mensajeria"), "").await.with(200);
    assert_eq!(scene.receiver.received().len(), 1);
    set("reanudar").await.to("/panel/envios?hecho=reanudado");
    assert_eq!(scene.pass(SignedDuration::ZERO).await, 1);
    assert_eq!((scene.receiver.received().len(), state(&scene, &job).await), (2, JobState::Done));
    assert!(scene.complete_perfil(&lead).await, "signals go out at once again");
    assert_eq!(done(&scene).await, [AuditAction::DestinationResumed, AuditAction::DestinationPaused]);
}

async fn finalizar_answers_while_mail_is_paused(engine: Engine) {
    let (scene, mailbox) = office(engine).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    let set = async |action: &str| {
        marta.post("/panel/envios/destinos", &[("destino", "correo"), ("accion", action)]).await
    };
    set("pausar").await.to("/panel/envios?hecho=pausa");
    let path = format!("/api/leads/{}/ingesta", scene.server.lead().await);
    for keyed in [None, Some("clave-1")] {
        for _ in 0..2 {
            let body = json!({ "finalizar": true });
            let answer = match keyed {
                Some(key) => scene.server.post_keyed(&path, key, &body).await,
                None => scene.server.post(&path, &body).await,
            };
            let answer = &answer.with(200)["finalizado"];
            assert_eq!((&answer["ok"], &answer["emailEnviado"]), (&json!(true), &json!(false)), "{answer}");
            assert_eq!(answer["messagingSenal"], json!(true), "{answer}");
        }
    }
    scene.pass(SignedDuration::from_mins(10)).await;
    assert_eq!(mailbox.messages().len(), 0);
    set("reanudar").await.to("/panel/envios?hecho=reanudado");
    scene.pass(SignedDuration::ZERO).await;
    assert_eq!(mailbox.messages().len(), 1, "one quote, one mail");
}

async fn a_pause_is_the_companys_own(engine: Engine) {
    let (scene, _mailbox) = office(engine).await;
    let other = another_company(&scene).await;
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    let foreign = Browser::signed(&scene, "ajena@ejemplo.es").await;
    let pause = [("destino", "perfil"), ("accion", "pausar")];
    foreign.post("/panel/envios/destinos", &pause).await.to("/panel/envios?hecho=pausa");
    assert!(scene.complete_perfil(&scene.server.lead().await).await);
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    assert!(!marta.get("/panel/envios").await.panel(200).contains("Reanudar"));
    let resume = [("destino", "perfil"), ("accion", "reanudar")];
    marta.post("/panel/envios/destinos", &resume).await.to("/panel/envios?hecho=reanudado");
    assert!(foreign.get("/panel/envios").await.panel(200).contains("Reanudar"));
}

async fn an_odd_form_changes_nothing(engine: Engine) {
    let (scene, _mailbox) = office(engine).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    for fields in [&[][..], &[("destino", "perfil")], &[("destino", "x"), ("accion", "pausar")]] {
        let page = marta.post("/panel/envios/destinos", fields).await.panel(422);
        assert!(page.contains("Elige qué destino"));
    }
    assert_eq!(done(&scene).await, []);
    assert!(scene.complete_perfil(&scene.server.lead().await).await);
}
