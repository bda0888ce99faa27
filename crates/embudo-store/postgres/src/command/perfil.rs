//! Partial updates of leads, with the history of their states.

use std::borrow::Cow;

use embudo_domain::perfil;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::Result;
use embudo_store::columns::fill;
use embudo_store::lead_writes::UpdatePerfil;
use uuid::Uuid;

use super::{by_lead, column, len, run_on_leads};
use crate::failure::Step;
use crate::named::Named;
use crate::rows::{CellParam, Instant, perfil_params, type_name};
use crate::statement::{Sql, params};
use crate::writer::{Claim, Grouped, Session};

/// An update with an id of its own. If its commit was in doubt, its history is found by this id.
#[derive(Debug)]
pub(crate) struct Perfil {
    id: Uuid,
    command: UpdatePerfil,
}

impl From<UpdatePerfil> for Perfil {
    fn from(command: UpdatePerfil) -> Self {
        Self { id: Uuid::now_v7(), command }
    }
}

static UPDATE: Sql =
    Sql::new(|| Named::parse(fill(include_str!("../../sql/lead/update_perfil.sql"), type_name).leak()));

impl Grouped for Perfil {
    type End = ();

    fn sql() -> Vec<&'static Sql> {
        vec![&UPDATE]
    }

    fn key(&self) -> Uuid {
        self.command.lead.0
    }

    fn claim(&self) -> Claim {
        Claim::Shared(self.command.lead.0)
    }

    fn bytes(&self) -> usize {
        let perfil = &self.command.perfil;
        perfil.bytes() + len(perfil.bot_step.as_ref())
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<()>>> {
        let batch = by_lead(group);
        let rows = overlaid(&batch);
        let mut columns = perfil::Perfil::COLUMNS.map(|_| Vec::with_capacity(rows.len()));
        for (_, perfil, _) in &rows {
            for (column, cell) in columns.iter_mut().zip(perfil.cells()) {
                column.push(cell.map(CellParam));
            }
        }
        let history = history(&batch);
        let known = known(&batch);
        let fixed = params! {
            known: column(&known, |lead| lead.0),
            lead: column(&rows, |(lead, ..)| lead.0),
            now: column(&rows, |(.., at)| Instant::from(*at)),
            h_comando: column(&history, |(c, ..)| c.id),
            h_lead: column(&history, |(c, ..)| c.command.lead.0),
            h_campo: column(&history, |(_, field, _)| *field),
            h_valor: column(&history, |(.., value)| *value),
            h_now: column(&history, |(c, ..)| Instant::from(c.command.at)),
        };
        let params: Vec<_> = fixed.iter().copied().chain(perfil_params(&columns)).collect();
        run_on_leads(on, group, &UPDATE, &params).await
    }
}

/// One row per lead: later updates overwrite earlier ones.
fn overlaid<'a>(batch: &[&'a Perfil]) -> Vec<(LeadId, Cow<'a, perfil::Perfil>, Timestamp)> {
    let mut rows: Vec<(LeadId, Cow<'a, perfil::Perfil>, Timestamp)> = Vec::with_capacity(batch.len());
    for Perfil { command, .. } in batch {
        match rows.last_mut().filter(|(lead, ..)| *lead == command.lead) {
            Some((_, under, at)) => {
                under.to_mut().overlay(&command.perfil);
                *at = command.at;
            }
            None => rows.push((command.lead, Cow::Borrowed(&command.perfil), command.at)),
        }
    }
    rows
}

/// The leads whose area is known, and not estimated, by the last of their updates that has an area.
fn known(batch: &[&Perfil]) -> Vec<LeadId> {
    let mut known: Vec<LeadId> = Vec::new();
    for Perfil { command, .. } in batch.iter().filter(|c| c.command.perfil.m2_suelo.is_some()) {
        known.retain(|lead| *lead != command.lead);
        known.extend(Some(command.lead).filter(|_| command.knows_area()));
    }
    known
}

fn history<'a>(batch: &[&'a Perfil]) -> Vec<(&'a Perfil, &'static str, &'a str)> {
    let mut history = Vec::new();
    for c in batch {
        let p = &c.command.perfil;
        history.extend(p.estado_wa.map(|e| (*c, "estado_wa", e.as_str())));
        history.extend(p.bot_step.as_deref().map(|step| (*c, "bot_step", step)));
    }
    history
}
