//! Resolves host names to IP addresses.

use std::error::Error;
use std::io;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::{Semaphore, oneshot};

/// How many names are looked up at the same time. A look-up cannot be interrupted and may take half a minute; one whose
/// caller has stopped waiting keeps its place until it ends.
const AT_ONCE: usize = 32;

/// Finds the addresses of a name. Called once for each fetch, and never for a host written as an IP address.
#[async_trait]
pub trait Resolver: Send + Sync + 'static {
    /// All addresses of `nombre`. An empty list counts as an error.
    async fn resolve(&self, nombre: &str) -> io::Result<Vec<IpAddr>>;
}

/// A look-up that blocks.
type LookUp = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

/// The machine's own resolver, on a bounded number of threads of its own: names from outside that answer slowly must
/// not take the threads that files and the database are read on.
#[derive(Clone)]
pub struct SystemResolver {
    look_up: Arc<LookUp>,
    places: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::with(|nombre| Ok((nombre, 0).to_socket_addrs()?.map(|a| a.ip()).collect()), AT_ONCE)
    }
}

impl SystemResolver {
    fn with(
        look_up: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static,
        at_once: usize,
    ) -> Self {
        Self { look_up: Arc::new(look_up), places: Arc::new(Semaphore::new(at_once)) }
    }
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, nombre: &str) -> io::Result<Vec<IpAddr>> {
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(io::Error::other)?;
        let (look_up, nombre) = (Arc::clone(&self.look_up), nombre.to_owned());
        let (answer, answered) = oneshot::channel();
        std::thread::Builder::new().name("nombres".to_owned()).spawn(move || {
            // The caller may have stopped waiting.
            let _ = answer.send(look_up(&nombre));
            drop(place);
        })?;
        answered.await.map_err(io::Error::other)?
    }
}

/// Refuses every look-up: the HTTP client gets its addresses beforehand and must never resolve a name itself.
pub(super) struct NoResolver;

impl Resolve for NoResolver {
    fn resolve(&self, _: Name) -> Resolving {
        let no: Result<Addrs, Box<dyn Error + Send + Sync>> = Err("names are resolved before".into());
        Box::pin(std::future::ready(no))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    use tokio::time::timeout;

    /// Answers no look-up until it is opened, and counts the look-ups.
    #[derive(Default)]
    struct Gate {
        asked: AtomicUsize,
        open: Mutex<bool>,
        opened: Condvar,
    }

    impl Gate {
        fn look_up(&self) -> io::Result<Vec<IpAddr>> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            let open = self.open.lock().expect("no panic");
            let _open = self.opened.wait_while(open, |open| !*open).expect("no panic");
            Ok(vec![IpAddr::from([192, 0, 2, 1])])
        }
    }

    #[tokio::test]
    async fn slow_names_take_a_bounded_number_of_threads_also_when_nobody_waits_any_more() {
        let gate = Arc::new(Gate::default());
        let slow = Arc::clone(&gate);
        let system = SystemResolver::with(move |_| slow.look_up(), 4);
        for _ in 0..2 {
            let many = (0..200).map(|_| timeout(Duration::from_millis(50), system.resolve("lento.example")));
            let many = futures_util::future::join_all(many).await;
            assert!(many.iter().all(Result::is_err), "the time was over for all");
        }
        let asked = || gate.asked.load(Ordering::SeqCst);
        assert!(asked() <= 4, "those that were given up still hold their places, but {} asked", asked());

        *gate.open.lock().expect("no panic") = true;
        gate.opened.notify_all();
        assert_eq!(system.resolve("lento.example").await.expect("answered").len(), 1);
        assert!(asked() <= 5);
    }

    #[tokio::test]
    async fn the_machine_knows_itself() {
        let found =
            SystemResolver::default().resolve("localhost").await.expect("a name that every machine has");
        assert!(found.iter().all(IpAddr::is_loopback), "{found:?}");
    }
}
