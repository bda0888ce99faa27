//! Photos made ready to be printed and shown: upright, small, without metadata, kept as blobs.
//!
//! They are made once, after the ingestion and off its path; what is missing when a quote is drawn is made then. A photo
//! that cannot be shown leaves its reason, never a failed quote. A photo that was given by its address is fetched
//! through the egress guard and its bytes are kept.

mod received;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bytes::Bytes;
use embudo_blobs::BlobReader;
use embudo_domain::ficha::{Foto, ImagenGuardada};
use embudo_domain::rendicion::{Derivadas, Rendicion, Resultado};
use embudo_domain::{FotoId, LeadId};
use embudo_store::StoreError;
use futures_util::{StreamExt, stream};
use tokio::sync::{Mutex, Semaphore, mpsc};

pub use received::{Bytes as BytesDeFoto, Recibida};

use crate::blobs::{Puesto, apuntar, with_blobs};
use crate::{App, AppError};

/// Photos that wait to be made ready; what does not fit is made when it is needed.
const COLA: usize = 1024;
/// Photos that are decoded at the same time: each may take a few hundred megabytes for a moment.
const A_LA_VEZ: usize = 2;
/// Photos of one quote that are under way at the same time: fetching is mostly waiting.
const DE_UN_PRESUPUESTO: usize = 8;
/// How long all fetches of one quote may take together.
const PLAZO_DESCARGAS: Duration = Duration::from_secs(8);
/// How long one fetch may take when nobody waits for it.
const PLAZO_UNA: Duration = Duration::from_secs(10);
/// What stands for a photo whose payload was never an image.
pub(crate) const ILEGIBLE: &str = "la imagen no se puede leer";

/// Which of the pictures made of a photo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tamano {
    /// As the quote prints it.
    Impresion,
    /// For lists.
    Miniatura,
}

/// Photos on their way to being ready.
pub(crate) struct PhotoQueue {
    cola: mpsc::Sender<(LeadId, FotoId)>,
    esperan: Mutex<mpsc::Receiver<(LeadId, FotoId)>>,
    plazas: Semaphore,
}

impl Default for PhotoQueue {
    fn default() -> Self {
        let (cola, esperan) = mpsc::channel(COLA);
        Self { cola, esperan: Mutex::new(esperan), plazas: Semaphore::new(A_LA_VEZ) }
    }
}

/// Photos, as they came and as they are shown.
#[derive(Clone, Copy)]
pub struct Photos<'a> {
    pub(crate) app: &'a App,
}

