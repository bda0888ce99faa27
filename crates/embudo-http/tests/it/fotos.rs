//! Photos one by one, and the blobs behind them (contract §2, §3).

use std::time::Duration;

use bytes::Bytes;
use embudo_domain::{Digest, LeadId};
use embudo_store::command::MARK_LIFE;
use embudo_testkit::{Server, both_engines, data_uri, fake_jpeg};
use futures_util::TryStreamExt;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::json;

use crate::NOBODY;

async fn blobs(s: &Server) -> usize {
    s.app.blobs.list().try_collect::<Vec<_>>().await.unwrap().len()
}

both_engines!(
    a_deleted_photo_is_gone_and_deleting_again_is_404,
    a_photo_belongs_to_its_lead,
    a_photo_of_many_pieces_comes_back_as_it_was_sent,
    the_same_picture_twice_is_one_blob,
    the_sweep_deletes_what_no_photo_names_and_nothing_else,
    sweeping_and_ingesting_the_same_picture_at_once_loses_no_byte,
    a_sweep_that_died_is_finished_by_the_next,
    a_sweep_leaves_what_another_is_at,
    a_sweep_that_would_take_a_large_share_is_not_begun,
    many_sweeps_and_ingestions_of_the_same_picture_lose_no_byte,
    blobs_of_the_older_layout_are_read_and_taken_over_by_the_database_that_names_them,
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
    // Broken into lines, as mail programs do, it is kept and sent as text.
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

async fn the_same_picture_twice_is_one_blob(s: Server) {
    let lead = s.lead().await;
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(1, 5_000)) });
    let body = json!({ "items": [foto, foto] });
    s.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    s.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    assert_eq!(s.record(&lead).await["fotos"].as_array().unwrap().len(), 4);
    assert_eq!(blobs(&s).await, 1);
}

async fn the_sweep_deletes_what_no_photo_names_and_nothing_else(s: Server) {
    let lead = s.lead().await;
    let foto = |n| json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(n, 5_000)) });
    s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": [foto(1), foto(2), foto(1)] }))
        .await
        .with(200);
    let record = s.record(&lead).await;
    for n in [0, 1] {
        s.send(s.request(Method::DELETE, record["fotos"][n]["href"].as_str().unwrap())).await;
    }
    let young = s.app.housekeeping().sweep_blobs(Duration::from_secs(3_600)).await.unwrap();
    assert_eq!(young.deleted, 0, "a young blob may belong to a call that still runs");
    let swept = s.app.housekeeping().sweep_blobs(Duration::ZERO).await.unwrap();
    assert_eq!((swept.seen, swept.deleted), (2, 1));
    let read = s.get(record["fotos"][2]["href"].as_str().unwrap()).await.with(200);
    assert_eq!(read["imagen"], foto(1)["imagen"]);
}

async fn sweeping_and_ingesting_the_same_picture_at_once_loses_no_byte(s: Server) {
    let lead = s.lead().await;
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(1, 2_000)) });
    for _ in 0..25 {
        let body = json!({ "items": [foto] });
        let path = format!("/api/leads/{lead}/ingesta");
        let (r, swept) = tokio::join!(s.post(&path, &body), s.app.housekeeping().sweep_blobs(Duration::ZERO));
        swept.unwrap();
        r.with(200);
        let href = s.record(&lead).await["fotos"][0]["href"].as_str().unwrap().to_owned();
        assert_eq!(s.get(&href).await.with(200)["imagen"], foto["imagen"]);
        s.send(s.request(Method::DELETE, &href)).await;
    }
}

async fn a_sweep_that_died_is_finished_by_the_next(s: Server) {
    let lead = s.lead().await;
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(1, 2_000)) });
    s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": [foto] })).await.with(200);
    let href = s.record(&lead).await["fotos"][0]["href"].as_str().unwrap().to_owned();
    s.send(s.request(Method::DELETE, &href)).await;
    let blob = s.app.blobs.list().try_collect::<Vec<_>>().await.unwrap().remove(0);
    let makes = s.app.now() - MARK_LIFE - SignedDuration::from_secs(1);
    s.app.store.mark_blob(blob.lead, blob.digest, makes).await.unwrap().unwrap();
    assert_eq!(s.app.housekeeping().finish_dead_sweeps().await.unwrap(), 1);
    assert_eq!((blobs(&s).await, s.app.store.marked_blobs().await.unwrap().len()), (0, 0));
}

