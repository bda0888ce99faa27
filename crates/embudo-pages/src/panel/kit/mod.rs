//! Helpers that the features of the panel share. This module depends on none of those features.

pub(super) mod archiving;
pub(super) mod chips;
pub(super) mod choices;
pub(super) mod facts;
pub(crate) mod form;
pub(super) mod papers;
pub(super) mod password;
pub(super) mod people;
pub(super) mod phone;
pub(super) mod set_up_progress;
pub(super) mod settings_edit;
pub(super) mod spreadsheet;
pub(super) mod tabs;
pub(super) mod upload;
pub(super) mod work;
