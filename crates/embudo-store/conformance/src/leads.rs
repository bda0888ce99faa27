//! Leads: created whole, corrected field by field, recognised when they come twice.

use std::sync::Arc;

use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::lead::ContactPatch;
use embudo_domain::lead::Lead;
use embudo_domain::obra::{Obra, ObraPatch};
use embudo_domain::record::LeadRecord;
use embudo_domain::{EmpresaId, LeadId, Timestamp};
use uuid::Uuid;

use super::data::{
    ODD_TEXT, a_lead, change, create, email, empresa, extreme_instants, long_text, new_lead, nobody,
    obra_completa, other_lead, perfil_completo, record, t, telefono, with_contact,
};
use embudo_store::Store;
use embudo_store::leads::{CreateLead, UpdateContact};
use embudo_store::leads::{LeadFilter, search_text};

fn consentimiento(purpose: &str, otorgado_en: Option<Timestamp>) -> Consentimiento {
    Consentimiento {
        purpose: purpose.to_owned(),
        channel: Some("email".into()),
        texto_version: "2026-01".into(),
        source: Some("formulario_web".into()),
        granted: true,
        otorgado_en,
    }
}

/// A lead reads back with every field it was created with; a consent without a moment was given at that of the call.
pub async fn a_created_lead_reads_back_whole(store: Arc<dyn Store>) {
    let company = store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let denied = Consentimiento {
        channel: None,
        source: None,
        granted: false,
        ..consentimiento("comercial", Some(t(-5)))
    };
    let new = CreateLead {
        provincia: Some("A Coruña".into()),
        perfil: perfil_completo(),
        obra: obra_completa(),
        utm: vec![("utm_source".into(), "buscador".into()), ("gclid".into(), String::new())],
        consentimientos: vec![consentimiento("presupuesto", None), denied.clone()],
        at: t(7),
        ..new_lead("José Núñez 👷")
    };
    create(&store, new.clone()).await;
    let expected = LeadRecord {
        lead: Lead {
            id: new.id,
            empresa: company,
            nombre: new.nombre,
            telefono: new.telefono.typed,
            telefono_e164: new.telefono.e164,
            email: new.email.typed,
            provincia: new.provincia,
            perfil: perfil_completo(),
            obra: obra_completa(),
            utm: vec![("gclid".into(), String::new()), ("utm_source".into(), "buscador".into())],
            creado_en: t(7),
            actualizado_en: t(7),
            watched_loop: None,
        },
        duplicates: vec![],
        fotos: vec![],
        notas: vec![],
        conversacion: vec![],
        calificacion: None,
        intentos: vec![],
        events: vec![],
        consentimientos: vec![consentimiento("presupuesto", Some(t(7))), denied],
        presupuestos: vec![],
    };
    let mut read = record(&store, new.id).await;
    // Its states are read as events, too; the contract leaves open which of the two comes first.
    read.events.sort_by_key(|e| e.kind);
    let (estado_wa, bot_step) =
        (perfil_completo().estado_wa.expect("known"), perfil_completo().bot_step.expect("known"));
    let states = [(EventKind::EstadoWa, estado_wa.as_str()), (EventKind::BotStep, &bot_step)];
    let states: Vec<Event> = states.into_iter().map(|(kind, value)| change(kind, value, t(7))).collect();
    assert_eq!(read, LeadRecord { events: states, ..expected });
}

/// Fields that are not known stay absent.
pub async fn absent_fields_stay_absent(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let f = record(&store, lead).await;
    assert_eq!((f.lead.perfil, f.lead.obra), Default::default());
    assert_eq!((f.lead.provincia, f.lead.utm, f.consentimientos), (None, vec![], vec![]));
}

/// Campaign ids come back sorted by the characters of their names, whatever the engine's language.
pub async fn utm_is_sorted_by_characters(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let names = ["zeta", "Álamo", "alfa", "Zeta", "utm_b", "utm-a", ""];
    let utm = names.iter().map(|n| ((*n).to_owned(), format!("v{n}"))).collect();
    let lead = create(&store, CreateLead { utm, ..new_lead("Ana") }).await;
    let parsed: Vec<String> = record(&store, lead).await.lead.utm.into_iter().map(|(n, _)| n).collect();
    assert_eq!(parsed, ["", "Zeta", "alfa", "utm-a", "utm_b", "zeta", "Álamo"]);
}

