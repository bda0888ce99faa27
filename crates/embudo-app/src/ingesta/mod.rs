//! Ingestion: blobs first, then one transaction that names them and makes what the call's flags send out.

mod finalize_once;

use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::ficha::ImagenGuardada;
use embudo_domain::imagen::{Contenido, Imagen};
use embudo_domain::ingesta::{FotoItem, Ingesta, Item};
use embudo_domain::trabajo::TipoTrabajo;
use embudo_domain::{FotoId, LeadId, NotaId, Timestamp, TrabajoId};
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use embudo_store::command::{FotoNueva, Ingest, NotaNueva};
use embudo_store::{Finalizado, Hecho, Idempotencia, Outcome};

pub use finalize_once::KnownBy;

use crate::avisos::Aviso;
use crate::blobs::{Puesto, apuntar, with_blobs};
use crate::call_end::{KeySlot, end_call};
use crate::jobs::{CargaPresupuesto, como_texto};
use crate::{App, AppError, CallEnd};

/// Takes in what bots and forms send.
#[derive(Clone, Copy)]
pub struct Ingestion<'a> {
    pub(crate) app: &'a App,
}

impl Ingestion<'_> {
    /// Saves the items of one call and makes what its flags send out, all or nothing; then waits for the first attempts.
    pub async fn ingest(
        self,
        lead: LeadId,
        ingesta: Ingesta,
        known_by: KnownBy,
    ) -> Result<CallEnd, AppError> {
        let (trabajos, seguimiento) = self.new_jobs(&ingesta);
        let propios = trabajos.iter().filter(|t| t.arriendo.is_some()).map(|t| t.id).collect::<Vec<_>>();
        let decisivos = propios.iter().copied().chain(seguimiento).collect::<Vec<_>>();
        let counts_bytes = ingesta.finalizar && self.app.outbound.repeticion.is_positive();
        let (key, by_bytes) = match known_by {
            KnownBy::Key(key) => (Some(key), false),
            KnownBy::Bytes(sha256) if counts_bytes => (Some(Self::key_of_bytes(lead, sha256)), true),
            KnownBy::Bytes(_) | KnownBy::Nothing => (None, false),
        };
        let outcome = so_far(&ingesta);
        let idempotencia = key.map(|key| key.with(outcome.clone(), decisivos, self.app.ahora()));
        let slot = KeySlot::of(idempotencia.as_ref());
        let (mut command, puestos) = self.prepare(lead, ingesta, idempotencia).await;
        command.trabajos = trabajos;
        if by_bytes && let Some(slot) = slot {
            return self.finalize_once(command, &puestos, outcome, propios, slot).await;
        }
        let hecho = self.save(command, &puestos).await?;
        end_call(self.app, hecho, outcome, propios, slot).await
    }

    pub(crate) async fn save(self, command: Ingest, puestos: &[Puesto]) -> Result<Hecho, AppError> {
        let lead = command.lead;
        let fotos: Vec<FotoId> = command.fotos.iter().map(|f| f.id).collect();
        let hecho = with_blobs(self.app, lead, puestos, |barridos| {
            self.app.store.ingest(Ingest { barridos, ..command.clone() })
        })
        .await;
        if matches!(hecho, Ok(Hecho::Ahora)) {
            self.app.photos().prepare_later(lead, fotos);
        }
        hecho
    }

    /// What the call's flags send out, and the jobs that will follow from it.
    fn new_jobs(self, ingesta: &Ingesta) -> (Vec<NuevoTrabajo>, Vec<TrabajoId>) {
        let (mut trabajos, mut seguimiento) = (Vec::new(), Vec::new());
        if ingesta.perfil_completo {
            trabajos.extend(self.app.jobs().notice(&Aviso::PerfilCompleto));
            if self.app.outbound.perfil.is_some() {
                trabajos.push(self.app.jobs().own(TipoTrabajo::Perfil, CargaNueva::Perfil));
            }
        }
        if ingesta.finalizar {
            let carga = CargaPresupuesto { correo: TrabajoId(self.app.id()), pdf: TrabajoId(self.app.id()) };
            trabajos.push(self.app.jobs().own(TipoTrabajo::Presupuesto, como_texto(&carga)));
            seguimiento.extend([carga.correo, carga.pdf]);
        }
        (trabajos, seguimiento)
    }

    async fn prepare(
        self,
        lead: LeadId,
        ingesta: Ingesta,
        idempotencia: Option<Idempotencia>,
    ) -> (Ingest, Vec<Puesto>) {
        let en = self.app.ahora();
        let eventos = self.eventos(&ingesta, en);
        let finalizar = ingesta.finalizar;
        let (mut fotos, mut notas, mut puestos) = (Vec::new(), Vec::new(), Vec::new());
        for item in ingesta.items {
            match item {
                Item::Foto(foto) => fotos.push(self.prepare_foto(foto, &mut puestos).await),
                Item::Texto(nota) => {
                    notas.push(NotaNueva { id: NotaId(self.app.id()), texto: nota.texto, zona: nota.zona });
                }
            }
        }
        let (trabajos, barridos, plazos) = (Vec::new(), Vec::new(), self.app.outbound.plazos);
        let command =
            Ingest { lead, fotos, notas, eventos, trabajos, finalizar, plazos, barridos, en, idempotencia };
        (command, puestos)
    }

    async fn prepare_foto(self, foto: FotoItem, puestos: &mut Vec<Puesto>) -> FotoNueva {
        let imagen = match foto.imagen {
            Imagen::Url(url) => ImagenGuardada::Url(url),
            Imagen::DataUri { prefijo, contenido } => match contenido {
                Contenido::Canonico(bytes) => {
                    ImagenGuardada::Canonica { prefijo, bytes: apuntar(bytes, puestos).await }
                }
                Contenido::Informal { bytes, crudo } => ImagenGuardada::Informal {
                    prefijo,
                    bytes: apuntar(bytes, puestos).await,
                    crudo: apuntar(crudo.into_bytes(), puestos).await,
                },
                Contenido::Ilegible { crudo } => {
                    ImagenGuardada::Ilegible { prefijo, crudo: apuntar(crudo.into_bytes(), puestos).await }
                }
            },
        };
        FotoNueva {
            id: FotoId(self.app.id()),
            imagen,
            zona: foto.zona,
            momento: foto.momento,
            orden: foto.orden,
        }
    }

    /// What the flags leave in the lead's history at once: a signal that is not configured is simulated, and `finalizar` was
    /// asked for. The rest is recorded when it was tried.
    fn eventos(self, ingesta: &Ingesta, en: Timestamp) -> Vec<Evento> {
        let evento = |tipo, simulado| Evento { tipo, simulado, ok: !simulado, detalle: None, creado_en: en };
        let mut eventos = Vec::new();
        if ingesta.perfil_completo && self.app.outbound.perfil.is_none() {
            eventos.push(evento(TipoEvento::PerfilCompleto, true));
        }
        if ingesta.finalizar {
            eventos.push(evento(TipoEvento::Finalizar, false));
        }
        eventos
    }
}

/// What is known of a call before any of its jobs was tried.
fn so_far(ingesta: &Ingesta) -> Outcome {
    let fotos = ingesta.items.iter().filter(|item| matches!(item, Item::Foto(_))).count();
    Outcome::Ingested {
        fotos,
        notas: ingesta.items.len() - fotos,
        perfil_accepted: false,
        finalizado: ingesta.finalizar.then(Finalizado::default),
    }
}
