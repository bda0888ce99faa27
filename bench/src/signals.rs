//! Signals: how many arrive in a second, against pg-boss and a bare HTTP client; and what a receiver that never answers
//! does to `conversacion`.
//!
//! Every window has a server and a database of its own, deleted afterwards. One receiver serves all windows of the
//! delivery rate. Each window with a hanging receiver has its own receiver, which ends before the server does, so that
//! no attempt keeps the server waiting.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::timeout;

use crate::bare;
use crate::bench::Bench;
use crate::client::{Connection, Target};
use crate::failure::Result;
use crate::load::{self, Plan, create_leads, fresh_seed};
use crate::point::{Point, Section, Who};
use crate::receiver::{Count, Manners, last_body};
use crate::server::{Engine, Server};
use crate::stats::Sample;
use crate::throughput::PROMISED;
use crate::workload::{Kind, LeadId, Random, Work};

/// The connections at which the rate is measured.
pub const CONNS: [usize; 2] = [16, 64];
/// How many leads send signals to the receiver that hangs.
pub const FIRING: usize = 32;
/// Each engine with a receiver that hangs, and the same engine without signals.
pub const HUNG_AND_QUIET: [(Who, Who); 2] =
    [(Who::PostgresHung, Who::Postgres), (Who::SqliteHung, Who::Sqlite)];

/// The fewest leads that signals are spread over.
const MIN_LEADS: usize = 200;
/// How long the caller of such a signal waits for the answer before it hangs up and calls again.
const IMPATIENCE: Duration = Duration::from_secs(1);
/// How long pg-boss warms up before its window.
const WARM_NODE: Duration = Duration::from_secs(3);
/// Pairs of windows in a round, with and without the receiver that hangs.
const PAIRS: usize = 2;

/// Signals per second.
pub fn delivery_rate(bench: &mut Bench) -> Result<()> {
    let receiver = bench.starter.receiver(Manners::Answers)?;
    // pg-boss and the bare client run in the middle: their payload is a signal that Embudo sent before, and this way
    // they are close in time to both engines.
    let mut order = [Who::Postgres, Who::PgBoss, Who::Bare, Who::Sqlite];
    for round in 1..=bench.rounds {
        println!("Signals: round {round} of {}", bench.rounds);
        for conns in CONNS {
            for who in order {
                let point = Point::new(Section::Signals, who, Kind::PerfilComplete, conns);
                let sample = count_deliveries(bench, point, &receiver.target())?;
                bench.note(point, sample);
            }
        }
        order.reverse();
    }
    receiver.stop()
}

/// A window whose rate is what the receiver counted; what did not arrive exactly once is a failed call.
fn count_deliveries(bench: &Bench, point: Point, receiver: &Target) -> Result<Sample> {
    let before = Count::of(receiver)?;
    let mut edges = Vec::new();
    let mut edge = || edges.push(Count::of(receiver));
    let mut sample = match point.who {
        Who::Bare => {
            let payload = last_body(receiver)?;
            bench.postgres.checkpoint()?;
            bare::measure(receiver, &payload, point.conns, bench.measured, &mut edge)?
        }
        Who::PgBoss => with_pg_boss(bench, receiver, |server, leads| {
            bench.postgres.checkpoint()?;
            let target = server.target();
            // Node compiles its hot code while it runs, so pg-boss needs a warm-up.
            let warm = Plan { measured: WARM_NODE, ..bench.plan(point, &target, leads) };
            let warm = load::measure(&target, &warm, &[])?;
            let plan = bench.plan(point, &target, leads);
            let pids = [server.pid(), bench.postgres.pid];
            let sample = load::measure_with(&target, &plan, &pids, &mut edge)?;
            Ok(Sample {
                answered: sample.answered + warm.answered,
                errors: sample.errors + warm.errors,
                ..sample
            })
        })?,
        _ => with_server(bench, point, receiver, |server, leads| {
            let target = server.target();
            tell_profiles(&target, leads)?;
            bench.postgres.checkpoint()?;
            let plan = bench.plan(point, &target, leads);
            load::measure_with(&target, &plan, &[server.pid(), bench.postgres.pid], &mut edge)
        })?,
    };
    let edges = edges.into_iter().collect::<Result<Vec<_>>>()?;
    if let [begin, end] = edges[..] {
        sample.rate = end.rate_since(begin);
    }
    let after = Count::of(receiver)?;
    let misses = after.misses(before, sample.answered);
    if misses > 0 {
        sample.errors += misses;
        sample.first_error.get_or_insert_with(|| {
            format!(
                "{} signals were acknowledged, the receiver got {} with {} different ids",
                sample.answered,
                after.received - before.received,
                after.distinct - before.distinct
            )
        });
    }
    Ok(sample)
}

/// p50 and p99 of `conversacion` with and without a receiver that hangs.
pub fn hanging_receiver(bench: &mut Bench) -> Result<()> {
    for round in 1..=bench.rounds {
        println!("A receiver that hangs: round {round} of {}", bench.rounds);
        for (hung, quiet) in HUNG_AND_QUIET {
            let mut order = [quiet, hung];
            for _ in 0..PAIRS {
                for who in order {
                    let point = Point::new(Section::Signals, who, Kind::Conversacion, PROMISED);
                    let sample = beside_hanging(bench, point)?;
                    bench.note(point, sample);
                }
                order.reverse();
            }
        }
    }
    Ok(())
}

