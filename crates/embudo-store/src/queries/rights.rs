//! Erasures, what is kept of them, and who saw a lead. The statements of an erasure are also written once for both
//! engines, because none is hot.

use embudo_domain::contact::{Email, Telefono};
use embudo_domain::presupuesto::{Presupuesto, PresupuestoNumber};
use embudo_domain::rights::ErasureReason;
use embudo_domain::{Digest, EmpresaId, LeadId, PresupuestoId, Timestamp, UserId};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Query, Reach, Statement};
use crate::Result;
use crate::rights::{
    BlockedQuote, CallName, EraseLead, Erasure, ForgottenPerson, OF_LEAD, Seen, Term, Traces, WRITTEN,
};
use crate::row::Columns;
use crate::rows;

fn statement(text: impl Into<String>) -> Statement {
    Query::of(text.into(), |_| Ok(()))
}

/// How many ids are searched for in one statement.
const IDS_AT_ONCE: usize = 50;

/// The data that identifies a lead.
pub fn traces(lead: LeadId) -> Query<Traces> {
    let text = "SELECT empresa_id, telefono, telefono_e164, email, email_normal FROM lead WHERE id = :lead";
    Query::new(text, |c| {
        let telefono = Telefono { typed: c.get("telefono")?, e164: c.get("telefono_e164")? };
        let email = Email { typed: c.get("email")?, normal: c.get("email_normal")? };
        Ok(Traces::new(EmpresaId(c.get("empresa_id")?), &telefono, &email))
    })
    .bind("lead", lead.0)
}

/// The ids of a lead's quotes, drafts and visits.
pub fn things(lead: LeadId) -> Query<Uuid> {
    let text = "SELECT id FROM presupuesto WHERE lead_id = :lead UNION SELECT id FROM borrador WHERE lead_id = :lead \
                UNION SELECT id FROM visita WHERE lead_id = :lead";
    Query::new(text, |c| c.get("id")).bind("lead", lead.0)
}

/// The leads that this one is united with.
pub fn united(lead: LeadId) -> Query<LeadId> {
    let text = "SELECT lead_id AS id FROM lead_union WHERE principal_id = :lead \
                UNION SELECT principal_id FROM lead_union WHERE lead_id = :lead";
    Query::new(text, |c| c.get("id").map(LeadId)).bind("lead", lead.0)
}

/// All statements of an erasure, in order.
///
/// `naming` are the entries of the audit log that contain traces of the lead.
pub fn erase(
    command: &EraseLead,
    quotes: &[Presupuesto],
    empresa: EmpresaId,
    naming: &[Uuid],
) -> Vec<Statement> {
    let lead = command.lead;
    let mut all = vec![begin(command, empresa)];
    for (id, until) in command.blocked(quotes) {
        let block = statement(include_str!("../../sql/presupuesto_bloqueado/insert.sql"));
        all.push(block.bind("id", id.0).bind("now", command.at).bind("until", until));
        all.push(statement(include_str!("../../sql/respuesta_bloqueada/insert.sql")).bind("id", id.0));
    }
    all.push(blank_own(lead));
    all.extend(naming.chunks(IDS_AT_ONCE).map(blank));
    all.extend(rows_of(lead));
    all.push(statement("DELETE FROM lead WHERE id = :lead").bind("lead", lead.0));
    all
}

/// The statements that delete the rows of a lead in every table but its own.
pub fn rows_of(lead: LeadId) -> Vec<Statement> {
    let of = |text: String| statement(text).bind("lead", lead.0);
    let attempts = "DELETE FROM entrega WHERE trabajo_id IN (SELECT id FROM trabajo WHERE lead_id = :lead)";
    let mut all = vec![of(attempts.to_owned())];
    all.extend(OF_LEAD.iter().map(|table| of(format!("DELETE FROM {table} WHERE lead_id = :lead"))));
    all.push(of("DELETE FROM lead_union WHERE principal_id = :lead".to_owned()));
    all
}

fn begin(command: &EraseLead, empresa: EmpresaId) -> Statement {
    statement(include_str!("../../sql/borrado/insert.sql"))
        .bind("lead", command.lead.0)
        .bind("empresa", empresa.0)
        .bind("motivo", command.reason.as_str())
        .bind("quien", command.who.as_str())
        .bind("now", command.at)
}

