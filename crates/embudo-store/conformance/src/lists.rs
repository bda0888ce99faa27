//! Lists: newest first, in pages that miss nothing and repeat nothing, under every filter.

use std::sync::Arc;

use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::ficha::LeadResumen;
use embudo_domain::perfil::Perfil;
use embudo_domain::perfil::{CanalOrigen, EstadoWa};
use embudo_domain::{EmpresaId, LeadId, Zona};
use uuid::Uuid;

use super::data::{
    calificacion, con_contacto, crear, empresa, ficha, instantes_extremos, micros, nadie, nuevo_lead, t,
    un_lead,
};
use embudo_store::Store;
use embudo_store::command::CreateLead;
use embudo_store::query::{Cursor, FiltroLeads};

/// Every page under a filter, one after the other.
pub(super) async fn paginas(store: &Arc<dyn Store>, filtro: &FiltroLeads, limit: u32) -> Vec<LeadResumen> {
    let (mut todos, mut cursor) = (Vec::new(), None);
    loop {
        let pagina = store.list_leads(filtro.clone(), cursor, limit).await.expect("a page");
        assert!(pagina.len() <= limit as usize);
        let Some(ultimo) = pagina.last() else { return todos };
        cursor = Some(Cursor { creado_en: ultimo.lead.creado_en, id: ultimo.lead.id });
        todos.extend(pagina);
    }
}

async fn ids(store: &Arc<dyn Store>, filtro: FiltroLeads) -> Vec<LeadId> {
    let lista = store.list_leads(filtro, None, 100).await.expect("a list");
    lista.into_iter().map(|r| r.lead.id).collect()
}

/// A list shows each lead as its record does, with level and score where it is qualified.
pub async fn a_list_shows_leads_as_their_records_do(store: Arc<dyn Store>) {
    let viejo = un_lead(&store).await;
    let utm = vec![("b".into(), "1".into()), ("a".into(), "2".into())];
    let nuevo = CreateLead {
        en: t(1),
        perfil: super::data::perfil_completo(),
        provincia: Some("Lugo".into()),
        utm,
        ..nuevo_lead("Eva")
    };
    let nuevo = crear(&store, nuevo).await;
    let c = Calificacion { score: Some(7), nivel: Some(Nivel::C), ..Default::default() };
    store.upsert_calificacion(calificacion(nuevo, c, t(2))).await.expect("written");
    let esperada = vec![
        LeadResumen { lead: ficha(&store, nuevo).await.lead, nivel: Some(Nivel::C), score: Some(7) },
        LeadResumen { lead: ficha(&store, viejo).await.lead, nivel: None, score: None },
    ];
    assert_eq!(store.list_leads(FiltroLeads::default(), None, 10).await.expect("a list"), esperada);
}

/// Pages of any size cover every lead once, newest first, by id where times are equal.
pub async fn pages_cover_everything_once(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    assert_eq!(paginas(&store, &FiltroLeads::default(), 3).await, vec![]);
    let mut esperados = Vec::new();
    for n in 0..23_i64 {
        // Five leads to each instant, then instants one microsecond apart.
        let en = micros(t(0).as_microsecond() + n / 5);
        esperados.push((en, crear(&store, CreateLead { en, ..nuevo_lead("Ana") }).await));
    }
    esperados.sort();
    esperados.reverse();
    for limit in [1, 2, 3, 5, 22, 23, 24, 1000] {
        let leidos = paginas(&store, &FiltroLeads::default(), limit).await;
        let leidos: Vec<_> = leidos.into_iter().map(|r| (r.lead.creado_en, r.lead.id)).collect();
        assert_eq!(leidos, esperados, "pages of {limit}");
    }
}

