//! The quote's page: what the PDF says, before and after, and the client's answer to it.
//!
//! The pass in the address is the permission; everything but a pass to a quote is a page that says 404. What is shown
//! comes from the sealed document of the quote, never from the lead as it is now, so that page and PDF say the same.
//! Plain forms throughout: `POST` is answered with 303 to the page, or with the page and what is wrong. It must not
//! decide whether an answer counts: the store does, and the page shows what came of it.

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
