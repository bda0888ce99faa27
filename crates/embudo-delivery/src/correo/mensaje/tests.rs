//! What the encoders do with what people write, apart from the conversation.

use super::*;

/// Long names must fold without losing what they hold: the header's own encoder is trusted, and checked here.
#[test]
fn a_long_name_folds_into_lines_that_servers_accept() {
    let nombre = "Reformas y Construcciones Integrales Peña, Muñoz e Hijos ".repeat(8);
    let mensaje = Mensaje {
        id: "a".into(),
        fecha: Timestamp::UNIX_EPOCH,
        from: "a@x.es".into(),
        from_name: Some(nombre.clone()),
        reply_to: None,
        to: "b@y.es".into(),
        asunto: nombre,
        texto: "línea larga ".repeat(500),
        html: String::new(),
        logo: None,
        adjunto: None,
    };
    let escrito = mensaje.escribir().expect("it can be written");
    let texto = String::from_utf8(escrito.bytes).expect("text");
    assert!(texto.is_ascii());
    assert!(texto.split("\r\n").all(|l| l.len() <= 998 && !l.contains(['\r', '\n'])));
    assert!(texto.split("\r\n\r\n").next().expect("a head").split("\r\n").all(|l| l.len() <= 80));
}

#[test]
fn flat_keeps_words_and_drops_what_breaks() {
    assert_eq!(flat(" Peña\r\nBcc: x\u{202E}y\u{2028}"), "Peña  Bcc: x y");
}
