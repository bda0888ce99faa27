INSERT INTO presupuesto_respuesta (
    empresa_id, lead_id, presupuesto_id, aceptado, motivo, ip, texto_version, declaracion, opciones, total_cents, inicio_anticipado, apuntado_por, apuntado_nota, pdf_sha256, creado_en
)
SELECT empresa_id, lead_id, id, :aceptado, :motivo, :ip, :texto_version, :declaracion, :opciones, :total_cents, :inicio_anticipado, :apuntado_por, :apuntado_nota, :pdf_sha256, :creado_en FROM presupuesto WHERE id = :presupuesto
