//! Two servers on one PostgreSQL: what one of them was sending when it died, the other one sends.

use crate::cliente::{InFlight, call};
use crate::gancho::{COMPLETO, Gancho, await_estado, jobs, lead};
use crate::lugar::Lugar;
use embudo_testkit::receiver::Manner;
use std::time::{Duration, Instant};

/// The promise of contract §4. The lease itself lasts 20 s, so this test takes a little longer than that.
const PROMISED: Duration = Duration::from_secs(30);

#[test]
fn another_process_sends_what_a_killed_one_was_sending() {
    let uno = Lugar::postgres();
    // Its own folder and key, the same database.
    let otro = uno.sibling();
    let gancho = Gancho::new(Manner::Tarde);
    let dying = gancho.serve(&uno);
    let living = gancho.serve(&otro);
    let lead = lead(&dying);
    let _waiting = InFlight::send(&dying, &format!("/api/leads/{lead}/ingesta"), COMPLETO);
    gancho.requests(1);
    gancho.receptor.siempre(Manner::Ok);
    dying.signal("KILL");
    drop(dying.end());
    let killed = Instant::now();

    // Fails after 30 s by itself.
    let requests = gancho.requests(2);
    assert!(killed.elapsed() < PROMISED, "it took {:?}", killed.elapsed());
    let id = requests[0].cabecera("webhook-id").unwrap();
    assert_eq!(requests[1].cabecera("webhook-id"), Some(id));
    assert_eq!(requests[1].cuerpo, requests[0].cuerpo);
    await_estado(&otro, id, "hecho");
    assert_eq!(jobs(&otro, &[]).len(), 1);
    let ficha = call(&living, "GET", &format!("/api/leads/{lead}"), "").json();
    assert_eq!(ficha["bucle"]["paso"], "esperando_renders", "{ficha:#}");
    assert_eq!(gancho.receptor.received().len(), 2, "nobody sent it a third time");
}
