//! `/panel/leads`: the inbox as a list or a board, with filters, the one search box, actions on several leads, and
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

/// The signed-in person, and the company they look at.
fn viewer(signed: &Signed) -> Result<Viewer, Refusal> {
    let (empresa, _) = signed.chosen().ok_or(Refusal::Forbidden)?;
    Ok(Viewer { who: signed.open.user.id, empresas: vec![empresa.id] })
}
