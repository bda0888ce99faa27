INSERT INTO migracion (numero, nombre, en)
VALUES (?1, ?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER))
