//! Erasures leave nothing behind except what the law requires to keep; who saw what; revoked links.

use std::sync::Arc;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::contact::Email;
use embudo_domain::job::JobKind;
use embudo_domain::lead::ContactPatch;
use embudo_domain::reply::{Reply, ReplyChannel};
use embudo_domain::rights::{ErasureReason, Retention};
use embudo_domain::visita::{Visita, VisitaState};
use embudo_domain::{EmpresaId, LeadId, ReplyId, Timestamp, VisitaId};
use embudo_store::audit::AuditFilter;
use embudo_store::lead_writes::{AppendTurno, Ingest, RecordEvent};
use embudo_store::leads::{CreateLead, UpdateContact};
use embudo_store::outbox::JobOutcome;
use embudo_store::replies::WriteReply;
use embudo_store::rights::ErasedLead::Gone;
use embudo_store::rights::{EraseLead, Erasure, OF_LEAD, Seen};
use embudo_store::visits::{Claim, SaveVisita};
use embudo_store::{Done, Store, StoreError};
use jiff::civil::date;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::access::{a_user, entry};
use super::data::inbox::{anyone, audit_entry, found, nota_interna, project};
use super::data::outbox::{LENGTH, end, make, of, process};
use super::data::presupuesto::{add_presupuesto, answer, says, send};
use super::data::{
    ODD_TEXT, a_lead, calificacion, create, foto, ingesta, intento, key, new_lead, nota, other_lead, perfil,
    perfil_completo, record, t, turno, with_contact,
};
use super::deliveries::issue as issue_with_deliveries;
use super::replies::new_reply;

/// A name that is in every text of the lead that is erased.
const CANARY: &str = "Ximena Quetzal";

pub fn erasure(lead: LeadId, at: Timestamp) -> EraseLead {
    let audit =
        AuditEntry { action: AuditAction::PersonErased, object: Some(lead.to_string()), ..entry(None, 100) };
    let (reason, who) = (ErasureReason::Asked, "Ana".to_owned());
    EraseLead { lead, reason, term: None, who, retention: Retention::default(), audit, at }
}

/// Waits until no transaction can write about the lead any more.
async fn settle(store: &Arc<dyn Store>, lead: LeadId) {
    for _ in 0..20 {
        if store.settle_erasure(lead).await.expect("asked") {
            return;
        }
    }
    panic!("somebody keeps reading or writing");
}

/// The tables in which a lead has rows.
async fn places(store: &Arc<dyn Store>, lead: LeadId) -> Vec<&'static str> {
    let mut places = Vec::new();
    for table in OF_LEAD.iter().chain(&["lead", "entrega"]) {
        if !store.dump_rows(table, lead).await.expect("read").is_empty() {
            places.push(*table);
        }
    }
    places
}

