-- What a lead's record shows; the documents stay where they are.
SELECT
    id, anio, orden, version, estado, total_cents, emitido, hasta, pdf_huella, pdf_sha256, pdf_bytes, creado_en, emitido_en
FROM presupuesto
WHERE lead_id = :lead
ORDER BY version DESC
