//! The worker: takes jobs that are due, tries them, and writes down how it went.
//!
//! Jobs that a request caused are leased to this process when they are committed, so the request's own first attempt needs no
//! claim. Everything else is claimed. A heartbeat keeps the leases of running attempts; a process that dies stops
//! beating, and its jobs are free when the leases run out.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::{Duration, Instant};

use embudo_delivery::{Correo, Mensaje};
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::trabajo::{TipoTrabajo, Trabajo, espera};
use embudo_domain::{Timestamp, TrabajoId};
use embudo_store::StoreError;
use embudo_store::cola::{CargaNueva, FinIntento, Resultado};
use jiff::SignedDuration;
use tokio::task::JoinSet;

use crate::avisos::Aviso;
use crate::taller::EnCurso;
use crate::trabajo::{Desenlace, Fin};
use crate::{App, EnDuda, Senales};

/// How often leases are prolonged.
const LATIDO: Duration = Duration::from_secs(5);
/// How long the worker rests at most, and at least.
const SONDEO: Duration = Duration::from_secs(5);
const RESPIRO: Duration = Duration::from_millis(200);

impl App {
    /// Tries jobs that were just committed under this process's lease, and tells what was accepted in time. An attempt that
    /// takes longer goes on by itself.
    pub(crate) async fn try_now(&self, ids: Vec<TrabajoId>) -> Senales {
        if ids.is_empty() {
            return Senales::default();
        }
        // Entered before the jobs are read, so that no heartbeat misses them.
        let mut marcas: BTreeMap<TrabajoId, EnCurso> =
            ids.iter().map(|id| (*id, self.taller.entrar(*id))).collect();
        let trabajos = match self.store.recien_hechos(ids).await {
            Ok(trabajos) => trabajos,
            Err(error) => {
                tracing::warn!(%error, "jobs just made cannot be read; they are taken up when their lease runs out");
                return Senales::default();
            }
        };
        let mut intentos = JoinSet::new();
        for trabajo in trabajos {
            let app = self.clone();
            let marca = marcas.remove(&trabajo.id);
            intentos.spawn(async move {
                let llego = app.run_job(&trabajo).await;
                drop(marca);
                llego.then_some(trabajo.tipo)
            });
        }
        let mut senales = Senales::default();
        let todos = async {
            while let Some(fin) = intentos.join_next().await {
                if let Ok(Some(tipo)) = fin {
                    senales.anotar(tipo);
                }
            }
        };
        let _ = tokio::time::timeout(self.salidas.espera, todos).await;
        intentos.detach_all();
        senales
    }

