//! Chat turns, with the states they bring and their history.

use embudo_domain::etapa::Etapa;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::Result;
use embudo_store::lead_writes::AppendTurno;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{by_lead, len, run_on_leads};
use crate::failure::Step;
use crate::rows::Instant;
use crate::writer::{Claim, Grouped, Session};

/// What the turns of one lead make of its states.
struct State<'a> {
    lead: LeadId,
    turno: Uuid,
    estado_wa: Option<&'a str>,
    bot_step: Option<&'a str>,
    at: Timestamp,
}

const APPEND: &str = include_str!("../../sql/turno/append.sql");
/// For turns that bring no states: most of them.
const APPEND_PLAIN: &str = include_str!("../../sql/turno/append_plain.sql");

fn brings_states(command: &AppendTurno) -> bool {
    command.turno.estado_wa.is_some() || command.turno.bot_step.is_some()
}

impl Grouped for AppendTurno {
    type End = ();

    fn sql() -> Vec<&'static str> {
        vec![APPEND, APPEND_PLAIN]
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
        let ids: Vec<Uuid> = batch.iter().map(|c| c.id.0).collect();
        let leads: Vec<Uuid> = batch.iter().map(|c| c.lead.0).collect();
        let roles: Vec<&str> = batch.iter().map(|c| c.turno.rol.as_str()).collect();
        let messages: Vec<&str> = batch.iter().map(|c| c.turno.mensaje.as_str()).collect();
        let types: Vec<Option<&str>> = batch.iter().map(|c| c.turno.media_type.as_deref()).collect();
        let urls: Vec<Option<&str>> = batch.iter().map(|c| c.turno.media_url.as_deref()).collect();
        let audios: Vec<Option<&str>> =
            batch.iter().map(|c| c.turno.transcripcion_audio.as_deref()).collect();
        let times: Vec<Instant> = batch.iter().map(|c| c.at.into()).collect();

        let (new, begun) = (Etapa::Nuevo.as_str(), Etapa::EnConversacion.as_str());

        if !batch.iter().any(|c| brings_states(c)) {
            let plain: [&(dyn ToSql + Sync); 10] =
                [&ids, &leads, &roles, &messages, &types, &urls, &audios, &times, &new, &begun];
            return run_on_leads(on, group, APPEND_PLAIN, &plain).await;
        }
        let states = states(&batch);
        let e_leads: Vec<Uuid> = states.iter().map(|e| e.lead.0).collect();
        let e_turnos: Vec<Uuid> = states.iter().map(|e| e.turno).collect();
        let e_states: Vec<Option<&str>> = states.iter().map(|e| e.estado_wa).collect();
        let e_steps: Vec<Option<&str>> = states.iter().map(|e| e.bot_step).collect();
        let e_times: Vec<Instant> = states.iter().map(|e| e.at.into()).collect();

        let history = history(&batch);
        let h_turnos: Vec<Uuid> = history.iter().map(|(c, ..)| c.id.0).collect();
        let h_leads: Vec<Uuid> = history.iter().map(|(c, ..)| c.lead.0).collect();
        let h_campos: Vec<&str> = history.iter().map(|(_, field, _)| *field).collect();
        let h_values: Vec<&str> = history.iter().map(|(.., value)| *value).collect();
        let h_times: Vec<Instant> = history.iter().map(|(c, ..)| c.at.into()).collect();

        run_on_leads(
            on,
            group,
            APPEND,
            &[
                &ids, &leads, &roles, &messages, &types, &urls, &audios, &times, &e_leads, &e_turnos,
                &e_states, &e_steps, &e_times, &h_turnos, &h_leads, &h_campos, &h_values, &h_times, &new,
                &begun,
            ],
        )
        .await
    }
}

/// One row per lead: later turns over earlier ones.
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
