-- Overwrites all fields of a lead's watched loop.
UPDATE lead SET
    bucle_paso = :paso, bucle_desde = :desde, bucle_limite = :limite, bucle_vencido = :vencido, bucle_resenales = :resenales
WHERE id = :lead
