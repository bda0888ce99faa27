//! OTLP's JSON: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};

use crate::span::{Side, Span, Value};

/// The body of a `POST …/v1/traces` with these spans, sent by a service of this name and version.
pub fn body(spans: &[Span], service: &str, version: &str) -> String {
    let resource = [("service.name", service), ("service.version", version)];
    let resource = resource.map(|(key, text)| attribute(key, &text.to_owned().into()));
    json!({
        "resourceSpans": [{
            "resource": { "attributes": resource },
            "scopeSpans": [{
                "scope": { "name": "embudo" },
                "spans": spans.iter().map(span).collect::<Vec<_>>(),
            }],
        }],
    })
    .to_string()
}

fn span(span: &Span) -> Json {
    let attributes: Vec<Json> = span.attributes.iter().map(|(key, value)| attribute(key, value)).collect();
    let mut shown = json!({
        "traceId": format!("{:032x}", span.context.trace),
        "spanId": format!("{:016x}", span.context.span),
        "name": span.name,
        "kind": match span.side {
            Side::Internal => 1,
            Side::Server => 2,
            Side::Client => 3,
        },
        "startTimeUnixNano": nanos(span.start),
        "endTimeUnixNano": nanos(span.start + span.duration),
        "attributes": attributes,
    });
    if let Some(parent) = span.context.parent {
        shown["parentSpanId"] = format!("{parent:016x}").into();
    }
    if span.is_error {
        shown["status"] = json!({ "code": 2 });
    }
    shown
}

fn attribute(key: &str, value: &Value) -> Json {
    let value = match value {
        Value::Text(text) => json!({ "stringValue": text }),
        // Numbers of 64 bits are texts in this encoding.
        Value::Number(number) => json!({ "intValue": number.to_string() }),
    };
    json!({ "key": key, "value": value })
}

fn nanos(at: SystemTime) -> String {
    at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::context::SpanContext;

    #[test]
    fn spans_are_written_as_the_protocol_wants() {
        let context = SpanContext { trace: 0xab, span: 0xcd, parent: Some(0xef), is_sampled: true };
        let span = Span {
            context,
            name: "GET /healthz".into(),
            side: Side::Server,
            start: UNIX_EPOCH + Duration::from_secs(1),
            duration: Duration::from_millis(2),
            is_error: true,
            attributes: vec![("http.response.status_code", 500_u16.into()), ("outcome", "failed".into())],
        };
        let body: Json = serde_json::from_str(&body(&[span], "ours", "1.2.3")).expect("JSON");
        let resource = &body["resourceSpans"][0];
        let expected = json!([
            { "key": "service.name", "value": { "stringValue": "ours" } },
            { "key": "service.version", "value": { "stringValue": "1.2.3" } },
        ]);
        assert_eq!(resource["resource"]["attributes"], expected);
        let expected = json!({
            "traceId": "000000000000000000000000000000ab", "spanId": "00000000000000cd", "parentSpanId": "00000000000000ef",
            "name": "GET /healthz", "kind": 2, "startTimeUnixNano": "1000000000", "endTimeUnixNano": "1002000000",
            "attributes": [
                { "key": "http.response.status_code", "value": { "intValue": "500" } },
                { "key": "outcome", "value": { "stringValue": "failed" } },
            ],
            "status": { "code": 2 },
        });
        assert_eq!(resource["scopeSpans"][0]["spans"][0], expected);
    }

    #[test]
    fn a_root_has_no_parent_and_success_no_status() {
        let span = Span {
            context: SpanContext::root(1.0),
            name: "job perfil".into(),
            side: Side::Client,
            start: UNIX_EPOCH,
            duration: Duration::ZERO,
            is_error: false,
            attributes: Vec::new(),
        };
        let body: Json = serde_json::from_str(&body(&[span], "ours", "1.2.3")).expect("JSON");
        let span = &body["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert!(span.get("parentSpanId").is_none() && span.get("status").is_none(), "{span}");
    }
}
