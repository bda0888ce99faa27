//! `/v/:pase`: where a client chooses the hour of a visit, moves it or cancels it; and the calendars that people of a company follow.
//!
//! The pass in the address is the permission. It must not decide whether an hour is free: the store does, and the page shows what
//! came of it.

mod access;
mod feed;
mod page;

use axum::Router;
use axum::routing::{get, post};

use crate::WebState;

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .route("/v/{pase}", get(page::show))
        .route("/v/{pase}/elegir", post(page::pick))
        .route("/v/{pase}/cancelar", post(page::cancel))
        .route("/calendario/{secreto}", get(feed::show))
}
