//! A quote drawn: its photos made ready, its PDF within the size that can be mailed.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use embudo_domain::ficha::Foto;
use embudo_domain::ingesta::Momento;
use embudo_domain::presupuesto::{NumeroPresupuesto, PdfGuardado, Presupuesto};
use embudo_domain::rendicion::{Rendicion, Resultado};
use embudo_domain::{FotoId, LeadId, palabras};
use embudo_quote::{Encargo, Foto as FotoDibujada, PlantillaUsada};
use sha2::{Digest as _, Sha256};

use super::Quotes;
use crate::AppError;
use crate::photos::ILEGIBLE;

/// The largest PDF, where smaller pictures can bring it about: a mail server takes it, and so does a workflow after base64.
const PDF_MAX_BYTES: usize = 8 * 1024 * 1024;
/// Longest side and quality of the pictures, step by step, until the PDF is small enough.
const PASOS: &[(u32, u8)] = &[(640, 70), (480, 60), (320, 50)];

/// So many photos that could not be shown are named to the company.
const MAX_NAMED: usize = 10;

/// A PDF that was drawn.
pub(crate) struct Dibujado {
    pub pdf: Bytes,
    pub guardado: PdfGuardado,
    /// Why the operator's own template was not used.
    pub sin_plantilla: Option<String>,
    /// Which photos could not be shown, and why.
    pub sin_mostrar: Option<String>,
}

impl Quotes<'_> {
    /// Draws a quote within the size that can be mailed.
    pub(crate) async fn draw(self, presupuesto: &Presupuesto, fotos: &[Foto]) -> Result<Dibujado, AppError> {
        let impresas: HashSet<FotoId> = presupuesto.documento.fotos.iter().map(|f| f.id).collect();
        let suyas: Vec<Foto> = fotos.iter().filter(|f| impresas.contains(&f.id)).cloned().collect();
        let rendiciones = self.app.photos().renditions(presupuesto.lead, &suyas).await?;
        let sin_mostrar = left_out(presupuesto.numero, fotos, &rendiciones);
        let logo = match presupuesto.documento.empresa.logo {
            Some(_) => self.app.store.logo(presupuesto.empresa).await?,
            None => None,
        };
        let encargo = Encargo {
            numero: presupuesto.numero,
            version: presupuesto.version,
            validez: presupuesto.validez,
            documento: presupuesto.documento.clone(),
            logo: logo.map(Bytes::from),
            fotos: self.pictures(presupuesto.lead, rendiciones).await?,
            pagina_url: self.page_url(presupuesto.id),
        };
        let outbound = self.app.outbound.clone();
        let dibujado = tokio::task::spawn_blocking(move || {
            let plantilla = outbound.plantilla.as_ref();
            let mut hecho = outbound.dibujante.dibujar(&encargo, plantilla)?;
            for (lado, calidad) in PASOS {
                if hecho.pdf.len() <= PDF_MAX_BYTES {
                    break;
                }
                let menor = Encargo { fotos: smaller(&encargo.fotos, *lado, *calidad), ..encargo.clone() };
                hecho = outbound.dibujante.dibujar(&menor, plantilla)?;
            }
            Ok::<_, embudo_quote::Fallo>(hecho)
        });
        let hecho = dibujado.await.map_err(|_| AppError::Dibujo("the typesetter panicked".to_owned()))?;
        let hecho = hecho.map_err(|fallo| AppError::Dibujo(fallo.to_string()))?;
        let guardado = PdfGuardado {
            huella: embudo_domain::Huella::of(&hecho.pdf),
            sha256: Sha256::digest(&hecho.pdf).into(),
            bytes: hecho.pdf.len() as u64,
        };
        let fallo = hecho.plantilla == PlantillaUsada::NuestraPorFallo;
        // The first notice says why; the others may quote what a client wrote.
        let sin_plantilla = hecho.avisos.into_iter().next().filter(|_| fallo);
        Ok(Dibujado { pdf: hecho.pdf.into(), guardado, sin_plantilla, sin_mostrar })
    }

    /// The pictures as they are printed, or why there are none.
    async fn pictures(
        self,
        lead: LeadId,
        rendiciones: HashMap<FotoId, Rendicion>,
    ) -> Result<HashMap<FotoId, FotoDibujada>, AppError> {
        let mut dibujadas = HashMap::new();
        for (foto, rendicion) in rendiciones {
            let dibujada = match rendicion.resultado {
                Resultado::Hecha(d) => FotoDibujada::Imagen {
                    jpeg: self.app.blobs.get(lead, &d.impresion).await?,
                    ancho: d.ancho,
                    alto: d.alto,
                },
                Resultado::Fallida(motivo) => FotoDibujada::Hueco(motivo),
            };
            dibujadas.insert(foto, dibujada);
        }
        Ok(dibujadas)
    }
}

/// What the company is told of the photos that its client's quote leaves out.
fn left_out(
    numero: NumeroPresupuesto,
    fotos: &[Foto],
    rendiciones: &HashMap<FotoId, Rendicion>,
) -> Option<String> {
    let why = |foto: &Foto| match rendiciones.get(&foto.id).map(|r| &r.resultado) {
        Some(Resultado::Fallida(motivo)) => Some(motivo.as_str()),
        _ => (!foto.imagen.legible()).then_some(ILEGIBLE),
    };
    let which = |(n, foto): (usize, &Foto)| {
        let momento = match foto.momento {
            Momento::Antes => "antes",
            Momento::Despues => "después",
        };
        let zona = palabras::zona(foto.zona, foto.zona).to_lowercase();
        why(foto).map(|motivo| format!("n.º {} ({zona}, {momento}): {motivo}", n + 1))
    };
    let mut names: Vec<String> = fotos.iter().enumerate().filter_map(which).collect();
    let count = names.len();
    if count > MAX_NAMED {
        names.truncate(MAX_NAMED);
        names.push(format!("y {} más", count - MAX_NAMED));
    }
    let fotos = if count == 1 { "Una foto queda" } else { "Varias fotos quedan" };
    (count > 0).then(|| format!("{fotos} fuera del presupuesto {numero}: {}.", names.join("; ")))
}

/// The same pictures with fewer bytes; one that cannot be made smaller stays.
fn smaller(fotos: &HashMap<FotoId, FotoDibujada>, lado: u32, calidad: u8) -> HashMap<FotoId, FotoDibujada> {
    let menor = |foto: &FotoDibujada| match foto {
        FotoDibujada::Imagen { jpeg, .. } => match embudo_fotos::rebajar(jpeg, lado, calidad) {
            Ok(imagen) => {
                FotoDibujada::Imagen { jpeg: imagen.bytes.into(), ancho: imagen.ancho, alto: imagen.alto }
            }
            Err(_) => foto.clone(),
        },
        FotoDibujada::Hueco(_) => foto.clone(),
    };
    fotos.iter().map(|(id, foto)| (*id, menor(foto))).collect()
}
