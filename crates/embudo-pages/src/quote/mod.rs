//! The quote's page: the contents of the PDF, the photos before and after, and the forms with which the client answers.
//!
//! The pass in the address is the permission; any other pass gets a 404 page. The page shows the sealed document of the
//! quote, never the current data of the lead, so that page and PDF always agree. All forms are plain HTML: a `POST` is
//! answered with 303 to the page, or with the page and its errors. This module must not decide whether an answer is
//! accepted: the store decides, and the page shows the result.

mod access;
mod answer;
mod bridge;
mod files;
mod offer;
pub(crate) mod pictures;
mod show;
mod standing;
#[cfg(test)]
mod tests;
mod view;
pub(crate) mod words;
mod zonas;

pub(crate) use show::{draft_page, preview_page};

use crate::parts::pages;

pages! {
    "/p/{pase}" => get show::display;
    "/p/{pase}/pdf" => get files::pdf;
    "/p/{pase}/fotos/{foto}" => get files::foto;
    "/p/{pase}/aceptar" => post answer::accept;
    "/p/{pase}/rechazar" => post answer::reject;
    "/p/{pase}/visita" => post answer::ask_visit;
    "/p/{pase}/dudas" => post answer::ask;
    "/p/{pase}/datos" => post answer::ask_right;
}
