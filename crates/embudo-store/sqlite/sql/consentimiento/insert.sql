-- ?1 lead_id, ?2 finalidad, ?3 canal, ?4 texto_version, ?5 fuente, ?6 otorgado, ?7 otorgado_en, ?8 creado_en.
INSERT INTO consentimiento (
    empresa_id, lead_id, finalidad, canal, texto_version, fuente, otorgado, otorgado_en, creado_en
)
SELECT empresa_id, id, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM lead WHERE id = ?1
