-- ?1 id, ?2 lead_id, ?3 empresa_id, ?4 tipo, ?5 carga, ?6 now, ?7 proximo_en, ?8 arrendado_por, ?9 how long the lease lasts, in
-- microseconds; without a lease it is NULL, and so is the sum.
INSERT INTO trabajo (
    id, empresa_id, lead_id, tipo, carga, estado, intentos, proximo_en, arrendado_por, arrendado_hasta, en_duda,
    creado_en
)
VALUES (?1, ?3, ?2, ?4, ?5, 'pendiente', 0, ?7, ?8, CAST(unixepoch('subsec') * 1000000 AS INTEGER) + ?9, 0, ?6)
