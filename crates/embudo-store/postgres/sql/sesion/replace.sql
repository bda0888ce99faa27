DELETE FROM sesion WHERE huella = $1::bytea
