-- The lead's newest quote with the last answer to it.
SELECT
    p.id, p.lead_id, p.empresa_id, p.anio, p.orden, p.version, p.estado, p.documento, p.contenido, p.emitido, p.hasta,
    p.pdf_huella, p.pdf_sha256, p.pdf_bytes, p.creado_en, p.emitido_en,
    r.aceptado AS r_aceptado, r.motivo AS r_motivo, r.ip AS r_ip, r.texto_version AS r_texto_version,
    r.pdf_sha256 AS r_pdf_sha256, r.creado_en AS r_creado_en
FROM presupuesto p
LEFT JOIN LATERAL (
    SELECT u.aceptado, u.motivo, u.ip, u.texto_version, u.pdf_sha256, u.creado_en
    FROM presupuesto_respuesta u
    WHERE u.presupuesto_id = p.id
    ORDER BY u.n DESC
    LIMIT 1
) r ON true
WHERE p.lead_id = $1::uuid
ORDER BY p.version DESC
LIMIT 1
