-- A lead's quotes as its record shows them, each with its acceptance, without the documents.
SELECT
    p.id, p.anio, p.orden, p.version, p.estado, p.total_cents, p.emitido, p.hasta, p.pdf_huella, p.pdf_sha256, p.pdf_bytes, p.creado_en,
    p.aceptado_huella, p.aceptado_sha256, p.aceptado_bytes, p.orientativo, p.rango_min_cents, p.rango_max_cents,
    p.emitido_en, p.visita_en, p.visita_nota,
    r.aceptado, r.opciones, r.total_cents AS pactado_cents, r.declaracion, r.inicio_anticipado, r.apuntado_por, r.apuntado_nota, r.creado_en AS respondido_en
FROM presupuesto p
LEFT JOIN presupuesto_respuesta r ON r.presupuesto_id = p.id AND r.aceptado = true
WHERE p.lead_id = :lead
ORDER BY p.version DESC
