//! A short talk with the mail server: greeting, encryption, login, sender, goodbye. No mail is sent.

use super::red::{self, Roots, Stream};
use super::{Check, Fault, Found, blocking};
use crate::settings::{Settings, SmtpTls};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::{BufRead, BufReader};

/// An answer longer than this is no mail server's.
const LONGEST_LINE: u64 = 4096;
const MOST_LINES: usize = 100;

/// What the talk needs to know.
struct Server {
    host: String,
    port: u16,
    tls: SmtpTls,
    login: Option<(String, String)>,
    from: String,
}

/// Whether the mail server would take a mail from us.
pub async fn check(settings: &Settings) -> Check {
    const NAME: &str = "SMTP";
    let Some(smtp) = settings.smtp() else {
        let missing = match (&settings.smtp_host, &settings.email_from) {
            (Some(_), None) => "EMAIL_FROM is not set: no mail is sent",
            (None, Some(_)) => "SMTP_HOST is not set: no mail is sent",
            _ => "no mail is sent",
        };
        return Check::absent(NAME, missing);
    };
    let server = Server {
        host: smtp.host.as_str().to_owned(),
        port: smtp.port.get(),
        tls: smtp.tls,
        login: smtp.login.map(|(user, password)| (user.to_owned(), password.expose().to_owned())),
        from: smtp.from.address().to_owned(),
    };
    Check::of(NAME, blocking(move || talk(&server)).await)
}

fn talk(server: &Server) -> Found {
    let at = format!("{}:{}", server.host, server.port);
    let stream = red::connect(&server.host, server.port)?;
    let mut talk = match server.tls {
        SmtpTls::Tls => Talk::new(red::encrypt(stream, &server.host, Roots::BuiltIn)?),
        SmtpTls::None => Talk::new(stream),
        SmtpTls::Starttls => {
            let mut clear = Talk::new(stream.try_clone().map_err(|error| broken(&error))?);
            clear.expect_greeting()?;
            if !clear.ehlo()?.iter().any(|line| line.eq_ignore_ascii_case("STARTTLS")) {
                let mend = "set SMTP_TLS to tls or none, as the server wants it";
                return Err(Fault::new(format!("{at} offers no STARTTLS"), mend));
            }
            clear.command("STARTTLS", 220, "set SMTP_TLS to tls or none, as the server wants it")?;
            Talk::new(red::encrypt(stream, &server.host, Roots::BuiltIn)?)
        }
    };
    if server.tls != SmtpTls::Starttls {
        talk.expect_greeting()?;
    }
    let offers = talk.ehlo()?;
    if let Some(login) = &server.login {
        talk.log_in(login, &offers)?;
    }
    // The sender is refused more often than anything else; without a recipient it begins no mail.
    let mail_from = format!("MAIL FROM:<{}>", server.from);
    talk.command(&mail_from, 250, "set EMAIL_FROM to a sender that this server and user may use")?;
    // A server that hangs up instead of saying goodbye has answered everything that matters.
    let _ = talk.command("QUIT", 221, "");
    let encrypted = if server.tls == SmtpTls::None { "not encrypted" } else { "encrypted" };
    let login = if server.login.is_some() { "login accepted" } else { "no login" };
    Ok(format!("{at} answers, {encrypted}, {login}, sender accepted"))
}

/// One conversation.
struct Talk {
    stream: BufReader<Box<dyn Stream>>,
}

impl Talk {
    fn new(stream: impl Stream + 'static) -> Self {
        Self { stream: BufReader::new(Box::new(stream)) }
    }

    fn expect_greeting(&mut self) -> Result<(), Fault> {
        let (code, text) = self.answer()?;
        if code == 220 {
            return Ok(());
        }
        Err(Fault::new(format!("the greeting was {code} {}", text.join(" ")), "ask the server's operator"))
    }

    /// Introduces us; returns what the server offers.
    fn ehlo(&mut self) -> Result<Vec<String>, Fault> {
        self.command("EHLO localhost", 250, "check that the port is a mail server's")
    }

    fn log_in(&mut self, (user, password): &(String, String), offers: &[String]) -> Result<(), Fault> {
        let mend = "check SMTP_USER and SMTP_PASSWORD";
        let offered = |method: &str| {
            let mut words = offers.iter().filter_map(|line| line.split_once([' ', '=']));
            words.any(|(word, methods)| {
                word.eq_ignore_ascii_case("AUTH")
                    && methods.split(' ').any(|offer| offer.eq_ignore_ascii_case(method))
            })
        };
        if offered("PLAIN") {
            let token = STANDARD.encode(format!("\0{user}\0{password}"));
            self.secret(&format!("AUTH PLAIN {token}"), "AUTH PLAIN", 235, mend)?;
        } else if offered("LOGIN") {
            self.command("AUTH LOGIN", 334, mend)?;
            self.secret(&STANDARD.encode(user), "the user", 334, mend)?;
            self.secret(&STANDARD.encode(password), "the password", 235, mend)?;
        } else {
            let mend =
                "remove SMTP_USER and SMTP_PASSWORD, or set SMTP_TLS so that the server offers a login";
            return Err(Fault::new("the server offers no login (AUTH PLAIN or LOGIN)", mend));
        }
        Ok(())
    }

