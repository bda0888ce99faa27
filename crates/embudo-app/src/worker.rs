//! The worker: takes jobs that are due and has them tried.
//!
//! Jobs that a request caused are leased to this process when they are committed, so the request's own first attempt needs no
//! claim. Everything else is claimed. A heartbeat keeps the leases of running attempts; a process that dies stops
//! beating, and its jobs are free when the leases run out.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Duration;

use embudo_domain::trabajo::TipoTrabajo;
use embudo_store::StoreError;
use embudo_supervisor::{Pauses, Pulse};
use futures_util::FutureExt;
use tokio::sync::mpsc;

use crate::App;
use crate::jobs::run_chain;

/// How often leases are prolonged.
const LATIDO: Duration = Duration::from_secs(5);
/// How long the worker rests at most, and at least.
const SONDEO: Duration = Duration::from_secs(5);
const RESPIRO: Duration = Duration::from_millis(200);

/// The worker.
#[derive(Clone, Copy)]
pub struct Worker<'a> {
    pub(crate) app: &'a App,
}

impl Worker<'_> {
    /// Works until `parar` completes; then lets running attempts finish for `drenaje`, and gives the rest back. A worker that panics
    /// starts again.
    pub async fn work(self, parar: impl Future<Output = ()>, drenaje: Duration) {
        // Without it jobs of before a crash only wait for their leases.
        let _ = AssertUnwindSafe(self.release_own()).catch_unwind().await;
        let parar = parar.fuse();
        tokio::pin!(parar);
        let mut parado = false;
        let pulso = self.app.supervisor.watch("the worker");
        let mut pausas = Pauses::default();
        loop {
            let turno = self.work_until(parar.as_mut(), &mut parado, drenaje, &pulso);
            if AssertUnwindSafe(turno).catch_unwind().await.is_ok() {
                break;
            }
            // What runs goes on and is not given back. Its leases outlast the pause several times over, so no heartbeat is missed.
            tokio::select! {
                () = parar.as_mut(), if !parado => parado = true,
                () = tokio::time::sleep(pausas.after_panic(&pulso)) => {}
            }
            pulso.up();
        }
        self.release_own().await;
    }

    async fn work_until(
        self,
        parar: Pin<&mut impl Future<Output = ()>>,
        parado: &mut bool,
        drenaje: Duration,
        pulso: &Pulse,
    ) {
        // Leases are prolonged beside everything else: a claim that has to wait must not cost them.
        tokio::select! {
            () = self.keep_beating() => {}
            () = self.take_jobs(parar, parado, drenaje, pulso) => {}
        }
    }

    async fn take_jobs(
        self,
        mut parar: Pin<&mut impl Future<Output = ()>>,
        parado: &mut bool,
        drenaje: Duration,
        pulso: &Pulse,
    ) {
        let mut siguiente = Box::pin(tokio::time::sleep(Duration::ZERO));
        while !*parado {
            tokio::select! {
                () = parar.as_mut() => { *parado = true; continue; }
                () = &mut siguiente => {}
                () = self.app.taller.hay_trabajo.notified() => {}
                () = self.app.store.woken() => {}
            }
            let _turno = pulso.begin();
            let descanso = match self.claim_and_start().await {
                Ok(0) => self.rest().await,
                Ok(_) => RESPIRO,
                Err(error) => {
                    tracing::warn!(%error, "jobs cannot be claimed; the worker tries again");
                    SONDEO
                }
            };
            siguiente.as_mut().reset(tokio::time::Instant::now() + descanso);
        }
        let _ = tokio::time::timeout(drenaje, self.idle()).await;
    }

    /// Keeps the leases of running attempts, for ever.
    async fn keep_beating(self) {
        let mut latido = tokio::time::interval(LATIDO);
        latido.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            latido.tick().await;
            if tokio::time::timeout(LATIDO, self.beat()).await.is_err() {
                tracing::warn!("prolonging leases took too long; it is tried again");
            }
        }
    }

    /// Waits until no attempt runs.
    async fn idle(self) {
        loop {
            let libre = self.app.taller.libre.notified();
            if self.app.taller.en_curso().is_empty() {
                return;
            }
            libre.await;
        }
    }

    /// Does everything that is due now and waits for it; for tests, which move the clock. Returns how many jobs it took.
    pub async fn run_jobs(self) -> Result<usize, StoreError> {
        let mut total = 0;
        loop {
            let tomados = self.claim_and_start().await?;
            total += tomados;
            self.idle().await;
            if tomados == 0 {
                return Ok(total);
            }
        }
    }

    async fn claim_and_start(self) -> Result<usize, StoreError> {
        let ahora = self.app.ahora();
        let mut cupos = self.app.taller.cupos(ahora);
        // What nobody is configured to receive is held: it costs no attempt, and goes out when somebody is.
        cupos.retain(|cupo| self.app.outbound.sends(cupo.tipo));
        if cupos.is_empty() {
            return Ok(0);
        }
        let trabajos = self.app.store.claim(cupos, self.app.outbound.arriendo(), ahora).await?;
        let mut tomados = 0;
        for trabajo in trabajos {
            // One that this process is still trying: its lease had run out, and is now as good as new.
            let Some(marca) = self.app.taller.enter_once(trabajo.id) else { continue };
            tomados += 1;
            let app = self.app.clone();
            tokio::spawn(async move {
                let (llegaron, _) = mpsc::unbounded_channel();
                run_chain(&app, &trabajo, &llegaron).await;
                drop(marca);
                // A place is free again, and more may be waiting for it.
                app.taller.avisar();
            });
        }
        Ok(tomados)
    }

    /// How long until something is due; never so short that idling becomes a hot loop.
    async fn rest(self) -> Duration {
        let tipos = TipoTrabajo::TODOS.into_iter().filter(|tipo| self.app.outbound.sends(*tipo)).collect();
        let Ok(Some(cuando)) = self.app.store.next_due(tipos).await else {
            return SONDEO;
        };
        let falta = cuando.duration_since(self.app.ahora());
        Duration::try_from(falta).unwrap_or_default().clamp(RESPIRO, SONDEO)
    }

    async fn beat(self) {
        let ids = self.app.taller.en_curso();
        if ids.is_empty() {
            return;
        }
        if let Err(error) = self.app.store.renew(ids, self.app.outbound.arriendo()).await {
            tracing::warn!(%error, "leases could not be prolonged");
        }
    }

    async fn release_own(self) {
        match self.app.store.release(self.app.outbound.proceso).await {
            Ok(0) => {}
            Ok(trabajos) => tracing::info!(trabajos, "jobs given back to the queue"),
            Err(error) => tracing::warn!(%error, "jobs could not be given back; their leases run out"),
        }
    }
}
