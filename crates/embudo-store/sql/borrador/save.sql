UPDATE borrador SET hoja = :hoja, revision = revision + 1, guardado_por = :por, guardado_en = :now WHERE lead_id = :lead
