-- The newest leads of a company with what they are found by. The query adds where the page begins.
SELECT lead_id, texto, NULL AS texto_2, creado_en FROM lead_busqueda
