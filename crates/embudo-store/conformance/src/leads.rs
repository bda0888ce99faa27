//! Leads: created whole, corrected field by field, recognised when they come twice.

use std::sync::Arc;

use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::ficha::{Ficha, Lead};
use embudo_domain::lead::ContactoPatch;
use embudo_domain::{EmpresaId, LeadId, Timestamp};
use uuid::Uuid;

use super::data::{
    TEXTO_RARO, cambio, con_contacto, crear, email, empresa, ficha, instantes_extremos, nadie, nuevo_lead,
    otro_lead, perfil_completo, t, telefono, texto_largo, un_lead,
};
use embudo_store::Store;
use embudo_store::command::{CreateLead, UpdateContacto};
use embudo_store::query::{FiltroLeads, texto_busqueda};

fn consentimiento(finalidad: &str, otorgado_en: Option<Timestamp>) -> Consentimiento {
    Consentimiento {
        finalidad: finalidad.to_owned(),
        canal: Some("email".into()),
        texto_version: "2026-01".into(),
        fuente: Some("formulario_web".into()),
        otorgado: true,
        otorgado_en,
    }
}

/// A lead reads back with every field it was created with; a consent without a moment was given at that of the call.
pub async fn a_created_lead_reads_back_whole(store: Arc<dyn Store>) {
    let casa = store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let negado = Consentimiento {
        canal: None,
        fuente: None,
        otorgado: false,
        ..consentimiento("comercial", Some(t(-5)))
    };
    let nuevo = CreateLead {
        provincia: Some("A Coruña".into()),
        perfil: perfil_completo(),
        utm: vec![("utm_source".into(), "buscador".into()), ("gclid".into(), String::new())],
        consentimientos: vec![consentimiento("presupuesto", None), negado.clone()],
        en: t(7),
        ..nuevo_lead("José Núñez 👷")
    };
    crear(&store, nuevo.clone()).await;
    let esperada = Ficha {
        lead: Lead {
            id: nuevo.id,
            empresa: casa,
            nombre: nuevo.nombre,
            telefono: nuevo.telefono.tecleado,
            telefono_e164: nuevo.telefono.e164,
            email: nuevo.email.tecleado,
            provincia: nuevo.provincia,
            perfil: perfil_completo(),
            utm: vec![("gclid".into(), String::new()), ("utm_source".into(), "buscador".into())],
            creado_en: t(7),
            actualizado_en: t(7),
            bucle: None,
        },
        duplicados: vec![],
        fotos: vec![],
        notas: vec![],
        conversacion: vec![],
        calificacion: None,
        intentos: vec![],
        eventos: vec![],
        consentimientos: vec![consentimiento("presupuesto", Some(t(7))), negado],
        presupuestos: vec![],
    };
    let mut leida = ficha(&store, nuevo.id).await;
    // Its states read as events, too; which of the two stands first is left open.
    leida.eventos.sort_by_key(|e| e.tipo);
    let (estado_wa, bot_step) =
        (perfil_completo().estado_wa.expect("known"), perfil_completo().bot_step.expect("known"));
    let estados = [(TipoEvento::EstadoWa, estado_wa.as_str()), (TipoEvento::BotStep, &bot_step)];
    let estados: Vec<Evento> = estados.into_iter().map(|(tipo, valor)| cambio(tipo, valor, t(7))).collect();
    assert_eq!(leida, Ficha { eventos: estados, ..esperada });
}

/// What a lead does not know stays unknown.
pub async fn absent_fields_stay_absent(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let f = ficha(&store, lead).await;
    assert_eq!(f.lead.perfil, Default::default());
    assert_eq!((f.lead.provincia, f.lead.utm, f.consentimientos), (None, vec![], vec![]));
}

/// Campaign ids come back sorted by the characters of their names, whatever the engine's language.
pub async fn utm_is_sorted_by_characters(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let nombres = ["zeta", "Álamo", "alfa", "Zeta", "utm_b", "utm-a", ""];
    let utm = nombres.iter().map(|n| ((*n).to_owned(), format!("v{n}"))).collect();
    let lead = crear(&store, CreateLead { utm, ..nuevo_lead("Ana") }).await;
    let leidos: Vec<String> = ficha(&store, lead).await.lead.utm.into_iter().map(|(n, _)| n).collect();
    assert_eq!(leidos, ["", "Zeta", "alfa", "utm-a", "utm_b", "zeta", "Álamo"]);
}

/// A lead that names no company goes to the default one; one that names a company goes to it.
pub async fn a_lead_goes_to_its_company(store: Arc<dyn Store>) {
    let (una, dos) = (empresa("Una"), empresa("Dos"));
    store.create_empresa(una.clone(), t(0)).await.expect("created");
    store.create_empresa(dos.clone(), t(0)).await.expect("created");
    let sin = crear(&store, nuevo_lead("Ana")).await;
    let con = crear(&store, CreateLead { empresa: Some(dos.id), ..nuevo_lead("Eva") }).await;
    assert_eq!(ficha(&store, sin).await.lead.empresa.id, una.id);
    assert_eq!(ficha(&store, con).await.lead.empresa, dos);
}

