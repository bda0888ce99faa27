//! Photos of the public form: uploaded one by one like the module does, shown and deleted with the form's pass.

use embudo_testkit::{Answered, Engine, both_engines, tiny_jpeg};

use crate::visitor::{Page, Visitor, with_files};

async fn upload(n: &Visitor, base: &str, zona: &str, bytes: Vec<u8>) -> Answered {
    let path = n.server().url(&format!("{base}/fotos/subir?zona={zona}"));
    n.server().send(n.cliente.post(path).header("accept", "application/json").body(bytes)).await
}

async fn a_photo_comes_is_seen_and_goes(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let foto = tiny_jpeg(7, 3_000);
    let uploaded = upload(&n, &base, "cocina", foto.clone()).await;
    assert_eq!(uploaded.header("cache-control"), Some("no-store"));
    let uploaded = uploaded.with(201);
    let again = upload(&n, &base, "cocina", foto.clone()).await.with(201);
    assert_eq!(uploaded, again, "sent again after a lost answer it is the same photo");
    upload(&n, &base, "bano", foto.clone()).await.with(201);
    let href = uploaded["href"].as_str().unwrap();
    let view = n.cliente.get(n.server().url(href)).send().await.unwrap();
    assert_eq!(view.headers()["content-type"], "image/jpeg");
    assert_eq!(view.headers()["content-security-policy"], "default-src 'none'; sandbox");
    assert!(view.bytes().await.unwrap().starts_with(b"\xff\xd8\xff"), "a rendition of it");
    let page = n.get(&format!("{base}/fotos")).await.page(200);
    assert!(page.contains(href) && page.contains("Foto 1 de tu cocina"));
    let record = n.record(&base).await;
    let zonas: Vec<_> = record.fotos.iter().map(|f| f.zona.as_str()).collect();
    assert_eq!(zonas, ["cocina", "bano"]);
    // Another lead's pass neither shows nor deletes the photo.
    let foreign = format!("{}/fotos/{}", n.signup().await, uploaded["id"].as_str().unwrap());
    n.get(&foreign).await.page(404);
    n.post(&format!("{foreign}/borrar"), &[]).await.redirect();
    assert_eq!(n.record(&base).await.fotos.len(), 2);
    assert_eq!(n.post(&format!("{href}/borrar"), &[]).await.redirect(), format!("{base}/fotos"));
    n.get(href).await.page(404);
    let rest = n.record(&base).await.fotos[0].id;
    let delete = n.cliente.post(n.server().url(&format!("{base}/fotos/{rest}/borrar")));
    let deleted = n.server().send(delete.header("accept", "application/json")).await;
    assert_eq!(deleted.status.as_u16(), 204);
    assert!(n.record(&base).await.fotos.is_empty());
}

async fn only_photos_and_only_so_many(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    for nothing in [
        b"%PDF-1.7".to_vec(),
        b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
        Vec::new(),
        b"hola".to_vec(),
    ] {
        let r = upload(&n, &base, "bano", nothing).await.with(422);
        assert!(r["texto"].as_str().unwrap().contains("no es una foto"));
    }
    // Formats that we cannot show are refused with advice, and so is a file that was cut off after its headers.
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic".to_vec();
    let avif = b"\0\0\0\x18ftypavif\0\0\0\0mif1".to_vec();
    let cut = embudo_testkit::jpeg(64, 64)[..200].to_vec();
    for (bytes, words) in [(heic, "Guárdala como JPG"), (avif, "Guárdala como JPG"), (cut, "incompleta")] {
        let r = upload(&n, &base, "bano", bytes).await.with(422);
        assert!(r["texto"].as_str().unwrap().contains(words), "{r}");
    }
    let page = n.get(&format!("{base}/fotos")).await.page(200);
    assert!(page.contains("accept=\"image/jpeg,") && !page.contains("heic"), "not offered");
    let big = upload(&n, &base, "bano", tiny_jpeg(1, 15 * 1024 * 1024 + 1)).await.with(413);
    assert!(big["texto"].as_str().unwrap().contains("15 MB"));
    for seed in 0..40 {
        upload(&n, &base, "bano", tiny_jpeg(seed, 200)).await.with(201);
    }
    let too_many = upload(&n, &base, "bano", tiny_jpeg(40, 200)).await.with(422);
    assert!(too_many["texto"].as_str().unwrap().contains("40 fotos"));
    let foto = tiny_jpeg(41, 200);
    let (kind, body) = with_files(&[
        ("foto-bano", Some("a.jpg"), &foto),
        ("foto-bano", Some("b.txt"), b"hola"),
        ("nota-bano", None, b"una nota"),
    ]);
    let all =
        n.cliente.post(n.server().url(&format!("{base}/fotos"))).header("content-type", kind).body(body);
    let page = n.server().send(all).await.page(422);
    assert!(page.contains("hasta 40 fotos") && page.contains("no es una foto"));
    let record = n.record(&base).await;
    assert_eq!((record.fotos.len(), record.notas.len()), (40, 1), "what was right is kept");
}

async fn a_saved_note_is_changed_and_removed(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let lead = n.lead(&base);
    let agent = serde_json::json!({ "items": [{ "tipo": "texto", "zona": "bano", "texto": "Del agente" }] });
    n.server().post(&format!("/api/leads/{lead}/ingesta"), &agent).await.with(200);
    for (nota, how_many) in [("La ventana no se toca", 2), ("La ventana sí se toca", 2), ("", 1)] {
        let (kind, body) = with_files(&[("nota-bano", None, nota.as_bytes())]);
        let sending = n.cliente.post(n.server().url(&format!("{base}/fotos"))).header("content-type", kind);
        // Sent like our `fotos.js` sends it: the answer is JSON with the next address.
        let sending = sending.header("accept", "application/json").body(body);
        let place = n.server().send(sending).await.with(200)["a"].as_str().unwrap().to_owned();
        assert_eq!(place, format!("{base}/resumen"));
        let texts: Vec<_> = n.record(&base).await.notas.into_iter().map(|n| n.text).collect();
        assert_eq!(texts.len(), how_many, "{texts:?}");
        assert!(
            texts.contains(&"Del agente".to_owned()) && (nota.is_empty() || texts.contains(&nota.to_owned()))
        );
        let page = n.get(&format!("{base}/fotos")).await.page(200);
        assert!(page.contains(&format!(">{nota}</textarea>")) && !page.contains("Del agente"));
        assert_eq!(n.get(&place).await.page(200).contains("una nota"), !nota.is_empty());
    }
}

async fn a_list_shows_small_pictures(engine: Engine) {
    let n = Visitor::at(engine).await;
    let base = n.signup().await;
    let foto = embudo_testkit::jpeg(1_600, 1_200);
    let uploaded = upload(&n, &base, "bano", foto.clone()).await.with(201);
    let view = n.cliente.get(n.server().url(uploaded["href"].as_str().unwrap())).send().await.unwrap();
    assert_eq!(view.headers()["content-type"], "image/jpeg");
    let bytes = view.bytes().await.unwrap();
    let side = embudo_fotos::prepare(&bytes).unwrap().print.width;
    assert!(side < 800 && bytes.len() < 40_000, "{side} px, {} bytes", bytes.len());
}

both_engines!(
    a_saved_note_is_changed_and_removed,
    a_list_shows_small_pictures,
    a_photo_comes_is_seen_and_goes,
    only_photos_and_only_so_many
);
