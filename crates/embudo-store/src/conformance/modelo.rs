//! Random sequences of commands, done by the store and by a simple model: both must end alike (promise D8).
//!
//! The generator is our own and seeded, so a failure names a seed and a step and comes back on every machine and on
//! the other engine. `EMBUDO_MODELO_SECUENCIAS` raises the number of sequences, `EMBUDO_MODELO_SEMILLA` picks the
//! first seed.

pub(super) mod mundo;
pub(super) mod pasos;

use std::sync::Arc;

use embudo_domain::ficha::{CambioEstado, Ficha};

use self::mundo::Mundo;
use self::pasos::{Paso, Sorteo};
use super::datos::{empresa, t};
use super::listas::paginas;
use crate::{Result, Store, StoreError};

const PASOS: usize = 50;

fn variable(nombre: &str, por_defecto: u64) -> u64 {
    let Ok(texto) = std::env::var(nombre) else { return por_defecto };
    texto.parse().unwrap_or_else(|_| panic!("{nombre}: «{texto}» is not a number"))
}

/// After any sequence of commands, record, history and lists are those of the model.
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
        let nueva = empresa(nombre);
        store.create_empresa(nueva.clone(), t(0)).await.expect("created");
        mundo.empresas.push(nueva);
    }
    for n in 0..PASOS {
        let paso = sorteo.paso(&mundo, n);
        let donde = format!("EMBUDO_MODELO_SEMILLA={semilla}, step {n}: {paso:?}");
        let del_store = hacer(store, paso.clone()).await;
        let del_modelo = mundo.hacer(paso.clone());
        assert_eq!(clase(&del_store), clase(&del_modelo), "{donde}");
        if let Some(lead) = paso.lead() {
            let (leida, esperada) = (store.ficha(lead).await.map(ordenada), mundo.ficha(lead).map(ordenada));
            assert_eq!(leida.ok(), esperada.ok(), "{donde}");
        }
    }
    comparar(store, &mundo, &mut sorteo, &format!("EMBUDO_MODELO_SEMILLA={semilla}")).await;
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
        Paso::BorrarFoto(lead, foto) => return store.delete_foto(lead, foto).await.map(|()| String::new()),
        Paso::Marcar(lead, huella, en) => {
            return store.mark_blob(lead, huella, en).await.map(|marcado| marcado.to_string());
        }
        Paso::Desmarcar(lead, huella) => {
            return store.unmark_blob(lead, huella).await.map(|()| String::new());
        }
    };
    hecho.map(|hecho| format!("{hecho:?}"))
}

fn clase(resultado: &Result<String>) -> std::result::Result<&str, String> {
    resultado.as_deref().map_err(StoreError::to_string)
}

/// A record whose duplicates stand in a fixed order.
fn ordenada(mut ficha: Ficha) -> Ficha {
    ficha.duplicados.sort();
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
    }
    let mut marcados = store.marked_blobs().await.expect("a list");
    marcados.retain(|(lead, _)| mundo.leads().any(|l| l == *lead));
    marcados.sort();
    assert_eq!(marcados, mundo.marcados(), "{donde}");
    for _ in 0..12 {
        let (filtro, limit) = sorteo.filtro(mundo);
        assert_eq!(paginas(store, &filtro, limit).await, mundo.lista(&filtro), "{donde}, {filtro:?}");
    }
}

/// The changes of each field in their order; one call's two changes may stand either way round.
fn por_campo(historial: &[CambioEstado]) -> [Vec<&CambioEstado>; 2] {
    ["estado_wa", "bot_step"].map(|campo| historial.iter().filter(|c| c.campo == campo).collect())
}
