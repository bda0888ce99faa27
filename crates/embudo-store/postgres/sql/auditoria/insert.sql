INSERT INTO auditoria (id, en, usuario_id, quien, empresa_id, accion, objeto, ip, antes, despues)
VALUES (:id::uuid, :en::timestamptz, :usuario::uuid, :quien::text, :empresa::uuid, :accion::text, :objeto::text, :ip::text, :antes::text, :despues::text)