fn beside_hanging(bench: &Bench, point: Point) -> Result<Sample> {
    let receiver = bench.starter.receiver(Manners::Hangs)?;
    let to = receiver.target();
    with_server(bench, point, &to, |server, leads| {
        let target = server.target();
        let plan = bench.plan(point, &target, leads);
        let measure = || load::measure(&target, &plan, &[server.pid(), bench.postgres.pid]);
        bench.postgres.checkpoint()?;
        let sample = match point.who {
            Who::PostgresHung | Who::SqliteHung => while_firing(&target, leads, &to, measure),
            _ => measure(),
        };
        // When the receiver ends, the hanging attempts end too, and the server need not wait for them when it stops.
        receiver.stop()?;
        sample
    })
}

/// Starts Embudo on an empty database with signals to `receiver`, and ends it after `job`.
fn with_server(
    bench: &Bench,
    point: Point,
    receiver: &Target,
    job: impl FnOnce(&Server, &Arc<Vec<LeadId>>) -> Result<Sample>,
) -> Result<Sample> {
    let data = bench.work.join("senales");
    let engine = match point.who {
        Who::Postgres | Who::PostgresHung => {
            Engine::Postgres { url: bench.postgres.create_database("senales")? }
        }
        _ => Engine::Sqlite,
    };
    let url = format!("http://{}/", receiver.addr);
    let server = bench.starter.embudo_with(&engine, &data, &[("PERFIL_WEBHOOK_URL", &url)])?;
    let leads = create_leads(&server.target(), bench.leads.max(MIN_LEADS))?;
    let sample = job(&server, &leads);
    server.stop()?;
    fs::remove_dir_all(&data)?;
    bench.postgres.drop_database("senales")?;
    sample
}

/// Starts pg-boss on an empty database with the last signal of Embudo to post and ends it after `job`.
fn with_pg_boss(
    bench: &Bench,
    receiver: &Target,
    job: impl FnOnce(&Server, &Arc<Vec<LeadId>>) -> Result<Sample>,
) -> Result<Sample> {
    let payload = bench.work.join("signal.json");
    fs::write(&payload, last_body(receiver)?)?;
    let url = bench.postgres.create_database("senales")?;
    let server = bench.starter.pg_boss(&url, &format!("http://{}", receiver.addr), &payload)?;
    let leads = create_leads(&server.target(), bench.leads.max(MIN_LEADS))?;
    let sample = job(&server, &leads);
    server.stop()?;
    bench.postgres.drop_database("senales")?;
    sample
}

/// Gives every lead a profile and a note, so that the signals say as much as real ones.
fn tell_profiles(target: &Target, leads: &Arc<Vec<LeadId>>) -> Result<()> {
    let works = [Kind::Perfil, Kind::Ingesta].map(|kind| Work::new(kind, target, leads));
    on_one_thread(async {
        let mut connection = Connection::open(target.addr).await?;
        let (mut random, mut request) = (Random::new(fresh_seed()), Vec::new());
        for lead in leads.iter() {
            for work in &works {
                work.render_for(lead, &mut random, &mut request);
                let answer = connection.call(&request, b"").await?;
                if answer.status != 200 {
                    return Err(format!("a profile was answered with {}", answer.status).into());
                }
            }
        }
        Ok(())
    })
}

/// Measures while signals go to a receiver that hangs; begins when the receiver has the first signal of each lead.
fn while_firing(
    target: &Target,
    leads: &Arc<Vec<LeadId>>,
    receiver: &Target,
    measure: impl FnOnce() -> Result<Sample>,
) -> Result<Sample> {
    let stop = Arc::new(AtomicBool::new(false));
    thread::scope(|scope| {
        let firing = scope.spawn(|| fire(target, leads, &stop));
        let measured = wait_for(receiver, FIRING as u64).and_then(|()| measure());
        stop.store(true, Relaxed);
        let fired = firing.join().map_err(|_| "the firing thread panicked")??;
        let count = Count::of(receiver)?;
        // Where the server limits how many signals it sends to one receiver at a time, fewer signals hang than were
        // fired.
        println!("  {fired} signals fired, {} hang at the receiver", count.received);
        measured
    })
}

fn wait_for(receiver: &Target, signals: u64) -> Result<()> {
    let give_up = Instant::now() + Duration::from_secs(10);
    while Count::of(receiver)?.distinct < signals {
        if Instant::now() > give_up {
            return Err("the receiver that hangs was not called".into());
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Every lead fires a signal, waits a second, hangs up and fires again. Returns how many signals were fired. Hanging up
/// does not cancel a signal, so signals pile up as they would behind a dead receiver.
fn fire(target: &Target, leads: &Arc<Vec<LeadId>>, stop: &Arc<AtomicBool>) -> Result<u64> {
    let work = Work::new(Kind::PerfilComplete, target, leads);
    on_one_thread(async {
        let tasks: Vec<_> = leads[..FIRING]
            .iter()
            .map(|&lead| {
                let mut request = Vec::new();
                work.render_for(&lead, &mut Random::new(fresh_seed()), &mut request);
                spawn_local(fire_again(target.clone(), Bytes::from(request), Arc::clone(stop)))
            })
            .collect();
        let mut fired = 0;
        for task in tasks {
            fired += task.await??;
        }
        Ok(fired)
    })
}

async fn fire_again(target: Target, request: Bytes, stop: Arc<AtomicBool>) -> Result<u64> {
    let mut fired = 0;
    while !stop.load(Relaxed) {
        let mut connection = Connection::open(target.addr).await?;
        if let Ok(answer) = timeout(IMPATIENCE, connection.call(&request, b"")).await {
            let answer = answer?;
            let body = String::from_utf8_lossy(connection.body(&answer));
            return Err(format!("a signal that hangs was answered with {} {body}", answer.status).into());
        }
        fired += 1;
    }
    Ok(fired)
}

/// Runs a client on a thread of its own.
fn on_one_thread<T>(job: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, job)
}
