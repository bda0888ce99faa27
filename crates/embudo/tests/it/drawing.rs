//! Quotes are drawn by child processes: the server survives their loss, and they do not outlive the server.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use embudo_testkit::PATIENCE;
use serde_json::{Value, json};

use crate::client::call;
use crate::place::{Place, Server};

embudo_testkit::both_engines!(blocking: a_child_draws_and_may_be_lost);

/// The child processes that a server has started to draw.
fn children(server: u32) -> Vec<u32> {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // After the name, which may contain any characters, come state and parent.
        let mut rest = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        rest.next().is_some_and(|state| state != "Z") && rest.next() == Some(server.to_string().as_str())
    };
    pids.filter(is_child).collect()
}

fn memory_kb(pid: u32, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap();
    line.trim_matches([':', '\t', ' ']).trim_end_matches(" kB").trim().parse().unwrap()
}

fn finalizar(server: &Server<'_>, n: u32) -> Value {
    let lead =
        json!({ "nombre": "Ana", "telefono": format!("6{:08}", 20_000_000 + n), "email": "ana@ejemplo.es" });
    let lead =
        call(server, "POST", "/api/leads", &lead.to_string()).json()["id"].as_str().unwrap().to_owned();
    let nota = json!({ "tipo": "texto", "texto": "Una nota larga.\n".repeat(300) });
    let body = json!({ "items": [nota], "finalizar": true }).to_string();
    let answer = call(server, "POST", &format!("/api/leads/{lead}/ingesta"), &body);
    assert_eq!(answer.status, 200);
    let end = Instant::now() + PATIENCE;
    loop {
        let record = call(server, "GET", &format!("/api/leads/{lead}"), "").json();
        let quote = record["presupuestos"][0].clone();
        if quote["estado"] == "emitido" {
            return quote;
        }
        assert!(Instant::now() < end, "{record}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn a_child_draws_and_may_be_lost(place: &Place) {
    let server = place.serve();
    assert_eq!(children(server.pid()), Vec::<u32>::new(), "nothing is drawn yet");
    finalizar(&server, 1);
    let first = children(server.pid());
    assert_eq!(first.len(), 1);
    assert!(memory_kb(first[0], "VmPeak") <= 1 << 20, "it has no more addresses than it may");
    finalizar(&server, 2);
    assert_eq!(children(server.pid()), first, "the same draws the next");

    assert!(Command::new("kill").args(["-9", &first[0].to_string()]).status().unwrap().success());
    finalizar(&server, 3);
    let second = children(server.pid());
    assert!(second.len() == 1 && second != first, "another draws: {second:?}");

    assert!(server.stop().0.success());
    let end = Instant::now() + PATIENCE;
    while fs::exists(format!("/proc/{}", second[0])).unwrap() {
        assert!(Instant::now() < end, "it outlives the server");
        std::thread::sleep(Duration::from_millis(20));
    }
}
