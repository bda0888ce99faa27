//! Metric handles, made once for each route, method and status.
//!
//! Looking a metric up by its labels allocates and hashes; at tens of thousands of requests a
//! second that would show. Labels come from the router and fixed lists only, never from a client.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use embudo_metrics::{HTTP_IN_FLIGHT, HTTP_REQUESTS, HTTP_SECONDS};
use http::{Method, StatusCode};
use metrics::{Counter, Gauge, Histogram};

/// The methods with a label of their own; any other is counted under the last one.
const METHODS: [&str; 8] = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "OTHER"];

/// Classes of status, by their first digit; an unknown class is counted as the last one.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The index of a status in [`CLASSES`].
fn class(status: StatusCode) -> usize {
    usize::from(status.as_u16() / 100).clamp(1, CLASSES.len()) - 1
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct MethodLabel(usize);

impl MethodLabel {
    pub(crate) fn of(method: &Method) -> Self {
        let known = METHODS.iter().position(|name| *name == method.as_str());
        Self(known.unwrap_or(METHODS.len() - 1))
    }

    pub(crate) fn as_str(self) -> &'static str {
        METHODS[self.0]
    }
}

/// All handles. They are made on first use, so the recorder has to be installed before serving.
#[derive(Debug, Default)]
pub(crate) struct RequestMetrics {
    routes: RwLock<HashMap<Box<str>, Arc<RouteMetrics>>>,
    in_flight: OnceLock<GaugeHandle>,
}

impl RequestMetrics {
    pub(crate) fn in_flight(&self) -> &Gauge {
        &self.in_flight.get_or_init(|| GaugeHandle(HTTP_IN_FLIGHT.gauge(&[]))).0
    }

    /// The handles of one route pattern.
    pub(crate) fn route(&self, pattern: &str) -> Arc<RouteMetrics> {
        if let Some(known) = self.routes.read().unwrap_or_else(PoisonError::into_inner).get(pattern) {
            return known.clone();
        }
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        routes.entry(pattern.into()).or_insert_with(|| Arc::new(RouteMetrics::new(pattern))).clone()
    }
}

/// The handles of one route.
#[derive(Debug)]
pub(crate) struct RouteMetrics {
    pattern: Box<str>,
    methods: [MethodMetrics; METHODS.len()],
}

#[derive(Default)]
struct MethodMetrics {
    /// The time of answers, for each class of status.
    seconds: [OnceLock<Histogram>; CLASSES.len()],
    /// A route answers with a handful of statuses: a scan is faster than a map.
    statuses: RwLock<Vec<(StatusCode, Counter)>>,
}

impl std::fmt::Debug for MethodMetrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MethodMetrics").finish_non_exhaustive()
    }
}

impl RouteMetrics {
    fn new(pattern: &str) -> Self {
        Self { pattern: pattern.into(), methods: std::array::from_fn(|_| MethodMetrics::default()) }
    }

    pub(crate) fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Counts one answer.
    pub(crate) fn record(&self, method: MethodLabel, status: StatusCode, seconds: f64) {
        let handles = &self.methods[method.0];
        let class = class(status);
        handles.seconds[class]
            .get_or_init(|| HTTP_SECONDS.histogram(&[method.as_str(), &self.pattern, CLASSES[class]]))
            .record(seconds);
        let known = handles.statuses.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, counter)) = known.iter().find(|(code, _)| *code == status) {
            counter.increment(1);
            return;
        }
        drop(known);
        let counter = HTTP_REQUESTS.counter(&[method.as_str(), &self.pattern, status.as_str()]);
        counter.increment(1);
        // Two requests may both come here: having the same counter twice in the list does no harm.
        handles.statuses.write().unwrap_or_else(PoisonError::into_inner).push((status, counter));
    }
}

struct GaugeHandle(Gauge);

impl std::fmt::Debug for GaugeHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gauge")
    }
}
