//! The reply box: a person answers the client, by the channel that they used last if it is open, and takes the conversation over from
//! the bot. Without a workflow that sends replies, the text is handed to the person's own WhatsApp.

use axum::extract::Path;
use embudo_app::{NewReply, NotSent, ReplyWays};
use embudo_domain::lead::Lead;
use embudo_domain::reply::{Reply, ReplyChannel};
use embudo_domain::{ReplyId, Timestamp, UserId};
use embudo_store::sheet::Edited;
use http::StatusCode;

use super::once;
use super::show::Shown;
use super::union::Union;
use super::work::Posted;
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::panel::words::{ago, moment};
use crate::parts::{FormFields, Refusal};

/// `POST /panel/leads/:id/mensajes`.
pub(crate) async fn send(form: Posted) -> PanelResult {
    let Some(once) = once(&form.fields) else { return form.incomplete().await };
    let channel = ReplyChannel::parse(form.fields.raw("canal"));
    let Some(channel) = channel else {
        return back(&form, "canal", "Elige por dónde se envía.").await;
    };
    let (app, lead) = (&form.state.app, &form.lead);
    let text = form.fields.text("respuesta");
    let desk = form.desk().await?;
    let union = Union::of(&form.state, &form.viewer(), &desk).await?;
    let ways = app.replies().ways(lead, &union.leads()).await?;
    let new = NewReply { id: ReplyId::of_press(lead.id, once, channel, &text), channel, text };
    let (author, actor) = (&form.signed.open.user, form.signed.actor());
    match app.replies().send(&form.viewer(), lead, &ways, new, author, &actor).await? {
        Ok(false) => Ok(form.done("respuesta-repetida#responder")),
        Ok(true) if channel == ReplyChannel::WhatsApp => Ok(form.done("respuesta-preparada#responder")),
        Ok(true) => Ok(form.done("respuesta#responder")),
        Err(why) => {
            let field = match why {
                NotSent::Empty | NotSent::TooLong => "respuesta",
                _ => "canal",
            };
            back(&form, field, refusal(why)).await
        }
    }
}

/// `POST /panel/leads/:id/mensajes/:mensaje/enviado`: a text that a person sent with their own telephone, or not. What is said already
/// is said.
pub(crate) async fn mark(Path((_, id)): Path<(String, String)>, form: Posted) -> PanelResult {
    let id = ReplyId::parse(&id).ok_or(Refusal::NotFound)?;
    let was_sent = form.fields.raw("hecho") != "no";
    form.state
        .app
        .replies()
        .mark_sent(&form.viewer(), &form.lead, id, was_sent, &form.signed.actor())
        .await?;
    Ok(form.done(if was_sent { "respuesta-enviada#responder" } else { "respuesta-quitada#responder" }))
}

/// `POST /panel/leads/:id/atender`: takes the conversation over, or gives it back to the bot.
pub(crate) async fn take_over(form: Posted) -> PanelResult {
    let seen = match form.fields.raw("visto") {
        "" => None,
        id => Some(UserId::parse(id).ok_or(Refusal::NotUnderstood)?),
    };
    let to = (form.fields.raw("que") != "devolver").then_some(form.signed.open.user.id);
    let replies = form.state.app.replies();
    match replies.take_over(&form.viewer(), &form.lead, seen, to, &form.signed.actor()).await? {
        Edited::Saved | Edited::Same if to.is_some() => Ok(form.done("atiendes#responder")),
        Edited::Saved | Edited::Same => Ok(form.done("devuelto#responder")),
        Edited::Stale => {
            let text = "Alguien ha cambiado mientras tanto quién atiende. No se ha cambiado nada: mira quién es ahora y vuelve a pulsar si quieres.";
            let shown = Shown { form: FormState::wrong("", text), ..Shown::default() };
            form.page(StatusCode::CONFLICT, shown).await
        }
    }
}

/// The page again, with what was typed.
async fn back(form: &Posted, field: &'static str, mistake: &str) -> PanelResult {
    let reply = Some(form.fields.clone());
    form.mistaken(Shown { form: FormState::wrong(field, mistake), reply, ..Shown::default() }).await
}

fn refusal(why: NotSent) -> &'static str {
    match why {
        NotSent::Empty => "Escribe el mensaje.",
        NotSent::TooLong => "Es demasiado largo: caben 4000 letras.",
        NotSent::WindowClosed => {
            "Ya no se puede por mensajería: han pasado más de 24 horas desde su último mensaje. Elige el correo o WhatsApp."
        }
        NotSent::NoReceiver => "No hay ningún flujo que envíe respuestas por mensajería. Elige otra forma.",
        NotSent::NoMail => "No se puede por correo: falta el correo del cliente o el del servidor.",
        NotSent::NoTelephone => "No se puede: el cliente no tiene teléfono.",
    }
}

/// What the template shows.
pub(super) struct ReplyBox {
    pub text: String,
    pub ways: Vec<Way>,
    /// Who answers in the place of the bot.
    pub attended: Option<Attended>,
    /// The person who answers, for the form.
    pub seen: String,
    pub prepared: Vec<PreparedView>,
}

/// A channel, and what there is to know of it.
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

/// A text for the person's own WhatsApp.
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

    /// Whether the person who looks could take over.
    pub fn can_take(&self) -> bool {
        self.attended.as_ref().is_none_or(|attended| !attended.is_self)
    }

    pub fn can_send(&self) -> bool {
        self.ways.iter().any(|way| way.is_open)
    }
}

/// The channels that the box shows, each with its label and a note.
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
            // A plus sign is no space to everybody who reads addresses.
            href: format!("https://wa.me/{digits}?text={}", text.replace('+', "%20")),
            when: ago(reply.creado_en, now),
        }
    }
}
