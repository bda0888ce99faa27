-- Ends an attempt of the process $2: the job ($3–$5), its line in the delivery log ($6–$11) and what the lead's history says
-- ($12–$17, nothing where $12 is null). No row comes back if the job is not the process's any more.
WITH fin AS (
    UPDATE trabajo
    SET estado = $3::text,
        proximo_en = coalesce($4::timestamptz, proximo_en),
        terminado_en = CASE WHEN $3::text <> 'pendiente' THEN $5::timestamptz END,
        intentos = intentos + 1,
        en_duda = en_duda AND $3::text = 'aparcado',
        ultimo_error = CASE WHEN $8::boolean THEN ultimo_error ELSE $10::text END,
        arrendado_por = NULL,
        arrendado_hasta = NULL
    WHERE id = $1::uuid AND arrendado_por = $2::uuid AND estado = 'pendiente'
    RETURNING id, lead_id, empresa_id
), linea AS (
    INSERT INTO entrega (trabajo_id, inicio, duracion_ms, ok, status, error, respuesta)
    SELECT fin.id, $6::timestamptz, $7::bigint, $8::boolean, $9::integer, $10::text, $11::text FROM fin
), suceso AS (
    INSERT INTO evento (id, lead_id, empresa_id, tipo, simulado, ok, detalle, creado_en)
    SELECT $12::uuid, fin.lead_id, fin.empresa_id, $13::text, $14::boolean, $15::boolean, $16::text, $17::timestamptz
    FROM fin
    WHERE $12::uuid IS NOT NULL
)
SELECT id FROM fin
