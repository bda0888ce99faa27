//! Tables and statements. Every call is ONE statement, hence one implicit transaction and one round trip; sqlx prepares
//! each once in a connection. The tables are those of the Fastify peer.

use sqlx::postgres::{PgPool, PgPoolOptions};
use uuid::Uuid;

use crate::body::{Lead, Turno};

const SCHEMA: [&str; 3] = [
    "CREATE TABLE IF NOT EXISTS lead (
       id uuid PRIMARY KEY, nombre text NOT NULL, telefono text NOT NULL, email text NOT NULL,
       estado_wa text, bot_step text, creado_en timestamptz NOT NULL DEFAULT now())",
    "CREATE TABLE IF NOT EXISTS turno (
       id uuid PRIMARY KEY, lead_id uuid NOT NULL, rol text NOT NULL, mensaje text NOT NULL,
       media_type text, media_url text, transcripcion_audio text, creado_en timestamptz NOT NULL DEFAULT now())",
    "CREATE INDEX IF NOT EXISTS turno_lead ON turno (lead_id, creado_en)",
];

// No row is written when the lead does not exist: the write itself answers 404, without a look-up before it.
const APPEND: &str =
    "INSERT INTO turno (id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio)
    SELECT $1, id, $3, $4, $5, $6, $7 FROM lead WHERE id = $2";

const APPEND_AND_UPDATE: &str = "WITH l AS (
    UPDATE lead SET estado_wa = coalesce($8, estado_wa), bot_step = coalesce($9, bot_step)
    WHERE id = $2 RETURNING id)
  INSERT INTO turno (id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio)
  SELECT $1, id, $3, $4, $5, $6, $7 FROM l";

pub(crate) struct Db(PgPool);

impl Db {
    /// Connections are opened at once, stay, and are not tried before each use: that would be a second round trip.
    pub(crate) async fn open(url: &str, connections: u32) -> sqlx::Result<Self> {
        let options = PgPoolOptions::new()
            .max_connections(connections)
            .min_connections(connections)
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None);
        Ok(Self(options.connect(url).await?))
    }

    pub(crate) async fn migrate(&self) -> sqlx::Result<()> {
        for statement in SCHEMA {
            sqlx::query(statement).execute(&self.0).await?;
        }
        Ok(())
    }

    pub(crate) async fn ping(&self) -> sqlx::Result<()> {
        sqlx::query("SELECT 1").execute(&self.0).await.map(drop)
    }

    /// Whether there was such a lead.
    pub(crate) async fn append_turno(&self, id: Uuid, lead: Uuid, turno: &Turno) -> sqlx::Result<bool> {
        let touches_lead = turno.estado_wa.is_some() || turno.bot_step.is_some();
        let mut query = sqlx::query(if touches_lead { APPEND_AND_UPDATE } else { APPEND })
            .bind(id)
            .bind(lead)
            .bind(turno.rol.word())
            .bind(&turno.mensaje)
            .bind(&turno.media_type)
            .bind(&turno.media_url)
            .bind(&turno.transcripcion_audio);
        if touches_lead {
            query = query.bind(turno.estado_wa.map(|estado| estado.word())).bind(&turno.bot_step);
        }
        Ok(query.execute(&self.0).await?.rows_affected() == 1)
    }

    pub(crate) async fn create_lead(&self, id: Uuid, lead: &Lead) -> sqlx::Result<()> {
        sqlx::query("INSERT INTO lead (id, nombre, telefono, email) VALUES ($1, $2, $3, $4)")
            .bind(id)
            .bind(&lead.nombre)
            .bind(&lead.telefono)
            .bind(&lead.email)
            .execute(&self.0)
            .await
            .map(drop)
    }
}