/// A lead of a company that does not exist is refused, and nothing is stored.
pub async fn an_unknown_company_is_refused(store: Arc<dyn Store>) {
    let ausente = CreateLead { empresa: Some(EmpresaId(Uuid::new_v4())), ..nuevo_lead("Ana") };
    assert_fails!(store.create_lead(ausente.clone()).await, EmpresaNotFound);
    assert_fails!(store.create_lead(nuevo_lead("Sin empresa por defecto")).await, EmpresaNotFound);
    un_lead(&store).await;
    assert_fails!(store.create_lead(ausente.clone()).await, EmpresaNotFound);
    assert_fails!(store.ficha(ausente.id).await, LeadNotFound);
    assert_eq!(store.list_leads(FiltroLeads::default(), None, 10).await.expect("a list").len(), 1);
}

/// A lead that does not exist has no record, no history, and no contact data to correct.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    un_lead(&store).await;
    assert_fails!(store.ficha(nadie()).await, LeadNotFound);
    assert_fails!(store.historial(nadie()).await, LeadNotFound);
    let patch = ContactoPatch { nombre: Some("Nadie".into()), ..Default::default() };
    assert_fails!(
        store.update_contacto(UpdateContacto { lead: nadie(), patch, en: t(1) }).await,
        LeadNotFound
    );
}

/// Texts of every script and of any length come back byte for byte, also where an index might be in the way.
pub async fn strange_and_long_texts_survive(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    for texto in [TEXTO_RARO.to_owned(), texto_largo(8 << 20), " ".to_owned()] {
        let nuevo = CreateLead {
            provincia: Some(texto.clone()),
            busqueda: texto_busqueda(&texto, "", "", Some(&texto)),
            utm: vec![(texto_largo(100_000), texto.clone()), (texto.clone(), String::new())],
            consentimientos: vec![consentimiento(&texto, Some(t(1)))],
            nombre: texto.clone(),
            ..nuevo_lead("x")
        };
        let mut utm = nuevo.utm.clone();
        utm.sort();
        let lead = crear(&store, nuevo).await;
        let f = ficha(&store, lead).await;
        assert!(f.lead.nombre == texto && f.lead.provincia.as_deref() == Some(&texto));
        assert!(f.lead.utm == utm);
        assert!(f.consentimientos[0].finalidad == texto);
    }
}

/// Instants keep their microseconds from the year 0 to the year 9999.
pub async fn times_are_exact(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    for en in instantes_extremos() {
        let consentimientos = vec![consentimiento("comercial", Some(en))];
        let lead = crear(&store, CreateLead { en, consentimientos, ..nuevo_lead("Ana") }).await;
        let f = ficha(&store, lead).await;
        assert_eq!((f.lead.creado_en, f.lead.actualizado_en), (en, en));
        assert_eq!(f.consentimientos[0].otorgado_en, Some(en));
    }
}

async fn corregir(store: &Arc<dyn Store>, lead: LeadId, patch: ContactoPatch, en: Timestamp) {
    store.update_contacto(UpdateContacto { lead, patch, en }).await.expect("corrected");
}

/// A correction writes the contact fields sent and keeps every other.
pub async fn a_correction_keeps_what_it_leaves_out(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let nuevo =
        CreateLead { provincia: Some("Soria".into()), perfil: perfil_completo(), ..nuevo_lead("Ana") };
    let lead = crear(&store, nuevo).await;
    let mut esperado = ficha(&store, lead).await;
    let (tel, mail) = (telefono("699000111"), email("Nueva@Ejemplo.ES"));
    let patches = [
        ContactoPatch { nombre: Some("Ana María".into()), ..Default::default() },
        ContactoPatch { telefono: Some(tel.clone()), ..Default::default() },
        ContactoPatch { email: Some(mail.clone()), ..Default::default() },
        ContactoPatch { provincia: Some(String::new()), ..Default::default() },
    ];
    for (n, patch) in (1..).zip(patches) {
        corregir(&store, lead, patch, t(n)).await;
        match n {
            1 => esperado.lead.nombre = "Ana María".into(),
            2 => {
                esperado.lead.telefono.clone_from(&tel.tecleado);
                esperado.lead.telefono_e164.clone_from(&tel.e164);
            }
            3 => esperado.lead.email.clone_from(&mail.tecleado),
            _ => esperado.lead.provincia = Some(String::new()),
        }
        esperado.lead.actualizado_en = t(n);
        assert_eq!(ficha(&store, lead).await, esperado);
    }
}