/// A lead that names no company goes to the default one; one that names a company goes to it.
pub async fn a_lead_goes_to_its_company(store: Arc<dyn Store>) {
    let (one, two) = (empresa("Una"), empresa("Dos"));
    store.create_empresa(one.clone(), t(0)).await.expect("created");
    store.create_empresa(two.clone(), t(0)).await.expect("created");
    let without = create(&store, new_lead("Ana")).await;
    let with = create(&store, CreateLead { empresa: Some(two.id), ..new_lead("Eva") }).await;
    assert_eq!(record(&store, without).await.lead.empresa.id, one.id);
    assert_eq!(record(&store, with).await.lead.empresa, two);
    assert_eq!(store.lead_empresa(without).await.expect("read"), Some(one.id));
    assert_eq!(store.lead_empresa(with).await.expect("read"), Some(two.id));
    assert_eq!(store.lead_empresa(nobody()).await.expect("read"), None);
}

/// A lead of a company that does not exist is refused, and nothing is stored.
pub async fn an_unknown_company_is_refused(store: Arc<dyn Store>) {
    let absent = CreateLead { empresa: Some(EmpresaId(Uuid::new_v4())), ..new_lead("Ana") };
    assert_fails!(store.create_lead(absent.clone()).await, EmpresaNotFound);
    assert_fails!(store.create_lead(new_lead("Sin empresa por defecto")).await, EmpresaNotFound);
    a_lead(&store).await;
    assert_fails!(store.create_lead(absent.clone()).await, EmpresaNotFound);
    assert_fails!(store.record(absent.id).await, LeadNotFound);
    assert_eq!(store.list_leads(LeadFilter::default(), None, 10).await.expect("a list").len(), 1);
}

/// A lead that does not exist has no record, no history, and no contact data to correct.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    a_lead(&store).await;
    assert_fails!(store.record(nobody()).await, LeadNotFound);
    assert_fails!(store.history(nobody()).await, LeadNotFound);
    let patch = ContactPatch { nombre: Some("Nadie".into()), ..Default::default() };
    assert_fails!(
        store
            .update_contact(UpdateContact {
                lead: nobody(),
                patch,
                obra: Default::default(),
                through: None,
                at: t(1)
            })
            .await,
        LeadNotFound
    );
}

/// Texts of every script and of any length come back byte for byte, also where an index could limit their length.
pub async fn strange_and_long_texts_survive(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    for text in [ODD_TEXT.to_owned(), long_text(8 << 20), " ".to_owned()] {
        let new = CreateLead {
            provincia: Some(text.clone()),
            search: search_text(&text, "", "", Some(&text)),
            utm: vec![(long_text(100_000), text.clone()), (text.clone(), String::new())],
            consentimientos: vec![consentimiento(&text, Some(t(1)))],
            nombre: text.clone(),
            ..new_lead("x")
        };
        let mut utm = new.utm.clone();
        utm.sort();
        let lead = create(&store, new).await;
        let f = record(&store, lead).await;
        assert!(f.lead.nombre == text && f.lead.provincia.as_deref() == Some(&text));
        assert!(f.lead.utm == utm);
        assert!(f.consentimientos[0].purpose == text);
    }
}

/// Instants keep their microseconds from the year 0 to the year 9999.
pub async fn times_are_exact(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    for at in extreme_instants() {
        let consentimientos = vec![consentimiento("comercial", Some(at))];
        let lead = create(&store, CreateLead { at, consentimientos, ..new_lead("Ana") }).await;
        let f = record(&store, lead).await;
        assert_eq!((f.lead.creado_en, f.lead.actualizado_en), (at, at));
        assert_eq!(f.consentimientos[0].otorgado_en, Some(at));
    }
}

async fn correct(store: &Arc<dyn Store>, lead: LeadId, patch: ContactPatch, at: Timestamp) {
    store
        .update_contact(UpdateContact { lead, patch, obra: ObraPatch::default(), through: None, at })
        .await
        .expect("corrected");
}

