-- Every value the states were given; no row if there is no such lead, one row of nulls if it has no history.
SELECT h.campo, h.valor, h.creado_en
FROM lead l
LEFT JOIN estado_historia h ON h.lead_id = l.id
WHERE l.id = $1::uuid
ORDER BY h.n
