//! A table of routes for pages that need no sign-in.

/// Writes the routes of some pages once: their router is made from the table, and the walk through every route reads it.
macro_rules! pages {
    ($($path:literal => $($method:ident $handler:path),+;)+) => {
        /// Every page here, as its method and its address.
        pub(crate) const ROUTES: &[(&str, &str)] = &[$($((stringify!($method), $path)),+),+];

        /// The router of these pages.
        pub(crate) fn routes() -> axum::Router<$crate::WebState> {
            axum::Router::new()$(.route($path, axum::routing::MethodRouter::new()$(.$method($handler))+))+
        }
    };
}

pub(crate) use pages;
