INSERT INTO presupuesto (
    id, lead_id, empresa_id, anio, orden, version, estado, contenido, total_cents, emitido, hasta, creado_en, documento, hoja,
    orientativo, rango_min_cents, rango_max_cents
)
VALUES (:id, :lead, :empresa, :anio, :orden, :version, :estado, :contenido, :total_cents, :emitido, :hasta, :now, :documento, :hoja,
    :orientativo, :rango_min_cents, :rango_max_cents)
