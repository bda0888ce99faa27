//! Sends spans to an OpenTelemetry collector, by OTLP over HTTP in JSON (docs/adr/0041).

use crate::settings::Settings;
use embudo_app::App;
use embudo_delivery::Webhooks;
use embudo_metrics::{Counter, TRACE_SPANS};
use embudo_trace::Outgoing;
use std::time::Duration;
use tokio::task::JoinHandle;
use url::Url;

/// How long the collector may take to accept one message. Meanwhile new spans wait in their queue, and are dropped if
/// it is full.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a stop waits for the last spans.
const LAST_SPANS: Duration = Duration::from_secs(2);

/// The task that sends.
pub struct Traces(JoinHandle<()>);

/// Begins to trace, if the settings name a collector. Must be called before the first span.
pub fn start(settings: &Settings, app: &App) -> Option<Traces> {
    let endpoint = settings.otel_endpoint.as_ref()?;
    let spans = embudo_trace::switch_on(settings.otel_ratio.get())?;
    let mut url = endpoint.as_url().clone();
    let path = format!("{}/v1/traces", url.path().trim_end_matches('/'));
    url.set_path(&path);
    let exporter = Exporter {
        spans,
        url,
        service: settings.otel_service_name.clone(),
        client: app.outbound.webhooks.clone(),
        is_failing: false,
        exported: TRACE_SPANS.counter(&["exported"]),
        failed: TRACE_SPANS.counter(&["failed"]),
    };
    let task = app.supervisor.spawn("sending spans", exporter, |exporter, _| Box::pin(exporter.run()));
    Some(Traces(task))
}

impl Traces {
    /// Sends the waiting spans, as far as the time limit allows.
    pub async fn finish(mut self) {
        let flushed = async {
            embudo_trace::close().await;
            let _ = (&mut self.0).await;
        };
        if tokio::time::timeout(LAST_SPANS, flushed).await.is_err() {
            tracing::warn!("the collector did not take the last spans in time");
            self.0.abort();
        }
    }
}

struct Exporter {
    spans: Outgoing,
    url: Url,
    service: String,
    client: Webhooks,
    /// Whether the last message failed: only a change is logged.
    is_failing: bool,
    exported: Counter,
    failed: Counter,
}

impl Exporter {
    async fn run(&mut self) {
        while let Some(batch) = self.spans.next().await {
            let body = embudo_trace::body(&batch, &self.service, env!("CARGO_PKG_VERSION"));
            let sent = self.client.export(&self.url, body, PATIENCE).await;
            let counter = if sent.is_ok() { &self.exported } else { &self.failed };
            counter.increment(batch.len() as u64);
            match &sent {
                Err(error) if !self.is_failing => {
                    tracing::warn!(
                        error,
                        "the collector does not take spans; they are dropped until it does"
                    );
                }
                Ok(()) if self.is_failing => tracing::info!("the collector takes spans again"),
                _ => {}
            }
            self.is_failing = sent.is_err();
        }
    }
}
