//! Takes in a body with photos: large photos are staged in the blobs while the body arrives, the rest is kept for the
//! parser.

use bytes::{Bytes, BytesMut};
use embudo_app::Aside;
use embudo_blobs::{BlobError, Blobs, Staging};
use embudo_domain::sieve::{Rest, Sieve, Sifted};
use embudo_server::{BodyRefusal, EARNEST_BYTES, Intake, Room};
use sha2::{Digest as _, Sha256};

use crate::problem::Problem;

/// A body whose photos are set aside takes memory in steps of this size: for some pieces on their way, and for the rest
/// of the body.
const STREAM_BYTES: u64 = 512 * 1024;
/// How many bytes of a photo that cannot be set aside are read back at a time; a multiple of three, as base64 needs.
const BACK_BYTES: u64 = 192 * 1024;

/// A body on its way in.
pub(crate) struct PhotoIntake {
    blobs: Blobs,
    /// What has arrived of a body that is not large yet.
    begun: BytesMut,
    /// The whole body, if it came in one piece.
    piece: Option<Bytes>,
    sieve: Option<Box<Sieve>>,
    /// The photo that is arriving now.
    staging: Option<Staging>,
    aside: Aside,
    sha256: Option<Sha256>,
}

/// A body that was taken in.
pub(crate) struct TakenIn {
    pub body: TakenBody,
    pub aside: Aside,
    /// SHA-256 of all its bytes, if the caller asked for it.
    pub sha256: Option<[u8; 32]>,
}

pub(crate) enum TakenBody {
    Whole(Bytes),
    Sifted(Rest),
}

impl TakenBody {
    /// The text for the parser.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Whole(bytes) => bytes,
            Self::Sifted(rest) => &rest.kept,
        }
    }

    /// A hash that tells bodies apart. If photos were set aside, the bytes of the body are gone; then this is the hash
    /// of what is kept and of the digests of the photos.
    pub fn sha256(&self) -> [u8; 32] {
        let sha256 = Sha256::new_with_prefix(self.bytes());
        match self {
            Self::Whole(_) => sha256,
            Self::Sifted(rest) => sha256.chain_update(rest.trace().collect::<Vec<_>>()),
        }
        .finalize()
        .into()
    }
}

impl PhotoIntake {
    pub(crate) fn new(blobs: &Blobs, with_sha256: bool) -> Self {
        Self {
            blobs: blobs.clone(),
            begun: BytesMut::new(),
            piece: None,
            sieve: None,
            staging: None,
            aside: Aside::new(),
            sha256: with_sha256.then(Sha256::new),
        }
    }

    pub(crate) fn finish(self) -> TakenIn {
        let body = match self.sieve {
            Some(sieve) => TakenBody::Sifted(sieve.finish()),
            None => TakenBody::Whole(self.piece.unwrap_or_else(|| self.begun.freeze())),
        };
        TakenIn { body, aside: self.aside, sha256: self.sha256.map(|sha256| sha256.finalize().into()) }
    }

    /// Collects the beginning of a body. Once the body is too large for a small one, starts the sieve and returns the
    /// part of the piece that is not taken in yet.
    async fn begin(&mut self, piece: Bytes, room: &mut Room<'_>) -> Result<Option<Bytes>, Problem> {
        let small = usize::try_from(room.small_bytes()).unwrap_or(usize::MAX);
        let length = self.begun.len() + piece.len();
        if length > small {
            // After sifting, the beginning takes no more memory than before, so it is sifted before the wait for more
            // memory.
            room.for_all(small as u64).await?;
            let mut piece = piece;
            self.begun.extend_from_slice(&piece.split_to(small - self.begun.len()));
            let begun = std::mem::take(&mut self.begun);
            self.sieve = Some(Box::default());
            self.sift(&begun, room).await?;
            return Ok(Some(piece));
        }
        room.for_all(length as u64).await?;
        if self.begun.is_empty() && room.declared_bytes() == Some(length as u64) {
            self.piece = Some(piece);
        } else {
            self.begun.extend_from_slice(&piece);
        }
        Ok(None)
    }

