//! Closed-loop load: every connection has exactly one call under way. Connections are spread over client threads that
//! share nothing while they run; the calling thread sleeps and reads processor times at the edges of the window.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{Connection, Target};
use crate::failure::Result;
use crate::process::{family_cpu, own_cpu};
use crate::stats::{CpuPerCall, Sample, percentile};
use crate::workload::{LeadId, Random, Work, lead_body};

/// How to load a server.
pub struct Plan {
    pub work: Work,
    pub conns: usize,
    pub threads: usize,
    /// Calls before this has passed are made, but not counted.
    pub warmup: Duration,
    pub measured: Duration,
    /// The window ends early after this many calls, so that photos cannot fill a disk.
    pub max_requests: u64,
    /// Further processes of the same service; connections are spread over all.
    pub others: Vec<SocketAddr>,
}

/// How long after the window a call may take before the run gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the connections of one thread saw.
#[derive(Default)]
pub struct Tally {
    latencies_us: Vec<u32>,
    answered: u64,
    errors: u64,
    first_error: Option<String>,
    last_answer: Option<Instant>,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.answered += other.answered;
        self.latencies_us.extend(other.latencies_us);
        self.errors += other.errors;
        self.first_error = self.first_error.take().or(other.first_error);
        self.last_answer = self.last_answer.max(other.last_answer);
    }

    /// Notes a call that was answered well; its latency counts when the answer came inside the window.
    pub fn answer(&mut self, start: Instant, window: &Range<Instant>) {
        self.answered += 1;
        let now = Instant::now();
        if window.contains(&now) {
            self.latencies_us.push(u32::try_from((now - start).as_micros()).unwrap_or(u32::MAX));
            self.last_answer = Some(now);
        }
    }

    pub fn fail(&mut self, what: impl FnOnce() -> String) {
        self.errors += 1;
        self.first_error.get_or_insert_with(|| what().chars().take(300).collect());
    }
}

struct Shared {
    connected: Barrier,
    begin: OnceLock<Instant>,
    issued: AtomicU64,
}

/// Loads the server and measures. `pids` are the server, PostgreSQL (0 for none) and further processes of the server,
/// whose processor time is wanted.
pub fn measure(target: &Target, plan: &Plan, pids: &[u32]) -> Result<Sample> {
    measure_with(target, plan, pids, &mut || ())
}

/// Like `measure`, and also calls `edge` when the window begins and when it ends, so that the caller can read a counter
/// that is kept elsewhere.
pub fn measure_with(target: &Target, plan: &Plan, pids: &[u32], edge: &mut dyn FnMut()) -> Result<Sample> {
    let threads = plan.threads.clamp(1, plan.conns);
    let connected = Barrier::new(threads + 1);
    let shared = Arc::new(Shared { connected, begin: OnceLock::new(), issued: AtomicU64::new(0) });
    let cpu = |i: usize| pids.get(i).map_or(Duration::ZERO, |&pid| family_cpu(pid));
    let cpu_now = || [cpu(0) + (2..pids.len()).map(cpu).sum::<Duration>(), cpu(1), own_cpu()];
    let (tallies, before, after) = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|i| {
                let shared = &shared;
                let conns = plan.conns / threads + usize::from(i < plan.conns % threads);
                scope.spawn(move || drive_thread(target, plan, shared, conns))
            })
            .collect();
        shared.connected.wait();
        let begin = *shared.begin.get_or_init(Instant::now) + plan.warmup;
        thread::sleep(begin.saturating_duration_since(Instant::now()));
        edge();
        let before = cpu_now();
        let end = begin + plan.measured;
        while Instant::now() < end && !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
            thread::sleep(end.saturating_duration_since(Instant::now()).min(Duration::from_millis(20)));
        }
        let after = cpu_now();
        edge();
        let tallies: Vec<_> = workers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        (tallies, before, after)
    });
    let begin = *shared.begin.get().ok_or("no thread began")? + plan.warmup;
    let mut total = Tally::default();
    for tally in tallies {
        total.add(tally.map_err(|_| "a client thread panicked")??);
    }
    let capped = shared.issued.load(Relaxed) >= plan.max_requests;
    let elapsed = match total.last_answer {
        Some(last) if capped => last.saturating_duration_since(begin).min(plan.measured),
        _ => plan.measured,
    };
    let cpu = [0, 1, 2].map(|i| after[i].saturating_sub(before[i]));
    Ok(summarise(total, elapsed, cpu, threads))
}

/// The result of a window; `cpu` is that of the server, of PostgreSQL and of the client.
pub fn summarise(mut total: Tally, elapsed: Duration, cpu: [Duration; 3], threads: usize) -> Sample {
    total.latencies_us.sort_unstable();
    let calls = total.latencies_us.len();
    if calls == 0 && total.first_error.is_none() {
        total.fail(|| "no call was answered inside the window".to_owned());
    }
    let us = |p| Duration::from_micros(u64::from(percentile(&total.latencies_us, p)));
    let per_call = |i: usize| if calls == 0 { 0.0 } else { cpu[i].as_secs_f64() * 1e6 / calls as f64 };
    let secs = elapsed.as_secs_f64().max(1e-9);
    Sample {
        rate: calls as f64 / secs,
        p50: us(0.50),
        p99: us(0.99),
        answered: total.answered,
        errors: total.errors,
        client_bound: cpu[2].as_secs_f64() > 0.93 * secs * threads as f64,
        cpu: CpuPerCall { server: per_call(0), postgres: per_call(1), client: per_call(2) },
        first_error: total.first_error,
    }
}

