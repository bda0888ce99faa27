//! What all pages share: the frame, the headers, the files, the refusals and the quotas.
//!
//! New pages use these stable types: [`Storefront`] is the company with its brand, [`Frame`] is the frame that
//! templates extend as `frame.html`, [`render_page`] makes the response, [`Refusal`] is every refusal. This module
//! knows nothing of the form's steps or of quotes.

pub(crate) mod assets;
pub(crate) mod brand_files;
mod frame;
mod input;
pub(crate) mod layer;
mod quotas;
mod refusal;
mod request;
mod routes;
pub(crate) mod shades;
mod storefront;

pub(crate) use frame::{Frame, Visibility, private_page, redirect, render_page};
pub(crate) use input::{Input, Mistake, Shape, draws_inputs};
pub use quotas::Quota;
pub(crate) use quotas::{Quotas, network};
pub(crate) use refusal::Refusal;
pub(crate) use request::{
    ClientAddress, FormFields, clean, fields_of, is_from_us, names_our_origin, read_fields, read_public,
    wants_json,
};
pub(crate) use routes::{PageHandler, handler, pages};
pub(crate) use storefront::Storefront;
