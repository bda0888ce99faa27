-- Sets the state of leads in the loop. The caller has locked the leads.
UPDATE lead l
SET bucle_paso = b.paso,
    bucle_desde = b.desde,
    bucle_limite = b.limite,
    bucle_vencido = b.vencido,
    bucle_resenales = b.resenales
FROM unnest(
    :lead::uuid[], :paso::text[], :desde::timestamptz[], :limite::timestamptz[], :vencido::boolean[], :resenales::bigint[]
) AS b (lead_id, paso, desde, limite, vencido, resenales)
WHERE l.id = b.lead_id
