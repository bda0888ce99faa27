//! Sends a sample of a signal or a mail immediately, so that a person who connects a receiver or mail sees the answer.
//! The lead in the sample does not exist.

use std::time::Duration;

use embudo_delivery::{MailOutcome, OutgoingSignal, SignedBody};
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::color::Color;
use embudo_domain::empresa::Empresa;
use embudo_domain::job::Destination;
use embudo_domain::perfil::{Calidad, Urgencia};
use embudo_domain::signal::{
    ClienteSignal, EmpresaSignal, EventTopic, FotosSignal, MensajeriaSignal, NewEvent, PdfSignal,
    PerfilSignal, ReformaSignal, ReplySignal, ZonaSignal,
};
use embudo_domain::user::User;
use embudo_domain::{JobId, LeadId, ReplyId, Timestamp, Zona};
use embudo_store::Result;
use serde::Serialize;
use serde_json::Value;

use crate::letter::{WrittenMail, page, paragraph};
use crate::{Actor, Empresas};

/// How long a person waits for the result.
const PATIENCE: Duration = Duration::from_secs(12);
/// The maximum length of the answer that is shown.
const MAX_ANSWER: usize = 2_000;

const NOBODY: &str = "Muestra de Embudo";
/// Nobody can be called or written to at this number.
const NO_TELEFONO: &str = "+34000000000";
const NO_EMAIL: &str = "muestra@example.invalid";

/// The result of sending a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sampled {
    pub ok: bool,
    pub status: Option<u16>,
    pub millis: u128,
    /// What went wrong.
    pub error: Option<String>,
    /// The beginning of the answer.
    pub answer: String,
}

impl Sampled {
    fn audit_text(&self) -> String {
        let end = match (self.ok, self.status) {
            (true, _) => "aceptada".to_owned(),
            (false, Some(status)) => format!("contestó {status}"),
            (false, None) => "sin respuesta".to_owned(),
        };
        format!("{end} en {} ms", self.millis)
    }
}

impl Empresas<'_> {
    /// Sends a sample of a signal to the company's receiver. `None`: there is no receiver.
    pub async fn send_sample(
        self,
        empresa: &Empresa,
        to: Destination,
        actor: &Actor,
    ) -> Result<Option<Sampled>> {
        let Some(receiver) = self.app.receivers(empresa.id).await?.of(to).cloned() else { return Ok(None) };
        let Some(body) = sample(empresa, to, self.app.now()) else { return Ok(None) };
        let id = format!("muestra-{}", self.app.id());
        let sending = OutgoingSignal { id, timestamp: self.app.now(), body: SignedBody::from(body) };
        let sampled = match tokio::time::timeout(PATIENCE, self.app.send_signal(&receiver, sending)).await {
            Ok(attempt) => Sampled {
                ok: attempt.ok,
                status: attempt.status,
                millis: attempt.duration.as_millis(),
                error: attempt.error,
                answer: attempt.answer.chars().take(MAX_ANSWER).collect(),
            },
            Err(_) => too_slow(),
        };
        let host = receiver.host().unwrap_or_default();
        self.log(empresa, AuditAction::SampleSent, format!("{} ({host})", to.label()), &sampled, actor)
            .await?;
        Ok(Some(sampled))
    }

    /// Sends a sample mail from the company to the person who requests it. `None`: no mail is configured.
    pub async fn send_test_mail(
        self,
        empresa: &Empresa,
        user: &User,
        actor: &Actor,
    ) -> Result<Option<Sampled>> {
        let Some(mail) = &self.app.outbound.mail else { return Ok(None) };
        let sender = self.app.store.settings(empresa.id).await?.connections.sender;
        let brand = self.app.store.brand(empresa.id).await?.brand;
        let texts = [
            format!("Hola, {}:", user.nombre),
            format!("Este es un correo de prueba de {}. Si lo lees, el correo sale bien.", empresa.nombre),
            "Mira de quién viene y a quién contestarías: así lo ven tus clientes.".to_owned(),
        ];
        let html: String = texts.iter().map(|text| paragraph(text)).collect();
        let sender = sender.complete(mail.from_name.as_deref(), empresa, &brand);
        let written = WrittenMail {
            subject: "Correo de prueba".to_owned(),
            text: texts.join("\n\n") + "\n",
            html: page(&html, &empresa.nombre, Color::DEFAULT),
        };
        let message_id = (self.app.id().to_string(), self.app.now());
        let message = written.addressed(mail, sender, user.email.typed.clone(), message_id);
        let start = std::time::Instant::now();
        let sent = tokio::time::timeout(PATIENCE, mail.client.send(&message, async { Ok(()) })).await;
        let millis = start.elapsed().as_millis();
        let sampled = match sent {
            Err(_) => too_slow(),
            Ok(MailOutcome::Sent(text)) => {
                let answer = text.chars().take(MAX_ANSWER).collect();
                Sampled { ok: true, status: Some(250), millis, error: None, answer }
            }
            Ok(
                MailOutcome::Permanent(failure)
                | MailOutcome::Temporary(failure)
                | MailOutcome::Doubtful(failure),
            ) => {
                let error = Some(failure.to_string().chars().take(MAX_ANSWER).collect());
                Sampled { ok: false, status: failure.code, millis, error, answer: String::new() }
            }
        };
        let object = format!("{} ({})", user.email.typed, mail.client.host());
        self.log(empresa, AuditAction::TestMailSent, object, &sampled, actor).await?;
        Ok(Some(sampled))
    }

    async fn log(
        self,
        empresa: &Empresa,
        action: AuditAction,
        object: String,
        sampled: &Sampled,
        actor: &Actor,
    ) -> Result<()> {
        let entry = self.app.access().audit(actor, action);
        let (object, after) = (Some(object), Some(sampled.audit_text()));
        self.app.store.record_audit(AuditEntry { empresa: Some(empresa.id), object, after, ..entry }).await
    }
}

