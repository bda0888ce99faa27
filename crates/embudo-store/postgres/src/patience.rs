//! How long and how often something is tried on the pool before its caller is told that storage is away.

use std::time::Duration;

/// How often something that failed in passing is tried. After a restart of the server the pool may hold several
/// connections that are dead and not known to be.
pub(crate) const ATTEMPTS: u32 = 4;
/// How long a caller waits in all: for its turn, for a connection, for locks, for the server.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// Does something on the pool when its turn comes, again if it failed in passing. A lock that is held by somebody is
/// asked for again, after others had their turn, as long as the patience lasts. Only for what is safe to repeat before
/// its commit: a commit in doubt is not a passing failure. What only reads says so, and is done also while commits do
/// not return.
macro_rules! patiently {
    (read $store:ident, $turn:expr, $work:expr) => {{
        let _span = embudo_trace::OpenSpan::of_store("store read", "postgresql");
        let deadline = tokio::time::Instant::now() + $crate::patience::PATIENCE;
        $crate::patience::until!($store, deadline, $turn, $work).await
    }};
    ($store:ident, $work:expr) => {
        $crate::patience::patiently!($store, std::future::ready(()), $work)
    };
    ($store:ident, $turn:expr, $work:expr) => {
        $crate::patience::patiently!($store, $turn, $work, $crate::patience::PATIENCE)
    };
    ($store:ident, $turn:expr, $work:expr, $patience:expr) => {{
        let _span = embudo_trace::OpenSpan::of_store("store write", "postgresql");
        let deadline = tokio::time::Instant::now() + $patience;
        $store.commits.guard($crate::patience::until!($store, deadline, $turn, $work)).await
    }};
}
pub(crate) use patiently;

/// What [`patiently`] does, until this moment.
macro_rules! until {
    ($store:ident, $deadline:ident, $turn:expr, $work:expr) => {{
        let trying = async {
            let mut left = $crate::patience::ATTEMPTS;
            loop {
                let Ok(_turn) = tokio::time::timeout_at($deadline, $turn).await else {
                    return Err(embudo_store::StoreError::Unavailable("too much else is to be done".into()));
                };
                match tokio::time::timeout_at($deadline, Box::pin($work)).await {
                    Err(_) => {
                        // The connection that said nothing lies in the pool again, and would do it to the next.
                        $store.target.leave();
                        return Err(embudo_store::StoreError::Unavailable("the server does not answer".into()));
                    }
                    Ok(Err(failure)) if failure.is_held() => {}
                    Ok(Err(failure)) if left > 1 && failure.is_passing() => {
                        if failure.is_read_only() {
                            $store.target.leave();
                        }
                        left -= 1;
                    }
                    Ok(end) => return end.map_err(embudo_store::StoreError::from),
                }
            }
        };
        Box::pin(trying)
    }};
}
pub(crate) use until;
