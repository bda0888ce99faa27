//! One attempt at a job: who makes it, how it went, and what is written down of it.
//!
//! When jobs are taken is the worker's business (`obrero`); how each kind is sent, that of `trabajo`.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use embudo_delivery::{Correo, Mensaje};
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::trabajo::{TipoTrabajo, Trabajo, espera};
use embudo_domain::{Timestamp, TrabajoId};
use embudo_store::Outcome;
use embudo_store::cola::{FinIntento, NuevoTrabajo, Resultado};
use embudo_store::presupuestos::CompletePresupuesto;
use futures_util::FutureExt;
use jiff::SignedDuration;
use tokio::sync::mpsc;

use crate::avisos::Aviso;
use crate::taller::EnCurso;
use crate::trabajo::{Desenlace, Fin, Terminado, como_texto, numero_de};
use crate::{App, AppError, EnDuda};

impl App {
    /// Tries jobs that were just committed under this process's lease, and notes in their call's outcome what was accepted in
    /// time. An attempt that takes longer goes on by itself.
    pub(crate) async fn try_now(&self, ids: Vec<TrabajoId>, mut outcome: Outcome) -> Outcome {
        if ids.is_empty() {
            return outcome;
        }
        // Entered before the jobs are read, so that no heartbeat misses them.
        let mut marcas: BTreeMap<TrabajoId, EnCurso> =
            ids.iter().map(|id| (*id, self.taller.entrar(*id))).collect();
        let trabajos = match self.store.recien_hechos(ids).await {
            Ok(trabajos) => trabajos,
            Err(error) => {
                tracing::warn!(%error, "jobs just made cannot be read; they are taken up when their lease runs out");
                return outcome;
            }
        };
        let (llegaron, mut noticias) = mpsc::unbounded_channel();
        for trabajo in trabajos {
            let (app, llegaron) = (self.clone(), llegaron.clone());
            let marca = marcas.remove(&trabajo.id);
            tokio::spawn(async move {
                app.run_chain(&trabajo, &llegaron).await;
                drop(marca);
            });
        }
        drop(llegaron);
        let todos = async {
            while let Some(tipo) = noticias.recv().await {
                outcome.accept(tipo);
            }
        };
        let _ = tokio::time::timeout(self.salidas.espera, todos).await;
        outcome
    }

