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
use embudo_domain::{FotoId, Huella, LeadId, NotaId, Timestamp};
use embudo_store::command::{FotoNueva, Ingest, NotaNueva};
use embudo_store::{Hecho, Idempotencia, StoreError};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::{App, AppError};

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
    /// Saves the items and records the flags of one call, all or nothing.
    pub async fn ingest(
        &self,
        lead: LeadId,
        ingesta: Ingesta,
        idempotencia: Option<Idempotencia>,
    ) -> Result<Hecho, AppError> {
        let (command, puestos) = self.preparar(lead, ingesta, idempotencia).await;
        for _ in 0..ESPERAS_BARRIDO {
            self.put_blobs(lead, &puestos).await?;
            match self.store.ingest(command.clone()).await {
                // The sweep is deleting the very bytes that came again: put them anew once it is through.
                Err(StoreError::BlobMarked) => tokio::time::sleep(ESPERA_BARRIDO).await,
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

    async fn preparar(
        &self,
        lead: LeadId,
        ingesta: Ingesta,
        idempotencia: Option<Idempotencia>,
    ) -> (Ingest, Vec<Puesto>) {
        let en = self.ahora();
        let eventos = eventos(&ingesta, en);
        let (mut fotos, mut notas, mut puestos) = (Vec::new(), Vec::new(), Vec::new());
        for item in ingesta.items {
            match item {
                Item::Foto(foto) => fotos.push(self.preparar_foto(foto, &mut puestos).await),
                Item::Texto(nota) => {
                    notas.push(NotaNueva { id: NotaId(self.id()), texto: nota.texto, zona: nota.zona });
                }
            }
        }
        (Ingest { lead, fotos, notas, eventos, en, idempotencia }, puestos)
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

/// What the flags leave in the lead's history. Nothing is sent from here yet, and the event says so.
fn eventos(ingesta: &Ingesta, en: Timestamp) -> Vec<Evento> {
    let pedidos =
        [(ingesta.perfil_completo, TipoEvento::PerfilCompleto), (ingesta.finalizar, TipoEvento::Finalizar)];
    let pedidos = pedidos.into_iter().filter(|(pedido, _)| *pedido);
    pedidos
        .map(|(_, tipo)| Evento { tipo, simulado: true, ok: false, detalle: None, creado_en: en })
        .collect()
}
