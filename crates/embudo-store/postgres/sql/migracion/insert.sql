INSERT INTO migracion (numero, nombre, en) VALUES (:numero, :nombre, now())
