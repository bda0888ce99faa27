//! `POST /api/leads/:id/conversacion` (contract §2.2).

use embudo_testkit::{Server, both_engines};
use serde_json::json;

both_engines!(
    a_turn_is_appended_and_read_back,
    turn_and_states_are_written_together,
    any_state_may_follow_any_other,
    turns_read_back_in_the_order_they_were_accepted,
    a_space_is_a_message_and_nothing_is_not,
    rol_and_mensaje_are_required,
    a_message_of_several_megabytes_is_kept_whole,
);

async fn a_turn_is_appended_and_read_back(s: Server) {
    let lead = s.lead().await;
    let turno = json!({
        "rol": "user", "mensaje": "Quiero reformar el baño 🛁", "mediaType": "audio", "mediaUrl": "no es una url",
        "transcripcionAudio": "quiero reformar el baño",
    });
    let r = s.post(&format!("/api/leads/{lead}/conversacion"), &turno).await.with(200);
    assert_eq!(r.as_object().unwrap().len(), 2);
    let record = s.record(&lead).await;
    let stored = &record["conversacion"][0];
    assert_eq!((&r["ok"], &r["id"]), (&json!(true), &stored["id"]));
    for (field, value) in turno.as_object().unwrap() {
        assert_eq!(&stored[field], value);
    }
    assert!(stored["creadoEn"].as_str().unwrap().ends_with('Z'));
}

async fn turn_and_states_are_written_together(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/conversacion");
    s.post(
        &path,
        &json!({ "rol": "assistant", "mensaje": "Hola", "estadoWa": "enviado", "botStep": "saludo" }),
    )
    .await
    .with(200);
    s.post(&path, &json!({ "rol": "user", "mensaje": "Hola", "estadoWa": "leido" })).await.with(200);
    let record = s.record(&lead).await;
    assert_eq!((&record["estadoWa"], &record["botStep"]), (&json!("leido"), &json!("saludo")));
    assert_eq!(record["conversacion"].as_array().unwrap().len(), 2);
}

async fn any_state_may_follow_any_other(s: Server) {
    let lead = s.lead().await;
    for state in ["leido", "sin_enviar", "fallido", "entregado", "enviado", "sin_enviar"] {
        let turno = json!({ "rol": "system", "mensaje": "x", "estadoWa": state });
        s.post(&format!("/api/leads/{lead}/conversacion"), &turno).await.with(200);
        assert_eq!(s.record(&lead).await["estadoWa"], state);
    }
}

async fn turns_read_back_in_the_order_they_were_accepted(s: Server) {
    let lead = s.lead().await;
    for n in 0..40 {
        let turno = json!({ "rol": "user", "mensaje": format!("{n}") });
        s.post(&format!("/api/leads/{lead}/conversacion"), &turno).await.with(200);
    }
    let record = s.record(&lead).await;
    let parsed: Vec<_> =
        record["conversacion"].as_array().unwrap().iter().map(|t| t["mensaje"].clone()).collect();
    assert_eq!(parsed, (0..40).map(|n| json!(n.to_string())).collect::<Vec<_>>());
}

async fn a_space_is_a_message_and_nothing_is_not(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/conversacion");
    s.post(&path, &json!({ "rol": "user", "mensaje": " ", "mediaUrl": "", "botStep": "" })).await.with(200);
    let r = s.post(&path, &json!({ "rol": "user", "mensaje": "" })).await;
    assert_eq!(r.errors(), [("/mensaje".to_owned(), "vacio".to_owned())]);
}

async fn rol_and_mensaje_are_required(s: Server) {
    let lead = s.lead().await;
    let r = s
        .post(&format!("/api/leads/{lead}/conversacion"), &json!({ "estadoWa": "leido", "rol": "bot" }))
        .await;
    assert_eq!(
        r.errors(),
        [("/rol".into(), "valor".into()), ("/mensaje".into(), "requerido".into())] as [(String, String); 2]
    );
    assert_eq!(s.record(&lead).await["estadoWa"], json!(null), "nothing of a refused call is written");
}

async fn a_message_of_several_megabytes_is_kept_whole(s: Server) {
    let lead = s.lead().await;
    let length = "ñandú ".repeat(700_000);
    let r = s
        .post(&format!("/api/leads/{lead}/conversacion"), &json!({ "rol": "user", "mensaje": length }))
        .await;
    r.with(200);
    assert_eq!(s.record(&lead).await["conversacion"][0]["mensaje"], length);
}
