-- No row: there is no such person or company.
INSERT INTO aviso_persona (empresa_id, usuario_id, elegidos, solo_asignados)
SELECT empresa.id, usuario.id, :elegidos::text, :solo_asignados::boolean
FROM empresa, usuario
WHERE empresa.id = :empresa::uuid AND usuario.id = :usuario::uuid
ON CONFLICT (empresa_id, usuario_id) DO UPDATE SET elegidos = excluded.elegidos, solo_asignados = excluded.solo_asignados
