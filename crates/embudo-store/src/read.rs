//! Reads that are not hot, the same for both engines: an engine only runs [`Query`]s.

use std::collections::HashMap;

use embudo_domain::audit::AuditEntry;
use embudo_domain::empresa::Empresa;
use embudo_domain::foto::Foto;
use embudo_domain::job::{Delivery, Job};
use embudo_domain::lead::LeadSummary;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::record::StateChange;
use embudo_domain::rendition::Rendition;
use embudo_domain::session::Session;
use embudo_domain::user::User;
use embudo_domain::{Digest, EmpresaId, FotoId, JobId, LeadId, PresupuestoId, Timestamp, UserId};
use jiff::civil::Date;

use crate::audit::{AuditCursor, AuditFilter};
use crate::blob_marks::BlobMark;
use crate::credentials::StoredCredentials;
use crate::empresas::StoredBrand;
use crate::empresas::StoredTarifa;
use crate::leads::Cursor;
use crate::leads::EventCursor;
use crate::leads::LeadFilter;
use crate::leads::ListedEvent;
use crate::outbox_admin::JobCount;
use crate::outbox_admin::JobFilter;
use crate::queries::{Query, access, blob, empresa, job, lead, quote};
use crate::{Result, StoreError};

/// A database that answers queries, each from one snapshot.
pub trait Reader: Sync {
    /// Every row of the answer, in its order.
    fn read<T: Send + 'static>(&self, query: Query<T>) -> impl Future<Output = Result<Vec<T>>> + Send;
}

pub(crate) async fn first<T: Send + 'static>(reader: &impl Reader, query: Query<T>) -> Result<Option<T>> {
    Ok(reader.read(query).await?.into_iter().next())
}

/// The rows of a lead that exists. It is looked for after them: one that came in between had none.
async fn of_lead<T: Send + 'static>(reader: &impl Reader, id: LeadId, query: Query<T>) -> Result<Vec<T>> {
    let rows = reader.read(query).await?;
    if rows.is_empty() && first(reader, lead::exists(id)).await? != Some(true) {
        return Err(StoreError::LeadNotFound);
    }
    Ok(rows)
}

pub async fn list_leads(
    reader: &impl Reader,
    filter: LeadFilter,
    cursor: Option<Cursor>,
    limit: u32,
) -> Result<Vec<LeadSummary>> {
    let mut page = reader.read(lead::list(filter, cursor, limit)).await?;
    if page.is_empty() {
        return Ok(page);
    }
    // Campaign ids never change, so a second query sees the same leads.
    let ids: Vec<LeadId> = page.iter().map(|summary| summary.lead.id).collect();
    let mut utm: HashMap<LeadId, Vec<(String, String)>> = HashMap::new();
    for (of, pair) in reader.read(lead::utm(&ids)).await? {
        utm.entry(of).or_default().push(pair);
    }
    for summary in &mut page {
        summary.lead.utm = utm.remove(&summary.lead.id).unwrap_or_default();
        summary.lead.utm.sort();
    }
    Ok(page)
}

pub async fn events(
    reader: &impl Reader,
    id: LeadId,
    cursor: Option<EventCursor>,
    limit: u32,
) -> Result<Vec<ListedEvent>> {
    of_lead(reader, id, lead::events(id, cursor, limit.into())).await
}

pub async fn state_history(reader: &impl Reader, id: LeadId) -> Result<Vec<StateChange>> {
    of_lead(reader, id, lead::state_history(id)).await
}

pub async fn foto(reader: &impl Reader, id: LeadId, foto: FotoId) -> Result<Foto> {
    first(reader, lead::foto(id, foto)).await?.ok_or(StoreError::FotoNotFound)
}

pub async fn blob_in_use(reader: &impl Reader, lead: LeadId, digest: Digest) -> Result<bool> {
    Ok(first(reader, blob::in_use(lead, digest)).await? == Some(true))
}

pub async fn blob_marks(reader: &impl Reader, lead: LeadId) -> Result<Vec<BlobMark>> {
    reader.read(blob::marks(lead)).await
}

pub async fn marked_blobs(reader: &impl Reader) -> Result<Vec<(LeadId, Digest)>> {
    reader.read(blob::marked()).await
}

pub async fn list_empresas(reader: &impl Reader) -> Result<Vec<Empresa>> {
    let mut empresas = reader.read(empresa::list()).await?;
    empresas.sort_by(|a, b| (!a.por_defecto, &a.nombre, a.id).cmp(&(!b.por_defecto, &b.nombre, b.id)));
    Ok(empresas)
}

pub async fn empresa_by_slug(reader: &impl Reader, slug: Option<&str>) -> Result<Option<Empresa>> {
    first(reader, slug.map_or_else(empresa::default, empresa::by_slug)).await
}

