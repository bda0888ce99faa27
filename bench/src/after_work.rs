//! S6: what much work leaves behind. Thousands of photos and hundreds of quotes through the API, then a minute in which
//! nobody calls.

use std::cell::Cell;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jpeg_encoder::{ColorType, Encoder};

use crate::bench::Bench;
use crate::client::{Connection, Target};
use crate::failure::Result;
use crate::load::create_leads;
use crate::point::Who;
use crate::process::memory;
use crate::results::AfterWork;
use crate::server::Engine;
use crate::workload::{LeadId, Random};

/// Calls under way at the same time.
const CONNS: usize = 8;
/// One photo in this number has the size of a photo from a telephone's camera; the others have the size that a
/// messenger sends.
const LARGE_EACH: usize = 20;
const SMALL: (u16, u16) = (1600, 1200);
const LARGE: (u16, u16) = (4000, 3000);
/// How long nobody calls before memory is measured.
const REST: Duration = Duration::from_secs(60);

pub fn a_minute_later(bench: &mut Bench) -> Result<()> {
    let data = bench.work.join("after-work");
    let pictures = [jpeg(SMALL)?, jpeg(LARGE)?];
    for who in [Who::Sqlite, Who::Postgres] {
        let engine = match who {
            Who::Postgres => Engine::Postgres { url: bench.postgres.create_database("after_work")? },
            _ => Engine::Sqlite,
        };
        let server = bench.starter.embudo(&engine, &data)?;
        let (photos, quotes) = (bench.photos, bench.quotes);
        let leads = create_leads(&server.target(), quotes.max(1))?;
        let begin = Instant::now();
        let photo = |n: usize| photo_body(&pictures[usize::from(n.is_multiple_of(LARGE_EACH))], n);
        call_each(&server.target(), &leads, photos, &photo)?;
        call_each(&server.target(), &leads, quotes, &|_| br#"{"finalizar":true}"#.to_vec())?;
        let took = begin.elapsed();
        let peak = memory(server.pid(), "VmHWM").ok_or("the server is gone")?;
        thread::sleep(REST);
        let rest = memory(server.pid(), "VmRSS").ok_or("the server is gone")?;
        println!(
            "S6: {:<20} {photos} photos and {quotes} quotes in {:.0} s: peak {} MB, a minute later {} MB",
            who.name(),
            took.as_secs_f64(),
            peak / 1_000_000,
            rest / 1_000_000
        );
        bench.results.after_work.push(AfterWork { who, photos, quotes, peak, rest });
        server.stop()?;
        std::fs::remove_dir_all(&data)?;
        bench.postgres.drop_database("after_work")?;
    }
    Ok(())
}

/// Calls `ingesta` `count` times, one lead after the other. Each call must be answered with 200.
fn call_each(
    target: &Target,
    leads: &Arc<Vec<LeadId>>,
    count: usize,
    body: &dyn Fn(usize) -> Vec<u8>,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let next = Cell::new(0);
    let caller = || async {
        let mut connection = Connection::open(target.addr).await?;
        while next.get() < count {
            let n = next.replace(next.get() + 1);
            let body = body(n);
            let path = format!("/api/leads/{}/ingesta", String::from_utf8_lossy(&leads[n % leads.len()]));
            let head = target.head("POST", &path, body.len());
            let answer = connection.call(head.as_bytes(), &body).await?;
            if answer.status != 200 {
                let text = String::from_utf8_lossy(connection.body(&answer)).into_owned();
                return Err(format!("POST {path} was answered with {} {text}", answer.status).into());
            }
        }
        Result::Ok(())
    };
    let all = futures_util::future::try_join_all((0..CONNS).map(|_| caller()));
    runtime.block_on(all).map(drop)
}

fn photo_body(jpeg: &[u8], n: usize) -> Vec<u8> {
    // The JPEG comment with the number makes every file different.
    let comment = format!("{n:016}");
    let unlike = [&jpeg[..2], &[0xff, 0xfe, 0, 18], comment.as_bytes(), &jpeg[2..]].concat();
    let image = STANDARD.encode(unlike);
    let item = format!(r#"{{"tipo":"foto","zona":"bano","imagen":"data:image/jpeg;base64,{image}"}}"#);
    format!(r#"{{"items":[{item}]}}"#).into_bytes()
}

/// A picture of soft shapes with some grain, whose file is about as large as a camera's photo.
fn jpeg((width, height): (u16, u16)) -> Result<Vec<u8>> {
    let mut random = Random::new(7);
    let (w, h) = (usize::from(width), usize::from(height));
    let pixels: Vec<u8> = (0..w * h)
        .flat_map(|at| {
            let (x, y) = (at % w, at / w);
            let grain = random.below(24);
            [x * 160 / w + 40 + grain, y * 160 / h + 40 + grain, (x + y) * 60 / (w + h) + 80 + grain]
        })
        .map(|value| value as u8)
        .collect();
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes, 80).encode(&pixels, width, height, ColorType::Rgb)?;
    Ok(bytes)
}
