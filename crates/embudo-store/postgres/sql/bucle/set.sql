-- Where leads stand in the loop; they are locked.
UPDATE lead l
SET bucle_paso = b.paso,
    bucle_desde = b.desde,
    bucle_limite = b.limite,
    bucle_vencido = b.vencido,
    bucle_resenales = b.resenales
FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::boolean[], $6::bigint[])
    AS b (lead_id, paso, desde, limite, vencido, resenales)
WHERE l.id = b.lead_id
