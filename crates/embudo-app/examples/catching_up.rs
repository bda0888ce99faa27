//! Measures how much the rate of `conversacion` on SQLite falls while the projector reads every lead again, as it does
//! after a restore, a copy or an import. Prints both rates of one run, and their ratio.
//!
//! `cargo run --release -p embudo-app --example catching_up -- 20000`

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use embudo_app::App;
use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::{LeadId, TurnoId};
use embudo_store::lead_writes::AppendTurno;
use embudo_testkit::{Engine, Setup};
use serde_json::json;
use tokio::task::JoinSet;

/// The number of clients that write at the same time.
const CLIENTS: usize = 64;
const BASELINE: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() {
    let many: usize = std::env::args().nth(1).map_or(5_000, |text| text.parse().unwrap());
    let test_app = Setup::at(Engine::Sqlite).app().await;
    let mut leads = Vec::new();
    for first in (0..many).step_by(CLIENTS) {
        let body = |n: usize| json!({ "telefono": format!("6{n:08}"), "email": format!("{n}@ejemplo.es") });
        let new = (first..first + CLIENTS).map(|n| test_app.new_lead_with(body(n)));
        leads.extend(futures_util::future::join_all(new).await);
    }
    drop(test_app.app.store.touches().take());
    let (app, leads) = (test_app.app.clone(), Arc::new(leads));

    let alone = rate(&app, &leads, tokio::time::sleep(BASELINE)).await;
    let begun = Instant::now();
    let beside = rate(&app, &leads, async {
        app.housekeeping().rebuild_inbox().await.unwrap();
    })
    .await;
    println!("{} leads, {CLIENTS} clients", leads.len());
    println!("alone                 {alone:.0} turns/s");
    println!("while it catches up   {beside:.0} turns/s for {:.1} s", begun.elapsed().as_secs_f64());
    println!("kept                  {:.2}", beside / alone);
    let begun = Instant::now();
    app.housekeeping().rebuild_inbox().await.unwrap();
    println!("with nobody beside it {:.1} s", begun.elapsed().as_secs_f64());
}

/// The number of turns per second while a future runs.
async fn rate(app: &App, leads: &Arc<Vec<LeadId>>, during: impl Future<Output = ()>) -> f64 {
    let (said, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let mut clients = JoinSet::new();
    for n in 0..CLIENTS {
        let (app, leads, said, is_over) =
            (app.clone(), Arc::clone(leads), Arc::clone(&said), Arc::clone(&is_over));
        clients.spawn(async move {
            for lead in leads.iter().cycle().skip(n * 97) {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                app.store.append_turno(turno(&app, *lead)).await.unwrap();
                said.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    let begun = Instant::now();
    during.await;
    let rate = said.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64();
    is_over.store(true, Ordering::Relaxed);
    while clients.join_next().await.is_some() {}
    rate
}

fn turno(app: &App, lead: LeadId) -> AppendTurno {
    let turno = Turno {
        rol: Rol::User,
        mensaje: "¿Cuándo pueden venir a ver la cocina?".to_owned(),
        media_type: None,
        media_url: None,
        transcripcion_audio: None,
        estado_wa: None,
        bot_step: None,
    };
    AppendTurno { id: TurnoId(app.id()), lead, turno, at: app.now(), idempotency: None }
}
