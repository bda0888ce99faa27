-- The job is about to be forgotten.
UPDATE mensaje SET trabajo_estado = :estado WHERE id = :trabajo
