-- Quotes that people are still writing. The query adds its condition.
SELECT id, lead_id, empresa_id, motivo, revision, hoja, guardado_por, creado_en, guardado_en
FROM borrador
