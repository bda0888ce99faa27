//! How long and how often something is tried on the pool before its caller is told that storage is away.

use std::time::Duration;

/// How often something that failed in passing is tried. After a restart of the server the pool may hold several connections
/// that are dead and not known to be.
pub(crate) const ATTEMPTS: u32 = 4;
/// A server that says nothing for so long is given up. It gives up itself earlier.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// Does something on the pool, again if it failed in passing. Only for what is safe to repeat before its commit: a commit in
/// doubt is not a passing failure.
macro_rules! patiently {
    ($work:expr) => {
        $crate::patience::patiently!($work, $crate::patience::PATIENCE)
    };
    ($work:expr, $patience:expr) => {{
        let trying = async {
            let mut left = $crate::patience::ATTEMPTS;
            loop {
                left -= 1;
                match $work.await {
                    Err(failure) if left > 0 && failure.is_passing() => {}
                    end => return end.map_err(embudo_store::StoreError::from),
                }
            }
        };
        match tokio::time::timeout($patience, Box::pin(trying)).await {
            Ok(end) => end,
            Err(_) => Err(embudo_store::StoreError::Unavailable("the server does not answer".into())),
        }
    }};
}
pub(crate) use patiently;
