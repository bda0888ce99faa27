-- Writes no row if there is no such person or company.
INSERT INTO aviso_persona (empresa_id, usuario_id, elegidos, en_dispositivos, solo_asignados)
SELECT empresa.id, usuario.id, :elegidos, :en_dispositivos, :solo_asignados
FROM empresa, usuario WHERE empresa.id = :empresa AND usuario.id = :usuario
ON CONFLICT (empresa_id, usuario_id) DO UPDATE SET
    elegidos = excluded.elegidos, en_dispositivos = excluded.en_dispositivos, solo_asignados = excluded.solo_asignados
