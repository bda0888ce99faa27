//! Runs the same test on both engines.

use std::future::Future;

use crate::{Engine, Scene, Server, Setup, TestApp};

/// Runs each of these functions on both engines, as `sqlite::name` and `postgres::name`.
///
/// A function is async. Its parameter is any value that can be made on an engine ([`OnEngine`]): an application, a
/// server, a scene, or the engine itself if the test makes its own set-up. `blocking:` before the names runs plain
/// functions, whose parameter is a reference to a value made `From` an engine.
#[macro_export]
macro_rules! both_engines {
    (blocking: $($name:ident),+ $(,)?) => {
        $crate::both_engines!(@blocking sqlite Sqlite $($name)+);
        $crate::both_engines!(@blocking postgres Postgres $($name)+);
    };
    ($($name:ident),+ $(,)?) => {
        $crate::both_engines!(@async sqlite Sqlite $($name)+);
        $crate::both_engines!(@async postgres Postgres $($name)+);
    };
    (@blocking $module:ident $engine:ident $($name:ident)+) => {
        mod $module {
            $(#[test]
            fn $name() {
                super::$name(&From::from($crate::Engine::$engine));
            })+
        }
    };
    (@async $module:ident $engine:ident $($name:ident)+) => {
        mod $module {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                $crate::run_on($crate::Engine::$engine, super::$name).await;
            })+
        }
    };
}

/// A value that a test can take as its parameter on either engine.
pub trait OnEngine {
    fn on(engine: Engine) -> impl Future<Output = Self> + Send;
}

/// Runs a test with a new value of its parameter.
pub async fn run_on<T: OnEngine, F: Future<Output = ()>>(engine: Engine, test: impl FnOnce(T) -> F) {
    test(T::on(engine).await).await;
}

impl OnEngine for Engine {
    async fn on(engine: Engine) -> Self {
        engine
    }
}

impl OnEngine for TestApp {
    async fn on(engine: Engine) -> Self {
        Setup::at(engine).app().await
    }
}

impl OnEngine for Server {
    async fn on(engine: Engine) -> Self {
        Self::start(engine).await
    }
}

impl OnEngine for Scene {
    async fn on(engine: Engine) -> Self {
        Self::at(engine).await
    }
}
