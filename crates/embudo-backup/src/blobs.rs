//! Blobs that rows name, brought from one place to another. What lies there already is not brought again.

use std::collections::{HashMap, HashSet};

use embudo_blobs::{BlobError, Blobs};
use embudo_domain::{Digest, LeadId};
use embudo_store::tables::{BLOBS, Row, TABLES, TableReader, Value};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::{Progress, Result};

/// Blobs on the way at the same time. Each is in memory meanwhile.
const AT_ONCE: usize = 4;
/// At most this many missing or damaged ones are named; the others are only counted.
const NAMED: usize = 100;

/// What a transfer did.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// Blobs that are there now, and their bytes.
    pub blobs: u64,
    pub bytes: u64,
    /// Of those, the ones that were not there before.
    pub copied: u64,
    /// Blobs that rows name and that are not where they come from, or not whole; the first of them by name.
    pub lost: u64,
    pub lost_names: Vec<String>,
    /// Blobs that nothing names any more by now.
    pub erased: u64,
}

/// A blob's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    pub(crate) lead: LeadId,
    pub(crate) digest: Digest,
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.lead, self.digest)
    }
}

impl Name {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (lead, digest) = text.split_once('/')?;
        Some(Self { lead: LeadId::parse(lead)?, digest: Digest::parse(digest)? })
    }

    /// Half of a digest that is as good as random already: enough to tell blobs apart, at a third of the memory.
    pub(crate) fn fingerprint(&self) -> u128 {
        let digest: [u8; 16] = std::array::from_fn(|n| self.digest.0[n]);
        u128::from_be_bytes(digest) ^ self.lead.0.as_u128()
    }
}

/// What became of one blob.
enum End {
    Kept(u64),
    Copied(u64),
    Lost,
}

/// Whether what lies there already is looked at byte by byte, or by its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    Length,
    Nothing,
}

/// The lengths of all blobs at a place, by their files: one question for a thousand of them.
pub(crate) async fn lengths(blobs: &Blobs) -> Result<HashMap<u128, u64>> {
    let (mut found, mut there) = (HashMap::new(), std::pin::pin!(blobs.list()));
    while let Some(blob) = there.try_next().await? {
        found.insert(Name { lead: blob.lead, digest: blob.digest }.fingerprint(), blob.size);
    }
    Ok(found)
}

/// Brings every blob that the rows name; what lies there is asked one by one, unless the lengths are known. `report` is
/// called for each that is there.
pub(crate) async fn transfer(
    rows: &mut dyn TableReader,
    from: &Blobs,
    to: &Blobs,
    known: Option<&HashMap<u128, u64>>,
    trust: Trust,
    progress: &dyn Progress,
    mut report: impl FnMut(&Name, u64) -> Result<()>,
) -> Result<Transfer> {
    let mut total = 0;
    for table in TABLES.iter().filter(|table| BLOBS.iter().any(|(name, _)| *name == table.name)) {
        total += rows.count(table).await?;
    }
    let (mut done, mut transfer, mut seen) = (0, Transfer::default(), HashSet::new());
    for (name, columns) in BLOBS {
        let Some(table) = TABLES.iter().find(|table| table.name == *name) else { continue };
        let lead = rows.shape().position(table, "lead_id");
        let columns: Vec<usize> = columns.iter().filter_map(|c| rows.shape().position(table, c)).collect();
        rows.open(table).await?;
        loop {
            let slice = rows.next().await?;
            if slice.is_empty() {
                break;
            }
            let names = slice.iter().flat_map(|row| names(row, lead, &columns));
            let fresh: Vec<Name> = names.filter(|name| seen.insert(name.fingerprint())).collect();
            let mut ends = stream::iter(fresh)
                .map(|name| async move { (name, one(from, to, known, name, trust).await) })
                .buffer_unordered(AT_ONCE);
            while let Some((name, end)) = ends.next().await {
                let bytes = match end? {
                    End::Kept(bytes) => bytes,
                    End::Copied(bytes) => {
                        transfer.copied += 1;
                        bytes
                    }
                    End::Lost => {
                        transfer.lost += 1;
                        if transfer.lost_names.len() < NAMED {
                            transfer.lost_names.push(name.to_string());
                        }
                        continue;
                    }
                };
                transfer.blobs += 1;
                transfer.bytes += bytes;
                report(&name, bytes)?;
            }
            done += slice.len() as u64;
            progress.at("photos and PDFs", done, total);
        }
    }
    Ok(transfer)
}

fn names(row: &Row, lead: Option<usize>, columns: &[usize]) -> Vec<Name> {
    let id = |value: &Value| match value {
        Value::Bytes(bytes) => uuid::Uuid::from_slice(bytes).ok(),
        _ => None,
    };
    let Some(lead) = lead.and_then(|at| id(&row[at])) else { return Vec::new() };
    let digest = |at: &usize| match &row[*at] {
        Value::Bytes(bytes) => bytes.as_slice().try_into().ok().map(Digest),
        _ => None,
    };
    columns.iter().filter_map(digest).map(|digest| Name { lead: LeadId(lead), digest }).collect()
}

async fn one(
    from: &Blobs,
    to: &Blobs,
    known: Option<&HashMap<u128, u64>>,
    name: Name,
    trust: Trust,
) -> Result<End> {
    let Name { lead, digest } = name;
    let there = match known {
        Some(known) => known.get(&name.fingerprint()).copied(),
        None => to.size(lead, &digest).await?,
    };
    if let Some(there) = there {
        let whole = match trust {
            // Where the origin has lost it, what is there is all that is left.
            Trust::Length => from.size(lead, &digest).await?.is_none_or(|size| size == there),
            Trust::Nothing => is_whole(to, name).await?,
        };
        if whole {
            return Ok(End::Kept(there));
        }
    }
    let bytes = match from.get(lead, &digest).await {
        Err(BlobError::Missing) => return Ok(End::Lost),
        bytes => bytes?,
    };
    if Digest::of(&bytes) != digest {
        return Ok(End::Lost);
    }
    let size = bytes.len() as u64;
    if there == Some(size) {
        // Of the same length and not the same: it must go, or it would be taken for kept.
        to.delete(lead, &digest, std::time::Instant::now() + std::time::Duration::from_secs(60)).await?;
    }
    to.put(lead, &digest, bytes).await?;
    Ok(End::Copied(size))
}

/// Whether a blob that is there is what its name says.
pub(crate) async fn is_whole(blobs: &Blobs, name: Name) -> Result<bool> {
    match blobs.get(name.lead, &name.digest).await {
        Ok(bytes) => Ok(Digest::of(&bytes) == name.digest),
        Err(BlobError::Missing) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
