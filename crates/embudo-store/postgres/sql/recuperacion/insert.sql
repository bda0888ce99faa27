-- No row: there is no such person.
INSERT INTO recuperacion (huella, usuario_id, creada_en, expira_en) SELECT :huella::bytea, id, :now::timestamptz, :expira_en::timestamptz FROM usuario WHERE id = :usuario::uuid
