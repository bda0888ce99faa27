-- No row: there is no such person.
INSERT INTO recuperacion (huella, usuario_id, creada_en, expira_en) SELECT $1::bytea, id, $3::timestamptz, $4::timestamptz FROM usuario WHERE id = $2::uuid
