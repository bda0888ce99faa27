-- Somebody else signs in to the browser that had this token: it is not told any more what was for the person before.
DELETE FROM dispositivo WHERE usuario_id <> :usuario AND sesion_id = (SELECT id FROM sesion WHERE huella = :huella)
