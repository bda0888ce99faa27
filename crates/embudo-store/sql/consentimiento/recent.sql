-- The query adds its conditions, order and limit.
SELECT finalidad, canal, texto_version, fuente, otorgado, otorgado_en FROM consentimiento
