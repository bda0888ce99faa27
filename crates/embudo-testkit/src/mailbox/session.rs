//! The dialogue of one connection.

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
    conexion: usize,
    usuario: Option<String>,
    trato: Treatment,
    from: String,
    to: Vec<String>,
}

/// Whether the dialogue goes on.
type Sigue = io::Result<bool>;

impl Session {
    pub fn new(
        stream: Stream,
        setup: Arc<MailboxSetup>,
        script: Arc<Script<Treatment, Message>>,
        conexion: usize,
    ) -> Self {
        Self {
            stream: Some(BufReader::new(stream)),
            setup,
            script,
            conexion,
            usuario: None,
            trato: Treatment::Acepta,
            from: String::new(),
            to: Vec::new(),
        }
    }

    pub async fn attend(mut self) -> io::Result<()> {
        self.say("220 buzon.example ESMTP").await?;
        while let Some(linea) = self.hear().await? {
            if !self.command(&linea).await? {
                break;
            }
        }
        Ok(())
    }

    async fn command(&mut self, linea: &str) -> Sigue {
        let verbo = linea.split_whitespace().next().unwrap_or_default().to_uppercase();
        match verbo.as_str() {
            "EHLO" => self.ehlo().await,
            "STARTTLS" => self.starttls().await,
            "AUTH" => self.auth(linea).await,
            "MAIL" => self.mail(linea).await,
            "RCPT" => self.rcpt(linea).await,
            "DATA" => self.data().await,
            "NOOP" | "RSET" => self.say("250 OK").await,
            "QUIT" => self.say("221 adios").await.map(|_| false),
            _ => self.say("500 que?").await,
        }
    }

    async fn ehlo(&mut self) -> Sigue {
        let mut lineas = "250-buzon.example\r\n250-8BITMIME\r\n".to_owned();
        if self.setup.smtputf8 {
            lineas += "250-SMTPUTF8\r\n";
        }
        if self.setup.cifrado == Encryption::Starttls && !self.stream().get_ref().es_cifrado() {
            lineas += "250-STARTTLS\r\n";
        }
        if self.setup.credenciales.is_some() {
            lineas += &format!("250-AUTH {}\r\n", self.setup.mecanismos);
        }
        self.say(&(lineas + "250 OK")).await
    }

    async fn starttls(&mut self) -> Sigue {
        self.say("220 adelante").await?;
        let stream = self.stream.take().expect("it is only away within this function").into_inner();
        self.stream = Some(BufReader::new(stream.cifrar(&self.setup.certificado).await?));
        Ok(true)
    }

    async fn auth(&mut self, linea: &str) -> Sigue {
        let mut partes = linea.split_whitespace().skip(1);
        let mecanismo = partes.next().unwrap_or_default().to_uppercase();
        let inicial = partes.next().map(str::to_owned);
        let (usuario, clave) = if mecanismo == "PLAIN" {
            let texto = match inicial {
                Some(texto) => decode(&texto),
                None => self.ask("").await?,
            };
            let mut campos = texto.split('\0').skip(1).map(str::to_owned);
            (campos.next().unwrap_or_default(), campos.next().unwrap_or_default())
        } else {
            let usuario = match inicial {
                Some(texto) => decode(&texto),
                None => self.ask("VXNlcm5hbWU6").await?,
            };
            (usuario, self.ask("UGFzc3dvcmQ6").await?)
        };
        if self.setup.credenciales.as_ref() == Some(&(usuario.clone(), clave)) {
            self.usuario = Some(usuario);
            return self.say("235 bienvenido").await;
        }
        self.say("535 5.7.8 credenciales incorrectas").await
    }

    async fn ask(&mut self, reto: &str) -> io::Result<String> {
        self.say(&format!("334 {reto}")).await?;
        Ok(decode(&self.hear().await?.unwrap_or_default()))
    }

    async fn mail(&mut self, linea: &str) -> Sigue {
        if self.setup.credenciales.is_some() && self.usuario.is_none() {
            return self.say("530 5.7.0 falta autenticarse").await;
        }
        self.trato = self.script.take();
        self.from = within_brackets(linea);
        self.to.clear();
        match self.trato {
            Treatment::Mail(respuesta) => self.say(respuesta).await,
            _ => self.say("250 OK").await,
        }
    }

    async fn rcpt(&mut self, linea: &str) -> Sigue {
        self.to.push(within_brackets(linea));
        match self.trato {
            Treatment::Rcpt(respuesta) => self.say(respuesta).await,
            _ => self.say("250 OK").await,
        }
    }

    async fn data(&mut self) -> Sigue {
        if let Treatment::Data(respuesta) = self.trato {
            return self.say(respuesta).await;
        }
        self.say("354 adelante").await?;
        let mut datos = String::new();
        loop {
            let Some(linea) = self.hear().await? else { return Ok(false) };
            if self.trato == Treatment::CierraEnContenido {
                self.stream.take().expect("it is there").into_inner().rst();
                return Ok(false);
            }
            if linea == "." {
                break;
            }
            datos += linea.strip_prefix('.').unwrap_or(&linea);
            datos += "\r\n";
        }
        self.finish(datos).await
    }

    async fn finish(&mut self, datos: String) -> Sigue {
        match self.trato {
            Treatment::Fin(respuesta) => return self.say(respuesta).await,
            Treatment::CierraTrasData => return Ok(false),
            _ => {}
        }
        let cifrada = self.stream().get_ref().es_cifrado();
        self.script.record(Message {
            conexion: self.conexion,
            from: self.from.clone(),
            to: self.to.clone(),
            datos,
            usuario: self.usuario.clone(),
            cifrada,
        });
        match self.trato {
            Treatment::AceptaYCierra => Ok(false),
            Treatment::ConfirmaYCierra => self.say("250 2.0.0 aceptado").await.map(|_| false),
            Treatment::CuelgaTrasData => {
                self.script.esperar().await;
                self.say("250 2.0.0 aceptado tarde").await
            }
            _ => self.say("250 2.0.0 aceptado").await,
        }
    }

    fn stream(&mut self) -> &mut BufReader<Stream> {
        self.stream.as_mut().expect("it is only away while it is being encrypted or after the end")
    }

    async fn say(&mut self, linea: &str) -> Sigue {
        let stream = self.stream();
        stream.write_all(format!("{linea}\r\n").as_bytes()).await?;
        stream.flush().await?;
        Ok(true)
    }

    async fn hear(&mut self) -> io::Result<Option<String>> {
        let mut linea = String::new();
        let leido = self.stream().read_line(&mut linea).await?;
        // Without its end the line was cut off, and is none.
        Ok((leido > 0 && linea.ends_with("\r\n")).then(|| linea.trim_end_matches("\r\n").to_owned()))
    }
}

fn within_brackets(linea: &str) -> String {
    let (_, resto) = linea.split_once('<').unwrap_or_default();
    resto.split('>').next().unwrap_or_default().to_owned()
}

fn decode(texto: &str) -> String {
    String::from_utf8(STANDARD.decode(texto).unwrap_or_default()).unwrap_or_default()
}
