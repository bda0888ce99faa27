//! Photos of the public form: one by one as the module sends them, seen and removed by the form's pass.

use embudo_testkit::{Answered, Engine, both_engines, tiny_jpeg};

use crate::navegante::{Navegante, Pagina, con_archivos};

async fn subir(n: &Navegante, base: &str, zona: &str, bytes: Vec<u8>) -> Answered {
    let ruta = n.s().url(&format!("{base}/fotos/subir?zona={zona}"));
    n.s().enviar(n.cliente.post(ruta).header("accept", "application/json").body(bytes)).await
}

async fn a_photo_comes_is_seen_and_goes(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    let foto = tiny_jpeg(7, 3_000);
    let subida = subir(&n, &base, "cocina", foto.clone()).await;
    assert_eq!(subida.cabecera("cache-control"), Some("no-store"));
    let subida = subida.con(201);
    let otra_vez = subir(&n, &base, "cocina", foto.clone()).await.con(201);
    assert_eq!(subida, otra_vez, "sent again after a lost answer it is the same photo");
    subir(&n, &base, "bano", foto.clone()).await.con(201);
    let href = subida["href"].as_str().unwrap();
    let vista = n.cliente.get(n.s().url(href)).send().await.unwrap();
    assert_eq!(vista.headers()["content-type"], "image/jpeg");
    assert_eq!(vista.headers()["content-security-policy"], "default-src 'none'; sandbox");
    assert!(vista.bytes().await.unwrap().starts_with(b"\xff\xd8\xff"), "a rendition of it");
    let pagina = n.get(&format!("{base}/fotos")).await.pagina(200);
    assert!(pagina.contains(href) && pagina.contains("Foto 1 de tu cocina"));
    let ficha = n.ficha(&base).await;
    let zonas: Vec<_> = ficha.fotos.iter().map(|f| f.zona.as_str()).collect();
    assert_eq!(zonas, ["cocina", "bano"]);
    // Another lead's pass neither shows nor removes it.
    let ajena = format!("{}/fotos/{}", n.alta().await, subida["id"].as_str().unwrap());
    n.get(&ajena).await.pagina(404);
    n.post(&format!("{ajena}/borrar"), &[]).await.a();
    assert_eq!(n.ficha(&base).await.fotos.len(), 2);
    assert_eq!(n.post(&format!("{href}/borrar"), &[]).await.a(), format!("{base}/fotos"));
    n.get(href).await.pagina(404);
    let resto = n.ficha(&base).await.fotos[0].id;
    let borrar = n.cliente.post(n.s().url(&format!("{base}/fotos/{resto}/borrar")));
    let borrada = n.s().enviar(borrar.header("accept", "application/json")).await;
    assert_eq!(borrada.status.as_u16(), 204);
    assert!(n.ficha(&base).await.fotos.is_empty());
}

async fn only_photos_and_only_so_many(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    for nada in [
        b"%PDF-1.7".to_vec(),
        b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
        Vec::new(),
        b"hola".to_vec(),
    ] {
        let r = subir(&n, &base, "bano", nada).await.con(422);
        assert!(r["texto"].as_str().unwrap().contains("no es una foto"));
    }
    // What we cannot show is refused with what to do about it, and so is a file that was cut off behind its headers.
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic".to_vec();
    let avif = b"\0\0\0\x18ftypavif\0\0\0\0mif1".to_vec();
    let cut = embudo_testkit::jpeg(64, 64)[..200].to_vec();
    for (bytes, words) in [(heic, "Guárdala como JPG"), (avif, "Guárdala como JPG"), (cut, "incompleta")] {
        let r = subir(&n, &base, "bano", bytes).await.con(422);
        assert!(r["texto"].as_str().unwrap().contains(words), "{r}");
    }
    let pagina = n.get(&format!("{base}/fotos")).await.pagina(200);
    assert!(pagina.contains("accept=\"image/jpeg,") && !pagina.contains("heic"), "not offered");
    let grande = subir(&n, &base, "bano", tiny_jpeg(1, 15 * 1024 * 1024 + 1)).await.con(413);
    assert!(grande["texto"].as_str().unwrap().contains("15 MB"));
    for semilla in 0..40 {
        subir(&n, &base, "bano", tiny_jpeg(semilla, 200)).await.con(201);
    }
    let demasiadas = subir(&n, &base, "bano", tiny_jpeg(40, 200)).await.con(422);
    assert!(demasiadas["texto"].as_str().unwrap().contains("40 fotos"));
    let foto = tiny_jpeg(41, 200);
    let (tipo, cuerpo) = con_archivos(&[
        ("foto-bano", Some("a.jpg"), &foto),
        ("foto-bano", Some("b.txt"), b"hola"),
        ("nota-bano", None, b"una nota"),
    ]);
    let todo = n.cliente.post(n.s().url(&format!("{base}/fotos"))).header("content-type", tipo).body(cuerpo);
    let pagina = n.s().enviar(todo).await.pagina(422);
    assert!(pagina.contains("hasta 40 fotos") && pagina.contains("no es una foto"));
    let ficha = n.ficha(&base).await;
    assert_eq!((ficha.fotos.len(), ficha.notas.len()), (40, 1), "what was right is kept");
}

async fn a_saved_note_is_changed_and_removed(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    let lead = n.lead(&base);
    let agente = serde_json::json!({ "items": [{ "tipo": "texto", "zona": "bano", "texto": "Del agente" }] });
    n.s().post(&format!("/api/leads/{lead}/ingesta"), &agente).await.con(200);
    for (nota, cuantas) in [("La ventana no se toca", 2), ("La ventana sí se toca", 2), ("", 1)] {
        let (tipo, cuerpo) = con_archivos(&[("nota-bano", None, nota.as_bytes())]);
        let envio = n.cliente.post(n.s().url(&format!("{base}/fotos"))).header("content-type", tipo);
        // As the module sends it: where to go on comes as data.
        let envio = envio.header("accept", "application/json").body(cuerpo);
        let lugar = n.s().enviar(envio).await.con(200)["a"].as_str().unwrap().to_owned();
        assert_eq!(lugar, format!("{base}/resumen"));
        let textos: Vec<_> = n.ficha(&base).await.notas.into_iter().map(|n| n.texto).collect();
        assert_eq!(textos.len(), cuantas, "{textos:?}");
        assert!(
            textos.contains(&"Del agente".to_owned())
                && (nota.is_empty() || textos.contains(&nota.to_owned()))
        );
        let pagina = n.get(&format!("{base}/fotos")).await.pagina(200);
        assert!(pagina.contains(&format!(">{nota}</textarea>")) && !pagina.contains("Del agente"));
        assert_eq!(n.get(&lugar).await.pagina(200).contains("una nota"), !nota.is_empty());
    }
}

async fn a_list_shows_small_pictures(motor: Engine) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    let foto = embudo_testkit::jpeg(1_600, 1_200);
    let subida = subir(&n, &base, "bano", foto.clone()).await.con(201);
    let vista = n.cliente.get(n.s().url(subida["href"].as_str().unwrap())).send().await.unwrap();
    assert_eq!(vista.headers()["content-type"], "image/jpeg");
    let bytes = vista.bytes().await.unwrap();
    let lado = embudo_fotos::preparar(&bytes).unwrap().impresion.ancho;
    assert!(lado < 800 && bytes.len() < 40_000, "{lado} px, {} bytes", bytes.len());
}

both_engines!(
    a_saved_note_is_changed_and_removed,
    a_list_shows_small_pictures,
    a_photo_comes_is_seen_and_goes,
    only_photos_and_only_so_many
);
