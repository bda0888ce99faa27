//! Jobs are made with the data that causes them: in the same transaction, with what it wrote, or not at all.

use std::sync::Arc;

use embudo_domain::bucle::Plazos;
use embudo_domain::evento::TipoEvento;
use embudo_domain::ingesta::Momento;
use embudo_domain::senal::{MensajeriaSenal, PerfilSenal};
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{EmpresaId, Huella, LeadId, TrabajoId, Zona};
use uuid::Uuid;

use super::data::outbox::{hacer, lead_con_avisos, leer, proceso, solo_trabajos, suyos, tomar, trabajo};
use super::data::{
    TEXTO_RARO, clave, crear, empresa, evento, ficha, foto, foto_de, foto_n, ingesta, instantes_extremos,
    nadie, nota, nuevo_lead, otro_lead, perfil_completo, sin_rastro, t, texto_largo, un_lead,
};
use embudo_store::cola::{CargaNueva, FiltroTrabajos, NuevoTrabajo};
use embudo_store::command::{CreateLead, EmpresaPatch, FotoNueva, Ingest, RecordEvento};
use embudo_store::{Hecho, Store};

/// Every command that makes jobs makes them whole: the lead's, its company's, pending, due at the command's moment.
pub async fn a_new_job_reads_back(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let casa = empresa("Otra casa");
    store.create_empresa(casa.clone(), t(0)).await.expect("created");
    let texto = |carga: &str| NuevoTrabajo {
        carga: CargaNueva::Texto(carga.into()),
        ..trabajo(TipoTrabajo::CorreoCliente)
    };
    let raro = format!(r#"{{"z": 1.0, "a":"{TEXTO_RARO}"}}"#);
    let (uno, dos, tres) = (texto(&raro), trabajo(TipoTrabajo::Mensajeria), trabajo(TipoTrabajo::Pdf));
    let cargas = [(uno.id, uno.tipo, t(1)), (dos.id, dos.tipo, t(2)), (tres.id, tres.tipo, t(3))];
    let nuevo = CreateLead { empresa: Some(casa.id), trabajos: vec![uno], en: t(1), ..nuevo_lead("Ana") };
    let lead = crear(&store, nuevo).await;
    store.ingest(Ingest { trabajos: vec![dos], ..ingesta(lead, vec![], t(2)) }).await.expect("saved");
    let con_evento =
        RecordEvento { evento: Some(evento(TipoEvento::Pdf, t(9))), ..solo_trabajos(lead, vec![tres], t(3)) };
    store.record_evento(con_evento).await.expect("recorded");
    for (id, tipo, en) in cargas {
        let (leido, entregas) = store.trabajo(id).await.expect("it was made");
        let esperado = Trabajo {
            id,
            lead,
            empresa: casa.id,
            tipo,
            carga: if tipo == TipoTrabajo::CorreoCliente { raro.clone() } else { leido.carga.clone() },
            estado: EstadoTrabajo::Pendiente,
            intentos: 0,
            proximo_en: en,
            en_duda: false,
            ultimo_error: None,
            creado_en: en,
            terminado_en: None,
        };
        assert_eq!((leido, entregas), (esperado, vec![]));
    }
    assert_eq!(ficha(&store, lead).await.eventos, vec![evento(TipoEvento::Pdf, t(9))]);
}

/// A job may be long, and its moments are exact.
pub async fn long_loads_and_times_are_exact(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    for en in instantes_extremos() {
        let largo = texto_largo(300_000);
        let nuevo =
            NuevoTrabajo { carga: CargaNueva::Texto(largo.clone()), ..trabajo(TipoTrabajo::CorreoCliente) };
        let id = hacer(&store, lead, nuevo, en).await;
        let leido = leer(&store, id).await;
        assert!(leido.carga == largo);
        assert_eq!((leido.creado_en, leido.proximo_en), (en, en));
    }
}

/// A profile signal holds the very items of the call that makes it, photos by number, and equals the record after it.
pub async fn a_profile_holds_the_items_of_its_call(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa(TEXTO_RARO), t(0)).await.expect("ensured");
    let nuevo =
        CreateLead {
            provincia: Some(TEXTO_RARO.into()), perfil: perfil_completo(), ..nuevo_lead("José 👷")
        };
    let lead = crear(&store, nuevo).await;
    store.ingest(ingesta(lead, vec![foto_n(9.0), foto_n(2.5)], t(1))).await.expect("saved");
    let antes = ficha(&store, lead).await;
    let (a, b) = (foto_n(3.0), foto());
    let despues = FotoNueva { momento: Momento::Despues, zona: Some(Zona::Cocina), ..foto_n(-1.0) };
    let signal = trabajo(TipoTrabajo::Perfil);
    let id = signal.id;
    let esperados = [despues.id, antes.fotos[0].id, a.id, antes.fotos[1].id, b.id];
    let command = Ingest {
        notas: vec![nota(TEXTO_RARO, None), nota("m", Some(Zona::Otro))],
        trabajos: vec![signal],
        ..ingesta(lead, vec![a, despues, b], t(2))
    };
    store.ingest(command).await.expect("saved");
    let leida: PerfilSenal = serde_json::from_str(&leer(&store, id).await.carga).expect("a profile");
    assert_eq!(leida, PerfilSenal::from(&ficha(&store, lead).await));
    assert_eq!(leida.fotos().collect::<Vec<_>>(), esperados);
    let zonas: Vec<_> = leida.zonas.iter().map(|z| (z.zona, z.notas.len())).collect();
    assert_eq!(zonas, [(Zona::Cocina, 0), (Zona::Bano, 1), (Zona::Otro, 1)]);

    // What comes later changes the lead, not the signal.
    store.ingest(ingesta(lead, vec![foto()], t(3))).await.expect("saved");
    let otra_vez: PerfilSenal = serde_json::from_str(&leer(&store, id).await.carga).expect("a profile");
    assert_eq!(otra_vez, leida);
}

