//! Photos one by one (contract §2, §3).

use embudo_testkit::{Server, both_engines, data_uri, fake_jpeg};
use reqwest::Method;
use serde_json::json;

use crate::NOBODY;

both_engines!(
    a_deleted_photo_is_gone_and_deleting_again_is_404,
    a_photo_belongs_to_its_lead,
    a_photo_of_many_pieces_comes_back_as_it_was_sent,
);

async fn a_deleted_photo_is_gone_and_deleting_again_is_404(s: Server) {
    let lead = s.lead().await;
    let body = json!({ "items": [{ "tipo": "foto", "imagen": "http://a/b.jpg" }] });
    s.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    let href = s.record(&lead).await["fotos"][0]["href"].as_str().unwrap().to_owned();
    assert_eq!(s.send(s.request(Method::DELETE, &href)).await.status.as_u16(), 204);
    s.send(s.request(Method::DELETE, &href)).await.problem(404);
    s.get(&href).await.problem(404);
    assert_eq!(s.record(&lead).await["fotos"], json!([]));
}

async fn a_photo_belongs_to_its_lead(s: Server) {
    let (a, another) = (s.lead().await, s.lead().await);
    let body = json!({ "items": [{ "tipo": "foto", "imagen": "http://a/b.jpg" }] });
    s.post(&format!("/api/leads/{a}/ingesta"), &body).await.with(200);
    let foto = s.record(&a).await["fotos"][0]["id"].as_str().unwrap().to_owned();
    s.get(&format!("/api/leads/{another}/fotos/{foto}")).await.problem(404);
    s.send(s.request(Method::DELETE, &format!("/api/leads/{another}/fotos/{foto}"))).await.problem(404);
    for bad in [NOBODY, "x", "%FF"] {
        s.get(&format!("/api/leads/{a}/fotos/{bad}")).await.problem(404);
    }
    assert_eq!(s.record(&a).await["fotos"].as_array().unwrap().len(), 1);
}

async fn a_photo_of_many_pieces_comes_back_as_it_was_sent(s: Server) {
    let lead = s.lead().await;
    let piece = usize::try_from(embudo_blobs::PIECE_BYTES).unwrap();
    let sizes = [1, piece - 1, piece, piece + 1, 2 * piece, 4 * piece + 5];
    let mut images: Vec<String> =
        sizes.iter().zip(1..).map(|(size, n)| data_uri(&fake_jpeg(n, *size))).collect();
    // A payload that is broken into lines, as mail programs do, is kept and sent as text.
    let (prefix, payload) = images[5].split_once(',').unwrap();
    let lines: Vec<&str> = payload.as_bytes().chunks(76).map(|l| std::str::from_utf8(l).unwrap()).collect();
    images.push(format!("{prefix},{}", lines.join("\r\n")));
    for image in &images {
        let body = json!({ "items": [{ "tipo": "foto", "imagen": image }] });
        s.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    }
    let record = s.record(&lead).await;
    for (foto, image) in record["fotos"].as_array().unwrap().iter().zip(&images) {
        let answer = s.get(foto["href"].as_str().unwrap()).await;
        if let Some(length) = answer.header("content-length") {
            assert_eq!(length, answer.text.len().to_string());
        }
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert!(answer.with(200)["imagen"] == image.as_str(), "{} characters", image.len());
    }
}
