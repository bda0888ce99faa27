//! Every refusal of a page, and the page that says it.

use askama::Template;
use axum::response::{IntoResponse, Response};
use embudo_app::{AppError, PaseInvalido};
use embudo_blobs::BlobError;
use embudo_domain::EmpresaId;
use embudo_domain::color::Color;
use embudo_domain::empresa::Empresa;
use embudo_domain::marca::Marca;
use embudo_store::StoreError;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};

use super::{Frame, Storefront, Visibilidad, pagina};
use embudo_door::BodyRefusal;

/// Why a page is not shown. The layer turns it into one in the company's look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Nothing is there, or nothing that this address opens.
    NoExiste,
    /// The pass was good once.
    Caducado,
    /// Too often; seconds until there is room again.
    Demasiado(u64),
    /// More than one page takes.
    Grande,
    /// The request broke off or made no sense.
    NoEntendido,
    /// Storage is out of reach.
    NoDisponible,
    /// Our fault.
    Interno,
}

#[derive(Template)]
#[template(path = "error.html")]
struct Pagina {
    frame: Frame,
    titulo: &'static str,
    texto: &'static str,
    accion: Option<&'static str>,
}

impl Refusal {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::NoExiste => StatusCode::NOT_FOUND,
            Self::Caducado => StatusCode::GONE,
            Self::Demasiado(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Grande => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NoEntendido => StatusCode::BAD_REQUEST,
            Self::NoDisponible => StatusCode::SERVICE_UNAVAILABLE,
            Self::Interno => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Title, text, and what the button says; without one, going on makes no sense now.
    pub(crate) fn palabras(self) -> (&'static str, &'static str, Option<&'static str>) {
        match self {
            Self::NoExiste => (
                "Aquí no hay nada",
                "Puede que el enlace esté incompleto o que la página haya cambiado de sitio. Comprueba que lo has copiado entero.",
                Some("Ir al inicio"),
            ),
            Self::Caducado => (
                "Este enlace ha caducado",
                "Por seguridad, los enlaces personales dejan de funcionar pasado un tiempo. Tus datos siguen con nosotros: escríbenos o empieza de nuevo.",
                Some("Empezar de nuevo"),
            ),
            Self::Demasiado(_) => (
                "Vamos a parar un momento",
                "Desde tu conexión han llegado muchos envíos seguidos, así que hemos hecho una pausa. Espera un poco y vuelve a intentarlo; si tienes prisa, llámanos.",
                None,
            ),
            Self::Grande => (
                "Es demasiado grande",
                "Cada foto puede pesar hasta 15 MB. Vuelve atrás y prueba con menos fotos a la vez o con una más pequeña.",
                None,
            ),
            Self::NoEntendido => (
                "No ha llegado bien",
                "La página se envió a medias, quizá por un corte de la conexión. Vuelve atrás y prueba otra vez: lo que escribiste sigue ahí.",
                None,
            ),
            Self::NoDisponible => (
                "Volvemos enseguida",
                "Estamos teniendo un problema pasajero. Vuelve a cargar esta página dentro de un minuto: lo que escribiste no se pierde.",
                None,
            ),
            Self::Interno => (
                "Algo ha fallado por nuestra parte",
                "Ya lo hemos anotado. Vuelve a intentarlo dentro de un rato o llámanos.",
                Some("Ir al inicio"),
            ),
        }
    }

    /// The page. Without a company (storage is out of reach) the look is neutral.
    pub(crate) fn pagina(self, storefront: Option<Storefront>) -> Response {
        let (titulo, texto, accion) = self.palabras();
        let accion = accion.filter(|_| storefront.is_some());
        let frame = Frame::new(storefront.unwrap_or_else(nadie), titulo);
        let plantilla = Pagina { frame, titulo, texto, accion };
        self.con_espera(pagina(self.status(), Visibilidad::Personal, &plantilla.frame, &plantilla))
    }

    /// The same for a module of ours, which shows it beside what it did.
    pub(crate) fn datos(self) -> Response {
        let (titulo, texto, _) = self.palabras();
        let cuerpo = serde_json::json!({ "titulo": titulo, "texto": texto }).to_string();
        let mut response = (self.status(), cuerpo).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        self.con_espera(response)
    }

    fn con_espera(self, mut response: Response) -> Response {
        let espera = match self {
            Self::Demasiado(s) => Some(s),
            Self::NoDisponible => Some(2),
            _ => None,
        };
        if let Some(s) = espera {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(s));
        }
        response
    }
}

/// A stand-in for the company that could not be read.
fn nadie() -> Storefront {
    let empresa = Empresa {
        id: EmpresaId(uuid::Uuid::nil()),
        nombre: "Embudo".into(),
        slug: "-".into(),
        por_defecto: false,
        email_avisos: None,
        avisos: false,
    };
    Storefront { empresa, marca: Marca { color: Color::POR_DEFECTO, ..Marca::default() }, logo: None }
}

/// Carries the refusal to the layer.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<PaseInvalido> for Refusal {
    fn from(pase: PaseInvalido) -> Self {
        match pase {
            PaseInvalido::Falso => Self::NoExiste,
            PaseInvalido::Caducado => Self::Caducado,
        }
    }
}

impl From<BodyRefusal> for Refusal {
    fn from(rechazo: BodyRefusal) -> Self {
        match rechazo {
            BodyRefusal::TooLarge { .. } => Self::Grande,
            BodyRefusal::NoRoom { .. } => Self::NoDisponible,
            BodyRefusal::Encoded | BodyRefusal::TooSlow | BodyRefusal::BrokenOff => Self::NoEntendido,
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LeadNotFound
            | StoreError::FotoNotFound
            | StoreError::EmpresaNotFound
            | StoreError::PresupuestoNotFound => Self::NoExiste,
            StoreError::Unavailable(_) | StoreError::BlobMarked => {
                tracing::warn!(%error, "storage is out of reach");
                Self::NoDisponible
            }
            _ => {
                tracing::error!(%error, "storage failed");
                Self::Interno
            }
        }
    }
}

impl From<AppError> for Refusal {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Store(error) => error.into(),
            AppError::Blob(error @ BlobError::Unavailable { .. }) => {
                tracing::warn!(%error, "blob storage is out of reach");
                Self::NoDisponible
            }
            AppError::Blob(error) => {
                tracing::error!(%error, "blob storage failed");
                Self::Interno
            }
            AppError::Dibujo(error) => {
                tracing::error!(%error, "a quote could not be drawn");
                Self::Interno
            }
        }
    }
}
