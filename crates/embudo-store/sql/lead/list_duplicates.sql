-- Other leads of the same company with the same telephone, the same e-mail or an id from the same form's ticket (from
-- `:first` to `:last`). Three lookups, each by its index; `coalesce` keeps the company's index out of the third.
SELECT d.id
FROM (
    SELECT t.id, t.creado_en
    FROM lead l JOIN lead t ON t.telefono_e164 = l.telefono_e164 AND t.empresa_id = l.empresa_id
    WHERE l.id = :lead AND l.telefono_e164 <> ''
    UNION
    SELECT c.id, c.creado_en
    FROM lead l JOIN lead c ON c.email_normal = l.email_normal AND c.empresa_id = l.empresa_id
    WHERE l.id = :lead AND l.email_normal <> ''
    UNION
    SELECT f.id, f.creado_en
    FROM lead l JOIN lead f ON coalesce(f.empresa_id, f.empresa_id) = l.empresa_id
    WHERE l.id = :lead AND f.id >= :first AND f.id <= :last
) AS d
WHERE d.id <> :lead
ORDER BY d.creado_en, d.id