/// A lead about which everything was written that can be written.
async fn lived(store: &Arc<dyn Store>) -> LeadId {
    let user = a_user(store).await;
    let new = new_lead(CANARY);
    let consent = embudo_domain::consentimiento::Consentimiento {
        purpose: "presupuesto".into(),
        channel: None,
        texto_version: "1".into(),
        source: None,
        granted: true,
        otorgado_en: None,
    };
    let utm = vec![("utm_source".to_owned(), CANARY.to_owned())];
    let obra = super::data::obra_completa();
    let lead = create(store, CreateLead { consentimientos: vec![consent], utm, obra, ..new }).await;
    let viewer = anyone(store).await;
    let said = turno(lead, CANARY, t(2));
    store.append_turno(AppendTurno { idempotency: Some(keyed(lead)), ..said }).await.expect("appended");
    store.update_perfil(perfil(lead, perfil_completo(), t(3))).await.expect("updated");
    store.record_intento(intento(lead, 1, t(3))).await.expect("recorded");
    store.upsert_calificacion(calificacion(lead, Default::default(), t(3))).await.expect("kept");
    let notas = vec![nota(CANARY, None)];
    store.ingest(Ingest { notas, ..ingesta(lead, vec![foto()], t(4)) }).await.expect("ingested");
    let who = process();
    let id = make(store, lead, of(JobKind::ClientMail, who, LENGTH), t(4)).await;
    store.finish(end(id, who, JobOutcome::Done, t(5))).await.expect("ended");
    store
        .add_nota_interna(&viewer, lead, nota_interna(&viewer, CANARY, t(5)), audit_entry())
        .await
        .expect("added");
    let said = Reply {
        id: ReplyId(Uuid::new_v4()),
        lead,
        channel: ReplyChannel::WhatsApp,
        text: CANARY.to_owned(),
        author: user,
        author_name: "Ana".to_owned(),
        creado_en: t(5),
        expires: None,
        confirmed: None,
        job: None,
        job_ended: None,
    };
    let command = WriteReply { reply: said, job: None, audit: audit_entry() };
    assert!(store.write_reply(&viewer, command).await.expect("written"));
    let seen = Seen { lead, day: date(2026, 11, 14), user, at: t(5) };
    store.note_seen(vec![seen]).await.expect("noted");
    store.mark_read(&viewer, vec![lead], t(6)).await.expect("read");
    store.assign(&viewer, vec![lead], Some(user), audit_entry()).await.expect("assigned");
    let empresa = record(store, lead).await.lead.empresa.id;
    let visita = Visita {
        id: VisitaId(Uuid::new_v4()),
        lead,
        empresa,
        state: VisitaState::Confirmada,
        revision: 1,
        sequence: 0,
        slots: Vec::new(),
        start: Some(t(9_000)),
        minutes: 60,
        address: CANARY.to_owned(),
        people: vec![user],
        notes: CANARY.to_owned(),
        measurements: String::new(),
        creada_en: t(6),
        cambiada_en: t(6),
        cancelled: None,
    };
    let save = SaveVisita {
        visita,
        seen: None,
        claim: Claim::Anyway,
        event: None,
        jobs: Vec::new(),
        audit: None,
        at: t(6),
    };
    store.save_visita(save).await.expect("saved");
    store.revoke_passes(lead, lead.0, t(6), audit_entry()).await.expect("revoked");
    let change = AuditEntry {
        empresa: Some(empresa),
        object: Some(lead.to_string()),
        before: Some(CANARY.to_owned()),
        after: Some("x".to_owned()),
        ..entry(Some(user), 7)
    };
    store.record_audit(change).await.expect("recorded");
    lead
}

fn keyed(lead: LeadId) -> embudo_store::Idempotency {
    key(&format!("POST /api/leads/{lead}/conversacion"), CANARY, 1, t(2))
}

async fn log(store: &Arc<dyn Store>) -> Vec<AuditEntry> {
    store.audit_log(AuditFilter::default(), None, 100).await.expect("read")
}

pub async fn every_row_of_an_erased_lead_is_gone(store: Arc<dyn Store>) {
    let neighbour = a_lead(&store).await;
    store.append_turno(turno(neighbour, "hola", t(1))).await.expect("appended");
    let lead = lived(&store).await;
    send(&store, lead, CANARY).await;
    add_presupuesto(&store, lead, CANARY).await;
    project(&store).await;
    let (viewer, before) = (anyone(&store).await, record(&store, neighbour).await);
    assert!(!found(&store, &viewer, "quetzal").await.hits.is_empty());
    let about = log(&store).await.iter().filter(|e| e.object == Some(lead.to_string())).count();
    assert!(about > 0);
    let known = places(&store, lead).await;
    for table in [
        "turno",
        "visita",
        "trabajo",
        "entrega",
        "lead_busqueda",
        "nota_interna",
        "presupuesto",
        "mensaje",
        "atencion",
    ] {
        assert!(known.contains(&table), "{table}: {known:?}");
    }

    assert_eq!(store.erase_lead(erasure(lead, t(100))).await.expect("erased"), Gone(vec![]));
    settle(&store, lead).await;
    assert_eq!(places(&store, lead).await, Vec::<&str>::new());
    assert_fails!(store.record(lead).await, LeadNotFound);
    assert_fails!(store.append_turno(turno(lead, "hola", t(101))).await, LeadNotFound);
    assert!(found(&store, &viewer, "quetzal").await.hits.is_empty());
    project(&store).await;
    assert_eq!(places(&store, lead).await, Vec::<&str>::new(), "nothing is projected back");
    assert_eq!(record(&store, neighbour).await, before);

    let texts = |e: &AuditEntry| format!("{:?} {:?}", e.before, e.after);
    let log_now = log(&store).await;
    assert!(log_now.iter().all(|e| !texts(e).contains(CANARY)), "{log_now:?}");
    let own: Vec<_> = log_now.iter().filter(|e| e.object == Some(lead.to_string())).collect();
    assert_eq!(own.len(), about + 1, "who did what and when stays, and that it was erased");
    assert_eq!(own.iter().filter(|e| e.action == AuditAction::PersonErased).count(), 1);
}

