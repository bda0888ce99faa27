//! Chat turns, with the states they bring and their history.

use embudo_domain::etapa::Etapa;
use embudo_domain::job::JobKind;
use embudo_domain::reply::ReplyChannel;
use embudo_domain::{LeadId, ReplyId, Timestamp};
use embudo_store::Result;
use embudo_store::lead_writes::AppendTurno;
use uuid::Uuid;

use super::{by_lead, column, len, run_on_leads};
use crate::failure::Step;
use crate::rows::Instant;
use crate::statement::{Sql, params, sql};
use crate::writer::{Attempt, Claim, Grouped, Session};

/// The states of one lead after the turns of the group.
struct State<'a> {
    lead: LeadId,
    turno: Uuid,
    estado_wa: Option<&'a str>,
    bot_step: Option<&'a str>,
    at: Timestamp,
}

static APPEND: &Sql = sql!("turno/append.sql");
/// For turns without states, which most of them are. The first statement is for turns that were never tried before.
static APPEND_FRESH: &Sql = sql!("turno/append_fresh.sql");
static APPEND_PLAIN: &Sql = sql!("turno/append_plain.sql");

/// Confirms the reply that the turn records.
static CONFIRM: &Sql = sql!("mensaje/confirm.sql");

fn brings_states(command: &AppendTurno) -> bool {
    command.turno.estado_wa.is_some() || command.turno.bot_step.is_some()
}

impl Grouped for AppendTurno {
    type End = ();

    fn sql() -> Vec<&'static Sql> {
        vec![APPEND, APPEND_PLAIN, APPEND_FRESH]
    }

    fn key(&self) -> Uuid {
        self.lead.0
    }

    fn claim(&self) -> Claim {
        if brings_states(self) { Claim::Shared(self.lead.0) } else { Claim::Nothing }
    }

    fn bytes(&self) -> usize {
        let t = &self.turno;
        t.mensaje.len()
            + len(t.media_type.as_ref())
            + len(t.media_url.as_ref())
            + len(t.transcripcion_audio.as_ref())
            + 2 * len(t.bot_step.as_ref())
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<()>>> {
        let batch = by_lead(group);
        let turnos = params! {
            id: column(&batch, |c| c.id.0),
            lead: column(&batch, |c| c.lead.0),
            rol: column(&batch, |c| c.turno.rol.as_str()),
            mensaje: column(&batch, |c| c.turno.mensaje.as_str()),
            media_type: column(&batch, |c| c.turno.media_type.as_deref()),
            media_url: column(&batch, |c| c.turno.media_url.as_deref()),
            transcripcion_audio: column(&batch, |c| c.turno.transcripcion_audio.as_deref()),
            now: column(&batch, |c| Instant::from(c.at)),
            nuevo: Etapa::Nuevo.as_str(),
        };
        let begun = params! { begun: Etapa::EnConversacion.as_str() };
        let turnos_and_begun = &[&turnos[..], &begun[..]].concat();
        if !batch.iter().any(|c| brings_states(c)) {
            if on.attempt == Attempt::First && on.execute(APPEND_FRESH, turnos).await? == batch.len() as u64 {
                return Ok(batch.iter().map(|_| Ok(())).collect());
            }
            return run_on_leads(on, group, APPEND_PLAIN, turnos_and_begun).await;
        }
        let (states, history) = (states(&batch), history(&batch));
        let brought = params! {
            e_lead: column(&states, |e| e.lead.0),
            e_turno: column(&states, |e| e.turno),
            e_estado_wa: column(&states, |e| e.estado_wa),
            e_bot_step: column(&states, |e| e.bot_step),
            e_now: column(&states, |e| Instant::from(e.at)),
            h_turno: column(&history, |(c, ..)| c.id.0),
            h_lead: column(&history, |(c, ..)| c.lead.0),
            h_campo: column(&history, |(_, field, _)| *field),
            h_valor: column(&history, |(.., value)| *value),
            h_now: column(&history, |(c, ..)| Instant::from(c.at)),
        };
        run_on_leads(on, group, APPEND, &[turnos_and_begun, &brought[..]].concat()).await
    }
}

/// A turn that may record a reply; it has a key, and so runs alone.
pub(crate) struct RecordingTurno {
    turno: AppendTurno,
    reply: ReplyId,
}

impl RecordingTurno {
    pub(crate) fn new(turno: AppendTurno, reply: ReplyId) -> Self {
        Self { turno, reply }
    }
}

impl Grouped for RecordingTurno {
    type End = ();

    const IS_TRANSACTION: bool = true;

    fn sql() -> Vec<&'static Sql> {
        vec![APPEND, APPEND_PLAIN, CONFIRM]
    }

    fn key(&self) -> Uuid {
        self.turno.key()
    }

    fn claim(&self) -> Claim {
        Claim::Only(self.turno.lead.0)
    }

    fn bytes(&self) -> usize {
        self.turno.bytes()
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<()>>> {
        let turnos: Vec<&AppendTurno> = group.iter().map(|c| &c.turno).collect();
        let ends = AppendTurno::run(on, &turnos).await?;
        for c in group {
            let confirm = params! {
                id: c.reply.0,
                lead: c.turno.lead.0,
                turno: c.turno.id.0,
                canal: ReplyChannel::Messaging.as_str(),
                tipo: JobKind::Reply.as_str(),
                now: Instant::from(c.turno.at),
            };
            on.query(CONFIRM, confirm).await?;
        }
        Ok(ends)
    }
}

/// One row per lead: later turns overwrite earlier ones.
fn states<'a>(batch: &[&'a AppendTurno]) -> Vec<State<'a>> {
    let mut states: Vec<State<'a>> = Vec::new();
    for c in batch {
        let estado_wa = c.turno.estado_wa.map(embudo_domain::perfil::EstadoWa::as_str);
        let bot_step = c.turno.bot_step.as_deref();
        if estado_wa.is_none() && bot_step.is_none() {
            continue;
        }
        match states.last_mut().filter(|e| e.lead == c.lead) {
            Some(e) => {
                e.estado_wa = estado_wa.or(e.estado_wa);
                e.bot_step = bot_step.or(e.bot_step);
                (e.turno, e.at) = (c.id.0, c.at);
            }
            None => states.push(State { lead: c.lead, turno: c.id.0, estado_wa, bot_step, at: c.at }),
        }
    }
    states
}

fn history<'a>(batch: &[&'a AppendTurno]) -> Vec<(&'a AppendTurno, &'static str, &'a str)> {
    let mut history = Vec::new();
    for c in batch {
        history.extend(c.turno.estado_wa.map(|e| (*c, "estado_wa", e.as_str())));
        history.extend(c.turno.bot_step.as_deref().map(|step| (*c, "bot_step", step)));
    }
    history
}
