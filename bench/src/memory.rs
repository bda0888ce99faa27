//! S6: memory at rest and at the peak of 200 uploads of 5 MB at once, and whether every one of them is there
//! afterwards.

use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::Value;

use crate::bench::Bench;
use crate::client::{Connection, Target, call_once};
use crate::failure::Result;
use crate::load::{create_leads, fresh_seed};
use crate::point::Who;
use crate::process::memory;
use crate::results::Memory;
use crate::server::Engine;
use crate::workload::{Kind, LeadId, Random, Work};

/// Uploads at the same time.
pub const UPLOADS: usize = 200;
/// How long after its start a server is at rest.
const REST: Duration = Duration::from_secs(30);
/// Photos that are read back and compared byte for byte.
const COMPARED: usize = 10;

pub fn under_uploads(bench: &mut Bench) -> Result<()> {
    let data = bench.work.join("memory");
    for who in [Who::Sqlite, Who::Postgres] {
        let engine = match who {
            Who::Postgres => Engine::Postgres { url: bench.postgres.create_database("memory")? },
            _ => Engine::Sqlite,
        };
        let server = bench.starter.embudo(&engine, &data)?;
        let leads = create_leads(&server.target(), bench.leads.max(UPLOADS))?;
        server.stop()?;
        // The server is started again, so that the figure is that of a server at rest on existing data.
        let server = bench.starter.embudo(&engine, &data)?;
        thread::sleep(REST);
        let idle = memory(server.pid(), "VmRSS").ok_or("the server is gone")?;
        let begin = Instant::now();
        let sent = upload(&server.target(), &leads)?;
        let took = begin.elapsed();
        let peak = memory(server.pid(), "VmHWM").ok_or("the server is gone")?;
        let mut failed: Vec<String> = Vec::new();
        for (i, (lead, outcome)) in leads.iter().zip(sent).enumerate() {
            let found = outcome.and_then(|picture| read_back(&server.target(), lead, &picture, i < COMPARED));
            failed.extend(found.err().map(|error| error.to_string()));
        }
        let result =
            Memory { who, idle, peak, lost: failed.len(), first_error: failed.into_iter().next(), took };
        println!(
            "S6: {:<20} idle {} MB, peak {} MB, {} of {UPLOADS} lost, {:.1} s {}",
            who.name(),
            idle / 1_000_000,
            peak / 1_000_000,
            result.lost,
            took.as_secs_f64(),
            result.first_error.as_deref().unwrap_or("")
        );
        bench.results.memory.push(result);
        server.stop()?;
        fs::remove_dir_all(&data)?;
        bench.postgres.drop_database("memory")?;
    }
    Ok(())
}

/// One upload per lead, all at once; each yields the picture it sent.
fn upload(target: &Target, leads: &Arc<Vec<LeadId>>) -> Result<Vec<Result<String>>> {
    let work = Work::new(Kind::Foto5Mb, target, leads);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let mut tasks = Vec::new();
        for lead in &leads[..UPLOADS] {
            let mut request = Vec::new();
            work.render_for(lead, &mut Random::new(fresh_seed()), &mut request);
            let (mut connection, tail) = (Connection::open(target.addr).await?, Arc::clone(&work.tail));
            tasks.push(tokio::task::spawn_local(async move {
                let answer = connection.call(&request, &tail).await?;
                if answer.status != 200 {
                    let body = String::from_utf8_lossy(connection.body(&answer)).into_owned();
                    return Err(format!("an upload was answered with {} {body}", answer.status).into());
                }
                Ok(picture(&request, &tail))
            }));
        }
        let mut sent = Vec::new();
        for task in tasks {
            // The server may let a call wait for its share of the memory for bodies, but never as long as two minutes.
            let outcome = tokio::time::timeout(Duration::from_secs(120), task).await;
            sent.push(outcome.map_err(|_| "an upload was not answered for two minutes")??);
        }
        Ok(sent)
    })
}

/// The picture in the body: from the data URI to the quote that ends it.
fn picture(request: &[u8], tail: &[u8]) -> String {
    let text = String::from_utf8_lossy(request).into_owned() + &String::from_utf8_lossy(tail);
    let from = text.find("data:image").unwrap_or(0);
    let to = text[from..].find('"').map_or(text.len(), |n| from + n);
    text[from..to].to_owned()
}

fn read_back(target: &Target, lead: &LeadId, picture: &str, compare: bool) -> Result<()> {
    let path = format!("/api/leads/{}", String::from_utf8_lossy(lead));
    let (status, body) = call_once(target, "GET", &path, b"")?;
    let record: Value = serde_json::from_slice(&body).map_err(|e| format!("GET {path}: {status}, {e}"))?;
    let fotos = record["fotos"].as_array().map_or(&[][..], Vec::as_slice);
    let [foto] = fotos else {
        return Err(format!("an accepted upload is not there: {} photos in the record", fotos.len()).into());
    };
    if compare {
        let path = format!("{path}/fotos/{}", foto["id"].as_str().unwrap_or_default());
        let (status, body) = call_once(target, "GET", &path, b"")?;
        let foto: Value = serde_json::from_slice(&body).map_err(|e| format!("GET {path}: {status}, {e}"))?;
        if foto["imagen"].as_str() != Some(picture) {
            return Err("a photo does not come back as it was sent".into());
        }
    }
    Ok(())
}