/// The fields that decide tax and price are written one by one and taken back, alone or with contact data; lists do not
/// contain them.
pub async fn facts_of_the_job_are_written_and_taken_back(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let before = record(&store, lead).await.lead;
    let write = async |obra: ObraPatch, nombre: Option<&str>, n: i64| {
        let patch = ContactPatch { nombre: nombre.map(str::to_owned), ..Default::default() };
        store
            .update_contact(UpdateContact { lead, patch, obra, through: None, at: t(n) })
            .await
            .expect("written");
        record(&store, lead).await.lead
    };
    let premises = Obra { es_vivienda: Some(false), planta: Some(-2), ..Obra::default() };
    let now = write(premises.clone().into(), None, 1).await;
    assert_eq!(now, Lead { obra: premises, actualizado_en: t(1), ..before.clone() });
    let more = Obra { es_vivienda: Some(true), ascensor: Some(false), ..Obra::default() };
    let obra = ObraPatch { obra: more, cleared: vec!["planta", "banos"] };
    let now = write(obra, Some("Ana María"), 2).await;
    let expected = Obra { es_vivienda: Some(true), ascensor: Some(false), ..Obra::default() };
    assert_eq!((now.nombre.as_str(), &now.obra), ("Ana María", &expected));
    assert_eq!(write(ObraPatch::default(), None, 3).await.obra, expected, "nothing sent, nothing written");
    assert_eq!(store.lead(lead).await.expect("a lead").obra, expected);
    assert_eq!(store.sheet(lead).await.expect("a sheet").lead.obra, expected);
    let listed = store.list_leads(LeadFilter::default(), None, 10).await.expect("a list");
    assert!(listed.iter().all(|summary| summary.lead.obra.is_empty()));
    let unknown = UpdateContact {
        lead: nobody(),
        patch: ContactPatch::default(),
        obra: obra_completa().into(),
        through: None,
        at: t(4),
    };
    assert_fails!(store.update_contact(unknown).await, LeadNotFound);
}

/// A correction writes the contact fields sent and keeps every other.
pub async fn a_correction_keeps_what_it_leaves_out(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let new = CreateLead { provincia: Some("Soria".into()), perfil: perfil_completo(), ..new_lead("Ana") };
    let lead = create(&store, new).await;
    let mut expected = record(&store, lead).await;
    let (tel, mail) = (telefono("699000111"), email("Nueva@Ejemplo.ES"));
    let patches = [
        ContactPatch { nombre: Some("Ana María".into()), ..Default::default() },
        ContactPatch { telefono: Some(tel.clone()), ..Default::default() },
        ContactPatch { email: Some(mail.clone()), ..Default::default() },
        ContactPatch { provincia: Some(String::new()), ..Default::default() },
    ];
    for (n, patch) in (1..).zip(patches) {
        correct(&store, lead, patch, t(n)).await;
        match n {
            1 => expected.lead.nombre = "Ana María".into(),
            2 => {
                expected.lead.telefono.clone_from(&tel.typed);
                expected.lead.telefono_e164.clone_from(&tel.e164);
            }
            3 => expected.lead.email.clone_from(&mail.typed),
            _ => expected.lead.provincia = Some(String::new()),
        }
        expected.lead.actualizado_en = t(n);
        assert_eq!(record(&store, lead).await, expected);
    }
}

/// After a correction a lead is found by its new data and no longer by the old.
pub async fn a_correction_refreshes_search(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let lead = create(&store, with_contact(nobody(), "Begoña Ruiz", "611000001", "Bego@x.es")).await;
    let found = async |filter: LeadFilter| {
        let page = store.list_leads(filter, None, 10).await.expect("a list");
        page.iter().any(|r| r.lead.id == lead)
    };
    let text = |s: &str| LeadFilter { text: Some(s.to_owned()), ..Default::default() };
    let by_phone = |s: &str| LeadFilter { telefono_e164: Some(s.to_owned()), ..Default::default() };
    let by_email = |s: &str| LeadFilter { email_normal: Some(s.to_owned()), ..Default::default() };
    assert!(found(text("begona")).await && found(text("+34611000001")).await);

    let patch = ContactPatch {
        nombre: Some("Íñigo Peña".into()),
        telefono: Some(telefono("622000002")),
        email: Some(email("Inigo@Y.es")),
        provincia: Some("Ávila".into()),
    };
    correct(&store, lead, patch, t(1)).await;
    for new in ["inigo pena", "inigo@y.es", "+34622000002", "avila"] {
        assert!(found(text(new)).await, "{new}");
    }
    for old in ["begona", "bego@x.es", "611000001"] {
        assert!(!found(text(old)).await, "{old}");
    }
    assert!(found(by_phone("+34622000002")).await && !found(by_phone("+34611000001")).await);
    assert!(found(by_email("inigo@y.es")).await && !found(by_email("bego@x.es")).await);

    // Data that a correction leaves out stays in the search text.
    correct(&store, lead, ContactPatch { nombre: Some("Iñaki".into()), ..Default::default() }, t(2)).await;
    for current in ["inaki", "inigo@y.es", "+34622000002", "avila"] {
        assert!(found(text(current)).await, "{current}");
    }
    assert!(!found(text("pena")).await);
}

