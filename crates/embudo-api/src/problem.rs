//! Every refusal, as RFC 9457 `application/problem+json`. The one place that maps errors to a status.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use embudo_app::AppError;
use embudo_blobs::BlobError;
use embudo_domain::Invalid;
use embudo_store::StoreError;
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderName, HeaderValue, StatusCode};

use embudo_server::{BodyRefusal, Limited, RequestId};

/// `Retry-After` of a refusal because storage cannot be reached.
const STORAGE_RETRY_AFTER_S: u64 = 2;
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// A refusal. [`render`] writes its document once the request's id is known.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    status: StatusCode,
    kind: &'static str,
    title: &'static str,
    detail: String,
    errors: Option<Invalid>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// Every `type` a problem may have, with its status and title: the documentation lists them.
pub(crate) const KINDS: &[(&str, u16, &str)] = &[
    ("ruta-desconocida", 404, "Ruta desconocida"),
    ("metodo-no-permitido", 405, "Método no permitido"),
    ("no-autorizado", 401, "No autorizado"),
    ("demasiadas-peticiones", 429, "Demasiadas peticiones"),
    ("clave-mal-formada", 400, "Idempotency-Key mal formada"),
    ("cuerpo-cortado", 400, "Cuerpo incompleto"),
    ("cuerpo-lento", 408, "Cuerpo demasiado lento"),
    ("cuerpo-grande", 413, "Cuerpo demasiado grande"),
    ("codificacion", 415, "Codificación no admitida"),
    ("no-valido", 422, "Datos no válidos"),
    ("no-encontrado", 404, "No encontrado"),
    ("en-curso", 409, "En curso"),
    ("no-disponible", 503, "No disponible"),
    ("interno", 500, "Error interno"),
];

impl Problem {
    fn new(kind: &'static str, detail: impl Into<String>) -> Self {
        let known = KINDS.iter().find(|(t, _, _)| *t == kind);
        let (kind, status, title) = *known.expect("every problem stands in the table");
        let status = StatusCode::from_u16(status).expect("the table holds statuses");
        Self { status, kind, title, detail: detail.into(), errors: None, headers: Vec::new() }
    }

    fn with(mut self, nombre: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((nombre, value));
        self
    }

    pub fn unknown_path() -> Self {
        Self::new("ruta-desconocida", "No hay nada en esta dirección. Consulta /docs.")
    }

    pub fn method_not_allowed() -> Self {
        Self::new("metodo-no-permitido", "Esta dirección no admite ese método; los admitidos van en Allow.")
    }

