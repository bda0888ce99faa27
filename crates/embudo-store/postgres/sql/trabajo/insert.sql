-- Makes a job, and ends those of the same kind and lead that it makes pointless ($7): the ones that wait. A mail to the company
-- is made only where one is wanted. The state is asked for in a way that no partial index answers: the few jobs of a lead are
-- looked at, not all that wait. The row is leased for $9 microseconds by the database's clock, or to nobody; it is due at $10.
WITH sustituido AS (
    UPDATE trabajo t
    SET estado = 'sustituido', terminado_en = $6::timestamptz, arrendado_por = NULL, arrendado_hasta = NULL
    WHERE $7::boolean
        AND t.lead_id = $2::uuid
        AND t.tipo = $4::text
        AND t.estado || '' = 'pendiente'
        AND (t.arrendado_hasta IS NULL OR t.arrendado_hasta <= clock_timestamp())
        AND EXISTS (SELECT FROM empresa e WHERE e.id = $3::uuid AND ($4::text <> 'aviso_formulario' OR (e.avisos AND coalesce(e.email_avisos, '') <> '')))
)
INSERT INTO trabajo
    (id, lead_id, empresa_id, tipo, carga, estado, proximo_en, arrendado_por, arrendado_hasta, creado_en)
SELECT
    $1::uuid, $2::uuid, e.id, $4::text, $5::text, 'pendiente', $10::timestamptz, $8::uuid,
    CASE WHEN $8::uuid IS NOT NULL THEN clock_timestamp() + $9::bigint * interval '1 microsecond' END, $6::timestamptz
FROM empresa e
WHERE e.id = $3::uuid AND ($4::text NOT IN ('correo_empresa', 'aviso_formulario') OR (e.avisos AND coalesce(e.email_avisos, '') <> ''))
