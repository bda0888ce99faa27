//! Photos one by one, and the blobs behind them (contract §2, §3).

use std::time::Duration;

use embudo_testkit::{data_uri, en_ambos_motores, jpeg_de_pega};
use futures_util::TryStreamExt;
use reqwest::Method;
use serde_json::json;

use crate::NADIE;

async fn blobs(s: &embudo_testkit::Servidor) -> usize {
    s.app.blobs.list().try_collect::<Vec<_>>().await.unwrap().len()
}

en_ambos_motores! {
    async fn a_deleted_photo_is_gone_and_deleting_again_is_404(s: Servidor) {
        let lead = s.lead().await;
        let cuerpo = json!({ "items": [{ "tipo": "foto", "imagen": "http://a/b.jpg" }] });
        s.post(&format!("/api/leads/{lead}/ingesta"), &cuerpo).await.con(200);
        let href = s.ficha(&lead).await["fotos"][0]["href"].as_str().unwrap().to_owned();
        assert_eq!(s.enviar(s.peticion(Method::DELETE, &href)).await.status.as_u16(), 204);
        s.enviar(s.peticion(Method::DELETE, &href)).await.problema(404);
        s.get(&href).await.problema(404);
        assert_eq!(s.ficha(&lead).await["fotos"], json!([]));
    }

    async fn a_photo_belongs_to_its_lead(s: Servidor) {
        let (una, otra) = (s.lead().await, s.lead().await);
        let cuerpo = json!({ "items": [{ "tipo": "foto", "imagen": "http://a/b.jpg" }] });
        s.post(&format!("/api/leads/{una}/ingesta"), &cuerpo).await.con(200);
        let foto = s.ficha(&una).await["fotos"][0]["id"].as_str().unwrap().to_owned();
        s.get(&format!("/api/leads/{otra}/fotos/{foto}")).await.problema(404);
        s.enviar(s.peticion(Method::DELETE, &format!("/api/leads/{otra}/fotos/{foto}"))).await.problema(404);
        for malo in [NADIE, "x", "%FF"] {
            s.get(&format!("/api/leads/{una}/fotos/{malo}")).await.problema(404);
        }
        assert_eq!(s.ficha(&una).await["fotos"].as_array().unwrap().len(), 1);
    }

    async fn the_same_picture_twice_is_one_blob(s: Servidor) {
        let lead = s.lead().await;
        let foto = json!({ "tipo": "foto", "imagen": data_uri(&jpeg_de_pega(1, 5_000)) });
        let cuerpo = json!({ "items": [foto, foto] });
        s.post(&format!("/api/leads/{lead}/ingesta"), &cuerpo).await.con(200);
        s.post(&format!("/api/leads/{lead}/ingesta"), &cuerpo).await.con(200);
        assert_eq!(s.ficha(&lead).await["fotos"].as_array().unwrap().len(), 4);
        assert_eq!(blobs(&s).await, 1);
    }

    async fn the_sweep_deletes_what_no_photo_names_and_nothing_else(s: Servidor) {
        let lead = s.lead().await;
        let foto = |n| json!({ "tipo": "foto", "imagen": data_uri(&jpeg_de_pega(n, 5_000)) });
        s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": [foto(1), foto(2), foto(1)] })).await.con(200);
        let ficha = s.ficha(&lead).await;
        for n in [0, 1] {
            s.enviar(s.peticion(Method::DELETE, ficha["fotos"][n]["href"].as_str().unwrap())).await;
        }
        let joven = s.app.sweep_blobs(Duration::from_secs(3_600)).await.unwrap();
        assert_eq!(joven.borrados, 0, "a young blob may belong to a call that still runs");
        let barrido = s.app.sweep_blobs(Duration::ZERO).await.unwrap();
        assert_eq!((barrido.vistos, barrido.borrados), (2, 1));
        let leida = s.get(ficha["fotos"][2]["href"].as_str().unwrap()).await.con(200);
        assert_eq!(leida["imagen"], foto(1)["imagen"]);
    }

    async fn sweeping_and_ingesting_the_same_picture_at_once_loses_no_byte(s: Servidor) {
        let lead = s.lead().await;
        let foto = json!({ "tipo": "foto", "imagen": data_uri(&jpeg_de_pega(1, 2_000)) });
        for _ in 0..25 {
            let cuerpo = json!({ "items": [foto] });
            let ruta = format!("/api/leads/{lead}/ingesta");
            let (r, barrido) = tokio::join!(s.post(&ruta, &cuerpo), s.app.sweep_blobs(Duration::ZERO));
            barrido.unwrap();
            r.con(200);
            let href = s.ficha(&lead).await["fotos"][0]["href"].as_str().unwrap().to_owned();
            assert_eq!(s.get(&href).await.con(200)["imagen"], foto["imagen"]);
            s.enviar(s.peticion(Method::DELETE, &href)).await;
        }
    }

    async fn a_sweep_that_died_is_finished_by_the_next(s: Servidor) {
        let lead = s.lead().await;
        let foto = json!({ "tipo": "foto", "imagen": data_uri(&jpeg_de_pega(1, 2_000)) });
        s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "items": [foto] })).await.con(200);
        let href = s.ficha(&lead).await["fotos"][0]["href"].as_str().unwrap().to_owned();
        s.enviar(s.peticion(Method::DELETE, &href)).await;
        let blob = s.app.blobs.list().try_collect::<Vec<_>>().await.unwrap().remove(0);
        assert!(s.app.store.mark_blob(blob.lead, blob.huella, s.app.ahora()).await.unwrap());
        s.app.sweep_blobs(Duration::from_secs(3_600)).await.unwrap();
        assert_eq!((blobs(&s).await, s.app.store.marked_blobs().await.unwrap().len()), (0, 0));
    }
}