/// Entries of the log about other people, and those of other companies, keep their text. A telephone or an e-mail
/// identifies the person that an entry is about, a name does not.
pub async fn an_erasure_blanks_what_is_about_the_person_alone(store: Arc<dyn Store>) {
    let namesake = a_lead(&store).await;
    let with_number = with_contact(LeadId(Uuid::new_v4()), "Ana García", "639825979", "Ana@Ejemplo.es");
    let lead = create(&store, with_number).await;
    let own = record(&store, lead).await.lead;
    let (empresa, elsewhere) = (own.empresa.id, EmpresaId(Uuid::new_v4()));
    let told_of = |empresa, object: Option<String>, text: &str, secs| AuditEntry {
        empresa: Some(empresa),
        object,
        before: Some(text.to_owned()),
        after: Some(text.to_owned()),
        ..entry(None, secs)
    };
    let (by_name, by_mail) = (format!("nombre: {}", own.nombre), format!("q={}", own.email.to_uppercase()));
    let stays = [
        told_of(empresa, Some(namesake.to_string()), &by_name, 10),
        told_of(elsewhere, None, &by_name, 11),
        told_of(elsewhere, None, &by_mail, 12),
        told_of(empresa, None, &own.nombre, 13),
        told_of(empresa, Some(namesake.to_string()), "639825978, o 639 y 825979", 14),
        told_of(elsewhere, None, "639.825.979", 15),
    ];
    let goes = [
        told_of(empresa, Some(lead.to_string()), "lo que sea", 20),
        told_of(empresa, None, &by_mail, 21),
        told_of(empresa, None, &format!("tel {}", own.telefono_e164), 22),
        told_of(empresa, Some(namesake.to_string()), "teléfono: 639.825.979", 23),
        told_of(empresa, None, "su marido: 639 82 59 79", 24),
        told_of(empresa, None, "(+34) 639-825-979", 25),
        told_of(empresa, None, "0034639825979", 26),
    ];
    for entry in stays.iter().chain(&goes) {
        store.record_audit(entry.clone()).await.expect("recorded");
    }
    store.erase_lead(erasure(lead, t(50))).await.expect("erased");
    let log = log(&store).await;
    let text_of = |entry: &AuditEntry| {
        let found = log.iter().find(|found| found.id == entry.id).expect("it is there");
        (found.before.clone(), found.after.clone())
    };
    for entry in &stays {
        assert_eq!(text_of(entry), (entry.before.clone(), entry.after.clone()));
    }
    for entry in &goes {
        assert_eq!(text_of(entry), (None, None), "{entry:?}");
    }
}

/// The reason for archiving a lead is about a person, even if several leads were archived together.
pub async fn what_was_said_of_several_is_blanked_for_the_one_who_is_erased(store: Arc<dyn Store>) {
    let (lead, neighbour) = (a_lead(&store).await, other_lead(&store).await);
    let (viewer, reason) = (anyone(&store).await, "se han divorciado".to_owned());
    let said = AuditEntry { after: Some(reason.clone()), ..audit_entry() };
    store.archive(&viewer, vec![lead, neighbour], reason.clone(), t(5), said).await.expect("archived");
    store.erase_lead(erasure(lead, t(50))).await.expect("erased");
    let log = log(&store).await;
    let of = |lead: LeadId| -> Vec<_> {
        let entries = log.iter().filter(|e| e.action == AuditAction::LeadChanged);
        entries.filter(|e| e.object == Some(lead.to_string())).map(|e| e.after.clone()).collect()
    };
    assert_eq!((of(lead), of(neighbour)), (vec![None], vec![Some(reason)]));
}

