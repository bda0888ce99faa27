//! What the encoders do with texts that people write, without an SMTP conversation.

use super::*;

/// Long names must fold without losing text: the encoder of the headers is not ours, so it is checked here.
#[test]
fn a_long_name_folds_into_lines_that_servers_accept() {
    let nombre = "Reformas y Construcciones Integrales Peña, Muñoz e Hijos ".repeat(8);
    let message = MailMessage {
        id: "a".into(),
        date: Timestamp::UNIX_EPOCH,
        from: "a@x.es".into(),
        shown_from: None,
        from_name: Some(nombre.clone()),
        reply_to: None,
        to: "b@y.es".into(),
        subject: nombre,
        text: "línea larga ".repeat(500),
        html: String::new(),
        logo: None,
        attachment: None,
        unsubscribe: None,
        calendar: None,
    };
    let written = message.write().expect("it can be written");
    let text = String::from_utf8(written.bytes).expect("text");
    assert!(text.is_ascii());
    assert!(text.split("\r\n").all(|l| l.len() <= 998 && !l.contains(['\r', '\n'])));
    assert!(text.split("\r\n\r\n").next().expect("a head").split("\r\n").all(|l| l.len() <= 80));
}

#[test]
fn whoever_gets_it_can_end_it_with_one_click() {
    let mut message = MailMessage {
        calendar: None,
        shown_from: None,
        id: "a".into(),
        date: Timestamp::UNIX_EPOCH,
        from: "a@x.es".into(),
        from_name: None,
        reply_to: None,
        to: "b@y.es".into(),
        subject: "Hola".into(),
        text: "Hola".into(),
        html: String::new(),
        logo: None,
        attachment: None,
        unsubscribe: Some(format!("https://x.es/r/{}", "x".repeat(60))),
    };
    let head =
        |message: &MailMessage| String::from_utf8(message.write().expect("written").bytes).expect("text");
    let said = head(&message);
    assert!(
        said.contains(&format!("\r\nList-Unsubscribe: <https://x.es/r/{}>\r\n", "x".repeat(60))),
        "{said}"
    );
    assert!(said.contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"), "{said}");
    message.unsubscribe = Some("https://x.es/\r\nBcc: c@z.es".into());
    assert!(!head(&message).contains("\r\nBcc"));
    message.unsubscribe = None;
    assert!(!head(&message).contains("List-Unsubscribe"));
}

#[test]
fn flat_keeps_words_and_drops_what_breaks() {
    assert_eq!(flat(" Peña\r\nBcc: x\u{202E}y\u{2028}"), "Peña  Bcc: x y");
}
