-- Whether an active administrator is left without this person.
SELECT EXISTS (SELECT 1 FROM usuario WHERE administrador = true AND activo = true AND id <> :id) AS found