    fn command(&mut self, line: &str, wanted: u16, mend: &str) -> Result<Vec<String>, Fault> {
        self.secret(line, line, wanted, mend)
    }

    /// Sends a line that messages call by another name.
    fn secret(&mut self, line: &str, called: &str, wanted: u16, mend: &str) -> Result<Vec<String>, Fault> {
        let out = self.stream.get_mut();
        out.write_all(format!("{line}\r\n").as_bytes()).and_then(|()| out.flush()).map_err(|e| broken(&e))?;
        let (code, text) = self.answer()?;
        if code == wanted {
            return Ok(text);
        }
        Err(Fault::new(format!("{called} was answered {code} {}", text.join(" ")), mend))
    }

    /// One answer of one or more lines: its code, and each line's text.
    fn answer(&mut self) -> Result<(u16, Vec<String>), Fault> {
        let mut text = Vec::new();
        for _ in 0..MOST_LINES {
            let mut line = Vec::new();
            let read = std::io::Read::take(&mut self.stream, LONGEST_LINE).read_until(b'\n', &mut line);
            if read.map_err(|error| broken(&error))? == 0 {
                return Err(Fault::new("the server hung up", "check that the port is a mail server's"));
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end();
            let code = line.get(..3).and_then(|code| code.parse::<u16>().ok());
            let Some(code) = code else { return Err(no_mail_server()) };
            text.push(line.get(4..).unwrap_or_default().to_owned());
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok((code, text));
            }
        }
        Err(no_mail_server())
    }
}

fn no_mail_server() -> Fault {
    Fault::new("what answers is no mail server", "check SMTP_HOST, SMTP_PORT and SMTP_TLS")
}

fn broken(error: &std::io::Error) -> Fault {
    Fault::new(format!("the connection broke: {error}"), "check SMTP_HOST, SMTP_PORT and SMTP_TLS")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;
    use std::thread;

    /// A mail server that gives these answers, one for each line it gets.
    fn server(answers: &'static [&'static str]) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            for answer in answers {
                (&stream).write_all(answer.as_bytes()).unwrap();
                if lines.next().is_none() {
                    return;
                }
            }
        });
        port
    }

    fn ask(port: u16, tls: SmtpTls, login: bool) -> Found {
        let login = login.then(|| ("ana".to_owned(), "geheim".to_owned()));
        talk(&Server { host: "127.0.0.1".to_owned(), port, tls, login, from: "a@b.es".to_owned() })
    }

    #[test]
    fn a_server_that_takes_the_login_is_fine() {
        let answers =
            &["220 hola\r\n", "250-x\r\n250 AUTH LOGIN PLAIN\r\n", "235 ok\r\n", "250 ok\r\n", "221 bye\r\n"];
        let told = ask(server(answers), SmtpTls::None, true).unwrap();
        assert!(told.ends_with("answers, not encrypted, login accepted, sender accepted"), "{told}");
        let answers = &[
            "220 hola\r\n",
            "250 AUTH LOGIN\r\n",
            "334 u\r\n",
            "334 p\r\n",
            "235 ok\r\n",
            "250 ok\r\n",
            "221 bye\r\n",
        ];
        assert!(ask(server(answers), SmtpTls::None, true).is_ok());
    }

    #[test]
    fn each_refusal_says_what_to_mend_and_never_the_password() {
        let refused = &["220 hola\r\n", "250 AUTH PLAIN\r\n", "535 no\r\n"];
        let fault = ask(server(refused), SmtpTls::None, true).unwrap_err();
        assert_eq!(fault.problem, "AUTH PLAIN was answered 535 no");
        assert_eq!(fault.mend, "check SMTP_USER and SMTP_PASSWORD");
        let no_login = ask(server(&["220 hola\r\n", "250 x\r\n"]), SmtpTls::None, true).unwrap_err();
        assert!(no_login.problem.contains("no login"), "{no_login:?}");
        let no_starttls = ask(server(&["220 hola\r\n", "250 x\r\n"]), SmtpTls::Starttls, false).unwrap_err();
        assert!(no_starttls.problem.contains("offers no STARTTLS"), "{no_starttls:?}");
        let other = ask(server(&["SSH-2.0-OpenSSH\r\n"]), SmtpTls::None, false).unwrap_err();
        assert!(other.problem.contains("no mail server"), "{other:?}");
    }
}
