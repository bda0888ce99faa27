//! The pictures: decoded once on all cores (which also finds the unreadable ones), then arranged in rows. What cannot be read is
//! left out: a client should not find in their quote what went wrong with a file.

use embudo_domain::ingesta::Momento;
use embudo_domain::presupuesto::FotoImpresa;
use rayon::prelude::*;
use serde::Serialize;
use typst::foundations::Bytes;
use typst::visualize::{ExchangeFormat, RasterImage};

use crate::CARPETA;
use crate::encargo::{Encargo, Foto};

/// More photos than this make a book, not a quote.
pub(crate) const MAXIMO: usize = 80;

/// Height in millimetres of the frames of a pair of upright pictures, and of any other pair.
const ALTO_VERTICAL: u32 = 86;
const ALTO_APAISADO: u32 = 56;

/// A row of frames of one height.
#[derive(Debug, Serialize)]
pub(crate) struct Fila {
    pub(crate) columnas: usize,
    pub(crate) alto_mm: u32,
    pub(crate) fotos: Vec<Marco>,
}

/// A framed picture.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Marco {
    ruta: String,
    alternativo: String,
    pie: &'static str,
    ia: bool,
    /// Cut to the frame where little is lost, else shown whole.
    encaje: &'static str,
    #[serde(skip)]
    vertical: bool,
}

/// A picture that was decoded, or none.
pub(crate) enum Lista {
    Imagen { datos: Bytes, ancho: u32, alto: u32 },
    Ninguna,
}

/// Decodes the pictures that are printed. The typesetter remembers the result, and then finds it done.
pub(crate) fn preparar(encargo: &Encargo) -> Vec<Lista> {
    let fotos: Vec<_> = encargo.documento.fotos.iter().take(MAXIMO).collect();
    fotos.par_iter().map(|f| lista(encargo.fotos.get(&f.id))).collect()
}

fn lista(foto: Option<&Foto>) -> Lista {
    match foto {
        Some(Foto::Imagen { jpeg, .. }) => {
            leer(Bytes::new(jpeg.clone()), ExchangeFormat::Jpg).unwrap_or(Lista::Ninguna)
        }
        Some(Foto::Hueco(_)) | None => Lista::Ninguna,
    }
}

/// Decodes a picture; `None` if it is none.
pub(crate) fn leer(datos: Bytes, formato: ExchangeFormat) -> Option<Lista> {
    let imagen = RasterImage::plain(datos.clone(), formato).ok()?;
    let (ancho, alto) = (imagen.width(), imagen.height());
    (ancho > 0 && alto > 0).then_some(Lista::Imagen { datos, ancho, alto })
}

/// The name of the n-th picture: fixed, because the typesetter never forgets a name.
pub(crate) fn ruta(n: usize) -> String {
    format!("{CARPETA}/foto-{n}.jpg")
}

/// Frames the pictures of one zone: before and after side by side while there are both, the rest in smaller rows.
pub(crate) fn filas(todas: &[(usize, &FotoImpresa, &Lista)], zona: &str) -> Vec<Fila> {
    let mut antes = Vec::new();
    let mut despues = Vec::new();
    for (n, foto, lista) in todas {
        let Lista::Imagen { ancho, alto, .. } = lista else { continue };
        let de = if foto.momento == Momento::Antes { &mut antes } else { &mut despues };
        let orden = de.len() + 1;
        de.push(marco(*n, foto.momento, (*ancho, *alto), zona, orden));
    }
    let parejas = antes.len().min(despues.len());
    let sueltas: Vec<Marco> =
        antes.split_off(parejas).into_iter().chain(despues.split_off(parejas)).collect();
    let pareja = |(a, d): (Marco, Marco)| {
        let alto_mm = if a.vertical && d.vertical { ALTO_VERTICAL } else { ALTO_APAISADO };
        let encajar = |m: Marco| Marco { encaje: encaje(m.vertical, alto_mm == ALTO_VERTICAL), ..m };
        Fila { columnas: 2, alto_mm, fotos: vec![encajar(a), encajar(d)] }
    };
    let mut filas: Vec<Fila> = antes.into_iter().zip(despues).map(pareja).collect();
    let (verticales, apaisadas): (Vec<Marco>, Vec<Marco>) = sueltas.into_iter().partition(|m| m.vertical);
    filas.extend(apaisadas.chunks(3).map(|f| Fila { columnas: 3, alto_mm: 41, fotos: f.to_vec() }));
    filas.extend(verticales.chunks(4).map(|f| Fila { columnas: 4, alto_mm: 53, fotos: f.to_vec() }));
    filas
}

fn marco(n: usize, momento: Momento, (ancho, alto): (u32, u32), zona: &str, orden: usize) -> Marco {
    let ia = momento == Momento::Despues;
    let (pie, alternativo) = match momento {
        Momento::Antes => ("Antes", format!("{zona}, antes de la reforma: fotografía {orden}")),
        Momento::Despues => {
            ("Después", format!("{zona}, después de la reforma: imagen generada por IA {orden}"))
        }
    };
    let razon = f64::from(ancho) / f64::from(alto);
    // Panoramas and very tall pictures are shown whole; the rest loses little at its edges.
    let encaje = if (0.55..1.9).contains(&razon) { "cover" } else { "contain" };
    Marco { ruta: ruta(n), alternativo, pie, ia, encaje, vertical: razon < 1.0 }
}

/// Within a pair: a picture is cut only by a frame of its own orientation.
fn encaje(vertical: bool, marco_vertical: bool) -> &'static str {
    if vertical == marco_vertical { "cover" } else { "contain" }
}
