//! A process that is killed keeps every write that it acknowledged (promise D1).
//!
//! The test starts its own binary again as the process to be killed: the ignored test below is not a test by itself.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use embudo_domain::LeadId;
use embudo_store::Store;
use embudo_store_conformance::data::{a_lead, t, turno};
use embudo_store_sqlite::{Options, SqliteStore};

const DATABASE: &str = "EMBUDO_TEST_DATABASE";
const LEAD: &str = "EMBUDO_TEST_LEAD";
const ROUNDS: usize = 5;
const ANSWERS_PER_ROUND: usize = 300;

fn open(path: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(path, &Options::default()).expect("opened"))
}

#[tokio::test]
async fn what_was_answered_survives_a_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("embudo.db");
    let lead = a_lead(&open(&path)).await;
    let mut answered = Vec::new();
    for _ in 0..ROUNDS {
        answered.extend(run_and_kill(&path, lead));
        let record = open(&path).record(lead).await.expect("the lead is there");
        let stored: Vec<String> = record.conversacion.iter().map(|t| t.id.to_string()).collect();
        assert!(answered.iter().all(|id| stored.contains(id)), "an answered turn is lost");
    }
}

/// Starts the writing process, reads some of its answers, kills it; returns every turn that it had acknowledged.
fn run_and_kill(path: &Path, lead: LeadId) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().expect("this binary"))
        .args(["--exact", "kill::writes_until_killed", "--ignored", "--nocapture"])
        .env(DATABASE, path)
        .env(LEAD, lead.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut answered = Vec::new();
    let keep = |line: String, answered: &mut Vec<String>| {
        // The last line may be cut short by the kill.
        if let Some(id) = line.strip_prefix("ok ").filter(|id| id.len() == 36) {
            answered.push(id.to_owned());
        }
    };
    while answered.len() < ANSWERS_PER_ROUND {
        let line = lines.next().expect("the child writes until it is killed").expect("text");
        keep(line, &mut answered);
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    for line in lines.map_while(Result::ok) {
        keep(line, &mut answered);
    }
    answered
}

#[test]
#[ignore = "the process that the test above kills"]
fn writes_until_killed() {
    let (Some(path), Ok(lead)) = (std::env::var_os(DATABASE), std::env::var(LEAD)) else {
        return;
    };
    let (path, lead) = (PathBuf::from(path), LeadId::parse(&lead).expect("an id"));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let store = open(&path);
        let tasks: Vec<_> = (0..16).map(|_| tokio::spawn(write(Arc::clone(&store), lead))).collect();
        for task in tasks {
            task.await.expect("runs until killed");
        }
    });
}

async fn write(store: Arc<dyn Store>, lead: LeadId) {
    loop {
        let command = turno(lead, "hola", t(1));
        let id = command.id;
        store.append_turno(command).await.expect("appended");
        // One write per line, so that lines of several tasks do not mix; a closed pipe ends the process.
        let line = format!("ok {id}\n");
        if std::io::stdout().lock().write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}
