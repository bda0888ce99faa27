//! Invalid passes count as wrong keys, at every address that takes a pass. Passes that were valid once do not count.

use embudo_app::{Pass, WithLinks};
use embudo_delivery::Links;
use embudo_domain::{FotoId, LeadId, PresupuestoId, VisitaId};
use embudo_testkit::{Engine, Scene, both_engines};
use jiff::SignedDuration;
use uuid::Uuid;

use crate::visitor::Visitor;

both_engines!(every_address_that_takes_a_pass_counts_forged_ones, those_that_were_good_once_are_not_counted);

/// The number of wrong keys that an address may send in a minute here: few, so that a slow machine sends them in time.
const MOST: u32 = 24;

async fn visitor(engine: Engine) -> Visitor {
    let scene = Scene::with(engine, |setup| {
        let links = Links::new(b"un secreto");
        setup.wrong_keys = Some(MOST);
        setup.outbound.links = Some(WithLinks { links, public_url: "https://obras.es".into() });
    });
    Visitor::with(scene.await)
}

fn path(place: &str, pass: &str) -> String {
    match place {
        "/fotos" => format!("/fotos/{0}/{0}?caduca=9999999999&firma={pass}", Uuid::nil()),
        "/calendario" => format!("/calendario/{pass}.ics"),
        "/panel/recuperar" => format!("/panel/recuperar?pase={pass}"),
        place => format!("{place}/{pass}"),
    }
}

async fn every_address_that_takes_a_pass_counts_forged_ones(engine: Engine) {
    let n = visitor(engine).await;
    let base = n.signup().await;
    let places = ["/c", "/r", "/f/reformas-pena", "/fotos", "/p", "/v", "/calendario", "/panel/recuperar"];
    for (k, place) in places.into_iter().cycle().take(MOST as usize).enumerate() {
        let status = n.get(&path(place, "x")).await.status.as_u16();
        assert_eq!(status, if place == "/panel/recuperar" { 410 } else { 404 }, "{place} {k}");
    }
    for place in places {
        let refused = n.get(&path(place, "x")).await;
        assert_eq!(refused.status.as_u16(), 429, "{place}");
        assert!(refused.header("retry-after").is_some(), "{place}");
    }
    for (place, action) in [("/c", ""), ("/r", ""), ("/f/reformas-pena", "/mensajeria"), ("/p", "/aceptar")] {
        let refused = n.post(&format!("{}{action}", path(place, "x")), &[]).await;
        assert_eq!(refused.status.as_u16(), 429, "{place}");
    }
    assert_eq!(n.get(&format!("{base}/resumen")).await.status.as_u16(), 200, "a good one still opens");
    let key = n.server().cliente.get(n.server().url("/api/leads")).bearer_auth("no es");
    assert_eq!(n.server().send(key).await.status.as_u16(), 429, "one count for all that is guessed");
}

async fn those_that_were_good_once_are_not_counted(engine: Engine) {
    let n = visitor(engine).await;
    let base = n.signup().await;
    let (passes, now, id) = (&n.server().app.outbound.passes, n.server().app.now(), Uuid::nil());
    let over = Some(now - SignedDuration::from_secs(60));
    let links = &n.server().app.outbound.links.as_ref().unwrap().links;
    let expired = [
        (410, format!("/f/reformas-pena/{}", passes.write(Pass::Form(LeadId(id)), over))),
        (410, format!("/p/{}", passes.write(Pass::Presupuesto(PresupuestoId(id)), over))),
        (410, format!("/v/{}", passes.write(Pass::Visita(VisitaId(id)), over))),
        (404, links.path(LeadId(id), FotoId(id), now - SignedDuration::from_secs(60))),
        (404, base.replace("reformas-pena", "otra")),
    ];
    // One more forged pass is allowed.
    for _ in 1..MOST {
        assert_eq!(n.get("/c/x").await.status.as_u16(), 404);
    }
    for k in 0..50 {
        let (status, path) = &expired[k % expired.len()];
        assert_eq!(n.get(path).await.status.as_u16(), *status, "{path} {k}");
    }
    assert_eq!(n.get("/c/x").await.status.as_u16(), 404);
}