    /// One attempt, and then those of the jobs that it made for this process. Tells what was accepted as it happens.
    pub(crate) async fn run_chain(&self, trabajo: &Trabajo, llegaron: &mpsc::UnboundedSender<TipoTrabajo>) {
        let siguientes = self.run_and_tell(trabajo, llegaron).await;
        if siguientes.is_empty() {
            return;
        }
        let _marcas: Vec<EnCurso> = siguientes.iter().map(|id| self.taller.entrar(*id)).collect();
        let siguientes = self.store.trabajos(siguientes).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "jobs just made cannot be read; they are taken up when their lease runs out");
            Vec::new()
        });
        let entregas: Vec<_> =
            siguientes.iter().map(|siguiente| self.run_and_tell(siguiente, llegaron)).collect();
        futures_util::future::join_all(entregas).await;
    }

    /// One attempt; tells if it was accepted, and returns the jobs that follow at once.
    async fn run_and_tell(
        &self,
        trabajo: &Trabajo,
        llegaron: &mpsc::UnboundedSender<TipoTrabajo>,
    ) -> Vec<TrabajoId> {
        let (llego, siguientes) = self.run_job(trabajo).await;
        if llego {
            // Nobody listens any more once the request was answered.
            let _ = llegaron.send(trabajo.tipo);
        }
        siguientes
    }

    /// One attempt from start to the line in the log. Tells whether it was accepted, and which jobs follow at once.
    async fn run_job(&self, trabajo: &Trabajo) -> (bool, Vec<TrabajoId>) {
        let plaza = self.taller.plazas.get(&trabajo.tipo).expect("every kind has places").clone();
        let plaza = plaza.acquire_owned().await.expect("the places are never closed");
        let (inicio, reloj) = (self.ahora(), Instant::now());
        let (desenlace, terminado) = if trabajo.en_duda && self.on_doubt(trabajo.tipo) == EnDuda::Aparcar {
            let error = "el servidor se paró mientras entregaba este correo: puede que haya llegado";
            (Desenlace { fin: Fin::Duda, ..Desenlace::nunca(error) }, None)
        } else {
            // An attempt that panics is a failed one: it is counted, and comes to an end like any other.
            AssertUnwindSafe(self.attempt(trabajo)).catch_unwind().await.unwrap_or_else(|_| {
                tracing::error!(trabajo = %trabajo.id, "an attempt panicked");
                (Desenlace::luego("el intento se interrumpió por un error interno"), None)
            })
        };
        drop(plaza);
        let llego = desenlace.fin == Fin::Llego;
        self.taller.anotar(trabajo.tipo, desenlace.salud, self.ahora());
        metrics::counter!("embudo_trabajos_total", "tipo" => trabajo.tipo.as_str(), "ok" => if llego { "true" } else { "false" })
            .increment(1);
        let siguientes = self.write_down(trabajo, &desenlace, terminado, inicio, reloj.elapsed()).await;
        // What a receiver accepted is accepted, written down or not; a quote exists once it is stored.
        let llego = llego && (trabajo.tipo != TipoTrabajo::Presupuesto || siguientes.is_some());
        (llego, siguientes.unwrap_or_default())
    }

    /// Writes down how an attempt ended. The jobs that follow at once; `None` if it could not be written.
    async fn write_down(
        &self,
        trabajo: &Trabajo,
        desenlace: &Desenlace,
        terminado: Option<Terminado>,
        inicio: Timestamp,
        duracion: Duration,
    ) -> Option<Vec<TrabajoId>> {
        let en = self.ahora();
        let resultado = self.judge(trabajo, desenlace.fin, en);
        let fin = FinIntento {
            id: trabajo.id,
            quien: self.salidas.proceso,
            resultado,
            entrega: desenlace.entrega(inicio, duracion),
            evento: Some(evento(trabajo.tipo, resultado, desenlace, en)),
            answered: (trabajo.tipo == TipoTrabajo::Perfil).then(|| answered(desenlace)),
            bucle: (trabajo.tipo == TipoTrabajo::Perfil).then_some(self.salidas.plazos),
            trabajos: self.notice_of_death(trabajo, resultado, desenlace),
            en,
        };
        let mut siguientes = Vec::new();
        let escrito = match terminado {
            None => self.store.finish(fin).await.map_err(AppError::from),
            Some(terminado) => {
                siguientes.extend(terminado.trabajos.iter().map(|t| t.id));
                self.complete(trabajo, fin, terminado).await
            }
        };
        match escrito {
            Ok(true) => return Some(siguientes),
            Ok(false) => {
                tracing::warn!(trabajo = %trabajo.id, "an attempt ended after its lease; another process has the job");
            }
            Err(error) => {
                tracing::warn!(trabajo = %trabajo.id, %error, "the end of an attempt could not be stored; the job is tried again");
            }
        }
        None
    }

    /// Stores a quote that was drawn, with the end of its job and its deliveries.
    async fn complete(
        &self,
        trabajo: &Trabajo,
        fin: FinIntento,
        terminado: Terminado,
    ) -> Result<bool, AppError> {
        let Terminado { id, pdf, puesto, eventos, trabajos, entregas, .. } = terminado;
        let fin = FinIntento { trabajos, ..fin };
        let command = CompletePresupuesto { id, pdf, eventos, entregas, fin, barridos: Vec::new() };
        let puestos: Vec<_> = puesto.into_iter().collect();
        self.with_blobs(trabajo.lead, &puestos, |barridos| {
            self.store.complete_presupuesto(CompletePresupuesto { barridos, ..command.clone() })
        })
        .await
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
            Fin::Duda => match self.on_doubt(trabajo.tipo) {
                EnDuda::Aparcar => Resultado::Aparcado,
                EnDuda::Reintentar => otra_vez(None),
            },
        }
    }

    /// What becomes of a mail in doubt. A notice that comes twice harms nobody, one that does not come does.
    fn on_doubt(&self, tipo: TipoTrabajo) -> EnDuda {
        if tipo.es_aviso() { EnDuda::Reintentar } else { self.salidas.en_duda }
    }

    /// The company is told of what will not arrive by itself; not of its own notices.
    fn notice_of_death(
        &self,
        trabajo: &Trabajo,
        resultado: Resultado,
        desenlace: &Desenlace,
    ) -> Vec<NuevoTrabajo> {
        let acabado = matches!(resultado, Resultado::Muerto | Resultado::Aparcado);
        if !acabado || trabajo.tipo.es_aviso() {
            return Vec::new();
        }
        self.notice(&Aviso::SinEntregar {
            tipo: trabajo.tipo.to_string(),
            error: desenlace.error.clone(),
            trabajo: Some(trabajo.id),
            intentos: trabajo.intentos + 1,
            numero: numero_de(trabajo),
            duda: resultado == Resultado::Aparcado,
        })
    }

    /// A mail to the company, if mail is configured. Whether the company wants it is the store's to know.
    pub(crate) fn notice(&self, aviso: &Aviso) -> Vec<NuevoTrabajo> {
        self.notice_as(TipoTrabajo::CorreoEmpresa, aviso)
    }

    /// The mail about a form: now, or after a quiet time. One of a lead takes the place of one that waits.
    pub(crate) fn notice_of_form(&self, aviso: &Aviso, proximo_en: Option<Timestamp>) -> Vec<NuevoTrabajo> {
        let trabajos = self.notice_as(TipoTrabajo::AvisoFormulario, aviso);
        trabajos.into_iter().map(|t| NuevoTrabajo { proximo_en, ..t }).collect()
    }

    fn notice_as(&self, tipo: TipoTrabajo, aviso: &Aviso) -> Vec<NuevoTrabajo> {
        if self.salidas.correo.is_none() {
            return Vec::new();
        }
        self.taller.avisar();
        vec![self.trabajo_comun(tipo, como_texto(aviso))]
    }

    /// Hands a mail over. Right before its last line it is noted that its fate is in doubt until the answer is written down; a notice
    /// is sent again anyway and needs no note.
    pub(crate) async fn send_mail(&self, trabajo: &Trabajo, correo: &Correo, mensaje: &Mensaje) -> Desenlace {
        let note = async {
            if trabajo.tipo.es_aviso() {
                return Ok(());
            }
            match self.store.begin_send(trabajo.id, self.salidas.proceso).await {
                Ok(true) => Ok(()),
                Ok(false) => Err("otro proceso se ha hecho cargo de este correo".to_owned()),
                Err(error) => Err(error.to_string()),
            }
        };
        correo.send(mensaje, note).await.into()
    }
}