/// The key of a call about the erased lead is deleted, so it is free again.
pub async fn keys_of_calls_about_it_are_forgotten(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let lead = lived(&store).await;
    let other = other_lead(&store).await;
    let kept = key(&format!("POST /api/leads/{other}/conversacion"), "otra", 1, t(2));
    let again = || AppendTurno { idempotency: Some(kept.clone()), ..turno(other, "x", t(2)) };
    store.append_turno(again()).await.expect("appended");
    let quote = send(&store, lead, "x").await;
    let asked = key("derecho copia", &quote.id.to_string().to_uppercase(), 1, t(2));
    let told_once =
        RecordEvent { lead, event: None, jobs: Vec::new(), at: t(2), idempotency: Some(asked.clone()) };
    store.record_event(told_once).await.expect("recorded");
    assert!(store.was_done(asked.scope.clone(), asked.key.clone(), t(3)).await.expect("asked"));
    store.erase_lead(erasure(lead, t(50))).await.expect("erased");
    assert!(!store.was_done(keyed(lead).scope, CANARY.to_owned(), t(51)).await.expect("asked"));
    assert!(
        !store.was_done(asked.scope, asked.key, t(3)).await.expect("asked"),
        "it names a quote of theirs"
    );
    assert!(matches!(store.append_turno(again()).await.expect("known"), Done::Before(_)));
}

pub async fn an_erasure_is_done_once_and_known(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let empresa = record(&store, lead).await.lead.empresa.id;
    let nobody = LeadId(Uuid::new_v4());
    assert_fails!(store.erase_lead(erasure(nobody, t(5))).await, LeadNotFound);
    assert_eq!(store.erasure(lead).await.expect("read"), None);
    store.erase_lead(erasure(lead, t(5))).await.expect("erased");
    let known = Erasure {
        lead,
        empresa,
        reason: ErasureReason::Asked,
        who: "Ana".to_owned(),
        asked_at: t(5),
        ended_at: None,
    };
    assert_eq!(store.open_erasures(10).await.expect("read"), vec![known.clone()]);
    let entries = log(&store).await.len();
    store.erase_lead(erasure(lead, t(6))).await.expect("nothing is left to do");
    assert_eq!(log(&store).await.len(), entries, "it is told once");
    settle(&store, lead).await;
    store.end_erasure(lead, t(7)).await.expect("ended");
    store.end_erasure(lead, t(8)).await.expect("ended before");
    let ended = Erasure { ended_at: Some(t(7)), ..known };
    assert_eq!(store.open_erasures(10).await.expect("read"), vec![]);
    assert_eq!(store.erasures_of(empresa, 10).await.expect("read"), vec![ended.clone()]);
    assert_eq!(store.erasures_of(EmpresaId(Uuid::new_v4()), 10).await.expect("read"), vec![]);
    assert_eq!(store.erasure(lead).await.expect("read"), Some(ended));
}

