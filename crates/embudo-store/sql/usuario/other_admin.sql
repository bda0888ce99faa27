-- Whether there is an active administrator besides this person.
SELECT EXISTS (SELECT 1 FROM usuario WHERE administrador = true AND activo = true AND id <> :id) AS found
