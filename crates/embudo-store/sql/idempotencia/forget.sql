-- Keys of calls that were about something, told by its id.
DELETE FROM idempotencia WHERE lower(ambito) LIKE :id OR lower(clave) LIKE :id OR lower(cuerpo) LIKE :id
