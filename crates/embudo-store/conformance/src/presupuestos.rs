//! Drafts: equal content is one quote, numbers have no gaps, a newer quote takes the place of older ones.

use std::collections::BTreeSet;
use std::sync::Arc;

use embudo_domain::presupuesto::EstadoPresupuesto::{Aceptado, Borrador, Emitido, Rechazado, Sustituido};
use embudo_domain::presupuesto::{NumeroPresupuesto, Validez};
use embudo_domain::{LeadId, PresupuestoId};
use jiff::civil::date;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::presupuesto::{
    HOY, borrador, completar, dia, documento, en_estado, enviar, estado_de, leer, redactar, redactar_el,
    resumen,
};
use super::data::{
    TEXTO_RARO, crear, empresa, ficha, instantes_extremos, nadie, nuevo_lead, otro_lead, t, texto_largo,
    un_lead,
};
use embudo_store::command::CreateLead;
use embudo_store::presupuestos::DraftPresupuesto;
use embudo_store::{Store, StoreError};

/// A draft is the first quote of its lead, and reads back word for word; the lead itself does not change.
pub async fn a_draft_reads_back_whole(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let antes = ficha(&store, lead).await.lead;
    let documento = documento(&store, lead, TEXTO_RARO).await;
    let command = borrador(lead, documento.clone(), HOY, t(1));
    let p = store.draft_presupuesto(command.clone()).await.expect("drafted");
    assert_eq!((p.id, p.lead, p.empresa), (command.id, lead, antes.empresa.id));
    assert_eq!((p.numero.to_string(), p.version, p.estado), ("2026-0001".to_owned(), 1, Borrador));
    assert_eq!((p.contenido, p.validez), (documento.huella(), Validez { emitido: HOY, hasta: dia(30) }));
    assert_eq!((p.pdf, p.creado_en, p.emitido_en, &p.respuesta), (None, t(1), None, &None));
    assert_eq!(p.documento, documento);
    assert_eq!(leer(&store, &p).await, p);
    assert_eq!(store.presupuestos(lead).await.expect("a list"), vec![p.clone()]);
    let despues = ficha(&store, lead).await;
    assert_eq!((despues.lead, despues.presupuestos), (antes, vec![p.resumen()]));
    assert_eq!(despues.eventos, vec![]);
}

/// The same content while the last quote holds is that quote, whatever became of it, and nothing is written.
pub async fn equal_content_is_one_quote(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for estado in [Borrador, Emitido, Aceptado, Rechazado] {
        let lead = otro_lead(&store).await;
        let p = en_estado(&store, lead, "igual", estado).await;
        let antes = ficha(&store, lead).await;
        for emitido in [HOY, dia(1), dia(30)] {
            assert_eq!(redactar_el(&store, lead, "igual", emitido).await, p, "{estado}");
        }
        assert_eq!(ficha(&store, lead).await, antes, "{estado}");
    }
}

/// Other content is a new quote, and the old one gives way; content that is older than the last one's is new again.
pub async fn other_content_takes_the_place(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let uno = redactar(&store, lead, "a").await;
    let dos = redactar(&store, lead, "b").await;
    let tres = redactar(&store, lead, "a").await;
    assert_eq!(tres.contenido, uno.contenido);
    assert!(dos.id != uno.id && tres.id != uno.id);
    let esperado = [("2026-0001", 1, Sustituido), ("2026-0002", 2, Sustituido), ("2026-0003", 3, Borrador)];
    assert_eq!(resumen(&store, lead).await, esperado.map(|(n, v, e)| (n.to_owned(), v, e)));
    assert_eq!(leer(&store, &uno).await.documento, uno.documento, "what it says stays");
}

/// An accepted quote is a contract: a newer one stands beside it. All others give way.
pub async fn an_accepted_quote_stays(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for estado in [Borrador, Emitido, Rechazado, Aceptado] {
        let lead = otro_lead(&store).await;
        let p = en_estado(&store, lead, "primero", estado).await;
        for nota in ["segundo", "tercero"] {
            redactar(&store, lead, nota).await;
        }
        let queda = if estado == Aceptado { Aceptado } else { Sustituido };
        assert_eq!(estado_de(&store, &p).await, queda);
        let estados: Vec<_> = resumen(&store, lead).await.into_iter().map(|(_, v, e)| (v, e)).collect();
        assert_eq!(estados, [(1, queda), (2, Sustituido), (3, Borrador)]);
    }
}

/// Equal content that no longer holds is a new quote; on its last day it still holds.
pub async fn expired_content_is_a_new_quote(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let uno = enviar(&store, lead, "igual").await;
    assert_eq!(redactar_el(&store, lead, "igual", uno.validez.hasta).await.id, uno.id);
    let dos = redactar_el(&store, lead, "igual", dia(31)).await;
    assert_eq!((dos.numero.orden(), dos.version, dos.contenido), (2, 2, uno.contenido));
    assert_eq!(dos.validez, Validez::new(dia(31), 30));
    assert_eq!(estado_de(&store, &uno).await, Sustituido);
}

