//! The search box: the same leads in the same order on every engine.

use std::sync::Arc;
use std::time::Duration;

use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::search::{Asked, fold};
use embudo_domain::{EmpresaId, LeadId};
use embudo_store::Store;
use embudo_store::inbox::{Found, FoundBy, MAX_FOUND};
use embudo_store::lead_writes::Ingest;
use embudo_store::leads::{CreateLead, LeadFilter, UpdateContact};
use embudo_store::read::IN_ORDER;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::inbox::{anyone, audit_entry, found, nota_interna, other_company, project};
use super::data::presupuesto::send;
use super::data::{
    a_lead, calificacion, create, empresa, ingesta, new_lead, nobody, nota, other_lead, t, turno,
    with_contact,
};
use super::lists::pages;

fn leads(found: &Found) -> Vec<LeadId> {
    found.hits.iter().map(|hit| hit.row.summary.lead.id).collect()
}

fn by(found: &Found) -> Vec<FoundBy> {
    found.hits.iter().map(|hit| hit.by).collect()
}

async fn named(store: &Arc<dyn Store>, nombre: &str, digits: &str, mail: &str, at: i64) -> LeadId {
    let id = LeadId(Uuid::new_v4());
    create(store, CreateLead { at: t(at), ..with_contact(id, nombre, digits, mail) }).await
}

pub async fn telephone_mail_and_number_come_first(store: Arc<dyn Store>) {
    let quoted = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let ana = named(&store, "Ana", "612345678", "Ana@Ejemplo.es", 1).await;
    let number = send(&store, quoted, "x").await.number.to_string();
    store.append_turno(turno(quoted, "soy del 612345678 y ana@ejemplo.es", t(5))).await.expect("appended");
    project(&store).await;
    for text in ["612 34 56 78", "+34612345678", "0034 612-345-678"] {
        let found = found(&store, &viewer, text).await;
        assert_eq!(leads(&found).first(), Some(&ana), "{text}");
        assert_eq!(by(&found).first(), Some(&FoundBy::Exact), "{text}");
    }
    let found_by_mail = found(&store, &viewer, "ANA@ejemplo.es").await;
    assert_eq!(
        (leads(&found_by_mail), by(&found_by_mail)),
        (vec![ana, quoted], vec![FoundBy::Exact, FoundBy::Text])
    );
    let found_by_number = found(&store, &viewer, &number).await;
    assert_eq!((leads(&found_by_number), by(&found_by_number)), (vec![quoted], vec![FoundBy::Exact]));
    assert!(!found_by_number.more);
}

pub async fn names_are_found_by_any_part_of_them(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let viewer = anyone(&store).await;
    let one = named(&store, "Begoña Núñez", "611000001", "bego@x.es", 1).await;
    let other = named(&store, "José 100% «Nuñ_ez»", "611000002", "jose@y.io", 2).await;
    project(&store).await;
    for (text, expected) in [
        ("begona", vec![one]),
        ("BEGOÑA", vec![one]),
        ("nunez", vec![one]),
        ("goñ", vec![one]),
        ("nuñez begoña", vec![one]),
        ("be nunez", vec![one]),
        ("nuñ", vec![other, one]),
        ("00%", vec![other]),
        ("n_e", vec![other]),
        ("100% y.io", vec![other]),
        ("61100000", vec![other, one]),
        ("go", vec![one]),
        ("x.es", vec![one]),
        ("\"nuñ", vec![]),
        ("nada de esto", vec![]),
        ("begona jose", vec![]),
    ] {
        let found = found(&store, &viewer, text).await;
        assert_eq!(leads(&found), expected, "{text}");
        assert!(!found.more, "{text}");
    }
}