fn drive_thread(target: &Target, plan: &Plan, shared: &Arc<Shared>, conns: usize) -> Result<Tally> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let addrs: Vec<_> = [target.addr].into_iter().chain(plan.others.iter().copied()).collect();
        let mut open = Vec::with_capacity(conns);
        let mut failed = None;
        for addr in addrs.iter().copied().cycle().take(conns) {
            match Connection::open(addr).await {
                Ok(connection) => open.push((addr, connection)),
                Err(error) => failed = Some(error),
            }
        }
        // Every thread meets the others here even when it could not connect; otherwise they would wait for ever.
        shared.connected.wait();
        if let Some(error) = failed {
            return Err(error);
        }
        let begin = *shared.begin.get_or_init(Instant::now) + plan.warmup;
        let end = begin + plan.measured;
        let tasks: Vec<_> = open
            .into_iter()
            .map(|(addr, connection)| {
                let driver = Driver { addr, connection, work: plan.work.clone(), tally: Tally::default() };
                tokio::task::spawn_local(driver.drive(Arc::clone(shared), begin..end, plan.max_requests))
            })
            .collect();
        let mut total = Tally::default();
        for task in tasks {
            let give_up = tokio::time::Instant::from_std(end + PATIENCE);
            let tally = tokio::time::timeout_at(give_up, task).await;
            total.add(tally.map_err(|_| "a call was not answered for a minute: the server hangs")??);
        }
        Ok(total)
    })
}

fn holds(body: &[u8], wanted: &[u8]) -> bool {
    wanted.is_empty() || body.windows(wanted.len()).any(|part| part == wanted)
}

struct Driver {
    addr: SocketAddr,
    connection: Connection,
    work: Work,
    tally: Tally,
}

impl Driver {
    async fn drive(mut self, shared: Arc<Shared>, window: Range<Instant>, max_requests: u64) -> Tally {
        let mut random = Random::new(fresh_seed());
        let mut request = Vec::with_capacity(2048);
        loop {
            let start = Instant::now();
            if start >= window.end || shared.issued.fetch_add(1, Relaxed) >= max_requests {
                return self.tally;
            }
            self.work.render(&mut random, &mut request);
            let usable = self.call(&request, start, &window).await;
            if !usable && !self.reconnect().await {
                return self.tally;
            }
        }
    }

    /// Makes one call; false when the connection cannot be used any more.
    async fn call(&mut self, request: &[u8], start: Instant, window: &Range<Instant>) -> bool {
        let answer = match self.connection.call(request, &self.work.tail).await {
            Ok(answer) => answer,
            Err(error) => {
                self.tally.fail(|| error.to_string());
                return false;
            }
        };
        let body = self.connection.body(&answer);
        if !(200..300).contains(&answer.status) || !holds(body, self.work.expects) {
            self.tally.fail(|| format!("{} {}", answer.status, String::from_utf8_lossy(body)));
            return !answer.closes;
        }
        self.tally.answer(start, window);
        !answer.closes
    }

    /// A server that refuses everything must not turn the client into a storm of connections, hence the pause.
    async fn reconnect(&mut self) -> bool {
        tokio::time::sleep(Duration::from_millis(20)).await;
        match Connection::open(self.addr).await {
            Ok(connection) => self.connection = connection,
            Err(error) => self.tally.fail(|| error.to_string()),
        }
        self.tally.errors < 1000
    }
}

/// Seeds differ between connections and between windows: photos sent twice would measure deduplication.
pub fn fresh_seed() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    (since.as_nanos() as u64).wrapping_add(NEXT.fetch_add(1, Relaxed).wrapping_mul(0xd134_2543_de82_ef95))
}

/// Creates leads over 16 connections and returns their ids.
pub fn create_leads(target: &Target, count: usize) -> Result<Arc<Vec<LeadId>>> {
    const CONNS: usize = 16;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let tasks: Vec<_> = (0..CONNS.min(count))
            .map(|first| tokio::task::spawn_local(create_every(target.clone(), first, CONNS, count)))
            .collect();
        let mut leads = Vec::with_capacity(count);
        for task in tasks {
            leads.extend(task.await??);
        }
        Ok(Arc::new(leads))
    })
}

async fn create_every(target: Target, first: usize, step: usize, count: usize) -> Result<Vec<LeadId>> {
    let mut connection = Connection::open(target.addr).await?;
    let mut leads = Vec::new();
    for n in (first..count).step_by(step) {
        let body = lead_body(n);
        let request = target.head("POST", "/api/leads", body.len()) + &body;
        let answer = connection.call(request.as_bytes(), b"").await?;
        let text = String::from_utf8_lossy(connection.body(&answer));
        let id = serde_json::from_str::<serde_json::Value>(&text)
            .ok()
            .filter(|_| answer.status == 201)
            .and_then(|body| LeadId::try_from(body["id"].as_str()?.as_bytes()).ok())
            .ok_or_else(|| format!("POST /api/leads did not create a lead: {} {text}", answer.status))?;
        leads.push(id);
    }
    Ok(leads)
}
