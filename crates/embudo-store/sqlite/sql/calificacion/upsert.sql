-- ?1 lead_id, ?2 score, ?3 nivel, ?4 criterios, ?5 notas_agente: NULL keeps; ?6 now.
-- Without such a lead the company is missing and the row is ignored (see turno/append).
INSERT OR IGNORE INTO calificacion (
    lead_id, empresa_id, score, nivel, criterios, notas_agente, creado_en, actualizado_en
)
VALUES (?1, (SELECT empresa_id FROM lead WHERE id = ?1), ?2, ?3, ?4, ?5, ?6, ?6)
ON CONFLICT (lead_id) DO UPDATE SET
    score = coalesce(excluded.score, score),
    nivel = coalesce(excluded.nivel, nivel),
    criterios = coalesce(excluded.criterios, criterios),
    notas_agente = coalesce(excluded.notas_agente, notas_agente),
    actualizado_en = excluded.actualizado_en
