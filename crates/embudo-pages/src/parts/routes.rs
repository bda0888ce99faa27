//! A table of routes for pages that need no sign-in, and the one type that all handlers of pages have in a router.

use std::pin::Pin;

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;

use crate::WebState;

type PageFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler, of one type whatever it extracts: axum's routing is compiled once and not once for each of two hundred
/// pages.
#[derive(Clone, Copy)]
pub(crate) struct PageHandler(pub fn(Request, WebState) -> PageFuture);

impl Handler<(), WebState> for PageHandler {
    type Future = PageFuture;

    fn call(self, request: Request, state: WebState) -> PageFuture {
        (self.0)(request, state)
    }
}

/// A function that axum takes as a handler, as a [`PageHandler`].
macro_rules! handler {
    ($handler:path) => {
        $crate::parts::PageHandler(|request, state| axum::handler::Handler::call($handler, request, state))
    };
}

/// Writes the routes of some pages once: their router is made from the table, and the walk through every route reads
/// it.
macro_rules! pages {
    ($($path:literal => $($method:ident $handler:path),+;)+) => {
        /// Every page here, as its method and its address.
        pub(crate) const ROUTES: &[(&str, &str)] = &[$($((stringify!($method), $path)),+),+];

        /// The router of these pages.
        pub(crate) fn routes() -> axum::Router<$crate::WebState> {
            let pages = axum::Router::new();
            $(let page = axum::routing::MethodRouter::new()$(.$method($crate::parts::handler!($handler)))+;
            let pages = pages.route($path, page);)+
            pages
        }
    };
}

pub(crate) use {handler, pages};
