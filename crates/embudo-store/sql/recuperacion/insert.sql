-- Writes no row if there is no such person.
INSERT INTO recuperacion (huella, usuario_id, invitacion, creada_en, expira_en) SELECT :huella, id, :invitacion, :now, :expira_en FROM usuario WHERE id = :usuario
