INSERT INTO auditoria (id, en, usuario_id, quien, empresa_id, accion, objeto, ip, antes, despues)
VALUES ($1::uuid, $2::timestamptz, $3::uuid, $4::text, $5::uuid, $6::text, $7::text, $8::text, $9::text, $10::text)
