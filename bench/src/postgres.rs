//! The throwaway PostgreSQL: databases for each server, and pgbench as the yardstick. Uses the command-line tools that
//! come with PostgreSQL, so that the harness needs no driver of its own.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::failure::Result;
use crate::process::{ended_children_cpu, family_cpu};
use crate::stats::{CpuPerCall, Sample};

/// A PostgreSQL server.
#[derive(Clone)]
pub struct Postgres {
    /// postgres://user@host:port, without a database.
    pub url: String,
    pub pid: u32,
}

impl Postgres {
    /// Makes an empty database and returns its address.
    pub fn create_database(&self, name: &str) -> Result<String> {
        self.psql("postgres", &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))?;
        self.psql("postgres", &format!("CREATE DATABASE {name}"))?;
        Ok(self.database(name))
    }

    pub fn drop_database(&self, name: &str) -> Result<()> {
        self.psql("postgres", &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
    }

    /// A checkpoint before a window, so that writes of the window before do not disturb it.
    pub fn checkpoint(&self) -> Result<()> {
        self.psql("postgres", "CHECKPOINT")
    }

    fn database(&self, name: &str) -> String {
        format!("{}/{name}", self.url)
    }

    fn psql(&self, database: &str, sql: &str) -> Result<()> {
        let url = self.database(database);
        run(Command::new("psql").args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &url, "-c", sql])).map(drop)
    }

    /// The version, for the report.
    pub fn version(&self) -> String {
        let url = self.database("postgres");
        let show =
            run(Command::new("psql").args(["-X", "-A", "-t", "-d", &url, "-c", "SHOW server_version"]));
        show.map_or_else(|_| "?".to_owned(), |text| text.trim().to_owned())
    }
}

const TABLE: &str = "CREATE TABLE turno (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    lead_id uuid NOT NULL,
    rol text NOT NULL,
    mensaje text NOT NULL,
    creado_en timestamptz NOT NULL DEFAULT now());
  CREATE INDEX turno_lead ON turno (lead_id, creado_en)";

/// The bare single-row INSERT: no HTTP, no key, no JSON, no validation, no check that the lead exists. The id is
/// made up from the number, which costs next to nothing and spreads the rows over 2,000 leads as in the other runs.
const INSERT: &str = r"\set n random(1, 2000)
INSERT INTO turno (lead_id, rol, mensaje) VALUES (('00000000-0000-4000-8000-' || lpad(:n::text, 12, '0'))::uuid, 'user', 'Hola, buenas tardes. Queremos reformar la cocina entera: ahora mide unos doce metros, tiene la lavadora dentro y nos gustaría abrirla al salón con una isla central, encimera de cuarzo y muebles claros. ¿Cuándo podríais pasar a verla? Un saludo y gracias.');
";

/// pgbench with its table and script in place.
pub struct Pgbench {
    server_pid: u32,
    url: String,
    script: std::path::PathBuf,
}

impl Pgbench {
    pub fn prepare(postgres: &Postgres, work: &Path) -> Result<Self> {
        let url = postgres.create_database("yardstick")?;
        postgres.psql("yardstick", TABLE)?;
        let script = work.join("insert.sql");
        std::fs::write(&script, INSERT)?;
        Ok(Self { server_pid: postgres.pid, url, script })
    }

    /// Runs for a second of warm-up and then measures.
    pub fn measure(&self, clients: usize, measured: Duration) -> Result<Sample> {
        self.once(clients, 1)?;
        self.once(clients, measured.as_secs().max(1))
    }

    fn once(&self, clients: usize, secs: u64) -> Result<Sample> {
        let before = [family_cpu(self.server_pid), ended_children_cpu()];
        let text = run(Command::new("pgbench")
            .args(["-n", "-M", "prepared", "-j", "2", "-c", &clients.to_string(), "-T", &secs.to_string()])
            .arg("-f")
            .arg(&self.script)
            .arg(&self.url))?;
        let after = [family_cpu(self.server_pid), ended_children_cpu()];
        let number = |prefix: &str| -> Option<f64> {
            let line = text.lines().find(|line| line.starts_with(prefix))?;
            line[prefix.len()..].split_ascii_whitespace().next()?.parse().ok()
        };
        let rate = number("tps = ").ok_or_else(|| format!("pgbench printed no tps: {text}"))?;
        let failed = number("number of failed transactions: ").unwrap_or(0.0);
        let per_call =
            |i: usize| after[i].saturating_sub(before[i]).as_secs_f64() * 1e6 / (rate * secs as f64);
        Ok(Sample {
            rate,
            p50: Duration::from_secs_f64(number("latency average = ").unwrap_or(0.0) / 1e3),
            errors: failed as u64,
            first_error: (failed > 0.0).then(|| "pgbench reports failed transactions".to_owned()),
            cpu: CpuPerCall { server: 0.0, postgres: per_call(0), client: per_call(1) },
            ..Sample::default()
        })
    }
}

fn run(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{name} cannot be started: {e}"))?;
    if !output.status.success() {
        return Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
