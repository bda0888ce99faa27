INSERT INTO respuesta_bloqueada (
    lead_id, presupuesto_id, n, aceptado, motivo, ip, texto_version, declaracion, opciones, total_cents, inicio_anticipado,
    apuntado_por, apuntado_nota, pdf_sha256, creado_en
)
SELECT
    lead_id, presupuesto_id, n, aceptado, motivo, ip, texto_version, declaracion, opciones, total_cents, inicio_anticipado,
    apuntado_por, apuntado_nota, pdf_sha256, creado_en
FROM presupuesto_respuesta
WHERE presupuesto_id = :id
