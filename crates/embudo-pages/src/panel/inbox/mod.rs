//! `/panel/leads`: the inbox as a list or a board, with filters, one search box, actions on several leads, and an
//! export.

mod amounts;
mod ask;
mod bulk;
mod export;
mod live;
mod outcome;
mod row;
mod show;
mod words;

use embudo_store::inbox::Viewer;

pub(super) use bulk::act;
pub(super) use export::export;
pub(super) use live::stream;
pub(super) use show::show;

use super::Signed;
use crate::parts::Refusal;

/// The signed-in person as a viewer of the current company.
fn viewer(signed: &Signed) -> Result<Viewer, Refusal> {
    let (empresa, _) = signed.chosen().ok_or(Refusal::Forbidden)?;
    Ok(Viewer { who: signed.open.user.id, empresas: vec![empresa.id] })
}
