//! Terms: a lead that came to nothing is erased when nobody wrote about it for the company's term, and not before.

use std::sync::Arc;

use embudo_domain::audit::AuditEntry;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::etapa::Etapa;
use embudo_domain::event::EventKind;
use embudo_domain::facts::Facts;
use embudo_domain::job::JobKind;
use embudo_domain::lead::ContactPatch;
use embudo_domain::obra::ObraPatch;
use embudo_domain::perfil::Perfil;
use embudo_domain::rights::ErasureReason;
use embudo_domain::zona::Zona;
use embudo_domain::{EmpresaId, LeadId, NotaId, Timestamp};
use embudo_store::Store;
use embudo_store::desk::HandAction;
use embudo_store::drafts::{DraftReason, OpenDraft, SaveDraft};
use embudo_store::edited::Edited;
use embudo_store::inbox::Viewer;
use embudo_store::lead_edits::EditLead;
use embudo_store::lead_writes::{Answer, ClearPerfil, Ingest, SetNota};
use embudo_store::leads::UpdateContact;
use embudo_store::replies::TakeOver;
use embudo_store::rights::{EraseLead, ErasedLead, ForgottenPerson, Term};
use embudo_store::touches::Touch;
use embudo_store::visits::SaveVisita;
use uuid::Uuid;

use super::data::access::a_user;
use super::data::inbox::{anyone, audit_entry, nota_interna, project};
use super::data::outbox::{job, only_jobs};
use super::data::presupuesto::{answer, document, draft, says, send};
use super::data::{
    a_lead, calificacion, event, foto, ingesta, intento, nota, other_lead, perfil, record, record_event, t,
    turno,
};
use super::rights::erasure;
use super::{drafts, visits};

const AT: i64 = 500;

/// Leads in one of these etapas, about which nobody wrote since `before`.
fn term(etapas: &[Etapa], before: Timestamp) -> Term {
    Term { etapas: etapas.iter().map(|etapa| etapa.as_str()).collect(), before }
}

/// The same with every etapa in which a lead came to nothing.
fn quiet(before: Timestamp) -> Term {
    term(&[Etapa::Nuevo, Etapa::EnConversacion, Etapa::PorRevisar, Etapa::Perdido], before)
}

async fn is_forgotten(store: &Arc<dyn Store>, lead: LeadId, before: Timestamp) -> bool {
    project(store).await;
    let empresa = record(store, lead).await.lead.empresa.id;
    let found = store.forgotten_leads(empresa, &quiet(before), 100).await.expect("read");
    found.iter().any(|person| person.lead == lead)
}

pub async fn leads_that_came_to_nothing_are_found_the_longest_first(store: Arc<dyn Store>) {
    let old = a_lead(&store).await;
    let (older, recent, accepted) =
        (other_lead(&store).await, other_lead(&store).await, other_lead(&store).await);
    for (lead, secs) in [(older, 10), (old, 20), (recent, 500), (accepted, 5)] {
        store.append_turno(turno(lead, "hola", t(secs))).await.expect("appended");
    }
    let quote = send(&store, accepted, "x").await;
    answer(&store, says(&quote, true, t(6))).await;
    let member = other_lead(&store).await;
    let viewer = anyone(&store).await;
    store.unite(&viewer, member, recent, t(7), audit_entry()).await.expect("united");
    project(&store).await;
    let empresa = quote.empresa;
    let quiet = term(&[Etapa::EnConversacion, Etapa::Nuevo], t(100));
    let found = store.forgotten_leads(empresa, &quiet, 10).await.expect("read");
    let alone = |lead, secs| ForgottenPerson { lead, since: t(secs), leads: 1 };
    assert_eq!(
        found,
        vec![alone(older, 10), alone(old, 20)],
        "neither who accepted, nor whom another stands for"
    );
    assert_eq!(store.forgotten_leads(empresa, &quiet, 1).await.expect("read"), found[..1]);
    let lost = term(&[Etapa::Perdido], t(100));
    assert_eq!(store.forgotten_leads(empresa, &lost, 9).await.expect("read"), vec![]);
    let other = EmpresaId(Uuid::new_v4());
    assert_eq!(store.forgotten_leads(other, &quiet, 9).await.expect("read"), vec![]);
}

