//! `sslmode` means the same as in libpq.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Server, client};
use embudo_store::StoreError;
use embudo_store_postgres::{Options, PgStore};

fn openssl(dir: &Path, arguments: &str) {
    let output =
        Command::new("openssl").current_dir(dir).args(arguments.split(' ')).output().expect("openssl runs");
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A certificate of version 1, signed by itself, as old guides make them: `v1.crt`, `v1.key`.
fn version_1(dir: &Path) {
    openssl(dir, "req -new -newkey rsa:2048 -nodes -keyout v1.key -out v1.csr -subj /CN=vieja");
    openssl(dir, "x509 -req -in v1.csr -signkey v1.key -days 2 -out v1.crt");
    let text =
        Command::new("openssl").current_dir(dir).args(["x509", "-in", "v1.crt", "-noout", "-text"]).output();
    let text = String::from_utf8(text.expect("openssl runs").stdout).expect("UTF-8");
    assert!(text.contains("Version: 1 "), "{text}");
}

/// A certificate authority, and its certificate for `localhost`: `NAME.crt`, `NAME-server.crt`, `NAME-server.key`.
fn authority(dir: &Path, name: &str) {
    let days = "-days 2 -nodes -newkey rsa:2048";
    openssl(dir, &format!("req -x509 {days} -keyout {name}.key -out {name}.crt -subj /CN={name}"));
    openssl(
        dir,
        &format!(
            "req -new -nodes -newkey rsa:2048 -keyout {name}-server.key -out {name}.csr -subj /CN=localhost"
        ),
    );
    std::fs::write(dir.join("ext"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
        .expect("written");
    openssl(
        dir,
        &format!(
            "x509 -req -in {name}.csr -CA {name}.crt -CAkey {name}.key -CAcreateserial -days 2 -extfile ext -out {name}-server.crt"
        ),
    );
}

/// Configures the server with this certificate and waits until it uses it.
async fn show(server: &Server, dir: &Path, certificate: &str) {
    let data = server.data();
    let owner = std::fs::metadata(&data).expect("the cluster");
    for (from, to) in [("crt", "server.crt"), ("key", "server.key")] {
        let to = data.join(to);
        std::fs::copy(dir.join(format!("{certificate}.{from}")), &to).expect("copied");
        std::fs::set_permissions(&to, PermissionsExt::from_mode(0o600)).expect("private");
        chown(&to, Some(owner.uid()), Some(owner.gid())).expect("the server's own");
    }
    let outside = client(&format!("{}?sslmode=disable", server.url)).await;
    outside.batch_execute("ALTER SYSTEM SET ssl = on").await.expect("set");
    reload(server).await;
    while client(&server.url).await.query_one("SHOW ssl", &[]).await.expect("read").get::<_, String>(0)
        != "on"
    {
        tokio::task::yield_now().await;
    }
}

/// Makes the server read its configuration again, and waits until it did.
async fn reload(server: &Server) {
    let outside = client(&server.url).await;
    let loaded = "SELECT pg_conf_load_time()::text";
    let before: String = outside.query_one(loaded, &[]).await.expect("read").get(0);
    outside.batch_execute("SELECT pg_reload_conf()").await.expect("asked");
    while client(&server.url).await.query_one(loaded, &[]).await.expect("read").get::<_, String>(0) == before
    {
        tokio::task::yield_now().await;
    }
}

/// Whether the connections of a store with these parameters are encrypted; an error if it cannot connect.
async fn encrypted(server: &Server, host: &str, parameters: &str) -> Result<bool, StoreError> {
    let url = format!("{}?{parameters}", server.url.replace("127.0.0.1", host));
    let store = PgStore::connect(&url, Options { pool: 2, writers: 1 }).await?;
    embudo_store::InstallationStore::ping(&store).await?;
    let sql = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'embudo'";
    Ok(client(&server.url).await.query_one(sql, &[]).await.expect("read").get(0))
}

fn root(dir: &Path, name: &str) -> String {
    let path: PathBuf = dir.join(name);
    format!("sslrootcert={}", path.display())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sslmode_means_what_it_means_to_libpq() {
    let server = Server::start().await;
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();

    // A server without TLS.
    assert!(!encrypted(&server, "127.0.0.1", "sslmode=prefer").await.expect("plain is the fallback"));
    assert!(!encrypted(&server, "127.0.0.1", "sslmode=disable").await.expect("plain"));
    assert!(encrypted(&server, "127.0.0.1", "sslmode=require").await.is_err());

    // Any server is accepted, even one with a certificate that cannot be read.
    version_1(dir);
    show(&server, dir, "v1").await;
    for own in ["", "sslmode=prefer", "sslmode=require"] {
        assert!(encrypted(&server, "127.0.0.1", own).await.expect("any certificate is taken"), "{own}");
    }
    assert!(!encrypted(&server, "127.0.0.1", "sslmode=disable").await.expect("plain"));
    for own in ["sslmode=verify-ca", "sslmode=verify-full"] {
        assert!(encrypted(&server, "127.0.0.1", own).await.is_err(), "{own}: no authority signed it");
    }

    // Only servers with a certificate of the authority are accepted.
    authority(dir, "nuestra");
    authority(dir, "ajena");
    show(&server, dir, "nuestra-server").await;
    let (ours, others) = (root(dir, "nuestra.crt"), root(dir, "ajena.crt"));
    let full = |root: &str| format!("sslmode=verify-full&{root}");
    assert!(encrypted(&server, "localhost", &full(&ours)).await.expect("its name"));
    assert!(encrypted(&server, "127.0.0.1", &full(&ours)).await.is_err(), "another name");
    assert!(encrypted(&server, "localhost", &full(&others)).await.is_err(), "another authority");
    for mode in ["verify-ca", "require"] {
        let own = |root: &str| format!("sslmode={mode}&{root}");
        assert!(encrypted(&server, "127.0.0.1", &own(&ours)).await.expect("any name"), "{mode}");
        assert!(encrypted(&server, "127.0.0.1", &own(&others)).await.is_err(), "{mode}: another authority");
    }

    // A server that offers TLS but refuses every log-in over it.
    let hba = server.data().join("pg_hba.conf");
    let lines = std::fs::read_to_string(&hba).expect("read");
    std::fs::write(&hba, format!("hostssl all all 127.0.0.1/32 reject\n{lines}")).expect("written");
    reload(&server).await;
    assert!(!encrypted(&server, "127.0.0.1", "sslmode=prefer").await.expect("plain is the fallback"));
    assert!(encrypted(&server, "127.0.0.1", "sslmode=require").await.is_err());
}
