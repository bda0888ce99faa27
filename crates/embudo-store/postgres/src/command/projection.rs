//! What the inbox is sorted and searched by.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::LeadId;
use embudo_domain::etapa::Etapa;
use embudo_store::projection::{LeadChange, LeadFacts, Mark, NO_ACTION, Plan, SearchText};
use embudo_store::queries::projection as queries;
use embudo_store::touches::Touch;
use uuid::Uuid;

use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;

/// Projects leads. Whoever projects the same lead waits, and then reads what this one wrote: no older word stays.
pub(crate) async fn project(pool: &Pool, touches: &[(LeadId, Touch)]) -> Step<Vec<LeadChange>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let leads: Vec<LeadId> = touches.iter().map(|(lead, _)| *lead).collect();
    let plan = Plan::new(touches.to_vec(), &run_in(&tx, &queries::principals(&leads)).await?);
    let lock = tx.prepare_cached(include_str!("../../sql/lead_actividad/lock.sql")).await?;
    tx.query(&lock, &[&ids(&plan.leads())]).await?;
    begin_conversations(&tx, &plan).await?;
    let (mut projected, anew) = plan.fold(run_in(&tx, &queries::projected(&plan.folded())).await?);
    if !anew.is_empty() {
        let ensure = tx.prepare_cached(include_str!("../../sql/lead_etapa/ensure.sql")).await?;
        tx.execute(&ensure, &[&ids(&anew), &Etapa::Nuevo.as_str()]).await?;
        let read = run_in(&tx, &queries::facts(&anew)).await?;
        let united = run_in(&tx, &queries::united(&anew)).await?;
        let members: Vec<LeadId> = united.iter().map(|(lead, _)| *lead).collect();
        let members = match members.is_empty() {
            true => Vec::new(),
            false => run_in(&tx, &queries::facts(&members)).await?,
        };
        let members: Vec<LeadFacts> = members.into_iter().map(|(facts, _)| facts).collect();
        let (facts, texts): (Vec<_>, Vec<_>) = read.into_iter().unzip();
        write_texts(&tx, &texts).await?;
        projected.extend(Plan::unite(facts, &united, &members));
    }
    projected.sort_by_key(|facts| facts.lead);
    write(&tx, &projected).await?;
    tx.commit().await?;
    let change = |facts: &LeadFacts| LeadChange { lead: facts.lead, empresa: facts.empresa };
    Ok(projected.iter().map(change).collect())
}

fn ids(leads: &[LeadId]) -> Vec<Uuid> {
    leads.iter().map(|lead| lead.0).collect()
}

/// A turn does not lock its lead. One that came while an etapa was derived anew was not seen there.
async fn begin_conversations(tx: &Transaction<'_>, plan: &Plan) -> Step<()> {
    let leads = ids(&plan.with_turns());
    if !leads.is_empty() {
        let begin = tx.prepare_cached(include_str!("../../sql/lead_etapa/begin.sql")).await?;
        let etapas = (Etapa::Nuevo.as_str(), Etapa::EnConversacion.as_str());
        tx.execute(&begin, &[&leads, &etapas.0, &etapas.1]).await?;
    }
    Ok(())
}

async fn write(tx: &Transaction<'_>, projected: &[LeadFacts]) -> Step<()> {
    macro_rules! column {
        ($type:ty, $value:expr) => {
            projected.iter().map($value).collect::<Vec<$type>>()
        };
    }
    type Maybe = Option<Instant>;
    let actions = column!(_, LeadFacts::next_action);
    let upsert = tx.prepare_cached(include_str!("../../sql/lead_actividad/upsert.sql")).await?;
    tx.execute(
        &upsert,
        &[
            &column!(Uuid, |f| f.lead.0),
            &column!(Uuid, |f| f.empresa.0),
            &column!(Instant, |f| f.activity.into()),
            &column!(Maybe, |f| f.user.map(Instant::from)),
            &column!(Maybe, |f| f.turn.map(|(at, _)| at.into())),
            &column!(Option<&str>, |f| f.turn.map(|(_, rol)| rol.as_str())),
            &column!(Maybe, |f| f.call_asked.map(Instant::from)),
            &column!(Maybe, |f| f.issued.map(Instant::from)),
            &column!(Maybe, |f| f.loop_limit.map(Instant::from)),
            &column!(Maybe, |f| f.by_hand.map(Instant::from)),
            &column!(bool, |f| f.closed),
            &column!(Option<bool>, |f| f.viable),
            &actions.iter().map(|a| a.map(|a| a.kind.as_str())).collect::<Vec<Option<&str>>>(),
            &actions.iter().map(|a| a.map_or(NO_ACTION, |a| a.due).into()).collect::<Vec<Instant>>(),
        ],
    )
    .await?;
    Ok(())
}

async fn write_texts(tx: &Transaction<'_>, texts: &[SearchText]) -> Step<()> {
    let mut texts: Vec<&SearchText> = texts.iter().collect();
    texts.sort_by_key(|text| text.lead);
    let leads: Vec<Uuid> = texts.iter().map(|text| text.lead.0).collect();
    let empresas: Vec<Uuid> = texts.iter().map(|text| text.empresa.0).collect();
    let folded: Vec<&str> = texts.iter().map(|text| text.text.as_str()).collect();
    let times: Vec<Instant> = texts.iter().map(|text| text.creado_en.into()).collect();
    let upsert = tx.prepare_cached(include_str!("../../sql/lead_busqueda/upsert.sql")).await?;
    tx.execute(&upsert, &[&leads, &empresas, &folded, &times]).await?;
    Ok(())
}

pub(crate) async fn keep_marks(pool: &Pool, marks: &[Mark]) -> Step<()> {
    let names: Vec<&str> = marks.iter().map(|mark| mark.table).collect();
    let read: Vec<i64> = marks.iter().map(|mark| mark.read).collect();
    let seen: Vec<i64> = marks.iter().map(|mark| mark.seen).collect();
    let times: Vec<Instant> = marks.iter().map(|mark| mark.seen_at.into()).collect();
    let client = pool.get().await?;
    let set = client.prepare_cached(include_str!("../../sql/proyeccion/set.sql")).await?;
    client.execute(&set, &[&names, &read, &seen, &times]).await?;
    Ok(())
}
