-- ?1 presupuesto_id, ?2 aceptado, ?3 motivo, ?4 ip, ?5 texto_version, ?6 pdf_sha256, ?7 creado_en.
INSERT INTO presupuesto_respuesta (
    empresa_id, lead_id, presupuesto_id, aceptado, motivo, ip, texto_version, pdf_sha256, creado_en
)
SELECT empresa_id, lead_id, id, ?2, ?3, ?4, ?5, ?6, ?7 FROM presupuesto WHERE id = ?1