/// Every company counts for itself, and every year from one; versions count on.
pub async fn numbers_are_per_company_and_year(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let otra = empresa("Reformas Dos");
    store.create_empresa(otra.clone(), t(0)).await.expect("created");
    let suyo = CreateLead { empresa: Some(otra.id), ..nuevo_lead("Luis") };
    let suyo = crear(&store, suyo).await;
    let (fin_de_ano, ano_nuevo) = (date(2026, 12, 31), date(2027, 1, 1));
    let mut numeros = Vec::new();
    for (de, emitido) in [
        (lead, HOY),
        (suyo, HOY),
        (lead, fin_de_ano),
        (lead, ano_nuevo),
        (suyo, ano_nuevo),
        (suyo, ano_nuevo),
        (lead, HOY),
        (lead, ano_nuevo),
    ] {
        let nota = numeros.len().to_string();
        let p = redactar_el(&store, de, &nota, emitido).await;
        assert_eq!(p.empresa == otra.id, de == suyo);
        numeros.push((p.numero.to_string(), p.version));
    }
    let esperados = [
        ("2026-0001", 1),
        ("2026-0001", 1),
        ("2026-0002", 2),
        ("2027-0001", 3),
        ("2027-0001", 2),
        ("2027-0002", 3),
        ("2026-0003", 4),
        ("2027-0002", 5),
    ];
    assert_eq!(numeros, esperados.map(|(n, v)| (n.to_owned(), v)));
}

/// Sixteen leads of one company at once get the numbers from 1 to 16.
pub async fn concurrent_drafts_have_no_gaps(store: Arc<dyn Store>) {
    un_lead(&store).await;
    let mut tareas = JoinSet::new();
    for _ in 0..16 {
        let lead = otro_lead(&store).await;
        let command = borrador(lead, documento(&store, lead, "x").await, HOY, t(1));
        let store = Arc::clone(&store);
        tareas.spawn(async move { store.draft_presupuesto(command).await.expect("drafted").numero.orden() });
    }
    let numeros: BTreeSet<u32> = tareas.join_all().await.into_iter().collect();
    assert_eq!(numeros, (1..=16).collect());
}

/// Sixteen drafts of one lead at once that say the same are one quote.
pub async fn concurrent_equal_drafts_are_one(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let documento = documento(&store, lead, "x").await;
    let mut tareas = JoinSet::new();
    for _ in 0..16 {
        let command = borrador(lead, documento.clone(), HOY, t(1));
        let store = Arc::clone(&store);
        tareas.spawn(async move { store.draft_presupuesto(command).await.expect("drafted").id });
    }
    let ids: BTreeSet<PresupuestoId> = tareas.join_all().await.into_iter().collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(resumen(&store, lead).await, [("2026-0001".to_owned(), 1, Borrador)]);
    assert_eq!(redactar(&store, otro_lead(&store).await, "x").await.numero.orden(), 2);
}

/// Sixteen drafts of one lead at once that say different things are sixteen quotes, and the last one stands.
pub async fn concurrent_drafts_of_one_lead_follow_each_other(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let mut tareas = JoinSet::new();
    for n in 0..16 {
        let command = borrador(lead, documento(&store, lead, &n.to_string()).await, HOY, t(1));
        let store = Arc::clone(&store);
        tareas.spawn(async move { store.draft_presupuesto(command).await.expect("drafted").version });
    }
    let versiones: BTreeSet<u32> = tareas.join_all().await.into_iter().collect();
    assert_eq!(versiones, (1..=16).collect());
    let estado = |n| if n == 16 { Borrador } else { Sustituido };
    let esperado: Vec<_> = (1..=16).map(|n| (format!("2026-{n:04}"), n, estado(n))).collect();
    assert_eq!(resumen(&store, lead).await, esperado);
}

/// A draft that fails gives its number back and supersedes nothing.
pub async fn a_failed_draft_leaves_no_gap(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let uno = redactar(&store, lead, "a").await;
    let documento = documento(&store, lead, "b").await;
    let bueno = borrador(lead, documento.clone(), HOY, t(2));
    // An id that is taken is only found out when everything else is written.
    let repetido = DraftPresupuesto { id: uno.id, ..bueno.clone() };
    let sin_ano = DraftPresupuesto { validez: Validez::new(date(999, 1, 1), 30), ..bueno.clone() };
    for malo in [repetido, sin_ano] {
        match store.draft_presupuesto(malo).await {
            Err(StoreError::Internal(_)) => {}
            otro => panic!("expected Internal, got {otro:?}"),
        }
        assert_eq!(store.presupuestos(lead).await.expect("a list"), vec![uno.clone()]);
    }
    assert_fails!(
        store.draft_presupuesto(DraftPresupuesto { lead: nadie(), ..bueno.clone() }).await,
        LeadNotFound
    );
    let dos = store.draft_presupuesto(bueno).await.expect("drafted");
    assert_eq!((dos.numero, dos.version), (NumeroPresupuesto::new(2026, 2).expect("a number"), 2));
}

/// A document of more than a megabyte survives, and so does the one after it.
pub async fn big_documents_survive(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let largo = texto_largo(1 << 20);
    let p = redactar(&store, lead, &largo).await;
    completar(&store, &p).await;
    assert!(leer(&store, &p).await.documento == p.documento);
    assert_eq!(redactar(&store, lead, &largo).await.id, p.id);
    assert_eq!(redactar(&store, lead, &format!("{largo}.")).await.version, 2);
}

/// Instants are kept to the microsecond.
pub async fn times_are_exact(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for en in instantes_extremos() {
        let command = borrador(lead, documento(&store, lead, &en.to_string()).await, HOY, en);
        let p = store.draft_presupuesto(command).await.expect("drafted");
        assert_eq!((p.creado_en, leer(&store, &p).await.creado_en), (en, en));
    }
}

/// What does not exist is not found; a lead may have no quotes.
pub async fn what_is_unknown_is_not_found(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    assert_eq!(store.presupuestos(lead).await.expect("a list"), vec![]);
    assert_fails!(store.presupuestos(nadie()).await, LeadNotFound);
    assert_fails!(store.presupuesto(PresupuestoId(Uuid::new_v4())).await, PresupuestoNotFound);
    let LeadId(id) = lead;
    assert_fails!(store.presupuesto(PresupuestoId(id)).await, PresupuestoNotFound);
}