/// The keys of calls that name one of these ids in their path, in their key, or in their outcome. Scans all keys.
pub fn keys_naming(ids: &[Uuid]) -> Vec<Query<CallName>> {
    let of = |ids: &[Uuid]| {
        let names: Vec<String> = (0..ids.len()).map(|n| format!("k.texto LIKE :id{n}")).collect();
        let text = format!(
            "SELECT k.ambito, k.clave FROM (SELECT ambito, clave, lower(ambito || ' ' || clave || ' ' || coalesce(cuerpo, '')) AS texto \
             FROM idempotencia) k WHERE {}",
            names.join(" OR ")
        );
        let query = Query::of(text, |c| Ok((c.get("ambito")?, c.get("clave")?))).reaching(Reach::Walk);
        ids.iter().enumerate().fold(query, |query, (n, id)| query.bind(format!("id{n}"), format!("%{id}%")))
    };
    ids.chunks(IDS_AT_ONCE).map(of).collect()
}

pub fn forget_key((scope, key): &CallName) -> Statement {
    statement("DELETE FROM idempotencia WHERE ambito = :ambito AND clave = :clave")
        .bind("ambito", scope.as_str())
        .bind("clave", key.as_str())
}

/// Removes the texts about a person from entries of the audit log; who did what and when is kept.
const BLANK: &str =
    "UPDATE auditoria SET antes = NULL, despues = NULL WHERE (antes IS NOT NULL OR despues IS NOT NULL)";

fn blank_own(lead: LeadId) -> Statement {
    statement(format!("{BLANK} AND objeto = :objeto")).bind("objeto", lead.to_string())
}

/// Blanks entries of the audit log by their ids.
fn blank(ids: &[Uuid]) -> Statement {
    let names: Vec<String> = (0..ids.len()).map(|n| format!(":id{n}")).collect();
    let blank = statement(format!("{BLANK} AND id IN ({})", names.join(", ")));
    ids.iter().enumerate().fold(blank, |query, (n, id)| query.bind(format!("id{n}"), *id))
}

/// The company's entries of the audit log that may contain a lead's telephone or e-mail, with their texts: the e-mail,
/// or the digits in their order with anything between them. [`Traces::stand_in`] decides. `None`: the lead has neither.
pub fn may_name(traces: &Traces) -> Option<Query<(Uuid, String)>> {
    let escaped = |text: &String| text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    let apart = |digits: &String| digits.chars().map(|c| format!("%{c}")).collect::<String>() + "%";
    let emails = traces.emails.iter().map(|email| format!("%{}%", escaped(email)));
    let told: Vec<String> = emails.chain(traces.digits.iter().map(apart)).collect();
    let names: Vec<String> =
        (0..told.len()).map(|n| format!("lower(a.texto) LIKE lower(:text{n}) ESCAPE '\\'")).collect();
    let text = format!(
        "SELECT a.id, a.texto FROM (SELECT id, coalesce(antes, '') || ' ' || coalesce(despues, '') AS texto FROM auditoria \
         WHERE empresa_id = :empresa AND (antes IS NOT NULL OR despues IS NOT NULL)) a WHERE {}",
        names.join(" OR ")
    );
    let query = Query::of(text, |c| Ok((c.get("id")?, c.get("texto")?))).bind("empresa", traces.empresa.0);
    let bound = told.into_iter().enumerate();
    let is_known = !names.is_empty();
    is_known.then(|| bound.fold(query, |query, (n, text)| query.bind(format!("text{n}"), text)))
}

pub fn end(lead: LeadId, at: Timestamp) -> Statement {
    let text = "UPDATE borrado SET terminado_en = :now WHERE lead_id = :lead AND terminado_en IS NULL";
    statement(text).bind("lead", lead.0).bind("now", at)
}

pub fn erasure(lead: LeadId) -> Query<Erasure> {
    erasures().only("lead_id = :lead").bind("lead", lead.0)
}

