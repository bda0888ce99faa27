//! Two servers on one PostgreSQL: if one of them dies while it sends a signal, the other one sends it.

use crate::client::{InFlight, call};
use crate::hook::{COMPLETE, Hook, await_state, jobs, lead};
use crate::place::Place;
use embudo_testkit::receiver::Manner;
use std::time::{Duration, Instant};

/// How soon contract §4 promises that another process sends the signal. The lease lasts 20 s, so this test takes a
/// little longer.
const PROMISED: Duration = Duration::from_secs(30);

#[test]
fn another_process_sends_what_a_killed_one_was_sending() {
    let one = Place::postgres();
    // The second server has a folder and a key of its own, and the same database.
    let other = one.sibling();
    let hook = Hook::new(Manner::Late);
    let dying = hook.serve(&one);
    let living = hook.serve(&other);
    let lead = lead(&dying);
    let _waiting = InFlight::send(&dying, &format!("/api/leads/{lead}/ingesta"), COMPLETE);
    hook.requests(1);
    hook.receiver.always(Manner::Ok);
    dying.signal("KILL");
    drop(dying.end());
    let killed = Instant::now();

    // Fails by itself after `PATIENCE`, which is longer than the promise.
    let requests = hook.requests(2);
    assert!(killed.elapsed() < PROMISED, "it took {:?}", killed.elapsed());
    let id = requests[0].header("webhook-id").unwrap();
    assert_eq!(requests[1].header("webhook-id"), Some(id));
    assert_eq!(requests[1].body, requests[0].body);
    await_state(&other, id, "hecho");
    assert_eq!(jobs(&other, &[]).len(), 1);
    let record = call(&living, "GET", &format!("/api/leads/{lead}"), "").json();
    assert_eq!(record["bucle"]["paso"], "esperando_renders", "{record:#}");
    assert_eq!(hook.receiver.received().len(), 2, "nobody sent it a third time");
}
