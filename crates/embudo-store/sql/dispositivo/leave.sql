-- Another person signs in to the browser that had this token: it gets no more notices for the former person.
DELETE FROM dispositivo WHERE usuario_id <> :usuario AND sesion_id = (SELECT id FROM sesion WHERE huella = :huella)