/// Erasures that are not finished, the oldest first.
pub fn open_erasures(limit: u32) -> Query<Erasure> {
    erasures().only("terminado_en IS NULL").then("ORDER BY pedido_en LIMIT :limit").bind("limit", limit)
}

/// A company's erasures, newest first.
pub fn erasures_of(empresa: EmpresaId, limit: u32) -> Query<Erasure> {
    erasures()
        .only("empresa_id = :empresa")
        .bind("empresa", empresa.0)
        .then("ORDER BY pedido_en DESC, lead_id DESC LIMIT :limit")
        .bind("limit", limit)
}

fn erasures() -> Query<Erasure> {
    Query::new("SELECT lead_id, empresa_id, motivo, quien, pedido_en, terminado_en FROM borrado ", |c| {
        Ok(Erasure {
            lead: LeadId(c.get("lead_id")?),
            empresa: EmpresaId(c.get("empresa_id")?),
            reason: c.word("motivo", ErasureReason::parse)?,
            who: c.get("quien")?,
            asked_at: c.get("pedido_en")?,
            ended_at: c.get("terminado_en")?,
        })
    })
}

pub fn blocked(id: PresupuestoId) -> Query<BlockedQuote> {
    blocked_quotes().only("p.id = :id").bind("id", id.0)
}

/// A company's blocked quotes before a number, newest first.
pub fn blocked_of(empresa: EmpresaId, before: Option<PresupuestoNumber>, limit: u32) -> Query<BlockedQuote> {
    let own = blocked_quotes().only("p.empresa_id = :empresa").bind("empresa", empresa.0);
    let own = match before {
        Some(number) => own
            .only("(p.anio < :anio OR (p.anio = :anio AND p.orden < :orden))")
            .bind("anio", i64::from(number.year()))
            .bind("orden", i64::from(number.orden())),
        None => own,
    };
    own.then("ORDER BY p.anio DESC, p.orden DESC LIMIT :limit").bind("limit", limit)
}

/// Blocked quotes whose retention is over.
pub fn blocked_until(now: Timestamp, limit: u32) -> Query<BlockedQuote> {
    blocked_quotes()
        .only("p.bloqueado_hasta <= :now")
        .bind("now", now)
        .then("ORDER BY p.bloqueado_hasta LIMIT :limit")
        .bind("limit", limit)
}

fn blocked_quotes() -> Query<BlockedQuote> {
    Query::new(include_str!("../../sql/presupuesto_bloqueado/list.sql"), rows::blocked_quote)
}

/// The PDFs of a lead's blocked quotes.
pub fn kept_blobs(lead: LeadId) -> Query<Digest> {
    let text = "SELECT pdf_huella AS huella FROM presupuesto_bloqueado WHERE lead_id = :lead AND pdf_huella IS NOT NULL \
                UNION SELECT aceptado_huella FROM presupuesto_bloqueado WHERE lead_id = :lead AND aceptado_huella IS NOT NULL";
    Query::new(text, |c| c.get("huella")).bind("lead", lead.0)
}

/// Deletes the quote and its answers, if its retention is over.
pub fn drop_blocked(id: PresupuestoId, now: Timestamp) -> [Query<Uuid>; 2] {
    let answers = "DELETE FROM respuesta_bloqueada WHERE presupuesto_id = :id AND EXISTS (SELECT 1 FROM \
                   presupuesto_bloqueado p WHERE p.id = :id AND p.bloqueado_hasta <= :now) RETURNING presupuesto_id AS id";
    let quote = "DELETE FROM presupuesto_bloqueado WHERE id = :id AND bloqueado_hasta <= :now RETURNING id";
    [answers, quote].map(|text| Query::of(text.to_owned(), id_of).bind("id", id.0).bind("now", now))
}

fn id_of(c: &Columns<'_>) -> Result<Uuid> {
    c.get("id")
}

/// Notes who saw a lead, if the lead exists.
pub fn note_seen(seen: &Seen) -> Statement {
    statement(include_str!("../../sql/lead_visto/insert.sql"))
        .bind("lead", seen.lead.0)
        .bind("dia", seen.day)
        .bind("usuario", seen.user.0)
        .bind("now", seen.at)
}

