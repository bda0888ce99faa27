-- Whether there is a newer job of a lead ($1) and kind ($2) than this one ($3).
SELECT EXISTS (
    SELECT FROM trabajo b
    WHERE b.lead_id = $1::uuid AND b.tipo = $2::text AND b.n > (SELECT t.n FROM trabajo t WHERE t.id = $3::uuid)
)
