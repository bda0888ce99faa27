-- Counts the leads with news for a person, among those with the latest activity.
SELECT count(*) AS leads
FROM (
    SELECT lead_id, actividad_en FROM lead_actividad WHERE empresa_id = :empresa ORDER BY actividad_en DESC, lead_id DESC LIMIT :latest
) a
LEFT JOIN lead_etapa e ON e.lead_id = a.lead_id
LEFT JOIN lead_union u ON u.lead_id = a.lead_id
LEFT JOIN lead_leido v ON v.lead_id = a.lead_id AND v.usuario_id = :who
WHERE u.lead_id IS NULL AND e.etapa <> :perdido AND (v.visto_en IS NULL OR v.visto_en < a.actividad_en)
