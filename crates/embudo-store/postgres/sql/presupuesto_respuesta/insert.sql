INSERT INTO presupuesto_respuesta (
    presupuesto_id, lead_id, empresa_id, aceptado, motivo, ip, texto_version, pdf_sha256, creado_en
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
