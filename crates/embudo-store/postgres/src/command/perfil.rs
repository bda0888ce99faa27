//! Partial updates of leads, with the history of their states.

use std::borrow::Cow;

use embudo_domain::perfil;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::command::UpdatePerfil;
use tokio_postgres::{Error, GenericClient, Statement};
use uuid::Uuid;

use super::{Grouped, by_lead, len, missing};
use crate::rows::Instante;

/// An update with an id of its own, by which its history is found when its commit was in doubt.
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

impl Grouped for Perfil {
    const SQL: &'static str = include_str!("../../sql/lead/update_perfil.sql");

    fn lead(&self) -> LeadId {
        self.command.lead
    }

    fn bytes(&self) -> usize {
        let p = &self.command.perfil;
        let texts = [&p.espacio, &p.rango_m2, &p.estilo, &p.presupuesto_declarado, &p.taste_text];
        2 * len(p.bot_step.as_ref()) + texts.iter().map(|t| len(t.as_ref())).sum::<usize>()
    }

    async fn run<C: GenericClient + Sync>(
        client: &C,
        statement: &Statement,
        batch: &[&Self],
    ) -> Result<Vec<Uuid>, Error> {
        /// The column of one field.
        macro_rules! column {
            ($rows:ident, $p:ident => $field:expr) => {
                &$rows.iter().map(|(_, $p, _)| $field).collect::<Vec<_>>()
            };
        }
        let batch = by_lead(batch);
        let rows = overlaid(&batch);
        let leads: Vec<Uuid> = rows.iter().map(|(lead, ..)| lead.0).collect();
        let times: Vec<Instante> = rows.iter().map(|(.., en)| (*en).into()).collect();
        let historia = historia(&batch);
        let h_ids: Vec<Uuid> = historia.iter().map(|(c, ..)| c.id).collect();
        let h_leads: Vec<Uuid> = historia.iter().map(|(c, ..)| c.command.lead.0).collect();
        let h_campos: Vec<&str> = historia.iter().map(|(_, campo, _)| *campo).collect();
        let h_valores: Vec<&str> = historia.iter().map(|(.., valor)| *valor).collect();
        let h_times: Vec<Instante> = historia.iter().map(|(c, ..)| c.command.en.into()).collect();
        missing(
            client,
            statement,
            &[
                &leads,
                column!(rows, p => p.bot_step.as_deref()),
                column!(rows, p => p.estado_wa.map(embudo_domain::lead::EstadoWa::as_str)),
                column!(rows, p => p.canal_origen.map(embudo_domain::lead::CanalOrigen::as_str)),
                column!(rows, p => p.viable),
                column!(rows, p => p.espacio.as_deref()),
                column!(rows, p => p.rango_m2.as_deref()),
                column!(rows, p => p.estilo.as_deref()),
                column!(rows, p => p.presupuesto_declarado.as_deref()),
                column!(rows, p => p.fotos_solicitadas_at.map(Instante::from)),
                column!(rows, p => p.tipo_reforma.map(embudo_domain::Zona::as_str)),
                column!(rows, p => p.m2_suelo),
                column!(rows, p => p.calidad_global.map(embudo_domain::lead::Calidad::as_str)),
                column!(rows, p => p.urgencia.map(embudo_domain::lead::Urgencia::as_str)),
                column!(rows, p => p.presupuesto_target_cents),
                column!(rows, p => p.taste_text.as_deref()),
                column!(rows, p => p.estructural),
                &times,
                &h_ids,
                &h_leads,
                &h_campos,
                &h_valores,
                &h_times,
            ],
        )
        .await
    }
}

/// One row per lead: later updates over earlier ones.
fn overlaid<'a>(batch: &[&'a Perfil]) -> Vec<(LeadId, Cow<'a, perfil::Perfil>, Timestamp)> {
    let mut rows: Vec<(LeadId, Cow<'a, perfil::Perfil>, Timestamp)> = Vec::with_capacity(batch.len());
    for Perfil { command, .. } in batch {
        match rows.last_mut().filter(|(lead, ..)| *lead == command.lead) {
            Some((_, under, en)) => {
                lay_over(under.to_mut(), &command.perfil);
                *en = command.en;
            }
            None => rows.push((command.lead, Cow::Borrowed(&command.perfil), command.en)),
        }
    }
    rows
}

fn lay_over(under: &mut perfil::Perfil, over: &perfil::Perfil) {
    /// Every field is named, so that a new one cannot be forgotten.
    macro_rules! fields {
        ($($field:ident),+ $(,)?) => {
            let perfil::Perfil { $($field),+ } = over;
            $(if $field.is_some() { under.$field.clone_from($field); })+
        };
    }
    fields!(
        bot_step,
        estado_wa,
        canal_origen,
        viable,
        espacio,
        rango_m2,
        estilo,
        presupuesto_declarado,
        fotos_solicitadas_at,
        tipo_reforma,
        m2_suelo,
        calidad_global,
        urgencia,
        presupuesto_target_cents,
        taste_text,
        estructural,
    );
}

/// Every value given to a state.
fn historia<'a>(batch: &[&'a Perfil]) -> Vec<(&'a Perfil, &'static str, &'a str)> {
    let mut historia = Vec::new();
    for c in batch {
        let p = &c.command.perfil;
        historia.extend(p.estado_wa.map(|e| (*c, "estado_wa", e.as_str())));
        historia.extend(p.bot_step.as_deref().map(|paso| (*c, "bot_step", paso)));
    }
    historia
}
