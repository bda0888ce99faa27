//! Measures what a chat turn costs in a database with few turns and in one with many. Each round measures all databases
//! one after the other, because the time of a call varies with the load of the machine, but the ratio between
//! neighbouring windows varies much less.

use std::sync::Arc;
use std::time::{Duration, Instant};

use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::{LeadId, TurnoId};
use embudo_store::Store;
use embudo_store::lead_writes::AppendTurno;
use uuid::Uuid;

use crate::Failure;
use crate::data::{Draw, Size, lead_id};

/// Calls under way at any time.
const AT_ONCE: u64 = 64;
const ROUNDS: usize = 3;
const SAID: &str = "Queremos reformar la cocina entera: ahora mide unos doce metros, tiene la lavadora dentro y nos \
                    gustaría abrirla al salón con una isla central, encimera de cuarzo y muebles claros.";

/// Microseconds per call in each database, in each round.
pub(crate) async fn turns(
    stores: &[Arc<dyn Store>],
    sizes: &[Size],
    window: Duration,
) -> Result<Vec<Vec<f64>>, Failure> {
    let mut costs = vec![Vec::new(); stores.len()];
    for round in 0..=ROUNDS {
        for (i, (store, size)) in stores.iter().zip(sizes).enumerate() {
            let cost = one_window(store, *size, window, (round * stores.len() + i) as u64).await?;
            // The first round warms up.
            if round > 0 {
                costs[i].push(cost);
            }
        }
    }
    Ok(costs)
}

async fn one_window(store: &Arc<dyn Store>, size: Size, window: Duration, seed: u64) -> Result<f64, Failure> {
    let begun = Instant::now();
    let tasks: Vec<_> = (0..AT_ONCE)
        .map(|task| {
            let store = Arc::clone(store);
            tokio::spawn(async move {
                let mut draw = Draw::new(seed * AT_ONCE + task + 1_000);
                let mut done = 0_u64;
                while begun.elapsed() < window {
                    store.append_turno(turn(&mut draw, size)).await?;
                    done += 1;
                }
                Ok::<u64, Failure>(done)
            })
        })
        .collect();
    let mut done = 0;
    for task in tasks {
        done += task.await??;
    }
    Ok(begun.elapsed().as_secs_f64() * 1e6 / done.max(1) as f64)
}

fn turn(draw: &mut Draw, size: Size) -> AppendTurno {
    let turno = Turno {
        rol: Rol::User,
        mensaje: SAID.to_owned(),
        media_type: None,
        media_url: None,
        transcripcion_audio: None,
        estado_wa: None,
        bot_step: None,
    };
    let id = TurnoId(Uuid::from_u64_pair(draw.next(), draw.next()));
    let lead = LeadId(lead_id(draw.until(size.leads)));
    AppendTurno { id, lead, turno, at: jiff::Timestamp::now(), idempotency: None }
}
