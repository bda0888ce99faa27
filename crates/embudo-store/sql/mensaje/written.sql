SELECT lead_id, texto, NULL AS texto_2, creado_en FROM mensaje WHERE n > :low AND n <= :high AND empresa_id = :empresa