/// Pages go on where they stopped when leads are created meanwhile.
pub async fn new_leads_do_not_disturb_later_pages(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let mut viejos = Vec::new();
    for n in 0..4 {
        viejos.push(crear(&store, CreateLead { en: t(n), ..nuevo_lead("Ana") }).await);
    }
    let primera = store.list_leads(FiltroLeads::default(), None, 2).await.expect("a page");
    crear(&store, CreateLead { en: t(9), ..nuevo_lead("Eva") }).await;
    let ultimo = &primera[1].lead;
    let cursor = Some(Cursor { creado_en: ultimo.creado_en, id: ultimo.id });
    let segunda = store.list_leads(FiltroLeads::default(), cursor, 2).await.expect("a page");
    assert_eq!(segunda.iter().map(|r| r.lead.id).collect::<Vec<_>>(), [viejos[1], viejos[0]]);
}

/// Leads created at the edges of time stand in their order, and a page can start at each.
pub async fn extreme_times_can_be_paged(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let mut esperados = Vec::new();
    for en in instantes_extremos() {
        esperados.push(crear(&store, CreateLead { en, ..nuevo_lead("Ana") }).await);
    }
    esperados.reverse();
    let leidos: Vec<_> =
        paginas(&store, &FiltroLeads::default(), 1).await.into_iter().map(|r| r.lead.id).collect();
    assert_eq!(leidos, esperados);
}

/// Each filter alone finds its leads and no other; together, only the lead for which all hold.
pub async fn each_filter_finds_its_own(store: Arc<dyn Store>) {
    let (una, dos) = (empresa("Una"), empresa("Dos"));
    store.create_empresa(una.clone(), t(0)).await.expect("created");
    store.create_empresa(dos.clone(), t(0)).await.expect("created");
    let perfil = Perfil {
        tipo_reforma: Some(Zona::Bano),
        canal_origen: Some(CanalOrigen::Llamada),
        viable: Some(true),
        estado_wa: Some(EstadoWa::Leido),
        ..Default::default()
    };
    let buscado = CreateLead {
        empresa: Some(dos.id),
        perfil,
        en: t(5),
        ..con_contacto(nadie(), "Begoña", "611000001", "Bego@x.es")
    };
    let buscado = crear(&store, buscado).await;
    let distinto = Perfil {
        tipo_reforma: Some(Zona::Cocina),
        canal_origen: Some(CanalOrigen::Anuncio),
        viable: Some(false),
        estado_wa: Some(EstadoWa::Fallido),
        ..Default::default()
    };
    let otro = crear(&store, CreateLead { perfil: distinto, ..nuevo_lead("Eva") }).await;
    let vacio = crear(&store, nuevo_lead("Sol")).await;
    for (lead, nivel) in [(buscado, Nivel::B), (otro, Nivel::A)] {
        let c = Calificacion { nivel: Some(nivel), ..Default::default() };
        store.upsert_calificacion(calificacion(lead, c, t(6))).await.expect("written");
    }
    let todos = FiltroLeads {
        empresa: Some(dos.id),
        telefono_e164: Some("+34611000001".into()),
        email_normal: Some("bego@x.es".into()),
        tipo_reforma: Some(Zona::Bano),
        nivel: Some(Nivel::B),
        canal_origen: Some(CanalOrigen::Llamada),
        viable: Some(true),
        estado_wa: Some(EstadoWa::Leido),
        texto: Some("begona".into()),
        desde: Some(t(5)),
        hasta: Some(t(6)),
    };
    let nada = FiltroLeads::default;
    let solos = [
        FiltroLeads { empresa: todos.empresa, ..nada() },
        FiltroLeads { telefono_e164: todos.telefono_e164.clone(), ..nada() },
        FiltroLeads { email_normal: todos.email_normal.clone(), ..nada() },
        FiltroLeads { tipo_reforma: todos.tipo_reforma, ..nada() },
        FiltroLeads { nivel: todos.nivel, ..nada() },
        FiltroLeads { canal_origen: todos.canal_origen, ..nada() },
        FiltroLeads { viable: todos.viable, ..nada() },
        FiltroLeads { estado_wa: todos.estado_wa, ..nada() },
        FiltroLeads { texto: todos.texto.clone(), ..nada() },
        FiltroLeads { desde: todos.desde, ..nada() },
        todos.clone(),
    ];
    for solo in solos {
        assert_eq!(ids(&store, solo.clone()).await, [buscado], "{solo:?}");
    }
    let casi = [
        FiltroLeads { empresa: Some(una.id), ..todos.clone() },
        FiltroLeads { empresa: Some(EmpresaId(Uuid::new_v4())), ..nada() },
        FiltroLeads { telefono_e164: Some("611000001".into()), ..todos.clone() },
        FiltroLeads { email_normal: Some("x.es".into()), ..todos.clone() },
        FiltroLeads { tipo_reforma: Some(Zona::Cocina), ..todos.clone() },
        FiltroLeads { nivel: Some(Nivel::A), ..todos.clone() },
        FiltroLeads { canal_origen: Some(CanalOrigen::Anuncio), ..todos.clone() },
        FiltroLeads { viable: Some(false), ..todos.clone() },
        FiltroLeads { estado_wa: Some(EstadoWa::Fallido), ..todos.clone() },
        FiltroLeads { texto: Some("eva".into()), ..todos.clone() },
        FiltroLeads { desde: Some(t(6)), hasta: None, ..todos.clone() },
        FiltroLeads { hasta: Some(t(5)), desde: None, ..todos },
    ];
    for filtro in casi {
        assert_eq!(ids(&store, filtro.clone()).await, [], "{filtro:?}");
    }
    assert_eq!(ids(&store, FiltroLeads { viable: Some(false), ..nada() }).await, [otro]);
    assert!(ids(&store, nada()).await.contains(&vacio));
}

