//! The yardstick of the signals: a loop that does nothing but post the same payload to the same receiver, with the HTTP
//! client that Embudo sends with. It stores nothing, so no program that guarantees delivery can be faster.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::client::Target;
use crate::failure::Result;
use crate::load::{Tally, fresh_seed, summarise};
use crate::process::own_cpu;
use crate::stats::Sample;

/// The request that every loop sends.
#[derive(Clone)]
struct Post {
    client: reqwest::Client,
    url: String,
    payload: Bytes,
    /// Ids must differ between windows too.
    seed: u64,
}

/// Posts over `conns` loops at once, and calls `edge` when the window begins and when it ends.
pub fn measure(
    receiver: &Target,
    payload: &Bytes,
    conns: usize,
    measured: Duration,
    edge: &mut dyn FnMut(),
) -> Result<Sample> {
    // The client is not built without a default crypto provider, although no TLS is used here. The call fails when a
    // provider is already installed, which does not matter.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let post = Post {
        client: reqwest::Client::builder().no_proxy().build()?,
        url: format!("http://{}/", receiver.addr),
        payload: payload.clone(),
        seed: fresh_seed(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let begin = Instant::now() + Duration::from_secs(1);
    let window = begin..begin + measured;
    let loops: Vec<_> = (0..conns).map(|_| runtime.spawn(post.clone().run(window.clone()))).collect();
    thread::sleep(window.start.saturating_duration_since(Instant::now()));
    edge();
    let before = own_cpu();
    thread::sleep(window.end.saturating_duration_since(Instant::now()));
    let cpu = own_cpu().saturating_sub(before);
    edge();
    let mut total = Tally::default();
    for one in loops {
        total.add(runtime.block_on(one)?);
    }
    let sample = summarise(total, measured, [Duration::ZERO, Duration::ZERO, cpu], conns);
    // Here the client itself is what is measured, so it may be the limit.
    Ok(Sample { client_bound: false, ..sample })
}

impl Post {
    async fn run(self, window: Range<Instant>) -> Tally {
        let mut tally = Tally::default();
        loop {
            let start = Instant::now();
            if start >= window.end {
                return tally;
            }
            match self.once().await {
                Ok(()) => tally.answer(start, &window),
                Err(error) => {
                    tally.fail(|| error.to_string());
                    return tally;
                }
            }
        }
    }

    async fn once(&self) -> reqwest::Result<()> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = format!("{:016x}-{:019}", self.seed, NEXT.fetch_add(1, Relaxed));
        let request = self
            .client
            .post(&self.url)
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .body(self.payload.clone());
        request.send().await?.error_for_status()?.bytes().await.map(drop)
    }
}
