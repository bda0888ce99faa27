INSERT INTO migracion (numero, nombre, en) VALUES ($1, $2, now())
