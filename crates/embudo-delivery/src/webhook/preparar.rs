//! The pass over a body before it is sent: its signature, its length, and a body that keeps to both.

use std::sync::{Arc, Mutex};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::Body;

use super::fallo::Fallo;
use crate::cuerpo::{Corriente, Cuerpo, ErrorFuente, Piezas};
use crate::firma::Firmante;

/// A body of pieces that is no longer than this is kept from the first pass: most signals carry no picture.
const JUNTO: usize = 1024 * 1024;

/// A body ready to be sent.
pub(super) struct Listo {
    pub body: Body,
    pub len: u64,
    pub firma: Option<String>,
    pub fuente: Fuente,
}

/// Remembers what a piece said when it failed in mid-send, which the HTTP client only reports as a broken body.
#[derive(Clone, Default)]
pub(super) struct Fuente(Arc<Mutex<Option<ErrorFuente>>>);

impl Fuente {
    fn note(&self, error: &ErrorFuente) {
        *self.0.lock().expect("nobody panics while holding it") = Some(error.clone());
    }

    /// Why the call failed: our own source, or else the network.
    pub fn fallo(&self, error: &reqwest::Error) -> Fallo {
        let nuestro = self.0.lock().expect("nobody panics while holding it").take();
        nuestro.map_or_else(|| Fallo::Red(super::fallo::describe(error)), Fallo::Fuente)
    }
}

pub(super) async fn preparar(cuerpo: &Cuerpo, mut firmante: Firmante) -> Result<Listo, ErrorFuente> {
    let fuente = Fuente::default();
    let (body, len) = match cuerpo {
        Cuerpo::Bytes(bytes) => {
            firmante.update(bytes);
            (Body::from(bytes.clone()), bytes.len() as u64)
        }
        Cuerpo::Piezas(piezas) => match recorrer(Arc::clone(piezas).abrir(), &mut firmante).await? {
            Recorrido::Junto(bytes) => (Body::from(bytes.clone()), bytes.len() as u64),
            Recorrido::Largo(len) => (Body::wrap_stream(segunda(piezas, len, &fuente)), len),
        },
    };
    Ok(Listo { body, len, firma: firmante.cabecera(), fuente })
}

enum Recorrido {
    /// All of it.
    Junto(Bytes),
    /// Too long to be kept: its length.
    Largo(u64),
}

async fn recorrer(mut corriente: Corriente, firmante: &mut Firmante) -> Result<Recorrido, ErrorFuente> {
    let mut len = 0_u64;
    let mut junto = BytesMut::new();
    while let Some(pieza) = corriente.try_next().await? {
        firmante.update(&pieza);
        len += pieza.len() as u64;
        if len <= JUNTO as u64 {
            junto.extend_from_slice(&pieza);
        } else {
            junto = BytesMut::new();
        }
    }
    Ok(if len <= JUNTO as u64 { Recorrido::Junto(junto.freeze()) } else { Recorrido::Largo(len) })
}

/// The second pass, which must be as long as the first: a shorter one would leave the receiver waiting, a longer one
/// would be cut, and both would be something that was never signed.
fn segunda(piezas: &Arc<dyn Piezas>, len: u64, fuente: &Fuente) -> Corriente {
    let fuente = fuente.clone();
    let estado = (Arc::clone(piezas).abrir(), len);
    let contada = stream::try_unfold(estado, |(mut corriente, falta)| async move {
        let cambio = || ErrorFuente("el contenido cambió mientras se enviaba".to_owned());
        match corriente.try_next().await? {
            Some(pieza) => match falta.checked_sub(pieza.len() as u64) {
                Some(falta) => Ok(Some((pieza, (corriente, falta)))),
                None => Err(cambio()),
            },
            None if falta > 0 => Err(cambio()),
            None => Ok(None),
        }
    });
    contada.inspect_err(move |error| fuente.note(error)).boxed()
}
