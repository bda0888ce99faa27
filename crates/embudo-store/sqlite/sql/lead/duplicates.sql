-- ?1 id, ?2 empresa_id, ?3 telefono_e164, ?4 email_normal. Two halves, because each has its index.
SELECT id FROM (
    SELECT id, creado_en FROM lead WHERE telefono_e164 = ?3 AND empresa_id = ?2
    UNION
    SELECT id, creado_en FROM lead WHERE email_normal = ?4 AND empresa_id = ?2
)
WHERE id <> ?1
ORDER BY creado_en, id
