//! Measures how many commands a second this store does, kind by kind: `cargo run --release --example commands -- URL
//! [seconds [writers]]`.
//!
//! 64 callers over 2,000 leads, each waiting for its answer. Use a database that may be filled with test data.

use std::sync::Arc;
use std::time::{Duration, Instant};

use embudo_domain::calificacion::Calificacion;
use embudo_domain::perfil::EstadoWa;
use embudo_domain::perfil::Perfil;
use embudo_domain::{LeadId, Timestamp, TurnoId};
use embudo_store::Store;
use embudo_store::lead_writes::AppendTurno;
use embudo_store::prelude::*;
use embudo_store_conformance::data;
use embudo_store_postgres::{Options, PgStore};

const CALLERS: usize = 64;
const LEADS: usize = 2_000;
const KINDS: [&str; 7] =
    ["turno", "turno con estado", "perfil", "perfil con estado", "calificacion", "intento", "nota"];

async fn one(store: &PgStore, kind: &str, lead: LeadId, n: usize, text: &str) {
    let at: Timestamp = data::t(0);
    let end = match kind {
        "turno" => {
            let id = TurnoId(uuid::Uuid::now_v7());
            store.append_turno(AppendTurno { id, ..data::turno(lead, text, at) }).await
        }
        "turno con estado" => {
            let mut turno = data::turno(lead, text, at);
            turno.id = TurnoId(uuid::Uuid::now_v7());
            turno.turno.estado_wa = Some(EstadoWa::Leido);
            turno.turno.bot_step = Some("pide_fotos".into());
            store.append_turno(turno).await
        }
        "perfil" => {
            let perfil = Perfil { m2_suelo: Some(n as f64 + 1.0), viable: Some(true), ..Perfil::default() };
            store.update_perfil(data::perfil(lead, perfil, at)).await
        }
        "perfil con estado" => {
            let perfil =
                Perfil { estado_wa: Some(EstadoWa::Enviado), viable: Some(true), ..Perfil::default() };
            store.update_perfil(data::perfil(lead, perfil, at)).await
        }
        "calificacion" => {
            let calificacion = Calificacion { score: Some(n as i64 % 100), ..Calificacion::default() };
            store.upsert_calificacion(data::calificacion(lead, calificacion, at)).await
        }
        "intento" => store.record_intento(data::intento(lead, 1, at)).await,
        _ => {
            let mut ingesta = data::ingesta(lead, Vec::new(), at);
            ingesta.notas = vec![data::nota(text, None)];
            store.ingest(ingesta).await
        }
    };
    end.expect("done");
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
#[allow(clippy::print_stdout, reason = "it is what this program is for")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().expect("the URL of a database that may be filled");
    let seconds = arguments.next().map_or(4.0, |s| s.parse().expect("seconds"));
    let writers = arguments.next().map_or(Options::default().writers, |s| s.parse().expect("a number"));
    let options = Options { writers, ..Options::default() };
    let store = Arc::new(PgStore::connect(&url, options).await.expect("a store"));
    let as_dyn: Arc<dyn Store> = store.clone();
    let mut leads = vec![data::a_lead(&as_dyn).await];
    while leads.len() < LEADS {
        leads.push(data::other_lead(&as_dyn).await);
    }
    let (leads, text) = (Arc::new(leads), Arc::new(data::long_text(280)));
    for kind in KINDS {
        let before = store.stats();
        let start = Instant::now();
        let end = start + Duration::from_secs_f64(seconds);
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let (store, leads, text) = (Arc::clone(&store), Arc::clone(&leads), Arc::clone(&text));
                tokio::spawn(async move {
                    let mut n = caller * 7919;
                    while Instant::now() < end {
                        one(&store, kind, leads[n % LEADS], n, &text).await;
                        n += 1;
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.await.expect("no panic");
        }
        let after = store.stats();
        let commands = after.commands - before.commands;
        let statements = after.statements - before.statements;
        let rate = commands as f64 / start.elapsed().as_secs_f64();
        println!("{kind:20} {rate:>9.0}/s   {:.1} a statement", commands as f64 / statements as f64);
    }
}
