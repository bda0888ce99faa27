//! A throwaway server for external tools. It prints its URL, its key and a lead's id on one line, and runs until its
//! standard input ends. It uses PostgreSQL if `EMBUDO_TEST_PG` is set, otherwise SQLite.

use embudo_testkit::{Engine, KEY, Server};

#[tokio::main]
#[allow(clippy::print_stdout)]
async fn main() {
    let engine = if std::env::var_os("EMBUDO_TEST_PG").is_some() { Engine::Postgres } else { Engine::Sqlite };
    let server = Server::start(engine).await;
    let lead = server.lead().await;
    println!("{} {KEY} {lead}", server.url(""));
    let end = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    let _ = end.await;
    server.stop().await;
}