pub async fn an_accepted_quote_is_kept_blocked_until_its_term_is_over(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let quote = send(&store, lead, ODD_TEXT).await;
    answer(&store, says(&quote, true, t(5))).await;
    let pdf = quote.pdf.expect("it was drawn");
    store.erase_lead(erasure(lead, t(10))).await.expect("erased");
    settle(&store, lead).await;
    assert_fails!(store.presupuesto(quote.id).await, PresupuestoNotFound);
    assert_eq!(places(&store, lead).await, Vec::<&str>::new());

    let kept = store.blocked_quote(quote.id).await.expect("read").expect("it is kept");
    let until = Retention::default().kept_until(t(5));
    assert_eq!((kept.lead, kept.number, kept.pdf), (lead, quote.number, quote.pdf));
    assert_eq!((kept.blocked_at, kept.until), (t(10), until));
    assert_eq!(kept.document, serde_json::to_string(&quote.document).expect("it is plain"));
    assert_eq!(kept.answer, Some(says(&quote, true, t(5)).answer));
    assert_eq!(store.blocked_of(quote.empresa, None, 10).await.expect("read"), vec![kept.clone()]);
    assert_eq!(store.kept_blobs(lead).await.expect("read"), vec![pdf.digest]);
    assert!(store.blob_in_use(lead, pdf.digest).await.expect("asked"), "no sweep takes it");

    assert_eq!(store.blocked_until(t(20), 10).await.expect("read"), vec![]);
    assert!(!store.drop_blocked(quote.id, t(20)).await.expect("asked"), "its term runs");
    assert_eq!(store.blocked_quote(quote.id).await.expect("read"), Some(kept.clone()), "nothing of it went");
    assert_eq!(store.blocked_until(until, 10).await.expect("read"), vec![kept]);
    assert!(store.drop_blocked(quote.id, until).await.expect("dropped"));
    assert!(!store.drop_blocked(quote.id, until).await.expect("asked"));
    assert_eq!(store.blocked_quote(quote.id).await.expect("read"), None);
    assert!(!store.blob_in_use(lead, pdf.digest).await.expect("asked"));
}

pub async fn blocked_quotes_are_paged_through(store: Arc<dyn Store>) {
    let mut numbers = Vec::new();
    let mut empresa = None;
    for n in 0..3 {
        let lead = if n == 0 { a_lead(&store).await } else { other_lead(&store).await };
        let quote = send(&store, lead, "x").await;
        answer(&store, says(&quote, true, t(5))).await;
        store.erase_lead(erasure(lead, t(10))).await.expect("erased");
        (numbers, empresa) = ([vec![quote.number], numbers].concat(), Some(quote.empresa));
    }
    let empresa = empresa.expect("there are some");
    let listed = async |before, limit| {
        let found = store.blocked_of(empresa, before, limit).await.expect("read");
        found.into_iter().map(|quote| quote.number).collect::<Vec<_>>()
    };
    assert_eq!(listed(None, 10).await, numbers);
    assert_eq!(listed(None, 2).await, numbers[..2]);
    assert_eq!(listed(Some(numbers[1]), 2).await, numbers[2..]);
    assert_eq!(listed(Some(numbers[2]), 2).await, []);
}

/// Only accepted quotes are kept, and only for as long as the company's retention says.
pub async fn what_was_not_accepted_or_is_long_over_is_not_kept(store: Arc<dyn Store>) {
    let (declined, long_ago) = (a_lead(&store).await, other_lead(&store).await);
    let quote = send(&store, declined, "x").await;
    answer(&store, says(&quote, false, t(5))).await;
    store.erase_lead(erasure(declined, t(10))).await.expect("erased");
    assert_eq!(store.blocked_quote(quote.id).await.expect("read"), None);
    let quote = send(&store, long_ago, "x").await;
    answer(&store, says(&quote, true, t(5))).await;
    let much_later = t(20 * 366 * 86_400);
    store.erase_lead(erasure(long_ago, much_later)).await.expect("erased");
    assert_eq!(store.blocked_quote(quote.id).await.expect("read"), None);
}

