-- Whether there is a newer job of a lead and kind than this one.
SELECT EXISTS (
    SELECT FROM trabajo b
    WHERE b.lead_id = :lead::uuid AND b.tipo = :tipo::text AND b.n > (SELECT t.n FROM trabajo t WHERE t.id = :id::uuid)
)
