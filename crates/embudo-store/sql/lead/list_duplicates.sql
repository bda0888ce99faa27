-- Other leads of the same company with the same telephone or e-mail; two lookups, each by its index.
SELECT d.id
FROM (
    SELECT t.id, t.creado_en
    FROM lead l JOIN lead t ON t.telefono_e164 = l.telefono_e164 AND t.empresa_id = l.empresa_id
    WHERE l.id = :lead
    UNION
    SELECT c.id, c.creado_en
    FROM lead l JOIN lead c ON c.email_normal = l.email_normal AND c.empresa_id = l.empresa_id
    WHERE l.id = :lead
) AS d
WHERE d.id <> :lead
ORDER BY d.creado_en, d.id