/// Who saw a lead, the last day first.
pub fn seen(lead: LeadId, limit: u32) -> Query<Seen> {
    let text = "SELECT lead_id, dia, usuario_id, primero_en FROM lead_visto WHERE lead_id = :lead \
                ORDER BY dia DESC, primero_en DESC, usuario_id LIMIT :limit";
    Query::new(text, |c| {
        Ok(Seen {
            lead: LeadId(c.get("lead_id")?),
            day: c.get("dia")?,
            user: UserId(c.get("usuario_id")?),
            at: c.get("primero_en")?,
        })
    })
    .bind("lead", lead.0)
    .bind("limit", limit)
}

/// Sets the next generation of the passes to a thing, if its lead exists.
pub fn revoke(lead: LeadId, thing: Uuid, at: Timestamp) -> Query<i64> {
    let text = include_str!("../../sql/pase_generacion/revoke.sql");
    Query::new(text, |c| c.get("generacion")).bind("lead", lead.0).bind("cosa", thing).bind("now", at)
}

/// The statements that revoke every pass to a lead's form except one, which counts as one of the next generation.
pub fn revoke_others(lead: LeadId, kept: Uuid, at: Timestamp) -> [Statement; 2] {
    let revoke = statement(include_str!("../../sql/pase_generacion/revoke.sql"))
        .bind("lead", lead.0)
        .bind("cosa", lead.0)
        .bind("now", at);
    let keep = statement(include_str!("../../sql/pase_generacion/keep.sql"))
        .bind("lead", lead.0)
        .bind("pase", kept)
        .bind("now", at);
    [revoke, keep]
}

pub fn generation(thing: Uuid) -> Query<i64> {
    let text = "SELECT generacion FROM pase_generacion WHERE cosa_id = :cosa";
    Query::new(text, |c| c.get("generacion")).bind("cosa", thing)
}

pub fn generations() -> Query<(Uuid, i64)> {
    let text = "SELECT cosa_id, generacion FROM pase_generacion";
    Query::new(text, |c| Ok((c.get("cosa_id")?, c.get("generacion")?)))
}

/// Secrets of 32 bytes whose name begins with `prefix`.
pub fn secrets(prefix: &str) -> Query<(String, [u8; 32])> {
    let text =
        "SELECT nombre, valor FROM secreto WHERE nombre LIKE :prefix AND length(valor) = 32 ORDER BY nombre";
    let query = Query::new(text, |c| Ok((c.get("nombre")?, c.get("valor")?)));
    query.bind("prefix", format!("{prefix}%"))
}

pub fn rotate_secret(name: &str, new: [u8; 32], previous: &str) -> [Statement; 2] {
    let keep =
        "INSERT INTO secreto (nombre, valor) SELECT :previous, valor FROM secreto WHERE nombre = :nombre";
    let renew = "UPDATE secreto SET valor = :valor WHERE nombre = :nombre";
    [
        statement(keep).bind("previous", previous).bind("nombre", name),
        statement(renew).bind("valor", Digest(new)).bind("nombre", name),
    ]
}

pub fn drop_secret(name: &str) -> Statement {
    statement("DELETE FROM secreto WHERE nombre = :nombre").bind("nombre", name)
}

/// Every row of a lead in a table, with all columns. Delivery attempts are found by the lead's jobs.
#[allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the method alone is not general enough in its lifetimes"
)]
pub fn dump(table: &'static str, lead: LeadId) -> Query<Map<String, Value>> {
    let condition = match table {
        "lead" => "id = :lead",
        "entrega" => "trabajo_id IN (SELECT id FROM trabajo WHERE lead_id = :lead)",
        _ => "lead_id = :lead",
    };
    Query::of(format!("SELECT * FROM {table} WHERE {condition}"), |c| c.json()).bind("lead", lead.0)
}