/// A new lead's signals say what it was created with; the start of a conversation says whom to call.
pub async fn a_new_leads_signals_say_what_it_has(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    for perfil in [Default::default(), perfil_completo()] {
        let (signal, inicio) = (trabajo(TipoTrabajo::Perfil), trabajo(TipoTrabajo::Mensajeria));
        let (uno, dos) = (signal.id, inicio.id);
        let nuevo = CreateLead { perfil, trabajos: vec![signal, inicio], ..nuevo_lead(TEXTO_RARO) };
        let lead = crear(&store, nuevo).await;
        let f = ficha(&store, lead).await;
        let leida: PerfilSenal = serde_json::from_str(&leer(&store, uno).await.carga).expect("a profile");
        assert_eq!(leida, PerfilSenal::from(&f));
        let leida: MensajeriaSenal = serde_json::from_str(&leer(&store, dos).await.carga).expect("a start");
        assert_eq!(leida, MensajeriaSenal::from(&f.lead));
    }
}

/// A command that fails or is a replay makes no job.
pub async fn a_command_that_fails_makes_none(store: Arc<dyn Store>) {
    let (lead, ausente) = (un_lead(&store).await, nadie());
    let uno = || vec![trabajo(TipoTrabajo::Perfil), trabajo(TipoTrabajo::Mensajeria)];
    let command = Ingest { trabajos: uno(), ..ingesta(ausente, vec![foto()], t(1)) };
    assert_fails!(store.ingest(command).await, LeadNotFound);
    assert_fails!(store.record_evento(solo_trabajos(ausente, uno(), t(1))).await, LeadNotFound);
    sin_rastro(&store, ausente).await;
    let huerfano =
        CreateLead { empresa: Some(EmpresaId(Uuid::new_v4())), trabajos: uno(), ..nuevo_lead("Ana") };
    assert_fails!(store.create_lead(huerfano).await, EmpresaNotFound);
    let blob = Huella::of(b"barrido");
    assert!(store.mark_blob(lead, blob, t(1)).await.expect("answered").is_some());
    let command = Ingest { trabajos: uno(), ..ingesta(lead, vec![foto_de(blob)], t(1)) };
    assert_fails!(store.ingest(command).await, BlobMarked);
    assert_eq!(todos(&store).await, vec![]);

    for n in 0..3 {
        let idempotencia = Some(clave("POST ingesta", "k", u8::from(n == 2), t(1)));
        let hecho =
            store.ingest(Ingest { trabajos: uno(), idempotencia, ..ingesta(lead, vec![], t(1)) }).await;
        let idempotencia = Some(clave("POST mensajeria", "k", u8::from(n == 2), t(1)));
        let command = RecordEvento { idempotencia, ..solo_trabajos(lead, vec![], t(1)) };
        let otro = store.record_evento(RecordEvento { trabajos: uno(), ..command }).await;
        if n == 2 {
            assert_fails!(hecho, KeyReused);
            assert_fails!(otro, KeyReused);
        } else {
            assert_eq!(hecho.expect("answered") == Hecho::Ahora, n == 0);
            assert_eq!(otro.expect("answered") == Hecho::Ahora, n == 0);
        }
    }
    assert_eq!(todos(&store).await.len(), 4);
}

