//! Hashes and verifies passwords with Argon2id, two at a time, outside the request threads.

use std::sync::{Arc, LazyLock};

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use subtle::ConstantTimeEq as _;
use tokio::sync::Semaphore;

use super::{AccessError, Result, fill_random};

/// Memory (KiB), passes and lanes of new hashes.
const COST: Cost = Cost { memory_kib: 46 * 1024, passes: 1, lanes: 1 };
/// The minimum that Argon2 accepts, for tests that sign in hundreds of people.
const CHEAP: Cost = Cost { memory_kib: 8, passes: 1, lanes: 1 };
/// The maximum number of hashes at a time, because each needs its memory.
const AT_ONCE: usize = 2;
/// The maximum number of hashes that run or wait. A hash takes some 50 ms, so the wait is short.
const WAITING: usize = 24;

/// A hash to compare with if there is no stored hash, so that the check takes the same time.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash("nadie", COST));
static CHEAP_NOBODY: LazyLock<String> = LazyLock::new(|| hash("nadie", CHEAP));

#[derive(Clone, Copy)]
struct Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

/// Hashes passwords, a few at a time.
pub(crate) struct Passwords {
    seats: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    cost: Cost,
    nobody: &'static LazyLock<String>,
}

impl Default for Passwords {
    fn default() -> Self {
        Self::with(COST, &NOBODY)
    }
}

impl Passwords {
    /// Makes hashes that protect nothing, for tests.
    pub fn cheap() -> Self {
        Self::with(CHEAP, &CHEAP_NOBODY)
    }

    fn with(cost: Cost, nobody: &'static LazyLock<String>) -> Self {
        let (seats, queue) = (Arc::new(Semaphore::new(AT_ONCE)), Arc::new(Semaphore::new(WAITING)));
        Self { seats, queue, cost, nobody }
    }

    /// The hash of a password, as it is stored.
    pub async fn hash(&self, password: &str) -> Result<String> {
        let (password, cost) = (password.to_owned(), self.cost);
        self.run(move || hash(&password, cost)).await
    }

    /// Whether a password matches the stored hash. Without a stored hash the check takes the same time.
    pub async fn verify(&self, password: &str, kept: Option<String>) -> Result<bool> {
        let (password, nobody) = (password.to_owned(), self.nobody);
        self.run(move || match kept {
            Some(kept) => verify(&password, &kept),
            None => {
                verify(&password, nobody);
                false
            }
        })
        .await
    }

    /// Runs the work off the request threads. If the client goes away, its permit is released only when the hash is
    /// done.
    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let place = self.queue.clone().try_acquire_owned().map_err(|_| AccessError::Busy)?;
        let seat = self.seats.clone().acquire_owned().await.expect("the seats are never closed");
        let done = tokio::task::spawn_blocking(move || {
            let end = work();
            drop((seat, place));
            end
        });
        Ok(done.await.expect("the task is not cancelled; a panic in it is this request's panic"))
    }
}

fn hash(password: &str, cost: Cost) -> String {
    let mut salt = [0_u8; 16];
    fill_random(&mut salt);
    let out = derive(password, &salt, cost).expect("the cost is one that Argon2 takes");
    let Cost { memory_kib, passes, lanes } = cost;
    let (salt, out) = (STANDARD_NO_PAD.encode(salt), STANDARD_NO_PAD.encode(out));
    format!("$argon2id$v=19$m={memory_kib},t={passes},p={lanes}${salt}${out}")
}

fn verify(password: &str, kept: &str) -> bool {
    let Some((cost, salt, out)) = parse(kept) else { return false };
    derive(password, &salt, cost).is_some_and(|derived| bool::from(derived.ct_eq(&out)))
}

fn derive(password: &str, salt: &[u8], cost: Cost) -> Option<[u8; 32]> {
    let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(32)).ok()?;
    let mut out = [0; 32];
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon2.hash_password_into(password.as_bytes(), salt, &mut out).ok()?;
    Some(out)
}

/// Reads a PHC string, whose cost may differ from today's.
fn parse(kept: &str) -> Option<(Cost, Vec<u8>, Vec<u8>)> {
    let mut parts = kept.strip_prefix("$argon2id$v=19$")?.split('$');
    let mut cost = parts.next()?.split(',');
    let mut number = |name: &str| cost.next()?.strip_prefix(name)?.parse().ok();
    let cost = Cost { memory_kib: number("m=")?, passes: number("t=")?, lanes: number("p=")? };
    let salt = STANDARD_NO_PAD.decode(parts.next()?).ok()?;
    let out = STANDARD_NO_PAD.decode(parts.next()?).ok()?;
    parts.next().is_none().then_some((cost, salt, out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_a_phc_string_of_the_promised_cost() {
        let kept = hash("cuatro gatos verdes", COST);
        assert!(kept.starts_with("$argon2id$v=19$m=47104,t=1,p=1$"), "{kept}");
        assert_ne!(kept, hash("cuatro gatos verdes", COST), "salted");
        assert!(verify("cuatro gatos verdes", &kept) && !verify("cuatro gatos verde", &kept));
    }

    #[test]
    fn the_reference_hash_is_understood() {
        // From the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1.
        let kept = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        assert!(verify("password", kept) && !verify("Password", kept));
        for damaged in ["", "$argon2id$v=19$", "$argon2i$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA", "x$y$z"] {
            assert!(!verify("password", damaged), "{damaged}");
        }
    }

    #[tokio::test]
    async fn beyond_the_queue_nobody_waits() {
        let passwords = Passwords::default();
        let _held = passwords.queue.clone().try_acquire_many_owned(WAITING as u32).expect("all places");
        assert!(matches!(passwords.verify("x", None).await, Err(AccessError::Busy)));
    }
}
