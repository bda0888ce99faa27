//! Why a command failed.

/// A failed command. Nothing of it is stored, except after `Unavailable`, where a commit may be in doubt.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the lead does not exist")]
    LeadNotFound,
    #[error("the company does not exist")]
    EmpresaNotFound,
    /// The lead has no such photo.
    #[error("the photo does not exist")]
    FotoNotFound,
    #[error("the job does not exist")]
    JobNotFound,
    /// The job was sent and accepted; there is nothing left to do with it.
    #[error("the job is done")]
    JobFinished,
    #[error("the quote does not exist")]
    PresupuestoNotFound,
    /// The company has another price table of this version.
    #[error("the company has another price table of this version")]
    TarifaTaken,
    /// Another company has or had this slug.
    #[error("another company uses this slug")]
    SlugTaken,
    #[error("the person does not exist")]
    UserNotFound,
    /// Another person has this e-mail.
    #[error("another person uses this e-mail")]
    EmailTaken,
    /// No active administrator would be left.
    #[error("no active administrator would be left")]
    LastAdmin,
    /// The idempotency key was used with another body.
    #[error("the idempotency key was used with another body")]
    KeyReused,
    /// The first call with this idempotency key has not been answered yet.
    #[error("the first call with this idempotency key is still running")]
    KeyInProgress,
    /// A blob that the command names is being swept, or was swept: put it again ([`crate::BlobReads::blob_marks`]).
    #[error("a blob is being swept")]
    BlobMarked,
    /// The database cannot be reached or cannot write (gone, disk full, too slow): try again later.
    #[error("storage is unavailable: {0}")]
    Unavailable(String),
    /// The database refused something that should always work: a defect of ours, or a damaged database.
    #[error("storage failed: {0}")]
    Internal(String),
}
