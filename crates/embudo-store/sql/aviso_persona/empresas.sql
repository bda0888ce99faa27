SELECT empresa_id FROM aviso_persona WHERE usuario_id = :usuario
