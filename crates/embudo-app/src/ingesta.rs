//! Ingestion: blobs first, then one transaction that names them.
//!
//! A blob is durable before the row that names it commits, so a crash in between leaves an orphan for the sweep and
//! never a photo without bytes.

use std::time::Duration;

use bytes::Bytes;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::ficha::ImagenGuardada;
use embudo_domain::imagen::{Contenido, Imagen};
use embudo_domain::ingesta::{FotoItem, Ingesta, Item};
use embudo_domain::trabajo::TipoTrabajo;
use embudo_domain::{FotoId, Huella, LeadId, NotaId, Timestamp};
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use embudo_store::command::{FotoNueva, Ingest, NotaNueva};
use embudo_store::{Hecho, Idempotencia, Respuesta, StoreError};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::avisos::Aviso;
use crate::contestada::Sitio;
use crate::{App, AppError, Contestada, Senales};

/// Blobs of one call that are written at the same time.
const BLOBS_A_LA_VEZ: usize = 4;
/// Hashing more than this is work for a thread of its own.
const HASH_EN_LINEA_BYTES: usize = 256 * 1024;
/// How often and how long an ingestion waits for a sweep to let go of a blob.
const ESPERA_BARRIDO: Duration = Duration::from_millis(50);
const ESPERAS_BARRIDO: usize = 100;

/// Bytes on their way to the blob store.
type Puesto = (Huella, Bytes);

impl App {
    /// Saves the items of one call and makes its signals, all or nothing; then waits for their first attempt.
    pub async fn ingest(
        &self,
        lead: LeadId,
        ingesta: Ingesta,
        mut idempotencia: Option<Idempotencia>,
        responder: impl Fn(Senales) -> Respuesta,
    ) -> Result<Contestada, AppError> {
        let trabajos = self.trabajos(&ingesta);
        let propios = trabajos.iter().filter(|t| t.arriendo.is_some()).map(|t| t.id).collect::<Vec<_>>();
        let sitio = Sitio::apuntar(idempotencia.as_mut(), &propios);
        let (mut command, puestos) = self.preparar(lead, ingesta, idempotencia).await;
        command.trabajos = trabajos;
        let hecho = self.save(command, &puestos).await?;
        self.contestar(hecho, propios, sitio, responder).await
    }

    async fn save(&self, mut command: Ingest, puestos: &[Puesto]) -> Result<Hecho, AppError> {
        let lead = command.lead;
        for _ in 0..ESPERAS_BARRIDO {
            self.put_blobs(lead, puestos).await?;
            match self.store.ingest(command.clone()).await {
                Err(StoreError::BlobMarked) => command.barridos = self.after_sweep(lead, puestos).await?,
                Err(StoreError::LeadNotFound) => {
                    if !puestos.is_empty() {
                        self.discard_blobs(lead).await;
                    }
                    return Err(StoreError::LeadNotFound.into());
                }
                hecho => return Ok(hecho?),
            }
        }
        Err(StoreError::Unavailable("a blob stayed marked for sweeping".to_owned()).into())
    }

    /// A sweep is deleting, or has deleted, bytes that came again. Waits until it is through; the deletions it returns are known
    /// to lie before the next put.
    async fn after_sweep(&self, lead: LeadId, puestos: &[Puesto]) -> Result<Vec<(Huella, i64)>, AppError> {
        let marcas = self.store.blob_marks(lead).await?;
        let nuestras: Vec<_> =
            marcas.iter().filter(|m| puestos.iter().any(|(h, _)| *h == m.huella)).collect();
        if nuestras.iter().any(|m| !m.barrido) {
            tokio::time::sleep(ESPERA_BARRIDO).await;
        }
        Ok(nuestras.iter().filter(|m| m.barrido).map(|m| (m.huella, m.vez)).collect())
    }

    /// What the call's flags send out.
    fn trabajos(&self, ingesta: &Ingesta) -> Vec<NuevoTrabajo> {
        let mut trabajos = Vec::new();
        if ingesta.perfil_completo {
            trabajos.extend(self.notice(&Aviso::PerfilCompleto));
            if self.salidas.perfil.is_some() {
                trabajos.push(self.trabajo_propio(TipoTrabajo::Perfil, CargaNueva::Perfil));
            }
        }
        trabajos
    }

    async fn preparar(
        &self,
        lead: LeadId,
        ingesta: Ingesta,
        idempotencia: Option<Idempotencia>,
    ) -> (Ingest, Vec<Puesto>) {
        let en = self.ahora();
        let eventos = self.eventos(&ingesta, en);
        let finalizar = ingesta.finalizar;
        let (mut fotos, mut notas, mut puestos) = (Vec::new(), Vec::new(), Vec::new());
        for item in ingesta.items {
            match item {
                Item::Foto(foto) => fotos.push(self.preparar_foto(foto, &mut puestos).await),
                Item::Texto(nota) => {
                    notas.push(NotaNueva { id: NotaId(self.id()), texto: nota.texto, zona: nota.zona });
                }
            }
        }
        let (trabajos, barridos, plazos) = (Vec::new(), Vec::new(), self.salidas.plazos);
        let command =
            Ingest { lead, fotos, notas, eventos, trabajos, finalizar, plazos, barridos, en, idempotencia };
        (command, puestos)
    }

    async fn preparar_foto(&self, foto: FotoItem, puestos: &mut Vec<Puesto>) -> FotoNueva {
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
        FotoNueva { id: FotoId(self.id()), imagen, zona: foto.zona, momento: foto.momento, orden: foto.orden }
    }

    /// What the flags leave in the lead's history at once: what is not configured is simulated. The rest is recorded when
    /// it was tried.
    fn eventos(&self, ingesta: &Ingesta, en: Timestamp) -> Vec<Evento> {
        let pedidos = [
            (ingesta.perfil_completo && self.salidas.perfil.is_none(), TipoEvento::PerfilCompleto),
            (ingesta.finalizar, TipoEvento::Finalizar),
        ];
        let pedidos = pedidos.into_iter().filter(|(pedido, _)| *pedido);
        pedidos
            .map(|(_, tipo)| Evento { tipo, simulado: true, ok: false, detalle: None, creado_en: en })
            .collect()
    }

    async fn put_blobs(&self, lead: LeadId, puestos: &[Puesto]) -> Result<(), AppError> {
        let puestas = puestos.iter().map(|(huella, bytes)| {
            let (blobs, huella, bytes) = (self.blobs.clone(), *huella, bytes.clone());
            async move { blobs.put(lead, &huella, bytes).await }
        });
        stream::iter(puestas.collect::<Vec<_>>())
            .buffer_unordered(BLOBS_A_LA_VEZ)
            .try_collect::<()>()
            .await?;
        Ok(())
    }

    /// Nobody can name the blobs of a lead that does not exist. Failing here is harmless: the sweep comes by.
    async fn discard_blobs(&self, lead: LeadId) {
        if let Err(error) = self.blobs.delete_lead(lead).await {
            tracing::warn!(%error, "blobs of an unknown lead stay until the next sweep");
        }
    }
}

/// Notes bytes down to be put, and returns their mark.
async fn apuntar(bytes: Vec<u8>, puestos: &mut Vec<Puesto>) -> Huella {
    let bytes = Bytes::from(bytes);
    let huella = if bytes.len() > HASH_EN_LINEA_BYTES {
        let copia = bytes.clone();
        let hash = tokio::task::spawn_blocking(move || Huella::de(&copia)).await;
        hash.expect("hashing does not panic and is not cancelled")
    } else {
        Huella::de(&bytes)
    };
    puestos.push((huella, bytes));
    huella
}
