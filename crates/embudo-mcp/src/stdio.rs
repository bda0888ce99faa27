//! The stdio transport: one client, lines of JSON.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::sync::Arc;

use crate::api::Api;
use crate::server::ToolServer;
use crate::toolbox::Toolbox;

/// Serves the client at standard input and output until it closes them.
///
/// # Errors
/// If standard input or output cannot be used, or the client does not speak the protocol.
pub async fn serve_stdio<A: Api>(tools: Toolbox, api: A) -> io::Result<()> {
    let server = ToolServer { api, tools: Arc::new(tools) };
    let input = tokio::fs::File::from_std(File::from(io::stdin().as_fd().try_clone_to_owned()?));
    let output = tokio::fs::File::from_std(File::from(io::stdout().as_fd().try_clone_to_owned()?));
    match rmcp::serve_server(server, (input, output)).await {
        Ok(running) => drop(running.waiting().await),
        // A client that disconnects before it has said anything is no failure.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => {}
        Err(_) => return Err(io::Error::other("the client does not begin as the protocol says")),
    }
    Ok(())
}
