SELECT finalidad, canal, texto_version, fuente, otorgado, otorgado_en FROM consentimiento WHERE lead_id = $1::uuid ORDER BY n