async fn a_sweep_leaves_what_another_is_at(s: Server) {
    let lead = LeadId::parse(&s.lead().await).unwrap();
    let digest = Digest::of(b"suelto");
    s.app.blobs.put(lead, &digest, Bytes::from_static(b"suelto")).await.unwrap();
    let nth = s.app.store.mark_blob(lead, digest, s.app.now()).await.unwrap().unwrap();
    let swept = s.app.housekeeping().sweep_blobs(Duration::ZERO).await.unwrap();
    assert_eq!((swept.extra, swept.deleted, blobs(&s).await), (1, 0, 1));
    s.app.store.blob_swept(lead, digest, nth).await.unwrap();
    assert_eq!(s.app.housekeeping().sweep_blobs(Duration::ZERO).await.unwrap().deleted, 1);
}

async fn a_sweep_that_would_take_a_large_share_is_not_begun(s: Server) {
    let lead = LeadId::parse(&s.lead().await).unwrap();
    for n in 0..21_u8 {
        s.app.blobs.put(lead, &Digest::of(&[n]), Bytes::from(vec![n])).await.unwrap();
    }
    let swept = s.app.housekeeping().sweep_blobs(Duration::ZERO).await.unwrap();
    assert_eq!((swept.extra, swept.deleted, swept.stopped), (21, 0, true));
    let orphans = s.app.housekeeping().orphans(Duration::ZERO).await.unwrap();
    assert_eq!(
        (orphans.too_many(), s.app.housekeeping().sweep(&orphans).await.unwrap(), blobs(&s).await),
        (true, 21, 0)
    );
}

async fn many_sweeps_and_ingestions_of_the_same_picture_lose_no_byte(s: Server) {
    let lead = s.lead().await;
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(1, 2_000)) });
    let (path, body) = (format!("/api/leads/{lead}/ingesta"), json!({ "items": [foto] }));
    for _ in 0..15 {
        let sweep = || s.app.housekeeping().sweep_blobs(Duration::ZERO);
        let (r, a, b, c) = tokio::join!(s.post(&path, &body), sweep(), sweep(), sweep());
        for swept in [a, b, c] {
            swept.unwrap();
        }
        r.with(200);
        let href = s.record(&lead).await["fotos"][0]["href"].as_str().unwrap().to_owned();
        assert_eq!(s.get(&href).await.with(200)["imagen"], foto["imagen"]);
        s.send(s.request(Method::DELETE, &href)).await;
    }
}

async fn blobs_of_the_older_layout_are_read_and_taken_over_by_the_database_that_names_them(s: Server) {
    let lead = s.lead().await;
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(1, 2_000)) });
    s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": [foto] })).await.with(200);
    let href = s.record(&lead).await["fotos"][0]["href"].as_str().unwrap().to_owned();
    // As the program before kept them: directly under the folder, beside those of a database that we do not know.
    let own = std::fs::read_dir(s.blobs_folder()).unwrap().next().unwrap().unwrap().path();
    std::fs::rename(own.join("leads"), s.blobs_folder().join("leads")).unwrap();
    std::fs::create_dir(own.join("leads")).unwrap();
    let strangers = s.blobs_folder().join(format!("leads/{}", uuid::Uuid::now_v7()));
    std::fs::create_dir(&strangers).unwrap();
    std::fs::write(strangers.join(Digest::of(b"ajena").to_string()), b"ajena").unwrap();

    assert_eq!(blobs(&s).await, 0);
    assert_eq!(s.get(&href).await.with(200)["imagen"], foto["imagen"], "read where it is");
    assert_eq!(
        (
            s.app.housekeeping().take_over_blobs().await.unwrap(),
            s.app.housekeeping().take_over_blobs().await.unwrap()
        ),
        (1, 0)
    );
    assert_eq!(blobs(&s).await, 1);
    assert_eq!(s.get(&href).await.with(200)["imagen"], foto["imagen"]);
    s.app.housekeeping().sweep_blobs(Duration::ZERO).await.unwrap();
    assert_eq!(std::fs::read_dir(strangers).unwrap().count(), 1, "what nobody names stays");
}
