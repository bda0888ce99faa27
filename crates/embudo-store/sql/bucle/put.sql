-- Without a step the lead stands outside the loop.
UPDATE lead SET
    bucle_paso = :paso, bucle_desde = :desde, bucle_limite = :limite, bucle_vencido = :vencido, bucle_resenales = :resenales
WHERE id = :lead
