-- No row: there is no such person.
INSERT INTO recuperacion (huella, usuario_id, invitacion, creada_en, expira_en) SELECT :huella::bytea, id, :invitacion::boolean, :now::timestamptz, :expira_en::timestamptz FROM usuario WHERE id = :usuario::uuid
