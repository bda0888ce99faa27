//! The data by which the inbox is sorted and searched.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::etapa::Etapa;
use embudo_domain::perfil::CanalOrigen;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::figures::Recount;
use embudo_store::projected_lead::{ProjectedLead, action_columns};
use embudo_store::projection::{LeadChange, Plan, SearchText};
use embudo_store::queries::projection as queries;
use embudo_store::touches::Touch;
use uuid::Uuid;

use super::{column, figures};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// Projects leads. Another process that projects the same lead waits for the lock and then reads what this one wrote,
/// so nothing older is written over it.
pub(crate) async fn project(pool: &Pool, touches: &[(LeadId, Touch)]) -> Step<Vec<LeadChange>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let leads: Vec<LeadId> = touches.iter().map(|(lead, _)| *lead).collect();
    let plan = Plan::new(touches.to_vec(), &run_in(&tx, &queries::principals(&leads)).await?);
    lock(&tx, &ids(&plan.leads())).await?;
    begin_conversations(&tx, &plan).await?;
    let mut recount = Recount::default();
    let (mut projected, anew) = plan.fold(run_in(&tx, &queries::projected(&plan.folded())).await?);
    if !anew.is_empty() {
        let new = params! { lead: ids(&anew), etapa: Etapa::Nuevo.as_str() };
        tx.execute(sql!("lead_etapa/ensure.sql"), new).await?;
        figures::hold(&tx, &anew).await?;
        let read = run_in(&tx, &queries::facts(&anew)).await?;
        let united = run_in(&tx, &queries::united(&anew)).await?;
        let members: Vec<LeadId> = united.iter().map(|(lead, _)| *lead).collect();
        let members = match members.is_empty() {
            true => Vec::new(),
            false => run_in(&tx, &queries::facts(&members)).await?,
        };
        let members: Vec<ProjectedLead> = members.into_iter().map(|(facts, _)| facts).collect();
        let (facts, texts): (Vec<_>, Vec<_>) = read.into_iter().unzip();
        write_texts(&tx, &texts).await?;
        let mut whole = Plan::unite(facts, &united, &members);
        recount = figures::recount(&tx, &anew, &united, &mut whole).await?;
        projected.extend(whole);
    }
    projected.sort_by_key(|facts| facts.lead);
    write(&tx, &projected).await?;
    // This comes last, because its locks make all others wait who count leads of the same company.
    figures::write(&tx, &recount).await?;
    tx.commit().await?;
    let change = |facts: &ProjectedLead| LeadChange { lead: facts.lead, empresa: facts.empresa };
    Ok(projected.iter().map(change).collect())
}

/// Locks leads for their projection. Locking their rows is not enough: a lead that has no row yet cannot be locked like
/// that, and once another projection has made its row, the two could wait for each other.
async fn lock(tx: &Transaction<'_>, leads: &[Uuid]) -> Step<()> {
    tx.rows(sql!("lead_actividad/lock_ids.sql"), params! { lead: leads }).await?;
    tx.rows(sql!("lead_actividad/lock.sql"), params! { lead: leads }).await.map(drop)
}

fn ids(leads: &[LeadId]) -> Vec<Uuid> {
    leads.iter().map(|lead| lead.0).collect()
}

/// A turn does not lock its lead, so a turn that came while an etapa was derived was not seen there. This sets the
/// etapa of such leads.
async fn begin_conversations(tx: &Transaction<'_>, plan: &Plan) -> Step<()> {
    let leads = ids(&plan.with_turns());
    if !leads.is_empty() {
        let (nuevo, begun) = (Etapa::Nuevo.as_str(), Etapa::EnConversacion.as_str());
        tx.execute(sql!("lead_etapa/begin.sql"), params! { lead: leads, nuevo, begun }).await?;
    }
    Ok(())
}

async fn write(tx: &Transaction<'_>, projected: &[ProjectedLead]) -> Step<()> {
    let maybe = |at: Option<Timestamp>| at.map(Instant::from);
    let actions = column(projected, |f| action_columns(&f.outlook()));
    let standing = column(projected, ProjectedLead::standing);
    let values = params! {
        lead: column(projected, |f| f.lead.0),
        empresa: column(projected, |f| f.empresa.0),
        actividad_en: column(projected, |f| Instant::from(f.activity)),
        usuario_en: column(projected, |f| maybe(f.client_wrote)),
        turno_en: column(projected, |f| maybe(f.turn.map(|(at, _)| at))),
        turno_rol: column(projected, |f| f.turn.map(|(_, rol)| rol.as_str())),
        derecho_en: column(projected, |f| maybe(f.right_asked)),
        llamada_en: column(projected, |f| maybe(f.call_asked)),
        visita_pedida_en: column(projected, |f| maybe(f.visit_asked)),
        revisar_en: column(projected, |f| maybe(f.to_review)),
        visita_en: column(projected, |f| maybe(f.visit)),
        emitido_en: column(projected, |f| maybe(f.issued)),
        limite_en: column(projected, |f| maybe(f.loop_limit)),
        mano_en: column(projected, |f| maybe(f.by_hand)),
        etapa: column(projected, |f| f.etapa.as_str()),
        viable: column(projected, |f| f.viable),
        canal: column(projected, |f| f.canal.map(CanalOrigen::as_str)),
        contactado: column(projected, |f| f.contacted),
        contestado: column(projected, |f| f.answered),
        accion: column(&actions, |(word, _)| *word),
        accion_en: column(&actions, |(_, at)| Instant::from(*at)),
        nuevo_en: column(projected, |f| maybe(f.uncontacted)),
        aceptado_en: column(projected, |f| maybe(f.to_plan)),
        hablado_en: column(projected, |f| maybe(f.reached)),
        propuesta: column(projected, |f| f.visit_proposed),
        urgente: column(projected, |f| f.urgent),
        puntuacion: column(projected, |f| f.score),
        rango: column(&standing, |s| s.rank),
        vence_en: column(&standing, |s| Instant::from(s.due_from)),
        parte: column(&standing, |s| s.part as i64),
        orden_en: column(&standing, |s| Instant::from(s.key)),
    };
    tx.execute(sql!("lead_actividad/upsert.sql"), values).await?;
    Ok(())
}

async fn write_texts(tx: &Transaction<'_>, texts: &[SearchText]) -> Step<()> {
    let mut texts: Vec<&SearchText> = texts.iter().collect();
    texts.sort_by_key(|text| text.lead);
    let values = params! {
        lead: column(&texts, |text| text.lead.0),
        empresa: column(&texts, |text| text.empresa.0),
        texto: column(&texts, |text| text.text.as_str()),
        creado_en: column(&texts, |text| Instant::from(text.creado_en)),
    };
    tx.execute(sql!("lead_busqueda/upsert.sql"), values).await?;
    Ok(())
}
