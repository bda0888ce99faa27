//! A quote: what it says, and how it is drawn.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, OnceLock};

use bytes::Bytes;
use embudo_blobs::BlobReader;
use embudo_delivery::Pase;
use embudo_domain::ficha::{Ficha, Foto};
use embudo_domain::ingesta::Momento;
use embudo_domain::iva::Impuestos;
use embudo_domain::presupuesto::{Base, Documento, NumeroPresupuesto, PdfGuardado, Presupuesto, Validez};
use embudo_domain::rendicion::{Rendicion, Resultado};
use embudo_domain::tarifa::Tarifa;
use embudo_domain::{EmpresaId, FotoId, LeadId, PresupuestoId, palabras};
use embudo_quote::{Encargo, Foto as FotoDibujada, PlantillaUsada};
use embudo_store::StoreError;
use embudo_store::presupuestos::DraftPresupuesto;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use sha2::{Digest as _, Sha256};

use crate::rendiciones::ILEGIBLE;
use crate::{App, AppError};

/// The day of a quote is the day in Spain.
const ZONA_HORARIA: &str = "Europe/Madrid";
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

impl App {
    /// Today, where the companies are.
    pub fn hoy(&self) -> Date {
        static MADRID: OnceLock<TimeZone> = OnceLock::new();
        let zona = MADRID.get_or_init(|| TimeZone::get(ZONA_HORARIA).expect("the zones are built in"));
        zona.to_datetime(self.ahora()).date()
    }

    /// The prices of a company on a day: its own, or the shipped ones.
    pub async fn tarifa(&self, empresa: EmpresaId, dia: Date) -> Result<Cow<'static, Tarifa>, AppError> {
        static DE_LA_CASA: LazyLock<Tarifa> = LazyLock::new(Tarifa::por_defecto);
        let de_la_casa = || Cow::Borrowed(&*DE_LA_CASA);
        let Some(guardada) = self.store.tarifa_vigente(empresa, dia).await? else {
            return Ok(de_la_casa());
        };
        // It was checked when it was loaded, perhaps by an older program.
        Ok(Tarifa::parse(&guardada.texto).map_or_else(|error| {
            tracing::error!(empresa.id = %empresa, version = guardada.version, %error, "a price table no longer reads; the shipped one is used");
            de_la_casa()
        }, Cow::Owned))
    }

    /// The taxes, as shipped.
    pub fn impuestos(&self) -> &'static Impuestos {
        static IMPUESTOS: OnceLock<Impuestos> = OnceLock::new();
        IMPUESTOS.get_or_init(Impuestos::por_defecto)
    }

    /// Composes what a lead's quote says today, and drafts it unless the last one says the same.
    pub(crate) async fn draft(&self, ficha: &Ficha) -> Result<Presupuesto, AppError> {
        let (lead, empresa) = (&ficha.lead, ficha.lead.empresa.id);
        let dia = self.hoy();
        let marca = self.store.marca(empresa).await?;
        let tarifa = self.tarifa(empresa, dia).await?;
        let base =
            Base { marca: &marca.marca, logo: marca.logo, tarifa: &tarifa, impuestos: self.impuestos(), dia };
        let documento = Documento::componer(lead, &ficha.notas, &ficha.fotos, base);
        let command = DraftPresupuesto {
            id: PresupuestoId(self.id()),
            lead: lead.id,
            validez: Validez::new(dia, documento.dias_validez),
            documento,
            en: self.ahora(),
        };
        Ok(self.store.draft_presupuesto(command).await?)
    }

    /// A quote's PDF, byte for byte as it was sent. [`StoreError::PresupuestoNotFound`] if the lead has no such quote, or it
    /// has not been drawn yet.
    pub async fn presupuesto_pdf(
        &self,
        lead: LeadId,
        numero: NumeroPresupuesto,
    ) -> Result<(PdfGuardado, BlobReader), AppError> {
        let presupuestos = self.store.presupuestos(lead).await?;
        let pdf = presupuestos.iter().find(|p| p.numero == numero).and_then(|p| p.pdf);
        let pdf = pdf.ok_or(StoreError::PresupuestoNotFound)?;
        Ok((pdf, self.blobs.open(lead, &pdf.huella).await?))
    }

    /// The address of a quote's page, where the server knows its own.
    pub fn pagina(&self, presupuesto: PresupuestoId) -> Option<String> {
        let con = self.salidas.enlaces.as_ref()?;
        Some(format!("{}{}", con.public_url, self.ruta_de_pagina(presupuesto)))
    }

    /// The path of a quote's page: whoever has it can read and answer the quote.
    pub fn ruta_de_pagina(&self, presupuesto: PresupuestoId) -> String {
        format!("/p/{}", self.salidas.pases.escribir(Pase::Presupuesto(presupuesto), None))
    }

    /// Draws a quote within the size that can be mailed.
    pub(crate) async fn draw(&self, presupuesto: &Presupuesto, fotos: &[Foto]) -> Result<Dibujado, AppError> {
        let impresas: HashSet<FotoId> = presupuesto.documento.fotos.iter().map(|f| f.id).collect();
        let suyas: Vec<Foto> = fotos.iter().filter(|f| impresas.contains(&f.id)).cloned().collect();
        let rendiciones = self.renditions(presupuesto.lead, &suyas).await?;
        let sin_mostrar = left_out(presupuesto.numero, fotos, &rendiciones);
        let logo = match presupuesto.documento.empresa.logo {
            Some(_) => self.store.logo(presupuesto.empresa).await?,
            None => None,
        };
        let encargo = Encargo {
            numero: presupuesto.numero,
            version: presupuesto.version,
            validez: presupuesto.validez,
            documento: presupuesto.documento.clone(),
            logo: logo.map(Bytes::from),
            fotos: self.pictures(presupuesto.lead, rendiciones).await?,
            pagina_url: self.pagina(presupuesto.id),
        };
        let salidas = self.salidas.clone();
        let dibujado = tokio::task::spawn_blocking(move || {
            let plantilla = salidas.plantilla.as_ref();
            let mut hecho = salidas.dibujante.dibujar(&encargo, plantilla)?;
            for (lado, calidad) in PASOS {
                if hecho.pdf.len() <= PDF_MAX_BYTES {
                    break;
                }
                let menor = Encargo { fotos: smaller(&encargo.fotos, *lado, *calidad), ..encargo.clone() };
                hecho = salidas.dibujante.dibujar(&menor, plantilla)?;
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
        &self,
        lead: LeadId,
        rendiciones: HashMap<FotoId, Rendicion>,
    ) -> Result<HashMap<FotoId, FotoDibujada>, AppError> {
        let mut dibujadas = HashMap::new();
        for (foto, rendicion) in rendiciones {
            let dibujada = match rendicion.resultado {
                Resultado::Hecha(d) => FotoDibujada::Imagen {
                    jpeg: self.blobs.get(lead, &d.impresion).await?,
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

/// A company's logo made clean: a PNG of a size that can be printed; or why it cannot be one.
pub fn logo(bytes: &[u8]) -> Result<Vec<u8>, String> {
    embudo_fotos::logo(bytes).map(|imagen| imagen.bytes).map_err(|motivo| motivo.to_string())
}
