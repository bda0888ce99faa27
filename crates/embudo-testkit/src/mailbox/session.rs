//! The SMTP dialogue of one connection.

use std::io;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::{Encryption, MailboxSetup, Message, Treatment};
use crate::script::Script;
use crate::stream::Stream;

pub(super) struct Session {
    stream: Option<BufReader<Stream>>,
    setup: Arc<MailboxSetup>,
    script: Arc<Script<Treatment, Message>>,
    connection: usize,
    user: Option<String>,
    manner: Treatment,
    from: String,
    to: Vec<String>,
}

/// Whether the dialogue continues.
type Follows = io::Result<bool>;

impl Session {
    pub fn new(
        stream: Stream,
        setup: Arc<MailboxSetup>,
        script: Arc<Script<Treatment, Message>>,
        connection: usize,
    ) -> Self {
        Self {
            stream: Some(BufReader::new(stream)),
            setup,
            script,
            connection,
            user: None,
            manner: Treatment::Accepts,
            from: String::new(),
            to: Vec::new(),
        }
    }

    pub async fn attend(mut self) -> io::Result<()> {
        self.say("220 buzon.example ESMTP").await?;
        while let Some(line) = self.hear().await? {
            if !self.command(&line).await? {
                break;
            }
        }
        Ok(())
    }

    async fn command(&mut self, line: &str) -> Follows {
        let verb = line.split_whitespace().next().unwrap_or_default().to_uppercase();
        match verb.as_str() {
            "EHLO" => self.ehlo().await,
            "STARTTLS" => self.starttls().await,
            "AUTH" => self.auth(line).await,
            "MAIL" => self.mail(line).await,
            "RCPT" => self.rcpt(line).await,
            "DATA" => self.data().await,
            "NOOP" | "RSET" => self.say("250 OK").await,
            "QUIT" => self.say("221 adios").await.map(|_| false),
            _ => self.say("500 que?").await,
        }
    }

    async fn ehlo(&mut self) -> Follows {
        let mut lines = "250-buzon.example\r\n250-8BITMIME\r\n".to_owned();
        if self.setup.smtputf8 {
            lines += "250-SMTPUTF8\r\n";
        }
        if self.setup.encryption == Encryption::Starttls && !self.stream().get_ref().is_encrypted() {
            lines += "250-STARTTLS\r\n";
        }
        if self.setup.credentials.is_some() {
            lines += &format!("250-AUTH {}\r\n", self.setup.mechanisms);
        }
        self.say(&(lines + "250 OK")).await
    }

    async fn starttls(&mut self) -> Follows {
        self.say("220 adelante").await?;
        let stream = self.stream.take().expect("it is only away within this function").into_inner();
        self.stream = Some(BufReader::new(stream.encrypt(&self.setup.certificate).await?));
        Ok(true)
    }

    async fn auth(&mut self, line: &str) -> Follows {
        let mut parts = line.split_whitespace().skip(1);
        let mechanism = parts.next().unwrap_or_default().to_uppercase();
        let initial = parts.next().map(str::to_owned);
        let (user, key) = if mechanism == "PLAIN" {
            let text = match initial {
                Some(text) => decode(&text),
                None => self.ask("").await?,
            };
            let mut fields = text.split('\0').skip(1).map(str::to_owned);
            (fields.next().unwrap_or_default(), fields.next().unwrap_or_default())
        } else {
            let user = match initial {
                Some(text) => decode(&text),
                None => self.ask("VXNlcm5hbWU6").await?,
            };
            (user, self.ask("UGFzc3dvcmQ6").await?)
        };
        if self.setup.credentials.as_ref() == Some(&(user.clone(), key)) {
            self.user = Some(user);
            return self.say("235 bienvenido").await;
        }
        self.say("535 5.7.8 credenciales incorrectas").await
    }

    async fn ask(&mut self, challenge: &str) -> io::Result<String> {
        self.say(&format!("334 {challenge}")).await?;
        Ok(decode(&self.hear().await?.unwrap_or_default()))
    }

    async fn mail(&mut self, line: &str) -> Follows {
        if self.setup.credentials.is_some() && self.user.is_none() {
            return self.say("530 5.7.0 falta autenticarse").await;
        }
        self.manner = self.script.take();
        self.from = within_brackets(line);
        self.to.clear();
        match self.manner {
            Treatment::Mail(answer) => self.say(answer).await,
            _ => self.say("250 OK").await,
        }
    }

    async fn rcpt(&mut self, line: &str) -> Follows {
        self.to.push(within_brackets(line));
        match self.manner {
            Treatment::Rcpt(answer) => self.say(answer).await,
            _ => self.say("250 OK").await,
        }
    }

    async fn data(&mut self) -> Follows {
        if let Treatment::Data(answer) = self.manner {
            return self.say(answer).await;
        }
        self.say("354 adelante").await?;
        let mut data = String::new();
        loop {
            let Some(line) = self.hear().await? else { return Ok(false) };
            if self.manner == Treatment::ClosesInContent {
                self.stream.take().expect("it is there").into_inner().rst();
                return Ok(false);
            }
            if line == "." {
                break;
            }
            data += line.strip_prefix('.').unwrap_or(&line);
            data += "\r\n";
        }
        self.finish(data).await
    }

    async fn finish(&mut self, data: String) -> Follows {
        match self.manner {
            Treatment::End(answer) => return self.say(answer).await,
            Treatment::ClosesAfterData => return Ok(false),
            _ => {}
        }
        let encrypted = self.stream().get_ref().is_encrypted();
        self.script.record(Message {
            connection: self.connection,
            from: self.from.clone(),
            to: self.to.clone(),
            data,
            user: self.user.clone(),
            encrypted,
        });
        match self.manner {
            Treatment::AcceptsAndCloses => Ok(false),
            Treatment::ConfirmsAndCloses => self.say("250 2.0.0 aceptado").await.map(|_| false),
            Treatment::HangsAfterData => {
                self.script.wait().await;
                self.say("250 2.0.0 aceptado tarde").await
            }
            _ => self.say("250 2.0.0 aceptado").await,
        }
    }

    fn stream(&mut self) -> &mut BufReader<Stream> {
        self.stream.as_mut().expect("it is only away while it is being encrypted or after the end")
    }

    async fn say(&mut self, line: &str) -> Follows {
        let stream = self.stream();
        stream.write_all(format!("{line}\r\n").as_bytes()).await?;
        stream.flush().await?;
        Ok(true)
    }

    async fn hear(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        let read = self.stream().read_line(&mut line).await?;
        // A line without its end was cut off and does not count.
        Ok((read > 0 && line.ends_with("\r\n")).then(|| line.trim_end_matches("\r\n").to_owned()))
    }
}

fn within_brackets(line: &str) -> String {
    let (_, rest) = line.split_once('<').unwrap_or_default();
    rest.split('>').next().unwrap_or_default().to_owned()
}

fn decode(text: &str) -> String {
    String::from_utf8(STANDARD.decode(text).unwrap_or_default()).unwrap_or_default()
}
