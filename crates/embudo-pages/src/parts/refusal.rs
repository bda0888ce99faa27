//! All refusals of pages, and the page that explains a refusal.

use askama::Template;
use axum::response::{IntoResponse, Response};
use embudo_app::{AccessError, AppError, InvalidPass};
use embudo_blobs::BlobError;
use embudo_domain::EmpresaId;
use embudo_domain::brand::Brand;
use embudo_domain::color::Color;
use embudo_domain::empresa::Empresa;
use embudo_domain::notice::Topics;
use embudo_store::StoreError;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};

use super::{Frame, Storefront, Visibility, render_page};
use embudo_server::BodyRefusal;

/// Why a page is not shown. The middleware turns the refusal into a page in the company's look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Nothing exists at this address, or this visitor must not learn that something does.
    NotFound,
    /// The pass or secret is not one of ours. The visitor sees the page of `NotFound`; the middleware counts it as a
    /// wrong key.
    Forged,
    /// The signed-in person may not do this.
    Forbidden,
    /// A person of the company sent a form that only the client may send.
    Preview,
    /// The form was not sent from one of our own pages.
    Foreign,
    /// The pass was valid once and no longer is.
    Expired,
    /// Too many requests. The number is the seconds to wait.
    TooMuch(u64),
    /// The request is larger than the page accepts.
    Big,
    /// The request was cut off or could not be understood.
    NotUnderstood,
    /// Storage is not available.
    Unavailable,
    Internal,
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    frame: Frame,
    title: &'static str,
    text: &'static str,
    action: Option<&'static str>,
}

impl Refusal {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::NotFound | Self::Forged => StatusCode::NOT_FOUND,
            Self::Forbidden | Self::Foreign | Self::Preview => StatusCode::FORBIDDEN,
            Self::Expired => StatusCode::GONE,
            Self::TooMuch(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Big => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotUnderstood => StatusCode::BAD_REQUEST,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The title, the text and the label of the button. There is no button if the person cannot continue now.
    pub(crate) fn page_texts(self) -> (&'static str, &'static str, Option<&'static str>) {
        match self {
            Self::NotFound | Self::Forged => (
                "Aquí no hay nada",
                "Puede que el enlace esté incompleto o que la página haya cambiado de sitio. Comprueba que lo has copiado entero.",
                Some("Ir al inicio"),
            ),
            Self::Forbidden => (
                "No tienes permiso",
                "Tu cuenta no llega hasta aquí. Si lo necesitas, pídeselo a quien administra el panel.",
                Some("Ir al inicio"),
            ),
            Self::Preview => (
                "Es una vista previa",
                "En este navegador hay una sesión abierta en el panel de esta empresa, así que aquí no se puede responder por el cliente. No hemos guardado nada. Si te ha dicho que sí por teléfono, apúntalo en el presupuesto: «Aceptado por teléfono».",
                None,
            ),
            Self::Foreign => (
                "No venía de esta página",
                "Por seguridad, solo aceptamos formularios enviados desde aquí. Vuelve a abrir la página y prueba otra vez.",
                Some("Ir al inicio"),
            ),
            Self::Expired => (
                "Este enlace ha caducado",
                "Por seguridad, los enlaces personales dejan de funcionar pasado un tiempo. Tus datos siguen con nosotros: escríbenos o empieza de nuevo.",
                Some("Empezar de nuevo"),
            ),
            Self::TooMuch(_) => (
                "Vamos a parar un momento",
                "Desde tu conexión han llegado muchos envíos seguidos, así que hemos hecho una pausa. Espera un poco y vuelve a intentarlo; si tienes prisa, llámanos.",
                None,
            ),
            Self::Big => (
                "Es demasiado grande",
                "Cada foto puede pesar hasta 15 MB. Vuelve atrás y prueba con menos fotos a la vez o con una más pequeña.",
                None,
            ),
            Self::NotUnderstood => (
                "No ha llegado bien",
                "La página se envió a medias, quizá por un corte de la conexión. Vuelve atrás y prueba otra vez: lo que escribiste sigue ahí.",
                None,
            ),
            Self::Unavailable => (
                "Volvemos enseguida",
                "Estamos teniendo un problema pasajero. Vuelve a cargar esta página dentro de un minuto: lo que escribiste no se pierde.",
                None,
            ),
            Self::Internal => (
                "Algo ha fallado por nuestra parte",
                "Ya lo hemos anotado. Vuelve a intentarlo dentro de un rato o llámanos.",
                Some("Ir al inicio"),
            ),
        }
    }

    /// Renders the refusal as a page. Without a company (storage is not available) the look is neutral.
    pub(crate) fn render_page(self, storefront: Option<Storefront>) -> Response {
        let (title, text, action) = self.page_texts();
        let action = action.filter(|_| storefront.is_some());
        let frame = Frame::new(storefront.unwrap_or_else(nobody), title);
        let template = ErrorPage { frame, title, text, action };
        self.with_wait(render_page(self.status(), Visibility::Personal, &template.frame, &template))
    }

    /// The refusal as JSON for one of our modules, which shows it beside the element that sent the request.
    pub(crate) fn data(self) -> Response {
        let (title, text, _) = self.page_texts();
        let body = serde_json::json!({ "titulo": title, "texto": text }).to_string();
        let mut response = (self.status(), body).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        self.with_wait(response)
    }

    /// Adds the header with the time to wait, for refusals that are temporary.
    pub(crate) fn with_wait(self, mut response: Response) -> Response {
        let wait = match self {
            Self::TooMuch(s) => Some(s),
            Self::Unavailable => Some(2),
            _ => None,
        };
        if let Some(s) = wait {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(s));
        }
        response
    }
}

