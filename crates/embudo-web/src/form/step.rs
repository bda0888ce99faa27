//! What every step's template shares: where one is, the way back, the price, and what is wrong.

use axum::response::Response;
use embudo_domain::Zona;
use embudo_domain::ficha::Ficha;
use http::Uri;

use super::answers::Respuestas;
use super::fotos::notas_propias;
use super::price_range::{self, RangoVista};
use crate::WebState;
use crate::parts::{Frame, Refusal, Storefront, leer_campos};

pub(crate) use super::mistakes::Errores;

/// Where the letter's links come from: saving such a step leads back to the letter.
pub(crate) const DESDE_LA_CARTA: &str = "?desde=resumen";

/// A step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paso {
    Tipo,
    Metros,
    Contacto,
    Calidad,
    Fotos,
    Resumen,
}

impl Paso {
    pub const fn numero(self) -> u8 {
        match self {
            Self::Tipo => 1,
            Self::Metros => 2,
            Self::Contacto => 3,
            Self::Calidad => 4,
            Self::Fotos => 5,
            Self::Resumen => 6,
        }
    }

    /// Its name in addresses.
    pub const fn nombre(self) -> &'static str {
        match self {
            Self::Tipo => "tipo",
            Self::Metros => "metros",
            Self::Contacto => "contacto",
            Self::Calidad => "calidad",
            Self::Fotos => "fotos",
            Self::Resumen => "resumen",
        }
    }

    const fn anterior(self) -> Option<Self> {
        match self {
            Self::Tipo => None,
            Self::Metros => Some(Self::Tipo),
            Self::Contacto => Some(Self::Metros),
            Self::Calidad => Some(Self::Contacto),
            Self::Fotos => Some(Self::Calidad),
            Self::Resumen => Some(Self::Fotos),
        }
    }
}

/// A lead's form, opened by its pass.
pub(crate) struct Abierto {
    /// The company.
    pub storefront: Storefront,
    /// The lead with everything that belongs to it.
    pub ficha: Ficha,
    /// The start of the form's addresses: `/f/:slug/:pase`.
    pub base: String,
    /// Whether the person came from the letter to change one thing.
    vuelve: bool,
}

impl Abierto {
    /// Opens a form. A pass of another company's lead opens nothing here.
    pub async fn abrir(estado: &WebState, slug: &str, pase: &str) -> Result<Self, Refusal> {
        let lead = estado.app.leer_pase_formulario(pase)?;
        let ficha = estado.app.store.ficha(lead).await?;
        if ficha.lead.empresa.slug != slug {
            return Err(Refusal::NoExiste);
        }
        let storefront = Storefront::de_empresa(estado, ficha.lead.empresa.clone()).await?;
        Ok(Self { storefront, ficha, base: format!("/f/{slug}/{pase}"), vuelve: false })
    }

    /// The same, knowing by the address whether the person came from the letter.
    pub fn desde(self, uri: &Uri) -> Self {
        let vuelve = leer_campos(uri.query().unwrap_or_default().as_bytes()).texto("desde") == "resumen";
        Self { vuelve, ..self }
    }

    /// The address of a step.
    pub fn ruta(&self, paso: Paso) -> String {
        format!("{}/{}", self.base, paso.nombre())
    }

    /// The same, for its form and for a step on the way back to the letter.
    pub fn ruta_con_vuelta(&self, paso: Paso) -> String {
        format!("{}{}", self.ruta(paso), if self.vuelve { DESDE_LA_CARTA } else { "" })
    }

    /// The answers so far.
    pub fn respuestas(&self) -> Respuestas {
        Respuestas::de_lead(&self.ficha.lead)
    }

    /// Where saving a step leads: to the next one, or back to the letter for whoever had already come that far.
    pub fn tras_guardar(&self, siguiente: Paso) -> String {
        let hecho = self.vuelve || self.por_donde() == Paso::Resumen;
        self.ruta(if hecho { Paso::Resumen } else { siguiente })
    }

    /// The first step that still has something to ask.
    pub fn por_donde(&self) -> Paso {
        let perfil = &self.ficha.lead.perfil;
        if perfil.tipo_reforma.is_none() {
            Paso::Tipo
        } else if perfil.calidad_global.is_none() && perfil.urgencia.is_none() && perfil.estructural.is_none()
        {
            Paso::Calidad
        } else if self.ficha.fotos.is_empty() && notas_propias(&self.ficha).next().is_none() {
            Paso::Fotos
        } else {
            Paso::Resumen
        }
    }
}

/// What a step's template needs beside its own fields.
pub(crate) struct Vista {
    /// Its number.
    pub numero: u8,
    /// The address of the step before.
    pub atras: Option<String>,
    /// The zone that is drawn beside it.
    pub dibujo: Zona,
    /// The price so far.
    pub rango: Option<RangoVista>,
    /// Where the price is refreshed from.
    pub rango_ruta: String,
    /// The answers that the refreshing needs and this step's form does not hold.
    pub conocidas: String,
}

impl Vista {
    /// A step before there is a lead: answers travel in the address.
    pub async fn sin_lead(
        estado: &WebState,
        storefront: &Storefront,
        paso: Paso,
        r: &Respuestas,
    ) -> Result<Self, Refusal> {
        let slug = &storefront.empresa.slug;
        let atras = paso.anterior().map(|p| match p {
            Paso::Tipo => format!("/f/{slug}{}", r.consulta()),
            p => format!("/f/{slug}/{}{}", p.nombre(), r.consulta()),
        });
        Self::nueva(estado, storefront, paso, r, atras).await
    }

    /// A step of a lead's form.
    pub async fn con_lead(
        estado: &WebState,
        abierto: &Abierto,
        paso: Paso,
        r: &Respuestas,
    ) -> Result<Self, Refusal> {
        let antes = if abierto.vuelve { Some(Paso::Resumen) } else { paso.anterior() };
        let atras = antes.map(|p| abierto.ruta(p));
        Self::nueva(estado, &abierto.storefront, paso, r, atras).await
    }

    async fn nueva(
        estado: &WebState,
        storefront: &Storefront,
        paso: Paso,
        r: &Respuestas,
        atras: Option<String>,
    ) -> Result<Self, Refusal> {
        Ok(Self {
            numero: paso.numero(),
            atras,
            dibujo: Zona::supuesta(r.tipo),
            rango: price_range::de(estado, storefront, r).await?,
            rango_ruta: format!("/f/{}/rango", storefront.empresa.slug),
            conocidas: conocidas(r),
        })
    }
}

fn conocidas(r: &Respuestas) -> String {
    let mut pares = r.campos();
    pares.retain(|(nombre, _)| nombre == "tipo" || nombre == "m2");
    let mut anotar = |nombre: &str, valor: Option<String>| {
        pares.extend(valor.map(|v| (nombre.to_owned(), v)));
    };
    anotar("calidad", r.calidad.map(|c| c.to_string()));
    anotar("urgencia", r.urgencia.map(|u| u.to_string()));
    anotar("estructural", r.estructural.map(|e| if e { "si" } else { "no" }.to_owned()));
    anotar("provincia", r.provincia.clone());
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pares).finish()
}

/// The frame of a step, with the form's own files.
pub(crate) fn frame(storefront: Storefront, titulo: String) -> Frame {
    Frame::new(storefront, titulo).con(&["formulario.css"], &["formulario.js"])
}

/// The answer of a handler here.
pub(crate) type Respuesta = Result<Response, Refusal>;
