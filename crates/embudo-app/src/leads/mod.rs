//! Leads: creating and contacting them.

mod by_person;
mod create;
mod mensajeria;

use crate::App;

pub use by_person::ProfileSignal;
pub(crate) use mensajeria::{NO_EMAIL, NO_TELEPHONE, unaddressed};

/// The actions on leads that take more than one step.
#[derive(Clone, Copy)]
pub struct Leads<'a> {
    pub(crate) app: &'a App,
}
