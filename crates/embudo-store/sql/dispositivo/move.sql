-- Moves the devices of the session with this token to the new session of the browser.
UPDATE dispositivo SET sesion_id = :sesion
WHERE usuario_id = :usuario AND sesion_id = (SELECT id FROM sesion WHERE huella = :huella)
