-- Quotes, each with the last answer to it. The query adds its conditions, order and limit.
SELECT
    p.id, p.lead_id, p.empresa_id, p.anio, p.orden, p.version, p.estado, p.documento, p.contenido, p.emitido, p.hasta,
    p.pdf_huella, p.pdf_sha256, p.pdf_bytes, p.aceptado_huella, p.aceptado_sha256, p.aceptado_bytes,
    p.creado_en, p.emitido_en, p.visita_en, p.visita_nota,
    r.aceptado AS r_aceptado, r.motivo AS r_motivo, r.ip AS r_ip, r.texto_version AS r_texto_version, r.declaracion AS r_declaracion,
    r.opciones AS r_opciones, r.total_cents AS r_total_cents, r.inicio_anticipado AS r_inicio_anticipado,
    r.apuntado_por AS r_apuntado_por, r.apuntado_nota AS r_apuntado_nota,
    r.pdf_sha256 AS r_pdf_sha256, r.creado_en AS r_creado_en
FROM presupuesto p
LEFT JOIN presupuesto_respuesta r
    ON r.n = (SELECT max(u.n) FROM presupuesto_respuesta u WHERE u.presupuesto_id = p.id)
