//! Every refusal, as RFC 9457 `application/problem+json`. The one place that maps errors to a status.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use embudo_app::AppError;
use embudo_blobs::BlobError;
use embudo_domain::Invalido;
use embudo_store::StoreError;
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};

use embudo_door::{BodyRefusal, Limited, RequestId};

/// How long a client should leave a storage that is out of reach alone.
const ALMACEN_RETRY_AFTER_S: u64 = 2;

/// A refusal. [`rendir`] writes it down once the request's id is known.
#[derive(Debug, Clone)]
pub(crate) struct Problema {
    status: StatusCode,
    tipo: &'static str,
    titulo: &'static str,
    detalle: String,
    errores: Option<Invalido>,
    cabeceras: Vec<(HeaderName, HeaderValue)>,
}

/// Every `type` a problem may have, with its status and title: the documentation lists them.
pub(crate) const TIPOS: &[(&str, u16, &str)] = &[
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

impl Problema {
    fn new(tipo: &'static str, detalle: impl Into<String>) -> Self {
        let conocido = TIPOS.iter().find(|(t, _, _)| *t == tipo);
        let (tipo, status, titulo) = *conocido.expect("every problem stands in the table");
        let status = StatusCode::from_u16(status).expect("the table holds statuses");
        Self { status, tipo, titulo, detalle: detalle.into(), errores: None, cabeceras: Vec::new() }
    }

    fn con(mut self, nombre: HeaderName, valor: HeaderValue) -> Self {
        self.cabeceras.push((nombre, valor));
        self
    }

    pub fn ruta_desconocida() -> Self {
        Self::new("ruta-desconocida", "No hay nada en esta dirección. Consulta /docs.")
    }

    pub fn metodo_no_permitido() -> Self {
        Self::new("metodo-no-permitido", "Esta dirección no admite ese método; los admitidos van en Allow.")
    }

    pub fn no_autorizado() -> Self {
        Self::new(
            "no-autorizado",
            "Falta la cabecera «Authorization: Bearer <clave>» o la clave no es correcta.",
        )
        .con(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    pub fn limitado(limite: Limited) -> Self {
        let mut problema = Self::new(
            "demasiadas-peticiones",
            format!("Demasiadas peticiones. Vuelve a intentarlo dentro de {} s.", limite.retry_after_s),
        );
        problema.cabeceras.extend(limite.headers());
        problema
    }

    pub fn clave_mal_formada() -> Self {
        Self::new(
            "clave-mal-formada",
            "Idempotency-Key debe ser una sola, de 1 a 255 caracteres ASCII imprimibles.",
        )
    }

    pub fn lead_no_encontrado() -> Self {
        Self::new("no-encontrado", "El lead no existe.")
    }

    pub fn foto_no_encontrada() -> Self {
        Self::new("no-encontrado", "El lead no tiene esa foto.")
    }

    pub fn presupuesto_no_encontrado() -> Self {
        Self::new("no-encontrado", "El lead no tiene ese presupuesto.")
    }

    fn no_disponible(retry_after_s: u64, detalle: &str) -> Self {
        Self::new("no-disponible", detalle).con(RETRY_AFTER, HeaderValue::from(retry_after_s))
    }

    fn interno() -> Self {
        Self::new("interno", "Ha fallado algo que no debía. Indica el identificador «instance» al avisar.")
    }

    fn cuerpo(&self, id: RequestId) -> Vec<u8> {
        let mut doc = serde_json::json!({
            "type": format!("/docs/problemas#{}", self.tipo),
            "title": self.titulo,
            "status": self.status.as_u16(),
            "detail": self.detalle,
            "instance": format!("urn:uuid:{id}"),
        });
        if let Some(invalido) = &self.errores {
            doc["errores"] = serde_json::json!(invalido.errores);
        }
        doc.to_string().into_bytes()
    }
}

impl From<Invalido> for Problema {
    fn from(invalido: Invalido) -> Self {
        let detalle = match invalido.errores.as_slice() {
            [uno] if uno.campo.is_empty() => uno.mensaje.clone(),
            [uno] => format!("{}: {}", uno.campo, uno.mensaje),
            varios => format!("Hay {} errores; están en «errores».", varios.len()),
        };
        Self { errores: Some(invalido), ..Self::new("no-valido", detalle) }
    }
}

impl From<BodyRefusal> for Problema {
    fn from(rechazo: BodyRefusal) -> Self {
        match rechazo {
            BodyRefusal::Encoded => {
                Self::new("codificacion", "El cuerpo debe ir sin comprimir: quita Content-Encoding.")
            }
            BodyRefusal::TooLarge { limit_bytes } => {
                Self::new("cuerpo-grande", format!("El cuerpo supera el límite de {limit_bytes} bytes."))
            }
            BodyRefusal::TooSlow => Self::new("cuerpo-lento", "El cuerpo llega demasiado despacio."),
            BodyRefusal::NoRoom { retry_after_s } => {
                Self::no_disponible(retry_after_s, "Hay demasiadas subidas a la vez. Vuelve a intentarlo.")
            }
            BodyRefusal::BrokenOff => Self::new("cuerpo-cortado", "El cuerpo no llegó entero."),
        }
    }
}

impl From<StoreError> for Problema {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LeadNotFound => Self::lead_no_encontrado(),
            StoreError::FotoNotFound => Self::foto_no_encontrada(),
            StoreError::EmpresaNotFound => {
                Invalido::uno("/tenantId", "valor", "No hay ninguna empresa con este identificador.").into()
            }
            StoreError::KeyReused => Invalido::uno(
                "",
                "clave_reutilizada",
                "Esta Idempotency-Key ya se usó con otro cuerpo: usa una nueva.",
            )
            .into(),
            StoreError::KeyInProgress => {
                Self::new("en-curso", "La primera llamada con esta Idempotency-Key aún no ha terminado.")
                    .con(RETRY_AFTER, HeaderValue::from(1))
            }
            StoreError::Unavailable(_) | StoreError::BlobMarked => {
                tracing::warn!(%error, "storage is out of reach");
                Self::no_disponible(
                    ALMACEN_RETRY_AFTER_S,
                    "El almacenamiento no responde. Vuelve a intentarlo.",
                )
            }
            StoreError::PresupuestoNotFound => Self::presupuesto_no_encontrado(),
            StoreError::SlugTaken
            | StoreError::TarifaTaken
            | StoreError::TrabajoNotFound
            | StoreError::TrabajoTerminado
            | StoreError::Internal(_) => {
                tracing::error!(%error, "storage failed");
                Self::interno()
            }
        }
    }
}

impl From<AppError> for Problema {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Store(error) => error.into(),
            AppError::Blob(error @ BlobError::Unavailable { .. }) => {
                tracing::warn!(%error, "blob storage is out of reach");
                Self::no_disponible(
                    ALMACEN_RETRY_AFTER_S,
                    "El almacén de fotos no responde. Vuelve a intentarlo.",
                )
            }
            AppError::Dibujo(error) => {
                tracing::error!(%error, "a quote could not be drawn");
                Self::interno()
            }
            AppError::Blob(error) => {
                tracing::error!(%error, "blob storage failed");
                Self::interno()
            }
        }
    }
}

/// Carries the problem to [`rendir`], which knows the request's id.
impl IntoResponse for Problema {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes down the problem that a handler or the router answered with.
pub(crate) fn rendir(id: RequestId, mut response: Response) -> Response {
    let Some(problema) = response.extensions_mut().remove::<Problema>() else {
        return response;
    };
    *response.body_mut() = Body::from(problema.cuerpo(id));
    let cabeceras = response.headers_mut();
    cabeceras.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    cabeceras.extend(problema.cabeceras);
    response
}

/// The answer to a request whose handler panicked.
pub(crate) fn panico(id: RequestId) -> Response {
    let problema = Problema::interno();
    let tipo = [(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"))];
    (problema.status, tipo, problema.cuerpo(id)).into_response()
}
