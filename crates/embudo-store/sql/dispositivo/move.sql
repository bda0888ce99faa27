-- The browser that had this token has another session from now on.
UPDATE dispositivo SET sesion_id = :sesion
WHERE usuario_id = :usuario AND sesion_id = (SELECT id FROM sesion WHERE huella = :huella)
