-- Holds a job that a claim found while the job's destination is paused.
UPDATE trabajo SET proximo_en = :held, arrendado_por = NULL, arrendado_hasta = NULL WHERE id = :id
