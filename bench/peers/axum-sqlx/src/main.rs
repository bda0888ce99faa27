//! A fair peer: what a good Rust team would put in production for `POST /api/leads/{id}/conversacion` with axum and
//! sqlx. Keep-alive, the Bearer key compared in constant time before the body is read, serde and the same rules at the
//! door, one prepared statement per call, no logging. Settings: BIND (host:port), DATABASE_URL, FUNNEL_API_KEY, POOL.

mod body;
mod db;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use serde_json::json;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::body::{Checked, Lead, Turno};
use crate::db::Db;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct App {
    db: Db,
    /// SHA-256 of the whole expected header. Digests have the same length whatever the client sent.
    key: [u8; 32],
}

type Shared = State<Arc<App>>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let setting = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
    let bind: SocketAddr = setting("BIND")?.parse()?;
    let pool = setting("POOL").unwrap_or_else(|_| "16".to_owned()).parse()?;
    let db = Db::open(&setting("DATABASE_URL")?, pool).await?;
    db.migrate().await?;
    let key = digest(format!("Bearer {}", setting("FUNNEL_API_KEY")?).as_bytes());
    let app = Arc::new(App { db, key });
    let api = Router::new()
        .route("/api/leads", post(create_lead))
        .route("/api/leads/{id}/conversacion", post(append_turno))
        .layer(DefaultBodyLimit::max(8 * 1024 * 1024))
        .layer(from_fn_with_state(Arc::clone(&app), authorize));
    let router = Router::new().route("/readyz", get(ready)).merge(api).with_state(app);
    let listener = tokio::net::TcpListener::bind(bind).await?.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).with_graceful_shutdown(terminated()).await?;
    Ok(())
}

async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    if let Ok(mut term) = signal(SignalKind::terminate()) {
        term.recv().await;
    }
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

async fn authorize(State(app): Shared, request: Request, next: Next) -> Response {
    let sent = request.headers().get(header::AUTHORIZATION).map_or(&b""[..], |value| value.as_bytes());
    if digest(sent).ct_eq(&app.key).into() {
        next.run(request).await
    } else {
        problem(StatusCode::UNAUTHORIZED, "Clave no válida")
    }
}

async fn ready(State(app): Shared) -> Response {
    match app.db.ping().await {
        Ok(()) => Json(json!({ "ok": true })).into_response(),
        Err(error) => unavailable(&error),
    }
}

async fn create_lead(State(app): Shared, Checked(lead): Checked<Lead>) -> Response {
    let id = Uuid::new_v4();
    match app.db.create_lead(id, &lead).await {
        Ok(()) => (StatusCode::CREATED, Json(json!({ "ok": true, "id": id }))).into_response(),
        Err(error) => unavailable(&error),
    }
}

async fn append_turno(
    State(app): Shared,
    Path(lead): Path<String>,
    Checked(turno): Checked<Turno>,
) -> Response {
    let Ok(lead) = Uuid::try_parse(&lead) else {
        return problem(StatusCode::NOT_FOUND, "No existe ese lead");
    };
    let id = Uuid::new_v4();
    match app.db.append_turno(id, lead, &turno).await {
        Ok(true) => Json(Appended { ok: true, id }).into_response(),
        Ok(false) => problem(StatusCode::NOT_FOUND, "No existe ese lead"),
        Err(error) => unavailable(&error),
    }
}

#[derive(serde::Serialize)]
struct Appended {
    ok: bool,
    id: Uuid,
}

pub(crate) fn problem(status: StatusCode, title: &str) -> Response {
    let body = json!({ "type": "about:blank", "title": title, "status": status.as_u16() });
    (status, [(header::CONTENT_TYPE, "application/problem+json")], body.to_string()).into_response()
}

fn unavailable(error: &sqlx::Error) -> Response {
    eprintln!("{error}");
    problem(StatusCode::SERVICE_UNAVAILABLE, "Vuelva a intentarlo")
}
