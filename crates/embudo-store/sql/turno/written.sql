-- The turns of a company's leads between two serial numbers.
SELECT t.lead_id, t.mensaje AS texto, t.transcripcion_audio AS texto_2, t.creado_en
FROM turno t
WHERE t.n > :low AND t.n <= :high AND t.empresa_id = :empresa
