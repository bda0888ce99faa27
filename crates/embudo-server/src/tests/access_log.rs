//! Request ids, the access log, metrics and panics.

use std::io;
use std::sync::Mutex;

use metrics_exporter_prometheus::PrometheusBuilder;
use tracing_subscriber::fmt::MakeWriter;

use super::*;

/// A log kept in memory.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Paper {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Paper {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

fn header(answer: &RawAnswer, name: &str) -> Option<String> {
    answer.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")).map(str::to_owned))
}

#[tokio::test]
async fn each_request_has_an_id_a_line_and_a_count_without_personal_data() {
    let paper = Paper::default();
    let subscriber = tracing_subscriber::fmt().json().with_writer(paper.clone()).finish();
    let _log = tracing::subscriber::set_default(subscriber);
    let recorder = PrometheusBuilder::new().build_recorder();
    let _metrics = metrics::set_default_local_recorder(&recorder);

    let server = TestServer::open(Limits::default()).await;
    let mut client = server.client().await;
    let first = client.get("/hola?telefono=600111222").await;
    let second = client.get("/hola").await;
    let unknown = client.get("/600111222").await;
    let wrong = client.get("/cuerpo").await;
    assert_eq!((first.status, second.status, unknown.status, wrong.status), (200, 200, 404, 405));
    client.send("BREW /hola HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert_eq!(client.answer().await.status, 405);

    let id = header(&first, "x-request-id").unwrap();
    assert_eq!(uuid::Uuid::parse_str(&id).unwrap().get_version_num(), 7);
    assert_ne!(Some(id.clone()), header(&second, "x-request-id"));

    let log = paper.text();
    let line = log.lines().find(|line| line.contains(&id)).expect("a line for the request");
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["target"], "access");
    assert_eq!((&line["fields"]["method"], &line["fields"]["route"]), (&"GET".into(), &"/hola".into()));
    assert_eq!(line["fields"]["status"], 200);
    assert!(line["fields"]["ms"].is_number());
    let counts = recorder.handle().render();
    for text in [&log, &counts] {
        assert!(
            !text.contains("600111222") && !text.contains("127.0.0.1") && !text.contains("BREW"),
            "{text}"
        );
    }
    for expected in [
        r#"embudo_http_requests_total{method="GET",route="/hola",status="200"} 2"#,
        r#"embudo_http_requests_total{method="GET",route="-",status="404"} 1"#,
        r#"embudo_http_requests_total{method="GET",route="/cuerpo",status="405"} 1"#,
        r#"embudo_http_requests_total{method="OTHER",route="/hola",status="405"} 1"#,
        r#"embudo_http_request_seconds_count{method="GET",route="/hola",class="2xx"} 2"#,
        "embudo_http_in_flight 0",
    ] {
        assert!(counts.contains(expected), "{expected}\n{counts}");
    }
}

#[tokio::test]
async fn a_panic_is_a_500_and_the_connection_goes_on() {
    let paper = Paper::default();
    let subscriber = tracing_subscriber::fmt().json().with_writer(paper.clone()).finish();
    let _log = tracing::subscriber::set_default(subscriber);
    let server = TestServer::open(Limits::default()).await;
    let mut client = server.client().await;
    let answer = client.get("/panico/600111222").await;
    assert_eq!(answer.status, 500);
    assert!(answer.head.contains("content-type: application/problem+json"));
    let problem: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(problem["status"], 500);
    assert_eq!(problem["instance"].as_str(), header(&answer, "x-request-id").as_deref());
    assert_eq!(client.get("/hola").await.status, 200);
    let log = paper.text();
    assert!(log.contains("a handler panicked") && log.contains("/panico/{id}"));
    assert!(!log.contains("600111222") && !log.contains("boom"));
}

#[tokio::test]
async fn a_client_that_goes_away_is_logged_as_499() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _metrics = metrics::set_default_local_recorder(&recorder);
    let mut server = TestServer::open(Limits::default()).await;
    let mut client = server.client().await;
    client.send("GET /wait HTTP/1.1\r\nhost: x\r\n\r\n").await;
    server.fixture.one_entered().await;
    drop(client);
    server.stop();
    server.ended().await.unwrap();
    let counts = recorder.handle().render();
    let expected = r#"embudo_http_requests_total{method="GET",route="/wait",status="499"} 1"#;
    assert!(counts.contains(expected), "{counts}");
    assert!(counts.contains("embudo_http_in_flight 0"), "{counts}");
}
