-- Ends the leases of a process on these jobs. A job whose destination is paused is due at `:held`. The pauses are
-- locked until the commit.
WITH suyo AS MATERIALIZED (
    SELECT id, empresa_id, tipo FROM trabajo WHERE id = ANY (:id::uuid[]) AND arrendado_por = :quien::uuid AND estado || '' = 'pendiente'
), parado AS MATERIALIZED (
    SELECT s.id FROM suyo s JOIN pausa p ON p.empresa_id = s.empresa_id AND p.tipo = s.tipo FOR KEY SHARE OF p
)
UPDATE trabajo t
SET proximo_en = CASE WHEN t.id IN (SELECT id FROM parado) THEN :held::timestamptz ELSE t.proximo_en END,
    arrendado_por = NULL,
    arrendado_hasta = NULL
WHERE t.id = ANY (ARRAY(SELECT id FROM suyo)) AND t.arrendado_por = :quien::uuid
