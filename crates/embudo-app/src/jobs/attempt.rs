//! One attempt at a job: how it went, and what is written down of it.
//!
//! When jobs are taken is the worker's business (`worker`); how each kind is sent, that of its file.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::trabajo::{TipoTrabajo, Trabajo, espera};
use embudo_domain::{Timestamp, TrabajoId};
use embudo_store::cola::{FinIntento, NuevoTrabajo, Resultado};
use embudo_store::presupuestos::CompletePresupuesto;
use futures_util::FutureExt;
use jiff::SignedDuration;

use super::{Conclusion, Desenlace, Terminado, attempt, numero_de};
use crate::avisos::Aviso;
use crate::blobs::with_blobs;
use crate::{App, AppError, EnDuda};

pub(super) struct JobAttempt<'a> {
    pub app: &'a App,
    pub trabajo: &'a Trabajo,
}

impl JobAttempt<'_> {
    /// One attempt from start to the line in the log. Tells whether it was accepted, and which jobs follow at once.
    pub async fn run(&self) -> (bool, Vec<TrabajoId>) {
        let plaza = self.app.taller.plazas.get(&self.trabajo.tipo).expect("every kind has places").clone();
        let plaza = plaza.acquire_owned().await.expect("the places are never closed");
        let (inicio, reloj) = (self.app.ahora(), Instant::now());
        let (desenlace, terminado) = if self.trabajo.en_duda && self.on_doubt() == EnDuda::Aparcar {
            let error = "el servidor se paró mientras entregaba este correo: puede que haya llegado";
            (Desenlace { conclusion: Conclusion::Duda, ..Desenlace::nunca(error) }, None)
        } else {
            // An attempt that panics is a failed one: it is counted, and comes to an end like any other.
            AssertUnwindSafe(attempt(self.app, self.trabajo)).catch_unwind().await.unwrap_or_else(|_| {
                tracing::error!(trabajo = %self.trabajo.id, "an attempt panicked");
                (Desenlace::luego("el intento se interrumpió por un error interno"), None)
            })
        };
        drop(plaza);
        let llego = desenlace.conclusion == Conclusion::Llego;
        self.app.taller.anotar(self.trabajo.tipo, desenlace.salud, self.app.ahora());
        metrics::counter!("embudo_trabajos_total", "tipo" => self.trabajo.tipo.as_str(), "ok" => if llego { "true" } else { "false" })
            .increment(1);
        let siguientes = self.write_down(&desenlace, terminado, inicio, reloj.elapsed()).await;
        // What a receiver accepted is accepted, written down or not; a quote exists once it is stored.
        let llego = llego && (self.trabajo.tipo != TipoTrabajo::Presupuesto || siguientes.is_some());
        (llego, siguientes.unwrap_or_default())
    }

    /// Writes down how an attempt ended. The jobs that follow at once; `None` if it could not be written.
    async fn write_down(
        &self,
        desenlace: &Desenlace,
        terminado: Option<Terminado>,
        inicio: Timestamp,
        duracion: Duration,
    ) -> Option<Vec<TrabajoId>> {
        let en = self.app.ahora();
        let resultado = self.judge(desenlace.conclusion, en);
        let fin = FinIntento {
            id: self.trabajo.id,
            quien: self.app.outbound.proceso,
            resultado,
            entrega: desenlace.entrega(inicio, duracion),
            evento: Some(evento(self.trabajo.tipo, resultado, desenlace, en)),
            answered: (self.trabajo.tipo == TipoTrabajo::Perfil).then(|| answered(desenlace)),
            bucle: (self.trabajo.tipo == TipoTrabajo::Perfil).then_some(self.app.outbound.plazos),
            trabajos: self.notice_of_death(resultado, desenlace),
            en,
        };
        let mut siguientes = Vec::new();
        let escrito = match terminado {
            None => self.app.store.finish(fin).await.map_err(AppError::from),
            Some(terminado) => {
                siguientes.extend(terminado.trabajos.iter().map(|t| t.id));
                self.complete(fin, terminado).await
            }
        };
        match escrito {
            Ok(true) => return Some(siguientes),
            Ok(false) => {
                tracing::warn!(trabajo = %self.trabajo.id, "an attempt ended after its lease; another process has the job");
            }
            Err(error) => {
                tracing::warn!(trabajo = %self.trabajo.id, %error, "the end of an attempt could not be stored; the job is tried again");
            }
        }
        None
    }

    /// Stores a quote that was drawn, with the end of its job and its deliveries.
    async fn complete(&self, fin: FinIntento, terminado: Terminado) -> Result<bool, AppError> {
        let Terminado { id, pdf, puesto, eventos, trabajos, entregas, .. } = terminado;
        let fin = FinIntento { trabajos, ..fin };
        let command = CompletePresupuesto { id, pdf, eventos, entregas, fin, barridos: Vec::new() };
        let puestos: Vec<_> = puesto.into_iter().collect();
        with_blobs(self.app, self.trabajo.lead, &puestos, |barridos| {
            self.app.store.complete_presupuesto(CompletePresupuesto { barridos, ..command.clone() })
        })
        .await
    }

    fn judge(&self, conclusion: Conclusion, en: Timestamp) -> Resultado {
        let fallidos = self.trabajo.intentos + 1;
        let otra_vez = |minimo: Option<Duration>| {
            let minimo = minimo.and_then(|d| SignedDuration::try_from(d).ok());
            espera(fallidos, azar(), minimo)
                .map_or(Resultado::Muerto, |falta| Resultado::Reintentar(en + falta))
        };
        match conclusion {
            Conclusion::Llego => Resultado::Hecho,
            Conclusion::Nunca => Resultado::Muerto,
            Conclusion::Reintentar(minimo) => otra_vez(minimo),
            Conclusion::Duda => match self.on_doubt() {
                EnDuda::Aparcar => Resultado::Aparcado,
                EnDuda::Reintentar => otra_vez(None),
            },
        }
    }

    /// What becomes of a mail in doubt. A notice that comes twice harms nobody, one that does not come does.
    fn on_doubt(&self) -> EnDuda {
        if self.trabajo.tipo.es_aviso() { EnDuda::Reintentar } else { self.app.outbound.en_duda }
    }

    /// The company is told of what will not arrive by itself; not of its own notices.
    fn notice_of_death(&self, resultado: Resultado, desenlace: &Desenlace) -> Vec<NuevoTrabajo> {
        let acabado = matches!(resultado, Resultado::Muerto | Resultado::Aparcado);
        if !acabado || self.trabajo.tipo.es_aviso() {
            return Vec::new();
        }
        self.app.jobs().notice(&Aviso::SinEntregar {
            tipo: self.trabajo.tipo.to_string(),
            error: desenlace.error.clone(),
            trabajo: Some(self.trabajo.id),
            intentos: self.trabajo.intentos + 1,
            numero: numero_de(self.trabajo),
            duda: resultado == Resultado::Aparcado,
        })
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
