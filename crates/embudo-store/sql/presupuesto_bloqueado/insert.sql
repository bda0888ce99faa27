-- Copies a quote as it was sealed, without the company's working sheet (`hoja`).
INSERT INTO presupuesto_bloqueado (
    lead_id, id, empresa_id, anio, orden, version, contenido, total_cents, emitido, hasta, pdf_huella, pdf_sha256, pdf_bytes,
    aceptado_huella, aceptado_sha256, aceptado_bytes,
    creado_en, emitido_en, documento, bloqueado_en, bloqueado_hasta
)
SELECT
    lead_id, id, empresa_id, anio, orden, version, contenido, total_cents, emitido, hasta, pdf_huella, pdf_sha256, pdf_bytes,
    aceptado_huella, aceptado_sha256, aceptado_bytes,
    creado_en, emitido_en, documento, :now, :until
FROM presupuesto
WHERE id = :id
