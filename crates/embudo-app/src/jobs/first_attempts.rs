//! Jobs just committed under this process's lease, tried at once, with what follows from them.

use std::collections::BTreeMap;

use embudo_domain::TrabajoId;
use embudo_domain::trabajo::{TipoTrabajo, Trabajo};
use embudo_store::Outcome;
use tokio::sync::mpsc;

use super::attempt::JobAttempt;
use crate::App;
use crate::taller::EnCurso;

/// Tries jobs that were just committed under this process's lease, and notes in their call's outcome what was accepted in
/// time. An attempt that takes longer goes on by itself.
pub(crate) async fn try_now(app: &App, ids: Vec<TrabajoId>, mut outcome: Outcome) -> Outcome {
    if ids.is_empty() {
        return outcome;
    }
    // Entered before the jobs are read, so that no heartbeat misses them.
    let mut marcas: BTreeMap<TrabajoId, EnCurso> =
        ids.iter().map(|id| (*id, app.taller.entrar(*id))).collect();
    let trabajos = match app.store.recien_hechos(ids).await {
        Ok(trabajos) => trabajos,
        Err(error) => {
            tracing::warn!(%error, "jobs just made cannot be read; they are taken up when their lease runs out");
            return outcome;
        }
    };
    let (llegaron, mut noticias) = mpsc::unbounded_channel();
    for trabajo in trabajos {
        let (app, llegaron) = (app.clone(), llegaron.clone());
        let marca = marcas.remove(&trabajo.id);
        tokio::spawn(async move {
            run_chain(&app, &trabajo, &llegaron).await;
            drop(marca);
        });
    }
    drop(llegaron);
    let todos = async {
        while let Some(tipo) = noticias.recv().await {
            outcome.accept(tipo);
        }
    };
    let _ = tokio::time::timeout(app.outbound.espera, todos).await;
    outcome
}

/// One attempt, and then those of the jobs that it made for this process. Tells what was accepted as it happens.
pub(crate) async fn run_chain(app: &App, trabajo: &Trabajo, llegaron: &mpsc::UnboundedSender<TipoTrabajo>) {
    let siguientes = run_and_tell(app, trabajo, llegaron).await;
    if siguientes.is_empty() {
        return;
    }
    let _marcas: Vec<EnCurso> = siguientes.iter().map(|id| app.taller.entrar(*id)).collect();
    let siguientes = app.store.trabajos(siguientes).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "jobs just made cannot be read; they are taken up when their lease runs out");
        Vec::new()
    });
    let entregas: Vec<_> =
        siguientes.iter().map(|siguiente| run_and_tell(app, siguiente, llegaron)).collect();
    futures_util::future::join_all(entregas).await;
}

/// One attempt; tells if it was accepted, and returns the jobs that follow at once.
async fn run_and_tell(
    app: &App,
    trabajo: &Trabajo,
    llegaron: &mpsc::UnboundedSender<TipoTrabajo>,
) -> Vec<TrabajoId> {
    let (llego, siguientes) = JobAttempt { app, trabajo }.run().await;
    if llego {
        // Nobody listens any more once the request was answered.
        let _ = llegaron.send(trabajo.tipo);
    }
    siguientes
}
