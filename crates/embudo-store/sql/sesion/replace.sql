DELETE FROM sesion WHERE huella = :huella
