//! Quotes: drafted with a number, completed with their PDF, answered by clients. What may happen to one is the domain's decision.
//!
//! All three hold the lead's lock, so that a lead's quotes change one command at a time. A company's series of numbers is locked
//! after the lead, by the statement that gives one.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::presupuesto::{EstadoPresupuesto, PdfGuardado, Presupuesto};
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp};
use embudo_store::StoreError;
use embudo_store::presupuestos::{
    AnswerPresupuesto, CompletePresupuesto, Contestacion, DraftPresupuesto, sustituibles,
};

use uuid::Uuid;

use super::alone::commit;
use super::{blob, bucle, evento, trabajo};
use crate::failure::Step;
use crate::rows::{self, Instante};
use crate::writer::run_within;

/// Drafts a quote, unless the lead's last one will do.
pub(crate) async fn draft(pool: &Pool, command: &DraftPresupuesto) -> Step<Presupuesto> {
    let (lead, contenido, anio) = (command.lead, command.documento.huella(), command.anio()?);
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let (empresa, _) = bucle::lock(&tx, lead).await?.ok_or(StoreError::LeadNotFound)?;
    let last = tx.prepare_cached(include_str!("../../sql/presupuesto/last.sql")).await?;
    let ultimo = tx.query_opt(&last, &[&lead.0]).await?;
    let ultimo = ultimo.as_ref().map(rows::presupuesto).transpose()?;
    if let Some(ultimo) = ultimo.as_ref().filter(|u| command.repite(u, contenido)) {
        return Ok(ultimo.clone());
    }
    let estados: Vec<&str> = sustituibles().map(EstadoPresupuesto::as_str).collect();
    let supersede = tx.prepare_cached(include_str!("../../sql/presupuesto/supersede.sql")).await?;
    tx.execute(&supersede, &[&lead.0, &estados, &EstadoPresupuesto::Sustituido.as_str()]).await?;
    let next = tx.prepare_cached(include_str!("../../sql/presupuesto_serie/next.sql")).await?;
    let orden = tx.query_one(&next, &[&empresa, &i32::from(anio)]).await?.try_get(0)?;
    let nuevo = command.clone().redactar(contenido, EmpresaId(empresa), orden, ultimo.as_ref())?;
    insert(&tx, &nuevo).await?;
    commit(tx).await?;
    Ok(nuevo)
}

async fn insert(tx: &Transaction<'_>, p: &Presupuesto) -> Step<()> {
    let documento = serde_json::to_string(&p.documento)
        .map_err(|e| StoreError::Internal(format!("a quote cannot be written as JSON: {e}")))?;
    let insert = tx.prepare_cached(include_str!("../../sql/presupuesto/insert.sql")).await?;
    tx.execute(
        &insert,
        &[
            &p.id.0,
            &p.lead.0,
            &p.empresa.0,
            &i32::from(p.numero.anio()),
            &i64::from(p.numero.orden()),
            &i64::from(p.version),
            &p.estado.as_str(),
            &p.contenido.0.as_slice(),
            &p.documento.impuesto.total.0,
            &p.validez.emitido,
            &p.validez.hasta,
            &Instante::from(p.creado_en),
            &documento,
        ],
    )
    .await?;
    Ok(())
}

/// Stores a quote's PDF, sends the quote on its way and ends the job that drew it. `None`: the job is not the process's any
/// more; else whether a job was made that waits for whoever comes.
pub(crate) async fn complete(pool: &Pool, command: &CompletePresupuesto) -> Step<Option<bool>> {
    let (id, mut fin) = (command.id, command.fin.clone());
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let held = tx.prepare_cached(include_str!("../../sql/trabajo/lead_of_held.sql")).await?;
    let Some(row) = tx.query_opt(&held, &[&fin.id.0, &fin.quien.0]).await? else { return Ok(None) };
    let (lead, empresa) = (LeadId(row.try_get("lead_id")?), row.try_get("empresa_id")?);
    // Also keeps sweeps of the lead's blobs out.
    let lock = tx.prepare_cached(include_str!("../../sql/lead/lock.sql")).await?;
    tx.query_opt(&lock, &[&lead.0, &blob::sweep_lock(lead)]).await?;
    let antes = get(&tx, id).await?.filter(|p| p.lead == lead).ok_or(StoreError::PresupuestoNotFound)?;
    if antes.pdf.is_none() {
        blob::check(&tx, lead, &[command.pdf.huella], &command.barridos).await?;
        set_pdf(&tx, id, command.pdf).await?;
    }
    if antes.estado.puede_pasar_a(EstadoPresupuesto::Emitido) {
        set_estado(&tx, id, EstadoPresupuesto::Emitido, Some(fin.en)).await?;
    }
    let se_entrega = antes.estado != EstadoPresupuesto::Sustituido;
    if !se_entrega {
        fin.trabajos.clear();
    }
    let Some(sueltos) = run_within(&tx, &fin).await? else { return Ok(None) };
    if se_entrega {
        evento::insert(&tx, lead, empresa, &command.eventos).await?;
        insert_entregas(&tx, command).await?;
    }
    commit(tx).await?;
    Ok(Some(sueltos))
}

