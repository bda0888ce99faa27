INSERT INTO presupuesto (
    id, lead_id, empresa_id, anio, orden, version, estado, contenido, total_cents, emitido, hasta, creado_en, documento
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
