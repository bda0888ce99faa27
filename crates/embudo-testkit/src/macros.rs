//! The same test on both engines.

/// Writes each test twice, `sqlite::name` and `postgres::name`, with a started server as its argument.
#[macro_export]
macro_rules! en_ambos_motores {
    ($($(#[$doc:meta])* async fn $nombre:ident($s:ident: Servidor) $cuerpo:block)+) => {
        $($(#[$doc])* async fn $nombre($s: $crate::Servidor) $cuerpo)+

        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $nombre() {
                super::$nombre($crate::Servidor::arrancar($crate::Motor::Sqlite).await).await;
            })+
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $nombre() {
                super::$nombre($crate::Servidor::arrancar($crate::Motor::Postgres).await).await;
            })+
        }
    };
}

/// Runs each of these functions, which take a [`Motor`](crate::Motor), on both engines.
#[macro_export]
macro_rules! en_cada_motor {
    ($($nombre:ident),+ $(,)?) => {
        mod en_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $nombre() {
                super::$nombre($crate::Motor::Sqlite).await;
            })+
        }

        mod en_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $nombre() {
                super::$nombre($crate::Motor::Postgres).await;
            })+
        }
    };
}
