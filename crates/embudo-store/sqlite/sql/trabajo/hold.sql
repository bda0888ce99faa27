-- A job that a claim met while its destination is paused.
UPDATE trabajo SET proximo_en = :held, arrendado_por = NULL, arrendado_hasta = NULL WHERE id = :id