fn too_slow() -> Sampled {
    let error = Some(format!("No hubo respuesta en {} s.", PATIENCE.as_secs()));
    Sampled { ok: false, status: None, millis: PATIENCE.as_millis(), error, answer: String::new() }
}

/// The body of a signal, marked as a sample.
fn sample(empresa: &Empresa, to: Destination, now: Timestamp) -> Option<String> {
    let (lead_id, telefono, nombre) = (LeadId(uuid::Uuid::nil()), NO_TELEFONO.to_owned(), NOBODY.to_owned());
    Some(match to {
        Destination::Perfil => {
            let email = NO_EMAIL.to_owned();
            marked(&PerfilSignal {
                lead_id,
                cliente: ClienteSignal {
                    nombre,
                    telefono: Some(telefono),
                    email: Some(email),
                    provincia: Some("Madrid".to_owned()),
                },
                reforma: ReformaSignal {
                    kind: Some(Zona::Bano),
                    m2_suelo: Some(5.0),
                    calidad: Some(Calidad::Media),
                    estructural: Some(false),
                    urgencia: Some(Urgencia::Media),
                    presupuesto_target_cents: Some(600_000),
                },
                empresa: EmpresaSignal { tenant_id: empresa.id, nombre: empresa.nombre.clone() },
                zonas: vec![ZonaSignal {
                    zona: Zona::Bano,
                    notas: vec!["Esto es una muestra: no hay ningún cliente detrás.".to_owned()],
                    fotos: FotosSignal::default(),
                }],
            })
        }
        Destination::Mensajeria => {
            marked(&MensajeriaSignal { lead_id, telefono, nombre, empresa: empresa.nombre.clone() })
        }
        Destination::Pdf => {
            let (empresa, filename) = (empresa.nombre.clone(), "muestra.pdf".to_owned());
            let mut body = marked_value(&PdfSignal { lead_id, telefono, nombre, empresa, filename });
            body["pdfBase64"] = Value::from(base64(SAMPLE_PDF));
            body.to_string()
        }
        Destination::Reply => marked(&ReplySignal {
            mensaje_id: ReplyId(uuid::Uuid::nil()),
            lead_id,
            telefono,
            nombre,
            empresa: empresa.nombre.clone(),
            text: "Esto es una muestra: no hay que enviarlo a nadie.".to_owned(),
            author: NOBODY.to_owned(),
            // The reply expired long ago, so that no workflow sends it by mistake.
            expires: "2020-01-01T00:00:00Z".to_owned(),
        }),
        Destination::Events => {
            let event = NewEvent::plain(EventTopic::LeadCreated);
            marked(&event.signal(JobId(uuid::Uuid::nil()), empresa.id, lead_id, now))
        }
        Destination::Mail => return None,
    })
}

/// A PDF with one empty page.
const SAMPLE_PDF: &[u8] = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\nxref\n0 4\n0000000000 65535 f \n0000000009 00000 n \n0000000052 00000 n \n0000000101 00000 n \ntrailer<</Size 4/Root 1 0 R>>\nstartxref\n164\n%%EOF\n";

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn marked(signal: &impl Serialize) -> String {
    marked_value(signal).to_string()
}

fn marked_value(signal: &impl Serialize) -> Value {
    let mut body = serde_json::to_value(signal).expect("signals are made of texts, numbers and lists");
    body["muestra"] = Value::Bool(true);
    body
}