/// A placeholder for a company that could not be read.
fn nobody() -> Storefront {
    let empresa = Empresa {
        id: EmpresaId(uuid::Uuid::nil()),
        nombre: "Embudo".into(),
        slug: "-".into(),
        por_defecto: false,
        email_avisos: None,
        notices: false,
        topics: Topics::ALL,
        personal_topics: Topics::NONE,
    };
    Storefront { empresa, brand: Brand { color: Color::DEFAULT, ..Brand::default() }, logo: None }
}

/// Passes the refusal to the middleware as an extension of the response.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<InvalidPass> for Refusal {
    fn from(pass: InvalidPass) -> Self {
        match pass {
            InvalidPass::False => Self::Forged,
            InvalidPass::Expired => Self::Expired,
        }
    }
}

impl From<BodyRefusal> for Refusal {
    fn from(rejection: BodyRefusal) -> Self {
        match rejection {
            BodyRefusal::TooLarge { .. } => Self::Big,
            BodyRefusal::NoRoom { .. } => Self::Unavailable,
            BodyRefusal::Encoded | BodyRefusal::TooSlow | BodyRefusal::BrokenOff => Self::NotUnderstood,
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LeadNotFound
            | StoreError::FotoNotFound
            | StoreError::EmpresaNotFound
            | StoreError::PresupuestoNotFound
            | StoreError::JobNotFound
            | StoreError::UserNotFound => Self::NotFound,
            StoreError::Unavailable(_) | StoreError::BlobMarked => {
                tracing::warn!(%error, "storage is out of reach");
                Self::Unavailable
            }
            _ => {
                tracing::error!(%error, "storage failed");
                Self::Internal
            }
        }
    }
}

impl From<AccessError> for Refusal {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::Store(error) => error.into(),
            AccessError::Busy => Self::Unavailable,
        }
    }
}

impl From<AppError> for Refusal {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Store(error) => error.into(),
            AppError::Blob(error @ BlobError::Unavailable { .. }) => {
                tracing::warn!(%error, "blob storage is out of reach");
                Self::Unavailable
            }
            AppError::Blob(error) => {
                tracing::error!(%error, "blob storage failed");
                Self::Internal
            }
            AppError::Drawing(error) => {
                tracing::error!(%error, "a quote could not be drawn");
                Self::Internal
            }
            AppError::Busy => Self::TooMuch(5),
        }
    }
}
