-- ?1 lead_id. The columns stand in the order of `rows::presupuesto`.
SELECT
    p.id, p.lead_id, p.empresa_id, p.anio, p.orden, p.version, p.estado, p.documento, p.contenido, p.emitido, p.hasta,
    p.pdf_huella, p.pdf_sha256, p.pdf_bytes, p.creado_en, p.emitido_en,
    r.aceptado, r.motivo, r.ip, r.texto_version, r.pdf_sha256, r.creado_en
FROM presupuesto p
LEFT JOIN presupuesto_respuesta r
    ON r.n = (SELECT max(u.n) FROM presupuesto_respuesta u WHERE u.presupuesto_id = p.id)
WHERE p.lead_id = ?1
ORDER BY p.version DESC