    pub fn unauthorized() -> Self {
        Self::new(
            "no-autorizado",
            "Falta la cabecera «Authorization: Bearer <clave>» o la clave no es correcta.",
        )
        .with(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    pub fn limited(limit: Limited) -> Self {
        let mut problem = Self::new(
            "demasiadas-peticiones",
            format!("Demasiadas peticiones. Vuelve a intentarlo dentro de {} s.", limit.retry_after_s),
        );
        problem.headers.extend(limit.headers());
        problem
    }

    pub fn too_many_values(most: usize) -> Self {
        Self::new("cuerpo-grande", format!("El mensaje tiene más de {most} valores."))
    }

    pub fn malformed_key() -> Self {
        Self::new(
            "clave-mal-formada",
            "Idempotency-Key debe ser una sola, de 1 a 255 caracteres ASCII imprimibles.",
        )
    }

    pub fn lead_not_found() -> Self {
        Self::new("no-encontrado", "El lead no existe.")
    }

    pub fn foto_not_found() -> Self {
        Self::new("no-encontrado", "El lead no tiene esa foto.")
    }

    pub fn presupuesto_not_found() -> Self {
        Self::new("no-encontrado", "El lead no tiene ese presupuesto.")
    }

    fn unavailable(retry_after_s: u64, detail: &str) -> Self {
        Self::new("no-disponible", detail).with(RETRY_AFTER, HeaderValue::from(retry_after_s))
    }

    fn internal() -> Self {
        Self::new("interno", "Ha fallado algo que no debía. Indica el identificador «instance» al avisar.")
    }

    fn body(&self, id: RequestId) -> Vec<u8> {
        let mut doc = serde_json::json!({
            "type": format!("/docs/problemas#{}", self.kind),
            "title": self.title,
            "status": self.status.as_u16(),
            "detail": self.detail,
            "instance": format!("urn:uuid:{id}"),
        });
        if let Some(invalid) = &self.errors {
            doc["errores"] = serde_json::json!(invalid.errors);
        }
        doc.to_string().into_bytes()
    }
}

impl From<Invalid> for Problem {
    fn from(invalid: Invalid) -> Self {
        let detail = match invalid.errors.as_slice() {
            [one] if one.field.is_empty() => one.mensaje.clone(),
            [one] => format!("{}: {}", one.field, one.mensaje),
            several => format!("Hay {} errores; están en «errores».", several.len()),
        };
        Self { errors: Some(invalid), ..Self::new("no-valido", detail) }
    }
}

impl From<BodyRefusal> for Problem {
    fn from(rejection: BodyRefusal) -> Self {
        match rejection {
            BodyRefusal::Encoded => {
                Self::new("codificacion", "El cuerpo debe ir sin comprimir: quita Content-Encoding.")
            }
            BodyRefusal::TooLarge { limit_bytes } => {
                Self::new("cuerpo-grande", format!("El cuerpo supera el límite de {limit_bytes} bytes."))
            }
            BodyRefusal::TooSlow => Self::new("cuerpo-lento", "El cuerpo llega demasiado despacio."),
            BodyRefusal::NoRoom { retry_after_s } => {
                Self::unavailable(retry_after_s, "Hay demasiadas subidas a la vez. Vuelve a intentarlo.")
            }
            BodyRefusal::BrokenOff => Self::new("cuerpo-cortado", "El cuerpo no llegó entero."),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LeadNotFound => Self::lead_not_found(),
            StoreError::FotoNotFound => Self::foto_not_found(),
            StoreError::EmpresaNotFound => {
                Invalid::one("/tenantId", "valor", "No hay ninguna empresa con este identificador.").into()
            }
            StoreError::KeyReused => Invalid::one(
                "",
                "clave_reutilizada",
                "Esta Idempotency-Key ya se usó con otro cuerpo: usa una nueva.",
            )
            .into(),
            StoreError::KeyInProgress => {
                Self::new("en-curso", "La primera llamada con esta Idempotency-Key aún no ha terminado.")
                    .with(RETRY_AFTER, HeaderValue::from(1))
            }
            StoreError::Unavailable(_) | StoreError::BlobMarked => {
                tracing::warn!(%error, "storage is out of reach");
                Self::unavailable(
                    STORAGE_RETRY_AFTER_S,
                    "El almacenamiento no responde. Vuelve a intentarlo.",
                )
            }
            StoreError::PresupuestoNotFound => Self::presupuesto_not_found(),
            StoreError::SlugTaken
            | StoreError::TarifaTaken
            | StoreError::JobNotFound
            | StoreError::JobFinished
            | StoreError::UserNotFound
            | StoreError::EmailTaken
            | StoreError::LastAdmin
            | StoreError::Internal(_) => {
                tracing::error!(%error, "storage failed");
                Self::internal()
            }
        }
    }
}

impl From<AppError> for Problem {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Store(error) => error.into(),
            AppError::Blob(error @ BlobError::Unavailable { .. }) => {
                tracing::warn!(%error, "blob storage is out of reach");
                Self::unavailable(
                    STORAGE_RETRY_AFTER_S,
                    "El almacén de fotos no responde. Vuelve a intentarlo.",
                )
            }
            AppError::Drawing(error) => {
                tracing::error!(%error, "a quote could not be drawn");
                Self::internal()
            }
            AppError::Blob(error) => {
                tracing::error!(%error, "blob storage failed");
                Self::internal()
            }
            // Only previews are refused as busy, and no call of the API makes one.
            AppError::Busy => Self::internal(),
        }
    }
}

/// Carries the problem to [`render`], which knows the request's id.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the document of the problem that a handler or the router answered with.
pub(crate) fn render(id: RequestId, mut response: Response) -> Response {
    // Browsers must not guess another content type than the declared one, in answers of the API and about the server.
    response.headers_mut().entry(X_CONTENT_TYPE_OPTIONS).or_insert(NOSNIFF);
    let Some(problem) = response.extensions_mut().remove::<Problem>() else {
        return response;
    };
    *response.body_mut() = Body::from(problem.body(id));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    headers.extend(problem.headers);
    response
}

/// The answer to a request whose handler panicked.
pub(crate) fn panic(id: RequestId) -> Response {
    let problem = Problem::internal();
    let kind = HeaderValue::from_static("application/problem+json");
    let kind = [(CONTENT_TYPE, kind), (X_CONTENT_TYPE_OPTIONS, NOSNIFF)];
    (problem.status, kind, problem.body(id)).into_response()
}
