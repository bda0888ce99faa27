INSERT INTO presupuesto (
    id, lead_id, empresa_id, anio, orden, version, estado, contenido, total_cents, emitido, hasta, creado_en, documento, hoja
)
VALUES (:id, :lead, :empresa, :anio, :orden, :version, :estado, :contenido, :total_cents, :emitido, :hasta, :now, :documento, :hoja)
