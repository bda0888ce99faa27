//! A table of routes for pages without sign-in, and the type that all page handlers share in the router.

use std::pin::Pin;

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;

use crate::WebState;

type PageFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A page handler. All handlers have this one type, whatever they extract, so axum's routing code is compiled once
/// instead of two hundred times.
#[derive(Clone, Copy)]
pub(crate) struct PageHandler(pub fn(Request, WebState) -> PageFuture);

impl Handler<(), WebState> for PageHandler {
    type Future = PageFuture;

    fn call(self, request: Request, state: WebState) -> PageFuture {
        (self.0)(request, state)
    }
}

/// Wraps a function that axum accepts as a handler in a [`PageHandler`].
macro_rules! handler {
    ($handler:path) => {
        $crate::parts::PageHandler(|request, state| axum::handler::Handler::call($handler, request, state))
    };
}

/// Declares the routes of some pages once. The router is made from the table, and the tests that walk every route read
/// the same table.
macro_rules! pages {
    ($($path:literal => $($method:ident $handler:path),+;)+) => {
        /// Every page of this table, as its method and its address.
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