/// Everything that a person or a program can write about a lead.
const WRITES: &[&str] = &[
    "conversacion",
    "perfil",
    "perfil taken back",
    "calificacion",
    "intento",
    "ingesta",
    "photo",
    "event",
    "job",
    "contact corrected",
    "consent",
    "facts edited",
    "note of the form changed",
    "note of the form removed",
    "photo removed",
    "assigned",
    "handed over",
    "archived",
    "taken up again",
    "planned",
    "no longer planned",
    "internal note",
    "taken over",
    "given back",
    "internal note removed",
    "united",
    "separated",
    "draft",
    "draft saved",
    "draft discarded",
    "quote",
    "visit proposed",
    "links revoked",
];

/// Writes what a lead must already have, long ago, before the write under test.
async fn prepare(store: &Arc<dyn Store>, viewer: &Viewer, what: &str, lead: LeadId) {
    let long_ago = || AuditEntry { at: t(20), ..audit_entry() };
    match what {
        "note of the form changed" | "note of the form removed" => {
            store.set_nota(set_nota(lead, Some("uno"), 10)).await.expect("written");
        }
        "photo removed" => drop(store.ingest(ingesta(lead, vec![foto()], t(10))).await.expect("ingested")),
        "taken up again" => {
            let why = "no contesta".to_owned();
            store.archive(viewer, vec![lead], why, t(20), long_ago()).await.map(drop).expect("archived");
        }
        "no longer planned" => {
            let set = store.set_action(viewer, lead, None, Some(plan(30)), long_ago()).await.expect("set");
            assert_eq!(set, Edited::Saved);
        }
        "given back" => {
            let command = TakeOver { lead, seen: None, to: Some(viewer.who), at: t(20), audit: long_ago() };
            assert_eq!(store.take_over(viewer, command).await.expect("taken"), Edited::Saved);
        }
        "internal note removed" => {
            let nota = nota_interna(viewer, "llamar", t(20));
            let nota = embudo_domain::nota::NotaInterna { id: NotaId(lead.0), ..nota };
            assert!(store.add_nota_interna(viewer, lead, nota, long_ago()).await.expect("added"));
        }
        "separated" => {
            let principal = LeadId(Uuid::from_u128(lead.0.as_u128() ^ 1));
            let twin = super::data::with_contact(principal, "Ana", "612000000", "a@b.es");
            super::data::create(store, twin).await;
            assert!(store.unite(viewer, lead, principal, t(20), long_ago()).await.expect("united"));
        }
        "draft saved" | "draft discarded" => {
            store.open_draft(drafts::open(lead, DraftReason::ByHand, "{}")).await.map(drop).expect("opened");
        }
        _ => {}
    }
}

fn plan(due: i64) -> HandAction {
    HandAction { due: t(due), text: "llamar en marzo".to_owned() }
}

fn set_nota(lead: LeadId, text: Option<&str>, secs: i64) -> SetNota {
    let (id, text) = (NotaId(lead.0), text.map(str::to_owned));
    SetNota { lead, id, zona: Zona::Bano, text, at: t(secs) }
}

