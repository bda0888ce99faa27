-- No row: there is no such lead.
SELECT bucle_paso, bucle_desde, bucle_limite, bucle_vencido, bucle_resenales FROM lead WHERE id = ?1