    /// Waits for memory for what is held and `bytes` more.
    async fn make_room(&mut self, bytes: u64, room: &mut Room<'_>) -> Result<(), BodyRefusal> {
        let more = room.bytes_to_come().map(|to_come| to_come + bytes);
        let bytes = self.held_bytes() + bytes;
        let passes = self.sieve.as_ref().is_some_and(|sieve| sieve.sets_aside());
        if passes && self.blobs.stages_elsewhere() {
            return room.for_some(bytes.next_multiple_of(STREAM_BYTES)).await;
        }
        room.for_all(bytes).await?;
        if let (Some(more), Some(sieve)) = (more, &mut self.sieve)
            && !passes
            && bytes > EARNEST_BYTES as u64
        {
            sieve.reserve(more as usize);
        }
        Ok(())
    }

    async fn sift(&mut self, mut data: &[u8], room: &mut Room<'_>) -> Result<(), Problem> {
        while let Some(sieve) = &mut self.sieve {
            match sieve.push(&mut data) {
                Sifted::All => break,
                Sifted::Full => self.hand_on().await?,
                Sifted::Photo => {
                    self.hand_on().await?;
                    if let (Some(staging), Some(sieve)) = (self.staging.take(), &mut self.sieve) {
                        let (digest, staged) = staging.finish();
                        sieve.name(digest);
                        self.aside.insert(digest, staged);
                    }
                }
                Sifted::Undo => self.undo(room).await?,
            }
        }
        Ok(())
    }

    /// Hands the decoded part of a photo over to the blobs.
    async fn hand_on(&mut self) -> Result<(), Problem> {
        let Some(sieve) = &mut self.sieve else { return Ok(()) };
        let (buffer, len) = sieve.decoded();
        let staging = self.staging.get_or_insert_with(|| self.blobs.stage());
        let buffer = staging.write(buffer, len).await.map_err(problem)?;
        sieve.give_back(buffer);
        Ok(())
    }

    /// Takes back what was handed over of a photo that must be kept as text, because encoding its bytes again would not
    /// give the text that was sent.
    async fn undo(&mut self, room: &mut Room<'_>) -> Result<(), Problem> {
        if let Some(staging) = self.staging.take() {
            let again = staging.size().div_ceil(3) * 4;
            room.for_all(self.held_bytes() + again).await?;
            self.sieve.iter_mut().for_each(|sieve| sieve.reserve(again as usize));
            for from in (0..staging.size()).step_by(BACK_BYTES as usize) {
                let len = BACK_BYTES.min(staging.size() - from) as usize;
                let back = staging.read(from, len).await.map_err(problem)?;
                self.sieve.iter_mut().for_each(|sieve| sieve.restore(&back));
            }
        }
        self.sieve.iter_mut().for_each(|sieve| sieve.restored());
        Ok(())
    }
}

impl Intake for PhotoIntake {
    type Refusal = Problem;

    async fn take(&mut self, piece: Bytes, room: &mut Room<'_>) -> Result<(), Problem> {
        if let Some(sha256) = &mut self.sha256 {
            sha256.update(&piece);
        }
        let piece = match self.sieve {
            Some(_) => piece,
            None => match self.begin(piece, room).await? {
                Some(piece) => piece,
                None => return Ok(()),
            },
        };
        self.make_room(piece.len() as u64, room).await?;
        self.sift(&piece, room).await
    }

    fn held_bytes(&self) -> u64 {
        let sieve = self.sieve.as_ref().map_or(0, |sieve| sieve.held_bytes());
        let begun = self.begun.len() + self.piece.as_ref().map_or(0, Bytes::len);
        let staged = self.aside.values().map(embudo_blobs::Staged::held_bytes).sum::<u64>();
        let staging = self.staging.as_ref().map_or(0, Staging::held_bytes);
        (sieve + begun) as u64 + staged + staging
    }
}

fn problem(error: BlobError) -> Problem {
    embudo_app::AppError::Blob(error).into()
}
