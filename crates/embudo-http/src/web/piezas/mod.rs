//! What every page shares: the frame around it, its headers, its files, its refusals and its quotas.
//!
//! Stable for whoever adds pages: [`Casa`] is the company with its brand, [`Marco`] the frame that templates extend as
//! `marco.html`, [`pagina`] the answer, [`Fallo`] every refusal. Nothing here knows a form's steps or a quote.

pub(crate) mod capa;
mod casa;
mod cuotas;
mod entrada;
mod fallo;
pub(crate) mod marca_css;
mod marco;
pub(crate) mod recursos;
mod tonos;

pub(crate) use casa::Casa;
pub use cuotas::Cuota;
pub(crate) use cuotas::Cuotas;
pub(crate) use entrada::{Campos, Cliente, campos_de, leer_campos, limpio, quiere_json, read_public};
pub(crate) use fallo::Fallo;
pub(crate) use marco::{Marco, Visibilidad, pagina, redirigir};
