//! Prepares photos to be printed and shown: upright, small, without metadata, stored as blobs.
//!
//! Photos are prepared once, after the ingestion and not as part of it. A photo that is not ready when a quote is drawn
//! is prepared then. If a photo cannot be shown, the reason is stored and the quote does not fail. A photo that was
//! given by its address is fetched through the egress guard, and its bytes are stored.

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

/// The maximum length of the queue of photos to be prepared. Photos beyond it are prepared when they are needed.
const QUEUE: usize = 1024;
/// The maximum number of photos that are decoded at the same time: each may take a few hundred megabytes for a moment.
const AT_ONCE: usize = 2;
/// The maximum number of photos of one quote that are prepared at the same time. It is higher because fetching is
/// mostly waiting.
const PER_PRESUPUESTO: usize = 8;
/// The maximum time for all fetches of one quote together.
const DOWNLOADS_DEADLINE: Duration = Duration::from_secs(8);
/// The maximum time for one fetch in the background.
const DOWNLOAD_DEADLINE: Duration = Duration::from_secs(10);
/// Photos arrive in bursts, and decoding one takes fifty times as long as storing it. So that senders do not wait for
/// decoding, it begins only when no photo has arrived for this long.
const QUIET: Duration = Duration::from_millis(250);
/// The maximum time for which decoding is postponed.
const QUIET_AT_MOST: Duration = Duration::from_secs(5);
/// The text that replaces a photo whose payload is not an image.
pub(crate) const UNREADABLE: &str = "la imagen no se puede leer";

/// Which of the two pictures that are made from a photo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The size that the quote prints.
    Print,
    Thumbnail,
}

/// Photos that wait to be prepared.
pub(crate) struct PhotoQueue {
    outbox: mpsc::Sender<(LeadId, FotoId)>,
    wait: Mutex<mpsc::Receiver<(LeadId, FotoId)>>,
    /// When the last photo arrived.
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
    /// Waits until no more photos arrive.
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

/// Photos, as received and as shown.
#[derive(Clone, Copy)]
pub struct Photos<'a> {
    pub(crate) app: &'a App,
}

impl Photos<'_> {
    /// Queues photos to be prepared soon.
    pub(crate) fn prepare_later(self, lead: LeadId, fotos: impl IntoIterator<Item = FotoId>) {
        for foto in fotos {
            self.app.photo_queue.last.send_replace(Instant::now());
            if self.app.photo_queue.outbox.try_send((lead, foto)).is_err() {
                return;
            }
        }
    }

    /// Prepares photos as they arrive, for ever; ends when the caller drops it.
    pub async fn keep_ready(self) {
        let mut wait = self.app.photo_queue.wait.lock().await;
        while let Some((lead, foto)) = wait.recv().await {
            self.app.photo_queue.is_quiet().await;
            let done = async {
                let foto = self.app.store.foto(lead, foto).await?;
                self.make_rendition(lead, &foto, DOWNLOAD_DEADLINE).await
            };
            match done.await {
                // The photo was deleted meanwhile, so it is not needed.
                Ok(_) | Err(AppError::Store(StoreError::FotoNotFound)) => {}
                Err(error) => {
                    tracing::warn!(%error, lead.id = %lead, "a photo was not made ready; it is when it is needed");
                }
            }
        }
    }

    /// A photo ready to be shown (JPEG), prepared now if necessary; or the reason why it cannot be shown. Fails with
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

    /// The renditions of these photos of a lead. Makes the missing ones, and retries photos that could not be fetched.
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

    /// Prepares one photo. If it must be fetched, the time for that ends at `limit`.
    async fn make_in_time(self, lead: LeadId, foto: &Foto, limit: Instant) -> Result<Rendition, AppError> {
        self.make_rendition(lead, foto, limit.saturating_duration_since(Instant::now())).await
    }

    /// Prepares one photo and stores the result.
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

    /// The bytes of a photo, and whether they were fetched; or the reason why there are none.
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
            // A picture that makes the decoder panic is treated as an unreadable picture, not as a server error.
            Err(_) => RenditionOutcome::Failed(UNREADABLE.to_owned()),
        }
    }
}

/// Whether to make a failed rendition again. A photo that could not be fetched may be available now; bytes that could
/// not be decoded will never be readable.
fn is_repeated(foto: &Foto, rendition: &Rendition) -> bool {
    let failed = matches!(rendition.result, RenditionOutcome::Failed(_));
    failed && rendition.copy.is_none() && matches!(foto.image, StoredImage::Url(_))
}