/// The condition that the term of a lead is still running, because of its etapa or because of later writes about it.
/// `lead` is the expression for its id, `etapa` the one for its etapa. Each table is searched for this lead's rows
/// only: with `EXISTS` PostgreSQL might instead read everything that was written since.
fn is_alive(term: &Term, lead: &str, etapa: &str) -> String {
    let names: Vec<String> = (0..term.etapas.len()).map(|n| format!(":etapa{n}")).collect();
    let written =
        WRITTEN.iter().flat_map(|(table, columns)| columns.iter().map(move |column| (table, column)));
    let since = written.map(|(table, column)| {
        let of_lead = match *table {
            "lead" => format!("w.id = {lead}"),
            // The index finds answers by their quote.
            "presupuesto_respuesta" => {
                format!("w.presupuesto_id IN (SELECT p.id FROM presupuesto p WHERE p.lead_id = {lead})")
            }
            _ => format!("w.lead_id = {lead}"),
        };
        format!("OR (SELECT max(w.{column}) FROM {table} w WHERE {of_lead}) >= :before")
    });
    format!("({etapa} NOT IN ({}) {})", names.join(", "), since.collect::<Vec<_>>().join(" "))
}

fn bind_term<T>(query: Query<T>, term: &Term) -> Query<T> {
    let query = query.bind("before", term.before);
    let etapas = term.etapas.iter().enumerate();
    etapas.fold(query, |query, (n, etapa)| query.bind(format!("etapa{n}"), *etapa))
}

/// A lead of the same person, or the lead itself, whose term is still running.
pub fn alive(lead: LeadId, term: &Term) -> Query<LeadId> {
    let text = format!(
        "SELECT e.lead_id AS id FROM lead_etapa e WHERE e.lead_id IN (\
         SELECT l.id FROM lead l WHERE l.id = :lead \
         UNION SELECT u.lead_id FROM lead_union u WHERE u.principal_id = :lead \
         UNION SELECT u.principal_id FROM lead_union u WHERE u.lead_id = :lead \
         UNION SELECT s.lead_id FROM lead_union u JOIN lead_union s ON s.principal_id = u.principal_id WHERE u.lead_id = :lead\
         ) AND {} LIMIT 1",
        is_alive(term, "e.lead_id", "e.etapa")
    );
    bind_term(Query::of(text, |c| c.get("id").map(LeadId)).bind("lead", lead.0), term)
}

/// People of a company for whom a term is over, the longest first. United leads go with their principal, and only if
/// the term is over for each of them. The projected data finds candidates; the written data decides.
pub fn forgotten(empresa: EmpresaId, term: &Term, limit: u32) -> Query<ForgottenPerson> {
    let names: Vec<String> = (0..term.etapas.len()).map(|n| format!(":etapa{n}")).collect();
    let is_alive = is_alive(term, "e.lead_id", "e.etapa");
    let text = format!(
        "SELECT a.lead_id, a.actividad_en, \
         (SELECT count(*) FROM lead_union u WHERE u.principal_id = a.lead_id) AS unidos \
         FROM lead_actividad a WHERE a.empresa_id = :empresa AND a.actividad_en < :before AND a.etapa IN ({}) \
         AND NOT EXISTS (SELECT 1 FROM lead_union u WHERE u.lead_id = a.lead_id) \
         AND NOT EXISTS (SELECT 1 FROM lead_etapa e WHERE e.lead_id = a.lead_id AND {is_alive}) \
         AND NOT EXISTS (SELECT 1 FROM lead_union u JOIN lead_etapa e ON e.lead_id = u.lead_id \
         WHERE u.principal_id = a.lead_id AND {is_alive}) \
         ORDER BY a.actividad_en, a.lead_id LIMIT :limit",
        names.join(", ")
    );
    let query = Query::of(text, |c| {
        let united: i64 = c.get("unidos")?;
        Ok(ForgottenPerson {
            lead: LeadId(c.get("lead_id")?),
            since: c.get("actividad_en")?,
            leads: 1 + usize::try_from(united).unwrap_or(0),
        })
    });
    bind_term(query.bind("empresa", empresa.0).bind("limit", limit), term)
}

/// Updates the time of leads' rows, for writes about them that leave no time in a row of their own.
pub fn wrote(leads: &[LeadId], at: Timestamp) -> Statement {
    statement("UPDATE lead SET actualizado_en = :now ")
        .only_in("id", leads.iter().map(|lead| lead.0))
        .only("actualizado_en < :now")
        .bind("now", at)
}