/// What the lead's history says of an attempt.
fn evento(tipo: TipoTrabajo, resultado: Resultado, desenlace: &Desenlace, en: Timestamp) -> Evento {
    let tipo = match tipo {
        TipoTrabajo::Perfil => TipoEvento::PerfilCompleto,
        TipoTrabajo::Mensajeria => TipoEvento::Mensajeria,
        TipoTrabajo::Pdf => TipoEvento::Pdf,
        TipoTrabajo::CorreoCliente => TipoEvento::CorreoCliente,
        TipoTrabajo::CorreoEmpresa | TipoTrabajo::AvisoFormulario => TipoEvento::CorreoEmpresa,
        TipoTrabajo::Presupuesto => TipoEvento::Presupuesto,
    };
    let error = reason(desenlace);
    let detalle = match resultado {
        Resultado::Hecho if tipo == TipoEvento::Presupuesto => desenlace.respuesta.clone(),
        Resultado::Hecho => None,
        Resultado::Reintentar(cuando) => {
            Some(format!("{error}; se repite a las {}", cuando.strftime("%Y-%m-%dT%H:%M:%SZ")))
        }
        Resultado::Muerto => Some(format!("{error}; no se repite")),
        Resultado::Aparcado => Some(format!("{error}; queda aparcado")),
    };
    Evento { tipo, simulado: false, ok: resultado == Resultado::Hecho, detalle, creado_en: en }
}

/// What the history says of a failed signal whose work came back all the same.
fn answered(desenlace: &Desenlace) -> String {
    format!("{}; pero lo que pedía la señal ya ha llegado y no se repite", reason(desenlace))
}

/// Why it failed, as the beginning of a sentence.
fn reason(desenlace: &Desenlace) -> &str {
    desenlace.error.as_deref().unwrap_or("sin detalle").trim_end_matches('.')
}

/// A number from 0 to 1; only spreads retries, so it need not be good.
fn azar() -> f64 {
    let (_, bajo) = uuid::Uuid::new_v4().as_u64_pair();
    (bajo >> 11) as f64 / (1_u64 << 53) as f64
}
