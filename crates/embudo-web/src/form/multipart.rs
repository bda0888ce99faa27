//! The form of step 5 as browsers without the module send it: notes and photos in one body.
//!
//! Whoever has a pass may send it, so what it costs is bounded: so many parts, one note a zone, and the work of parting and
//! hashing it stays off the threads that answer everybody else.

use bytes::Bytes;
use embudo_domain::{Huella, Zona};
use futures_util::stream;
use tokio::runtime::Handle;

use super::upload::{MAX_FOTOS, MAX_NOTA};
use crate::parts::{Refusal, limpio};

/// Every photo that a lead may have, and every field that the form has: two of files and one of text a zone, and a button.
const MAX_PARTES: usize = MAX_FOTOS + 3 * Zona::PALABRAS.len() + 1;
/// What is looked at of a note that is too long: enough to be shown again and shortened.
const MAX_NOTA_BYTES: usize = 8 * MAX_NOTA;

/// What the form brought.
#[derive(Debug, Default)]
pub(super) struct Enviado {
    /// What stands in the box of each zone now; empty where it was emptied.
    pub notas: Vec<(Zona, String)>,
    /// Photos with their marks.
    pub fotos: Vec<(Zona, Bytes, Huella)>,
    /// Saved to go on adding.
    pub seguir_aqui: bool,
}

/// Reads a body of this media type. Fields are `nota-<zona>` and `foto-<zona>`; a file field left empty comes as an empty file.
pub(super) async fn leer(tipo: &str, cuerpo: Bytes) -> Result<Enviado, Refusal> {
    let limite = multer::parse_boundary(tipo).map_err(|_| Refusal::NoEntendido)?;
    let hilo = Handle::current();
    let trabajo = tokio::task::spawn_blocking(move || hilo.block_on(partir(limite, cuerpo)));
    trabajo.await.expect("the task is not cancelled; a panic in it is this request's panic")
}

async fn partir(limite: String, cuerpo: Bytes) -> Result<Enviado, Refusal> {
    let cuerpo = stream::once(async { Ok::<_, std::convert::Infallible>(cuerpo) });
    let mut partes = multer::Multipart::new(cuerpo, limite);
    let mut enviado = Enviado::default();
    let mut cuantas = 0;
    while let Some(parte) = partes.next_field().await.map_err(|_| Refusal::NoEntendido)? {
        cuantas += 1;
        if cuantas > MAX_PARTES {
            return Err(Refusal::Grande);
        }
        let nombre = parte.name().unwrap_or_default().to_owned();
        let bytes = parte.bytes().await.map_err(|_| Refusal::NoEntendido)?;
        if let Some(zona) = nombre.strip_prefix("foto-").and_then(Zona::parse) {
            if !bytes.is_empty() {
                let huella = Huella::of(&bytes);
                enviado.fotos.push((zona, bytes, huella));
            }
        } else if let Some(zona) = nombre.strip_prefix("nota-").and_then(Zona::parse) {
            let texto = limpio(&String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_NOTA_BYTES)]));
            enviado.notas.retain(|(z, _)| *z != zona);
            enviado.notas.push((zona, texto));
        } else if nombre == "seguir" {
            enviado.seguir_aqui = true;
        }
    }
    Ok(enviado)
}
