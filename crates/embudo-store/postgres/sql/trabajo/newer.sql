-- Whether a newer job of the same kind and lead was made.
SELECT EXISTS (
    SELECT FROM trabajo a JOIN trabajo b ON b.lead_id = a.lead_id AND b.tipo = a.tipo AND b.n > a.n WHERE a.id = $1::uuid
)
