//! A webhook receiver for synchronous tests, and a lead that causes signals to it.

use crate::client::call;
use crate::place::{Place, Server};
use embudo_testkit::receiver::{Manner, Received};
use embudo_testkit::{PATIENCE, Receiver};
use serde_json::Value;
use std::time::Instant;
use tokio::runtime::{Builder, Runtime};

const ANA: &str = r#"{"nombre":"Ana","telefono":"612345678","email":"ana@ejemplo.es"}"#;
pub const COMPLETE: &str = r#"{"items":[{"tipo":"texto","texto":"ducha"}],"perfilCompleto":true}"#;

pub struct Hook {
    runtime: Runtime,
    pub receiver: Receiver,
    /// The setting that sends profile signals to this receiver.
    pub perfil: String,
}

impl Hook {
    pub fn new(manner: Manner) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let receiver = runtime.block_on(Receiver::start());
        receiver.always(manner);
        let perfil = format!("PERFIL_WEBHOOK_URL={}", receiver.url());
        Self { runtime, receiver, perfil }
    }

    /// A server that sends its signals to this receiver.
    pub fn serve<'a>(&self, place: &'a Place) -> Server<'a> {
        place.serve_with(&["--set", &self.perfil])
    }

    /// Waits until this many requests came.
    pub fn requests(&self, n: usize) -> Vec<Received> {
        self.runtime.block_on(self.receiver.await_requests(n))
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        // The receiver's tasks end with the runtime; none of them is waited for.
        let _inside = self.runtime.enter();
    }
}

pub fn lead(server: &Server<'_>) -> String {
    call(server, "POST", "/api/leads", ANA).json()["id"].as_str().unwrap().to_owned()
}

/// Makes a lead whose profile signal was tried; returns the lead and the call's answer about the signal.
pub fn perfil_completo(server: &Server<'_>) -> (String, Value) {
    let lead = lead(server);
    let answer = call(server, "POST", &format!("/api/leads/{lead}/ingesta"), COMPLETE);
    assert_eq!(answer.status, 200, "{}", answer.body);
    (lead, answer.json()["perfilSenalado"].clone())
}

/// The jobs of a list, as JSON.
pub fn jobs(place: &Place, filter: &[&str]) -> Vec<Value> {
    let text = place.ok(&[&["jobs", "list", "--json"], filter].concat());
    serde_json::from_str(&text).unwrap()
}

/// Waits until a job is in a state; each check runs a command, which is enough of a pause.
pub fn await_state(place: &Place, id: &str, state: &str) -> Value {
    let start = Instant::now();
    loop {
        let job: Value = serde_json::from_str(&place.ok(&["jobs", "show", id, "--json"])).unwrap();
        if job["estado"] == state {
            return job;
        }
        assert!(start.elapsed() < PATIENCE, "not {state}: {job:#}");
    }
}
