//! A copy from one database to another, of any engine, and of the blobs from one place to another.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use embudo_blobs::{Blobs, DatabaseId};
use embudo_store::Store;
use embudo_store::tables::Found;

use crate::blobs::{Route, Transfer, Trust, transfer};
use crate::held::Held;
use crate::walk::{compare, fill};
use crate::{Database, Progress, Result};

/// What is copied.
pub struct Copy {
    pub from: Database,
    /// The store of the source: for the lease that keeps its blobs from being swept, and to ask which blobs rows still
    /// name.
    pub store: Arc<dyn Store>,
    /// Where the records go. `None`: only the blobs are copied.
    pub to: Option<Database>,
    /// Where the blobs are and where they go. `None`: no blobs are copied.
    pub blobs: Option<(Blobs, Blobs)>,
    /// How long to wait for another process that makes a backup or a copy.
    pub patience: Duration,
    /// The id of the source.
    pub id: DatabaseId,
    pub data_dir: PathBuf,
}

#[derive(Debug, Default)]
pub struct Copied {
    /// Records that are equal in both databases; 0 without a target.
    pub rows: u64,
    /// Whether this run continued an earlier one that was interrupted.
    pub resumed: bool,
    pub blobs: Option<Transfer>,
}

/// Copies everything as of now and compares every record at the end. Continues a run that was interrupted.
pub async fn copy(plan: &Copy, progress: &dyn Progress) -> Result<Copied> {
    let held = Held::take(&plan.store, (plan.data_dir.as_path(), plan.id), plan.patience, progress).await?;
    let copied = held.guard(copy_held(plan, progress)).await;
    held.end().await;
    copied
}

async fn copy_held(plan: &Copy, progress: &dyn Progress) -> Result<Copied> {
    let mut copied = Copied::default();
    let mut reader = plan.from.read().await?;
    let mut target = None;
    if let Some(to) = &plan.to {
        let (mut filling, found) = to.fill().await?;
        copied.resumed = found == Found::Begun;
        fill(&mut *reader, &mut *filling, copied.resumed.then_some(to), progress).await?;
        copied.rows = compare(&mut *reader, &mut *to.read().await?, progress).await?;
        target = Some(filling);
    }
    if let Some((from, to)) = &plan.blobs {
        // A blob that is missing at the source is reported, but is no error: the copy did not lose it.
        let route = Route { from, to, known: None, trust: Trust::Length, source: Some(&*plan.store) };
        copied.blobs = Some(transfer(&mut *reader, &route, progress, |_, _| Ok(())).await?);
    }
    if let Some(target) = target {
        target.finish().await?;
    }
    Ok(copied)
}
