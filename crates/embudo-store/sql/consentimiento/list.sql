SELECT finalidad, canal, texto_version, fuente, otorgado, otorgado_en FROM consentimiento WHERE lead_id = :lead ORDER BY n
