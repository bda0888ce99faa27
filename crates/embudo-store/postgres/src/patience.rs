//! How long and how often something is tried on the pool before the caller gets the error that storage is unavailable.

use std::time::Duration;

/// How often work is tried that failed for a temporary reason. After a restart of the server the pool may hold several
/// dead connections that are not known to be dead.
pub(crate) const ATTEMPTS: u32 = 4;
/// How long a caller waits in all: for its turn, for a connection, for locks, for the server.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// Runs work on the pool when its turn comes, and again if it failed for a temporary reason. If a lock is held by
/// another transaction, the work is tried again, after others had their turn, until `PATIENCE` is over. Only for work
/// that is safe to repeat before its commit: a commit in doubt is not a temporary failure. Work that only reads is
/// marked with `read`, and also runs while commits do not return.
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

/// The work of [`patiently`], with this deadline.
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
                        // The connection that got no answer is in the pool again, and the next user would wait for it
                        // too.
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
