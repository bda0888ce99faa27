-- The query adds its conditions, order and limit.
SELECT
    id, anio, orden, version, estado, total_cents, emitido, hasta, pdf_huella, pdf_sha256, pdf_bytes, creado_en, emitido_en
FROM presupuesto