async fn insert_entregas(tx: &Transaction<'_>, command: &CompletePresupuesto) -> Step<()> {
    let canales: Vec<&str> = command.entregas.iter().map(|e| e.canal.as_str()).collect();
    let trabajos: Vec<Uuid> = command.entregas.iter().map(|e| e.trabajo.0).collect();
    let simuladas: Vec<bool> = command.entregas.iter().map(|e| e.simulada).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/presupuesto_entrega/insert.sql")).await?;
    let en = Instante::from(command.fin.en);
    tx.execute(&insert, &[&command.id.0, &canales, &trabajos, &simuladas, &en]).await?;
    Ok(())
}

async fn get(tx: &Transaction<'_>, id: PresupuestoId) -> Step<Option<Presupuesto>> {
    let get = tx.prepare_cached(include_str!("../../sql/presupuesto/get.sql")).await?;
    tx.query_opt(&get, &[&id.0]).await?.as_ref().map(rows::presupuesto).transpose()
}

async fn set_pdf(tx: &Transaction<'_>, id: PresupuestoId, pdf: PdfGuardado) -> Step<()> {
    let bytes = i64::try_from(pdf.bytes).unwrap_or(i64::MAX);
    let set = tx.prepare_cached(include_str!("../../sql/presupuesto/set_pdf.sql")).await?;
    tx.execute(&set, &[&id.0, &pdf.huella.0.as_slice(), &pdf.sha256.as_slice(), &bytes]).await?;
    Ok(())
}

async fn set_estado(
    tx: &Transaction<'_>,
    id: PresupuestoId,
    estado: EstadoPresupuesto,
    emitido_en: Option<Timestamp>,
) -> Step<()> {
    let set = tx.prepare_cached(include_str!("../../sql/presupuesto/set_estado.sql")).await?;
    tx.execute(&set, &[&id.0, &estado.as_str(), &emitido_en.map(Instante::from)]).await?;
    Ok(())
}

/// Writes down what a client says of a quote; with it, whether a job was made that waits for whoever comes.
pub(crate) async fn answer(pool: &Pool, command: &AnswerPresupuesto) -> Step<(Contestacion, bool)> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let find = tx.prepare_cached(include_str!("../../sql/presupuesto/get_lead.sql")).await?;
    let row = tx.query_opt(&find, &[&command.id.0]).await?.ok_or(StoreError::PresupuestoNotFound)?;
    let lead = LeadId(row.try_get("lead_id")?);
    bucle::lock(&tx, lead).await?;
    let antes = get(&tx, command.id).await?.ok_or(StoreError::PresupuestoNotFound)?;
    let estado = match command.decidir(&antes) {
        Ok(estado) => estado,
        Err(contestacion) => return Ok((contestacion, false)),
    };
    let r = &command.respuesta;
    let (empresa, en) = (antes.empresa.0, Instante::from(r.en));
    let sha256 = r.pdf_sha256.as_slice();
    let insert = tx.prepare_cached(include_str!("../../sql/presupuesto_respuesta/insert.sql")).await?;
    tx.execute(
        &insert,
        &[&command.id.0, &lead.0, &empresa, &r.aceptado, &r.motivo, &r.ip, &r.texto_version, &sha256, &en],
    )
    .await?;
    set_estado(&tx, command.id, estado, None).await?;
    evento::insert(&tx, lead, empresa, std::slice::from_ref(&command.evento)).await?;
    let sueltos = trabajo::insert(&tx, lead, &command.trabajos, r.en).await?;
    commit(tx).await?;
    Ok((Contestacion::Hecha, sueltos))
}
