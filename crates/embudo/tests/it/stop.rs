//! How a server ends.

use crate::client::{InFlight, call};
use crate::place::Place;
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;

embudo_testkit::both_engines!(blocking: sigterm_lets_the_request_in_hand_finish);

fn sigterm_lets_the_request_in_hand_finish(place: &Place) {
    let server = place.serve();
    let request = InFlight::start(&server);
    server.signal("TERM");
    server.log.wait_for("stopping");
    let answer = request.finish();
    assert_eq!(answer.status, 201, "{}", answer.body);
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    let address = server.address().to_owned();
    let (status, _) = server.end();
    assert_eq!(status.code(), Some(0));
    assert!(TcpStream::connect(address).is_err());
    assert!(place.ok(&["lead", "show", &id]).contains("Ana"));
}

#[test]
fn sigint_drains_too() {
    let place = Place::sqlite();
    let server = place.serve();
    assert_eq!(call(&server, "GET", "/api/leads", "").status, 200);
    server.signal("INT");
    let (status, _) = server.end();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_second_signal_ends_at_once() {
    let place = Place::sqlite();
    let server = place.serve();
    let _request = InFlight::start(&server);
    server.signal("TERM");
    server.log.wait_for("stopping");
    server.signal("TERM");
    let (status, _) = server.end();
    assert_eq!((status.code(), status.signal()), (Some(143), None));
}

#[test]
fn requests_that_outlast_the_drain_are_cut_and_the_exit_code_says_so() {
    let place = Place::sqlite().env("DRAIN_S", "1");
    let server = place.serve();
    let _request = InFlight::start(&server);
    server.signal("TERM");
    let (status, _) = server.end();
    assert_eq!(status.code(), Some(1));
}
