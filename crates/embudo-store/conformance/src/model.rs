//! Random sequences of commands, done by the store and by a simple model: both must end alike (promise D8).
//!
//! The generator is our own and seeded, so a failure names a seed and a step and comes back on every machine and on
//! the other engine. `EMBUDO_MODELO_SECUENCIAS` raises the number of sequences, `EMBUDO_MODELO_SEMILLA` picks the
//! first seed.

pub(super) mod outbox;
mod outbox_steps;
pub(super) mod steps;
pub(super) mod world;

use std::sync::Arc;

use embudo_domain::empresa::Empresa;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::ficha::{CambioEstado, Ficha};
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo, Trabajo};

use self::steps::{Paso, Sorteo};
use self::world::Mundo;
use super::data::{empresa, t};
use super::lists::paginas;
use embudo_store::cola::{FiltroTrabajos, JobCount};
use embudo_store::{Result, Store, StoreError};

const PASOS: usize = 80;

fn variable(nombre: &str, por_defecto: u64) -> u64 {
    let Ok(texto) = std::env::var(nombre) else { return por_defecto };
    texto.parse().unwrap_or_else(|_| panic!("{nombre}: «{texto}» is not a number"))
}

/// After any sequence of commands, record, history, outbox and lists are those of the model.
pub async fn the_store_agrees_with_the_model(store: Arc<dyn Store>) {
    store.ensure_default_empresa(empresa("Reformas Uno"), t(0)).await.expect("ensured");
    let primera = variable("EMBUDO_MODELO_SEMILLA", 1);
    for semilla in primera..primera + variable("EMBUDO_MODELO_SECUENCIAS", 20) {
        una_secuencia(&store, semilla).await;
    }
}

async fn una_secuencia(store: &Arc<dyn Store>, semilla: u64) {
    let mut sorteo = Sorteo::new(semilla);
    let mut mundo = Mundo::default();
    // Companies of its own keep a sequence apart from those before it on the same store.
    for nombre in ["Una", "Dos"] {
        // One of them wants notices.
        let email_avisos = (nombre == "Una").then(|| "avisos@ejemplo.es".to_owned());
        let nueva = Empresa { email_avisos, ..empresa(nombre) };
        store.create_empresa(nueva.clone(), t(0)).await.expect("created");
        mundo.empresas.push(nueva);
    }
    for n in 0..PASOS {
        let paso = sorteo.paso(&mundo, n);
        let donde = format!("EMBUDO_MODELO_SEMILLA={semilla}, step {n}: {paso:?}");
        let del_store = hacer(store, como_el_store(store, paso.clone()).await).await;
        let del_modelo = mundo.hacer(paso.clone());
        assert_eq!(clase(&del_store), clase(&del_modelo), "{donde}");
        if let Some(lead) = paso.lead() {
            let (leida, esperada) = (store.ficha(lead).await.map(ordenada), mundo.ficha(lead).map(ordenada));
            assert_eq!(leida.ok(), esperada.ok(), "{donde}");
        }
    }
    comparar(store, &mundo, &mut sorteo, &format!("EMBUDO_MODELO_SEMILLA={semilla}")).await;
    // What still waits would be claimed by the next sequence.
    for id in mundo.ids(|t| t.estado == EstadoTrabajo::Pendiente) {
        store.discard(id, t(0)).await.expect("the model has it");
    }
}

/// The numbers of marks are the store's own: the traces that a step names are named as the store does.
async fn como_el_store(store: &Arc<dyn Store>, mut paso: Paso) -> Paso {
    if let Paso::Ingesta(c) = &mut paso {
        let marcas = store.blob_marks(c.lead).await.expect("a list");
        for (huella, vez) in &mut c.barridos {
            *vez = marcas.iter().find(|m| m.huella == *huella).expect("the model has its trace").vez;
        }
    }
    paso
}

/// Does one step on the store; what it answered, in words that can be compared.
async fn hacer(store: &Arc<dyn Store>, paso: Paso) -> Result<String> {
    let hecho = match paso {
        Paso::Crear(c) => store.create_lead(*c).await,
        Paso::Turno(c) => store.append_turno(c).await,
        Paso::Perfil(c) => store.update_perfil(c).await,
        Paso::Calificacion(c) => store.upsert_calificacion(c).await,
        Paso::Intento(c) => store.record_intento(c).await,
        Paso::Ingesta(c) => store.ingest(c).await,
        Paso::Evento(c) => store.record_evento(c).await,
        Paso::Contacto(c) => return store.update_contacto(c).await.map(|()| String::new()),
        Paso::Vaciar(c) => return store.clear_perfil(c).await.map(|()| String::new()),
        Paso::Nota(c) => return store.set_nota(c).await.map(|()| String::new()),
        Paso::BorrarFoto(lead, foto) => return store.delete_foto(lead, foto).await.map(|()| String::new()),
        Paso::Marcar(lead, huella, en) => {
            return store.mark_blob(lead, huella, en).await.map(|vez| vez.is_some().to_string());
        }
        Paso::Barrido(lead, huella) => {
            let marcas = store.blob_marks(lead).await?;
            let vez = marcas.iter().find(|m| m.huella == huella).map_or(0, |m| m.vez);
            return store.blob_swept(lead, huella, vez).await.map(|()| String::new());
        }
        Paso::Cola(paso) => return outbox_steps::hacer(store, paso).await,
    };
    hecho.map(|hecho| format!("{hecho:?}"))
}