    /// Works until `parar` completes; then lets running attempts finish for `drenaje`, and gives the rest back.
    pub async fn work(&self, parar: impl Future<Output = ()>, drenaje: Duration) {
        self.release_own().await;
        tokio::pin!(parar);
        let mut latido = tokio::time::interval(LATIDO);
        latido.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut siguiente = Box::pin(tokio::time::sleep(Duration::ZERO));
        loop {
            tokio::select! {
                () = &mut parar => break,
                _ = latido.tick() => { self.beat().await; continue; }
                () = &mut siguiente => {}
                () = self.taller.hay_trabajo.notified() => {}
                () = self.store.woken() => {}
            }
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
        let _ = tokio::time::timeout(drenaje, self.idle_beating(&mut latido)).await;
        self.release_own().await;
    }

    /// Waits for running attempts while keeping their leases.
    async fn idle_beating(&self, latido: &mut tokio::time::Interval) {
        let ocioso = self.idle();
        tokio::pin!(ocioso);
        loop {
            tokio::select! {
                () = &mut ocioso => return,
                _ = latido.tick() => self.beat().await,
            }
        }
    }

    /// Waits until no attempt runs.
    async fn idle(&self) {
        loop {
            let libre = self.taller.libre.notified();
            if self.taller.en_curso().is_empty() {
                return;
            }
            libre.await;
        }
    }

    /// Does everything that is due now and waits for it; for tests, which move the clock. Returns how many jobs it took.
    pub async fn run_jobs(&self) -> Result<usize, StoreError> {
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

    async fn claim_and_start(&self) -> Result<usize, StoreError> {
        let ahora = self.ahora();
        let cupos = self.taller.cupos(ahora);
        if cupos.is_empty() {
            return Ok(0);
        }
        let trabajos = self.store.claim(cupos, self.salidas.arriendo(), ahora).await?;
        let tomados = trabajos.len();
        for trabajo in trabajos {
            let app = self.clone();
            let marca = self.taller.entrar(trabajo.id);
            tokio::spawn(async move {
                app.run_job(&trabajo).await;
                drop(marca);
                // A place is free again, and more may be waiting for it.
                app.taller.avisar();
            });
        }
        Ok(tomados)
    }

    /// How long until something is due; never so short that idling becomes a hot loop.
    async fn rest(&self) -> Duration {
        let Ok(Some(cuando)) = self.store.next_due().await else {
            return SONDEO;
        };
        let falta = cuando.duration_since(self.ahora());
        Duration::try_from(falta).unwrap_or_default().clamp(RESPIRO, SONDEO)
    }

    async fn beat(&self) {
        let ids = self.taller.en_curso();
        if ids.is_empty() {
            return;
        }
        if let Err(error) = self.store.renew(ids, self.salidas.arriendo()).await {
            tracing::warn!(%error, "leases could not be prolonged");
        }
    }

    async fn release_own(&self) {
        match self.store.release(self.salidas.proceso).await {
            Ok(0) => {}
            Ok(trabajos) => tracing::info!(trabajos, "jobs given back to the queue"),
            Err(error) => tracing::warn!(%error, "jobs could not be given back; their leases run out"),
        }
    }

    /// One attempt from start to the line in the log. Tells whether it was accepted.
    async fn run_job(&self, trabajo: &Trabajo) -> bool {
        let plaza = self.taller.plazas.get(&trabajo.tipo).expect("every kind has places").clone();
        let plaza = plaza.acquire_owned().await.expect("the places are never closed");
        let (inicio, reloj) = (self.ahora(), Instant::now());
        let desenlace = if trabajo.en_duda && self.salidas.en_duda == EnDuda::Aparcar {
            let error = "el servidor se paró mientras entregaba este correo: puede que haya llegado";
            Desenlace { fin: Fin::Duda, status: None, error: Some(error.to_owned()), respuesta: None }
        } else {
            self.attempt(trabajo).await
        };
        drop(plaza);
        let llego = desenlace.fin == Fin::Llego;
        self.taller.anotar(trabajo.tipo, llego, self.ahora());
        metrics::counter!("embudo_trabajos_total", "tipo" => trabajo.tipo.as_str(), "ok" => if llego { "true" } else { "false" })
            .increment(1);
        self.write_down(trabajo, &desenlace, inicio, reloj.elapsed()).await;
        llego
    }

    async fn write_down(
        &self,
        trabajo: &Trabajo,
        desenlace: &Desenlace,
        inicio: Timestamp,
        duracion: Duration,
    ) {
        let en = self.ahora();
        let resultado = self.judge(trabajo, desenlace.fin, en);
        let fin = FinIntento {
            id: trabajo.id,
            quien: self.salidas.proceso,
            resultado,
            entrega: desenlace.entrega(inicio, duracion),
            evento: Some(evento(trabajo.tipo, resultado, desenlace, en)),
            bucle: (trabajo.tipo == TipoTrabajo::Perfil && resultado == Resultado::Hecho)
                .then_some(self.salidas.plazos),
            trabajos: self.notice_of_death(trabajo, resultado, desenlace),
            en,
        };
        match self.store.finish(fin).await {
            Ok(true) => {}
            Ok(false) => {
                tracing::warn!(trabajo = %trabajo.id, "an attempt ended after its lease; another process has the job");
            }
            Err(error) => {
                tracing::warn!(trabajo = %trabajo.id, %error, "the end of an attempt could not be stored; the job is tried again");
            }
        }
    }

    fn judge(&self, trabajo: &Trabajo, fin: Fin, en: Timestamp) -> Resultado {
        let fallidos = trabajo.intentos + 1;
        let otra_vez = |minimo: Option<Duration>| {
            let minimo = minimo.and_then(|d| SignedDuration::try_from(d).ok());
            espera(fallidos, azar(), minimo)
                .map_or(Resultado::Muerto, |falta| Resultado::Reintentar(en + falta))
        };
        match fin {
            Fin::Llego => Resultado::Hecho,
            Fin::Nunca => Resultado::Muerto,
            Fin::Reintentar(minimo) => otra_vez(minimo),
            Fin::Duda => match self.salidas.en_duda {
                EnDuda::Aparcar => Resultado::Aparcado,
                EnDuda::Reintentar => otra_vez(None),
            },
        }
    }

    /// The company is told of what will not arrive by itself; not of its own notices.
    fn notice_of_death(
        &self,
        trabajo: &Trabajo,
        resultado: Resultado,
        desenlace: &Desenlace,
    ) -> Vec<embudo_store::cola::NuevoTrabajo> {
        let acabado = matches!(resultado, Resultado::Muerto | Resultado::Aparcado);
        if !acabado || trabajo.tipo == TipoTrabajo::CorreoEmpresa {
            return Vec::new();
        }
        self.notice(&Aviso::SinEntregar { tipo: trabajo.tipo.to_string(), error: desenlace.error.clone() })
    }

    /// A mail to the company, if mail is configured. Whether the company wants it is the store's to know.
    pub(crate) fn notice(&self, aviso: &Aviso) -> Vec<embudo_store::cola::NuevoTrabajo> {
        if self.salidas.correo.is_none() {
            return Vec::new();
        }
        let carga = serde_json::to_string(aviso).expect("a notice is plain data");
        self.taller.avisar();
        vec![self.trabajo_comun(TipoTrabajo::CorreoEmpresa, CargaNueva::Texto(carga))]
    }

    /// Hands a mail over, after noting that its fate will be in doubt until the answer is written down.
    pub(crate) async fn send_mail(&self, trabajo: &Trabajo, correo: &Correo, mensaje: &Mensaje) -> Desenlace {
        match self.store.begin_send(trabajo.id, self.salidas.proceso).await {
            Ok(true) => correo.send(mensaje).await.into(),
            Ok(false) => Desenlace::luego("otro proceso se ha hecho cargo de este correo"),
            Err(error) => Desenlace::luego(error.to_string()),
        }
    }
}

/// What the lead's history says of an attempt.
fn evento(tipo: TipoTrabajo, resultado: Resultado, desenlace: &Desenlace, en: Timestamp) -> Evento {
    let tipo = match tipo {
        TipoTrabajo::Perfil => TipoEvento::PerfilCompleto,
        TipoTrabajo::Mensajeria => TipoEvento::Mensajeria,
        TipoTrabajo::Pdf => TipoEvento::Pdf,
        TipoTrabajo::CorreoCliente => TipoEvento::CorreoCliente,
        TipoTrabajo::CorreoEmpresa => TipoEvento::CorreoEmpresa,
    };
    let error = desenlace.error.as_deref().unwrap_or("sin detalle");
    let detalle = match resultado {
        Resultado::Hecho => None,
        Resultado::Reintentar(cuando) => {
            Some(format!("{error}; se repite a las {}", cuando.strftime("%Y-%m-%dT%H:%M:%SZ")))
        }
        Resultado::Muerto => Some(format!("{error}; no se repite")),
        Resultado::Aparcado => Some(format!("{error}; queda aparcado")),
    };
    Evento { tipo, simulado: false, ok: resultado == Resultado::Hecho, detalle, creado_en: en }
}

/// A number from 0 to 1; only spreads retries, so it need not be good.
fn azar() -> f64 {
    let (_, bajo) = uuid::Uuid::new_v4().as_u64_pair();
    (bajo >> 11) as f64 / (1_u64 << 53) as f64
}
