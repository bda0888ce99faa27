//! `/metrics` of a running server, compared with the table of all metrics, the guide and the files for Prometheus and
//! Grafana.

use crate::client::call;
use crate::place::{Place, Server};
use embudo_backup::Database;
use embudo_metrics::{ALL, Metric};
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

embudo_testkit::both_engines!(blocking: a_running_server_shows_every_metric);

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operating.md");
const DEPLOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy");

/// The names with their types, in the form of Prometheus' text.
fn shown(page: &str) -> BTreeSet<String> {
    page.lines().filter_map(|line| line.strip_prefix("# TYPE ")).map(str::to_owned).collect()
}

/// Requests the page until a condition holds, for at most a minute: some values appear only after the first run of a
/// background task.
fn page(server: &Server<'_>, holds: impl Fn(&str) -> bool) -> String {
    let begun = Instant::now();
    loop {
        let page = call(server, "GET", "/metrics", "").body;
        if holds(&page) || begun.elapsed() > Duration::from_secs(60) {
            return page;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn a_running_server_shows_every_metric(place: &Place) {
    // No program listens on port 9: the signal fails at once, and is tried again later.
    let backups = format!("file://{}", place.path("backups").display());
    let place = place.sibling().env("PERFIL_WEBHOOK_URL", "http://127.0.0.1:9/").env("BACKUP_DEST", &backups);
    let server = place.serve();
    let body = r#"{"nombre":"Ana","telefono":"612345678","email":"ana@ejemplo.es"}"#;
    let lead = call(&server, "POST", "/api/leads", body).json()["id"].as_str().unwrap().to_owned();
    let complete = format!("/api/leads/{lead}/ingesta");
    assert_eq!(call(&server, "POST", &complete, r#"{"perfilCompleto":true}"#).status, 200);

    let is_postgres = matches!(place.database(), Database::Postgres(_));
    let is_here = |metric: &&Metric| is_postgres || !metric.help.contains("only on PostgreSQL");
    let told = |metric: &Metric| format!("{} {}", metric.name, metric.kind.as_str());
    let expected: BTreeSet<String> = ALL.iter().filter(is_here).map(told).collect();
    let page = page(&server, |page| {
        shown(page) == expected && page.contains("embudo_jobs{kind=\"perfil\",state=\"pending\"} 1")
    });
    assert_eq!(shown(&page), expected);
    for metric in ALL.iter().filter(is_here) {
        let help = format!("# HELP {} {}\n", metric.name, metric.help);
        assert!(page.contains(&help), "{help} is missing in\n{page}");
    }
    for line in [
        "embudo_http_requests_total{method=\"POST\",route=\"/api/leads\",status=\"201\"} 1",
        "embudo_http_request_seconds_count{method=\"POST\",route=\"/api/leads\",class=\"2xx\"} 1",
        "embudo_jobs{kind=\"perfil\",state=\"pending\"} 1",
        "embudo_sign_ins_total{outcome=\"opened\"} 0",
    ] {
        assert!(page.contains(&format!("{line}\n")), "{line} is missing in\n{page}");
    }
    let value = |name: &str| -> f64 {
        let line = page.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}"));
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    for name in [
        "embudo_job_attempts_total{kind=\"perfil\",outcome=\"retried\"}",
        "embudo_job_attempt_seconds_count{kind=\"perfil\"}",
        "embudo_commit_commands_count",
        "embudo_database_bytes",
        "process_resident_memory_bytes",
    ] {
        assert!(value(name) > 0.0, "{name}");
    }
    assert!(!page.contains(&lead) && !page.contains("ana@ejemplo.es"), "metrics know nobody");
    assert!(server.stop().0.success());
}

#[test]
fn the_guide_lists_every_metric() {
    let line = |metric: &Metric| {
        let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
        format!("| `{}` | {} | {} | {} |", metric.name, metric.kind.as_str(), labels.join(", "), metric.help)
    };
    let expected: Vec<String> = ALL.iter().map(line).collect();
    let guide = fs::read_to_string(GUIDE).unwrap();
    let is_metric = |line: &&str| line.starts_with("| `embudo_") || line.starts_with("| `process_");
    let listed: Vec<&str> = guide.lines().filter(is_metric).collect();
    assert_eq!(listed, expected, "docs/operating.md should have\n{}", expected.join("\n"));
}

#[test]
fn rules_and_dashboard_ask_for_metrics_that_exist() {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for (file, least) in [("prometheus/alerts.yml", 12), ("grafana/embudo.json", 20)] {
        let text = fs::read_to_string(format!("{DEPLOY}/{file}")).unwrap();
        let words = text.split(|c| !is_word(c));
        let asked: BTreeSet<&str> =
            words.filter(|word| word.starts_with("embudo_") || word.starts_with("process_")).collect();
        for name in &asked {
            let series = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
            let is_known = ALL.iter().any(|metric| metric.name == *name || Some(metric.name) == series);
            assert!(is_known, "{file} asks for {name}");
        }
        assert!(asked.len() >= least, "{file} asks for {asked:?}");
    }
}
