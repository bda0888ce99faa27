"""Tables and statements. Every call is ONE statement, hence one implicit transaction and one round trip; asyncpg prepares
each once in a connection. The tables are those of the Fastify peer."""

import asyncpg

SCHEMA = """
  CREATE TABLE IF NOT EXISTS lead (
    id uuid PRIMARY KEY, nombre text NOT NULL, telefono text NOT NULL, email text NOT NULL,
    estado_wa text, bot_step text, creado_en timestamptz NOT NULL DEFAULT now());
  CREATE TABLE IF NOT EXISTS turno (
    id uuid PRIMARY KEY, lead_id uuid NOT NULL, rol text NOT NULL, mensaje text NOT NULL,
    media_type text, media_url text, transcripcion_audio text, creado_en timestamptz NOT NULL DEFAULT now());
  CREATE INDEX IF NOT EXISTS turno_lead ON turno (lead_id, creado_en);
"""

# No row is written when the lead does not exist: the write itself answers 404, without a look-up before it.
APPEND = """INSERT INTO turno (id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio)
  SELECT $1, id, $3, $4, $5, $6, $7 FROM lead WHERE id = $2"""

APPEND_AND_UPDATE = """WITH l AS (
    UPDATE lead SET estado_wa = coalesce($8, estado_wa), bot_step = coalesce($9, bot_step)
    WHERE id = $2 RETURNING id)
  INSERT INTO turno (id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio)
  SELECT $1, id, $3, $4, $5, $6, $7 FROM l"""

CREATE_LEAD = "INSERT INTO lead (id, nombre, telefono, email) VALUES ($1, $2, $3, $4)"


async def leave_as_it_is(_connection):
    """No state is left in a connection, so it need not be reset after each use: that would be a second round trip."""


def open_pool(url, connections):
    return asyncpg.create_pool(
        url, min_size=connections, max_size=connections, max_inactive_connection_lifetime=0, reset=leave_as_it_is
    )


async def migrate(url):
    connection = await asyncpg.connect(url)
    await connection.execute(SCHEMA)
    await connection.close()


async def append_turno(pool, id, lead, t):
    """Whether there was such a lead."""
    values = (id, lead, t.rol, t.mensaje, t.mediaType, t.mediaUrl, t.transcripcionAudio)
    if t.estadoWa is None and t.botStep is None:
        done = await pool.execute(APPEND, *values)
    else:
        done = await pool.execute(APPEND_AND_UPDATE, *values, t.estadoWa, t.botStep)
    return done == "INSERT 0 1"


async def create_lead(pool, id, lead):
    await pool.execute(CREATE_LEAD, id, lead.nombre, lead.telefono, lead.email)
