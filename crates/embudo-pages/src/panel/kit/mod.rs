//! What the features of the panel share.

pub(crate) mod form;
pub(super) mod people;
pub(super) mod phone;
