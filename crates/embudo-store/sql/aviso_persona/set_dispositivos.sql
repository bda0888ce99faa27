-- Writes no row if there is no such person or company.
INSERT INTO aviso_persona (empresa_id, usuario_id, elegidos, solo_asignados, en_dispositivos)
SELECT empresa.id, usuario.id, '', false, :elegidos FROM empresa, usuario WHERE empresa.id = :empresa AND usuario.id = :usuario
ON CONFLICT (empresa_id, usuario_id) DO UPDATE SET en_dispositivos = excluded.en_dispositivos
