//! Lists: newest first, in pages that miss nothing and repeat nothing, under every filter.

use std::sync::Arc;

use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::lead::LeadSummary;
use embudo_domain::perfil::Perfil;
use embudo_domain::perfil::{CanalOrigen, EstadoWa};
use embudo_domain::{EmpresaId, LeadId, Zona};
use uuid::Uuid;

use super::data::{
    a_lead, calificacion, create, empresa, extreme_instants, micros, new_lead, nobody, record, t,
    with_contact,
};
use embudo_store::Store;
use embudo_store::leads::CreateLead;
use embudo_store::leads::{Cursor, LeadFilter};

/// Every page under a filter, one after the other.
pub(super) async fn pages(store: &Arc<dyn Store>, filter: &LeadFilter, limit: u32) -> Vec<LeadSummary> {
    let (mut all, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.list_leads(filter.clone(), cursor, limit).await.expect("a page");
        assert!(page.len() <= limit as usize);
        let Some(last) = page.last() else { return all };
        cursor = Some(Cursor { creado_en: last.lead.creado_en, id: last.lead.id });
        all.extend(page);
    }
}

async fn ids(store: &Arc<dyn Store>, filter: LeadFilter) -> Vec<LeadId> {
    let list = store.list_leads(filter, None, 100).await.expect("a list");
    list.into_iter().map(|r| r.lead.id).collect()
}

/// A list shows each lead like its record does, with level and score if it is qualified.
pub async fn a_list_shows_leads_as_their_records_do(store: Arc<dyn Store>) {
    let old = a_lead(&store).await;
    let utm = vec![("b".into(), "1".into()), ("a".into(), "2".into())];
    let new = CreateLead {
        at: t(1),
        perfil: super::data::perfil_completo(),
        provincia: Some("Lugo".into()),
        utm,
        ..new_lead("Eva")
    };
    let new = create(&store, new).await;
    let c = Calificacion { score: Some(7), nivel: Some(Nivel::C), ..Default::default() };
    store.upsert_calificacion(calificacion(new, c, t(2))).await.expect("written");
    let expected = vec![
        LeadSummary { lead: record(&store, new).await.lead, nivel: Some(Nivel::C), score: Some(7) },
        LeadSummary { lead: record(&store, old).await.lead, nivel: None, score: None },
    ];
    assert_eq!(store.list_leads(LeadFilter::default(), None, 10).await.expect("a list"), expected);
}

/// Pages of any size cover every lead once, newest first, by id where times are equal.
pub async fn pages_cover_everything_once(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    assert_eq!(pages(&store, &LeadFilter::default(), 3).await, vec![]);
    let mut expected_ones = Vec::new();
    for n in 0..23_i64 {
        // Five leads at each instant, and the instants one microsecond apart.
        let at = micros(t(0).as_microsecond() + n / 5);
        expected_ones.push((at, create(&store, CreateLead { at, ..new_lead("Ana") }).await));
    }
    expected_ones.sort();
    expected_ones.reverse();
    for limit in [1, 2, 3, 5, 22, 23, 24, 1000] {
        let parsed = pages(&store, &LeadFilter::default(), limit).await;
        let parsed: Vec<_> = parsed.into_iter().map(|r| (r.lead.creado_en, r.lead.id)).collect();
        assert_eq!(parsed, expected_ones, "pages of {limit}");
    }
}

/// Pages continue where they stopped when leads are created meanwhile.
pub async fn new_leads_do_not_disturb_later_pages(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let mut old = Vec::new();
    for n in 0..4 {
        old.push(create(&store, CreateLead { at: t(n), ..new_lead("Ana") }).await);
    }
    let first = store.list_leads(LeadFilter::default(), None, 2).await.expect("a page");
    create(&store, CreateLead { at: t(9), ..new_lead("Eva") }).await;
    let last = &first[1].lead;
    let cursor = Some(Cursor { creado_en: last.creado_en, id: last.id });
    let second = store.list_leads(LeadFilter::default(), cursor, 2).await.expect("a page");
    assert_eq!(second.iter().map(|r| r.lead.id).collect::<Vec<_>>(), [old[1], old[0]]);
}

