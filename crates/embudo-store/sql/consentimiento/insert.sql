INSERT INTO consentimiento (
    empresa_id, lead_id, finalidad, canal, texto_version, fuente, otorgado, otorgado_en, creado_en
)
SELECT empresa_id, id, :finalidad, :canal, :texto_version, :fuente, :otorgado, :otorgado_en, :now FROM lead WHERE id = :lead