async fn write(store: &Arc<dyn Store>, viewer: &Viewer, what: &str, lead: LeadId) {
    let at = t(AT);
    let audit = || AuditEntry { at, ..audit_entry() };
    match what {
        "conversacion" => drop(store.append_turno(turno(lead, "hola", at)).await.expect("appended")),
        "perfil" => {
            let said = Perfil { taste_text: Some("claro".to_owned()), ..Perfil::default() };
            store.update_perfil(perfil(lead, said, at)).await.map(drop).expect("updated");
        }
        "perfil taken back" => {
            let answers = vec![Answer::TasteText];
            store.clear_perfil(ClearPerfil { lead, answers, at }).await.expect("cleared");
        }
        "calificacion" => {
            let kept = store.upsert_calificacion(calificacion(lead, Default::default(), at)).await;
            kept.map(drop).expect("kept");
        }
        "intento" => drop(store.record_intento(intento(lead, 1, at)).await.expect("recorded")),
        "ingesta" => {
            let notas = vec![nota("x", None)];
            store.ingest(Ingest { notas, ..ingesta(lead, vec![], at) }).await.map(drop).expect("ingested");
        }
        "photo" => drop(store.ingest(ingesta(lead, vec![foto()], at)).await.expect("ingested")),
        "event" => {
            let command = record_event(lead, event(EventKind::Mensajeria, at));
            store.record_event(command).await.map(drop).expect("recorded");
        }
        "job" => {
            let command = only_jobs(lead, vec![job(JobKind::Mensajeria)], at);
            store.record_event(command).await.map(drop).expect("recorded");
        }
        "contact corrected" => {
            let patch = ContactPatch { provincia: Some("Soria".to_owned()), ..ContactPatch::default() };
            let command = UpdateContact { lead, patch, obra: ObraPatch::default(), at, through: None };
            store.update_contact(command).await.expect("corrected");
        }
        "consent" => {
            let given = Consentimiento {
                purpose: "presupuesto".into(),
                channel: None,
                texto_version: "1".into(),
                source: None,
                granted: true,
                otorgado_en: Some(t(1)),
            };
            store.record_consentimientos(lead, vec![given], at).await.expect("recorded");
        }
        "facts edited" => {
            let seen = Facts::of(&store.lead(lead).await.expect("a lead"));
            let edited = Facts { nombre: "Otra".to_owned(), ..seen.clone() };
            let command = EditLead { lead, seen, edited, audit: audit(), at };
            assert_eq!(store.edit_lead(command).await.expect("edited"), Edited::Saved);
        }
        "note of the form changed" => store.set_nota(set_nota(lead, Some("dos"), AT)).await.expect("written"),
        "note of the form removed" => store.set_nota(set_nota(lead, None, AT)).await.expect("removed"),
        "photo removed" => {
            let foto = record(store, lead).await.fotos[0].id;
            store.delete_foto(lead, foto, at).await.expect("removed");
        }
        "assigned" => {
            let to = Some(a_user(store).await);
            let given = store.assign(viewer, vec![lead], to, audit()).await.expect("assigned");
            assert_eq!(given.len(), 1);
        }
        "handed over" => {
            let to = Some(a_user(store).await);
            let end = store.hand_over(viewer, lead, None, to, audit()).await.expect("handed over");
            assert_eq!(end, Edited::Saved);
        }
        "archived" => {
            let why = "no contesta".to_owned();
            store.archive(viewer, vec![lead], why, at, audit()).await.map(drop).expect("archived");
        }
        "taken up again" => drop(store.reopen(viewer, lead, at, audit()).await.expect("reopened")),
        "planned" => {
            let set = store.set_action(viewer, lead, None, Some(plan(30)), audit()).await.expect("set");
            assert_eq!(set, Edited::Saved, "for long ago: that it was planned counts too");
        }
        "no longer planned" => {
            let set = store.set_action(viewer, lead, Some(plan(30)), None, audit()).await.expect("set");
            assert_eq!(set, Edited::Saved);
        }
        "internal note" => {
            let nota = nota_interna(viewer, "llamar a su hermana", at);
            assert!(store.add_nota_interna(viewer, lead, nota, audit()).await.expect("added"));
        }
        "taken over" | "given back" => {
            let (seen, to) =
                if what == "taken over" { (None, Some(viewer.who)) } else { (Some(viewer.who), None) };
            let command = TakeOver { lead, seen, to, at, audit: audit() };
            assert_eq!(store.take_over(viewer, command).await.expect("taken"), Edited::Saved);
        }
        "internal note removed" => {
            let id = NotaId(lead.0);
            assert!(store.delete_nota_interna(viewer, lead, id, audit()).await.expect("removed"));
        }
        "united" => {
            let other = other_lead(store).await;
            assert!(store.unite(viewer, other, lead, at, audit()).await.expect("united"));
        }
        "separated" => assert!(store.separate(viewer, lead, audit()).await.expect("separated")),
        "draft" => {
            let draft = drafts::open(lead, DraftReason::ByHand, "{}");
            store.open_draft(OpenDraft { at, ..draft }).await.map(drop).expect("opened");
        }
        "draft saved" => {
            let draft = store.draft_of(lead).await.expect("read").expect("there is one");
            let command = SaveDraft { at, ..drafts::save(&draft, "{}") };
            store.save_draft(command).await.map(drop).expect("saved");
        }
        "draft discarded" => {
            let draft = store.draft_of(lead).await.expect("read").expect("there is one");
            store.discard_draft(drafts::seen(&draft), at, audit()).await.map(drop).expect("discarded");
        }
        "quote" => {
            let document = document(store, lead, "x").await;
            let command = draft(lead, document, super::data::presupuesto::TODAY, at);
            store.add_presupuesto(command).await.map(drop).expect("drafted");
        }
        "visit proposed" => {
            let visita = visits::proposal(store, lead, &[], &[]).await;
            let visita = embudo_domain::visita::Visita { creada_en: at, cambiada_en: at, ..visita };
            store
                .save_visita(SaveVisita { at, ..visits::save(visita, None) })
                .await
                .map(drop)
                .expect("saved");
        }
        "links revoked" => store.revoke_passes(lead, lead.0, at, audit()).await.expect("revoked"),
        other => panic!("nobody knows how to write: {other}"),
    }
}