/// Dates are half open: the first instant counts, the last does not.
pub async fn dates_are_half_open(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let mut leads = Vec::new();
    for us in 0..4 {
        let en = micros(t(0).as_microsecond() + us);
        leads.push((en, crear(&store, CreateLead { en, ..nuevo_lead("Ana") }).await));
    }
    let (desde, hasta) = (Some(leads[1].0), Some(leads[3].0));
    let filtro = FiltroLeads { desde, hasta, ..Default::default() };
    assert_eq!(ids(&store, filtro).await, [leads[2].1, leads[1].1]);
    let filtro = FiltroLeads { desde: hasta, hasta: desde, ..Default::default() };
    assert_eq!(ids(&store, filtro).await, []);
}

/// Text is found anywhere in the search text, folded; `%`, `_`, `\`, `*` and `?` mean themselves.
pub async fn text_is_found_literally(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let nombres = ["José 100% Núñez", "Ana_B", r"Eva\C", "Anaxb", "100x", "Sol*?[a]'\""];
    let mut leads = Vec::new();
    for (n, nombre) in nombres.iter().enumerate() {
        let correo = format!("l{n}@z.io");
        leads.push(crear(&store, con_contacto(nadie(), nombre, &format!("61100000{n}"), &correo)).await);
    }
    for (texto, esperados) in [
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
        let filtro = FiltroLeads { texto: Some(texto.to_owned()), ..Default::default() };
        let mut hallados = ids(&store, filtro).await;
        let mut esperados: Vec<_> = esperados.into_iter().map(|n: usize| leads[n]).collect();
        hallados.sort();
        esperados.sort();
        assert_eq!(hallados, esperados, "«{texto}»");
    }
}

/// Filters and pages work together.
pub async fn filtered_pages_cover_everything_once(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let mut esperados = Vec::new();
    for n in 0..20 {
        let perfil = Perfil { viable: Some(n % 2 == 0), ..Default::default() };
        let lead = crear(&store, CreateLead { perfil, en: t(n / 7), ..nuevo_lead("Ana") }).await;
        if n % 2 == 0 {
            esperados.push((t(n / 7), lead));
        }
    }
    esperados.sort();
    esperados.reverse();
    let filtro = FiltroLeads { viable: Some(true), texto: Some("ana".into()), ..Default::default() };
    let leidos = paginas(&store, &filtro, 3).await;
    let leidos: Vec<_> = leidos.into_iter().map(|r| (r.lead.creado_en, r.lead.id)).collect();
    assert_eq!(leidos, esperados);
}
