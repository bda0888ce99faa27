//! Large photos, which are set aside while they arrive: every rule of contract §2.1 holds, and nothing is left over.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use embudo_server::{BodyBudget, BodySettings};
use embudo_testkit::{Engine, KEY, Server, Setup, both_engines, data_uri, fake_jpeg};
use futures_util::TryStreamExt;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::NOBODY;

both_engines!(
    large_pictures_come_back_as_they_were_sent,
    every_mistake_beside_a_large_picture_is_named,
    the_last_of_two_large_pictures_counts,
    what_is_refused_or_cut_off_leaves_no_file,
    a_key_knows_a_large_body_again,
    the_same_large_finalizar_is_one,
);

/// A picture of a bit more than two decoded pieces.
fn large(seed: u64) -> Vec<u8> {
    fake_jpeg(seed, 500_002)
}

fn body(image: &str) -> String {
    format!(r#"{{"items":[{{"imagen":"{image}","tipo":"foto","zona":"cocina"}}]}}"#)
}

/// Files of uploads that were not kept as photos. Another thread deletes them when they are dropped.
async fn left_over(s: &Server) -> Vec<PathBuf> {
    let folders = fs::read_dir(s.blobs_folder()).unwrap().map(|entry| entry.unwrap().path().join("staging"));
    let folders: Vec<_> = folders.filter(|folder| folder.is_dir()).collect();
    assert_eq!(folders.len(), 1);
    let mut files = Vec::new();
    for _ in 0..100 {
        files = fs::read_dir(&folders[0]).unwrap().map(|entry| entry.unwrap().path()).collect();
        if files.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    files
}

async fn last_foto(s: &Server, lead: &str) -> Value {
    let record = s.record(lead).await;
    let fotos = record["fotos"].as_array().unwrap();
    s.get(fotos.last().unwrap()["href"].as_str().unwrap()).await.with(200)
}

async fn large_pictures_come_back_as_they_were_sent(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/ingesta");
    let plain = data_uri(&large(1));
    let payload = plain.split_once(',').unwrap().1;
    let lines: Vec<_> =
        payload.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let head = "data:image/jpeg;base64,";
    assert!(payload.ends_with('='));
    // The text as sent, the text that it stands for, and whether it is a legible picture.
    for (sent, meant, legible) in [
        (plain.clone(), plain.clone(), true),
        (plain.replace('/', "\\/"), plain.clone(), true),
        (format!("{head}{}", lines.join("\\r\\n")), format!("{head}{}", lines.join("\r\n")), true),
        (plain.replace('+', "-"), plain.replace('+', "-"), true),
        (plain.trim_end_matches('=').to_owned(), plain.trim_end_matches('=').to_owned(), true),
        (format!("{plain}\\n"), format!("{plain}\n"), true),
        (
            format!("{head}{}A", payload.trim_end_matches('=')),
            format!("{head}{}A", payload.trim_end_matches('=')),
            true,
        ),
        (format!("{plain}A"), format!("{plain}A"), false),
    ] {
        s.post_text(&path, body(&sent)).await.with(200);
        let record = s.record(&lead).await;
        let foto = record["fotos"].as_array().unwrap().last().unwrap().clone();
        let read = s.get(foto["href"].as_str().unwrap()).await.with(200);
        assert!(read["imagen"] == *meant, "{}…", &sent[sent.len() - 40..]);
        assert_eq!(foto["legible"], legible, "{}…", &sent[sent.len() - 40..]);
    }
    assert_eq!(left_over(&s).await, Vec::<PathBuf>::new());
}

async fn every_mistake_beside_a_large_picture_is_named(s: Server) {
    let path = format!("/api/leads/{}/ingesta", s.lead().await);
    let plain = data_uri(&large(2));
    let items = json!({ "items": [
        { "tipo": "foto", "imagen": plain, "zona": "luna" },
        { "tipo": "foto", "imagen": format!("{plain}*") },
        { "tipo": "texto", "imagen": plain },
    ], "finalizar": 1 });
    let wrong = s.post(&path, &items).await.errors();
    let expected = [
        ("/items/0/zona", "valor"),
        ("/items/1/imagen", "formato"),
        ("/items/2/texto", "requerido"),
        ("/finalizar", "tipo"),
    ];
    assert_eq!(wrong, expected.map(|(field, code)| (field.to_owned(), code.to_owned())));
    let text = body(&plain).replace("cocina", "coc\u{1}ina");
    let problem = s.post_text(&path, text.clone()).await.problem(422);
    let column = text.find('\u{1}').unwrap() + 1;
    let said = problem["errores"][0]["mensaje"].as_str().unwrap();
    assert!(said.contains(&format!("columna {column}")), "{said}, not {column}");
}

async fn the_last_of_two_large_pictures_counts(s: Server) {
    let lead = s.lead().await;
    let (one, two) = (data_uri(&large(3)), data_uri(&large(4)));
    let text = format!(r#"{{"items":[{{"imagen":"{one}","imagen":"{two}","tipo":"foto"}}]}}"#);
    s.post_text(&format!("/api/leads/{lead}/ingesta"), text).await.with(200);
    assert!(last_foto(&s, &lead).await["imagen"] == *two);
    let blobs: Vec<_> = s.app.blobs.list().try_collect().await.unwrap();
    assert_eq!(blobs.len(), 1, "what nobody names is not kept");
    // The body holds a new picture twice, and one that the lead has already.
    let text = format!(
        r#"{{"items":[{{"imagen":"{one}","tipo":"foto"}},{{"imagen":"{one}","tipo":"foto"}},{{"imagen":"{two}","tipo":"foto"}}]}}"#
    );
    s.post_text(&format!("/api/leads/{lead}/ingesta"), text).await.with(200);
    assert_eq!(s.record(&lead).await["fotos"].as_array().unwrap().len(), 4);
    assert!(last_foto(&s, &lead).await["imagen"] == *two);
    assert_eq!(left_over(&s).await, Vec::<PathBuf>::new());
}

async fn what_is_refused_or_cut_off_leaves_no_file(s: Server) {
    let lead = s.lead().await;
    let right = body(&data_uri(&large(5)));
    s.post_text(&format!("/api/leads/{NOBODY}/ingesta"), right.clone()).await.problem(404);
    s.post_text("/api/leads/nadie/ingesta", right.clone()).await.problem(404);
    let path = format!("/api/leads/{lead}/ingesta");
    s.post_text(&path, right.replace("cocina", "luna")).await.problem(422);
    s.post_text(&path, right[..right.len() - 20].to_owned()).await.problem(422);
    // A client that hangs up in the midst of the picture.
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {KEY}\r\ncontent-length: {}\r\n\r\n",
        right.len()
    );
    for cut in [70_000, 300_000, right.len() - 1] {
        let mut connection = TcpStream::connect(s.address).await.unwrap();
        connection.write_all(head.as_bytes()).await.unwrap();
        connection.write_all(&right.as_bytes()[..cut]).await.unwrap();
        connection.flush().await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        drop(connection);
    }
    assert_eq!(left_over(&s).await, Vec::<PathBuf>::new());
    let blobs: Vec<_> = s.app.blobs.list().try_collect().await.unwrap();
    assert_eq!(blobs, []);
}

async fn a_key_knows_a_large_body_again(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/ingesta");
    let post = |text: String| {
        let request = s.cliente.post(format!("http://{}{path}", s.address)).bearer_auth(KEY);
        s.send(request.header("idempotency-key", "k").body(text))
    };
    let text = body(&data_uri(&large(6)));
    assert_eq!(post(text.clone()).await.header("idempotency-replayed"), None);
    assert_eq!(post(text.clone()).await.header("idempotency-replayed"), Some("true"));
    // The same picture with other escapes in its text is another body.
    post(text.replacen('/', "\\/", 1)).await.problem(422);
    assert_eq!(s.record(&lead).await["fotos"].as_array().unwrap().len(), 1);
}

async fn the_same_large_finalizar_is_one(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/ingesta");
    let text = |seed| body(&data_uri(&large(seed))).replacen('{', r#"{"finalizar":true,"#, 1);
    let (one, again, other) =
        tokio::join!(s.post_text(&path, text(7)), s.post_text(&path, text(7)), s.post_text(&path, text(8)));
    assert!([&one, &again, &other].iter().all(|answer| answer.status == 200));
    assert_eq!(s.record(&lead).await["fotos"].as_array().unwrap().len(), 2);
}

/// Twelve bodies of 4 MB, each half sent, hold at most 512 KiB each. The budget has memory for two whole ones only.
#[tokio::test]
async fn photos_on_their_way_hold_little_memory() {
    let mut setup = Setup::at(Engine::Sqlite);
    let budget = BodyBudget::new(BodySettings::of(12 * 1024 * 1024));
    setup.settings.body_budget = budget.clone();
    let s = setup.start().await;
    let mut uploads = Vec::new();
    for n in 0..12 {
        let text = body(&data_uri(&fake_jpeg(n, 3_000_000)));
        let head = format!(
            "POST /api/leads/{}/ingesta HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {KEY}\r\ncontent-length: {}\r\n\r\n",
            s.lead().await,
            text.len()
        );
        let mut connection = TcpStream::connect(s.address).await.unwrap();
        connection.write_all(head.as_bytes()).await.unwrap();
        connection.write_all(&text.as_bytes()[..2_000_000]).await.unwrap();
        uploads.push((connection, text));
    }
    assert!(budget.held_bytes() <= 12 * 512 * 1024, "{}", budget.held_bytes());
    for (mut connection, text) in uploads {
        connection.write_all(&text.as_bytes()[2_000_000..]).await.unwrap();
        let mut answer = [0; 12];
        connection.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200");
    }
    assert_eq!(left_over(&s).await, Vec::<PathBuf>::new());
}
