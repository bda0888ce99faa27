-- ?1 id, ?2 lead_id, ?3 tipo, ?4 carga, ?5 now, ?6 arrendado_por, ?7 how long the lease lasts, in microseconds,
-- ?8 proximo_en.
-- No row: there is no such lead. Without a lease ?7 is NULL, and so is the sum.
INSERT INTO trabajo (
    id, empresa_id, lead_id, tipo, carga, estado, intentos, proximo_en, arrendado_por, arrendado_hasta, en_duda,
    creado_en
)
SELECT
    ?1, empresa_id, id, ?3, ?4, 'pendiente', 0, ?8, ?6, CAST(unixepoch('subsec') * 1000000 AS INTEGER) + ?7, 0,
    ?5
FROM lead WHERE id = ?2
