-- ?1 id, ?2 empresa_id, ?3 telefono_e164, ?4 email_normal.
SELECT id FROM lead
WHERE empresa_id = ?2 AND (telefono_e164 = ?3 OR email_normal = ?4) AND id <> ?1
ORDER BY creado_en, id
