-- ?1 id, ?2 estado, ?3 intentos, ?4 proximo_en, ?5 en_duda.
UPDATE trabajo SET estado = ?2, intentos = ?3, proximo_en = ?4, en_duda = ?5, terminado_en = NULL WHERE id = ?1
