SELECT max(numero) FROM migracion