impl Photos<'_> {
    /// Leaves photos to be made ready soon.
    pub(crate) fn prepare_later(self, lead: LeadId, fotos: impl IntoIterator<Item = FotoId>) {
        for foto in fotos {
            if self.app.photo_queue.cola.try_send((lead, foto)).is_err() {
                return;
            }
        }
    }

    /// Makes photos ready as they come, for ever; ends when the caller drops it.
    pub async fn keep_ready(self) {
        let mut esperan = self.app.photo_queue.esperan.lock().await;
        while let Some((lead, foto)) = esperan.recv().await {
            let hecha = async {
                let foto = self.app.store.foto(lead, foto).await?;
                self.make_rendicion(lead, &foto, PLAZO_UNA).await
            };
            match hecha.await {
                // Deleted meanwhile: nobody misses it.
                Ok(_) | Err(AppError::Store(StoreError::FotoNotFound)) => {}
                Err(error) => {
                    tracing::warn!(%error, lead.id = %lead, "a photo was not made ready; it is when it is needed");
                }
            }
        }
    }

    /// A photo ready to be shown (JPEG), made now if it is not there yet; or why it cannot be. [`StoreError::FotoNotFound`].
    pub async fn ready(
        self,
        lead: LeadId,
        foto: FotoId,
        tamano: Tamano,
    ) -> Result<Result<BlobReader, String>, AppError> {
        let foto = self.app.store.foto(lead, foto).await?;
        let id = foto.id;
        let rendicion = self.renditions(lead, &[foto]).await?.remove(&id).ok_or(StoreError::FotoNotFound)?;
        match rendicion.resultado {
            Resultado::Hecha(d) => {
                let huella = match tamano {
                    Tamano::Impresion => d.impresion,
                    Tamano::Miniatura => d.miniatura,
                };
                Ok(Ok(self.app.blobs.open(lead, &huella).await?))
            }
            Resultado::Fallida(motivo) => Ok(Err(motivo)),
        }
    }

    /// What was made of these photos of a lead; makes what is missing, and fetches again what could not be fetched.
    pub(crate) async fn renditions(
        self,
        lead: LeadId,
        fotos: &[Foto],
    ) -> Result<HashMap<FotoId, Rendicion>, AppError> {
        let guardadas = self.app.store.rendiciones(lead).await?;
        let mut hechas: HashMap<FotoId, Rendicion> = guardadas.into_iter().map(|r| (r.foto, r)).collect();
        let limite = Instant::now() + PLAZO_DESCARGAS;
        let faltan = fotos.iter().filter(|f| hechas.get(&f.id).is_none_or(|r| se_repite(f, r)));
        let faltan: Vec<_> = faltan.map(|foto| self.make_in_time(lead, foto, limite)).collect();
        let mut nuevas = stream::iter(faltan).buffer_unordered(DE_UN_PRESUPUESTO);
        while let Some(nueva) = nuevas.next().await {
            match nueva {
                Ok(rendicion) => {
                    hechas.insert(rendicion.foto, rendicion);
                }
                Err(AppError::Store(StoreError::FotoNotFound)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(hechas)
    }

    /// Makes one photo ready while there is time to fetch it.
    async fn make_in_time(self, lead: LeadId, foto: &Foto, limite: Instant) -> Result<Rendicion, AppError> {
        self.make_rendicion(lead, foto, limite.saturating_duration_since(Instant::now())).await
    }

    /// Makes one photo ready and keeps what came of it.
    async fn make_rendicion(self, lead: LeadId, foto: &Foto, plazo: Duration) -> Result<Rendicion, AppError> {
        let mut puestos = Vec::new();
        let (copia, resultado) = match self.picture(lead, foto, plazo).await? {
            Ok((fetched, bytes)) => {
                let copia = if fetched { Some(apuntar(bytes.to_vec(), &mut puestos).await) } else { None };
                (copia, self.derive(bytes, &mut puestos).await)
            }
            Err(motivo) => (None, Resultado::Fallida(motivo)),
        };
        let rendicion = Rendicion { lead, foto: foto.id, copia, resultado, creada_en: self.app.ahora() };
        self.keep_rendicion(&rendicion, &puestos).await?;
        Ok(rendicion)
    }

    async fn keep_rendicion(self, rendicion: &Rendicion, puestos: &[Puesto]) -> Result<(), AppError> {
        let guardar = |barridos| self.app.store.save_rendicion(rendicion.clone(), barridos);
        with_blobs(self.app, rendicion.lead, puestos, guardar).await
    }

    /// The bytes of a photo, and whether they were fetched; or why there are none.
    async fn picture(
        self,
        lead: LeadId,
        foto: &Foto,
        plazo: Duration,
    ) -> Result<Result<(bool, Bytes), String>, AppError> {
        match &foto.imagen {
            ImagenGuardada::Url(url) => {
                let fetched = self.app.outbound.descargas.fetch(url, plazo).await;
                Ok(fetched.map(|bytes| (true, bytes)).map_err(|fallo| fallo.to_string()))
            }
            ImagenGuardada::Canonica { bytes, .. } | ImagenGuardada::Informal { bytes, .. } => {
                Ok(Ok((false, self.app.blobs.get(lead, bytes).await?)))
            }
            ImagenGuardada::Ilegible { .. } => Ok(Err(ILEGIBLE.to_owned())),
        }
    }

    async fn derive(self, bytes: Bytes, puestos: &mut Vec<Puesto>) -> Resultado {
        let plaza = self.app.photo_queue.plazas.acquire().await.expect("the places are never closed");
        let hechas = tokio::task::spawn_blocking(move || embudo_fotos::preparar(&bytes)).await;
        drop(plaza);
        match hechas {
            Ok(Ok(hechas)) => Resultado::Hecha(Derivadas {
                ancho: hechas.impresion.ancho,
                alto: hechas.impresion.alto,
                impresion: apuntar(hechas.impresion.bytes, puestos).await,
                miniatura: apuntar(hechas.miniatura.bytes, puestos).await,
            }),
            Ok(Err(motivo)) => Resultado::Fallida(motivo.to_string()),
            // A picture that breaks the decoder is a bad picture, not a bad server.
            Err(_) => Resultado::Fallida(ILEGIBLE.to_owned()),
        }
    }
}

/// What could not be fetched may be there now; bytes that could not be read never will be.
fn se_repite(foto: &Foto, rendicion: &Rendicion) -> bool {
    let fallida = matches!(rendicion.resultado, Resultado::Fallida(_));
    fallida && rendicion.copia.is_none() && matches!(foto.imagen, ImagenGuardada::Url(_))
}
