//! Copies the blobs that rows name from one place to another. Blobs that the target has already are not copied again.

use std::collections::{HashMap, HashSet};

use embudo_blobs::{BlobError, Blobs};
use embudo_domain::{Digest, LeadId};
use embudo_store::Store;
use embudo_store::tables::{BLOBS, Row, TABLES, TableReader, Value};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::{Progress, Result};

/// How many blobs are copied at the same time. Each of them is in memory while it is copied.
const AT_ONCE: usize = 4;
/// At most this many missing or damaged blobs are named; further ones are only counted.
const NAMED: usize = 100;

/// The result of a transfer.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// Blobs that are at the target now, and their bytes.
    pub blobs: u64,
    pub bytes: u64,
    /// How many of these blobs were copied: the target lacked them, or had other bytes.
    pub copied: u64,
    /// Blobs that rows name but that are missing or damaged at the source; the names of the first ones.
    pub lost: u64,
    pub lost_names: Vec<String>,
    /// Missing blobs that no row names any more.
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

    /// Half of the digest, combined with the lead's id. Digests are as good as random: this is enough to tell blobs
    /// apart, at a third of the memory.
    pub(crate) fn fingerprint(&self) -> u128 {
        let digest: [u8; 16] = std::array::from_fn(|n| self.digest.0[n]);
        u128::from_be_bytes(digest) ^ self.lead.0.as_u128()
    }
}

/// The result of copying one blob.
enum End {
    Kept(u64),
    Copied(u64),
    Lost,
}

/// How a blob that the target has already is checked: by its length, or byte by byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    Length,
    Nothing,
}

/// The lengths of all blobs at a place, from the list of their files: one request lists a thousand of them.
pub(crate) async fn lengths(blobs: &Blobs) -> Result<HashMap<u128, u64>> {
    let (mut found, mut there) = (HashMap::new(), std::pin::pin!(blobs.list()));
    while let Some(blob) = there.try_next().await? {
        found.insert(Name { lead: blob.lead, digest: blob.digest }.fingerprint(), blob.size);
    }
    Ok(found)
}

/// Where blobs are copied from, and where to.
pub(crate) struct Route<'a> {
    pub(crate) from: &'a Blobs,
    pub(crate) to: &'a Blobs,
    /// The lengths of all blobs at the target. `None`: the target is asked for each.
    pub(crate) known: Option<&'a HashMap<u128, u64>>,
    pub(crate) trust: Trust,
    /// The database that uses the source. A missing blob that none of its rows names any more was erased meanwhile, so
    /// it is not lost. `None`: the source does not change.
    pub(crate) source: Option<&'a dyn Store>,
}

/// Copies every blob that the rows name. `report` is called for each blob that is at the target.
pub(crate) async fn transfer(
    rows: &mut dyn TableReader,
    route: &Route<'_>,
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
                .map(|name| async move { (name, one(route, name).await) })
                .buffer_unordered(AT_ONCE);
            while let Some((name, end)) = ends.next().await {
                let bytes = match end? {
                    End::Kept(bytes) => bytes,
                    End::Copied(bytes) => {
                        transfer.copied += 1;
                        bytes
                    }
                    End::Lost => {
                        if let Some(store) = route.source
                            && !store.blob_in_use(name.lead, name.digest).await?
                        {
                            transfer.erased += 1;
                            continue;
                        }
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

async fn one(route: &Route<'_>, name: Name) -> Result<End> {
    let (Route { from, to, known, trust, .. }, Name { lead, digest }) = (route, name);
    let there = match known {
        Some(known) => known.get(&name.fingerprint()).copied(),
        None => to.size(lead, &digest).await?,
    };
    if let Some(there) = there {
        let whole = match trust {
            // If the source has lost the blob, the copy at the target is the only one left.
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
        // The blob at the target has the same length but other bytes. It must be deleted first, or `put` would keep it.
        to.delete(lead, &digest, std::time::Instant::now() + std::time::Duration::from_secs(60)).await?;
    }
    to.put(lead, &digest, bytes).await?;
    Ok(End::Copied(size))
}

/// Whether the bytes of a blob match the digest in its name.
pub(crate) async fn is_whole(blobs: &Blobs, name: Name) -> Result<bool> {
    match blobs.get(name.lead, &name.digest).await {
        Ok(bytes) => Ok(Digest::of(&bytes) == name.digest),
        Err(BlobError::Missing) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