/// A lead with a telephone or e-mail that another lead of the same company has is flagged on both; never refused.
pub async fn duplicates_share_phone_or_email_in_one_company(store: Arc<dyn Store>) {
    let (one, two) = (empresa("Una"), empresa("Dos"));
    store.create_empresa(one.clone(), t(0)).await.expect("created");
    store.create_empresa(two.clone(), t(0)).await.expect("created");
    let a = create(&store, with_contact(nobody(), "A", "611000001", "a@x.es")).await;
    let tel = create(&store, with_contact(nobody(), "B", "611000001", "b@x.es")).await;
    let mail = create(&store, with_contact(nobody(), "C", "611000003", "A@X.es")).await;
    let both = create(&store, with_contact(nobody(), "D", "611000001", "a@x.es")).await;
    let foreign = CreateLead { empresa: Some(two.id), ..with_contact(nobody(), "E", "611000001", "a@x.es") };
    let foreign = create(&store, foreign).await;
    let nobody_else = other_lead(&store).await;
    for (lead, others) in [
        (a, vec![tel, mail, both]),
        (tel, vec![a, both]),
        (mail, vec![a, both]),
        (both, vec![a, tel, mail]),
        (foreign, vec![]),
        (nobody_else, vec![]),
    ] {
        assert_eq!(duplicates(&store, lead).await, sorted(others));
    }
}

/// Two leads made with the same ticket of a form are flagged, whatever their telephones and e-mails; leads of other
/// tickets and companies are not.
pub async fn leads_of_one_ticket_are_duplicates(store: Arc<dyn Store>) {
    let (one, two) = (empresa("Una"), empresa("Dos"));
    store.create_empresa(one.clone(), t(0)).await.expect("created");
    store.create_empresa(two.clone(), t(0)).await.expect("created");
    let (ticket, another) = (Uuid::from_u128(7 << 80), Uuid::from_u128(8 << 80));
    let mut ids = Vec::new();
    let made = [(ticket, &one), (ticket, &one), (another, &one), (ticket, &two)];
    for (n, (ticket, empresa)) in made.into_iter().enumerate() {
        let id = LeadId::of_form(ticket, &format!("secret {n}"));
        let contact = with_contact(nobody(), "A", &format!("61100000{n}"), &format!("{n}@x.es"));
        ids.push(create(&store, CreateLead { id, empresa: Some(empresa.id), ..contact }).await);
    }
    for (lead, others) in [(0, vec![ids[1]]), (1, vec![ids[0]]), (2, vec![]), (3, vec![])] {
        assert_eq!(duplicates(&store, ids[lead]).await, others, "{lead}");
    }
}

/// A correction can make a lead a duplicate, and can end that.
pub async fn a_correction_moves_duplicates(store: Arc<dyn Store>) {
    let a = a_lead(&store).await;
    let b = create(&store, with_contact(nobody(), "B", "611000001", "b@x.es")).await;
    let patch = ContactPatch { telefono: Some(telefono("611000001")), ..Default::default() };
    correct(&store, a, patch, t(1)).await;
    assert_eq!((duplicates(&store, a).await, duplicates(&store, b).await), (vec![b], vec![a]));
    let patch = ContactPatch { telefono: Some(telefono("611000009")), ..Default::default() };
    correct(&store, b, patch, t(2)).await;
    assert_eq!((duplicates(&store, a).await, duplicates(&store, b).await), (vec![], vec![]));
    let patch = ContactPatch { email: Some(email("B@X.ES")), ..Default::default() };
    correct(&store, a, patch, t(3)).await;
    assert_eq!((duplicates(&store, a).await, duplicates(&store, b).await), (vec![b], vec![a]));
}

async fn duplicates(store: &Arc<dyn Store>, lead: LeadId) -> Vec<LeadId> {
    sorted(record(store, lead).await.duplicates)
}

fn sorted(mut ids: Vec<LeadId>) -> Vec<LeadId> {
    ids.sort();
    ids
}
