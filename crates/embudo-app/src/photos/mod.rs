//! Photos made ready to be printed and shown: upright, small, without metadata, kept as blobs.
//!
//! They are made once, after the ingestion and off its path; what is missing when a quote is drawn is made then. A
//! photo that cannot be shown leaves its reason, never a failed quote. A photo that was given by its address is fetched
//! through the egress guard and its bytes are kept.

mod received;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bytes::Bytes;
use embudo_blobs::BlobReader;
use embudo_domain::foto::{Foto, StoredImage};
use embudo_domain::rendition::{Derived, Rendition, RenditionOutcome};
use embudo_domain::{FotoId, LeadId};
use embudo_store::StoreError;
use futures_util::{StreamExt, stream};
use tokio::sync::{Mutex, Semaphore, mpsc, watch};

pub use received::{Bytes as FotoBytes, Received};

use crate::blobs::{PutBlob, point_at, with_blobs};
use crate::{App, AppError};

/// Photos that wait to be made ready; what does not fit is made when it is needed.
const QUEUE: usize = 1024;
/// Photos that are decoded at the same time: each may take a few hundred megabytes for a moment.
const AT_ONCE: usize = 2;
/// Photos of one quote that are under way at the same time: fetching is mostly waiting.
const PER_PRESUPUESTO: usize = 8;
/// How long all fetches of one quote may take together.
const DOWNLOADS_DEADLINE: Duration = Duration::from_secs(8);
/// How long one fetch may take when nobody waits for it.
const DOWNLOAD_DEADLINE: Duration = Duration::from_secs(10);
/// Photos come in bursts, and decoding one takes fifty times as long as storing it. So that senders do not wait for
/// decoding, it begins when no photo has come for this long.
const QUIET: Duration = Duration::from_millis(250);
/// The longest that decoding is put off.
const QUIET_AT_MOST: Duration = Duration::from_secs(5);
/// What replaces a photo whose payload is not an image.
pub(crate) const UNREADABLE: &str = "la imagen no se puede leer";

/// Which of the pictures made of a photo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// As the quote prints it.
    Print,
    Thumbnail,
}

/// Photos on their way to being ready.
pub(crate) struct PhotoQueue {
    outbox: mpsc::Sender<(LeadId, FotoId)>,
    wait: Mutex<mpsc::Receiver<(LeadId, FotoId)>>,
    /// When the last one came.
    last: watch::Sender<Instant>,
    pub(crate) seats: Semaphore,
}

impl Default for PhotoQueue {
    fn default() -> Self {
        let (outbox, wait) = mpsc::channel(QUEUE);
        let last = watch::Sender::new(Instant::now());
        Self { outbox, wait: Mutex::new(wait), last, seats: Semaphore::new(AT_ONCE) }
    }
}