pub async fn a_correction_is_found_and_what_it_replaced_is_not(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let viewer = anyone(&store).await;
    let lead = named(&store, "Wenceslao", "611000001", "w@x.es", 1).await;
    project(&store).await;
    assert_eq!(leads(&found(&store, &viewer, "wences").await), [lead]);
    let patch = embudo_domain::lead::ContactPatch {
        nombre: Some("Hermenegildo".into()),
        ..embudo_domain::lead::ContactPatch::default()
    };
    store
        .update_contact(UpdateContact { lead, patch, obra: Default::default(), through: None, at: t(2) })
        .await
        .expect("corrected");
    project(&store).await;
    assert_eq!(leads(&found(&store, &viewer, "wences").await), []);
    assert_eq!(leads(&found(&store, &viewer, "hermene").await), [lead]);
}

/// Leads whose texts match come after those whose names match, newest first; accents and case do not matter.
pub async fn what_was_written_is_found(store: Arc<dyn Store>) {
    let mut all = vec![a_lead(&store).await];
    for _ in 0..4 {
        all.push(other_lead(&store).await);
    }
    let viewer = anyone(&store).await;
    let named = named(&store, "Azulejo Pérez", "611000009", "a@x.es", 1).await;
    store.append_turno(turno(all[0], "Quiero AZULEJOS metro", t(10))).await.expect("appended");
    let mut spoken = turno(all[1], "nota de voz", t(40));
    spoken.turno.transcripcion_audio = Some("pues unos azulejos".into());
    store.append_turno(spoken).await.expect("appended");
    let call = Ingest { notas: vec![nota("Ázulejo hidráulico", None)], ..ingesta(all[2], vec![], t(20)) };
    store.ingest(call).await.expect("saved");
    let internal = nota_interna(&viewer, "le gusta el azulejo", t(30));
    store.add_nota_interna(&viewer, all[3], internal, audit_entry()).await.expect("added");
    store.append_turno(turno(all[4], "azul", t(50))).await.expect("appended");
    project(&store).await;
    let hits = found(&store, &viewer, "azulejo").await;
    assert_eq!(leads(&hits), [named, all[1], all[3], all[2], all[0]]);
    assert_eq!(by(&hits)[..2], [FoundBy::Name, FoundBy::Text]);
    assert_eq!(leads(&found(&store, &viewer, "gusta azulejo").await), [all[3]]);
}

/// Leads that are found by their name take no room from those that are found by their texts.
pub async fn texts_of_leads_found_by_name_take_no_room(store: Arc<dyn Store>) {
    let spoken = a_lead(&store).await;
    let viewer = anyone(&store).await;
    let mut named = Vec::new();
    for n in 1..i64::try_from(MAX_FOUND).expect("small") {
        named.push(create(&store, CreateLead { at: t(n), ..new_lead("Zenobia") }).await);
    }
    for lead in &named[..2] {
        let internal = nota_interna(&viewer, "Zenobia llama mañana", t(100));
        store.add_nota_interna(&viewer, *lead, internal, audit_entry()).await.expect("added");
    }
    store.append_turno(turno(spoken, "Soy la hermana de Zenobia", t(90))).await.expect("appended");
    project(&store).await;
    let hits = found(&store, &viewer, "zenobia").await;
    assert_eq!((hits.hits.len(), hits.more), (MAX_FOUND, false));
    assert_eq!(leads(&hits).last(), Some(&spoken));
}

/// More messages than a search looks through when it has no time.
const NEWER: usize = 600;

pub async fn a_search_ends_and_says_so(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let viewer = anyone(&store).await;
    for n in 0..=i64::try_from(MAX_FOUND).expect("small") {
        create(&store, CreateLead { at: t(n), ..new_lead("Fulano") }).await;
    }
    let last = other_lead(&store).await;
    store.append_turno(turno(last, "algo antiguo", t(8))).await.expect("appended");
    let mut newer = JoinSet::new();
    for _ in 0..NEWER {
        let store = Arc::clone(&store);
        newer.spawn(async move { store.append_turno(turno(last, "algo escrito", t(9))).await });
    }
    for appended in newer.join_all().await {
        appended.expect("appended");
    }
    project(&store).await;
    let many = found(&store, &viewer, "fulano").await;
    assert_eq!((many.hits.len(), many.more), (MAX_FOUND, true));
    // The newest messages are found even without any time left; older ones are not.
    for (text, expected) in [("escrito", vec![last]), ("antiguo", vec![])] {
        let asked = Asked::parse(text).expect("asked");
        let in_no_time = store.search(&viewer, asked, Duration::ZERO).await.expect("searched");
        assert_eq!((leads(&in_no_time), in_no_time.more), (expected, true), "{text}");
    }
}

