//! The data by which the inbox is sorted and searched.

use embudo_domain::etapa::Etapa;
use embudo_domain::perfil::CanalOrigen;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::projected_lead::{ProjectedLead, action_columns};
use embudo_store::projection::{LeadChange, Plan, SearchText};
use embudo_store::queries::projection as queries;
use embudo_store::touches::Touch;
use rusqlite::{Connection, named_params};

use super::{execute, figures};
use crate::failure::Step;
use crate::query::{first, run};

/// Projects leads. The writer's transaction keeps them from changing meanwhile.
pub(crate) fn project(connection: &Connection, touches: Vec<(LeadId, Touch)>) -> Step<Vec<LeadChange>> {
    let leads: Vec<LeadId> = touches.iter().map(|(lead, _)| *lead).collect();
    let plan = Plan::new(touches, &run(connection, &queries::principals(&leads))?);
    let (mut projected, anew) = plan.fold(run(connection, &queries::projected(&plan.folded()))?);
    if !anew.is_empty() {
        for lead in &anew {
            let sql = include_str!("../../sql/lead_etapa/ensure.sql");
            execute(connection, sql, named_params! {":lead": lead.0, ":etapa": Etapa::Nuevo.as_str()})?;
        }
        let mut read = run(connection, &queries::facts(&anew))?;
        // The index returns texts in the order of insertion, so the newest lead is inserted last.
        read.sort_by_key(|(_, text)| (text.creado_en, text.lead));
        let united = run(connection, &queries::united(&anew))?;
        let members: Vec<LeadId> = united.iter().map(|(lead, _)| *lead).collect();
        let members = run(connection, &queries::facts(&members))?;
        let members: Vec<ProjectedLead> = members.into_iter().map(|(facts, _)| facts).collect();
        for (_, text) in &read {
            write_text(connection, text)?;
        }
        let facts = read.into_iter().map(|(facts, _)| facts).collect();
        let mut whole = Plan::unite(facts, &united, &members);
        figures::count(connection, &anew, &united, &mut whole)?;
        projected.extend(whole);
    }
    projected.iter().try_for_each(|facts| write(connection, facts))?;
    let change = |facts: &ProjectedLead| LeadChange { lead: facts.lead, empresa: facts.empresa };
    Ok(projected.iter().map(change).collect())
}

fn write(connection: &Connection, facts: &ProjectedLead) -> Step<()> {
    let micros = |at: Option<Timestamp>| at.map(Timestamp::as_microsecond);
    let ((action, action_at), standing) = (action_columns(&facts.outlook()), facts.standing());
    execute(
        connection,
        include_str!("../../sql/lead_actividad/upsert.sql"),
        named_params! {
            ":lead": facts.lead.0,
            ":empresa": facts.empresa.0,
            ":actividad_en": facts.activity.as_microsecond(),
            ":usuario_en": micros(facts.client_wrote),
            ":turno_en": micros(facts.turn.map(|(at, _)| at)),
            ":turno_rol": facts.turn.map(|(_, rol)| rol.as_str()),
            ":derecho_en": micros(facts.right_asked),
            ":llamada_en": micros(facts.call_asked),
            ":visita_pedida_en": micros(facts.visit_asked),
            ":revisar_en": micros(facts.to_review),
            ":visita_en": micros(facts.visit),
            ":emitido_en": micros(facts.issued),
            ":limite_en": micros(facts.loop_limit),
            ":mano_en": micros(facts.by_hand),
            ":etapa": facts.etapa.as_str(),
            ":viable": facts.viable,
            ":canal": facts.canal.map(CanalOrigen::as_str),
            ":contactado": facts.contacted,
            ":contestado": facts.answered,
            ":accion": action,
            ":accion_en": action_at.as_microsecond(),
            ":nuevo_en": micros(facts.uncontacted),
            ":aceptado_en": micros(facts.to_plan),
            ":hablado_en": micros(facts.reached),
            ":propuesta": facts.visit_proposed,
            ":urgente": facts.urgent,
            ":puntuacion": facts.score,
            ":rango": standing.rank,
            ":vence_en": standing.due_from.as_microsecond(),
            ":parte": standing.part as i64,
            ":orden_en": standing.key.as_microsecond(),
        },
    )
    .map(drop)
}

/// Writes the search text of a lead, unless it is unchanged.
fn write_text(connection: &Connection, new: &SearchText) -> Step<()> {
    let sql = include_str!("../../sql/lead_busqueda/get.sql");
    let before =
        first(connection, sql, (new.lead.0,), |c| Ok((c.get::<i64>("n")?, c.get::<String>("texto")?)))?;
    if let Some((n, text)) = before {
        if text == new.text {
            return Ok(());
        }
        execute(connection, include_str!("../../sql/lead_trigrama/delete.sql"), (n, text))?;
    }
    let sql = include_str!("../../sql/lead_busqueda/upsert.sql");
    let n: i64 = connection.prepare_cached(sql)?.query_row(
        named_params! {
            ":lead": new.lead.0,
            ":empresa": new.empresa.0,
            ":texto": new.text,
            ":creado_en": new.creado_en.as_microsecond(),
        },
        |row| row.get(0),
    )?;
    execute(connection, include_str!("../../sql/lead_trigrama/insert.sql"), (n, &new.text)).map(drop)
}
