//! What every step's template shares: where one is, the way back, the price, and what is wrong.

use axum::response::Response;
use embudo_domain::Zona;
use embudo_domain::ficha::Ficha;
use http::Uri;

use super::answers::Respuestas;
use super::fotos::notas_propias;
use super::price_range::{self, RangoVista};
use crate::WebState;
use crate::parts::{Frame, Refusal, Storefront, Visibilidad, leer_campos};

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

/// Where a lead's form is.
#[derive(Debug, Clone)]
pub(crate) struct LeadForm {
    /// The start of the form's addresses: `/f/:slug/:pase`.
    pub base: String,
    /// Whether the person came from the letter to change one thing.
    vuelve: bool,
}

impl LeadForm {
    /// The address of a step.
    pub fn ruta(&self, paso: Paso) -> String {
        format!("{}/{}", self.base, paso.nombre())
    }

    /// The same, for its form and for a step on the way back to the letter.
    pub fn ruta_con_vuelta(&self, paso: Paso) -> String {
        format!("{}{}", self.ruta(paso), if self.vuelve { DESDE_LA_CARTA } else { "" })
    }
}

/// A lead's form, opened by its pass.
pub(crate) struct Abierto {
    /// The company.
    pub storefront: Storefront,
    /// The lead with everything that belongs to it.
    pub ficha: Ficha,
    pub form: LeadForm,
}

impl Abierto {
    /// Opens a form. A pass of another company's lead opens nothing here.
    pub async fn abrir(estado: &WebState, slug: &str, pase: &str) -> Result<Self, Refusal> {
        let lead = estado.app.form_passes().read_form(pase)?;
        let ficha = estado.app.store.ficha(lead).await?;
        if ficha.lead.empresa.slug != slug {
            return Err(Refusal::NoExiste);
        }
        let storefront = Storefront::de_empresa(estado, ficha.lead.empresa.clone()).await?;
        Ok(Self { storefront, ficha, form: LeadForm { base: format!("/f/{slug}/{pase}"), vuelve: false } })
    }

    /// The same, knowing by the address whether the person came from the letter.
    pub fn desde(mut self, uri: &Uri) -> Self {
        self.form.vuelve =
            leer_campos(uri.query().unwrap_or_default().as_bytes()).texto("desde") == "resumen";
        self
    }

    /// The answers so far.
    pub fn respuestas(&self) -> Respuestas {
        Respuestas::de_lead(&self.ficha.lead)
    }

    /// Where saving a step leads: to the next one, or back to the letter for whoever had already come that far.
    pub fn tras_guardar(&self, siguiente: Paso) -> String {
        let hecho = self.form.vuelve || self.por_donde() == Paso::Resumen;
        self.form.ruta(if hecho { Paso::Resumen } else { siguiente })
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

/// Who is at the form, with what they answered so far.
pub(crate) struct Visitor {
    pub storefront: Storefront,
    pub answers: Respuestas,
    /// Of nobody that is known, answers travel in addresses and hidden fields.
    pub lead: Option<LeadForm>,
}

impl From<Abierto> for Visitor {
    fn from(abierto: Abierto) -> Self {
        let answers = abierto.respuestas();
        Self { storefront: abierto.storefront, answers, lead: Some(abierto.form) }
    }
}

impl Visitor {
    /// Somebody who is not known, with a ticket under which the answers may be sent.
    pub fn unknown(estado: &WebState, storefront: Storefront, mut answers: Respuestas) -> Self {
        answers.boleto = Some(estado.app.form_passes().ticket_in_force(answers.boleto.as_deref()));
        Self { storefront, answers, lead: None }
    }

    /// The frame of a step, with the form's own files.
    pub fn into_frame(self, titulo: String) -> Frame {
        Frame::new(self.storefront, titulo).con(&["formulario.css"], &["formulario.js"])
    }

    fn atras(&self, paso: Paso) -> Option<String> {
        if let Some(form) = &self.lead {
            let antes = if form.vuelve { Some(Paso::Resumen) } else { paso.anterior() };
            return antes.map(|p| form.ruta(p));
        }
        let inicio = format!("/f/{}", self.storefront.empresa.slug);
        paso.anterior().map(|p| match p {
            Paso::Tipo => format!("{inicio}{}", self.answers.consulta()),
            p => format!("{inicio}/{}{}", p.nombre(), self.answers.consulta()),
        })
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
    /// Where the form goes, how, and what goes with it.
    pub accion: String,
    pub metodo: &'static str,
    pub ocultos: Vec<(String, String)>,
    /// Who may keep and find the page.
    pub visibilidad: Visibilidad,
}

impl Vista {
    pub async fn new(estado: &WebState, visitor: &Visitor, paso: Paso) -> Result<Self, Refusal> {
        let (slug, r) = (&visitor.storefront.empresa.slug, &visitor.answers);
        let (accion, metodo, ocultos, visibilidad) = match &visitor.lead {
            Some(form) => (form.ruta_con_vuelta(paso), "post", Vec::new(), Visibilidad::Personal),
            None => {
                // A step asks for its own answer again, and for those that depend on it.
                let (a, metodo, viajan, visibilidad) = match paso {
                    Paso::Tipo => {
                        let viajan = Respuestas { tipo: None, m2: None, ..r.clone() };
                        (Paso::Metros, "get", viajan, Visibilidad::Publica)
                    }
                    Paso::Metros => {
                        let viajan = Respuestas { m2: None, ..r.clone() };
                        (Paso::Contacto, "get", viajan, Visibilidad::Publica)
                    }
                    // Sending contact data makes the lead, and the later steps are a lead's.
                    _ => (Paso::Contacto, "post", r.clone(), Visibilidad::Anonima),
                };
                (format!("/f/{slug}/{}", a.nombre()), metodo, viajan.campos(), visibilidad)
            }
        };
        Ok(Self {
            numero: paso.numero(),
            atras: visitor.atras(paso),
            dibujo: Zona::supuesta(r.tipo),
            rango: price_range::de(estado, &visitor.storefront, r).await?,
            rango_ruta: format!("/f/{slug}/rango"),
            conocidas: conocidas(r),
            accion,
            metodo,
            ocultos,
            visibilidad,
        })
    }

    /// The same where the page holds what a person typed: kept by nobody, and sent on in bodies only.
    pub fn personal(self) -> Self {
        Self { metodo: "post", visibilidad: Visibilidad::Personal, ..self }
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

/// The answer of a handler here.
pub(crate) type Respuesta = Result<Response, Refusal>;
