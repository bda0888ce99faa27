-- No row: there is no such person or company.
INSERT INTO aviso_persona (empresa_id, usuario_id, elegidos, solo_asignados)
SELECT empresa.id, usuario.id, :elegidos, :solo_asignados FROM empresa, usuario WHERE empresa.id = :empresa AND usuario.id = :usuario
ON CONFLICT (empresa_id, usuario_id) DO UPDATE SET elegidos = excluded.elegidos, solo_asignados = excluded.solo_asignados
