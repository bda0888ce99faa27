-- A null parameter keeps the old value. If there is no such lead, `empresa_id` is null, so `OR IGNORE` skips the row.
INSERT OR IGNORE INTO calificacion (
    lead_id, empresa_id, score, nivel, criterios, notas_agente, creado_en, actualizado_en
)
VALUES (:lead, (SELECT empresa_id FROM lead WHERE id = :lead), :score, :nivel, :criterios, :notas_agente, :now, :now)
ON CONFLICT (lead_id) DO UPDATE SET
    score = coalesce(excluded.score, score),
    nivel = coalesce(excluded.nivel, nivel),
    criterios = coalesce(excluded.criterios, criterios),
    notas_agente = coalesce(excluded.notas_agente, notas_agente),
    actualizado_en = excluded.actualizado_en