/// Leads created at the earliest and latest instants are in their order, and a page can start at each.
pub async fn extreme_times_can_be_paged(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let mut expected_ones = Vec::new();
    for at in extreme_instants() {
        expected_ones.push(create(&store, CreateLead { at, ..new_lead("Ana") }).await);
    }
    expected_ones.reverse();
    let parsed: Vec<_> =
        pages(&store, &LeadFilter::default(), 1).await.into_iter().map(|r| r.lead.id).collect();
    assert_eq!(parsed, expected_ones);
}

/// Each filter alone finds its leads and no other; together, only the lead for which all hold.
pub async fn each_filter_finds_its_own(store: Arc<dyn Store>) {
    let (one, two) = (empresa("Una"), empresa("Dos"));
    store.create_empresa(one.clone(), t(0)).await.expect("created");
    store.create_empresa(two.clone(), t(0)).await.expect("created");
    let perfil = Perfil {
        tipo_reforma: Some(Zona::Bano),
        canal_origen: Some(CanalOrigen::Call),
        viable: Some(true),
        estado_wa: Some(EstadoWa::Leido),
        ..Default::default()
    };
    let sought = CreateLead {
        empresa: Some(two.id),
        perfil,
        at: t(5),
        ..with_contact(nobody(), "Begoña", "611000001", "Bego@x.es")
    };
    let sought = create(&store, sought).await;
    let different = Perfil {
        tipo_reforma: Some(Zona::Cocina),
        canal_origen: Some(CanalOrigen::Anuncio),
        viable: Some(false),
        estado_wa: Some(EstadoWa::Fallido),
        ..Default::default()
    };
    let other = create(&store, CreateLead { perfil: different, ..new_lead("Eva") }).await;
    let empty = create(&store, new_lead("Sol")).await;
    for (lead, nivel) in [(sought, Nivel::B), (other, Nivel::A)] {
        let c = Calificacion { nivel: Some(nivel), ..Default::default() };
        store.upsert_calificacion(calificacion(lead, c, t(6))).await.expect("written");
    }
    let all = LeadFilter {
        empresa: Some(two.id),
        telefono_e164: Some("+34611000001".into()),
        email_normal: Some("bego@x.es".into()),
        tipo_reforma: Some(Zona::Bano),
        nivel: Some(Nivel::B),
        canal_origen: Some(CanalOrigen::Call),
        viable: Some(true),
        estado_wa: Some(EstadoWa::Leido),
        text: Some("begona".into()),
        since: Some(t(5)),
        until: Some(t(6)),
    };
    let nothing = LeadFilter::default;
    let single_filters = [
        LeadFilter { empresa: all.empresa, ..nothing() },
        LeadFilter { telefono_e164: all.telefono_e164.clone(), ..nothing() },
        LeadFilter { email_normal: all.email_normal.clone(), ..nothing() },
        LeadFilter { tipo_reforma: all.tipo_reforma, ..nothing() },
        LeadFilter { nivel: all.nivel, ..nothing() },
        LeadFilter { canal_origen: all.canal_origen, ..nothing() },
        LeadFilter { viable: all.viable, ..nothing() },
        LeadFilter { estado_wa: all.estado_wa, ..nothing() },
        LeadFilter { text: all.text.clone(), ..nothing() },
        LeadFilter { since: all.since, ..nothing() },
        all.clone(),
    ];
    for only in single_filters {
        assert_eq!(ids(&store, only.clone()).await, [sought], "{only:?}");
    }
    let almost = [
        LeadFilter { empresa: Some(one.id), ..all.clone() },
        LeadFilter { empresa: Some(EmpresaId(Uuid::new_v4())), ..nothing() },
        LeadFilter { telefono_e164: Some("611000001".into()), ..all.clone() },
        LeadFilter { email_normal: Some("x.es".into()), ..all.clone() },
        LeadFilter { tipo_reforma: Some(Zona::Cocina), ..all.clone() },
        LeadFilter { nivel: Some(Nivel::A), ..all.clone() },
        LeadFilter { canal_origen: Some(CanalOrigen::Anuncio), ..all.clone() },
        LeadFilter { viable: Some(false), ..all.clone() },
        LeadFilter { estado_wa: Some(EstadoWa::Fallido), ..all.clone() },
        LeadFilter { text: Some("eva".into()), ..all.clone() },
        LeadFilter { since: Some(t(6)), until: None, ..all.clone() },
        LeadFilter { until: Some(t(5)), since: None, ..all },
    ];
    for filter in almost {
        assert_eq!(ids(&store, filter.clone()).await, [], "{filter:?}");
    }
    assert_eq!(ids(&store, LeadFilter { viable: Some(false), ..nothing() }).await, [other]);
    assert!(ids(&store, nothing()).await.contains(&empty));
}

