//! Fills a PostgreSQL database with COPY.

use bytes::Bytes;
use embudo_store_postgres::{Options, PgStore};
use futures_util::SinkExt;
use tokio_postgres::{Client, NoTls};

use crate::Failure;
use crate::data::{Draw, EMPRESA, Size, TABLES};

/// Rows are sent in pieces of about this size.
const PIECE: usize = 1 << 20;

async fn connect(url: &str) -> Result<Client, Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

fn name(size: Size) -> String {
    format!("inbox_{}", size.leads)
}

/// Makes the database and returns its address. The flag is `false` if the database existed already and `keep` allows to
/// use it.
pub(crate) async fn fill(server: &str, size: Size, keep: bool) -> Result<(String, bool), Failure> {
    let (admin, name) = (connect(&format!("{server}/postgres")).await?, name(size));
    let url = format!("{server}/{name}");
    let exists = admin.query_opt("SELECT FROM pg_database WHERE datname = $1", &[&name]).await?.is_some();
    if exists && keep {
        return Ok((url, false));
    }
    admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
    admin.batch_execute(&format!("CREATE DATABASE {name}")).await?;
    PgStore::migrate(&url).await?;
    let client = connect(&url).await?;
    client
        .execute(
            "INSERT INTO empresa (id, nombre, slug, por_defecto, creado_en) VALUES ($1, 'Reformas Uno', 'uno', true, now())",
            &[&EMPRESA],
        )
        .await?;
    for table in TABLES {
        let sql = format!("COPY {} ({}) FROM STDIN", table.name, table.columns.join(", "));
        let sink = client.copy_in::<_, Bytes>(&sql).await?;
        let mut sink = std::pin::pin!(sink);
        let (mut draw, mut piece) = (Draw::new(1), String::new());
        for n in 0..size.leads {
            for row in (table.rows)(&mut draw, n, size) {
                for (i, cell) in row.iter().enumerate() {
                    if i > 0 {
                        piece.push('\t');
                    }
                    cell.copy(&mut piece);
                }
                piece.push('\n');
            }
            if piece.len() > PIECE {
                sink.send(Bytes::from(std::mem::take(&mut piece))).await?;
            }
        }
        sink.send(Bytes::from(piece)).await?;
        sink.as_mut().finish().await?;
    }
    client.batch_execute("VACUUM ANALYZE").await?;
    Ok((url, true))
}

/// Runs VACUUM ANALYZE, which the server would do by itself after a while.
pub(crate) async fn tidy(url: &str) -> Result<(), Failure> {
    Ok(connect(url).await?.batch_execute("VACUUM ANALYZE").await?)
}

pub(crate) async fn open(url: &str) -> Result<PgStore, Failure> {
    Ok(PgStore::connect(url, Options::default()).await?)
}

pub(crate) async fn remove(server: &str, size: Size) -> Result<(), Failure> {
    let admin = connect(&format!("{server}/postgres")).await?;
    Ok(admin.batch_execute(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", name(size))).await?)
}
