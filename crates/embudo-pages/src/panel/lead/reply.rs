//! The reply box. A person answers the client through the channel that the client used last, if it is open, and takes
//! over the conversation from the bot. Without a workflow that sends replies, the text is passed to the person's own
//! WhatsApp.

use axum::extract::Path;
use embudo_app::{NewReply, NotSent};
use embudo_domain::reply::ReplyChannel;
use embudo_domain::{ReplyId, UserId};
use embudo_store::edited::Edited;
use http::StatusCode;

use super::shown::Shown;
use super::union::Union;
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::panel::kit::work::{Posted, once};
use crate::parts::Refusal;

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

/// `POST /panel/leads/:id/mensajes/:mensaje/enviado`: records whether the person sent the text with their own
/// telephone. A result that is already recorded is not changed.
pub(crate) async fn set_sent(Path((_, id)): Path<(String, String)>, form: Posted) -> PanelResult {
    let id = ReplyId::parse(&id).ok_or(Refusal::NotFound)?;
    let was_sent = form.fields.raw("hecho") != "no";
    form.state
        .app
        .replies()
        .mark_sent(&form.viewer(), &form.lead, id, was_sent, &form.signed.actor())
        .await?;
    Ok(form.done(if was_sent { "respuesta-enviada#responder" } else { "respuesta-quitada#responder" }))
}

/// `POST /panel/leads/:id/atender`: takes over the conversation, or gives it back to the bot.
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

/// Shows the page again, with the typed text.
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
