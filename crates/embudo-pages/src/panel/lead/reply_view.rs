//! The reply box, as the page shows it.

use embudo_app::ReplyWays;
use embudo_domain::lead::Lead;
use embudo_domain::reply::{Reply, ReplyChannel};
use embudo_domain::{Timestamp, UserId};

use crate::panel::words::{ago, moment};
use crate::parts::FormFields;

pub(super) struct ReplyBox {
    pub text: String,
    pub ways: Vec<Way>,
    /// The person who answers instead of the bot.
    pub attended: Option<Attended>,
    /// The person who answers, as the form carries it.
    pub seen: String,
    pub prepared: Vec<PreparedView>,
}

/// A channel, with a remark about it.
pub(super) struct Way {
    pub value: &'static str,
    pub label: String,
    pub note: String,
    pub is_open: bool,
    pub is_chosen: bool,
}

pub(super) struct Attended {
    pub nombre: String,
    pub is_self: bool,
    pub since: String,
}

/// A reply that a person sends from their own WhatsApp and has not marked as sent yet.
pub(super) struct PreparedView {
    pub id: String,
    pub text: String,
    pub href: String,
    pub when: String,
}

impl ReplyBox {
    pub fn of(
        lead: &Lead,
        ways: &ReplyWays,
        who: UserId,
        typed: Option<&FormFields>,
        now: Timestamp,
    ) -> Self {
        let chosen = typed.and_then(|typed| ReplyChannel::parse(typed.raw("canal")));
        let chosen = chosen.filter(|channel| ways.refusal(*channel).is_none()).unwrap_or(ways.usual());
        Self {
            text: typed.map(|typed| typed.text("respuesta")).unwrap_or_default(),
            ways: offered(lead, ways, now)
                .into_iter()
                .map(|(channel, label, note)| Way {
                    value: channel.as_str(),
                    label,
                    note,
                    is_open: ways.refusal(channel).is_none(),
                    is_chosen: channel == chosen,
                })
                .collect(),
            attended: ways.attention.as_ref().map(|attention| Attended {
                nombre: attention.nombre.clone(),
                is_self: attention.who == who,
                since: moment(attention.since, now),
            }),
            seen: ways.attention.as_ref().map(|attention| attention.who.to_string()).unwrap_or_default(),
            prepared: ways.prepared.iter().map(|reply| PreparedView::of(lead, reply, now)).collect(),
        }
    }

    /// Whether the person who looks at the page could take over.
    pub fn can_take(&self) -> bool {
        self.attended.as_ref().is_none_or(|attended| !attended.is_self)
    }

    pub fn can_send(&self) -> bool {
        self.ways.iter().any(|way| way.is_open)
    }
}

/// The channels of the box, each with its label and a remark.
fn offered(lead: &Lead, ways: &ReplyWays, now: Timestamp) -> Vec<(ReplyChannel, String, String)> {
    let mut all = Vec::new();
    if ways.has_receiver {
        let note = match (ways.window, ways.last_written) {
            (Some(until), _) => format!("Lo envía tu automatización. Se puede hasta {}.", moment(until, now)),
            (None, Some(_)) => "Cerrada: han pasado más de 24 horas desde su último mensaje.".to_owned(),
            (None, None) => "Cerrada: el cliente aún no ha escrito.".to_owned(),
        };
        all.push((ReplyChannel::Messaging, "Mensajería".to_owned(), note));
    }
    if ways.refusal(ReplyChannel::Messaging).is_some() {
        let note = match ways.has_telephone {
            true => "Se abre en tu móvil o tu ordenador con el texto puesto; lo envías tú y lo dices aquí.",
            false => "El cliente no tiene teléfono.",
        };
        all.push((ReplyChannel::WhatsApp, "Tu WhatsApp".to_owned(), note.to_owned()));
    }
    let (label, note) = match &ways.mailbox {
        Some(mailbox) if ways.has_mail => {
            (format!("Correo a {}", lead.email), format!("Si contesta, llega al buzón {mailbox}."))
        }
        Some(_) => ("Correo".to_owned(), "El cliente no tiene correo.".to_owned()),
        None => ("Correo".to_owned(), "El correo no está configurado en este servidor.".to_owned()),
    };
    all.push((ReplyChannel::Mail, label, note));
    all
}

impl PreparedView {
    fn of(lead: &Lead, reply: &Reply, now: Timestamp) -> Self {
        let digits: String = lead.telefono_e164.chars().filter(char::is_ascii_digit).collect();
        let text: String = url::form_urlencoded::byte_serialize(reply.text.as_bytes()).collect();
        Self {
            id: reply.id.to_string(),
            text: reply.text.clone(),
            // Not every program decodes a plus sign as a space.
            href: format!("https://wa.me/{digits}?text={}", text.replace('+', "%20")),
            when: ago(reply.creado_en, now),
        }
    }
}
