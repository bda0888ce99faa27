SELECT coalesce(max(numero), 0) FROM migracion
