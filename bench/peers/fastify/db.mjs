// Tables and statements of the peer. Every call is ONE statement, hence one implicit transaction and one round trip: the
// cheapest correct way to do it from Node. The statements have names, so that each connection prepares them once.
import pg from 'pg';

export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS lead (
    id uuid PRIMARY KEY,
    nombre text NOT NULL,
    telefono text NOT NULL,
    email text NOT NULL,
    estado_wa text,
    bot_step text,
    creado_en timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE IF NOT EXISTS turno (
    id uuid PRIMARY KEY,
    lead_id uuid NOT NULL,
    rol text NOT NULL,
    mensaje text NOT NULL,
    media_type text,
    media_url text,
    transcripcion_audio text,
    creado_en timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX IF NOT EXISTS turno_lead ON turno (lead_id, creado_en);
`;

const COLUMNS = 'id, lead_id, rol, mensaje, media_type, media_url, transcripcion_audio';

// No row comes back when the lead does not exist: the write itself answers 404, without a look-up before it.
const APPEND = `INSERT INTO turno (${COLUMNS})
  SELECT $1, id, $3, $4, $5, $6, $7 FROM lead WHERE id = $2 RETURNING id`;

const APPEND_AND_UPDATE = `WITH l AS (
    UPDATE lead SET estado_wa = coalesce($8, estado_wa), bot_step = coalesce($9, bot_step)
    WHERE id = $2 RETURNING id)
  INSERT INTO turno (${COLUMNS}) SELECT $1, id, $3, $4, $5, $6, $7 FROM l RETURNING id`;

export function open(url, max) {
  const pool = new pg.Pool({ connectionString: url, max, idleTimeoutMillis: 0 });
  return {
    migrate: () => pool.query(SCHEMA),
    ping: () => pool.query('SELECT 1'),
    end: () => pool.end(),

    async appendTurno(id, leadId, t) {
      const values = [id, leadId, t.rol, t.mensaje, t.mediaType, t.mediaUrl, t.transcripcionAudio];
      const touchesLead = t.estadoWa !== undefined || t.botStep !== undefined;
      const query = touchesLead
        ? { name: 'append_and_update', text: APPEND_AND_UPDATE, values: [...values, t.estadoWa, t.botStep] }
        : { name: 'append', text: APPEND, values };
      return (await pool.query(query)).rowCount === 1;
    },

    createLead: (id, l) =>
      pool.query({
        name: 'create_lead',
        text: 'INSERT INTO lead (id, nombre, telefono, email) VALUES ($1, $2, $3, $4)',
        values: [id, l.nombre, l.telefono, l.email],
      }),
  };
}
