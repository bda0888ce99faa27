-- Blocked quotes, each with the last answer to it. The query adds its conditions, order and limit.
SELECT
    p.id, p.lead_id, p.empresa_id, p.anio, p.orden, p.total_cents, p.documento, p.pdf_huella, p.pdf_sha256, p.pdf_bytes,
    p.bloqueado_en, p.bloqueado_hasta,
    r.aceptado AS r_aceptado, r.motivo AS r_motivo, r.ip AS r_ip, r.texto_version AS r_texto_version, r.declaracion AS r_declaracion,
    r.opciones AS r_opciones, r.total_cents AS r_total_cents, r.inicio_anticipado AS r_inicio_anticipado,
    r.apuntado_por AS r_apuntado_por, r.apuntado_nota AS r_apuntado_nota,
    r.pdf_sha256 AS r_pdf_sha256, r.creado_en AS r_creado_en
FROM presupuesto_bloqueado p
LEFT JOIN respuesta_bloqueada r
    ON r.lead_id = p.lead_id AND r.presupuesto_id = p.id
    AND r.n = (SELECT max(u.n) FROM respuesta_bloqueada u WHERE u.lead_id = p.lead_id AND u.presupuesto_id = p.id)