/// Anything that a person or a program writes about a lead keeps it; its term starts again from there.
pub async fn whatever_is_written_about_a_lead_keeps_it(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let viewer = anyone(&store).await;
    for what in WRITES {
        let lead = other_lead(&store).await;
        store.append_turno(turno(lead, "hola", t(10))).await.expect("appended");
        prepare(&store, &viewer, what, lead).await;
        if *what != "separated" {
            assert!(is_forgotten(&store, lead, t(100)).await, "before: {what}");
        }
        write(&store, &viewer, what, lead).await;
        // The process died before any of this was projected.
        drop(store.touches().take());
        let over = EraseLead { term: Some(quiet(t(100))), ..over(lead, t(100)) };
        assert_eq!(store.erase_lead(over).await.expect("looked at"), ErasedLead::Kept, "{what}");
        store.touches().note(lead, Touch::anew());
        assert!(!is_forgotten(&store, lead, t(100)).await, "{what}");
        assert!(is_forgotten(&store, lead, t(AT + 1)).await, "the term runs from there: {what}");
    }
}

/// The retention term erases no lead for which an action is planned, and no lead that is united with such a lead.
pub async fn a_lead_that_somebody_works_on_is_not_forgotten(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let viewer = anyone(&store).await;
    for n in 0..3 {
        let (lead, member) = (other_lead(&store).await, other_lead(&store).await);
        store.append_turno(turno(lead, "hola", t(10))).await.expect("appended");
        assert!(is_forgotten(&store, lead, t(100)).await, "{n}");
        match n {
            0 => {
                let set =
                    store.set_action(&viewer, lead, None, Some(plan(AT)), audit_entry()).await.expect("set");
                assert_eq!(set, Edited::Saved);
            }
            1 => {
                let nota = nota_interna(&viewer, "x", t(AT));
                store.add_nota_interna(&viewer, member, nota, audit_entry()).await.expect("added");
                assert!(store.unite(&viewer, member, lead, t(12), audit_entry()).await.expect("united"));
            }
            _ => {
                let quote = send(&store, member, "x").await;
                answer(&store, says(&quote, true, t(6))).await;
                assert!(store.unite(&viewer, member, lead, t(12), audit_entry()).await.expect("united"));
            }
        }
        assert!(!is_forgotten(&store, lead, t(100)).await, "{n}");
        assert_eq!(is_forgotten(&store, lead, t(1_000)).await, n != 2, "{n}: the term runs from there");
    }
}