/// Dates are half open: the first instant counts, the last does not.
pub async fn dates_are_half_open(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let mut leads = Vec::new();
    for us in 0..4 {
        let at = micros(t(0).as_microsecond() + us);
        leads.push((at, create(&store, CreateLead { at, ..new_lead("Ana") }).await));
    }
    let (since, until) = (Some(leads[1].0), Some(leads[3].0));
    let filter = LeadFilter { since, until, ..Default::default() };
    assert_eq!(ids(&store, filter).await, [leads[2].1, leads[1].1]);
    let filter = LeadFilter { since: until, until: since, ..Default::default() };
    assert_eq!(ids(&store, filter).await, []);
}

/// Text is found anywhere in the search text, folded; `%`, `_`, `\`, `*` and `?` mean themselves.
pub async fn text_is_found_literally(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let names = ["José 100% Núñez", "Ana_B", r"Eva\C", "Anaxb", "100x", "Sol*?[a]'\""];
    let mut leads = Vec::new();
    for (n, nombre) in names.iter().enumerate() {
        let mail = format!("l{n}@z.io");
        leads.push(create(&store, with_contact(nobody(), nombre, &format!("61100000{n}"), &mail)).await);
    }
    for (text, expected_ones) in [
        ("jose", vec![0]),
        ("nunez", vec![0]),
        ("100%", vec![0]),
        ("0% n", vec![0]),
        ("ana_b", vec![1]),
        ("_", vec![1]),
        ("%", vec![0]),
        ("\\", vec![2]),
        (r"eva\c", vec![2]),
        ("*?[a]'\"", vec![5]),
        ("ana", vec![1, 3]),
        ("+3461100000", vec![0, 1, 2, 3, 4, 5]),
        ("l3@z", vec![3]),
        ("", vec![0, 1, 2, 3, 4, 5]),
        ("no está", vec![]),
    ] {
        let filter = LeadFilter { text: Some(text.to_owned()), ..Default::default() };
        let mut found = ids(&store, filter).await;
        let mut expected_ones: Vec<_> = expected_ones.into_iter().map(|n: usize| leads[n]).collect();
        found.sort();
        expected_ones.sort();
        assert_eq!(found, expected_ones, "«{text}»");
    }
}

/// Filters and pages work together.
pub async fn filtered_pages_cover_everything_once(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let mut expected_ones = Vec::new();
    for n in 0..20 {
        let perfil = Perfil { viable: Some(n % 2 == 0), ..Default::default() };
        let lead = create(&store, CreateLead { perfil, at: t(n / 7), ..new_lead("Ana") }).await;
        if n % 2 == 0 {
            expected_ones.push((t(n / 7), lead));
        }
    }
    expected_ones.sort();
    expected_ones.reverse();
    let filter = LeadFilter { viable: Some(true), text: Some("ana".into()), ..Default::default() };
    let parsed = pages(&store, &filter, 3).await;
    let parsed: Vec<_> = parsed.into_iter().map(|r| (r.lead.creado_en, r.lead.id)).collect();
    assert_eq!(parsed, expected_ones);
}