fn clase(resultado: &Result<String>) -> std::result::Result<&str, String> {
    resultado.as_deref().map_err(StoreError::to_string)
}

/// A record whose duplicates stand in a fixed order, and changes of state of one moment by field.
fn ordenada(mut ficha: Ficha) -> Ficha {
    ficha.duplicados.sort();
    let cambio = |e: &Evento| matches!(e.tipo, TipoEvento::EstadoWa | TipoEvento::BotStep);
    let juntos = |a: &Evento, b: &Evento| cambio(a) && cambio(b) && a.creado_en == b.creado_en;
    ficha.eventos.chunk_by_mut(juntos).for_each(|grupo| grupo.sort_by_key(|e| e.tipo));
    ficha
}

async fn comparar(store: &Arc<dyn Store>, mundo: &Mundo, sorteo: &mut Sorteo, donde: &str) {
    for lead in mundo.leads() {
        let leida = store.ficha(lead).await.expect("the model has it");
        assert_eq!(
            Ok(ordenada(leida)),
            mundo.ficha(lead).map(ordenada).map_err(|e| e.to_string()),
            "{donde}"
        );
        let leido = store.historial(lead).await.expect("the model has it");
        assert_eq!(por_campo(&leido), por_campo(mundo.historial(lead)), "{donde}");
        let filtro = FiltroTrabajos { lead: Some(lead), ..Default::default() };
        let trabajos = store.list_trabajos(filtro.clone(), None, 1000).await.expect("a list");
        let esperados = mundo.lista_trabajos(&filtro);
        assert_eq!(sin_plazo(&trabajos), sin_plazo(&esperados), "{donde}");
        for trabajo in trabajos {
            let (_, entregas) = store.trabajo(trabajo.id).await.expect("it was listed");
            let esperadas = &mundo.puesto(trabajo.id).expect("the model has it").entregas;
            assert_eq!(&entregas, esperadas, "{donde}");
        }
        let mut marcas = store.blob_marks(lead).await.expect("a list");
        marcas.sort_by_key(|m| m.huella);
        let marcas: Vec<_> = marcas.into_iter().map(|m| (m.huella, m.barrido)).collect();
        let esperadas = mundo.marcas.iter().filter(|((de, _), _)| *de == lead);
        let esperadas: Vec<_> = esperadas.map(|(_, (m, _))| (m.huella, m.barrido)).collect();
        assert_eq!(marcas, esperadas, "{donde}");
    }
    let mut vencidos = store.bucles_vencidos(t(1_000), 10_000).await.expect("a list");
    vencidos.retain(|v| mundo.leads().any(|l| l == v.lead));
    vencidos.sort_by_key(|v| v.lead);
    assert_eq!(vencidos, mundo.vencidos(t(1_000)), "{donde}");
    for tipos in [&TipoTrabajo::TODOS[..], &[TipoTrabajo::Perfil, TipoTrabajo::Pdf], &[]] {
        if let (libre, false) = mundo.proximo(tipos) {
            assert_eq!(store.next_due(tipos.into()).await.expect("answered"), libre, "{donde}");
        }
    }
    let pending = |mut counts: Vec<JobCount>| {
        // What ended may be of a sequence before this one.
        counts.retain(|c| c.estado == EstadoTrabajo::Pendiente);
        counts.sort();
        counts
    };
    let counts = store.count_trabajos().await.expect("counted");
    assert_eq!(pending(counts), pending(mundo.recuento()), "{donde}");
    let mut marcados = store.marked_blobs().await.expect("a list");
    marcados.retain(|(lead, _)| mundo.leads().any(|l| l == *lead));
    marcados.sort();
    assert_eq!(marcados, mundo.marcados(), "{donde}");
    for _ in 0..12 {
        let (filtro, limit) = sorteo.filtro(mundo);
        assert_eq!(paginas(store, &filtro, limit).await, mundo.lista(&filtro), "{donde}, {filtro:?}");
    }
}

/// Jobs without the moment of a next attempt where there is none: what has ended keeps there whatever it had.
fn sin_plazo(trabajos: &[Trabajo]) -> Vec<Trabajo> {
    let sin = |t: &Trabajo| match t.estado {
        EstadoTrabajo::Pendiente => t.clone(),
        _ => Trabajo { proximo_en: t.creado_en, ..t.clone() },
    };
    trabajos.iter().map(sin).collect()
}

/// The changes of each field in their order; one call's two changes may stand either way round.
fn por_campo(historial: &[CambioEstado]) -> [Vec<&CambioEstado>; 2] {
    ["estado_wa", "bot_step"].map(|campo| historial.iter().filter(|c| c.campo == campo).collect())
}
