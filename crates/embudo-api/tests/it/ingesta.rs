//! `POST /api/leads/:id/ingesta` (contract §2.1).

use std::collections::BTreeSet;

use bytes::Bytes;
use embudo_domain::{Digest, LeadId};
use embudo_testkit::{Server, both_engines, data_uri, fake_jpeg};
use futures_util::TryStreamExt;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::NOBODY;

fn foto(seed: u64) -> Value {
    json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(seed, 600)) })
}

both_engines!(
    photos_and_notes_are_counted_and_kept,
    the_empty_call_is_422_and_a_false_flag_is_no_flag,
    flags_alone_are_a_call_and_leave_an_event,
    one_bad_item_refuses_the_whole_call_and_every_mistake_is_named,
    a_photo_without_zone_takes_the_type_of_renovation_at_that_moment,
    a_number_left_out_continues_from_the_maximum,
    sixty_four_calls_at_once_number_their_192_photos_without_gap_or_double,
    a_client_that_hangs_up_leaves_the_whole_call_or_nothing,
    every_picture_comes_back_as_it_was_sent,
    escaped_slashes_are_the_same_picture,
    an_unknown_lead_leaves_no_blob_behind,
    an_unknown_lead_keeps_the_blobs_that_it_had,
    a_thousand_items_in_one_call_are_fine,
);

async fn photos_and_notes_are_counted_and_kept(s: Server) {
    let lead = s.lead().await;
    let body = json!({ "items": [
        foto(1),
        { "tipo": "texto", "texto": "Quiero isla central", "zona": "cocina" },
        { "tipo": "foto", "imagen": "https://ejemplo.es/b.jpg", "zona": "bano", "momento": "despues", "orden": 2.5 },
    ] });
    let r = s.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    let expected = json!({ "ok": true, "fotos": 2, "notas": 1, "perfilSenalado": false, "finalizado": null });
    assert_eq!(r, expected);
    let record = s.record(&lead).await;
    let fotos = record["fotos"].as_array().unwrap();
    assert_eq!(
        (&fotos[0]["orden"], &fotos[0]["zona"], &fotos[0]["momento"]),
        (&json!(1), &json!("otro"), &json!("antes"))
    );
    assert_eq!(
        (&fotos[1]["orden"], &fotos[1]["zona"], &fotos[1]["momento"]),
        (&json!(2.5), &json!("bano"), &json!("despues"))
    );
    assert_eq!(record["notas"][0]["texto"], "Quiero isla central");
}

async fn the_empty_call_is_422_and_a_false_flag_is_no_flag(s: Server) {
    let lead = s.lead().await;
    for body in [
        "{}",
        r#"{"items":[]}"#,
        r#"{"perfilCompleto":false}"#,
        r#"{"finalizar":false,"perfilCompleto":false,"items":[]}"#,
        r#"{"x":1}"#,
    ] {
        let r = s.post_text(&format!("/api/leads/{lead}/ingesta"), body).await;
        assert_eq!(r.errors(), [(String::new(), "cuerpo_vacio".to_owned())], "{body}");
    }
}

