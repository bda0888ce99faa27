SELECT lead_id, texto, NULL AS texto_2, creado_en FROM nota WHERE n > :low AND n <= :high AND empresa_id = :empresa
