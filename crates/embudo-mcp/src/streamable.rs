//! The streamable HTTP transport without sessions: each request is answered with JSON and needs no other request, so
//! any process can answer it.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::api::Api;
use crate::server::ToolServer;
use crate::toolbox::Toolbox;

/// An answer of the transport.
pub type Reply = Response<BoxBody<Bytes, Infallible>>;

/// Answers requests to one address.
pub struct Streamable {
    config: StreamableHttpServerConfig,
    sessions: Arc<NeverSessionManager>,
}

impl Streamable {
    /// `hosts` are the allowed `Host` headers, with or without a port. Requests with another `Host` are refused, and so
    /// are requests with an `Origin`, because browsers are not meant to use this interface.
    pub fn new(hosts: &[String]) -> Self {
        // An empty list would let every host in.
        let hosts: Vec<String> = if hosts.is_empty() { vec!["localhost".into()] } else { hosts.to_vec() };
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts(hosts)
            .enforce_origin_validation()
            // The caller has already read the body, within its limit.
            .with_max_request_body_bytes(usize::MAX);
        Self { config, sessions: Arc::default() }
    }

    /// Answers a request whose caller is known and whose body was read.
    pub async fn answer<A: Api>(&self, tools: Arc<Toolbox>, api: A, request: Request<Bytes>) -> Reply {
        let server = ToolServer { api, tools };
        let one = move || Ok(server.clone());
        let service = StreamableHttpService::new(one, Arc::clone(&self.sessions), self.config.clone());
        service.handle(request.map(Full::new)).await
    }
}
