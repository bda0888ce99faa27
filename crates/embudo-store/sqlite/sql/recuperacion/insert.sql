-- No row: there is no such person.
INSERT INTO recuperacion (huella, usuario_id, creada_en, expira_en) SELECT :huella, id, :now, :expira_en FROM usuario WHERE id = :usuario