fn over(lead: LeadId, before: Timestamp) -> EraseLead {
    let quiet = term(&[Etapa::EnConversacion, Etapa::Nuevo], before);
    EraseLead { reason: ErasureReason::Term, term: Some(quiet), ..erasure(lead, t(2_000)) }
}

/// A committed write counts even if it was never projected because its process died before.
pub async fn a_term_is_seen_in_what_is_written(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    store.append_turno(turno(lead, "hola", t(10))).await.expect("appended");
    project(&store).await;
    let empresa = record(&store, lead).await.lead.empresa.id;
    let quiet = term(&[Etapa::EnConversacion], t(100));
    assert_eq!(store.forgotten_leads(empresa, &quiet, 9).await.expect("read").len(), 1);
    store.append_turno(turno(lead, "¿siguen ahí?", t(AT))).await.expect("appended");
    drop(store.touches().take());
    assert_eq!(store.forgotten_leads(empresa, &quiet, 9).await.expect("read"), vec![]);
    assert_eq!(store.erase_lead(over(lead, t(100))).await.expect("looked at"), ErasedLead::Kept);
    assert_eq!(record(&store, lead).await.conversacion.len(), 2, "nothing of it went");
    assert_eq!(store.erasure(lead).await.expect("read"), None);
    let elsewhere = EraseLead { term: Some(term(&[Etapa::Perdido], t(1_000))), ..over(lead, t(1_000)) };
    assert_eq!(store.erase_lead(elsewhere).await.expect("looked at"), ErasedLead::Kept, "it is not lost");
    assert_eq!(store.erase_lead(over(lead, t(1_000))).await.expect("erased"), ErasedLead::Gone(vec![]));
    assert_eq!(store.erasure(lead).await.expect("read").map(|e| e.reason), Some(ErasureReason::Term));
}

/// No lead of a person is erased while somebody writes about another lead of the same person.
pub async fn a_term_is_the_persons_and_not_the_leads(store: Arc<dyn Store>) {
    let (main, one, other) = (a_lead(&store).await, other_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    for member in [one, other] {
        assert!(store.unite(&viewer, member, main, t(12), audit_entry()).await.expect("united"));
    }
    store.append_turno(turno(other, "hola", t(AT))).await.expect("appended");
    for lead in [one, main, other] {
        assert_eq!(store.erase_lead(over(lead, t(100))).await.expect("looked at"), ErasedLead::Kept);
    }
    assert_eq!(store.erase_lead(over(one, t(1_000))).await.expect("erased"), ErasedLead::Gone(vec![main]));
}

/// United leads are erased together, and each is counted as its own lead.
pub async fn united_leads_are_forgotten_together(store: Arc<dyn Store>) {
    let (main, one, other) = (a_lead(&store).await, other_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    for lead in [main, one, other] {
        store.append_turno(turno(lead, "hola", t(10))).await.expect("appended");
    }
    for member in [one, other] {
        assert!(store.unite(&viewer, member, main, t(12), audit_entry()).await.expect("united"));
    }
    project(&store).await;
    let empresa = record(&store, main).await.lead.empresa.id;
    let quiet = term(&[Etapa::EnConversacion], t(100));
    let found = store.forgotten_leads(empresa, &quiet, 9).await.expect("read");
    assert_eq!(found, vec![ForgottenPerson { lead: main, since: t(10), leads: 3 }]);
}
