INSERT INTO auditoria (id, en, usuario_id, quien, empresa_id, accion, objeto, ip, antes, despues)
VALUES (:id, :en, :usuario, :quien, :empresa, :accion, :objeto, :ip, :antes, :despues)