async fn todos(store: &Arc<dyn Store>) -> Vec<TrabajoId> {
    let lista = store.list_trabajos(FiltroTrabajos::default(), None, 1000).await.expect("a list");
    lista.into_iter().map(|t| t.id).collect()
}

/// A mail to the company is made only while it has an address and wants notices, by whatever command; other jobs of the
/// same command are made all the same.
pub async fn a_company_gets_the_notices_it_wants(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let casa = ficha(&store, lead).await.lead.empresa.id;
    let cambios = [
        (None, None, false),
        (Some("a@x.es"), None, true),
        (None, Some(false), false),
        (None, Some(true), true),
        (Some(""), None, false),
        (Some("b@x.es"), Some(false), false),
    ];
    for (n, (email, avisos, quiere)) in (1..).zip(cambios) {
        let email_avisos = email.map(str::to_owned);
        let patch = EmpresaPatch { email_avisos, avisos, ..Default::default() };
        store.update_empresa(casa, patch).await.expect("changed");
        let antes = todos(&store).await.len();
        let par = || vec![trabajo(TipoTrabajo::CorreoEmpresa), trabajo(TipoTrabajo::Mensajeria)];
        crear(&store, CreateLead { trabajos: par(), ..nuevo_lead("Eva") }).await;
        store.ingest(Ingest { trabajos: par(), ..ingesta(lead, vec![], t(n)) }).await.expect("saved");
        store.record_evento(solo_trabajos(lead, par(), t(n))).await.expect("recorded");
        assert_eq!(todos(&store).await.len() - antes, if quiere { 6 } else { 3 }, "{n}");
    }
}

/// One company's wish is not another's.
pub async fn notices_are_the_leads_own_companys(store: Arc<dyn Store>) {
    let con = lead_con_avisos(&store).await;
    let casa = empresa("Sin avisos");
    store.create_empresa(casa.clone(), t(0)).await.expect("created");
    let sin = crear(&store, CreateLead { empresa: Some(casa.id), ..nuevo_lead("Eva") }).await;
    for (lead, cuantos) in [(con, 1), (sin, 0)] {
        let aviso = vec![trabajo(TipoTrabajo::CorreoEmpresa)];
        store.record_evento(solo_trabajos(lead, aviso, t(1))).await.expect("recorded");
        assert_eq!(suyos(&store, lead).await.len(), cuantos);
    }
}

/// Making jobs starts no loop and touches nothing else of the lead.
pub async fn jobs_leave_the_lead_alone(store: Arc<dyn Store>) {
    let lead: LeadId = un_lead(&store).await;
    let antes = ficha(&store, lead).await;
    let todos: Vec<NuevoTrabajo> = TipoTrabajo::TODOS.into_iter().map(trabajo).collect();
    store.record_evento(solo_trabajos(lead, todos, t(5))).await.expect("recorded");
    tomar(&store, proceso(), t(5)).await;
    let command = Ingest { plazos: Plazos::default(), ..ingesta(otro_lead(&store).await, vec![], t(6)) };
    store.ingest(command).await.expect("saved");
    assert_eq!(ficha(&store, lead).await, antes);
}
