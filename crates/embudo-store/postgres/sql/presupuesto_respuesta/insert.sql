INSERT INTO presupuesto_respuesta (
    presupuesto_id, lead_id, empresa_id, aceptado, motivo, ip, texto_version, declaracion, opciones, total_cents, inicio_anticipado, pdf_sha256, creado_en
)
VALUES (:presupuesto, :lead, :empresa, :aceptado, :motivo, :ip, :texto_version, :declaracion, :opciones, :total_cents, :inicio_anticipado, :pdf_sha256, :creado_en)