async fn flags_alone_are_a_call_and_leave_an_event(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/ingesta");
    let r = s.post(&path, &json!({ "perfilCompleto": true })).await.with(200);
    assert_eq!((&r["perfilSenalado"], &r["finalizado"]), (&json!(false), &json!(null)));
    let r = s.post(&path, &json!({ "finalizar": true })).await.with(200);
    assert_eq!(r["finalizado"], json!({ "ok": true, "emailEnviado": false, "messagingSenal": false }));
    let record = s.record(&lead).await;
    let kinds: Vec<_> = record["eventos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e["tipo"].clone(), e["simulado"].clone()))
        .collect();
    assert_eq!(kinds[..2], [(json!("perfil_completo"), json!(true)), (json!("finalizar"), json!(false))]);
}

async fn one_bad_item_refuses_the_whole_call_and_every_mistake_is_named(s: Server) {
    let lead = s.lead().await;
    let body = json!({ "items": [
        foto(1),
        { "tipo": "foto" },
        { "tipo": "texto", "texto": "" },
        { "tipo": "video" },
        { "texto": "sin tipo" },
        "hola",
        null,
        { "tipo": "foto", "imagen": "hola", "zona": "garaje", "momento": "nunca", "orden": "1" },
        { "tipo": "texto", "texto": "bien", "imagen": 5, "orden": "no es cosa suya" },
    ] });
    let expected = [
        ("/items/1/imagen", "requerido"),
        ("/items/2/texto", "vacio"),
        ("/items/3/tipo", "valor"),
        ("/items/4/tipo", "requerido"),
        ("/items/5", "tipo"),
        ("/items/6", "nulo"),
        ("/items/7/imagen", "formato"),
        ("/items/7/zona", "valor"),
        ("/items/7/momento", "valor"),
        ("/items/7/orden", "tipo"),
    ];
    let errors = s.post(&format!("/api/leads/{lead}/ingesta"), &body).await.errors();
    assert_eq!(errors, expected.map(|(c, k)| (c.to_owned(), k.to_owned())));
    let record = s.record(&lead).await;
    assert_eq!((&record["fotos"], &record["notas"]), (&json!([]), &json!([])));
}

async fn a_photo_without_zone_takes_the_type_of_renovation_at_that_moment(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/ingesta");
    s.post(&path, &json!({ "items": [foto(1)] })).await.with(200);
    s.post(&format!("/api/leads/{lead}/perfil"), &json!({ "tipoReforma": "cocina" })).await.with(200);
    s.post(&path, &json!({ "items": [foto(2), { "tipo": "texto", "texto": "sin zona" }] })).await.with(200);
    s.post(&format!("/api/leads/{lead}/perfil"), &json!({ "tipoReforma": "bano" })).await.with(200);
    let record = s.record(&lead).await;
    let zonas: Vec<_> = record["fotos"].as_array().unwrap().iter().map(|f| f["zona"].clone()).collect();
    assert_eq!(zonas, ["otro", "cocina"]);
    assert_eq!(record["notas"][0]["zona"], json!(null));
}

async fn a_number_left_out_continues_from_the_maximum(s: Server) {
    let lead = s.lead().await;
    let with = |seed: u64, orden: Value| {
        let mut f = foto(seed);
        f["orden"] = orden;
        f
    };
    let body =
        json!({ "items": [foto(1), foto(2), with(3, json!(10.5)), foto(4), with(5, json!(-1)), foto(6)] });
    s.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    let orders: Vec<f64> = s.record(&lead).await["fotos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["orden"].as_f64().unwrap())
        .collect();
    assert_eq!(orders, [-1.0, 1.0, 2.0, 10.5, 11.5, 12.5]);
}

async fn sixty_four_calls_at_once_number_their_192_photos_without_gap_or_double(s: Server) {
    let lead = s.lead().await;
    let calls = (0..64_u64).map(|n| {
        let body = json!({ "items": [foto(3 * n), foto(3 * n + 1), foto(3 * n + 2)] });
        let path = format!("/api/leads/{lead}/ingesta");
        let s = &s;
        async move { s.post(&path, &body).await.with(200) }
    });
    futures_util::future::join_all(calls).await;
    let record = s.record(&lead).await;
    let orders: BTreeSet<u64> =
        record["fotos"].as_array().unwrap().iter().map(|f| f["orden"].as_u64().unwrap()).collect();
    assert_eq!(orders, (1..=192).collect());
}

async fn a_client_that_hangs_up_leaves_the_whole_call_or_nothing(s: Server) {
    let lead = s.lead().await;
    let fotos: Vec<_> =
        (0..4).map(|n| json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(n, 40_000)) })).collect();
    let items: Vec<_> = fotos.into_iter().chain([json!({ "tipo": "texto", "texto": "x" })]).collect();
    let body = json!({ "items": items, "perfilCompleto": true }).to_string();
    let head = format!(
        "POST /api/leads/{lead}/ingesta HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-length: {}\r\n\r\n",
        embudo_testkit::KEY,
        body.len(),
    );
    let mut complete = 0;
    for cut in [body.len() / 2, body.len() - 1, body.len(), body.len()] {
        let mut connection = tokio::net::TcpStream::connect(s.address).await.unwrap();
        connection.write_all(head.as_bytes()).await.unwrap();
        connection.write_all(&body.as_bytes()[..cut]).await.unwrap();
        complete += usize::from(cut == body.len());
        drop(connection);
    }
    // A later call on the same lead waits for the calls before it, so after it the calls that were cut off have ended.
    s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": [foto(99)] })).await.with(200);
    let record = s.record(&lead).await;
    let (fotos, notas, events) = (
        record["fotos"].as_array().unwrap().len() - 1,
        record["notas"].as_array().unwrap().len(),
        record["eventos"].as_array().unwrap().len(),
    );
    assert_eq!((fotos, notas), (4 * events, events), "all or nothing");
    assert!(events <= complete);
}

