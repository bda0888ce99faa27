//! Counts that several processes share.

use async_trait::async_trait;

use super::Reader;
use crate::Result;
use crate::counts::CountKey;
use crate::queries::count;

#[async_trait]
pub trait CountReads: Send + Sync + 'static {
    /// The counts of the key's kind and subject in its window and later ones: the number of each window, and its count.
    async fn counts_since(&self, key: CountKey) -> Result<Vec<(i64, i64)>>;
}

#[async_trait]
impl<R: Reader> CountReads for R {
    async fn counts_since(&self, key: CountKey) -> Result<Vec<(i64, i64)>> {
        self.read(count::since(key)).await
    }
}
