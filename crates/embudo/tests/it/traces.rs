//! Traces as a collector and the receiver of a webhook see them.

use crate::client::{Answer, call, call_at};
use crate::hook::{COMPLETE, Hook, await_state, jobs, lead};
use crate::place::{Place, Server};
use embudo_testkit::receiver::{Manner, Received};
use serde_json::{Value, json};
use std::collections::BTreeSet;

embudo_testkit::both_engines!(blocking: a_call_its_deliveries_and_their_receiver_are_one_trace);

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

fn traced(collector: &Hook, place: &Place) -> Place {
    place.sibling().env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.receiver.url())
}

fn call_with(server: &Server<'_>, traceparent: &str, method: &str, path: &str, body: &str) -> Answer {
    let head = format!(
        "authorization: Bearer {}\r\nconnection: close\r\ntraceparent: {traceparent}\r\n",
        server.key
    );
    call_at(server.address(), method, path, &head, body)
}

fn spans_in(received: &[Received]) -> Vec<Value> {
    let spans = |message: &Received| {
        assert_eq!((message.path.as_str(), message.method.as_str()), ("/gancho/v1/traces", "POST"));
        assert_eq!(message.header("content-type"), Some("application/json"));
        let body = message.json();
        let name = json!({ "key": "service.name", "value": { "stringValue": "embudo" } });
        assert_eq!(body["resourceSpans"][0]["resource"]["attributes"][0], name);
        body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
    };
    received.iter().flat_map(spans).collect()
}

/// Waits until enough spans have arrived.
fn await_spans(collector: &Hook, is_enough: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let mut messages = 1;
    loop {
        let spans = spans_in(&collector.requests(messages));
        if is_enough(&spans) {
            return spans;
        }
        messages += 1;
    }
}

fn named<'a>(spans: &'a [Value], name: &str) -> &'a Value {
    spans.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("no {name} in {spans:#?}"))
}

fn attribute<'a>(span: &'a Value, key: &str) -> &'a str {
    let list = span["attributes"].as_array().unwrap();
    let found = list.iter().find(|attribute| attribute["key"] == key);
    let value = &found.unwrap_or_else(|| panic!("no {key} in {span:#}"))["value"];
    value["stringValue"].as_str().or(value["intValue"].as_str()).unwrap()
}

/// Checks the protocol's rules for every span, and that it contains only allowed data.
fn assert_sound(span: &Value) {
    let is_id = |id: &Value, digits| {
        id.as_str().is_some_and(|id| {
            id.len() == digits && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        })
    };
    assert!(is_id(&span["traceId"], 32) && is_id(&span["spanId"], 16), "{span:#}");
    assert!(span.get("parentSpanId").is_none_or(|parent| is_id(parent, 16)), "{span:#}");
    assert!((1..=3).contains(&span["kind"].as_i64().unwrap()), "{span:#}");
    let nanos = |key: &str| -> u64 { span[key].as_str().unwrap().parse().unwrap() };
    assert!(nanos("startTimeUnixNano") <= nanos("endTimeUnixNano"), "{span:#}");
    let may_be_told = [
        "http.request.method",
        "http.route",
        "http.response.status_code",
        "embudo.request.id",
        "embudo.job.kind",
        "embudo.job.destination",
        "embudo.job.outcome",
        "embudo.job.status",
        "embudo.pdf.outcome",
        "db.system.name",
    ];
    for attribute in span["attributes"].as_array().unwrap() {
        let key = attribute["key"].as_str().unwrap();
        assert!(may_be_told.contains(&key), "{span:#}");
        assert_eq!(attribute["value"].as_object().unwrap().len(), 1, "{span:#}");
    }
}