impl PhotoQueue {
    /// Waits until no more photos come.
    async fn is_quiet(&self) {
        let limit = Instant::now() + QUIET_AT_MOST;
        loop {
            let until = (*self.last.borrow() + QUIET).min(limit);
            if Instant::now() >= until {
                return;
            }
            tokio::time::sleep_until(until.into()).await;
        }
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
            self.app.photo_queue.last.send_replace(Instant::now());
            if self.app.photo_queue.outbox.try_send((lead, foto)).is_err() {
                return;
            }
        }
    }

    /// Makes photos ready as they come, for ever; ends when the caller drops it.
    pub async fn keep_ready(self) {
        let mut wait = self.app.photo_queue.wait.lock().await;
        while let Some((lead, foto)) = wait.recv().await {
            self.app.photo_queue.is_quiet().await;
            let done = async {
                let foto = self.app.store.foto(lead, foto).await?;
                self.make_rendition(lead, &foto, DOWNLOAD_DEADLINE).await
            };
            match done.await {
                // Deleted meanwhile: nobody misses it.
                Ok(_) | Err(AppError::Store(StoreError::FotoNotFound)) => {}
                Err(error) => {
                    tracing::warn!(%error, lead.id = %lead, "a photo was not made ready; it is when it is needed");
                }
            }
        }
    }

    /// A photo ready to be shown (JPEG), made now if it is not there yet; or why it cannot be.
    /// [`StoreError::FotoNotFound`].
    pub async fn ready(
        self,
        lead: LeadId,
        foto: FotoId,
        size: Size,
    ) -> Result<Result<BlobReader, String>, AppError> {
        let foto = self.app.store.foto(lead, foto).await?;
        let id = foto.id;
        let rendition = self.renditions(lead, &[foto]).await?.remove(&id).ok_or(StoreError::FotoNotFound)?;
        match rendition.result {
            RenditionOutcome::Done(d) => {
                let digest = match size {
                    Size::Print => d.print,
                    Size::Thumbnail => d.thumbnail,
                };
                Ok(Ok(self.app.blobs.open(lead, &digest).await?))
            }
            RenditionOutcome::Failed(reason) => Ok(Err(reason)),
        }
    }

    /// Removes a photo of a lead. Removing it a second time succeeds.
    pub async fn remove(self, lead: LeadId, foto: FotoId) -> Result<(), AppError> {
        Ok(self.app.store.delete_foto(lead, foto, self.app.now()).await?)
    }

    /// What was made of these photos of a lead; makes what is missing, and fetches again what could not be fetched.
    pub(crate) async fn renditions(
        self,
        lead: LeadId,
        fotos: &[Foto],
    ) -> Result<HashMap<FotoId, Rendition>, AppError> {
        let stored = self.app.store.renditions(lead).await?;
        let mut done: HashMap<FotoId, Rendition> = stored.into_iter().map(|r| (r.foto, r)).collect();
        let limit = Instant::now() + DOWNLOADS_DEADLINE;
        let missing = fotos.iter().filter(|f| done.get(&f.id).is_none_or(|r| is_repeated(f, r)));
        let missing: Vec<_> = missing.map(|foto| self.make_in_time(lead, foto, limit)).collect();
        let mut new_ones = stream::iter(missing).buffer_unordered(PER_PRESUPUESTO);
        while let Some(new) = new_ones.next().await {
            match new {
                Ok(rendition) => {
                    done.insert(rendition.foto, rendition);
                }
                Err(AppError::Store(StoreError::FotoNotFound)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    /// Makes one photo ready while there is time to fetch it.
    async fn make_in_time(self, lead: LeadId, foto: &Foto, limit: Instant) -> Result<Rendition, AppError> {
        self.make_rendition(lead, foto, limit.saturating_duration_since(Instant::now())).await
    }

    /// Makes one photo ready and keeps what came of it.
    async fn make_rendition(
        self,
        lead: LeadId,
        foto: &Foto,
        deadline: Duration,
    ) -> Result<Rendition, AppError> {
        let mut placed = Vec::new();
        let (copy, result) = match self.picture(lead, foto, deadline).await? {
            Ok((fetched, bytes)) => {
                let copy = if fetched { Some(point_at(bytes.to_vec(), &mut placed).await) } else { None };
                (copy, self.derive(bytes, &mut placed).await)
            }
            Err(reason) => (None, RenditionOutcome::Failed(reason)),
        };
        let rendition = Rendition { lead, foto: foto.id, copy, result, creada_en: self.app.now() };
        self.keep_rendition(&rendition, &placed).await?;
        Ok(rendition)
    }

    async fn keep_rendition(self, rendition: &Rendition, placed: &[PutBlob]) -> Result<(), AppError> {
        let save = |swept| self.app.store.save_rendition(rendition.clone(), swept);
        with_blobs(self.app, rendition.lead, placed, save).await
    }

    /// The bytes of a photo, and whether they were fetched; or why there are none.
    async fn picture(
        self,
        lead: LeadId,
        foto: &Foto,
        deadline: Duration,
    ) -> Result<Result<(bool, Bytes), String>, AppError> {
        match &foto.image {
            StoredImage::Url(url) => {
                let fetched = self.app.outbound.fetches.fetch(url, deadline).await;
                Ok(fetched.map(|bytes| (true, bytes)).map_err(|failure| failure.to_string()))
            }
            StoredImage::Canonical { bytes, .. } | StoredImage::Informal { bytes, .. } => {
                Ok(Ok((false, self.app.blobs.get(lead, bytes).await?)))
            }
            StoredImage::Unreadable { .. } => Ok(Err(UNREADABLE.to_owned())),
        }
    }

    async fn derive(self, bytes: Bytes, placed: &mut Vec<PutBlob>) -> RenditionOutcome {
        let seat = self.app.photo_queue.seats.acquire().await.expect("the places are never closed");
        let done = tokio::task::spawn_blocking(move || embudo_fotos::prepare(&bytes)).await;
        drop(seat);
        match done {
            Ok(Ok(done)) => RenditionOutcome::Done(Derived {
                width: done.print.width,
                height: done.print.height,
                print: point_at(done.print.bytes, placed).await,
                thumbnail: point_at(done.thumbnail.bytes, placed).await,
            }),
            Ok(Err(reason)) => RenditionOutcome::Failed(reason.to_string()),
            // A picture that breaks the decoder is a bad picture, not a bad server.
            Err(_) => RenditionOutcome::Failed(UNREADABLE.to_owned()),
        }
    }
}

/// What could not be fetched may be there now; bytes that could not be read never will be.
fn is_repeated(foto: &Foto, rendition: &Rendition) -> bool {
    let failed = matches!(rendition.result, RenditionOutcome::Failed(_));
    failed && rendition.copy.is_none() && matches!(foto.image, StoredImage::Url(_))
}