pub async fn tarifas(reader: &impl Reader, empresa: EmpresaId) -> Result<Vec<StoredTarifa>> {
    reader.read(empresa::tarifas(empresa)).await
}

pub async fn tarifa_in_force(
    reader: &impl Reader,
    empresa: EmpresaId,
    day: Date,
) -> Result<Option<StoredTarifa>> {
    first(reader, empresa::tarifa_in_force(empresa, day)).await
}

pub async fn brand(reader: &impl Reader, empresa: EmpresaId) -> Result<StoredBrand> {
    Ok(first(reader, empresa::brand(empresa)).await?.unwrap_or_default())
}

pub async fn logo(reader: &impl Reader, empresa: EmpresaId) -> Result<Option<Vec<u8>>> {
    Ok(first(reader, empresa::logo(empresa)).await?.flatten())
}

pub async fn presupuesto(reader: &impl Reader, id: PresupuestoId) -> Result<Presupuesto> {
    first(reader, quote::get(id)).await?.ok_or(StoreError::PresupuestoNotFound)
}

pub async fn presupuestos(reader: &impl Reader, id: LeadId) -> Result<Vec<Presupuesto>> {
    of_lead(reader, id, quote::list(id)).await
}

pub async fn renditions(reader: &impl Reader, lead: LeadId) -> Result<Vec<Rendition>> {
    reader.read(quote::renditions(lead)).await
}

pub async fn job(reader: &impl Reader, id: JobId) -> Result<(Job, Vec<Delivery>)> {
    let mut lines = reader.read(job::get(id)).await?.into_iter();
    let (job, line) = lines.next().ok_or(StoreError::JobNotFound)?;
    Ok((job, line.into_iter().chain(lines.filter_map(|(_, line)| line)).collect()))
}

/// In the order asked.
pub async fn jobs(reader: &impl Reader, ids: &[JobId]) -> Result<Vec<Job>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let found = reader.read(job::several(ids)).await?;
    let found: HashMap<JobId, Job> = found.into_iter().map(|job| (job.id, job)).collect();
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

pub async fn list_jobs(
    reader: &impl Reader,
    filter: &JobFilter,
    after: Option<(Timestamp, JobId)>,
    limit: u32,
) -> Result<Vec<Job>> {
    reader.read(job::list(filter, after, limit)).await
}

pub async fn count_jobs(reader: &impl Reader) -> Result<Vec<JobCount>> {
    reader.read(job::count()).await
}

pub async fn any_user(reader: &impl Reader) -> Result<bool> {
    Ok(first(reader, access::any_user()).await? == Some(true))
}

pub async fn user(reader: &impl Reader, id: UserId) -> Result<Option<User>> {
    let found = first(reader, access::user(id)).await?;
    with_memberships(reader, found).await
}

pub async fn user_by_email(reader: &impl Reader, normal: &str) -> Result<Option<User>> {
    let found = first(reader, access::user_by_email(normal)).await?;
    with_memberships(reader, found).await
}

async fn with_memberships(reader: &impl Reader, found: Option<User>) -> Result<Option<User>> {
    let Some(mut user) = found else { return Ok(None) };
    let own = reader.read(access::memberships_of(user.id)).await?;
    user.memberships = own.into_iter().map(|(_, membership)| membership).collect();
    user.memberships.sort_by_key(|membership| membership.empresa);
    Ok(Some(user))
}

pub async fn list_users(reader: &impl Reader) -> Result<Vec<User>> {
    let mut users = reader.read(access::users()).await?;
    let all = reader.read(access::memberships()).await?;
    for user in &mut users {
        user.memberships = all.iter().filter(|(of, _)| *of == user.id).map(|(_, m)| *m).collect();
        user.memberships.sort_by_key(|membership| membership.empresa);
    }
    users.sort_by(|a, b| (&a.nombre, a.id).cmp(&(&b.nombre, b.id)));
    Ok(users)
}

pub async fn credentials(reader: &impl Reader, id: UserId) -> Result<StoredCredentials> {
    Ok(first(reader, access::credentials(id)).await?.unwrap_or_default())
}

pub async fn reset_user(reader: &impl Reader, digest: Digest, now: Timestamp) -> Result<Option<UserId>> {
    first(reader, access::reset_user(digest, now)).await
}

pub async fn session(reader: &impl Reader, token: Digest) -> Result<Option<Session>> {
    first(reader, access::session(token)).await
}

pub async fn sessions_of(reader: &impl Reader, user: UserId) -> Result<Vec<Session>> {
    reader.read(access::sessions_of(user)).await
}

pub async fn audit_log(
    reader: &impl Reader,
    filter: &AuditFilter,
    after: Option<AuditCursor>,
    limit: u32,
) -> Result<Vec<AuditEntry>> {
    reader.read(access::audit_log(filter, after, limit)).await
}