fn a_call_its_deliveries_and_their_receiver_are_one_trace(place: &Place) {
    let (collector, hook) = (Hook::new(Manner::Ok), Hook::new(Manner::Ok));
    let place = traced(&collector, place);
    let server = hook.serve(&place);
    let person =
        json!({ "nombre": "Zenobia Quijano", "telefono": "612987345", "email": "zenobia@quijano.example" });
    let lead = call_with(&server, "nonsense", "POST", "/api/leads", &person.to_string());
    let lead = lead.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/leads/{lead}/ingesta");
    let completed = json!({
        "items": [{ "tipo": "texto", "texto": "azulejos de Talavera" }],
        "perfilCompleto": true,
        "finalizar": true,
    });
    let header = format!("00-{TRACE}-{CALLER}-01");
    let answer = call_with(&server, &header, "POST", &path, &completed.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(call(&server, "GET", "/api/leads?q=zenobia", "").status, 200);
    assert_eq!(call(&server, "GET", "/zenobia/quijano", "").status, 404);

    let wanted = [
        "POST /api/leads",
        "POST /api/leads/{id}/ingesta",
        "job perfil",
        "job presupuesto",
        "draw PDF",
        "GET /api/leads",
        "GET",
    ];
    let spans = await_spans(&collector, |spans| {
        wanted.iter().all(|name| spans.iter().any(|span| span["name"] == *name))
    });
    spans.iter().for_each(assert_sound);

    let request = named(&spans, "POST /api/leads/{id}/ingesta");
    assert_eq!((&request["traceId"], &request["parentSpanId"]), (&TRACE.into(), &CALLER.into()));
    assert_eq!((request["kind"].as_i64(), attribute(request, "http.response.status_code")), (Some(2), "200"));
    let perfil = named(&spans, "job perfil");
    assert_eq!((&perfil["traceId"], &perfil["parentSpanId"]), (&TRACE.into(), &request["spanId"]));
    assert_eq!(
        (attribute(perfil, "embudo.job.outcome"), attribute(perfil, "embudo.job.status")),
        ("delivered", "200")
    );
    assert_eq!(attribute(perfil, "embudo.job.destination"), "perfil");
    let quote = named(&spans, "job presupuesto");
    let pdf = named(&spans, "draw PDF");
    assert_eq!((&pdf["traceId"], &pdf["parentSpanId"]), (&TRACE.into(), &quote["spanId"]));
    assert_eq!(attribute(pdf, "embudo.pdf.outcome"), "drawn");
    let is_write = |span: &&Value| span["name"] == "store write" && span["parentSpanId"] == request["spanId"];
    assert!(spans.iter().any(|span| is_write(&span)), "{spans:#?}");
    let unknown = named(&spans, "GET");
    assert!(unknown.get("parentSpanId").is_none() && unknown["traceId"] != TRACE, "{unknown:#}");
    assert!(
        named(&spans, "POST /api/leads").get("parentSpanId").is_none(),
        "a malformed header names nobody"
    );

    let signal = hook.requests(1).remove(0);
    let carried = format!("00-{TRACE}-{}-01", perfil["spanId"].as_str().unwrap());
    assert_eq!(signal.header("traceparent"), Some(carried.as_str()));

    let key = server.key.clone();
    assert!(server.stop().0.success());
    for message in collector.receiver.received() {
        let text = String::from_utf8(message.body).unwrap().to_lowercase();
        for secret in ["zenobia", "quijano", "612987345", "talavera", &lead, &key.to_lowercase()] {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
    }
}

#[test]
fn a_job_that_the_worker_tries_begins_a_trace_and_a_stop_sends_what_waits() {
    let (collector, hook) = (Hook::new(Manner::Ok), Hook::new(Manner::state(410)));
    let place = traced(&collector, &Place::sqlite());
    let server = hook.serve(&place);
    let path = format!("/api/leads/{}/ingesta", lead(&server));
    assert_eq!(call_with(&server, &format!("00-{TRACE}-{CALLER}-01"), "POST", &path, COMPLETE).status, 200);
    let id = jobs(&place, &[])[0]["id"].as_str().unwrap().to_owned();
    hook.receiver.always(Manner::Ok);
    place.ok(&["jobs", "retry", &id]);
    await_state(&place, &id, "hecho");
    assert!(server.stop().0.success());

    let spans = spans_in(&collector.receiver.received());
    let tried: Vec<_> = spans.iter().filter(|span| span["name"] == "job perfil").collect();
    let [refused, taken] = tried[..] else { panic!("{tried:#?}") };
    assert_eq!((&refused["traceId"], &refused["status"]), (&TRACE.into(), &json!({ "code": 2 })));
    assert_eq!(attribute(refused, "embudo.job.outcome"), "dead");
    assert!(taken.get("parentSpanId").is_none() && taken["traceId"] != TRACE, "{taken:#}");
    let carried = hook.requests(2).remove(1).header("traceparent").unwrap().to_owned();
    assert_eq!(carried.split('-').nth(1), taken["traceId"].as_str());
}

#[test]
fn a_caller_decides_whether_its_trace_is_recorded() {
    let (collector, hook) = (Hook::new(Manner::Ok), Hook::new(Manner::Ok));
    let place = traced(&collector, &Place::sqlite()).env("OTEL_TRACES_SAMPLER_ARG", "0");
    let server = hook.serve(&place);
    let path = format!("/api/leads/{}/ingesta", lead(&server));
    let unrecorded = TRACE.replace('4', "5");
    let header = format!("00-{unrecorded}-{CALLER}-00");
    assert_eq!(call_with(&server, &header, "POST", &path, COMPLETE).status, 200);
    let carried = hook.requests(1).remove(0).header("traceparent").unwrap().to_owned();
    assert!(carried.starts_with(&format!("00-{unrecorded}-")) && carried.ends_with("-00"), "{carried}");
    assert_eq!(call_with(&server, &format!("00-{TRACE}-{CALLER}-01"), "GET", "/api/leads", "").status, 200);
    assert!(server.stop().0.success());
    let spans = spans_in(&collector.receiver.received());
    let traces: BTreeSet<&str> = spans.iter().map(|span| span["traceId"].as_str().unwrap()).collect();
    assert_eq!(traces, BTreeSet::from([TRACE]), "{spans:#?}");
}

#[test]
fn nobody_waits_for_a_collector_that_does_not_answer() {
    let collector = Hook::new(Manner::Late);
    let place = traced(&collector, &Place::sqlite());
    let server = place.serve();
    lead(&server);
    // The first message was sent and is never answered.
    collector.requests(1);
    for _ in 0..20 {
        lead(&server);
    }
    assert_eq!(call(&server, "GET", "/readyz", "").status, 200);
    let log = server.log.clone();
    assert!(server.stop().0.success());
    log.wait_for("did not take the last spans in time");
}

#[test]
fn spans_that_a_collector_refuses_are_counted_and_told_once() {
    let collector = Hook::new(Manner::state(503));
    let place = traced(&collector, &Place::sqlite());
    let server = place.serve();
    for message in 1..=2 {
        lead(&server);
        collector.requests(message);
    }
    // The second message was sent, so the first one has been counted.
    let page = call(&server, "GET", "/metrics", "").body;
    let count = |outcome: &str| -> u64 {
        let name = format!("embudo_trace_spans_total{{outcome=\"{outcome}\"}} ");
        page.lines().find_map(|line| line.strip_prefix(&name)).unwrap().parse().unwrap()
    };
    assert!(count("failed") > 0, "{page}");
    assert_eq!((count("exported"), count("dropped")), (0, 0));
    let log = server.log.clone();
    assert!(server.stop().0.success());
    let told = log.text().matches("the collector does not take spans").count();
    assert_eq!(told, 1, "{}", log.text());
}

#[test]
fn without_the_setting_nothing_is_passed_on() {
    let hook = Hook::new(Manner::Ok);
    let place = Place::sqlite();
    let server = hook.serve(&place);
    let path = format!("/api/leads/{}/ingesta", lead(&server));
    assert_eq!(call_with(&server, &format!("00-{TRACE}-{CALLER}-01"), "POST", &path, COMPLETE).status, 200);
    assert_eq!(hook.requests(1).remove(0).header("traceparent"), None);
}