pub async fn a_united_lead_leaves_the_others(store: Arc<dyn Store>) {
    let (one, main, third) = (a_lead(&store).await, other_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    for member in [one, third] {
        assert!(store.unite(&viewer, member, main, t(5), audit_entry()).await.expect("united"));
    }
    let mut others = store.united_with(main).await.expect("read");
    others.sort();
    let mut expected = vec![one, third];
    expected.sort();
    assert_eq!(others, expected);
    assert_eq!(store.united_with(one).await.expect("read"), vec![main]);
    assert_eq!(store.erase_lead(erasure(one, t(6))).await.expect("erased"), Gone(vec![main]));
    assert_eq!(store.united_with(main).await.expect("read"), vec![third]);
    assert_eq!(store.erase_lead(erasure(main, t(7))).await.expect("erased"), Gone(vec![third]));
    let alone = store.desk(&viewer, third).await.expect("it is there");
    assert_eq!((alone.principal, alone.united), (None, vec![]));
}

/// A concurrent write comes before the erasure, or finds that the lead does not exist. Either way nothing remains.
pub async fn racing_writers_leave_nothing(store: Arc<dyn Store>) {
    let (lead, neighbour) = (a_lead(&store).await, other_lead(&store).await);
    let mut writers = JoinSet::new();
    for n in 0..40 {
        let store = Arc::clone(&store);
        writers.spawn(async move {
            let of = if n % 4 == 0 { neighbour } else { lead };
            match store.append_turno(turno(of, CANARY, t(n))).await {
                Ok(_) | Err(StoreError::LeadNotFound) => {}
                Err(other) => panic!("{other}"),
            }
        });
    }
    store.erase_lead(erasure(lead, t(50))).await.expect("erased");
    while let Some(end) = writers.join_next().await {
        end.expect("no panic");
    }
    settle(&store, lead).await;
    assert_eq!(places(&store, lead).await, Vec::<&str>::new());
    assert_eq!(record(&store, neighbour).await.conversacion.len(), 10);
}

pub async fn a_look_is_written_down_once_a_day(store: Arc<dyn Store>) {
    let (lead, one, other) = (a_lead(&store).await, a_user(&store).await, a_user(&store).await);
    let (monday, tuesday) = (date(2026, 11, 16), date(2026, 11, 17));
    let seen = |day, user, secs| Seen { lead, day, user, at: t(secs) };
    let nobody = Seen { lead: LeadId(Uuid::new_v4()), ..seen(monday, one, 1) };
    store.note_seen(vec![seen(monday, one, 1), seen(monday, other, 2), nobody]).await.expect("noted");
    store.note_seen(vec![seen(monday, one, 3), seen(tuesday, one, 9)]).await.expect("noted");
    let all = vec![seen(tuesday, one, 9), seen(monday, other, 2), seen(monday, one, 1)];
    assert_eq!(store.seen_of(lead, 10).await.expect("read"), all);
    assert_eq!(store.seen_of(lead, 1).await.expect("read"), all[..1]);
    assert_eq!(store.seen_of(nobody.lead, 10).await.expect("read"), vec![], "of a lead that is not there");
}

pub async fn revoked_passes_are_counted(store: Arc<dyn Store>) {
    let (lead, thing) = (a_lead(&store).await, Uuid::new_v4());
    assert_eq!(store.pass_generation(thing).await.expect("read"), 0);
    for expected in [1, 2] {
        let entries = log(&store).await.len();
        store.revoke_passes(lead, thing, t(5), audit_entry()).await.expect("revoked");
        assert_eq!(store.pass_generation(thing).await.expect("read"), expected);
        assert_eq!(log(&store).await.len(), entries + 1);
    }
    assert_eq!(store.pass_generations().await.expect("read"), vec![(thing, 2)]);
    let nobody = LeadId(Uuid::new_v4());
    assert_fails!(store.revoke_passes(nobody, thing, t(5), audit_entry()).await, LeadNotFound);
}

/// A person who changes the e-mail through a form keeps the pass that they use; all other passes to the form are
/// revoked.
pub async fn another_email_revokes_the_other_passes_to_the_form(store: Arc<dyn Store>) {
    let (lead, [first, second]) = (a_lead(&store).await, [1, 2].map(|_| Uuid::new_v4()));
    let correct = async |email: &str, through: Option<Uuid>| {
        let patch =
            ContactPatch { email: Some(Email::parse(email).expect("an e-mail")), ..Default::default() };
        let command = UpdateContact { lead, patch, obra: Default::default(), through, at: t(5) };
        store.update_contact(command).await.expect("corrected");
        let mut generations = Vec::new();
        for thing in [lead.0, first, second] {
            generations.push(store.pass_generation(thing).await.expect("read"));
        }
        generations
    };
    assert_eq!(correct("ana@otro.es", None).await, [0, 0, 0], "not through a form");
    assert_eq!(correct("ANA@otro.es", Some(first)).await, [0, 0, 0], "the same address");
    assert_eq!(correct("ana@uno.es", Some(first)).await, [1, 1, 0]);
    assert_eq!(correct("ana@dos.es", Some(second)).await, [2, 1, 2]);
    assert_eq!(correct("ana@tres.es", Some(first)).await, [3, 3, 2]);
    store.revoke_passes(lead, lead.0, t(6), audit_entry()).await.expect("revoked");
    assert_eq!(correct("ana@tres.es", Some(first)).await, [4, 3, 2]);
    store.erase_lead(erasure(lead, t(100))).await.expect("erased");
    assert_eq!(store.pass_generations().await.expect("read"), vec![]);
}

/// The id of an erased lead cannot be used again by a program that kept the id.
pub async fn an_erased_lead_is_not_created_again(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let again = CreateLead {
        id: lead,
        idempotency: Some(key("formulario alta", &lead.to_string(), 1, t(101))),
        ..new_lead("Ana")
    };
    store.erase_lead(erasure(lead, t(100))).await.expect("erased");
    for command in [again.clone(), CreateLead { idempotency: None, ..again }] {
        assert_fails!(store.create_lead(command).await, LeadNotFound);
    }
    settle(&store, lead).await;
    assert_eq!(places(&store, lead).await, Vec::<&str>::new());
    assert_fails!(store.record(lead).await, LeadNotFound);
}

pub async fn a_secret_is_changed_and_the_one_before_is_kept(store: Arc<dyn Store>) {
    let first = store.ensure_secret("pases".into(), [1; 32]).await.expect("made");
    store.rotate_secret("pases".into(), [2; 32], "pases.10.0".into()).await.expect("changed");
    store.rotate_secret("pases".into(), [3; 32], "pases.10.1".into()).await.expect("changed");
    assert_eq!(store.ensure_secret("pases".into(), [9; 32]).await.expect("read"), [3; 32]);
    let before = store.secrets("pases.").await.expect("read");
    assert_eq!(before, vec![("pases.10.0".into(), first), ("pases.10.1".into(), [2; 32])]);
    store.ensure_push_key(vec![7; 138]).await.expect("made");
    let all = store.secrets("").await.expect("read").into_iter().map(|(name, _)| name);
    assert_eq!(
        all.collect::<Vec<_>>(),
        ["pases", "pases.10.0", "pases.10.1"],
        "another length is no such secret"
    );
    store.drop_secrets(vec!["pases.10.0".into(), "nunca".into()]).await.expect("dropped");
    assert_eq!(store.secrets("pases.").await.expect("read"), before[1..]);
}

/// The rows that are shown to the person equal the rows in the tables, with instants and ids in readable form.
pub async fn rows_are_shown_whole(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    store.append_turno(turno(lead, ODD_TEXT, t(5))).await.expect("appended");
    let rows = store.dump_rows("turno", lead).await.expect("read");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["mensaje"], ODD_TEXT);
    assert_eq!(rows[0]["lead_id"], lead.to_string());
    assert_eq!(rows[0]["creado_en"], t(5).to_string());
    assert!(rows[0]["media_url"].is_null());
    assert_eq!(store.dump_rows("lead", lead).await.expect("read")[0]["nombre"], "Ana García");
    assert_eq!(store.dump_rows("entrega", lead).await.expect("read"), vec![]);
    let viewer = anyone(&store).await;
    let reply = new_reply(&viewer, lead, ReplyChannel::Messaging, "Te llamo a las cinco", t(6));
    let expires = reply.reply.expires.expect("messaging ends");
    assert!(store.write_reply(&viewer, reply).await.expect("written"));
    assert_eq!(store.dump_rows("mensaje", lead).await.expect("read")[0]["caduca"], expires.to_string());
    let quote = add_presupuesto(&store, lead, "x").await;
    issue_with_deliveries(&store, &quote).await;
    let deliveries = store.dump_rows("presupuesto_entrega", lead).await.expect("read");
    assert_eq!(deliveries.iter().map(|row| &row["en"]).collect::<Vec<_>>(), [&t(2).to_string(); 2]);
}