async fn every_picture_comes_back_as_it_was_sent(s: Server) {
    let lead = s.lead().await;
    let images = [
        data_uri(&fake_jpeg(7, 300_000)),
        "data:image/png;base64,AAEC".into(),
        "DATA:image/svg+xml;charset=utf-8;BASE64,aG9sYQ==".into(),
        "data:image/png;base64, aG9s\n YQ".into(),
        "data:image/webp;base64,-_-_".into(),
        "data:image/gif;base64,A".into(),
        "HTTPS://Ejemplo.es/ñ foto.jpg?x=1#y".into(),
    ];
    let items: Vec<_> = images.iter().map(|i| json!({ "tipo": "foto", "imagen": i })).collect();
    s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": items })).await.with(200);
    let record = s.record(&lead).await;
    let readable: Vec<_> = record["fotos"].as_array().unwrap().iter().map(|f| f["legible"].clone()).collect();
    assert_eq!(readable, [true, true, true, true, true, false, true]);
    for (foto, image) in record["fotos"].as_array().unwrap().iter().zip(&images) {
        let read = s.get(foto["href"].as_str().unwrap()).await.with(200);
        assert_eq!(read["imagen"].as_str().unwrap(), image);
        assert_eq!((&read["id"], &read["orden"]), (&foto["id"], &foto["orden"]));
    }
}

async fn escaped_slashes_are_the_same_picture(s: Server) {
    let lead = s.lead().await;
    let body = r#"{"items":[{"tipo":"foto","imagen":"data:image\/png;base64,AA\/C"}]}"#;
    s.post_text(&format!("/api/leads/{lead}/ingesta"), body).await.with(200);
    let record = s.record(&lead).await;
    let read = s.get(record["fotos"][0]["href"].as_str().unwrap()).await.with(200);
    assert_eq!(read["imagen"], "data:image/png;base64,AA/C");
}

async fn an_unknown_lead_leaves_no_blob_behind(s: Server) {
    s.post(&format!("/api/leads/{NOBODY}/ingesta"), &json!({ "items": [foto(1)] })).await.problem(404);
    let blobs: Vec<_> = s.app.blobs.list().try_collect().await.unwrap();
    assert_eq!(blobs, []);
}

/// The situation after a backup was restored that does not know the lead yet: the newer database still needs the
/// photos.
async fn an_unknown_lead_keeps_the_blobs_that_it_had(s: Server) {
    let (lead, digest) = (LeadId::parse(NOBODY).unwrap(), Digest::of(b"de antes"));
    s.app.blobs.put(lead, &digest, Bytes::from_static(b"de antes")).await.unwrap();
    let items = json!({ "items": [foto(1), { "tipo": "foto", "imagen": data_uri(b"de antes") }] });
    s.post(&format!("/api/leads/{NOBODY}/ingesta"), &items).await.problem(404);
    let blobs: Vec<_> = s.app.blobs.list().try_collect().await.unwrap();
    assert_eq!(blobs.iter().map(|b| b.digest).collect::<Vec<_>>(), [digest]);
}

async fn a_thousand_items_in_one_call_are_fine(s: Server) {
    let lead = s.lead().await;
    let items: Vec<_> =
        (0..1_000).map(|n| json!({ "tipo": "texto", "texto": format!("nota {n}") })).collect();
    let r = s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": items })).await.with(200);
    assert_eq!(r["notas"], 1_000);
    let record = s.record(&lead).await;
    assert_eq!(record["notas"][999]["texto"], "nota 999");
}