/// After a correction a lead is found by its new data and no longer by the old.
pub async fn a_correction_refreshes_search(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let lead = crear(&store, con_contacto(nadie(), "Begoña Ruiz", "611000001", "Bego@x.es")).await;
    let encontrada = async |filtro: FiltroLeads| {
        let pagina = store.list_leads(filtro, None, 10).await.expect("a list");
        pagina.iter().any(|r| r.lead.id == lead)
    };
    let texto = |s: &str| FiltroLeads { texto: Some(s.to_owned()), ..Default::default() };
    let por_telefono = |s: &str| FiltroLeads { telefono_e164: Some(s.to_owned()), ..Default::default() };
    let por_email = |s: &str| FiltroLeads { email_normal: Some(s.to_owned()), ..Default::default() };
    assert!(encontrada(texto("begona")).await && encontrada(texto("+34611000001")).await);

    let patch = ContactoPatch {
        nombre: Some("Íñigo Peña".into()),
        telefono: Some(telefono("622000002")),
        email: Some(email("Inigo@Y.es")),
        provincia: Some("Ávila".into()),
    };
    corregir(&store, lead, patch, t(1)).await;
    for nuevo in ["inigo pena", "inigo@y.es", "+34622000002", "avila"] {
        assert!(encontrada(texto(nuevo)).await, "{nuevo}");
    }
    for viejo in ["begona", "bego@x.es", "611000001"] {
        assert!(!encontrada(texto(viejo)).await, "{viejo}");
    }
    assert!(
        encontrada(por_telefono("+34622000002")).await && !encontrada(por_telefono("+34611000001")).await
    );
    assert!(encontrada(por_email("inigo@y.es")).await && !encontrada(por_email("bego@x.es")).await);

    // What a correction leaves out stays in the search text.
    corregir(&store, lead, ContactoPatch { nombre: Some("Iñaki".into()), ..Default::default() }, t(2)).await;
    for vigente in ["inaki", "inigo@y.es", "+34622000002", "avila"] {
        assert!(encontrada(texto(vigente)).await, "{vigente}");
    }
    assert!(!encontrada(texto("pena")).await);
}

/// A lead with a telephone or e-mail that another lead of the same company has is flagged on both; never refused.
pub async fn duplicates_share_phone_or_email_in_one_company(store: Arc<dyn Store>) {
    let (una, dos) = (empresa("Una"), empresa("Dos"));
    store.create_empresa(una.clone(), t(0)).await.expect("created");
    store.create_empresa(dos.clone(), t(0)).await.expect("created");
    let a = crear(&store, con_contacto(nadie(), "A", "611000001", "a@x.es")).await;
    let tel = crear(&store, con_contacto(nadie(), "B", "611000001", "b@x.es")).await;
    let mail = crear(&store, con_contacto(nadie(), "C", "611000003", "A@X.es")).await;
    let ambos = crear(&store, con_contacto(nadie(), "D", "611000001", "a@x.es")).await;
    let ajena = CreateLead { empresa: Some(dos.id), ..con_contacto(nadie(), "E", "611000001", "a@x.es") };
    let ajena = crear(&store, ajena).await;
    let nadie_mas = otro_lead(&store).await;
    for (lead, otros) in [
        (a, vec![tel, mail, ambos]),
        (tel, vec![a, ambos]),
        (mail, vec![a, ambos]),
        (ambos, vec![a, tel, mail]),
        (ajena, vec![]),
        (nadie_mas, vec![]),
    ] {
        assert_eq!(duplicados(&store, lead).await, ordenados(otros));
    }
}

/// A correction can make a lead a duplicate and can end its being one.
pub async fn a_correction_moves_duplicates(store: Arc<dyn Store>) {
    let a = un_lead(&store).await;
    let b = crear(&store, con_contacto(nadie(), "B", "611000001", "b@x.es")).await;
    let patch = ContactoPatch { telefono: Some(telefono("611000001")), ..Default::default() };
    corregir(&store, a, patch, t(1)).await;
    assert_eq!((duplicados(&store, a).await, duplicados(&store, b).await), (vec![b], vec![a]));
    let patch = ContactoPatch { telefono: Some(telefono("611000009")), ..Default::default() };
    corregir(&store, b, patch, t(2)).await;
    assert_eq!((duplicados(&store, a).await, duplicados(&store, b).await), (vec![], vec![]));
    let patch = ContactoPatch { email: Some(email("B@X.ES")), ..Default::default() };
    corregir(&store, a, patch, t(3)).await;
    assert_eq!((duplicados(&store, a).await, duplicados(&store, b).await), (vec![b], vec![a]));
}

async fn duplicados(store: &Arc<dyn Store>, lead: LeadId) -> Vec<LeadId> {
    ordenados(ficha(store, lead).await.duplicados)
}

fn ordenados(mut ids: Vec<LeadId>) -> Vec<LeadId> {
    ids.sort();
    ids
}
