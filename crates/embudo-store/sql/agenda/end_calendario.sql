UPDATE agenda SET calendario = NULL, calendario_en = NULL WHERE usuario_id = :usuario
