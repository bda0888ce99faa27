-- `:dura` is how long the lease lasts, in microseconds; without a lease it is NULL, and so is the sum.
INSERT INTO trabajo (
    id, empresa_id, lead_id, tipo, carga, estado, intentos, proximo_en, arrendado_por, arrendado_hasta, en_duda,
    creado_en
)
VALUES (:id, :empresa, :lead, :tipo, :carga, 'pendiente', 0, :proximo_en, :quien, CAST(unixepoch('subsec') * 1000000 AS INTEGER) + :dura, 0, :now)
