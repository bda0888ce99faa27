-- The search texts of leads. The query adds its conditions, order and limit.
SELECT lead_id, texto, NULL AS texto_2, creado_en FROM lead_busqueda