pub async fn another_companys_leads_are_not_found(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mine = anyone(&store).await;
    let (other, theirs) = other_company(&store).await;
    let contact = with_contact(LeadId(Uuid::new_v4()), "Zacarías", "611000007", "zac@x.es");
    let hidden = create(&store, CreateLead { empresa: Some(other.id), ..contact }).await;
    let number = send(&store, hidden, "x").await.number.to_string();
    store.append_turno(turno(hidden, "palabra secreta", t(3))).await.expect("appended");
    project(&store).await;
    for text in ["zacar", "za", "611000007", "zac@x.es", &number, "secreta"] {
        assert_eq!(leads(&found(&store, &mine, text).await), [], "{text}");
        assert_eq!(leads(&found(&store, &theirs, text).await), [hidden], "{text}");
    }
    assert_eq!(leads(&found(&store, &mine, "garcia").await), [lead]);
}

/// A list of leads with a filter that few match: the newest leads are read in their order, the others are found by an
/// index. The two ways together miss no lead and show none twice.
pub async fn old_leads_of_a_long_list_are_found(store: Arc<dyn Store>) {
    let company = store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured").id;
    let named =
        |nombre: &str, at| CreateLead { at: t(at), ..with_contact(nobody(), nombre, "611000001", "o@x.es") };
    let old = create(&store, named("José \"100%_\" Núñez", 1)).await;
    let older = create(&store, named("Jose Nunez", 0)).await;
    let others = IN_ORDER as usize + 10;
    let mut made = JoinSet::new();
    for n in 0..others {
        let lead = CreateLead { at: t(2 + n as i64 % 3), ..new_lead("Ana") };
        let store = Arc::clone(&store);
        made.spawn(async move { create(&store, lead).await });
        if made.len() == 64 {
            made.join_next().await.expect("one").expect("created");
        }
    }
    made.join_all().await;
    let new = create(&store, named("Jose Nunez", 9)).await;
    for lead in [old, new] {
        let nivel = Some(Nivel::C);
        let c = Calificacion { nivel, ..Default::default() };
        store.upsert_calificacion(calificacion(lead, c, t(10))).await.expect("written");
    }
    project(&store).await;
    // Not projected: it is found as one of the newest.
    let newest = create(&store, named("Jose Nunez", 10)).await;
    let all = LeadFilter::default;
    let text = |text: &str| LeadFilter { text: Some(fold(text)), ..all() };
    let all_four = vec![newest, new, old, older];
    for (filter, expected) in [
        (text("nez"), all_four.clone()),
        (LeadFilter { empresa: Some(company), ..text("o@x.es") }, all_four),
        (LeadFilter { empresa: Some(EmpresaId(Uuid::new_v4())), ..text("o@x.es") }, vec![]),
        (text("é \"100%_\" n"), vec![old]),
        (text("jose nunez\no@"), vec![newest, new, older]),
        (text("nunez jose"), vec![]),
        (text("xilófono"), vec![]),
        // Too short for the index.
        (text("%_"), vec![old]),
        (LeadFilter { nivel: Some(Nivel::C), ..all() }, vec![new, old]),
        (LeadFilter { nivel: Some(Nivel::C), ..text("100%") }, vec![old]),
        (LeadFilter { since: Some(t(1)), until: Some(t(10)), ..text("nez") }, vec![new, old]),
        (LeadFilter { viable: Some(true), ..text("nez") }, vec![]),
    ] {
        for limit in [1, 3, 50] {
            let found = pages(&store, &filter, limit).await;
            let found: Vec<LeadId> = found.into_iter().map(|summary| summary.lead.id).collect();
            assert_eq!(found, expected, "{filter:?}, {limit} a page");
        }
    }
    let frequent = pages(&store, &text("ana"), 500).await;
    assert_eq!(frequent.len(), others);
}
